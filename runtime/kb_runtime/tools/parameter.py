"""Short forms of `Argument`, one for each type of value, so that a tool's arguments read as a table."""

from __future__ import annotations

from typing import Any

from kb_runtime.tools.declaration import Argument


def required(name: str, description: str, max_length: int, **more: Any) -> Argument:
    """A text without which a call is refused."""
    return text(name, description, max_length, required=True, **more)


def text(name: str, description: str, max_length: int | None = None, **more: Any) -> Argument:
    return Argument(name, "string", description, max_length=max_length, **more)


def texts(name: str, description: str, choices_from: str = "") -> Argument:
    return Argument(name, "string[]", description, choices_from=choices_from)


def flag(name: str, description: str, default: bool | None = None) -> Argument:
    return Argument(name, "boolean", description, default=default)


def integer(
    name: str,
    description: str,
    minimum: int,
    maximum: int | None = None,
    default: int | None = None,
    **more: Any,
) -> Argument:
    bounds: Any = {"minimum": minimum, "maximum": maximum}
    return Argument(name, "integer", description, default=default, **bounds, **more)


def cursor(description: str = "nextCursor of the previous answer.") -> Argument:
    """The argument with which a caller goes on where an answer ended."""
    return text("cursor", description, 2_000)


MAX_CHARS = integer("max_chars", "max characters in one answer", 1_000, 1_000_000)
"""Every tool takes it; `tools/list` names it where answers can be long. Tools find it in their session."""
