"""What goes wrong inside the server: told on stderr in full, and to the client not at all."""

from __future__ import annotations

import sys


def report(what: str, error: BaseException) -> None:
    """Writes `what` and the traceback to stderr; a closed stderr is nobody's problem here."""
    from traceback import format_exception

    try:
        sys.stderr.write(f"{what}\n{''.join(format_exception(error))}")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        pass
