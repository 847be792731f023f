"""The shared parts of the tools over documentation sets: names, errors, facts about pages.

Their contract requires protocol errors: -32602 for arguments, -32603 for failures of the server. Only a
page or section that does not exist is reported in the answer.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import ProtocolError, ToolError
from kb_runtime.tools.answers import error_answer, error_structure, present
from kb_runtime.tools.declaration import Answer, Tools
from kb_runtime.tools.sources.lookup import KIND

if TYPE_CHECKING:
    from kb_runtime.records.entries import PageEntry
    from kb_runtime.tools.fields import Failure

FAMILY = "sources"
SEARCH, LIST_PAGES, READ_PAGE = "qurio_search", "qurio_list_pages", "qurio_read_page"
INVALID_PARAMS, INTERNAL_ERROR = -32602, -32603


def page_facts(page: PageEntry) -> Any:
    """What a page says about itself, as answers have it."""
    return present(
        author=page.get("author"),
        createdAt=page.get("created_at"),
        pageCount=page["page_count"] or None,
    )


def protocol_error(error: ToolError) -> Answer[Failure]:
    """Reports what does not exist in the answer. Raises ProtocolError for everything else."""
    if error.kind == "NOT_FOUND":
        return error_answer(error)
    is_fault = error.kind in ("INTERNAL", "UNAVAILABLE")
    data: dict[str, Any] = {**error_structure(error)["error"]}
    message = data.pop("message")
    if error.kind == "UNAVAILABLE":
        message = "The search index of this server cannot be used"  # the reason may name a path
    raise ProtocolError(INTERNAL_ERROR if is_fault else INVALID_PARAMS, message, data)


source_tools = partial(
    Tools, "qurio_", family=FAMILY, needs=(KIND,), on_error=protocol_error, correlated=True
)
