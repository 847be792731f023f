"""Globs in the paths of a collection: where one begins, and what it matches."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from glob import has_magic
from itertools import takewhile
from pathlib import Path

from kbc.sources.build_output import is_published


def glob_base(entry: str) -> str:
    """The folders of a glob before its first wildcard, `docs` of `docs/**/*.md`; else `entry` itself."""
    if not has_magic(entry):
        return entry
    parts = takewhile(lambda part: not has_magic(part), entry.split("/")[:-1])
    return "/".join(parts) or "/" * entry.startswith("/")


def matches_of(root: Path, glob: str, *, with_hidden: bool) -> list[Path]:
    """The paths that a glob matches, sorted. Hidden files and folders are matched only by parts of it
    that begin with a dot themselves, and what a build published by none. Raises `ValueError` for a glob that
    is none."""
    base = glob_base(glob)
    start, pattern = root / base, glob.removeprefix(base).lstrip("/")
    dotted = [part for part in pattern.split("/") if part.startswith(".")]

    @cache
    def published(folder: Path) -> bool:
        if folder == start:
            return False
        try:
            names = {each.name for each in folder.iterdir()} if folder.is_dir() else set()
        except OSError:
            names = set()
        return is_published(names) or published(folder.parent)

    return [
        path
        for path in sorted(start.glob(pattern))
        if not published(path)
        and (
            with_hidden
            or all(
                any(fnmatchcase(part, each) for each in dotted)
                for part in path.relative_to(start).parts
                if part.startswith(".")
            )
        )
    ]
