"""Names of files that lie outside of the knowledge base's folder, without the places of this machine.

With `--allow-outside` a collection may read a folder anywhere. Its files are named as if the folder lay
in the root, so that two copies of one tree compile to the same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from glob import has_magic
from pathlib import Path, PurePosixPath

from kbc.project.model import Collection


def entry_names(collections: Sequence[Collection], root: Path) -> dict[str, str]:
    """Entry of `paths` -> what its files' names begin with, for entries outside of `root`.

    The name of `../other/docs` is `other/docs`, that of an absolute path its last part, that of `..` is
    empty. Of two entries with one name, the later one gets a number.
    """
    names: dict[str, str] = {}
    for entry in (entry for each in collections for entry in each.paths):
        start = Path(os.path.normpath(root / glob_base(entry)))
        if entry in names or start == root or root in start.parents:
            continue
        name, number = _name(entry), 2
        while name in names.values():
            name, number = f"{_name(entry) or 'outside'}-{number}", number + 1
        names[entry] = name
    return names


def glob_base(entry: str) -> str:
    """The folders of a glob before its first wildcard, `docs` of `docs/**/*.md`; else `entry` itself."""
    if not has_magic(entry):
        return entry
    parts = []
    for part in entry.split("/")[:-1]:
        if has_magic(part):
            break
        parts.append(part)
    return "/".join(parts)


def _name(entry: str) -> str:
    path = PurePosixPath(os.path.normpath(glob_base(entry)))
    if path.is_absolute():
        return path.name
    return "/".join(part for part in path.parts if part not in ("..", "."))
