"""Ignore files as Git reads them: what a pattern says of a path, and which pattern of several decides."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec, RegexPattern

from kb_runtime.errors.shortages import raise_shortage

_ANYWHERE = "^(?:.+/)?"  # how the library's expression for a pattern of any depth begins
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
        """What the patterns say of a path in the tree; None where they say nothing."""
        inside = place[self.start :]
        return self.spec.check_file(inside).include if self.any_of.search(inside) else None


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
    """Like Git, passes over a line that is no pattern."""
    good: list[str] = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue
        good.append(line)
    return GitIgnoreSpec.from_lines(good)
