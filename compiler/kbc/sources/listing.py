"""Lists the files of a folder that may be too large to list all of them."""

from __future__ import annotations

import os
import stat
from collections.abc import Set
from pathlib import Path

from kbc.sources.build_output import is_published


def least_deep(root: Path, most: int, without: Set[str] = frozenset()) -> list[str]:
    """The paths of the files below `root`; of a large tree somewhat more than `most`, without the deepest:
    data of tests lies deep, documentation does not. The files of a folder come before those in its folders.
    Hidden folders, links to folders, what a build published, the folders `without` at the top, and what may
    keep a reader waiting (pipes, sockets, devices) are left out."""
    found: list[str] = []
    level = [""]
    while level and len(found) <= most:
        below: list[str] = []
        for place in level:
            start = f"{place}/" if place else ""
            _, folders, names = next(os.walk(root / place), ("", [], []))
            if place and is_published({*folders, *names}):
                continue
            found += [start + name for name in names if not _is_special(root / place / name)]
            below += [
                start + name
                for name in sorted(folders)
                # `Path.is_symlink` raises for too long a path.
                if not (name.startswith(".") or os.path.islink(root / place / name))  # noqa: PTH114
            ]
            if len(found) > most:
                break
        level = below if level != [""] else [name for name in below if name not in without]
    return sorted(found, key=_in_preorder)


def _is_special(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # reading it says what is wrong
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _in_preorder(path: str) -> list[tuple[bool, str]]:
    *folders, name = path.split("/")
    return [*((True, each) for each in folders), (False, name)]
