"""The errors that the tools of Quint answer with."""

from __future__ import annotations

from typing import Any


def error(reply: Any, kind: str) -> dict[str, Any]:
    assert reply.is_error
    found: dict[str, Any] = reply.structured["error"]
    assert found["kind"] == kind
    return found
