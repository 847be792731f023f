"""Reports internal failures: in full on stderr, without details to the client."""

from __future__ import annotations

from kb_runtime import log


def report(what: str, error: BaseException, correlation_id: str = "") -> str:
    """Says `what` with the traceback; of a shortage, which is no defect, one sentence. Gives what may be
    told to a client: the name of the shortage, or nothing."""
    from kb_runtime.errors.shortages import ShortageError, shortage

    short = error if isinstance(error, ShortageError) else shortage(error)
    if short is None:
        log.failure(what, error, correlation_id)
        return ""
    named = {"correlation_id": correlation_id} if correlation_id else {}
    log.say(f"{what}: {short.message}. {short.hint}", level="error", **named)
    return short.kind
