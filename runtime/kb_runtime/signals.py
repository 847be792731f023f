"""The signals that ask a server to end."""

from __future__ import annotations

import signal


def terminations() -> tuple[signal.Signals, ...]:
    """SIGINT of Ctrl-C, SIGTERM of a supervisor, and SIGHUP of a terminal that was closed, unless this
    process was started to outlive that (`nohup`)."""
    hangup = getattr(signal, "SIGHUP", None)  # not on Windows
    if hangup is None or signal.getsignal(hangup) == signal.SIG_IGN:
        return (signal.SIGINT, signal.SIGTERM)
    return (signal.SIGINT, signal.SIGTERM, hangup)
