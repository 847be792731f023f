"""Searches the vectors of several artifacts as one: cosines are comparable across parts.

This requires that one encoder made all of them. A part whose vectors are another encoder's, or that has
none, is not searched: its rows have the cosine 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kb_runtime.search.vectors import EXACT_ROWS, DividedRows, RowRange, VectorHits

if TYPE_CHECKING:
    from kb_runtime.knowledge.part_rows import PartRows
    from kb_runtime.knowledge.sharding.vectors import ShardedVectors
    from kb_runtime.search.vectors import Floats, Mask, Rows, VectorIndex, VectorRows


class VectorPart(NamedTuple):
    """`vectors` is None for a part that is not asked; `ranges` are its collections as its artifact
    has them, by their first row here; above `exact_rows` they have a graph."""

    vectors: VectorIndex | ShardedVectors | None
    rows: PartRows
    ranges: dict[int, RowRange]
    exact_rows: int


class FederatedVectors(DividedRows):
    """Reads like a `VectorIndex`. Safe to use from several threads."""

    def __init__(self, parts: Sequence[VectorPart]) -> None:
        self._parts = parts

    def search(
        self,
        vector: Floats,
        ranges: Sequence[RowRange],
        limit: int,
        mask: Mask | None = None,
        exact_rows: int = EXACT_ROWS,
    ) -> VectorHits:
        """The `limit` nearest rows of all parts; see `VectorIndex.search`. Which collections have a
        graph is the part's to say, so `exact_rows` is not needed here."""
        del exact_rows
        found: list[tuple[float, int]] = []
        for part in self._parts:
            own = [part.ranges[one.first_row] for one in ranges if _is_in(one, part)]
            if part.vectors is None or not own:
                continue
            own_mask = part.rows.own_mask(mask)
            hits = part.vectors.search(vector, own, limit, own_mask, part.exact_rows)
            here = part.rows.here(hits.rows)
            found += zip((-cosine for cosine in hits.cosines), here, strict=True)
        found.sort()
        best = list(islice(found, max(1, limit)))
        return VectorHits([row for _, row in best], [-cosine for cosine, _ in best])

    def vector(self, row: int, dimensions: int) -> Floats:
        """One row, float32 [dimensions]; zeros where there is none."""
        part = next(part for part in self._parts if row < part.rows.stop)
        if part.vectors is None:
            return np.zeros(dimensions, dtype=np.float32)
        return part.vectors.vector(part.rows.own(row), dimensions)

    def split(self, rows: Rows) -> Iterator[tuple[VectorRows, Rows, Rows]]:
        for part in self._parts:
            at = np.flatnonzero((rows >= part.rows.first) & (rows < part.rows.stop))
            if part.vectors is not None and len(at):
                yield part.vectors, at, np.array([part.rows.own(row) for row in rows[at].tolist()])

    def absent(self, rows: Sequence[int]) -> Sequence[int]:
        """Those of the rows that have no vector."""
        without = [part.rows for part in self._parts if part.vectors is None]
        return [row for row in rows if any(one.first <= row < one.stop for one in without)]


def _is_in(one: RowRange, part: VectorPart) -> bool:
    return bool(one.rows) and part.rows.first <= one.first_row < part.rows.stop
