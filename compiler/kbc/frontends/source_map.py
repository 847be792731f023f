"""Maps the lines of an expanded page to those of its file, where diagnostics point."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from difflib import Match, SequenceMatcher
from functools import cached_property

_MOST_LINES = 20_000
"""Of longer pages lines count in the text: comparing takes the square of what repeats."""


class SourceMap:
    """Which line of a file a line of its expanded text is; both count from 1."""

    def __init__(self, stored: str, text: str) -> None:
        """`stored` is the file, `text` the page with what it includes and without its directives. They are
        compared when the first line is asked for."""
        self._stored = stored
        self._text = text

    @cached_property
    def _same(self) -> Sequence[Match]:
        """Stretches of lines that both have, in order; the last one is empty and behind both ends."""
        before, after = self._stored.splitlines(), self._text.splitlines()
        if max(len(before), len(after)) > _MOST_LINES:
            before = after = []
        return [Match(0, 0, 0), *SequenceMatcher(None, before, after).get_matching_blocks()]

    def line(self, line: int) -> int:
        """The line of the file. Lines that only one of them has correspond in order: of what was inserted
        for a directive all are the directive's."""
        at = bisect_right(self._same, line - 1, key=lambda block: block.b) - 1
        block, inside = self._same[at], line - 1 - self._same[at].b
        if inside >= block.size and at + 1 < len(self._same):
            left = self._same[at + 1].a - block.a - block.size
            inside = block.size + min(inside - block.size, max(left - 1, 0))
        return block.a + inside + 1
