"""Groups the operations of a run into injection points, of which a campaign tries a few occurrences each.

A large command does the same again and again: it writes row after row of one file and file after file of
one cache. A point is an operation on a kind of file, after an operation of some sort on the same thread; a
kind of file is a path below the command's folder in which numbers, hashes and the random parts of names do
not count, nor where a command keeps the artifact that it builds, its cache, and what its collections are
called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

_ALIKE = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r"[\w-]{27}=", "*"),  # SHA-1 in base 64: names in the cache of the Hugging Face hub
        (r"(?<![^\W_])[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![^\W_])", "*"),
        (r"(?<![^\W_])(?=[a-f]*\d)[0-9a-f]{6,}(?![^\W_])", "*"),
        (r"(?<=\.tmp)\w{6}(?=/|$)", "*"),  # Rust's tempfile
        (r"((?<=\.)|(?<=/tmp))[a-z0-9_]{8}(?=/|$)", "*"),  # Python's
        (r"\d+", "#"),
        (r"[*#]([-.][*#])+", "*"),
        (r"^/(out/demo|cache/try/docs|ws/tests/index/tests)\b", "/OUT"),
        (r"^/ws/code/\*/(index|edits)/code\b", "/OUT"),
        (r"^/ws/cache\b", "/cache"),
        (r"(?<=/catalog/)(?!chunks\b)[^/.]+(?=\.)", "*"),
    )
)


_FIELDS = 4
"""Thread, operation, and two paths."""


class Point(NamedTuple):
    """`operation` and `before`, that of the thread's operation before it, are as a trace names them."""

    operation: str
    path: str
    other: str
    before: str


def kind_of_file(path: str, folder: Path) -> str:
    path = path.removeprefix(str(folder))
    for pattern, name in _ALIKE:
        path = pattern.sub(name, path)
    return path


def points(trace: Iterable[str], folder: Path) -> list[Point]:
    """The point of each operation of a run in `folder`, from its trace. A line that a process did not live to
    finish is none."""
    found = []
    before: dict[str, str] = {}
    for line in trace:
        fields = line.rstrip("\n").split("\t")
        if len(fields) < _FIELDS:
            continue
        thread, operation, *paths = fields
        path, other = (kind_of_file(each, folder) for each in paths)
        found.append(Point(operation, path, other, before.get(thread, "")))
        before[thread] = operation
    return found


def occurrences(found: list[Point], most: int, wanted: set[Point]) -> list[int]:
    """The numbers, from 1, of the operations to try: of each wanted point the first, with `most` 2 the last
    as well, and with 3 one in the middle."""
    numbers: dict[Point, list[int]] = {}
    for number, point in enumerate(found, 1):
        if point in wanted:
            numbers.setdefault(point, []).append(number)
    chosen: set[int] = set()
    for all_ in numbers.values():
        chosen.update((all_[0], all_[-1], all_[len(all_) // 2])[:most])
    return sorted(chosen)
