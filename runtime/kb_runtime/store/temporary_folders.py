"""Temporary folders that can be recognised after a kill: the owner holds a lock, which the kernel releases
with the process, so that another process can find and remove what is left.
"""

from __future__ import annotations

import os

try:
    import fcntl
except ImportError:  # Windows has none; its temporary folders are not looked after
    fcntl = None  # type: ignore[assignment]

LOCKED_WITHIN_S = 1.0
"""A folder's maker locks it at once; this is long enough for that."""


def locked(folder: str) -> int | None:
    """A descriptor that holds the lock of a folder; None when another process does, or for want of
    locks."""
    if fcntl is not None:
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:  # gone, or another user's
            return None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except OSError:
            os.close(lock)
    return None


def remove_abandoned(parent: str, prefix: str) -> None:
    """Removes the folders below `parent` whose names start with `prefix` and whose lock nobody holds.
    Raises `OSError` where `parent` cannot be listed."""
    import shutil
    import time

    for name in os.listdir(parent):
        if not name.startswith(prefix):
            continue
        path = os.path.join(parent, name)
        try:
            if time.time() - os.stat(path).st_ctime < LOCKED_WITHIN_S:
                continue
        except OSError:
            continue
        lock = locked(path)
        if lock is not None:
            shutil.rmtree(path, ignore_errors=True)
            os.close(lock)
