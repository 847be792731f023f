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
    Here = Callable[[Rows], Rows]

ROWS_FILE = "rows.f32"
GRAPH_SUFFIX = ".usearch"

# Rows of one collection up to which every row is compared. A scan of the rounded rows takes 2 ms for 100,000
# rows of 384 numbers and finds every one of the nearest. A graph takes 1 ms, misses 1 to 2 % of them, and
# takes a build up to 1 ms of one core for each row after every edit.
EXACT_ROWS = 200_000
# Of a collection with a graph, rows that a filter leaves are compared one by one up to this number: 2 ms.
_GATHERED_ROWS = 20_000
# Where rounding leaves more than this share of the rows as candidates, all of them are compared at once.
_COARSE_SHARE = 0.25
# The last rows of a product that are no full group can get other bits than the same rows in another product.
_GROUP_ROWS = 4
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
        if vector.ndim != 1:
            raise ValueError(f"a query vector has one dimension, not {vector.ndim}")
        if not 0.0 < float(vector @ vector) < math.inf:  # nor NaN
            raise ValueError("the query vector is zero or not finite")
        comparison = Comparison(vector, RoundedQuery.of(vector), Bound(max(1, limit)))
        self.compare(comparison, [one for one in ranges if one.rows], mask, exact_rows)
        return comparison.nearest()

    def compare(
        self,
        comparison: Comparison,
        ranges: Sequence[RowRange],
        mask: Mask | None,
        exact_rows: int,
        here: Here | None = None,
    ) -> None:
        """Adds the rows of `ranges`, of which none is empty, that may be among the nearest; see `search`.
        `here` gives their numbers in the whole that is searched, None where this is all of it."""
        raise NotImplementedError

    def vector(self, row: int, dimensions: int) -> Floats:
        """One stored row, float32 [dimensions], read-only; zeros where there is none."""
        raise NotImplementedError

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


class Bound:
    """What a cosine must reach to be among the best `limit`, by what several threads have seen until now. It
    only rises, so a value that is a moment old leaves some rows too many and none too few."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.least = MIN_COSINE


class _Near(NamedTuple):
    """See `Comparison.add`."""

    matrix: Floats
    rows: Rows
    most: Floats
    here: Here | None


class Comparison:
    """A query vector against the rows of an index, or of one index after the other, by one thread.

    How near a row must be follows from all rows before it. An index alone has as many to compare exactly as
    are wanted of all; with what others have found already, most have none.
    """

    def __init__(self, vector: Floats, rounded: RoundedQuery, bound: Bound) -> None:
        self.vector = vector
        self.rounded = rounded
        self.bound = bound
        self.estimates: Floats | None = None
        """Those of `VectorHits`."""
        self.lows: Floats | None = None
        """The least that each of the best rows until now can be, of at most as many as are wanted."""
        self._near: list[_Near] = []

    def beside(self) -> Comparison:
        """For another thread, with the same bound."""
        return Comparison(self.vector, self.rounded, self.bound)

    def join(self, other: Comparison) -> None:
        self._near += other._near

    def add(self, matrix: Floats, rows: Rows, most: Floats, here: Here | None) -> None:
        """Rows of an index, int64 [n], with its `matrix`, float32 [its rows, d], and the most that the cosine
        of each can be, float32 [n]; `here` gives their numbers in the whole, None where they have these."""
        if len(rows):
            self._near.append(_Near(matrix, rows, most, here))

    def nearest(self) -> VectorHits:
        """The best of what was added, compared exactly."""
        import numpy as np

        near = [(each, each.rows[each.most >= self.bound.least]) for each in self._near]
        if not near:
            return VectorHits([], [], self.estimates)
        found = [own if each.here is None else each.here(own) for each, own in near]
        rows = np.concatenate(found)
        cosines = self._exactly([(each.matrix, own) for each, own in near])
        order = np.argsort(rows, kind="stable")
        at, cosines = _top(cosines[order], self.bound.limit)
        return VectorHits(rows[order[at]].tolist(), cosines.tolist(), self.estimates)

    def _exactly(self, near: Sequence[tuple[Floats, Rows]]) -> Floats:
        """The cosines of some rows of matrices, float32 [rows of all], a block at a time."""
        import numpy as np

        count = sum(len(rows) for _, rows in near)
        cosines = np.empty(count, dtype=np.float32)
        most = min(count, _BLOCK_ROWS)
        block = np.empty((-(-most // _GROUP_ROWS) * _GROUP_ROWS, len(self.vector)), np.float32)
        block[most:] = 0.0
        done = filled = 0
        for matrix, rows in near:
            while len(rows):
                some, rows = rows[: most - filled], rows[most - filled :]
                place = block[filled : filled + len(some)]
                # `clip` checks nothing that rows could fail, and unlike `raise` does not buffer once more.
                matrix.take(some, axis=0, out=place, mode="clip")
                filled += len(some)
                if filled == most or done + filled == count:
                    cosines[done : done + filled] = (block @ self.vector)[:filled]
                    done, filled = done + filled, 0
        return cosines

    def candidates(self, cosines: Floats, wrong: float, allowed: Mask | None) -> Rows:
        """Positions of rows, of those that are `allowed`, that may be among the best, where each of `cosines`
        can be wrong by `wrong`; raises the bound by what they are at least."""
        import numpy as np

        bound = self.bound
        if bound.least == MIN_COSINE:  # most reach it, and are not copied more than once
            able = cosines if allowed is None else cosines[allowed]
            if len(able) > bound.limit:
                last = float(np.partition(able, len(able) - bound.limit)[-bound.limit])
                bound.least = max(bound.least, last - wrong)
        at = np.flatnonzero(cosines >= bound.least - wrong)
        if allowed is not None:
            at = at[allowed[at]]
        lows = cosines[at] - np.float32(wrong)
        if self.lows is not None:
            lows = np.concatenate((self.lows, lows))
        if len(lows) > bound.limit:
            lows = np.partition(lows, len(lows) - bound.limit)[-bound.limit :]
        self.lows = lows
        if len(lows) == bound.limit:
            bound.least = max(bound.least, float(lows.min()))
        return at[cosines[at] >= bound.least - wrong]


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

    def compare(
        self,
        comparison: Comparison,
        ranges: Sequence[RowRange],
        mask: Mask | None,
        exact_rows: int,
        here: Here | None = None,
    ) -> None:
        import numpy as np

        matrix = self._matrix(comparison.vector)
        check_within(ranges, len(matrix))
        for block in merged([one for one in ranges if one.rows <= exact_rows]):
            self.scan(comparison, block, mask, here)
        for one in ranges:
            if one.rows > exact_rows:
                rows = self._large(comparison, one, mask, exact_rows)
                comparison.add(matrix, rows, np.full(len(rows), np.inf, dtype=np.float32), here)

    def scan(
        self, comparison: Comparison, rows: range, mask: Mask | None, here: Here | None
    ) -> None:
        """Adds those of some rows that may be among the nearest: by the rounded rows where there are some,
        unless these leave many."""
        matrix = self._matrix(comparison.vector)
        allowed = None if mask is None else mask[rows.start : rows.stop]
        coarse, lows = self._coarse, comparison.lows
        if coarse is not None:
            cosines, wrong = coarse.cosines(comparison.rounded, rows.start, rows.stop)
            if here is None and mask is None and len(rows) == len(matrix):
                comparison.estimates = cosines
            at = comparison.candidates(cosines, wrong, allowed)
        if coarse is None or len(at) > _COARSE_SHARE * len(rows):
            cosines, wrong = matrix[rows.start : rows.stop] @ comparison.vector, FLOAT_SLACK
            comparison.lows = lows  # no row counts twice
            at = comparison.candidates(cosines, wrong, allowed)
        comparison.add(matrix, at + rows.start, cosines[at] + wrong, here)

    def vector(self, row: int, dimensions: int) -> Floats:
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
        if len(self._numbers) % dimensions:
            raise ValueError(f"a vector of shape {vector.shape} does not fit the stored rows")
        return self._numbers.reshape(-1, dimensions)

    def _large(
        self, comparison: Comparison, one: RowRange, mask: Mask | None, exact_rows: int
    ) -> Rows:
        """Rows of a collection with a graph. Filters come first: a selective one leaves few enough."""
        import numpy as np

        count = max(_OVER_FETCH * comparison.bound.limit, _MIN_EXPANSION)
        if mask is not None:
            allowed = np.flatnonzero(mask[one.first_row : one.end]) + one.first_row
            if len(allowed) <= min(exact_rows, _GATHERED_ROWS):
                return allowed
            count = min(one.rows, count * one.rows // len(allowed) + 1)
        graph = self._graph(one, len(comparison.vector))
        with self._lock:  # the breadth of a search is a setting of the graph, not of the call
            graph.expansion_search = count  # type: ignore[misc]  # its setter comes after another
            keys = graph.search(comparison.vector, count, threads=1).keys
        rows: Rows = keys.astype(np.int64) + one.first_row
        return rows if mask is None else rows[mask[rows]]

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


def check_within(ranges: Sequence[RowRange], rows: int) -> None:
    """Raises `ValueError` where a range is not one of so many rows."""
    if any(one.end > rows or one.first_row < 0 for one in ranges):
        raise ValueError(f"a row range ends behind the last of {rows} rows")


def merged(ranges: Sequence[RowRange]) -> list[range]:
    """The ranges in row order, neighbours joined."""
    out: list[range] = []
    for one in sorted(ranges, key=lambda one: one.first_row):
        if out and out[-1].stop == one.first_row:
            out[-1] = range(out[-1].start, one.end)
        else:
            out.append(range(one.first_row, one.end))
    return out


def _top(cosines: Floats, limit: int) -> tuple[Rows, Floats]:
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
