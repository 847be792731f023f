"""Reports internal failures: in full on stderr, without details to the client."""

from __future__ import annotations

from kb_runtime import log


def report(what: str, error: BaseException, correlation_id: str = "") -> None:
    """Says `what` with the traceback."""
    log.failure(what, error, correlation_id)
