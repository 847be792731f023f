"""What is nearest in several indexes together: how near a row must be in one follows from all others.

An index alone has as many rows to compare exactly as are wanted of all. With what the indexes before it have
found already, most have none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kb_runtime.search.vectors import COARSE_SHARE, GROUP_ROWS, MIN_COSINE
from kb_runtime.store.rounded_rows import FLOAT_SLACK, RoundedQuery

if TYPE_CHECKING:
    from kb_runtime.search.vectors import Floats, Mask, Rows, VectorIndex

# Rows that are compared exactly at a time, 1.5 MB.
_BLOCK_ROWS = 1_024


class Bound:
    """What a cosine must reach to be among the best `limit`, by what several threads have seen until now. It
    only rises, so a value that is a moment old leaves some rows too many and none too few."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.least = MIN_COSINE


class NearRows(NamedTuple):
    """Rows of one index that may be among the nearest, int64 [n], with the most that the cosine of each can
    be, float32 [n]."""

    shard: int
    rows: Rows
    most: Floats

    def above(self, least: float) -> NearRows:
        """Without the rows whose cosine cannot reach `least`."""
        at = self.most >= least
        return NearRows(self.shard, self.rows[at], self.most[at])


class Comparison:
    """A query vector against the rows of several indexes, by one thread."""

    def __init__(self, vector: Floats, rounded: RoundedQuery, bound: Bound) -> None:
        self._vector = vector
        self._rounded = rounded
        self._bound = bound
        # The least that each of the best rows until now can be, of at most as many as are wanted.
        self._lows: Floats = np.empty(0, dtype=np.float32)
        self.near: list[NearRows] = []

    def compare(
        self, shard: int, index: VectorIndex, start: int, end: int, mask: Mask | None
    ) -> None:
        """Rows start..end of an index; `mask`, over all rows of it, says which may be found."""
        bound = self._bound
        cosines, wrong = index.compare(self._vector, self._rounded, start, end)
        at = self._candidates(cosines, wrong, start, mask)
        if wrong > FLOAT_SLACK and len(at) > COARSE_SHARE * len(cosines):
            cosines, wrong = index.compare(self._vector, None, start, end)
            at = _reaching(cosines, bound.least - wrong, start, mask)
        if len(at):
            self.near.append(NearRows(shard, at + start, cosines[at] + wrong))

    def _candidates(self, cosines: Floats, wrong: float, start: int, mask: Mask | None) -> Rows:
        """Positions of rows that may be among the best; raises the bound by what they are at least."""
        bound = self._bound
        at = _reaching(cosines, bound.least - wrong, start, mask)
        lows = np.concatenate((self._lows, cosines[at] - np.float32(wrong)))
        if len(lows) > bound.limit:
            lows = np.partition(lows, len(lows) - bound.limit)[-bound.limit :]
        self._lows = lows
        if len(lows) == bound.limit:
            bound.least = max(bound.least, float(lows.min()))
        return at[cosines[at] >= bound.least - wrong]


def _reaching(cosines: Floats, least: float, start: int, mask: Mask | None) -> Rows:
    """Positions of cosines that are at least `least`, of rows from `start` on that `mask` admits."""
    at = np.flatnonzero(cosines >= least)
    return at if mask is None else at[mask[at + start]]


def exactly(
    vector: Floats, indexes: Sequence[VectorIndex], near: Sequence[NearRows]
) -> Iterator[tuple[int, Rows, Floats]]:
    """Of what is near, piece by piece: which index, its rows, and their cosines to `vector`."""
    for group in _groups(near):
        count = sum(len(rows) for _, rows in group)
        # Whole groups: the last rows of a product can get other bits.
        block = np.empty((-(-count // GROUP_ROWS) * GROUP_ROWS, len(vector)), dtype=np.float32)
        block[count:] = 0.0
        stop = 0
        for shard, rows in group:
            start, stop = stop, stop + len(rows)
            indexes[shard].take(rows, block[start:stop])
        cosines = block @ vector
        stop = 0
        for shard, rows in group:
            start, stop = stop, stop + len(rows)
            yield shard, rows, cosines[start:stop]


def _groups(near: Sequence[NearRows]) -> Iterator[list[tuple[int, Rows]]]:
    """Pieces of `near` that make about a block each."""
    group: list[tuple[int, Rows]] = []
    held = 0
    for shard, rows, _ in near:
        for start in range(0, len(rows), _BLOCK_ROWS):
            piece = rows[start : start + _BLOCK_ROWS]
            group.append((shard, piece))
            held += len(piece)
            if held >= _BLOCK_ROWS:
                yield group
                group, held = [], 0
    if group:
        yield group
