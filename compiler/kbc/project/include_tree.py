"""Other files of a tree that its pages include, read within one folder and remembered by includer.

Pages pull code and text out of files beside them. Front ends read those through `SourceFile.include`, so
that a build knows every file that its records depend on, and none lies outside of the tree.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path

from kbc.project.signature import Signature, signature_at

Read = Callable[[str], bytes | None]
"""The content of a file by its path below the root of the knowledge base (`../` leads above it); None where
there is none, or where it lies outside of the tree."""

MAX_INCLUDED_BYTES = 4 * 1024 * 1024
"""A larger file is no excerpt for a page."""
_LONGEST = 32_767
"""No system opens a file with a longer path."""
_LEVELS = 64
"""Folders around a file that are remembered."""


class IncludeTree:
    """Reads files below `boundary`, a folder that is or holds `root`.

    Names are relative to `root`, with forward slashes; `../` leads into the rest of the boundary.
    `included` maps the name of each file that was read to those of its includers, sorted. `beyond` maps
    the path of each file outside of the root that was looked for to its signature before it was read,
    None where it was missing.
    """

    def __init__(self, root: Path, boundary: Path | None = None) -> None:
        self._root = Path(os.path.realpath(root))
        self._boundary = self._root if boundary is None else Path(os.path.realpath(boundary))
        self._data: dict[str, bytes | None] = {}
        self._includers: dict[str, set[str]] = {}
        self._names: dict[str, list[str]] = {}
        self._matching: dict[tuple[str, str], list[str]] = {}
        self._by_case: dict[str, dict[str, str]] = {}
        self._folders: dict[str, Path] = {"": self._root}  # where they are, without links
        self._missing: set[str] = set()  # folders
        self._linked: dict[str, str | None] = {}
        self.beyond: dict[Path, Signature | None] = {}

    def __reduce__(self) -> tuple[type[IncludeTree], tuple[Path, Path]]:
        """For another process, which remembers what it reads itself."""
        return type(self), (self._root, self._boundary)

    @property
    def included(self) -> dict[str, tuple[str, ...]]:
        return {name: tuple(sorted(found)) for name, found in sorted(self._includers.items())}

    def data(self, name: str) -> bytes:
        """The content of a file that was included. Raises `KeyError` for another."""
        found = self._data[name]
        if found is None:
            raise KeyError(name)
        return found

    def read(self, path: str, by: str) -> bytes | None:
        """The file at `path`, which `by` includes; None where there is no such file within the tree.

        A link that leads out of the boundary, a folder, a special file and a file of more than
        `MAX_INCLUDED_BYTES` count as missing. A leading slash means the root. Where `by` is a link, what is
        not beside it, or is itself, may be beside the file that it leads to.
        """
        name = posixpath.normpath(path.replace("\\", "/").lstrip("/"))
        found = self._remembered(name)
        is_beside = found is not None and name != by
        if not is_beside and (folder := self._folder_linked(by)) is not None:
            # Of paths below the root, as those that lead above it would depend on the current folder.
            below = posixpath.relpath(self._root / name, self._root / posixpath.dirname(by))
            name = posixpath.normpath(posixpath.join(folder, below))
            found = self._remembered(name)
        if found is not None:
            self._includers.setdefault(name, set()).add(by)
        return found

    def exists(self, path: str) -> bool:
        """Whether a file is there that `read` might give; nothing is remembered."""
        name = posixpath.normpath(path.lstrip("/"))
        # Most files that are looked for are not there, which one look at the disk tells.
        return self._file(self._root / name) is not None and self._inside(name) is not None

    def peek(self, path: str) -> bytes | None:
        """As `read`, of a file of which nothing is remembered: its content goes into no record."""
        return self._read(posixpath.normpath(path.lstrip("/")))

    @property
    def top(self) -> str:
        """The boundary as a path below the root: `.` or `../..`."""
        return Path(os.path.relpath(self._boundary, self._root)).as_posix()

    def real(self, path: str) -> str:
        """The name of what `path` leads to through links, else `path`, without `.` and `..`."""
        name = posixpath.normpath(path.lstrip("/"))
        place = self._inside(name)
        return name if place is None else Path(os.path.relpath(place, self._root)).as_posix()

    def names(self, folder: str) -> list[str]:
        """The names of the entries of a folder, sorted; none where there is no such folder, and none of a
        link to a folder that it lies in, which who walks would follow without end."""
        name = posixpath.normpath(folder.lstrip("/")) if folder else "."
        if name not in self._names:
            place, found = self._inside(name), []
            with suppress(OSError):
                if place is not None and place.is_dir() and not self._leads_back(name, place):
                    found = sorted(entry.name for entry in place.iterdir())
            self._names[name] = found
        return self._names[name]

    def _leads_back(self, name: str, place: Path) -> bool:
        """Whether the folder `name`, which is at `place`, is reached by way of itself."""
        is_linked = name != "." and place != self._root / name
        return is_linked and any(self._folders.get(each) == place for each in folders_above(name))

    def matching(self, folder: str, pattern: str) -> list[str]:
        """The paths of the entries of a folder whose names match a pattern (`*.ent`), sorted."""
        if (folder, pattern) not in self._matching:
            named = (each for each in self.names(folder) if fnmatchcase(each, pattern))
            self._matching[folder, pattern] = [posixpath.join(folder, each) for each in named]
        return self._matching[folder, pattern]

    def spelt(self, path: str) -> str:
        """`path` with its letters in the case in which the folders and the file are called, where they are
        there; else "". Two that differ by case alone are one of them."""
        place = ""
        for part in posixpath.normpath(path.replace("\\", "/").lstrip("/")).split("/"):
            if part != "..":
                if place not in self._by_case:
                    self._by_case[place] = {each.casefold(): each for each in self.names(place)}
                part = self._by_case[place].get(part.casefold(), "")
                if not part:
                    return ""
            place = posixpath.join(place, part)
        return place

    def _remembered(self, name: str) -> bytes | None:
        if name not in self._data:
            self._data[name] = self._read(name)
        return self._data[name]

    def _folder_linked(self, name: str) -> str | None:
        """The folder of the file that the link `name` leads to; None of other files."""
        if name not in self._linked:
            is_link = os.path.islink(self._root / name)  # noqa: PTH114 - as below
            self._linked[name] = posixpath.dirname(self.real(name)) if is_link else None
        return self._linked[name]

    def _inside(self, name: str) -> Path | None:
        """Where a file is, without links; None outside of the boundary. Folders are remembered, as most files
        that are looked for are missing from the same ones."""
        if "\0" in name or len(name) > _LONGEST:
            return None
        unknown: list[str] = []
        folder = posixpath.dirname(name)
        while folder not in self._folders and len(unknown) < _LEVELS:
            unknown.append(folder)
            folder = posixpath.dirname(folder)
        for folder in reversed(unknown):
            place = self._folders[folder] = self._below(folder)
            is_below_missing = posixpath.dirname(folder) in self._missing
            if is_below_missing or not os.path.isdir(place):  # noqa: PTH112 - as below
                self._missing.add(folder)
        target = self._below(name)
        return target if _is_in(target, self._boundary) else None

    def _below(self, name: str) -> Path:
        """Where a file is: with one look at the disk where its folder is known, with none where that is
        missing."""
        folder, last = posixpath.split(name)
        place = self._folders.get(folder)
        target = Path() if place is None else place / last
        if folder in self._missing:
            return target
        is_plain = place is not None and last not in ("", ".", "..")
        if is_plain and not os.path.islink(target):  # noqa: PTH114 - for `Path`, a long name is an error
            return target
        return Path(os.path.realpath(self._root / name))

    def _file(self, target: Path | None) -> Path | None:
        try:
            return target if target is not None and target.is_file() else None
        except OSError:  # such as a name that is too long
            return None

    def _read(self, name: str) -> bytes | None:
        try:
            target = self._inside(name)
            if target is not None and not _is_in(target, self._root):
                self._note(Path(os.path.normpath(self._root / name)))
            is_missing = posixpath.dirname(name) in self._missing
            place = None if is_missing else self._file(target)
            if place is None or place.stat().st_size > MAX_INCLUDED_BYTES:
                return None
            return place.read_bytes()
        except OSError:
            return None

    def _note(self, path: Path) -> None:
        """Of a file in a folder that is missing, the folder is noted: many files may be looked for there."""
        found = signature_at(path)
        while found is None and not path.parent.exists():
            path = path.parent
        self.beyond.setdefault(path, found)


def _is_in(path: Path, folder: Path) -> bool:
    return f"{path}{os.sep}".startswith(f"{str(folder).rstrip(os.sep)}{os.sep}")


def folders_above(path: str, top: str = "") -> Iterator[str]:
    """The folders that a file lies in, the nearest first, up to the folder `top`; "" is the root."""
    folder = posixpath.dirname(path)
    while folder.strip("/"):
        yield folder
        if folder == top:
            return
        folder = posixpath.dirname(folder)
    yield ""


def only_ones(paths: Iterable[str]) -> dict[str, str]:
    """Paths by the names of their files, where no other file is called so."""
    found: dict[str, list[str]] = {}
    for path in paths:
        found.setdefault(posixpath.basename(path), []).append(path)
    return {name: each[0] for name, each in found.items() if len(each) == 1}
