"""What is nearest in several indexes together: how near a row must be in one follows from all others.

An index alone has as many rows to compare exactly as are wanted of all. With what the indexes before it have
found already, most have none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kb_runtime.search.vectors import COARSE_SHARE, MIN_COSINE
from kb_runtime.store.rounded_rows import FLOAT_SLACK, RoundedQuery

if TYPE_CHECKING:
    from kb_runtime.knowledge.composition.numbering import PartNumbers
    from kb_runtime.search.vectors import Floats, Mask, Rows, VectorIndex


class Bound:
    """What a cosine must reach to be among the best `limit`, by what several threads have seen until now. It
    only rises, so a value that is a moment old leaves some rows too many and none too few."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.least = MIN_COSINE


class Comparison:
    """A query vector against the rows of several indexes, by one thread."""

    def __init__(self, vector: Floats, rounded: RoundedQuery, bound: Bound) -> None:
        self._vector = vector
        self._rounded = rounded
        self._bound = bound
        # The least that each of the best rows until now can be, of at most as many as are wanted.
        self._lows: Floats = np.empty(0, dtype=np.float32)
        self._near: list[tuple[Rows, Floats]] = []

    def compare(
        self, index: VectorIndex, numbers: PartNumbers, own: range, mask: Mask | None
    ) -> None:
        """The rows `own` of an index, which in the whole have the `numbers` of its part; `mask`, over all
        rows of it, says which may be found."""
        bound = self._bound
        cosines, wrong = index.compare(self._vector, self._rounded, own.start, own.stop)
        at = self._candidates(cosines, wrong, own.start, mask)
        if wrong > FLOAT_SLACK and len(at) > COARSE_SHARE * len(cosines):
            cosines, wrong = index.compare(self._vector, None, own.start, own.stop)
            at = _reaching(cosines, bound.least - wrong, own.start, mask)
        if len(at):
            self._near.append((numbers.here(at + own.start), cosines[at] + wrong))

    def near(self) -> list[Rows]:
        """The rows of the whole that may be among the nearest, piece by piece."""
        return [rows[most >= self._bound.least] for rows, most in self._near]

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
