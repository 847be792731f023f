"""Renders answers about workshops: headings that state success or failure, values as inline code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import ToolError
from kb_runtime.text.rendering import code_span
from kb_runtime.tools.answers import error_structure, error_text
from kb_runtime.tools.declaration import Answer

if TYPE_CHECKING:
    from kb_runtime.tools.fields import Failure


def title(text: str) -> str:
    return f"## ✅ {text}"


def shown(value: Any, otherwise: str) -> str:
    """The value as inline code, or what stands for no value in italics."""
    if value is None:
        return f"_{otherwise}_"
    return code_span(str(value).lower() if isinstance(value, bool) else str(value))


def listing(heading: str, values: Mapping[str, str]) -> str:
    return "\n".join([f"{heading}:", *(f"- {name}: {value}" for name, value in values.items())])


def next_steps(steps: Iterable[str]) -> str:
    return "\n".join(["Next:", *(f"- {step}" for step in steps)])


def failure(what: str, advice: str = "") -> Callable[[ToolError], Answer[Any]]:
    """The `on_error` of a tool whose answers are called `what`: that heading over the usual text,
    with `advice` as the last of the next steps."""

    def answer(error: ToolError) -> Answer[Failure]:
        if advice:
            error.next_steps = (*error.next_steps, advice)
        return Answer(f"## ❌ {what} failed\n\n{error_text(error)}", error_structure(error))

    return answer
