"""Builds knowledge bases again whenever their files change, in one process with a warm cache.

One build runs at a time. Changes are noticed from before the first build on, and while a build runs, so
a change that a build did not see leads to another build after it. An error is reported, the last good
version stays live, and the watcher waits for the next change.
"""

from __future__ import annotations

import gc
import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from kb_runtime.errors import SingleCodeError, exit_codes
from kb_runtime.store.manifest import CURRENT, is_build_id
from kbc.diagnostics import Diagnostics
from kbc.following.file_changes import VERSION_CONTROL, FileWatcher
from kbc.linking.retention import LOCK, TEMPORARY
from kbc.pipeline.build import BuildOptions, BuildReport, build, warm_up
from kbc.pipeline.memory import trim_memory, use_one_arena
from kbc.pipeline.options import StrPath
from kbc.pipeline.progress import Progress
from kbc.pipeline.resident import Engines, Resident
from kbc.project.loading import load_project
from kbc.project.signature import signature_at
from kbc.sources.globs import glob_base

TICK_S = 1.0
"""How often files outside that pages include are checked, and folders that went away or came back, which
the kernel does not report."""
_GLANCE_S = 0.01
"""How long a change is waited for before there is time to warm up."""


class SameNameError(SingleCodeError):
    """Two knowledge bases would publish to one folder."""

    code = "same-name"
    exit_code = exit_codes.USAGE


class BuildObserver(Protocol):
    """Receives what a watcher does."""

    def begins(self, root: Path) -> Progress:
        """A build begins; returns what its phases are reported to."""
        ...

    def built(self, root: Path, report: BuildReport) -> None:
        """A build succeeded; `report.reused` when the version was there already."""
        ...

    def failed(self, root: Path, error: Exception) -> None:
        """A build failed; what was live still is."""
        ...

    def noted(self, sentence: str) -> None:
        """A note for the author."""
        ...


@dataclass(slots=True)
class _WatchedProject:
    """A knowledge base: where it is, and what its builds left to the next ones. One that `is_cold` was
    up to date at the start, so that its first edit would have to load everything."""

    root: Path
    resident: Resident
    bases: tuple[Path, ...] = ()
    is_cold: bool = False

    def includes_changed(self) -> bool:
        """Whether a file outside of the root, which its pages include, is another one than the last build
        met. They are too few, in too large a tree, to have the kernel watch it."""
        return any(signature_at(path) != seen for path, seen in self.resident.beyond.items())


def watch(
    path: StrPath,
    *more: StrPath,
    options: BuildOptions | None = None,
    on_build: Callable[[BuildReport], object] | None = None,
    on_error: Callable[[Exception], object] | None = None,
    poll: bool = False,
) -> None:
    """Builds knowledge bases, and each again whenever one of its files changes.

    `on_build` gets the report of every build. `on_error` gets what a build raised, after which the next
    change is waited for; without it the error ends the watch. So does whatever a callback raises, and
    `KeyboardInterrupt`, after which this returns. What was published stays live in every case. `poll`
    is for file systems that report no changes, such as network folders.
    """
    listener = _Callbacks(on_build, on_error)
    roots = [Path(each) for each in (path, *more)]
    with suppress(KeyboardInterrupt):
        Watcher(roots, options or BuildOptions(), listener, poll=poll).run()


@dataclass(frozen=True, slots=True)
class _Callbacks:
    """The listener of `watch`."""

    on_build: Callable[[BuildReport], object] | None
    on_error: Callable[[Exception], object] | None

    def begins(self, root: Path) -> Progress:
        return Progress()

    def built(self, root: Path, report: BuildReport) -> None:
        if self.on_build is not None:
            self.on_build(report)

    def failed(self, root: Path, error: Exception) -> None:
        if self.on_error is None:
            raise error
        self.on_error(error)

    def noted(self, sentence: str) -> None:
        warnings.warn(sentence, stacklevel=2)


class Watcher:
    """Watches the knowledge bases at `roots` and builds them with `options`.

    With `poll` files are looked at again and again instead of waiting for the kernel, as it is done
    anyway where the kernel cannot watch (its limit, or a file system without notifications).
    """

    def __init__(
        self,
        roots: Sequence[Path],
        options: BuildOptions,
        observer: BuildObserver,
        *,
        poll: bool = False,
    ) -> None:
        engines = Engines()
        distinct = dict.fromkeys(root.absolute() for root in roots)
        self._watched = [_WatchedProject(root, Resident(engines)) for root in distinct]
        # A relative folder would move with the working directory of a command that --exec runs.
        self._options = replace(options, out=options.out_folder.absolute())
        # The kernel names a file by the path that is watched, or by the real one.
        self._out = Path(os.path.realpath(options.out_folder))
        cache = options.cache_folder
        self._cache = None if cache is None else Path(os.path.realpath(cache))
        self._observer = observer
        self._poll = poll
        self._is_noted = False
        self._stopping = False

    def stop(self) -> None:
        """Makes `run` end before it builds or waits again; may be called by a signal's handler.

        An exception that such a handler raises is not enough by itself: Python drops it where it strikes
        while an object is finalised.
        """
        self._stopping = True

    def run(self) -> None:
        """Builds all, then whatever changes; returns with `KeyboardInterrupt` only.

        Raises `SameNameError` when two of the knowledge bases have one name.
        """
        self._require_names()
        use_one_arena()
        self._files = FileWatcher((), self._is_own, poll=self._poll)
        try:
            self._watch_current_bases()
            self._note_polling()
            due = list(self._watched)
            while True:
                for one in due:
                    self._build(one)
                due = self._wait()
        finally:
            self._files.close()

    def _require_names(self) -> None:
        if len(self._watched) < 2:
            return
        from kbc.pipeline.reading import project_at  # all front ends, as a build does

        owners: dict[str, Path] = {}
        for one in self._watched:
            project = None
            with suppress(Exception):  # its build will say what is wrong
                project = project_at(one.root, self._options.cache_folder, Diagnostics())
            if project is None:
                continue
            first = owners.setdefault(project.name, one.root)
            if first != one.root:
                raise SameNameError(
                    f"{first} and {one.root} are both called {project.name!r}: each would replace the"
                    " other's versions",
                    "Give one of them another `name` in a kb.toml, or watch it with another --out.",
                )

    def _build(self, one: _WatchedProject) -> None:
        self._check_stop()
        one.resident.beyond = {path: signature_at(path) for path in one.resident.beyond}
        progress = self._observer.begins(one.root)
        try:
            report = build(one.root, self._options, progress, one.resident)
        except Exception as error:  # the author's next save may fix it
            progress.close()
            self._observer.failed(one.root, error)
        else:
            progress.close()
            one.is_cold = not one.resident.is_warm and self._options.cache is not None
            self._observer.built(one.root, report)
        gc.collect()
        trim_memory()

    def _warm_up(self, one: _WatchedProject) -> None:
        """Loads what the first edit would have to; one that is made meanwhile finds it loaded."""
        one.is_cold = False
        with suppress(Exception):  # the next build meets and reports it, too
            warm_up(one.root, self._options, one.resident)
        gc.collect()
        trim_memory()

    def _wait(self) -> list[_WatchedProject]:
        """Waits for a change; returns the knowledge bases that it concerns."""
        while True:
            self._check_stop()
            cold = next((one for one in self._watched if one.is_cold), None)
            changed = self._files.wait(TICK_S if cold is None else _GLANCE_S)
            self._note_polling()
            due = [
                one
                for one in self._watched
                if self._concerns(one, changed) or one.includes_changed()
            ]
            if due:
                self._watch_current_bases()
                return due
            if cold is not None:
                self._warm_up(cold)

    def _check_stop(self) -> None:
        if self._stopping:
            raise KeyboardInterrupt

    def _note_polling(self) -> None:
        if self._files.problem and not self._is_noted:
            self._is_noted = True
            self._observer.noted(
                f"the kernel cannot watch the files: {self._files.problem}; they are checked"
                " once a second instead"
            )

    def _watch_current_bases(self) -> None:
        """Watches what the knowledge bases are made of now, where that has changed."""
        before = [one.bases for one in self._watched]
        for one in self._watched:
            beyond = sorted(outside(one.root)) if self._options.allow_outside else ()
            one.bases = (one.root, *beyond)
        if before != [one.bases for one in self._watched]:
            self._files.watch([base for one in self._watched for base in one.bases])

    def _concerns(self, one: _WatchedProject, changed: Iterable[str]) -> bool:
        paths = [Path(path) for path in changed]
        if not paths:  # as nearly always
            return False
        bases = {*one.bases, *(Path(os.path.realpath(base)) for base in one.bases)}
        return any(path.is_relative_to(base) for path in paths for base in bases)

    def _is_own(self, path: Path) -> bool:
        """Whether a build or a version control system writes it, and no author."""
        if not VERSION_CONTROL.isdisjoint(path.parts):
            return True
        path = Path(os.path.realpath(path))
        if self._cache is not None and path.is_relative_to(self._cache):
            return True
        if not path.is_relative_to(self._out):
            return False
        below = path.relative_to(self._out).parts
        if len(below) < 2:  # the output folder, or in it the folder of a knowledge base
            return not below or (path / LOCK).exists()
        name = below[1]  # what a build writes into the folder of a knowledge base
        return name in (CURRENT, LOCK) or name.startswith(TEMPORARY) or is_build_id(name)


def outside(root: Path) -> set[Path]:
    """What a build reads outside of `root`: what kb.toml names there, and where links below `root` lead."""
    inside = root.resolve()
    project = load_project(root, Diagnostics())
    entries = () if project is None else (e for c in project.collections for e in c.paths)
    found = {Path(os.path.normpath(inside / glob_base(entry))) for entry in entries}
    for folder, folders, files in os.walk(inside):
        folders[:] = [name for name in folders if name not in VERSION_CONTROL]
        for name in (*folders, *files):
            path = Path(folder, name)
            if path.is_symlink():
                found.add(Path(os.path.realpath(path)))
    return {path for path in found if not path.is_relative_to(inside)}
