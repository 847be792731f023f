"""Ends the compiler with the process that started it, however that process ends.

Its stdin is a pipe whose writing end only the starter has. When that end closes, the kernel kills the
process group: no thread has to run for that, and no child process is left behind.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
from threading import Thread
from types import FrameType


def tie_to_stdin() -> None:
    """Ends this process and its group when stdin ends, and lets SIGTERM clean up.

    The process must lead its group, and nothing may be written to stdin any more. Raises
    `SystemExit` when stdin has ended already.
    """
    signal.signal(signal.SIGTERM, _leave)
    if not hasattr(fcntl, "F_SETSIG"):  # not Linux
        Thread(target=_watch, daemon=True).start()
        return
    stdin = sys.stdin.fileno()
    fcntl.fcntl(stdin, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(stdin, fcntl.F_SETSIG, signal.SIGKILL)
    flags = fcntl.fcntl(stdin, fcntl.F_GETFL)
    fcntl.fcntl(stdin, fcntl.F_SETFL, flags | os.O_ASYNC | os.O_NONBLOCK)
    try:
        ended = os.read(stdin, 1) == b""  # before the signal was armed
    except BlockingIOError:
        ended = False
    if ended:
        raise SystemExit(signal.SIGTERM)


def _watch() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.killpg(0, signal.SIGKILL)


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
