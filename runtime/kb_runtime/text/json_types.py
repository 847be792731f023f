"""The one check of JSON values against types, for the arguments of tools and the params of requests."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    JsonType = Literal[
        "string", "integer", "number", "boolean", "object", "string[]", "string{}", "string|integer"
    ]

DESCRIPTIONS: dict[JsonType, str] = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "string[]": "a list of strings",
    "string{}": "an object of strings",
    "string|integer": "a string or an integer",
}
"""How messages call a value of a type."""


def is_of_type(value: Any, type: JsonType) -> bool:
    """Whether a value of parsed JSON is of a type; no value is converted, and a boolean is no number."""
    match type:
        case "string":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            return is_number and value - value == 0  # neither infinite nor NaN
        case "boolean":
            return isinstance(value, bool)
        case "object":
            return isinstance(value, dict)
        case "string[]":
            return isinstance(value, list) and all(isinstance(item, str) for item in value)
        case "string{}":
            return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
        case "string|integer":
            return isinstance(value, (str, int))


def number(value: Any) -> int | float | None:
    """The number that a value is or, as decimal text, says; None for everything else."""
    if isinstance(value, str):
        value = _parsed(value.strip())
    return value if is_of_type(value, "number") else None


def integer(value: Any) -> int | None:
    """The whole number that a value is or says (`5`, `5.0` and `"5"` alike); None for everything else."""
    found = number(value)
    return int(found) if found is not None and found == int(found) else None


def _parsed(text: str) -> int | float | None:
    import re

    if re.fullmatch(r"[+-]?[0-9]{1,100}", text):
        return int(text)
    if re.fullmatch(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        return float(text)
    return None
