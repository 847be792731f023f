"""Reports internal failures: in full on stderr, without details to the client."""

from __future__ import annotations

from kb_runtime import log
from kb_runtime.errors import ArtifactError


def report(what: str, error: BaseException, correlation_id: str = "") -> str:
    """Says `what` with the traceback; of a shortage and of a damaged artifact, which are no defects, one
    sentence. Gives what may be told to a client: the name of the shortage, or nothing."""
    from kb_runtime.errors.shortages import ShortageError, shortage

    short = error if isinstance(error, ShortageError) else shortage(error)
    known = error if isinstance(error, ArtifactError) else short
    if known is None:
        log.failure(what, error, correlation_id)
    else:
        named = {"correlation_id": correlation_id} if correlation_id else {}
        label, fact = log.labelled(what, correlation_id), known.message.removesuffix(".")
        log.say(f"{label}: {fact}. {known.hint}".rstrip(), level="error", **named)
    return "" if short is None else short.kind
