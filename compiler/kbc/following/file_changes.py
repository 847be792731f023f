"""Notices which files change: from the kernel's notifications, or by polling where it sends none."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from kb_runtime.errors import SingleCodeError, exit_codes
from kbc.project.signature import Signature, signature

# A save is several events (write, rename, time stamps), and saving all files of an editor many of them.
# They count as one change once it is quiet for this long; after the longest time they count anyway.
QUIET_MS = 50
LONGEST_MS = 1_000
POLL_S = 1.0
"""How often polling looks at every file. One look at 5,000 files takes 30 ms of CPU."""

VERSION_CONTROL = frozenset({".git", ".hg", ".jj", ".svn", ".bzr"})

Identity = tuple[int, int] | None
"""Device and inode; None where nothing is."""


class CannotWatchError(SingleCodeError):
    """The kernel does not report changes of these folders, or no longer."""

    code = "cannot-watch"
    exit_code = exit_codes.INPUT


class FileWatcher:
    """Notices changes at and below paths that may be missing, replaced, or more than the kernel watches.

    Paths for which `is_ignored` is true are not reported. Where the kernel cannot watch them, `problem`
    says why and files are polled; with `poll` from the start, and without `compares` the caller does it.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        is_ignored: Callable[[Path], bool],
        *,
        poll: bool = False,
        compares: bool = True,
        longest_ms: int = LONGEST_MS,
    ) -> None:
        self.problem = ""
        self._paths = tuple(paths)
        self._is_ignored = is_ignored
        self._poll = poll
        self._compares = compares
        self._longest_ms = longest_ms
        self._identities: Mapping[Path, Identity] = {}
        self._changes: NotifiedChanges | PolledChanges = PolledChanges(())
        self.watch(paths)

    def watch(self, paths: Sequence[Path]) -> None:
        """Watches these paths instead of those before. What changed meanwhile is not reported."""
        self._changes.close()
        self._paths = tuple(paths)
        self._identities = self._current_identities()
        existing = [path for path, found in self._identities.items() if found is not None]
        self._changes = self._begin(existing)

    def wait(self, timeout_s: float) -> set[str]:
        """Paths that changed since the last call, after at most `timeout_s` seconds.

        One of the watched paths is among them when it was replaced, went away or came back, which the
        kernel does not report, and when anything below it may have changed.
        """
        try:
            found = self._changes.wait(timeout_s)
        except CannotWatchError as error:
            self._give_up(error)
            return {str(path) for path in self._paths}
        changed = {path for path in found if not self._is_ignored(Path(path))}
        before, now = self._identities, self._current_identities()
        moved = {str(path) for path in now if before[path] != now[path]}
        # The library hides that the kernel has no watch left for a new folder; a new start does not.
        if moved or (not self._poll and any(map(os.path.isdir, changed))):
            self.watch(self._paths)
        changed |= moved
        self._identities = now
        return changed

    def close(self) -> None:
        self._changes.close()

    def _begin(self, existing: Sequence[Path]) -> NotifiedChanges | PolledChanges:
        if not self._poll and existing:
            try:
                return NotifiedChanges(existing, self._longest_ms)
            except FileNotFoundError:  # went away just now, which the next identities show
                return PolledChanges(existing)
            except CannotWatchError as error:
                self._poll = True
                self.problem = str(error)
        return PolledChanges(existing if self._poll and self._compares else ())

    def _give_up(self, error: CannotWatchError) -> None:
        self._poll = True
        self.problem = str(error)
        self.watch(self._paths)

    def _current_identities(self) -> dict[Path, Identity]:
        return {path: identity_of(path) for path in self._paths}


class NotifiedChanges:
    """Changes that the kernel reports, from when it was made on. Raises `FileNotFoundError` for a missing
    path, and `CannotWatchError`."""

    def __init__(self, paths: Sequence[Path], longest_ms: int = LONGEST_MS) -> None:
        """Changes are reported `longest_ms` after the first of them, also when it is not quiet."""
        self._longest_ms = longest_ms
        try:
            self._notify = RustNotify(
                [str(path) for path in paths],
                False,  # debug
                False,  # force_polling
                0,  # poll_delay_ms
                True,  # recursive
                False,  # ignore_permission_denied: with True the limit of watches is hidden, too
            )
        except FileNotFoundError:
            raise
        except (OSError, WatchfilesRustInternalError) as error:
            raise _cannot_watch(error) from error

    def wait(self, timeout_s: float) -> set[str]:
        """Paths that changed since the last call; empty after `timeout_s` without a change."""
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
    """Changes found by comparing `Signature`s of all files, for folders that the kernel cannot watch."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = tuple(paths)
        self._looked_at = 0.0
        self._seen = self._look()

    def wait(self, timeout_s: float) -> set[str]:
        """As `NotifiedChanges.wait`."""
        deadline = time.monotonic() + timeout_s
        while True:
            now = time.monotonic()
            next_look = self._looked_at + POLL_S
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
    yield str(path), signature(info)
    waiting = [str(path)] if stat.S_ISDIR(info.st_mode) else []
    entered = {(info.st_dev, info.st_ino)}
    while waiting:
        entries: list[os.DirEntry[str]] = []
        with suppress(OSError):  # gone meanwhile, or not readable
            entries = list(os.scandir(waiting.pop()))
        for entry in entries:
            if entry.name in VERSION_CONTROL:
                continue
            try:
                info = entry.stat()
            except OSError:  # gone meanwhile, or a link that leads nowhere
                continue
            yield entry.path, signature(info)
            folder = (info.st_dev, info.st_ino)
            if stat.S_ISDIR(info.st_mode) and folder not in entered:
                entered.add(folder)
                waiting.append(entry.path)


def _cannot_watch(error: Exception) -> CannotWatchError:
    """Replaces the library's texts by our own, as far as they are known."""
    text = str(error)
    if "limit" in text or "Too many open files" in text:
        return CannotWatchError("the limit of watched folders is reached (fs.inotify)")
    if isinstance(error, PermissionError) or "ermission denied" in text:
        return CannotWatchError("a folder cannot be read")
    return CannotWatchError(text)
