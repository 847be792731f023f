"""Checks the arguments of a call against a tool's declaration: one set of rules for every tool.

`null` counts as omitted, text is trimmed and empty text counts as missing, numbers may come as decimal
strings and lists and objects as JSON in a string, `startLine` is `start_line`, unknown names are ignored
with a warning, and no text is refused because of its words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from kb_runtime.errors import ToolError
from kb_runtime.records.well_formed import MAX_NESTING, is_too_deep, well_formed
from kb_runtime.text.json_types import DESCRIPTIONS, integer, is_of_type, number
from kb_runtime.text.names import known_as, quoted, suggest
from kb_runtime.tools.declaration import Argument, Tool
from kb_runtime.tools.refusal import bad_input

MAX_ITEMS = 100
"""The longest list an argument may hold."""

_MAX_UNKNOWN_SHOWN = 5


def check(tool: Tool, raw: Mapping[str, Any] | None) -> tuple[dict[str, Any], list[str]]:
    """Every declared argument with its checked value, and what the caller should know about them.

    Raises `ToolError` BAD_INPUT, which names the argument and quotes the value.
    """
    if raw is None:
        raw = {}
    if not is_of_type(raw, "object"):
        raise bad_input(f"arguments must be an object, not {quoted(raw)}")
    if is_too_deep(raw):
        raise bad_input(f"arguments are nested more than {MAX_NESTING} levels deep")
    raw = _respelled(tool, well_formed(raw))
    warnings: list[str] = []
    values: dict[str, Any] = {}
    for argument in tool.arguments:
        value = _checked(argument, raw.get(argument.name), warnings)
        if value is None and argument.required:
            message = f"the argument {argument.name} is required and must not be empty"
            step = f"Give {argument.name}: {argument.description}"
            raise _refusal(argument, "missing", None, message, step)
        values[argument.name] = argument.default if value is None else value
    warnings.extend(unknown(tool, raw))
    return values, warnings


def _respelled(tool: Tool, raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments by their declared names: one may be written with other case or without underscores,
    as those of other tools are, unless it is given twice."""
    declared = [argument.name for argument in tool.arguments]
    if all(name in declared for name in raw):  # as nearly always
        return raw
    known = {_letters(name): name for name in declared} | {name: name for name in declared}
    names = [known.get(name) or known.get(_letters(str(name)), name) for name in raw]
    return raw if len(set(names)) < len(names) else dict(zip(names, raw.values(), strict=True))


def _letters(name: str) -> str:
    return name.replace("_", "").casefold()


def unknown(tool: Tool, names: Iterable[Any]) -> list[str]:
    """Which of the names no argument of the tool has, a phrase each, with what was probably meant."""
    known = [argument.name for argument in tool.arguments]
    given = _respelled(tool, dict.fromkeys(well_formed(str(name)) for name in names))
    ignored = sorted(name for name in given if name not in known)
    warnings = []
    for name in ignored[:_MAX_UNKNOWN_SHOWN]:
        close = suggest(name, known, 1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        warnings.append(f"the unknown argument {quoted(name)} was ignored{hint}")
    if len(ignored) > _MAX_UNKNOWN_SHOWN:
        warnings.append(f"{len(ignored) - _MAX_UNKNOWN_SHOWN} more unknown arguments were ignored")
    return warnings


def _checked(argument: Argument, value: Any, warnings: list[str]) -> Any:
    """The value as declared, or None where it counts as omitted."""
    value = _unwrapped(argument, value)
    if value is None or value == "":
        return None
    match argument.type:
        case "string":
            return _choice(argument, _limited(argument, _typed(argument, value)))
        case "string[]":
            return _texts(argument, value)
        case "integer":
            whole = integer(value)
            return _in_range(
                argument, _typed(argument, value if whole is None else whole), warnings
            )
        case "number":
            found = number(value)
            return _in_range(
                argument, _typed(argument, value if found is None else found), warnings
            )
        case "boolean" if isinstance(value, str) and value.lower() in ("true", "false"):
            return value.lower() == "true"
        case _:
            return _typed(argument, value)


_BEGINS_JSON = {"string[]": "[", "object": "{"}


def _unwrapped(argument: Argument, value: Any) -> Any:
    """Text without spaces around it; where a list or an object is wanted, that which a text is as JSON;
    where one of some choices is, the only one of a list. Language models write all of these."""
    is_choice = argument.type == "string" and (argument.choices or argument.choices_from)
    if is_choice and isinstance(value, list) and len(value) == 1:
        (value,) = value
    if not isinstance(value, str):
        return value
    text = value.strip()
    begin = _BEGINS_JSON.get(argument.type)
    if begin is None or not text.startswith(begin):
        return text
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return text
    is_meant = is_of_type(parsed, argument.type) and not is_too_deep(parsed)
    return well_formed(parsed) if is_meant else text


def _typed(argument: Argument, value: Any) -> Any:
    if is_of_type(value, argument.type):
        return value
    message = f"{argument.name} must be {DESCRIPTIONS[argument.type]}, not {quoted(value)}"
    step = f"Give {argument.name}: {argument.description}"
    if argument.type == "string" and isinstance(value, list):
        step = f"Give one value of {argument.name} in a call" + (
            "." if argument.required else ", or leave it out."
        )
    raise _refusal(argument, "type", value, message, step)


def _limited(argument: Argument, text: str) -> str:
    if argument.max_length is not None and len(text) > argument.max_length:
        message = (
            f"{argument.name} has {len(text)} characters and may have at most"
            f" {argument.max_length}: {quoted(text)}"
        )
        raise _refusal(argument, "length", text, message, f"Shorten {argument.name}.")
    return text


def _texts(argument: Argument, value: Any) -> list[str] | None:
    items: list[str] = _typed(argument, [value] if isinstance(value, str) else value)
    if len(items) > MAX_ITEMS:
        raise bad_input(f"{argument.name} has {len(items)} items and may have at most {MAX_ITEMS}")
    trimmed = [text for item in items if (text := item.strip())]
    return [_choice(argument, _limited(argument, item)) for item in trimmed] or None


def _choice(argument: Argument, value: str) -> str:
    """The declared choice that equals `value` up to case."""
    if not argument.choices:
        return value
    if (allowed := known_as(value, argument.choices)) is not None:
        return allowed
    raise bad_input(
        f"{argument.name} {quoted(value)} is not one of: {', '.join(argument.choices)}",
        f"Use one of the listed values for {argument.name}.",
        suggestions=suggest(value, argument.choices) or argument.choices[:10],
        details={"allowed": list(argument.choices)},
    )


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


def _refusal(argument: Argument, rule: str, value: Any, message: str, next_step: str) -> ToolError:
    """The error for a value that breaks a rule, in the declaration's words where it has some."""
    words = argument.refusals.get(rule)
    if words is not None:
        length = len(value) if isinstance(value, str) else 0
        message = words.format(value=quoted(value), length=length)
    return bad_input(message, next_step)
