"""JSON as answers have it."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


class WrittenObject(dict[str, object]):
    """An object that nobody changes any more, and `json`, what `json_text` gives for it."""

    __slots__ = ("json",)

    def __init__(self, value: Any, json: str) -> None:
        super().__init__(value)
        self.json = json


def json_text(value: Any) -> str:
    """`value` as JSON, without spaces: what a model reads costs by the character. Raises `ValueError` and
    `TypeError` for a value that is no JSON, such as NaN."""
    return value.json if isinstance(value, WrittenObject) else _ENCODER.encode(value)


def indented_json_text(value: Any) -> str:
    """`value` as JSON indented by two spaces, where a contract wants that."""
    return json.dumps(value, ensure_ascii=False, indent=2)
