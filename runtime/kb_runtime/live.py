"""The live version of a knowledge base: follows CURRENT, swaps between calls, never during one."""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock  # `import threading` costs a server 2 ms before its first answer

from kb_runtime.artifact import Artifact
from kb_runtime.errors import ArtifactError
from kb_runtime.manifest import locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    Stamp = tuple[int, int, int]


class _Version:
    """An open artifact and how many calls use it; guarded by the lock of its `LiveArtifact`."""

    __slots__ = ("artifact", "leases", "retired")

    def __init__(self, artifact: Artifact) -> None:
        self.artifact = artifact
        self.leases = 0
        self.retired = False


class LiveArtifact:
    """A knowledge base whose live version may change while it is served.

    Every lease looks at CURRENT (one `stat`) and takes the version it names; a call works on its
    version until it ends, and a version that was replaced is closed when its last call ends.
    When a new version cannot be opened, the old one stays and the reason goes to stderr, once.
    A path that names one build is served as it is, for good.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Opens the version that is live now. Raises `ArtifactError`."""
        self._location = locate(path)
        self._guard = allocate_lock()  # held for a moment, around the fields below
        self._swapping = allocate_lock()  # held while a new version is being opened
        self._seen = self._stamp()  # before opening: a later change is then not overlooked
        self._version = _Version(Artifact.open_location(self._location))

    def lease(self) -> Lease:
        """The live artifact for a `with` block, kept open until the block ends."""
        self._follow()
        with self._guard:
            self._version.leases += 1
            return Lease(self, self._version)

    @property
    def build_id(self) -> str:
        """The build that the next lease would get, short of a change of CURRENT."""
        return self._version.artifact.build_id

    def close(self) -> None:
        """Closes the artifact as soon as the last lease on it ends; no new lease may be taken."""
        self._retire(self._version)

    def _follow(self) -> None:
        """Swaps to the version that CURRENT names now, when it has changed since it was last seen.

        While one thread opens the new version, the others go on with the old one.
        """
        if not self._location.kb_folder:
            return
        stamp = self._stamp()
        if stamp == self._seen or not self._swapping.acquire(blocking=False):
            return
        try:
            self._seen = stamp
            self._swap()
        finally:
            self._swapping.release()

    def _swap(self) -> None:
        old = self._version
        try:
            if os.path.basename(self._location.build_folder()) == old.artifact.build_id:
                return
            new = _Version(Artifact.open_location(self._location))
        except ArtifactError as error:
            print(
                f"kbc: still serving build {old.artifact.build_id}: {error.message}",
                file=sys.stderr,
                flush=True,
            )
            return
        with self._guard:
            self._version = new
        self._retire(old)

    def _release(self, version: _Version) -> None:
        with self._guard:
            version.leases -= 1
            unused = version.retired and version.leases == 0
        if unused:
            version.artifact.close()

    def _retire(self, version: _Version) -> None:
        with self._guard:
            version.retired = True
            unused = version.leases == 0
        if unused:
            version.artifact.close()

    def _stamp(self) -> Stamp | None:
        """What a change of CURRENT changes; None while it is not there."""
        if not self._location.kb_folder:
            return None
        try:
            found = os.stat(self._location.current)
        except OSError:
            return None
        return found.st_mtime_ns, found.st_ino, found.st_size


class Lease:
    """`with live.lease() as artifact:`; must be entered, because leaving gives the version back."""

    __slots__ = ("_live", "_version")

    def __init__(self, live: LiveArtifact, version: _Version) -> None:
        self._live = live
        self._version = version

    def __enter__(self) -> Artifact:
        return self._version.artifact

    def __exit__(self, *_: object) -> None:
        self._live._release(self._version)
