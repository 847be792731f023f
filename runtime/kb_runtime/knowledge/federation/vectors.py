"""Searches the vectors of several artifacts as one: cosines are comparable across parts.

This requires that one encoder made all of them. A part whose vectors are another encoder's, or that has
none, is not searched: its rows have the cosine 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kb_runtime.knowledge.composition.vectors import ComposedVectors
from kb_runtime.search.vectors import EXACT_ROWS, RowRange

if TYPE_CHECKING:
    from kb_runtime.knowledge.composition.numbering import Numbering
    from kb_runtime.knowledge.federation.layout import FederatedPart
    from kb_runtime.search.vectors import Comparison, Here, Mask, VectorRows


class FederatedVectors(ComposedVectors):
    """Reads like a `VectorIndex`. Safe to use from several threads."""

    def __init__(
        self,
        parts: Sequence[FederatedPart],
        vectors: Sequence[VectorRows | None],
        numbering: Numbering,
    ) -> None:
        """`vectors` are those of each part, None for one that is not asked."""
        super().__init__(vectors, numbering)
        self._ranges = [
            {
                info.first_row: RowRange(info.own.name, info.own.first_row, info.own.chunks)
                for info in part.collections
                if info.chunks
            }
            for part in parts
        ]
        # Above it a collection has a graph.
        self._exact_rows = [
            int((part.artifact.manifest.get("search") or {}).get("exact_rows", EXACT_ROWS))
            for part in parts
        ]

    def compare(
        self,
        comparison: Comparison,
        ranges: Sequence[RowRange],
        mask: Mask | None,
        exact_rows: int,
        here: Here | None = None,
    ) -> None:
        # A part says which of its collections have a graph, and a federation is no part itself.
        del exact_rows, here
        each = zip(self._parts, self._ranges, self._exact_rows, self._numbering.parts, strict=True)
        for vectors, known, own_exact, numbers in each:
            own = [known[one.first_row] for one in ranges if one.first_row in known]
            if vectors is not None and own:
                own_mask = numbers.own_mask(mask)
                vectors.compare(comparison, own, own_mask, own_exact, numbers.here)
