"""Keeps the index of a source tree up to date: edits are searchable by keyword within a second and by
embedding shortly after.

Two artifacts show a tree together. The *index* holds all files as they were at one time; the *overlay*
holds a draft of those that differ by now, and hides files of the same path in the index. A draft takes a
fraction of a second to seconds and is published at once. A process of low priority then builds the index
with vectors, from the cache for all files but the edited ones, and the overlay is withdrawn.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

from kb_runtime.live.compiler_process import CompilerError, CompilerProcess
from kb_runtime.store.atomic_files import remove_abandoned, replace_file
from kb_runtime.store.locks import open_locked
from kb_runtime.store.manifest import CURRENT, LISTING
from kbc.following.file_changes import FileWatcher
from kbc.following.source_files import SourceFiles, TreeError
from kbc.following.source_index import SourceIndex
from kbc.linking import retention
from kbc.linking.errors import PublishError

BUILD_LIMIT_S = 4 * 3600.0
"""The longest that a build may take. 10,469 chunks took 201.5 s of CPU (`benchmarks.watch`), so that
100,000 take about half an hour of one core. This leaves room for chunks four times as long on a core
half as fast, and what is embedded by then is in the cache for the next build."""
RETRY_S = (2.0, 300.0)
"""After a build that failed. The first pause is doubled with each failure, up to the second number."""
QUIET_S = 0.5
"""How long no file may have changed before the index is built again: also at least a quarter of what
that took the last time, so that a large index is not built for every edit."""
LONGEST_MS = 400
"""Changes that follow each other are one up to this time after the first of them."""
POLL_S = 2.0
"""How often files are compared where the kernel cannot watch them."""
RESCAN_S = 60.0
"""... and without any notice: a notification may be lost, and some file systems send none."""
LISTING_PAUSE_S = 1.0
"""Between looks at the files while their first draft is made: also at least four times what the last look
took, because the draft waits meanwhile."""

DRAFT = "--draft"
"""The option of the compiler that has it parse and publish without embedding."""

_TICK_S = 0.1  # while a process builds
_IDLE_TICK_S = 1.0
_FAILED_S = 2.0
_LOCKED_S = 1.0


class Follower:
    """Follows one tree for one workspace. Of several processes one does, the others wait for its lock."""

    def __init__(
        self,
        index: SourceIndex,
        command: Sequence[str],
        ignored: Path,
        *,
        report: bool = False,
        limit_s: float = BUILD_LIMIT_S,
        files: SourceFiles | None = None,
    ) -> None:
        """`command` are the arguments of the compiler that builds the index with vectors, which may take
        `limit_s` seconds; changes below `ignored` do not count. With `report` each status is a line of
        JSON on stderr, too. `files` are those of the tree where they were scanned already."""
        self._index = index
        self._command = list(command)
        self._limit_s = limit_s
        self._ignored = ignored
        self._files = files or SourceFiles(index.tree, index.exclude)
        self._published = index.published()
        self._overlay = index.published_edits()
        self._build: CompilerProcess | None = None
        self._build_began = 0.0
        self._failures = 0  # of builds, since the last success
        self._failure = ""  # of the last build
        self._obstacle = ""  # of the last look at the tree
        self._retry_at = 0.0
        self._edited_at = 0.0
        self._quiet_s = QUIET_S
        self._status: Mapping[str, Any] = {}
        self._report = report
        self._stopping = False

    def run(self) -> None:
        """Follows until `stop` is called. Raises `OSError` when the workspace cannot be written."""
        with self._lock():
            self._remove_unfinished()
            self._set_status("starting", "")
            # Before the kernel is told of thousands of folders: the first scan finds what changes meanwhile.
            self._obstacle = self._obstacle_to(partial(self._draft, ""))
            watcher = FileWatcher(
                [self._index.tree],
                lambda path: path.is_relative_to(self._ignored),
                compares=False,
                longest_ms=LONGEST_MS,
            )
            try:
                self._follow(watcher)
            finally:
                watcher.close()
                if self._build is not None:
                    self._build.stop()

    def stop(self) -> None:
        """Makes `run` return soon; may be called by another thread."""
        self._stopping = True

    def _follow(self, watcher: FileWatcher) -> None:
        rescan, scanned_at = True, 0.0
        while not self._stopping:
            notice = watcher.problem and (
                f"files are compared every {POLL_S:g} s, because the kernel cannot watch them:"
                f" {watcher.problem}"
            )
            if rescan:
                scanned_at = time.monotonic()
            self._obstacle = self._obstacle_to(partial(self._update, notice, rescan=rescan))
            failed = bool(self._obstacle or self._failure)
            working = self._build is not None or self._needs_build()
            self._set_status("failed" if failed else "indexing" if working else "ready", notice)
            tick = _TICK_S if working else _IDLE_TICK_S
            changed = watcher.wait(_FAILED_S if self._obstacle else tick)
            if self._is_rescan_wanted():
                self._files.forget()
                changed = changed or {self._index.folder.rescan_path}
            overdue = time.monotonic() >= scanned_at + (POLL_S if notice else RESCAN_S)
            rescan = bool(changed or self._obstacle or overdue)

    def _is_rescan_wanted(self) -> bool:
        """Whether a server has asked for one since this last looked."""
        try:
            Path(self._index.folder.rescan_path).unlink()
        except OSError:
            return False
        return True

    def _obstacle_to(self, step: Callable[[], None]) -> str:
        """Does something; a sentence about what prevented it for a while, else ""."""
        try:
            step()
        except OSError as error:
            return f"{error.filename or self._index.tree}: {error.strerror}."
        except PublishError as error:
            return f"{error.message} {error.hint}".strip()
        except TreeError as error:
            return str(error)
        return ""

    def _update(self, notice: str, *, rescan: bool) -> None:
        """Publishes what takes little time and starts what takes more."""
        self._finish_build()
        self._draft(notice)
        if rescan and self._files.scan():
            self._edited_at = time.monotonic()
        self._update_overlay()
        self._start_build()

    def _draft(self, notice: str) -> None:
        """Publishes a draft where there is nothing."""
        if self._published is not None:
            return
        # Before the scan: what changes meanwhile differs from the draft then.
        if not self._obstacle:  # else it would be shown for moments only
            self._set_status("drafting", notice)
        with _kept_listed(self._files, Path(self._index.folder.kb_folders[0]), self._index.prefix):
            self._index.build(draft=True)
        self._published = self._index.published()

    def _differing(self) -> dict[str, str]:
        """The files that the index has otherwise or not at all."""
        known = self._published.files if self._published is not None else {}
        files = self._files.digests
        return {name: digest for name, digest in files.items() if known.get(name) != digest}

    def _update_overlay(self) -> None:
        """Publishes a draft of the files that differ from the index, unless it is live already."""
        live = self._overlay.files if self._overlay is not None else {}
        wanted = self._differing()
        if wanted == live:
            return
        if wanted:
            self._index.publish_edits(wanted)
        else:
            self._index.withdraw_edits()
        self._overlay = self._index.published_edits()

    def _needs_build(self) -> bool:
        index = self._published
        return (
            index is None
            or not index.has_vectors
            or not index.is_current
            or index.files != self._files.digests
        )

    def _start_build(self) -> None:
        """Starts the process that parses and embeds, when there is something for it to do."""
        if self._build is not None or not self._needs_build():
            return
        is_first = self._published is None or not self._published.has_vectors
        quiet_at = 0.0 if is_first else self._edited_at + self._quiet_s
        self._build_began = time.monotonic()
        if self._build_began < max(self._retry_at, quiet_at):
            return
        # The first time, symbols do not wait until everything is embedded.
        stage = [DRAFT] if self._published is None or not self._published.has_symbols else []
        try:
            self._build = CompilerProcess([*self._command, *stage])
        except CompilerError as error:
            self._note_failure(error)

    def _finish_build(self) -> None:
        """Looks at what the process has published, once it has ended or its time is up."""
        build, took_s = self._build, time.monotonic() - self._build_began
        if build is None or not (build.has_ended or took_s >= self._limit_s):
            return
        self._build = None
        try:
            if not build.has_ended:
                raise CompilerError(
                    f"Embedding was stopped after {self._limit_s / 3600:g} hours.",
                    "Finished embeddings are kept, and the next attempt continues from there.",
                )
            build.report()
        except CompilerError as error:
            self._note_failure(error)
        else:
            if self._published is not None and self._published.has_vectors:
                self._quiet_s = max(QUIET_S, took_s / 4)
            self._failure, self._failures, self._retry_at = "", 0, 0.0
        finally:
            build.stop()
        self._published = self._index.published()

    def _note_failure(self, error: CompilerError) -> None:
        first, longest = RETRY_S
        self._failure = f"{error.message} {error.hint}".strip()
        self._retry_at = time.monotonic() + min(longest, first * 2**self._failures)
        self._failures += 1

    def _remove_unfinished(self) -> None:
        """What killed processes left: nobody else builds here while this one has the lock."""
        remove_abandoned(self._index.folder.status_path)
        for kb_folder in map(Path, self._index.folder.kb_folders):
            if kb_folder.is_dir():
                retention.remove_debris(kb_folder)
        if self._overlay is None:
            self._index.withdraw_edits()  # again, where that failed half way

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Waits until no other process follows the tree for this workspace."""
        folder = Path(self._index.folder.folder)
        lock = None
        while lock is None and not self._stopping:
            folder.mkdir(parents=True, exist_ok=True)  # again, when it was pruned meanwhile
            lock = open_locked(self._index.folder.lock_path, wait_s=_LOCKED_S)
        if lock is not None:
            # What the last process said no longer holds, and servers believe whoever has the lock.
            with suppress(OSError):
                Path(self._index.folder.status_path).unlink()
        try:
            yield
        finally:
            if lock is not None:
                os.close(lock)

    def _set_status(self, state: str, notice: str) -> None:
        """Writes the status where it has changed, for this process's server and for others."""
        status = {
            "tree": self._index.tree.as_posix(),
            "state": state,
            "files": len(self._files.digests),
            "edited": len(self._differing()) if self._published is not None else 0,
            "vectors": self._published is not None and self._published.has_vectors,
            "problem": self._obstacle or self._failure,
            "notice": notice,
            "pid": os.getpid(),
        }
        if status == self._status:
            return
        self._status = status
        if self._report:
            print(json.dumps(status), file=sys.stderr, flush=True)
        path = self._index.folder.status_path
        try:
            replace_file(path, json.dumps(status).encode())
        except OSError:  # no space: an old status would be wrong, and none means "starting"
            with suppress(OSError):
                Path(path).unlink()


@contextmanager
def _kept_listed(files: SourceFiles, kb_folder: Path, prefix: str) -> Iterator[None]:
    """Rewrites the list of the files in `kb_folder` within the block, in which their first draft is made,
    whenever one has changed; `files` are used by nobody else meanwhile. A server that answers from the files
    leaves out those that are not as the list says: an edited file would be missing until the draft."""
    ending = Event()

    def follow() -> None:
        pause_s = LISTING_PAUSE_S
        while not ending.wait(pause_s):
            began = time.monotonic()
            with suppress(OSError):  # the next look at the tree reports what is wrong
                if files.scan():
                    files.list_for(kb_folder, prefix)
            pause_s = max(LISTING_PAUSE_S, 4 * (time.monotonic() - began))

    looking = Thread(target=follow, daemon=True)
    looking.start()
    try:
        yield
    finally:
        ending.set()
        looking.join()
        if (kb_folder / CURRENT).exists():  # it may have been written after the draft replaced it
            (kb_folder / LISTING).unlink(missing_ok=True)
