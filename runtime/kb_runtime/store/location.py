"""Finds the build that a path stands for.

This module is on the path from process start to the first answer, so it imports little.
"""

from __future__ import annotations

import os
import stat

from kb_runtime.errors import ArtifactError
from kb_runtime.store.integrity import REBUILD, read_regular, unreadable
from kb_runtime.store.manifest import BUILD_ID_LENGTH, CURRENT, MANIFEST, is_build_id


class Location:
    """What a path given by a user stands for: a knowledge base with versions, or one build.

    `kb_folder` is the folder that holds CURRENT, empty when the path names one build.
    """

    def __init__(self, kb_folder: str, build: str = "") -> None:
        self.kb_folder = kb_folder
        self._build = build

    @property
    def current(self) -> str:
        """The path of CURRENT, empty when the path names one build."""
        return os.path.join(self.kb_folder, CURRENT) if self.kb_folder else ""

    def build_folder(self) -> str:
        """The build that is live now. Raises `ArtifactError` when CURRENT names none."""
        if not self.kb_folder:
            return self._build
        data = read_regular(self.current, BUILD_ID_LENGTH + 1)
        build_id = data.removesuffix(b"\n").decode("ascii", "replace")
        if not is_build_id(build_id):
            raise ArtifactError(
                "altered",
                f"{self.current} does not hold a build id: it starts with {build_id!r}.",
                REBUILD,
            )
        folder = os.path.join(self.kb_folder, build_id)
        if not os.path.isfile(os.path.join(folder, MANIFEST)):
            raise ArtifactError(
                "missing",
                f"{self.current} names the build {build_id}, which does not exist.",
                self._what_to_do(),
            )
        return folder

    def _what_to_do(self) -> str:
        """Where CURRENT names no build: others may be here, as after a mistake in an id."""
        try:
            found = sorted(filter(is_build_id, os.listdir(self.kb_folder)))
        except OSError:
            found = []
        if not found:
            return REBUILD
        return f"Build the knowledge base again, or name one that is there: {', '.join(found)}."


def locate(path: str | os.PathLike[str]) -> Location:
    """Finds what `path` stands for: one build, a knowledge base, or a folder that holds just one.

    Raises `ArtifactError`: `missing` when there is nothing at `path`, `not-an-artifact` when it is
    something else or holds several knowledge bases.
    """
    given = os.fspath(path)
    try:
        folder = os.path.realpath(given)
        if not stat.S_ISDIR(os.stat(folder).st_mode):
            raise ArtifactError(
                "not-an-artifact",
                f"{given} is a file, not the folder of a compiled knowledge base.",
                "Give the folder that `kbc build` wrote.",
            )
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise ArtifactError(
            "missing",
            f"There is no compiled knowledge base at {given!r}: no such folder.",
            "Run `kbc build`, or check the path.",
        ) from None
    except OSError as error:
        raise unreadable(given, error) from error
    if os.path.lexists(os.path.join(folder, MANIFEST)):
        return Location("", folder)
    if os.path.lexists(os.path.join(folder, CURRENT)):
        return Location(folder)
    try:
        inside = sorted(
            name
            for name in os.listdir(folder)
            if not name.startswith(".") and os.path.isfile(os.path.join(folder, name, CURRENT))
        )
    except OSError as error:
        raise unreadable(given, error) from error
    if len(inside) == 1:
        return Location(os.path.join(folder, inside[0]))
    if inside:
        raise ArtifactError(
            "not-an-artifact",
            f"{given} holds {len(inside)} knowledge bases: {', '.join(inside)}.",
            f"Give one of them, for example {os.path.join(given, inside[0])}.",
        )
    raise ArtifactError(
        "not-an-artifact",
        f"{given} is not a compiled knowledge base: it holds neither {CURRENT} nor {MANIFEST}.",
        "Give the folder that `kbc build` wrote.",
    )


def resolve(path: str | os.PathLike[str]) -> str:
    """The folder of the build that `path` stands for now. Raises `ArtifactError`."""
    return locate(path).build_folder()
