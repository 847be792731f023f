"""The vectors of a sharded artifact: shards are compared at the same time, each of its rows exactly."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from kb_runtime.knowledge.composition.vectors import ComposedVectors
from kb_runtime.knowledge.sharding.nearest import Bound, Comparison
from kb_runtime.search.vectors import (
    EXACT_ROWS,
    RowRange,
    VectorHits,
    VectorIndex,
    check_direction,
    exact_cosines,
    merged,
    top,
)
from kb_runtime.store.rounded_rows import RoundedQuery

if TYPE_CHECKING:
    from kb_runtime.knowledge.composition.numbering import Numbering
    from kb_runtime.search.vectors import Floats, Mask, Rows


class ShardedVectors(ComposedVectors):
    """Reads like a `VectorIndex`. Safe to use from several threads."""

    def __init__(self, shards: Sequence[VectorIndex], numbering: Numbering) -> None:
        super().__init__(shards, numbering)
        self._shards = shards
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
        if any(one.end > len(self._numbering) or one.first_row < 0 for one in wanted):
            raise ValueError(f"a row range ends behind the last of {len(self._numbering)} rows")
        check_direction(vector)
        limit = max(1, limit)
        rounded, bound = RoundedQuery.of(vector), Bound(limit)
        blocks = [range(*block) for block in merged(wanted)]

        def of_share(share: range) -> Comparison:
            comparison = Comparison(vector, rounded, bound)
            for shard in share:
                numbers = self._numbering.parts[shard]
                own_mask = numbers.own_mask(mask)
                for own in numbers.own_ranges(blocks):
                    comparison.compare(self._shards[shard], numbers, own, own_mask)
            return comparison

        mine, *others = self._shares
        pending = [self._threads.submit(of_share, one) for one in others] if self._threads else []
        compared = [of_share(mine), *(each.result() for each in pending)]
        near = [rows for each in compared for rows in each.near()]
        rows = np.sort(np.concatenate(near)) if near else np.empty(0, dtype=np.int64)
        at, cosines = top(exact_cosines(vector, rows, self._take), limit)
        return VectorHits(rows[at].tolist(), cosines.tolist())

    def _take(self, rows: Rows, out: Floats) -> None:
        out[:] = self.gather(rows, out.shape[1])

    def first_misrounded(self) -> int | None:
        """The first row of a shard whose rounded copy is wrong; None if there is none."""
        for shard, vectors in enumerate(self._shards):
            if (own := vectors.first_misrounded()) is not None:
                return self._numbering.parts[shard].place(own)
        return None

    def close(self) -> None:
        """Stops the threads and forgets the maps."""
        if self._threads is not None:
            self._threads.shutdown()
        for shard in self._shards:
            shard.close()
