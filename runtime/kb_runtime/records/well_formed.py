"""JSON values that UTF-8 can carry, and that no recursion fails on."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


MAX_NESTING = 100
"""Lists and objects within each other; nothing that a tool takes has more than five."""


def is_too_deep(value: Any) -> bool:
    """Whether a value nests deeper than `MAX_NESTING`."""
    level = [value]
    for _ in range(MAX_NESTING + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return True


def well_formed(value: Any) -> Any:
    """`value` with U+FFFD for each lone surrogate in its texts, which JSON can escape but no encoder
    takes; a surrogate pair becomes the character that it stands for."""
    if isinstance(value, str):
        if value.isascii():
            return value
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [well_formed(item) for item in value]
    if isinstance(value, dict):
        return {well_formed(key): well_formed(item) for key, item in value.items()}
    return value
