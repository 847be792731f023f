"""Ends the compiler when the process that started it ends, in whatever way.

The compiler's stdin is a pipe whose writing end only its parent holds. On Linux the kernel kills the
process group when that end closes, which needs no running thread and takes the group's other processes
along. Elsewhere a thread waits for the end of stdin; processes started from here wait for it likewise.
"""

from __future__ import annotations

import os
import signal
import sys
from threading import Thread
from types import FrameType


def exit_with_parent() -> None:
    """Ends this process and its group when stdin ends, and lets SIGTERM clean up.

    The process must lead its group, and nothing may be written to stdin any more. Raises
    `SystemExit` when stdin has ended already.
    """
    signal.signal(signal.SIGTERM, _exit)
    try:
        import fcntl
    except ImportError:
        armed = False
    else:
        armed = hasattr(fcntl, "F_SETSIG")
    if not armed:
        Thread(target=_wait_for_end, daemon=True).start()
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


def _wait_for_end() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(128 + signal.SIGTERM)


def _exit(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
