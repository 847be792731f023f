"""Writes the vector section: all rows for the exact scan, and a graph for each collection.

The same vectors give the same bytes: graphs are built on one thread, in row order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kb_runtime.vectors import GRAPH_SUFFIX, ROWS_FILE, RowRange

if TYPE_CHECKING:
    from numpy.typing import NDArray

# HNSW degree and breadth of construction: recall@10 of 0.998 at a search breadth of 128 on 8,000 real
# chunks, 1 ms of CPU per row.
CONNECTIVITY = 16
EXPANSION_ADD = 128
EXPANSION_SEARCH = 128
# Bytes converted and written at a time, so that a large matrix is never copied whole.
_BLOCK_ROWS = 16_384
_NORM_TOLERANCE = 1e-3


class VectorError(ValueError):
    """Vectors that cannot be an index: a defect of the phase that made them."""


@dataclass(frozen=True, slots=True)
class VectorStats:
    """What was written; `graphs` counts the collections that have rows."""

    rows: int
    dimensions: int
    graphs: int
    size_bytes: int


def write_vectors(
    folder: Path, vectors: NDArray[np.float32], ranges: Sequence[RowRange]
) -> VectorStats:
    """Writes `rows.f32` and one `.usearch` file for each range with rows into `folder`.

    `vectors` is float32 [n, d], every row of norm 1; the ranges cover the rows in order, without
    gaps. Keys in a graph are positions within its range. Raises `VectorError`.
    """
    _check(vectors, ranges)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ROWS_FILE).open("wb") as file:
        for start in range(0, len(vectors), _BLOCK_ROWS):
            file.write(vectors[start : start + _BLOCK_ROWS].astype("<f4", copy=False).tobytes())
    filled = [one for one in ranges if one.rows]
    for one in filled:
        _write_graph(folder / (one.name + GRAPH_SUFFIX), vectors[one.first_row : one.end])
    size_bytes = sum(file.stat().st_size for file in folder.iterdir())
    return VectorStats(len(vectors), vectors.shape[1], len(filled), size_bytes)


def _check(vectors: NDArray[np.float32], ranges: Sequence[RowRange]) -> None:
    if vectors.ndim != 2 or vectors.dtype != np.float32:
        raise VectorError(f"expected float32 [n, d], not {vectors.dtype} {list(vectors.shape)}")
    row = 0
    for one in ranges:
        if one.first_row != row or one.rows < 0:
            raise VectorError(f"the rows of {one.name!r} start at {one.first_row}, not at {row}")
        row = one.end
    if row != len(vectors):
        raise VectorError(f"the collections cover {row} rows of {len(vectors)}")
    for start in range(0, len(vectors), _BLOCK_ROWS):
        block = vectors[start : start + _BLOCK_ROWS]
        norms = np.sqrt(np.einsum("ij,ij->i", block, block))
        wrong = np.flatnonzero(~(np.abs(norms - 1) <= _NORM_TOLERANCE))
        if len(wrong):
            at = int(wrong[0])
            raise VectorError(f"row {start + at} has norm {norms[at]}, not 1")


def _write_graph(path: Path, vectors: NDArray[np.float32]) -> None:
    # In this order: see `kb_runtime.vectors._open_graph`.
    import onnxruntime  # noqa: F401
    from usearch.index import Index

    graph = Index(
        ndim=vectors.shape[1],
        metric="ip",  # of normalised vectors: the cosine, without dividing by norms again
        dtype="f16",
        connectivity=CONNECTIVITY,
        expansion_add=EXPANSION_ADD,
        expansion_search=EXPANSION_SEARCH,
    )
    graph.add(np.arange(len(vectors), dtype=np.uint64), vectors, threads=1, copy=True)
    graph.save(str(path))
