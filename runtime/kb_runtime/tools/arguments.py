"""Checks the arguments of a call against a tool's declaration: one set of rules for every tool.

`null` counts as omitted, text is trimmed and empty text counts as missing, numbers may come as decimal
strings, unknown names are ignored with a warning, and no text is refused because of its words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from kb_runtime.errors import ToolError
from kb_runtime.text.names import quoted, suggest
from kb_runtime.tools.declaration import Argument, Tool

MAX_ITEMS = 100
"""The longest list an argument may hold."""

_MAX_UNKNOWN_SHOWN = 5
_INTEGER_TEXT = re.compile(r"[+-]?[0-9]{1,100}")
_NUMBER_TEXT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)


def check(tool: Tool, raw: Mapping[str, Any] | None) -> tuple[dict[str, Any], list[str]]:
    """Every declared argument with its checked value, and what the caller should know about them.

    Raises `ToolError` BAD_INPUT, which names the argument and quotes the value.
    """
    if raw is None:
        raw = {}
    if not isinstance(raw, Mapping):
        raise ToolError("BAD_INPUT", f"arguments must be an object, not {quoted(raw)}")
    warnings: list[str] = []
    values: dict[str, Any] = {}
    for argument in tool.arguments:
        value = _checked(argument, raw.get(argument.name), warnings)
        if value is None and argument.required:
            message = f"the argument {argument.name} is required and must not be empty"
            step = f"Give {argument.name}: {argument.description}"
            raise _refusal(argument, "missing", None, message, step)
        values[argument.name] = argument.default if value is None else value
    warnings.extend(_unknown(tool, raw))
    return values, warnings


def _unknown(tool: Tool, raw: Mapping[str, Any]) -> list[str]:
    known = [argument.name for argument in tool.arguments]
    unknown = sorted(name for name in map(str, raw) if name not in known)
    warnings = []
    for name in unknown[:_MAX_UNKNOWN_SHOWN]:
        close = suggest(name, known, 1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        warnings.append(f"the unknown argument {quoted(name)} was ignored{hint}")
    if len(unknown) > _MAX_UNKNOWN_SHOWN:
        warnings.append(f"{len(unknown) - _MAX_UNKNOWN_SHOWN} more unknown arguments were ignored")
    return warnings


def _checked(argument: Argument, value: Any, warnings: list[str]) -> Any:
    """The value as declared, or None where it counts as omitted."""
    if isinstance(value, str):
        value = _trimmed(value)
    if value is None or value == "":
        return None
    match argument.type:
        case "string":
            return _choice(argument, _text(argument, value))
        case "string[]":
            return _texts(argument, value)
        case "integer" | "number":
            return _in_range(argument, _number(argument, value), warnings)
        case "boolean":
            return _boolean(argument, value)
        case "object":
            if isinstance(value, Mapping):
                return dict(value)
            raise _wrong(argument, value, "an object")


def _trimmed(text: str) -> str:
    """Lone surrogates, which JSON can carry and UTF-8 cannot, become replacement characters."""
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.strip()


def _text(argument: Argument, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(argument, value, "a string")
    if argument.max_length is not None and len(value) > argument.max_length:
        message = (
            f"{argument.name} has {len(value)} characters and may have at most"
            f" {argument.max_length}: {quoted(value)}"
        )
        raise _refusal(argument, "length", value, message, f"Shorten {argument.name}.")
    return value


def _texts(argument: Argument, value: Any) -> list[str] | None:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise _wrong(argument, value, "a list of strings")
    if len(items) > MAX_ITEMS:
        raise ToolError(
            "BAD_INPUT", f"{argument.name} has {len(items)} items and may have at most {MAX_ITEMS}"
        )
    trimmed = [text for item in items if (text := _trimmed(item))]
    return [_choice(argument, _text(argument, item)) for item in trimmed] or None


def _choice(argument: Argument, value: str) -> str:
    """The declared choice that equals `value` up to case."""
    if not argument.choices:
        return value
    for choice in (value, value.casefold()):
        for allowed in argument.choices:
            if choice in (allowed, allowed.casefold()):
                return allowed
    raise ToolError(
        "BAD_INPUT",
        f"{argument.name} {quoted(value)} is not one of: {', '.join(argument.choices)}",
        suggestions=suggest(value, argument.choices) or argument.choices[:10],
        next_steps=[f"Use one of the listed values for {argument.name}."],
        details={"allowed": list(argument.choices)},
    )


def _boolean(argument: Argument, value: Any) -> bool:
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if not isinstance(value, bool):
        raise _wrong(argument, value, "true or false")
    return value


def _number(argument: Argument, value: Any) -> int | float:
    integer = argument.type == "integer"
    expected = "a whole number" if integer else "a number"
    if isinstance(value, str):
        if _INTEGER_TEXT.fullmatch(value):
            value = int(value)
        elif _NUMBER_TEXT.fullmatch(value):
            value = float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not _finite(value):
        raise _wrong(argument, value, expected)
    if not integer:
        return value
    if value != int(value):
        raise _wrong(argument, value, expected)
    return int(value)


def _finite(value: int | float) -> bool:
    return isinstance(value, int) or math.isfinite(value)


def _in_range(argument: Argument, value: int | float, warnings: list[str]) -> int | float:
    low, high = argument.minimum, argument.maximum
    if (low is None or value >= low) and (high is None or value <= high):
        return value
    is_below = low is not None and value < low
    if argument.out_of_range == "reject" or (is_below and argument.out_of_range == "clamp above"):
        message = f"{argument.name} must be {_bounds(low, high)}, not {quoted(value)}"
        step = f"Give {argument.name} {_bounds(low, high)}, or leave it out."
        raise _refusal(argument, "range", value, message, step)
    nearest = low if is_below else high
    assert nearest is not None
    warnings.append(
        f"{argument.name} must be {_bounds(low, high)}: {nearest} was used instead of {quoted(value)}"
    )
    return nearest


def _bounds(low: float | None, high: float | None) -> str:
    if high is None:
        return f"at least {low}"
    return f"at most {high}" if low is None else f"from {low} to {high}"


def _wrong(argument: Argument, value: Any, expected: str) -> ToolError:
    message = f"{argument.name} must be {expected}, not {quoted(value)}"
    step = f"Give {argument.name}: {argument.description}"
    return _refusal(argument, "type", value, message, step)


def _refusal(argument: Argument, rule: str, value: Any, message: str, next_step: str) -> ToolError:
    """The error for a value that breaks a rule, in the declaration's words where it has some."""
    words = argument.refusals.get(rule)
    if words is not None:
        length = len(value) if isinstance(value, str) else 0
        message = words.format(value=quoted(value), length=length)
    return ToolError("BAD_INPUT", message, next_steps=[next_step])
