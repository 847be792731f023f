"""Reports which files changed since the last call, from kernel events or by polling."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from kb_runtime.errors import SingleCodeError, exit_codes

# A save is several events (write, rename, time stamps), and saving all files of an editor many of them.
# They count as one change once it is quiet for this long; after the longest time they count anyway.
QUIET_MS = 50
LONGEST_MS = 1_000
POLL_S = 1.0
"""How often polling looks at every file. One look at 5,000 files takes 30 ms of CPU."""

VERSION_CONTROL = frozenset({".git", ".hg", ".jj", ".svn", ".bzr"})

Signature = tuple[int, int, int, int]
"""Time of content, time of status, size, inode. The kernel sets the time of status at every write and
nobody else can, so that an edit which keeps size and time of content is seen, too."""

Identity = tuple[int, int] | None
"""Device and inode; None where nothing is."""


class Changes(Protocol):
    """Notices changes from when it was made on."""

    def wait(self, timeout_s: float) -> set[str]:
        """Paths that changed since the last call; empty after `timeout_s` without a change."""
        ...

    def close(self) -> None: ...


class CannotWatchError(SingleCodeError):
    """The kernel does not report changes of these folders, or no longer."""

    code = "cannot-watch"
    exit_code = exit_codes.INPUT


class NotifiedChanges:
    """Changes that the kernel tells. Raises `FileNotFoundError` for a path that is not there, and
    `CannotWatchError`."""

    def __init__(self, paths: Sequence[Path], longest_ms: int = LONGEST_MS) -> None:
        """Changes are told `longest_ms` after the first of them, also when it is not quiet."""
        self._longest_ms = longest_ms
        try:
            self._notify = RustNotify(
                [str(path) for path in paths],
                False,  # debug
                False,  # force_polling
                0,  # poll_delay_ms
                True,  # recursive
                False,  # ignore_permission_denied: with True the limit of watches is not told either
            )
        except FileNotFoundError:
            raise
        except (OSError, WatchfilesRustInternalError) as error:
            raise _cannot_watch(error) from error

    def wait(self, timeout_s: float) -> set[str]:
        timeout_ms = max(1, int(timeout_s * 1000))
        try:
            found = self._notify.watch(self._longest_ms, QUIET_MS, timeout_ms, None)
        except WatchfilesRustInternalError as error:
            raise _cannot_watch(error) from error
        if found == "signal":
            raise KeyboardInterrupt
        return set() if isinstance(found, str) else {path for _, path in found}

    def close(self) -> None:
        self._notify.close()


class PolledChanges:
    """Changes that are found by comparing `Signature`s, for folders that the kernel does not watch."""

    def __init__(self, paths: Sequence[Path], interval_s: float = POLL_S) -> None:
        self._paths = tuple(paths)
        self._interval_s = interval_s
        self._looked_at = 0.0
        self._seen = self._look()

    def wait(self, timeout_s: float) -> set[str]:
        deadline = time.monotonic() + timeout_s
        while True:
            now = time.monotonic()
            next_look = self._looked_at + self._interval_s
            time.sleep(max(0.0, min(next_look, deadline) - now))
            if next_look > deadline:
                return set()
            before, self._seen = self._seen, self._look()
            changed = {
                path
                for path in before.keys() | self._seen.keys()
                if before.get(path) != self._seen.get(path)
            }
            if changed:
                return changed

    def close(self) -> None:
        self._seen = {}

    def _look(self) -> dict[str, Signature]:
        self._looked_at = time.monotonic()
        return dict(found for path in self._paths for found in signatures(path))


def identity_of(path: Path) -> Identity:
    """Which file or folder is at a path now."""
    try:
        info = path.stat()
    except OSError:
        return None
    return info.st_dev, info.st_ino


def signatures(path: Path) -> Iterator[tuple[str, Signature]]:
    """Everything at and below `path`, links followed, without what version control keeps."""
    try:
        info = path.stat()
    except OSError:
        return
    yield str(path), _signature(info)
    waiting = [str(path)] if stat.S_ISDIR(info.st_mode) else []
    entered = {(info.st_dev, info.st_ino)}
    while waiting:
        try:
            entries = list(os.scandir(waiting.pop()))
        except OSError:  # gone meanwhile, or not readable
            continue
        for entry in entries:
            if entry.name in VERSION_CONTROL:
                continue
            try:
                info = entry.stat()
            except OSError:  # gone meanwhile, or a link that leads nowhere
                continue
            yield entry.path, _signature(info)
            folder = (info.st_dev, info.st_ino)
            if stat.S_ISDIR(info.st_mode) and folder not in entered:
                entered.add(folder)
                waiting.append(entry.path)


def _signature(info: os.stat_result) -> Signature:
    return info.st_mtime_ns, info.st_ctime_ns, info.st_size, info.st_ino


def _cannot_watch(error: Exception) -> CannotWatchError:
    """In words of this program, as far as the library's text can be told apart."""
    text = str(error)
    if "limit" in text or "Too many open files" in text:
        return CannotWatchError("the limit of watched folders is reached (fs.inotify)")
    if isinstance(error, PermissionError) or "ermission denied" in text:
        return CannotWatchError("a folder may not be read")
    return CannotWatchError(text)
