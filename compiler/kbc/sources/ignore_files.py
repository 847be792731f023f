"""Ignore files as Git reads them: what a pattern says of a path, and which pattern of several decides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec, RegexPattern

from kbc.project.git_patterns import git_patterns
from kbc.project.source_file import content_of

_ANYWHERE = "^(?:.+/)?"  # how the library's expression for a pattern of any depth begins
_FOLDER = "ps_d"  # its name for the slash behind a folder
_ALL_BELOW = re.compile(r"/\*\*(/?)$")
_GROUP_NAME = re.compile(r"\(\?P<\w+>")
_PLACE = re.compile(r"(?:/[^/*?\[\]\\]+)+(?<!\s)/?")


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The patterns of a folder's ignore file; `start` is how many characters of a path in the
    tree come before what they are matched with. `places` are the paths that patterns without wildcards name
    from the top, of which there may be thousands, `patterns` the others, both with their lines. `any_of`
    matches what one of `patterns` matches: most paths match none, which one expression finds out sooner
    than fifty."""

    start: int
    places: Mapping[str, int]
    patterns: Sequence[tuple[int, RegexPattern]]
    any_of: re.Pattern[str]

    @classmethod
    def of(cls, start: int, lines: Iterable[str]) -> IgnoreFile:
        places: dict[str, int] = {}
        others: list[tuple[int, RegexPattern]] = []
        found: list[str] = []
        for number, line in enumerate(lines):
            if _PLACE.fullmatch(line):
                places[line[1:]] = number
                continue
            for each in patterns([line]).patterns:
                if isinstance(each, RegexPattern) and each.regex is not None:
                    others.append((number, each))
                    found.append(_GROUP_NAME.sub("(?:", each.regex.pattern))
        anywhere = [each.removeprefix(_ANYWHERE) for each in found if each.startswith(_ANYWHERE)]
        placed = [each for each in found if not each.startswith(_ANYWHERE)]
        if anywhere:
            placed.append(f"{_ANYWHERE}(?:{'|'.join(anywhere)})")
        return cls(start, places, others, re.compile("|".join(placed) or "(?!)"))

    def verdict(self, place: str) -> bool | None:
        """What the patterns say of a path in the tree, a folder's with a slash at its end; None where they
        say nothing. As in Git, the last one of the path itself decides: what a pattern says of a folder above
        keeps the tree from being read there, and `!*/` brings back no file."""
        inside = place[self.start :]
        last = max(self.places.get(each, -1) for each in (inside, inside.removesuffix("/")))
        if self.any_of.search(inside):
            for number, pattern in reversed(self.patterns):
                if number < last:
                    break
                if _is_of(pattern, inside):
                    return pattern.include
        return True if last >= 0 else None


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


def read_patterns(path: Path) -> list[str]:
    """The lines of an ignore file; none of one that cannot be read."""
    return (content_of(path) or b"").decode("utf-8-sig", "replace").splitlines()


def patterns(lines: Iterable[str]) -> GitIgnoreSpec:
    """The patterns on lines of an ignore file."""
    # The library does not take `a/**` for the folder itself.
    return git_patterns(_ALL_BELOW.sub(r"/**/*\1", line) for line in lines)
