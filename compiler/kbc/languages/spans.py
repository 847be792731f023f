"""Stretches of a text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple


class TextSpan(NamedTuple):
    """Characters [start, end) of a text."""

    start: int
    end: int


def merged(spans: Iterable[tuple[int, int]]) -> list[TextSpan]:
    """The characters of all `spans`, as spans in order and apart."""
    found: list[TextSpan] = []
    for start, end in sorted(spans):
        if found and start < found[-1].end:
            found[-1] = TextSpan(found[-1].start, max(found[-1].end, end))
        else:
            found.append(TextSpan(start, end))
    return found


def is_within(spans: Sequence[tuple[int, int]], place: int) -> bool:
    """Whether a place lies in one of `spans`, which are in order and apart."""
    at = bisect_right(spans, place, key=itemgetter(0))
    return at > 0 and place < spans[at - 1][1]
