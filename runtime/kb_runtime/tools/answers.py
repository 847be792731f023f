"""The shared parts of answers: JSON as text and structure, warnings added to an answer, and errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from kb_runtime.errors import ToolError
from kb_runtime.text.written_json import WrittenObject, indented_json_text, json_text
from kb_runtime.tools.declaration import Answer

if TYPE_CHECKING:
    from kb_runtime.tools.fields import ErrorFields, Failure

S = TypeVar("S")

MAX_ERROR_SUGGESTIONS = 10


def present(**fields: object) -> Any:
    """Those of the fields that have a value: optional ones are left out where they have none."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def json_answer(structured: S) -> Answer[S]:
    """An answer whose text is its structure, so that either of them stands alone."""
    text = json_text(structured)
    return Answer(text, cast("S", WrittenObject(structured, text)))


class JsonObject(NamedTuple):
    """A text that is a JSON object, and how it is written."""

    value: dict[str, Any]
    write: Callable[[Any], str]


def parsed(text: str) -> JsonObject | None:
    """What a text says that is a JSON object; None for others, which may begin with a brace as well: a
    path of a project template does (`{{name}}/setup.py`)."""
    if not text.startswith("{"):
        return None
    try:
        value: dict[str, Any] = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return JsonObject(value, indented_json_text if text.startswith("{\n") else json_text)


def with_warnings(answer: Answer[Any], warnings: Sequence[str]) -> Answer[Any]:
    """The same answer with `warnings` in its structure and its text."""
    if not warnings:
        return answer
    notes = "\n".join(f"Note: {warning}" for warning in warnings)
    if answer.structured is None:
        return Answer(f"{answer.text}\n\n{notes}", None)
    structured = dict(answer.structured)
    structured["warnings"] = [*structured.get("warnings", ()), *warnings]
    if (written := parsed(answer.text)) is not None:
        return Answer(
            written.write({**written.value, "warnings": structured["warnings"]}), structured
        )
    return Answer(f"{answer.text}\n\n{notes}", structured)


def error_text(error: ToolError) -> str:
    """`Error: ` and what failed, then what exists instead and what to do, one line each."""
    lines = [f"Error: {error.message}"]
    if error.suggestions:
        lines.append("Suggestions: " + ", ".join(error.suggestions[:MAX_ERROR_SUGGESTIONS]))
    if error.next_steps:
        lines.append("Next:")
        lines.extend(f"- {step}" for step in error.next_steps)
    return "\n".join(lines)


def error_answer(error: ToolError) -> Answer[Failure]:
    """How a failure is told where a tool's family has no way of its own."""
    return Answer(error_text(error), error_structure(error))


def error_structure(error: ToolError) -> Failure:
    """`{error: {kind, message, details?, suggestions?}}`."""
    kind: Any = error.kind
    fields: ErrorFields = {"kind": kind, "message": error.message}
    fields |= present(
        details=error.details, suggestions=[*error.suggestions], next=[*error.next_steps]
    )
    return {"error": fields}
