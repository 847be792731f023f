"""Follows a source tree: what is edited can be found within a second, what it means soon after.

Two artifacts show a tree together. The *index* holds all files as they were at one time; the *edits*,
which hide files of the same path in the index, hold those that differ by now. A draft of either takes
a fraction of a second to seconds and is published at once; a process of low priority then parses and
embeds the same. When many files have been edited, or none for a while, the index is built anew.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from kb_runtime.live.workspace import remove_unfinished
from kb_runtime.store.locks import open_locked
from kbc.following.builder import Builder, Cause, Failure
from kbc.following.changes import Changes
from kbc.following.code_tree import TreeError
from kbc.following.file_changes import identity_of
from kbc.following.indexing import Indexing, Published
from kbc.following.snapshot import Snapshot
from kbc.following.status import StatusFile
from kbc.linking import retention
from kbc.linking.linker import PublishError

REBUILT_FROM_FILES = 64
"""Edited files from which on the index is built anew instead of their edits."""
REBUILT_AFTER_S = 300.0
"""... and seconds without an edit after which the index takes the edits in."""
RETRIED_AFTER_S = 300.0
"""After a build that failed: what failed it (no space, no model) takes a person to mend."""
RETRIED_SOON_S = (2.0, 10.0, 60.0)
"""... but first so soon where nobody has to mend it: the files were changing, or the process was
killed. One after the other, until a build succeeds."""

# How long the follower waits for a change before it looks after something else.
_IDLE_S = 30.0
_BUILDING_S = 0.1
_FAILED_S = 2.0
_LOCKED_S = 1.0


class Follower:
    """Follows one tree for one workspace. Of several processes one does, the others wait for its lock."""

    def __init__(self, indexing: Indexing, command: list[str], ignored: Path) -> None:
        """`command` starts the process that builds with vectors; `ignored` is the workspace."""
        self._indexing = indexing
        self._command = command
        self._ignored = ignored
        self._snapshot = Snapshot(indexing.tree, indexing.exclude)
        self._index: Published | None = None
        self._edits: Published | None = None
        self._builder: Builder | None = None
        self._failure: Failure | None = None  # of the last build
        self._failures = 0  # since the last success, one after the other
        self._retry_at = 0.0
        self._is_overtaken = False  # files have changed since the process was started
        self._edited_at = 0.0
        self._status = StatusFile(indexing.folder.status_path)
        self._obstacle = ""  # what the last step met itself

    def run(self) -> None:
        """Follows until the process ends. Raises `OSError` when the workspace cannot be written."""
        with self._lock():
            try:
                self._follow()
            finally:
                if self._builder is not None:
                    self._builder.stop()

    def _follow(self) -> None:
        self._say("starting", "")  # what the one before said does not hold
        self._remove_debris()
        self._look_at_published()
        changes = Changes(self._indexing.tree, self._ignored)
        identity = identity_of(self._indexing.tree)
        changed = True
        while True:
            done = self._step(changed, changes.problem)
            pause = _FAILED_S if not done else _IDLE_S if self._builder is None else _BUILDING_S
            changed = changes.wait(pause) or not done
            if identity != (identity := identity_of(self._indexing.tree)):
                changes.renew()
                self._note_change()
                changed = True

    def _step(self, changed: bool, notice: str) -> bool:
        """Looks at the tree if it may have changed, publishes what takes no time, starts what does.
        Whether all that was possible."""
        problem = ""
        try:
            if self._index is None:
                # First, because a scan reads every file, too: what changes meanwhile differs then.
                if not self._obstacle:  # else it would be told for moments only
                    self._say("drafting", notice)
                self._indexing.build(None, draft=True)
                self._look_at_published()
            if changed and self._snapshot.scan():
                self._edited_at = time.monotonic()
                self._note_change()
            self._reap()
            self._publish_edits()
            self._start_builder()
        except OSError as error:
            problem = f"{error.filename or self._indexing.tree}: {error.strerror}."
        except TreeError as error:
            problem = str(error)
        except PublishError as error:
            problem = f"{error.message} {error.hint}".strip()
        state = "ready" if self._builder is None else "indexing"
        self._obstacle = problem
        self._say("failed" if problem or self._failure else state, notice)
        return not problem

    def _differing(self) -> dict[str, str]:
        """The files that the index has otherwise or not at all."""
        known = self._index.files if self._index is not None else {}
        files = self._snapshot.files
        return {name: digest for name, digest in files.items() if known.get(name) != digest}

    def _publish_edits(self) -> None:
        """A draft of the files that differ from the index, unless such edits are live already.

        Live edits that no longer differ from the index may stay: they hide what is the same. Those of
        a file that was edited again must not.
        """
        live: Mapping[str, str] = self._edits.files if self._edits is not None else {}
        files = self._snapshot.files
        differing = self._differing()
        outdated = [name for name, digest in live.items() if files.get(name, digest) != digest]
        if differing.items() <= live.items() and not outdated:
            return
        if self._builder is not None and self._builder.of_edits:
            self._builder.stop()
            self._builder = None
        self._indexing.build(list(differing) or outdated, draft=True)
        self._look_at_published()

    def _start_builder(self) -> None:
        """Starts the process that parses and embeds, where there is something for it to do."""
        index, edits = self._index, self._edits
        if self._builder is not None or index is None or time.monotonic() < self._retry_at:
            return
        gone = index.files.keys() - self._snapshot.files.keys()
        different = len(self._differing()) + len(gone)
        is_quiet = time.monotonic() >= self._edited_at + REBUILT_AFTER_S
        if (
            not index.has_vectors
            or not index.is_ours
            or different >= REBUILT_FROM_FILES
            or (different and is_quiet)
        ):
            self._start(self._command, of_edits=False)
        elif edits is not None and not edits.has_vectors:
            # Also where they are what the index has by now, because they hide that.
            names = sorted(edits.files.keys() & self._snapshot.files.keys())
            if names:
                self._indexing.note_edited(names)
                self._start([*self._command, "--edits"], of_edits=True)

    def _start(self, command: list[str], *, of_edits: bool) -> None:
        self._builder = Builder(command, of_edits=of_edits)
        self._is_overtaken = False

    def _reap(self) -> None:
        """Takes note of what the process has published, once it has ended or its time is up."""
        if self._builder is None:
            return
        if self._builder.has_ended:
            failure = self._builder.finish()
        elif self._builder.is_overdue:
            failure = self._builder.cut_short()
        else:
            return
        self._builder = None
        self._look_at_published()
        if failure is None or (failure.cause is Cause.FILES and self._is_overtaken):
            self._forgive()
            return
        soon = failure.cause in (Cause.FILES, Cause.SIGNAL)
        pauses = RETRIED_SOON_S[self._failures :] if soon else ()
        self._failure = failure
        self._failures += 1
        self._retry_at = time.monotonic() + next(iter(pauses), RETRIED_AFTER_S)

    def _note_change(self) -> None:
        """What the files failed may succeed with those that are there now."""
        self._is_overtaken = True
        if self._failure is not None and self._failure.cause is Cause.FILES:
            self._forgive()

    def _forgive(self) -> None:
        self._failure = None
        self._failures = 0
        self._retry_at = 0.0

    def _look_at_published(self) -> None:
        self._index = self._indexing.published(self._indexing.folder.kb_folders[0])
        self._edits = self._indexing.published(self._indexing.folder.kb_folders[1])

    def _remove_debris(self) -> None:
        """Of processes that were killed: nobody else builds here while this one has the lock."""
        remove_unfinished(self._indexing.folder.status_path)
        for kb_folder in map(Path, self._indexing.folder.kb_folders):
            if kb_folder.is_dir():
                retention.remove_debris(kb_folder)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Waits until no other process follows the tree for this workspace."""
        folder = Path(self._indexing.folder.folder)
        lock = None
        while lock is None:
            folder.mkdir(parents=True, exist_ok=True)  # again, when it was pruned meanwhile
            lock = open_locked(self._indexing.folder.lock_path, wait_s=_LOCKED_S)
        try:
            yield
        finally:
            os.close(lock)

    def _say(self, state: str, notice: str) -> None:
        index = self._index
        failed = "" if self._failure is None else self._failure.problem
        self._status.say(
            {
                "tree": self._indexing.tree.as_posix(),
                "state": state,
                "files": len(self._snapshot.files),
                "edited": 0 if index is None else len(self._differing()),
                "vectors": index is not None and index.has_vectors,
                "problem": self._obstacle or failed,
                "notice": notice,
                "pid": os.getpid(),
            }
        )

