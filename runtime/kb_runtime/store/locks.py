"""Locks on open files and folders, which the system drops when their holder closes the file or dies.

The only module that calls `flock`. filelock, which Windows uses, has no shared locks and takes 15 ms to
import, and a server takes its first lock before its first answer. Windows needs no shared locks: a
folder in which a file is open cannot be renamed there.
"""

from __future__ import annotations

import os
import time

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

OPEN_FOLDERS_MOVE = fcntl is not None
"""Whether a folder can be renamed while a file in it is open, so that only locks protect readers."""

_POLL_S = 0.05


def try_lock(descriptor: int) -> bool:
    """Takes the exclusive lock of an open file; False where another process has a lock on it.

    Raises `OSError`, also for a file system without locks.
    """
    if not OPEN_FOLDERS_MOVE:
        from filelock import lock_descriptor

        return lock_descriptor(descriptor, blocking=False)
    return _flocked(descriptor, fcntl.LOCK_EX)


def try_share(descriptor: int) -> bool:
    """Takes a shared lock of an open file; False where another process has the exclusive one.

    Raises `OSError`, also for a file system without locks.
    """
    return not OPEN_FOLDERS_MOVE or _flocked(descriptor, fcntl.LOCK_SH)


def lock_within(descriptor: int, seconds: float) -> bool:
    """Takes the exclusive lock as soon as it is free; False where it was not in that time.

    Raises `OSError`.
    """
    deadline = time.monotonic() + seconds
    while not try_lock(descriptor):
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_S)
    return True


def open_locked(path: str | os.PathLike[str], wait_s: float = 0.0) -> int | None:
    """A descriptor of the lock file at `path`, made where it is missing, with its exclusive lock; None
    where another process holds it for longer than `wait_s` seconds.

    Closing the descriptor gives up the lock. Raises `OSError`.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        # A lock file that was removed meanwhile protects nothing: others open another one.
        if lock_within(descriptor, wait_s) and is_at(descriptor, path):
            return descriptor
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def is_locked(path: str | os.PathLike[str]) -> bool:
    """Whether a process holds the exclusive lock of the file at `path`; False where there is no file."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        # Shared where that exists: processes that ask must not take each other for the holder.
        return not (try_share(descriptor) if OPEN_FOLDERS_MOVE else try_lock(descriptor))
    except OSError:
        return True
    finally:
        os.close(descriptor)


def _flocked(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_at(descriptor: int, path: str | os.PathLike[str]) -> bool:
    """Whether the open file is the one that `path` names now."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except OSError:
        return False
