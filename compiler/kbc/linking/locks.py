"""Exclusive locks on open files, which the kernel releases with the process that holds them."""

from __future__ import annotations

import fcntl
import time

_POLL_S = 0.05


def acquired(descriptor: int) -> bool:
    """Takes the lock of an open file; False where another process has it. Raises `OSError`."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def acquired_within(descriptor: int, seconds: float) -> bool:
    """Takes the lock as soon as it is free; False where it was not in that time. Raises `OSError`."""
    deadline = time.monotonic() + seconds
    while not acquired(descriptor):
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_S)
    return True
