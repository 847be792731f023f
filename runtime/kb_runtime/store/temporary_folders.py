"""Temporary folders that outlive no process: the maker of one locks it, and another process removes those
whose lock is free. Windows locks no folders and keeps what killed processes left."""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from kb_runtime.store.locks import OPEN_FOLDERS_MOVE, try_lock

LOCKED_WITHIN_S = 1.0
"""A folder's maker locks it at once; this is long enough for that."""
_REMOVALS = 10
_at_exit: list[str] = []


@contextmanager
def temporary_folder(prefix: str) -> Iterator[str]:
    """A folder among the system's temporary ones, which is there while the body runs. Those of this prefix
    that killed processes left go."""
    import tempfile

    with suppress(OSError):
        remove_abandoned(tempfile.gettempdir(), prefix)
    with tempfile.TemporaryDirectory(prefix=prefix) as folder:
        lock = lock_folder(folder)  # says that somebody needs the folder
        try:
            yield folder
        finally:
            if lock is not None:
                os.close(lock)


def lock_folder(folder: str) -> int | None:
    """A descriptor that holds the lock of a folder; None when another process does, or for want of
    locks."""
    if not OPEN_FOLDERS_MOVE:
        return None
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:  # gone, or another user's
        return None
    try:
        if try_lock(lock):
            return lock
    except OSError:
        pass
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
        lock = lock_folder(path)
        if lock is not None:
            shutil.rmtree(path, ignore_errors=True)
            os.close(lock)


def remove_at_exit(folder: str) -> None:
    """Removes a folder when the process ends, for one whose files Windows has open until then."""
    if not _at_exit:
        atexit.register(remove_remaining)
    _at_exit.append(folder)


def remove_remaining() -> None:
    """Removes the folders of `remove_at_exit`; to be called before an `os._exit`, which calls nothing.
    A thread that writes into a folder meanwhile is waited for, up to half a second each."""
    import shutil
    import time

    while _at_exit:
        folder = _at_exit.pop()
        for _ in range(_REMOVALS):
            shutil.rmtree(folder, ignore_errors=True)
            if not os.path.lexists(folder):
                break
            time.sleep(0.05)
