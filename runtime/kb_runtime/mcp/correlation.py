"""Correlation ids, which link a call, its answer and the server's log."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HEADER = "x-correlation-id"
KEY = "correlationId"
MAX_CHARS = 200
"""A longer id, or one that does not print on one line, is not taken over into logs."""


def given_id(params: dict[str, Any]) -> str | None:
    """The id in `params._meta`, as `correlationId` or under the name of the HTTP header."""
    meta = params.get("_meta") or {}
    for key in (KEY, HEADER):
        if (usable := usable_id(meta.get(key))) is not None:
            return usable
    return None


def usable_id(value: Any) -> str | None:
    """`value` where it can serve as an id."""
    if isinstance(value, str) and 0 < len(value) <= MAX_CHARS and value.isprintable():
        return value
    return None


def new_id() -> str:
    from uuid import uuid4

    return str(uuid4())
