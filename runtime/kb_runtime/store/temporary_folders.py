"""Temporary folders that outlive no process: the maker of one locks it, and another process removes those
whose lock is free. Windows locks no folders and keeps what killed processes left."""

from __future__ import annotations

import atexit
import errno
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from kb_runtime.store.locks import OPEN_FOLDERS_MOVE, is_at, try_lock

LOCKED_WITHIN_S = 60.0
"""A folder's maker locks it at once, which takes seconds where the disk or the machine is very busy."""
_REMOVALS = 10
_NEEDED_S = 10.0
"""The end of the process waits that long for a thread that needs its folder for some milliseconds."""
_ATTEMPTS = 10
_DONE = ".done"
_made: dict[str, int] = {}  # folder: the thread that needs it, or 0
_locks: dict[str, int] = {}
_making = threading.RLock()


@contextmanager
def temporary_folder(prefix: str) -> Iterator[str]:
    """A folder among the system's temporary ones, which is there while the body runs. Those of this prefix
    that killed processes left go."""
    import tempfile

    with suppress(OSError):
        remove_abandoned(tempfile.gettempdir(), prefix)
    with tempfile.TemporaryDirectory(prefix=prefix) as folder, locked_folder(folder):
        yield folder


@contextmanager
def locked_folder(folder: str) -> Iterator[None]:
    """Says while the body runs that somebody needs the folder, as far as there are locks."""
    lock = lock_folder(folder)
    try:
        yield
    finally:
        if lock is not None:
            os.close(lock)


def lock_folder(folder: str) -> int | None:
    """A descriptor that holds the lock of a folder; None when another process does, or for want of
    locks."""
    try:
        return _lock(folder)
    except OSError:  # gone, or another user's
        return None


def _lock(folder: str) -> int | None:
    """As `lock_folder`; None for want of locks only. Raises `OSError`."""
    if not OPEN_FOLDERS_MOVE:
        return None
    lock = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        has_lock = try_lock(lock)
    except OSError:
        os.close(lock)
        return None
    if has_lock and is_at(lock, folder):
        return lock
    os.close(lock)
    raise FileNotFoundError(errno.ENOENT, "another process has it or has removed it", folder)


def remove_abandoned(parent: str, prefix: str) -> None:
    """Removes the folders below `parent` whose names start with `prefix` and whose lock nobody holds.
    Raises `OSError` where `parent` cannot be listed."""
    import time

    for name in os.listdir(parent):
        if not name.startswith(prefix):
            continue
        path = os.path.join(parent, name)
        try:
            # A time in the future is of a clock that has gone back since.
            if abs(time.time() - os.stat(path).st_ctime) < LOCKED_WITHIN_S:
                continue
        except OSError:
            continue
        lock = lock_folder(path)
        if lock is not None:
            import shutil

            shutil.rmtree(path, ignore_errors=True)
            os.close(lock)


def make_folder(prefix: str, parent: str | None = None) -> str:
    """A new folder below `parent`, by default among the system's temporary ones, which is locked and which
    this thread needs until `remove_made`; the end of the process removes it otherwise. Raises `OSError`."""
    if parent is None:
        with suppress(OSError):  # its disk may be full: `tempfile` knows further places
            return make_folder(prefix, _system_folder())
        import tempfile

        parent = tempfile.gettempdir()
    with _making:
        if not _made:
            atexit.register(remove_remaining)
        for _ in range(_ATTEMPTS - 1):
            # Held up for so long that another process took the folder for abandoned.
            with suppress(FileNotFoundError):
                return _make(parent, prefix)
        return _make(parent, prefix)


def _system_folder() -> str:
    """Where the system has temporary files. `tempfile`, which finds that everywhere, costs a server 3 ms
    before its first answer and half a megabyte."""
    stated = filter(None, map(os.environ.get, ("TMPDIR", "TEMP", "TMP")))
    folder = os.path.abspath(next(stated, "/tmp"))
    is_usable = os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)
    if os.name == "posix" and is_usable and "tempfile" not in sys.modules:
        return folder
    import tempfile

    return tempfile.gettempdir()


def _make(parent: str, prefix: str) -> str:
    folder = os.path.join(parent, prefix + os.urandom(8).hex())
    # Known before it is there: a signal may end the process between any two lines.
    _made[folder] = threading.get_ident()
    try:
        os.mkdir(folder, 0o700)
        lock = _lock(folder)
    except OSError:
        del _made[folder]
        raise
    if lock is not None:
        _locks[folder] = lock
    return folder


def remove_made(folder: str) -> None:
    """Removes a folder of `make_folder`; under another name, so that a thread of an engine cannot make a
    file where files are being removed. Windows, which has its files open, does so when the process ends."""
    with suppress(FileNotFoundError):
        try:
            os.rename(folder, folder + _DONE)
        except PermissionError:
            _made[folder] = 0
            return
        _remove(folder + _DONE)
    _made.pop(folder, None)
    if folder in _locks:
        os.close(_locks.pop(folder))


def remove_remaining() -> None:
    """Removes the folders of `make_folder`, those that other threads need when these have done so or had
    time to."""
    import time

    end = time.monotonic() + _NEEDED_S
    for folder, thread in list(_made.items()):
        if thread != threading.get_ident():
            while _made.get(folder) and time.monotonic() < end:
                time.sleep(0.01)
        if folder in _made:
            _remove(folder)
            _remove(folder + _DONE)  # whose removal was interrupted
            _made.pop(folder, None)


def end_process(code: int) -> NoReturn:
    """`os._exit`, after which no folder of `make_folder` is left, whatever the threads of the process do,
    or the main one did when the signal came whose handler calls this."""
    with _making:
        remove_remaining()
        os._exit(code)


def _remove(folder: str) -> None:
    """A thread that writes into the folder, which has files only, is waited for, up to half a second."""
    import time

    for _ in range(_REMOVALS):
        with suppress(OSError):
            for name in os.listdir(folder):
                with suppress(OSError):
                    os.unlink(os.path.join(folder, name))
            os.rmdir(folder)
        if not os.path.lexists(folder):
            break
        time.sleep(0.05)


def _forget_those_of_the_parent() -> None:
    _made.clear()
    _locks.clear()
    _making.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_making.acquire,
        after_in_parent=_making.release,
        after_in_child=_forget_those_of_the_parent,
    )
