"""Names of files that lie outside of the knowledge base's folder, without the places of this machine.

With `--allow-outside` a collection may read a folder anywhere. Its files are named as if the folder lay
in the root, so that two copies of one tree compile to the same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from kbc.project.model import Collection
from kbc.sources.globs import glob_base


def entry_names(collections: Sequence[Collection], root: Path) -> dict[str, str]:
    """Entry of `paths` -> what its files' names begin with, for entries outside of `root`.

    The name of `../other/docs` is `other/docs`, that of an absolute path its last part, that of `..` is
    empty. An entry whose files might have the names of files of another one, inside or before it, gets a
    number.
    """
    starts = {
        entry: Path(os.path.normpath(root / glob_base(entry)))
        for each in collections
        for entry in each.paths
    }
    inside = {start for start in starts.values() if start == root or root in start.parents}
    places = [(start, _folder(start.relative_to(root))) for start in inside]
    if any(start in root.parents for start in starts.values()):
        places.append((root, ""))
    names: dict[str, str] = {}
    for entry, start in starts.items():
        if start in inside:
            continue
        name, number = _name(entry), 2
        while name in names.values() or _is_taken(start, _folder(Path(name)), places):
            name, number = f"{_name(entry) or 'outside'}-{number}", number + 1
        names[entry] = name
        places.append((start, _folder(Path(name))))
    return names


def _folder(path: Path) -> str:
    """A relative path with a slash at its end, so that it begins all paths below it; "" for `.`."""
    return f"{path.as_posix()}/" if path.parts else ""


def _is_taken(start: Path, name: str, places: Sequence[tuple[Path, str]]) -> bool:
    """Whether two files could be called the same if those below `start` have names that begin with
    `name`; `places` are the folders that have theirs."""
    for other, its_name in places:
        if not (name.startswith(its_name) or its_name.startswith(name)):
            continue
        shared = max(name, its_name, key=len)
        own, its = start / shared.removeprefix(name), other / shared.removeprefix(its_name)
        both_exist = os.path.lexists(own) and os.path.lexists(its)
        if own != its and both_exist and (shared or _share_entry(own, its)):
            return True
    return False


def _share_entry(one: Path, other: Path) -> bool:
    """Whether two folders, of which the first may hold the second, have an entry of one name."""
    try:
        entries = [path for path in one.iterdir() if not path.name.startswith(".")]
    except OSError:
        return False
    return any(path != other and os.path.lexists(other / path.name) for path in entries)


def _name(entry: str) -> str:
    path = PurePosixPath(os.path.normpath(glob_base(entry)))
    if path.is_absolute():
        return path.name
    return "/".join(part for part in path.parts if part not in ("..", "."))
