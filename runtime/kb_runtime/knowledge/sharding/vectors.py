"""The vectors of a sharded artifact: shards are compared at the same time, each of its rows exactly."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from kb_runtime.knowledge.sharding.nearest import Bound, Comparison, NearRows, exactly
from kb_runtime.search.vectors import (
    EXACT_ROWS,
    MIN_COSINE,
    DividedRows,
    RowRange,
    VectorHits,
    VectorIndex,
    check_direction,
    merged,
)
from kb_runtime.store.rounded_rows import RoundedQuery

if TYPE_CHECKING:
    from kb_runtime.knowledge.sharding.order import ShardOrder
    from kb_runtime.search.vectors import Floats, Mask, Rows


class ShardedVectors(DividedRows):
    """Reads like a `VectorIndex`. Safe to use from several threads."""

    def __init__(self, shards: Sequence[VectorIndex], order: ShardOrder) -> None:
        self._shards = shards
        self._order = order
        threads = max(1, min(len(shards), os.cpu_count() or 1))
        # Every so many-th shard is a thread's; the caller is one of the threads.
        self._shares = [range(first, len(shards), threads) for first in range(threads)]
        self._threads = (
            ThreadPoolExecutor(threads - 1, thread_name_prefix="shard") if threads > 1 else None
        )

    def search(
        self,
        vector: Floats,
        ranges: Sequence[RowRange],
        limit: int,
        mask: Mask | None = None,
        exact_rows: int = EXACT_ROWS,
    ) -> VectorHits:
        """The `limit` nearest rows; see `VectorIndex.search`. A shard has no graphs, so `exact_rows` is
        not needed here."""
        del exact_rows
        wanted = [one for one in ranges if one.rows]
        if any(one.end > len(self._order) or one.first_row < 0 for one in wanted):
            raise ValueError(f"a row range ends behind the last of {len(self._order)} rows")
        check_direction(vector)
        limit = max(1, limit)
        rounded, bound = RoundedQuery.of(vector), Bound(limit)
        blocks = [range(*block) for block in merged(wanted)]

        def of_share(share: range) -> list[NearRows]:
            comparison = Comparison(vector, rounded, bound)
            for shard in share:
                positions = self._order.positions[shard]
                own_mask = None if mask is None else mask[positions]
                for block in blocks:
                    own = self._order.own_range(shard, block)
                    if own:
                        comparison.compare(
                            shard, self._shards[shard], own.start, own.stop, own_mask
                        )
            return comparison.near

        mine, *others = self._shares
        pending = [self._threads.submit(of_share, one) for one in others] if self._threads else []
        near = of_share(mine)
        for each in pending:
            near += each.result()
        return self._best(vector, [one.above(bound.least) for one in near], limit)

    def _best(self, vector: Floats, near: Sequence[NearRows], limit: int) -> VectorHits:
        """The nearest of what is near, compared exactly, ties by row."""
        rows: list[Rows] = []
        cosines: list[Floats] = []
        for shard, own, found in exactly(vector, self._shards, near):
            at = np.flatnonzero(found > MIN_COSINE)
            rows.append(self._order.positions[shard][own[at]].astype(np.int64))
            cosines.append(found[at])
        if not rows:
            return VectorHits([], [])
        all_rows, all_cosines = np.concatenate(rows), np.concatenate(cosines)
        best = np.lexsort((all_rows, -all_cosines))[:limit]
        return VectorHits(all_rows[best].tolist(), all_cosines[best].tolist())

    def vector(self, row: int, dimensions: int) -> Floats:
        """One stored row, float32 [dimensions], read-only."""
        shard, own = self._order.locate(row)
        return self._shards[shard].vector(own, dimensions)

    def block(self, start: int, end: int, dimensions: int) -> Floats:
        """The stored rows from `start` to `end`, float32 [end - start, dimensions], a copy."""
        return self.gather(np.arange(start, end), dimensions)

    def split(self, rows: Rows) -> Iterator[tuple[VectorIndex, Rows, Rows]]:
        for shard, at, own in self._order.split(rows.astype(np.uint32)):
            yield self._shards[shard], at, own

    def first_misrounded(self) -> int | None:
        """The first row of a shard whose rounded copy is wrong; None if there is none."""
        for shard, vectors in enumerate(self._shards):
            if (own := vectors.first_misrounded()) is not None:
                return self._order.here(shard, own)
        return None

    def close(self) -> None:
        """Stops the threads and forgets the maps."""
        if self._threads is not None:
            self._threads.shutdown()
        for shard in self._shards:
            shard.close()
