"""What goes wrong inside the server: told on stderr in full, and to the client not at all."""

from __future__ import annotations

import sys


def report(what: str, error: BaseException, correlation_id: str = "") -> None:
    """Writes `what` and the traceback to stderr; a closed stderr is nobody's problem here."""
    from traceback import format_exception

    label = f" [correlation id {correlation_id}]" if correlation_id else ""
    try:
        sys.stderr.write(f"{what}{label}\n{''.join(format_exception(error))}")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        pass
