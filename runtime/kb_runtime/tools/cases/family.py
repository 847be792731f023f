"""What the tools over test cases share: their errors have the form of the web service that clients know."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kb_runtime.errors import ToolError
from kb_runtime.tools.answers import error_structure, error_text
from kb_runtime.tools.declaration import Answer, Tools

if TYPE_CHECKING:
    from kb_runtime.tools.fields import Failure

STATUS = {"BAD_INPUT": 400, "READ_ONLY": 403, "NOT_FOUND": 404, "NO_MATCH": 404, "UNAVAILABLE": 503}
INTERNAL = 500


def api_error(error: ToolError) -> Answer[Failure]:
    """`API Error (<status>): ` and what failed; the structure has the status as well."""
    status = STATUS.get(error.kind, INTERNAL)
    structured = error_structure(error)
    structured["error"]["status"] = status
    text = error_text(error).removeprefix("Error: ")
    return Answer(f"API Error ({status}): {text}", structured)


case_tools = partial(Tools, family="tests", needs=("tests",), on_error=api_error)
