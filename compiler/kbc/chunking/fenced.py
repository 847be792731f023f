"""Sets the fenced code of a passage apart, so that a filter on languages and types finds each fence.

A fence takes along what introduces it, if that is too little to be found alone: the end of the text before
it, often a heading and a line. What follows the last fence and is too little goes with it as well.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from kbc.chunking.lines import TextLines
from kbc.chunking.packing import REMNANT
from kbc.languages.markdown import Fence

INTRODUCTION = 40
"""Tokens of a heading and a sentence or two. A longer text before a fence is a passage of its own."""


class FencedSpan(NamedTuple):
    """Characters [start, end). `language` is that of the fence in it ("" for a fence that names none),
    None for text. `introduction` is the line before the fence where that is in the piece before."""

    start: int
    end: int
    language: str | None = None
    introduction: str = ""


def pieces(lines: TextLines, start: int, end: int, fences: Sequence[Fence]) -> list[FencedSpan]:
    """Characters [start, end) in order and without loss. `fences` are those of the whole text, in order."""
    found: list[FencedSpan] = []
    place = start
    for first, stop, language in _inside(lines, start, end, fences):
        introduction = ""
        if place < first and lines.cost(*lines.holding(place, first)) > INTRODUCTION:
            found.append(FencedSpan(place, first))
            introduction = _last_line(lines, place, first)
            place = first
        found.append(FencedSpan(place, stop, language, introduction))
        place = stop
    if not found:
        return [FencedSpan(start, end)]
    if place < end:
        if lines.cost(*lines.holding(place, end)) < REMNANT:
            found[-1] = found[-1]._replace(end=end)
        else:
            found.append(FencedSpan(place, end))
    return found


def _inside(
    lines: TextLines, start: int, end: int, fences: Sequence[Fence]
) -> Iterator[tuple[int, int, str]]:
    """The parts of fences in [start, end), with their languages."""
    behind = bisect_left(fences, lines.number(start), key=attrgetter("end_line"))
    below = bisect_right(fences, lines.number(end - 1), key=attrgetter("start_line"))
    for fence in fences[behind:below]:
        first, stop = lines.indexes(fence.start_line, fence.end_line)
        begins, ends = max(lines.start(first), start), min(lines.start(stop), end)
        if begins < ends:
            yield begins, ends, fence.language


def _last_line(lines: TextLines, start: int, end: int) -> str:
    shown = lines.visible[start:end].split("\n")
    return next((line.strip() for line in reversed(shown) if line.strip()), "")
