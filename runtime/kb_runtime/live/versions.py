"""The live versions of what is served: follows CURRENT and swaps between calls, never during one."""

from __future__ import annotations

import os
from _thread import allocate_lock  # `import threading` costs a server 2 ms before its first answer

from kb_runtime import log
from kb_runtime.errors import ArtifactError, KbcError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.store.location import Location, locate
from kb_runtime.store.manifest import LISTING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kb_runtime.knowledge.interface import Knowledge
    from kb_runtime.store.manifest import Check

    Path = str | os.PathLike[str]
    Stamp = tuple[int, int, int]
    Stamps = tuple[Stamp, Stamp | None]

_SIGNATURE_CODES = ("unsigned", "bad-signature", "rollback")
"""Why a build is refused that may be served once it is signed."""

_PASSING_CODES = ("missing", "truncated", "altered", "unreadable", "shortage")
"""Why a build is refused that may be served later: it is still being copied, or the machine is short of
something."""

SHADOWED_BY_WORKSPACES = ("code", "tests")
"""Kinds of which a workspace may hold newer records than the knowledge bases, under the same ids."""


class LiveArtifact:
    """What is served: one knowledge base, or several as one, whose live versions may change.

    Every lease looks at each CURRENT (one `stat`) and takes the versions that they name; a call works
    on its versions until it ends, and a version that was replaced is closed when its last call ends.
    When a new version cannot be opened, the old one stays and the reason goes to stderr, once; `follow`
    tries again.
    A path that names one build is served as it is, for good.
    """

    def __init__(
        self,
        *paths: Path,
        workspaces: Sequence[Path] = (),
        check: Check | None = None,
        empty: Artifact | None = None,
        scan: Callable[[str], Artifact] | None = None,
        workspace_problem: str = "",
    ) -> None:
        """Opens the versions that are live now, in the order given.

        A lease gives the `Artifact` where there is one, and a `Federation` of several. `workspaces`
        are folders in which a CURRENT may appear: their records come after the others' and hide those
        that have the same id. `check` is asked about each build that would be served, now and later,
        but for those of workspaces, and raises `ArtifactError` to refuse it. Without `paths`, `empty` is
        served until a workspace has something. Of a workspace that has a list of files and no version yet
        `scan`, with the path of the list, gives what is served. `workspace_problem` is the code of the
        error for which there is no workspace.

        Raises `ArtifactError`; what is wrong with a workspace goes to stderr.
        """
        if not paths and empty is None:
            raise ValueError("there is nothing to serve")
        self._served = len(paths)
        self._empty = empty
        self._workspace_problem = workspace_problem
        self._guard = allocate_lock()  # held for a moment, around counts and `_version`
        self._swapping = allocate_lock()  # held while new versions are being opened
        self._followers = 0  # how many calls of `follow` open what has changed
        self._listeners: list[Callable[[], None]] = []
        self._swap_checks: list[Callable[[Knowledge], object]] = []
        self._refusal = ""  # why versions that can be opened cannot be served together
        self._sources = [_VersionSource(locate(path), check=check) for path in paths]
        self._sources += [
            _VersionSource(Location(os.path.realpath(each)), is_workspace=True, scan=scan)
            for each in workspaces
        ]
        opened: list[_Opened | None] = []
        try:
            for source in self._sources:
                opened.append(source.open(None))
            self._version = self._combined(opened)
        except BaseException:
            for one in opened:
                if one is not None:
                    one.artifact.close()
            raise
        self._warn_of_other_encoders()

    def lease(self) -> Lease:
        """What is live now for a `with` block, kept open until the block ends."""
        self._follow(wait=False)
        return self.hold()

    def hold(self) -> Lease:
        """As `lease`, but without looking for a newer version: safe for callers that hold a lock, which a
        swap's listeners might take."""
        with self._guard:
            self._version.leases += 1
            return Lease(self, self._version)

    def follow(self) -> None:
        """Swaps to what is published now, where it is not served yet, without a lease. A version that
        could not be opened for a reason that may pass is tried again, which calls do not wait for."""
        self._follow(wait=True)

    def on_swap(self, listener: Callable[[], None]) -> None:
        """Has `listener` called after each swap, by the thread that did it and before that thread
        goes on: a listener must be quick."""
        self._listeners.append(listener)

    def check_swaps(self, check: Callable[[Knowledge], object]) -> None:
        """Has `check` asked before each swap about what is to be served; the old versions stay where it
        raises. What is served now is not asked about."""
        self._swap_checks.append(check)

    @property
    def can_change(self) -> bool:
        """Whether there may ever be another version: not of paths that name one build."""
        return any(source.can_change for source in self._sources)

    @property
    def follows_builds(self) -> bool:
        """Whether a newer build of a knowledge base itself may ever be served."""
        return any(source.can_change for source in self._sources[: self._served])

    @property
    def workspace_problems(self) -> list[str]:
        """Codes of the errors for which a workspace, or what is new in it, is not served."""
        found = {self._workspace_problem, *(each.problem for each in self._sources)}
        return sorted(found - {""})

    @property
    def build_id(self) -> str:
        """The build that the next lease would get, short of a change of CURRENT."""
        return self._version.knowledge.build_id

    def close(self) -> None:
        """Closes everything as soon as the last lease on it ends; no new lease may be taken."""
        self._retire(self._version)

    def _follow(self, *, wait: bool) -> None:
        """Swaps to the versions that CURRENT names now, when it has changed since it was last seen.

        While one call opens the new versions, the others go on with the old ones, unless they `wait`.
        What `follow` opens they wait for: the first of them would have opened it.
        """
        has_changed = any(source.has_changed for source in self._sources)
        if not has_changed and not (wait and any(source.has_failed for source in self._sources)):
            # Another thread may have seen the change and still be opening.
            if wait or self._followers:
                with self._swapping:
                    pass
            return
        is_awaited = wait and has_changed
        with self._guard:
            self._followers += is_awaited
        try:
            if not self._swapping.acquire(blocking=wait):
                if self._followers:
                    with self._swapping:
                        pass
                return
            try:
                swapped = self._swap()
            finally:
                self._swapping.release()
        finally:
            with self._guard:
                self._followers -= is_awaited
        if swapped:
            for listener in self._listeners:
                listener()

    def _swap(self) -> bool:
        old = self._version
        opened: list[_Opened | None] = []
        try:
            for source, known in zip(self._sources, old.opened, strict=True):
                is_due = source.has_changed or source.has_failed
                opened.append(source.open(known) if is_due else known)
            if all(one is known for one, known in zip(opened, old.opened, strict=True)):
                return False
            new = self._combined(opened)
        except BaseException as error:
            for source, one in zip(self._sources, opened, strict=False):
                if one is not None and one not in old.opened:
                    one.artifact.close()
                    source.has_failed = True  # it could be opened, and is not served yet
            if not isinstance(error, Exception):
                raise
            refusal = _reason(error)
            if refusal != self._refusal:
                self._refusal = refusal
                _log_refusal(old.knowledge.build_id, error)
            return False
        self._refusal = ""
        with self._guard:
            self._version = new
        self._retire(old)
        self._warn_of_other_encoders()
        return True

    def _combined(self, opened: Sequence[_Opened | None]) -> _LeasedVersion:
        """The opened artifacts as one. Raises `ArtifactError`, and what a check raises."""
        artifacts = [one.artifact for one in opened if one is not None]
        if not artifacts:
            assert self._empty is not None
            return _LeasedVersion(self._empty, opened)
        knowledge: Knowledge = artifacts[0]
        if len(artifacts) > 1:
            from kb_runtime.knowledge.federation.federation import Federation

            has_workspace = len(artifacts) > self._served
            shadowing = SHADOWED_BY_WORKSPACES if has_workspace else ()
            # Of source trees alone the first index stands for all.
            knowledge = Federation(artifacts, shadowing, max(self._served, 1))
        try:
            for check in self._swap_checks:
                check(knowledge)
        except BaseException:
            if knowledge is not artifacts[0]:
                knowledge.close()
            raise
        with self._guard:
            for one in opened:
                if one is not None:
                    one.versions += 1
        return _LeasedVersion(knowledge, opened)

    def _release(self, version: _LeasedVersion) -> None:
        with self._guard:
            version.leases -= 1
            unused = version.retired and version.leases == 0
        if unused:
            self._dispose(version)

    def _retire(self, version: _LeasedVersion) -> None:
        with self._guard:
            version.retired = True
            unused = version.leases == 0
        if unused:
            self._dispose(version)

    def _dispose(self, version: _LeasedVersion) -> None:
        """Closes what only this version used."""
        unused = []
        opened = [one for one in version.opened if one is not None]
        with self._guard:
            for one in opened:
                one.versions -= 1
                if not one.versions:
                    unused.append(one.artifact)
        # A lone artifact is no federation of its own: it may be a part of the next version.
        if not any(version.knowledge is one.artifact for one in opened):
            version.knowledge.close()
        for artifact in unused:
            artifact.close()

    def _warn_of_other_encoders(self) -> None:
        """Logs each knowledge base whose vectors come from another encoder, once."""
        knowledge = self._version.knowledge
        words_only = {part.build_id for part in knowledge.words_only}
        for source, one in zip(self._sources, self._version.opened, strict=True):
            if one is not None and one.artifact.build_id in words_only and not source.has_warned:
                source.has_warned = True
                name = one.artifact.manifest["name"]
                if source.is_workspace:
                    log.say(
                        f"the {name} of the workspace are searched by keyword only, because they were"
                        " embedded with another model than the knowledge base: name the folder of"
                        f" {knowledge.manifest['encoder']['model']} with --model"
                    )
                else:
                    log.say(
                        f"{name} was built with another encoder than the first knowledge base:"
                        " its records are searched by keyword only"
                    )


class _Opened:
    """An open artifact, and how many versions use it; guarded by the lock of its `LiveArtifact`."""

    def __init__(self, artifact: Artifact) -> None:
        self.artifact = artifact
        self.versions = 0


class _LeasedVersion:
    """What calls lease, and how many do; guarded by the lock of its `LiveArtifact`."""

    def __init__(self, knowledge: Knowledge, opened: Iterable[_Opened | None]) -> None:
        self.knowledge = knowledge
        self.opened = tuple(opened)
        self.leases = 0
        self.retired = False


class _VersionSource:
    """A place where versions appear. `has_failed`: what is published could not be opened, and may be
    later. `has_warned`: its other encoder was logged. `problem`: the code of the error for which the
    version of a workspace is not served."""

    def __init__(
        self,
        location: Location,
        *,
        is_workspace: bool = False,
        check: Check | None = None,
        scan: Callable[[str], Artifact] | None = None,
    ) -> None:
        self._location = location
        self.is_workspace = is_workspace
        self._check = check
        self._scan = scan
        self._seen: Stamps | None = None
        self._unsigned = ""  # a build that was refused, and may be served once it is signed
        self._refusal: tuple[Stamp | None, str] | None = None  # CURRENT, and why; for the log
        self.has_failed = False
        self.has_warned = False
        self.problem = ""

    @property
    def can_change(self) -> bool:
        return bool(self._location.kb_folder)

    @property
    def has_changed(self) -> bool:
        """Whether CURRENT is another one than when this was last opened."""
        return self.can_change and self._stamp() != self._seen

    def open(self, known: _Opened | None) -> _Opened | None:
        """The live version; `known`, which is served now, where it is still that or no other can be
        opened. None for a workspace without a version. Raises what opening does where nothing is known."""
        stamps = self._seen = self._stamp()  # before opening: a later change is then not overlooked
        self.has_failed = True  # until it has not: what interrupts this is no reason to give it up
        try:
            opened = self._live_version(known, stamps)
        except Exception as error:
            code = error.code if isinstance(error, ArtifactError) else type(error).__name__
            self.has_failed = not isinstance(error, ArtifactError) or code in _PASSING_CODES
            if known is None and not self.is_workspace:
                raise
            self.problem = code if self.is_workspace else ""
            refusal = (stamps and stamps[0], code)
            if refusal != self._refusal:  # what is tried again fails again, in other words perhaps
                self._refusal = refusal
                _log_refusal(known.artifact.build_id if known else "", error)
            return known
        self.has_failed = False
        self.problem = ""
        self._refusal = None
        return opened

    def _live_version(self, known: _Opened | None, stamps: Stamps | None) -> _Opened | None:
        if self.is_workspace and stamps is None:
            return None  # nothing is published yet, or it was withdrawn
        if self._scan is not None and not os.path.exists(self._location.current):
            return _Opened(self._scan(self._listing))
        if known is not None:
            live = os.path.basename(self._location.build_folder())
            if live == known.artifact.build_id:
                return known
        self._unsigned = ""
        try:
            artifact = Artifact.open_location(self._location, self._check)
        except ArtifactError as error:
            if error.code in _SIGNATURE_CODES:
                self._unsigned = self._location.build_folder()
            raise
        if known is not None:
            artifact.adopt_encoder(known.artifact)
        return _Opened(artifact)

    @property
    def _listing(self) -> str:
        return os.path.join(self._location.kb_folder, LISTING)

    def _stamp(self) -> Stamps | None:
        """What a change of CURRENT changes, None while it is not there; and a change of the signatures
        of a build that was refused for them: a build is signed after it was published."""
        if not self._location.kb_folder:
            return None
        current = _stamp_of(self._location.current)
        if current is None and self._scan is not None:
            current = _stamp_of(self._listing)
        if current is None:
            return None
        if not self._unsigned:
            return current, None
        from kb_runtime.store.signature import SIGNATURES

        return current, _stamp_of(os.path.join(self._unsigned, SIGNATURES))


class Lease:
    """`with live.lease() as knowledge:`; must be entered, because leaving releases the version."""

    def __init__(self, live: LiveArtifact, version: _LeasedVersion) -> None:
        self._live = live
        self._version = version

    def __enter__(self) -> Knowledge:
        return self._version.knowledge

    def __exit__(self, *_: object) -> None:
        self._live._release(self._version)


def _stamp_of(path: str) -> Stamp | None:
    """None where there is no such file."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


def _log_refusal(serving: str, error: Exception) -> None:
    """Says why a version is not served; `serving` is the build that is, "" for a workspace without one."""
    kept = f"still serving build {serving}" if serving else "serving without the workspace"
    if isinstance(error, (KbcError, OSError, MemoryError)):
        log.say(f"{kept}: {_reason(error)}")
    else:
        log.failure(kept, error)


def _reason(error: Exception) -> str:
    from kb_runtime.errors.shortages import shortage

    known = error if isinstance(error, KbcError) else shortage(error)
    return (
        str(error) if known is None else f"{known.message.removesuffix('.')}. {known.hint}".rstrip()
    )
