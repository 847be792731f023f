"""The vectors of several parts, by the rows of the whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from kb_runtime.search.vectors import VectorRows

if TYPE_CHECKING:
    from kb_runtime.knowledge.composition.numbering import Numbering
    from kb_runtime.search.vectors import Floats, Rows


class ComposedVectors(VectorRows):
    """Gives rows like a `VectorIndex`; a subclass searches them. The parts without vectors are None."""

    def __init__(self, parts: Sequence[VectorRows | None], numbering: Numbering) -> None:
        self._parts = parts
        self._numbering = numbering

    def vector(self, row: int, dimensions: int) -> Floats:
        part, own = self._numbering.locate(row)
        vectors = self._parts[part]
        if vectors is None:
            return np.zeros(dimensions, dtype=np.float32)
        return vectors.vector(own, dimensions)

    def gather(self, rows: Rows, dimensions: int) -> Floats:
        found = np.zeros((len(rows), dimensions), dtype=np.float32)
        for vectors, at, own in self._split(rows):
            found[at] = vectors.gather(own, dimensions)
        return found

    def estimates(self, vector: Floats, rows: Rows) -> Floats:
        found = np.zeros(len(rows), dtype=np.float32)
        for vectors, at, own in self._split(rows):
            found[at] = vectors.estimates(vector, own)
        return found

    def absent(self, rows: Sequence[int]) -> Sequence[int]:
        """Those of the rows that have no vector."""
        if None not in self._parts:
            return ()
        owners = self._numbering.owners[np.array(rows, dtype=np.int64)].tolist()
        return [row for row, part in zip(rows, owners, strict=True) if self._parts[part] is None]

    def _split(self, rows: Rows) -> Iterator[tuple[VectorRows, Rows, Rows]]:
        """For every part that has vectors of some of the rows: it, the places of these in `rows`, and its
        own numbers of them."""
        for part, at, own in self._numbering.split(rows.astype(np.uint32)):
            vectors = self._parts[part]
            if vectors is not None:
                yield vectors, at, own
