"""Who sent the request that is being answered, for the log."""

from __future__ import annotations

from contextvars import ContextVar

CALLER: ContextVar[str] = ContextVar("CALLER", default="")
"""The name that authentication gave the client, "" without any."""
