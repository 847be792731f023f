"""The parts of a solved program that learners are to write, and the program without them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_MARK = re.compile(
    r"[^\w\n]*+(BEGIN|END)(?:[ ]SOLUTION)?\b(?:[^\w\n]*+|[ ]*+\([^()\n]*\)[^\w\n]*+)"
)


class Blank(NamedTuple):
    """`length` units of UTF-16 from `offset` on, in a text with "\\n" line ends, and what learners find in
    their place."""

    offset: int
    length: int
    shown: str


def marked(text: str) -> Iterator[Blank]:
    """What is between comments that say `BEGIN` and `END`, or `BEGIN SOLUTION` and `END SOLUTION`; a mark
    that nothing ends marks nothing."""
    offset, start = 0, None
    for line in text.splitlines(keepends=True):
        mark = _MARK.fullmatch(line.rstrip("\n"))
        if mark and mark[1] == "END" and start is not None:
            yield Blank(start, offset - start, "")
            start = None
        offset += len(line.encode("utf-16-le")) // 2
        if mark and mark[1] == "BEGIN":
            start = offset


def blanked(text: str, blanks: Sequence[Blank]) -> str:
    """A text as learners find it; blanks that lie beyond its end, or within others, are left as they are."""
    units = text.encode("utf-16-le")
    parts: list[bytes] = []
    done = 0
    for blank in sorted(blanks):
        start, end = 2 * blank.offset, 2 * (blank.offset + blank.length)
        if done <= start <= end <= len(units):
            parts += (units[done:start], blank.shown.encode("utf-16-le"))
            done = end
    return b"".join([*parts, units[done:]]).decode("utf-16-le", "replace")
