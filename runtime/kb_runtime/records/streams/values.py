"""Values in parsed JSON that may be of another type than they should be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def objects(value: Any) -> list[Mapping[str, Any]]:
    """The objects of a list; none of what is no list."""
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def an_object(value: Any) -> Mapping[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def text(value: Any) -> str:
    """A value as text, "" for none."""
    return "" if value is None else str(value)


def text_at(held: Mapping[str, Any], name: str) -> str:
    return text(held.get(name))
