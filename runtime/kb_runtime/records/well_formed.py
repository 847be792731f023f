"""JSON values that UTF-8 can carry."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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
