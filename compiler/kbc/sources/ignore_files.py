"""Ignore files as Git reads them: what a pattern says of a path, and which pattern of several decides."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec, RegexPattern

from kb_runtime.errors.shortages import raise_shortage
from kbc.project.git_patterns import git_patterns

_ANYWHERE = "^(?:.+/)?"  # how the library's expression for a pattern of any depth begins
_FOLDER = "ps_d"  # its name for the slash behind a folder
_ALL_BELOW = re.compile(r"/\*\*(/?)$")
_GROUP_NAME = re.compile(r"\(\?P<\w+>")


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The patterns of a folder's ignore file; `start` is how many characters of a path in the
    tree come before what they are matched with. `any_of` matches what one of them matches: most paths
    match none, which one expression finds out sooner than fifty."""

    start: int
    spec: GitIgnoreSpec
    any_of: re.Pattern[str]

    @classmethod
    def of(cls, start: int, spec: GitIgnoreSpec) -> IgnoreFile:
        regexes = [each.regex for each in spec.patterns if isinstance(each, RegexPattern)]
        found = [_GROUP_NAME.sub("(?:", regex.pattern) for regex in regexes if regex is not None]
        anywhere = [each.removeprefix(_ANYWHERE) for each in found if each.startswith(_ANYWHERE)]
        placed = [each for each in found if not each.startswith(_ANYWHERE)]
        if anywhere:
            placed.append(f"{_ANYWHERE}(?:{'|'.join(anywhere)})")
        return cls(start, spec, re.compile("|".join(placed) or "(?!)"))

    def verdict(self, place: str) -> bool | None:
        """What the patterns say of a path in the tree, a folder's with a slash at its end; None where they
        say nothing. As in Git, the last one of the path itself decides: what a pattern says of a folder above
        keeps the tree from being read there, and `!*/` brings back no file."""
        inside = place[self.start :]
        if not self.any_of.search(inside):
            return None
        for pattern in reversed(self.spec.patterns):
            if isinstance(pattern, RegexPattern) and _is_of(pattern, inside):
                return pattern.include
        return None


def _is_of(pattern: RegexPattern, path: str) -> bool:
    """Whether the pattern is of the path itself rather than of a folder above it: the library's
    expressions match up to the end or to a slash."""
    matches = [] if pattern.regex is None else list(pattern.regex.finditer(path))
    if not matches:
        return False
    return matches[-1].groupdict().get(_FOLDER) is None or matches[-1].end(_FOLDER) == len(path)


def is_ignored(place: str, ignores: list[IgnoreFile]) -> bool:
    """The last pattern that says something decides, from the deepest ignore file upwards."""
    for ignore in reversed(ignores):
        verdict = ignore.verdict(place)
        if verdict is not None:
            return verdict
    return False


def read_patterns(path: Path) -> GitIgnoreSpec | None:
    """The patterns of an ignore file; None when it cannot be read."""
    try:
        text = path.read_bytes().decode("utf-8-sig", "replace")
    except OSError as error:
        raise_shortage(error, path)
        return None
    return patterns(text.splitlines())


def patterns(lines: Iterable[str]) -> GitIgnoreSpec:
    """The patterns on lines of an ignore file."""
    # The library does not take `a/**` for the folder itself.
    return git_patterns(_ALL_BELOW.sub(r"/**/*\1", line) for line in lines)
