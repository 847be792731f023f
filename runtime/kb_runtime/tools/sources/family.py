"""The shared parts of the tools over documentation sets: names, errors, facts about pages.

Their contract requires protocol errors: -32602 for arguments, -32603 for failures of the server. Only a
page or section that does not exist is reported in the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import ProtocolError, ToolError
from kb_runtime.tools.answers import error_answer, error_structure, present
from kb_runtime.tools.declaration import Answer, Argument, Tool
from kb_runtime.tools.sources.lookup import KIND

if TYPE_CHECKING:
    from kb_runtime.records.entries import PageEntry
    from kb_runtime.tools.fields import Failure
    from kb_runtime.tools.session import Session

FAMILY = "sources"
SEARCH, LIST_SOURCES = "qurio_search", "qurio_list_sources"
LIST_PAGES, READ_PAGE = "qurio_list_pages", "qurio_read_page"


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


def source_tool(
    name: str,
    description: str,
    run: Callable[[Session, dict[str, Any]], Answer[Any]],
    arguments: tuple[Argument, ...],
) -> Tool:
    """A tool of the family. With a prefix, `search` alone would be the name of the compact one."""
    return Tool(
        name=name,
        prefixed="{prefix}_search_pages" if name == SEARCH else name.replace("qurio", "{prefix}"),
        family=FAMILY,
        description=description,
        run=run,
        arguments=arguments,
        needs=(KIND,),
        on_error=protocol_error,
        correlated=True,
    )
