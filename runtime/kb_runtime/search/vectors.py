"""The vector searcher: nearest rows by cosine, exact for small ranges, through HNSW for large ones.

Vectors are normalised, so cosine is the inner product. Rows are ordered by collection: a scope is a
few contiguous ranges, and an exact scan is a matrix product over mapped memory that copies nothing.

numpy and usearch are imported on first use: a lexical search needs neither.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from kb_runtime.errors import ArtifactError
from kb_runtime.search.encoder import limit_blas_threads
from kb_runtime.store.catalog import MappedFile
from kb_runtime.store.rounded_rows import (
    COARSE_FILE,
    FLOAT_SLACK,
    CoarseRows,
    RoundedQuery,
    map_numbers,
    read_coarse_rows,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from usearch.index import Index

    Floats = NDArray[np.float32]
    Rows = NDArray[np.int64]
    Mask = NDArray[np.bool_]

ROWS_FILE = "rows.f32"
GRAPH_SUFFIX = ".usearch"

# Rows of one collection up to which every row is compared. A scan of the rounded rows takes 2 ms for 100,000
# rows of 384 numbers and finds every one of the nearest. A graph takes 1 ms, misses 1 to 2 % of them, and
# takes a build up to 1 ms of one core for each row after every edit.
EXACT_ROWS = 200_000
# Of a collection with a graph, rows that a filter leaves are compared one by one up to this number: 2 ms.
_GATHERED_ROWS = 20_000
# Where rounding leaves more than this share of the rows as candidates, all of them are compared at once.
COARSE_SHARE = 0.25
# The last rows of a product that are no full group can get other bits than the same rows in another product.
GROUP_ROWS = 4
# Cosine at or below which a row is no candidate: it shares no more with the query than any text does.
MIN_COSINE = 0.05
# HNSW is asked for this many times the limit, and at least this many rows, whose cosines are then
# computed from the f32 rows: graph vectors are f16. Recall@10 is 0.998 and more at 128.
_OVER_FETCH = 2
_MIN_EXPANSION = 128
# Rows gathered at a time where a filter leaves scattered rows, into one buffer that stays in the
# processor's cache: 17,500 rows of 384 numbers take 2 ms. A new array for each block takes 64 ms, for
# the kernel has to hand out cleared pages for each.
_BLOCK_ROWS = 256


NO_GRAPHS: Mapping[str, tuple[int, int]] = MappingProxyType({})


class RowRange(NamedTuple):
    """The rows of one collection."""

    name: str
    first_row: int
    rows: int

    @property
    def end(self) -> int:
        return self.first_row + self.rows


class VectorHits(NamedTuple):
    """Rows with their cosines, best first, ties by row.

    `estimates`, float32 [all rows], are what `VectorIndex.estimates` gives for every row, where a search has
    compared them all by the rounded rows; None otherwise.
    """

    rows: list[int]
    cosines: list[float]
    estimates: Floats | None = None


class VectorRows:
    """What is asked of stored rows, by their numbers, wherever these are."""

    def gather(self, rows: Rows, dimensions: int) -> Floats:
        """The stored rows at `rows`, int64 [n], in this order: float32 [n, dimensions], a copy; zeros where
        there is none."""
        raise NotImplementedError

    def cosines(self, vector: Floats, rows: Sequence[int]) -> Floats:
        """The cosines of some rows to `vector`, float32 [len(rows)]."""
        import numpy as np

        found: Floats = np.vecdot(self.gather(np.array(rows, dtype=np.int64), len(vector)), vector)
        return found

    def estimates(self, vector: Floats, rows: Rows) -> Floats:
        """The cosines of the rows at `rows`, int64 [n], to `vector`, float32 [n]: by the rounded rows where
        there are some, and then wrong by some thousandths; 0 where there is no vector."""
        raise NotImplementedError

    def absent(self, rows: Sequence[int]) -> Sequence[int]:
        """Those of the rows that have no vector: none."""
        del rows
        return ()


class VectorIndex(VectorRows):
    """An open vector section. Safe to use from several threads."""

    def __init__(self, folder: str, graphs: Mapping[str, tuple[int, int]] = NO_GRAPHS) -> None:
        """`folder` is the build's `vectors` folder, verified; `graphs` are the collections whose graph is
        opened at once, with their rows and numbers in a row. Raises `ArtifactError`."""
        limit_blas_threads()
        self._folder = folder
        self._numbers = map_numbers(os.path.join(folder, ROWS_FILE))
        self._coarse = read_coarse_rows(os.path.join(folder, COARSE_FILE), len(self._numbers))
        self._lock = threading.Lock()
        self._graphs = {name: self._open(name, *shape) for name, shape in graphs.items()}

    def search(
        self,
        vector: Floats,
        ranges: Sequence[RowRange],
        limit: int,
        mask: Mask | None = None,
        exact_rows: int = EXACT_ROWS,
    ) -> VectorHits:
        """The `limit` (at least 1) rows of `ranges` nearest to `vector`.

        `vector` is float32 [d] of norm 1; `mask`, over all rows, says which may be found. Collections
        of more than `exact_rows` rows go through their graph, unless the mask leaves few of them.
        Raises `ValueError` for a vector that is not finite or does not fit the section.
        """
        limit = max(1, limit)
        matrix = self._matrix(vector)
        wanted = [one for one in ranges if one.rows]
        if any(one.end > len(matrix) or one.first_row < 0 for one in wanted):
            raise ValueError(f"a row range ends behind the last of {len(matrix)} rows")
        check_direction(vector)
        small = [one for one in wanted if one.rows <= exact_rows]
        blocks = merged(small)
        compared = _compared(self._coarse, vector, blocks)
        parts = [
            _scan(matrix, vector, start, end, limit, mask, estimated)
            for (start, end), estimated in zip(blocks, compared, strict=True)
        ]
        for one in wanted:
            if one.rows > exact_rows:
                parts.append(self._large(matrix, vector, one, limit, mask, exact_rows))
        if mask is None and blocks == [(0, len(matrix))] and compared[0] is not None:
            return _best(parts, limit)._replace(estimates=compared[0][0])
        return _best(parts, limit)

    def compare(
        self, vector: Floats, rounded: RoundedQuery | None, start: int, end: int
    ) -> tuple[Floats, float]:
        """The cosines of rows start..end to `vector`, float32 [end - start], a new array, and by how much
        each can be wrong: by the rounded rows where there are some and `rounded`, the vector's, is given.
        Raises `ValueError` for a vector that does not fit the section."""
        matrix = self._matrix(vector)
        if self._coarse is not None and rounded is not None:
            return self._coarse.cosines(rounded, start, end)
        return matrix[start:end] @ vector, FLOAT_SLACK

    def vector(self, row: int, dimensions: int) -> Floats:
        """One stored row, float32 [dimensions], read-only."""
        found: Floats = self._numbers.reshape(-1, dimensions)[row]
        return found

    def estimates(self, vector: Floats, rows: Rows) -> Floats:
        if self._coarse is None:
            import numpy as np

            found: Floats = np.vecdot(self.gather(rows, len(vector)), vector)
            return found
        return self._coarse.at(rows).cosines(RoundedQuery.of(vector), 0, len(rows))[0]

    def gather(self, rows: Rows, dimensions: int) -> Floats:
        found: Floats = self._numbers.reshape(-1, dimensions)[rows]
        return found

    def first_misrounded(self) -> int | None:
        """The first row whose rounded copy differs by more than the file says; None if there is none."""
        if self._coarse is None:
            return None
        import numpy as np

        codes, scales, error = self._coarse
        matrix = self._numbers.reshape(len(codes), -1)
        for start in range(0, len(codes), _BLOCK_ROWS):
            block = slice(start, start + _BLOCK_ROWS)
            lost = matrix[block] - codes[block] * scales[block, None]
            wrong = np.linalg.norm(lost, axis=1) > error + FLOAT_SLACK
            if wrong.any():
                return start + int(wrong.argmax())
        return None

    def close(self) -> None:
        """Forgets the graphs and the map, which go when no search uses them any more."""
        self._graphs.clear()
        self._coarse = None
        self._numbers = self._numbers[:0].copy()

    def _matrix(self, vector: Floats) -> Floats:
        dimensions = len(vector)
        if vector.ndim != 1 or not dimensions or len(self._numbers) % dimensions:
            raise ValueError(f"a vector of shape {vector.shape} does not fit the stored rows")
        return self._numbers.reshape(-1, dimensions)

    def _large(
        self,
        matrix: Floats,
        vector: Floats,
        one: RowRange,
        limit: int,
        mask: Mask | None,
        exact_rows: int,
    ) -> tuple[Rows, Floats]:
        """A collection with a graph. Filters come first: a selective one is scanned exactly."""
        import numpy as np

        count = max(_OVER_FETCH * limit, _MIN_EXPANSION)
        if mask is not None:
            allowed = np.flatnonzero(mask[one.first_row : one.end]) + one.first_row
            if len(allowed) <= min(exact_rows, _GATHERED_ROWS):
                return _gather(matrix, vector, allowed, limit)
            count = min(one.rows, count * one.rows // len(allowed) + 1)
        graph = self._graph(one, len(vector))
        with self._lock:  # the breadth of a search is a setting of the graph, not of the call
            graph.expansion_search = count  # type: ignore[misc]  # its setter comes after another
            keys = graph.search(vector, count, threads=1).keys
        rows = keys.astype(np.int64) + one.first_row
        if mask is not None:
            rows = rows[mask[rows]]
        rows.sort()
        return _gather(matrix, vector, rows, limit)

    def _graph(self, one: RowRange, dimensions: int) -> Index:
        graph = self._graphs.get(one.name)
        if graph is None:
            with self._lock:
                graph = self._graphs.get(one.name)
                if graph is None:
                    graph = self._graphs[one.name] = self._open(one.name, one.rows, dimensions)
        return graph

    def _open(self, name: str, rows: int, dimensions: int) -> Index:
        return _open_graph(os.path.join(self._folder, name + GRAPH_SUFFIX), rows, dimensions)


def check_direction(vector: Floats) -> None:
    """Raises `ValueError` for a vector of which no cosine can be told."""
    if not 0.0 < float(vector @ vector) < math.inf:  # nor NaN
        raise ValueError("the query vector is zero or not finite")


def _open_graph(path: str, rows: int, dimensions: int) -> Index:
    from kb_runtime.search.onnx_engine import onnxruntime
    from kb_runtime.store.graph_file import check_graph

    onnxruntime()  # before usearch
    from usearch.index import Index

    check_graph(path, MappedFile(path).view, rows, dimensions)
    try:
        graph = Index.restore(path, view=True)
    except (ValueError, RuntimeError, OSError) as error:
        raise ArtifactError("altered", f"{path} cannot be opened: {error}.") from error
    if graph is None:
        raise ArtifactError("altered", f"{path} is not a graph.")
    return graph


def merged(ranges: Sequence[RowRange]) -> list[tuple[int, int]]:
    """(start, end) of the ranges in row order, neighbours joined."""
    out: list[tuple[int, int]] = []
    for one in sorted(ranges, key=lambda one: one.first_row):
        if out and out[-1][1] == one.first_row:
            out[-1] = (out[-1][0], one.end)
        else:
            out.append((one.first_row, one.end))
    return out


def _compared(
    coarse: CoarseRows | None, vector: Floats, blocks: Sequence[tuple[int, int]]
) -> list[tuple[Floats, float] | None]:
    """What the rounded rows say of each block; None of each where there are none."""
    if coarse is None or not blocks:
        return [None] * len(blocks)
    rounded = RoundedQuery.of(vector)
    return [coarse.cosines(rounded, *block) for block in blocks]


def _scan(
    matrix: Floats,
    vector: Floats,
    start: int,
    end: int,
    limit: int,
    mask: Mask | None,
    estimated: tuple[Floats, float] | None,
) -> tuple[Rows, Floats]:
    """The best rows of start..end, by comparing all of them; `estimated` is what the rounded rows say."""
    allowed = None if mask is None else mask[start:end]
    if estimated is not None:
        rows = _possible(*estimated, limit, allowed)
        if len(rows) <= COARSE_SHARE * (end - start):
            return _gather(matrix, vector, rows + start, limit)
    rows = _possible(matrix[start:end] @ vector, FLOAT_SLACK, limit, allowed)
    return _gather(matrix, vector, rows + start, limit)


def _possible(cosines: Floats, wrong: float, limit: int, allowed: Mask | None) -> Rows:
    """Positions, ascending, that have those of the `limit` largest true cosines among them, where each of
    `cosines` can be wrong by `wrong`."""
    import numpy as np

    if allowed is not None:
        cosines[~allowed] = -2.0
    least = MIN_COSINE
    if len(cosines) > limit:
        last = np.partition(cosines, len(cosines) - limit)[len(cosines) - limit]
        least = max(float(last) - wrong, MIN_COSINE)
    return np.flatnonzero(cosines >= least - wrong)


def exact_cosines(vector: Floats, rows: Rows, take: Callable[[Rows, Floats], object]) -> Floats:
    """The cosines of rows, int64 [n], to `vector`, float32 [n], a block at a time: `take` copies the vectors
    of some rows into an array, float32 [some, d]."""
    import numpy as np

    cosines = np.empty(len(rows), dtype=np.float32)
    whole_groups = -(-min(len(rows), _BLOCK_ROWS) // GROUP_ROWS) * GROUP_ROWS
    buffer = np.empty((whole_groups, len(vector)), dtype=np.float32)
    buffer[min(len(rows), _BLOCK_ROWS) :] = 0.0
    for start in range(0, len(rows), _BLOCK_ROWS):
        block = rows[start : start + _BLOCK_ROWS]
        take(block, buffer[: len(block)])
        cosines[start : start + len(block)] = (buffer @ vector)[: len(block)]
    return cosines


def _gather(matrix: Floats, vector: Floats, rows: Rows, limit: int) -> tuple[Rows, Floats]:
    """The best of the given rows (ascending)."""

    def take(block: Rows, out: Floats) -> None:
        # `clip` checks nothing that rows could fail, and unlike `raise` does not buffer once more.
        matrix.take(block, axis=0, out=out, mode="clip")

    at, found = top(exact_cosines(vector, rows, take), limit)
    return rows[at], found


def top(cosines: Floats, limit: int) -> tuple[Rows, Floats]:
    """Positions of the `limit` largest cosines above the threshold, of equal ones the first; and these
    cosines."""
    import numpy as np

    least = MIN_COSINE
    if len(cosines) > limit:
        # Everything that ties with the last place is kept, so that the choice is not left to the
        # order in which a partial sort happens to leave equal values.
        least = np.partition(cosines, len(cosines) - limit)[len(cosines) - limit]
    at = np.flatnonzero(cosines >= least if least > MIN_COSINE else cosines > MIN_COSINE)
    found = cosines[at]
    order = np.argsort(-found, kind="stable")[:limit]
    return at[order], found[order]


def _best(parts: Sequence[tuple[Rows, Floats]], limit: int) -> VectorHits:
    if not parts:
        return VectorHits([], [])
    if len(parts) == 1:
        rows, cosines = parts[0]
        return VectorHits(rows.tolist(), cosines.tolist())
    import numpy as np

    rows = np.concatenate([rows for rows, _ in parts])
    cosines = np.concatenate([cosines for _, cosines in parts])
    order = np.lexsort((rows, -cosines))[:limit]
    return VectorHits(rows[order].tolist(), cosines[order].tolist())
