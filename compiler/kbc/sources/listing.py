"""Lists the files of a folder that may be too large to list all of them."""

from __future__ import annotations

import os
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
            entries = entries_of(root / place)
            if place and is_published({entry.name for entry in entries}):
                continue
            folders = {entry.name: entry for entry in entries if _is_folder(entry)}
            found += [
                start + entry.name
                for entry in entries
                if entry.name not in folders and not _is_special(entry)
            ]
            below += [
                start + name
                for name, entry in folders.items()
                if not (name.startswith(".") or entry.is_symlink())
            ]
            if len(found) > most:
                break
        level = below if level != [""] else [name for name in below if name not in without]
    return sorted(found, key=_in_preorder)


def entries_of(folder: Path) -> list[os.DirEntry[str]]:
    """The entries of a folder by name; none of one that cannot be listed."""
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_special(entry: os.DirEntry[str]) -> bool:
    """Whether an entry that is no folder is no file either. The listing says so of most, without a look at
    the file; reading a link that leads nowhere says what is wrong."""
    try:
        if entry.is_file():
            return False
        entry.stat()
    except OSError:
        return False
    return True


def _in_preorder(path: str) -> list[tuple[bool, str]]:
    *folders, name = path.split("/")
    return [*((True, each) for each in folders), (False, name)]
