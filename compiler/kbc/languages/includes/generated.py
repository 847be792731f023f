"""Files that a build writes into a tree: version control ignores them, so that a checkout has none."""

from __future__ import annotations

import posixpath
from functools import lru_cache

from pathspec import GitIgnoreSpec

from kbc.project.git_patterns import git_patterns
from kbc.project.include_tree import Read, folders_above

IGNORE_FILE = ".gitignore"
_LEVELS_ABOVE = 3
"""Folders above the tree that may have an ignore file: documentation is often read alone."""


def is_generated(path: str, read: Read) -> bool:
    """Whether an ignore file in a folder above `path` (below the root, or in `..`) names that file. `read`
    gives the files of the tree."""
    path = posixpath.normpath(path.lstrip("/"))
    for folder in folders_above(path):
        lines = _patterns(folder, read)
        if lines and _spec(tuple(lines)).match_file(posixpath.relpath(path, folder or ".")):
            return True
    # What the folders between are called is not known here: the last part of a pattern decides.
    name = posixpath.basename(path)
    above = ("/".join([".."] * level) for level in range(1, _LEVELS_ABOVE + 1))
    return any(
        posixpath.basename(line.strip()) == name
        for folder in above
        for line in _patterns(folder, read)
    )


@lru_cache(maxsize=64)
def _spec(lines: tuple[str, ...]) -> GitIgnoreSpec:
    """The patterns of an ignore file, which are asked about every file that is not there."""
    return git_patterns(lines)


def _patterns(folder: str, read: Read) -> list[str]:
    data = read(posixpath.join(folder, IGNORE_FILE))
    return [] if data is None else data.decode("utf-8-sig", "replace").splitlines()
