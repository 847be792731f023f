"""Writes the vector section: all rows for the exact scan, and a graph for each large collection.

The same vectors give the same bytes: graphs are built on one thread, in row order.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kb_runtime.search.onnx_engine import onnxruntime
from kb_runtime.search.vectors import GRAPH_SUFFIX, ROWS_FILE, RowRange
from kb_runtime.store.rounded_rows import COARSE_FILE

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
# The bound on what rounding takes off a row is a multiple of 1 by this.
_ERROR_STEPS = 1 << 20


class GraphMemory:
    """The graphs of the last build in this process, by their vectors: a collection that did not change
    keeps its graph. A graph is a function of its vectors and of this module."""

    def __init__(self) -> None:
        self._graphs: dict[bytes, bytes] = {}
        self._used: dict[bytes, bytes] = {}

    def get(self, vectors: NDArray[np.float32]) -> tuple[bytes, bytes | None]:
        """The key of these vectors, and the file of their graph if it was built before."""
        key = hashlib.sha256(vectors.data).digest() + len(vectors).to_bytes(8, "little")
        return key, self._used.get(key) or self._graphs.get(key)

    def put(self, key: bytes, graph: bytes) -> None:
        self._used[key] = graph

    def forget_unused(self) -> None:
        """Ends a build: graphs that it did not use go."""
        self._graphs, self._used = self._used, {}


def write_vectors(
    folder: Path,
    vectors: NDArray[np.float32],
    ranges: Sequence[RowRange],
    memory: GraphMemory | None = None,
    graphs_above: int = 0,
) -> None:
    """Writes `rows.f32`, a `.usearch` file for each range of more than `graphs_above` rows, and `rows.i8`
    where a range has fewer, into `folder`.

    `vectors` is float32 [n, d], every row of norm 1; the ranges cover the rows in order, without
    gaps. Keys in a graph are positions within its range. Graphs that `memory` has are taken from
    there. Raises `ValueError`.
    """
    _check(vectors, ranges)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ROWS_FILE).open("wb") as file:
        for start in range(0, len(vectors), _BLOCK_ROWS):
            file.write(vectors[start : start + _BLOCK_ROWS].astype("<f4", copy=False).tobytes())
    if any(0 < one.rows <= graphs_above for one in ranges):
        _write_coarse(folder / COARSE_FILE, vectors)
    large = [one for one in ranges if one.rows > graphs_above]
    for one in large:
        graph = _graph(vectors[one.first_row : one.end], memory)
        (folder / (one.name + GRAPH_SUFFIX)).write_bytes(graph)


def _write_coarse(path: Path, vectors: NDArray[np.float32]) -> None:
    """The rows with 8 bits a number; `docs/format.md` describes the file."""
    scales = np.empty(len(vectors), dtype="<f4")
    error = 0.0
    with path.open("wb") as file:
        for start in range(0, len(vectors), _BLOCK_ROWS):
            rows = vectors[start : start + _BLOCK_ROWS]
            own = np.abs(rows).max(axis=1, keepdims=True) / np.float32(127)
            codes = np.rint(rows / own).astype(np.int8)
            file.write(codes.tobytes())
            scales[start : start + len(rows)] = own[:, 0]
            lost = rows.astype(np.float64) - codes * own.astype(np.float64)
            error = max(error, float(np.einsum("ij,ij->i", lost, lost).max()))
        file.write(bytes(-vectors.size % 4))
        file.write(scales.tobytes())
        # Rounded up, so that it does not depend on the order in which this machine sums.
        bound = math.ceil(math.sqrt(error) * _ERROR_STEPS) / _ERROR_STEPS
        file.write(np.array([bound], dtype="<f4").tobytes())


def _check(vectors: NDArray[np.float32], ranges: Sequence[RowRange]) -> None:
    if vectors.ndim != 2 or vectors.dtype != np.float32:
        raise ValueError(f"expected float32 [n, d], not {vectors.dtype} {list(vectors.shape)}")
    row = 0
    for one in ranges:
        if one.first_row != row or one.rows < 0:
            raise ValueError(f"the rows of {one.name!r} start at {one.first_row}, not at {row}")
        row = one.end
    if row != len(vectors):
        raise ValueError(f"the collections cover {row} rows of {len(vectors)}")
    for start in range(0, len(vectors), _BLOCK_ROWS):
        block = vectors[start : start + _BLOCK_ROWS]
        norms = np.sqrt(np.einsum("ij,ij->i", block, block))
        wrong = np.flatnonzero(~(np.abs(norms - 1) <= _NORM_TOLERANCE))
        if len(wrong):
            at = int(wrong[0])
            raise ValueError(f"row {start + at} has norm {norms[at]}, not 1")


def _graph(vectors: NDArray[np.float32], memory: GraphMemory | None) -> bytes:
    """The file of the graph over `vectors`."""
    if memory is None:
        return _build_graph(vectors)
    key, graph = memory.get(vectors)
    if graph is None:
        graph = _build_graph(vectors)
    memory.put(key, graph)
    return graph


def _build_graph(vectors: NDArray[np.float32]) -> bytes:
    onnxruntime()  # before usearch
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
    saved = graph.save()
    assert saved is not None  # a path was not given
    return bytes(saved)
