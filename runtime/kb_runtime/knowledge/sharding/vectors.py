"""The vectors of a sharded artifact: shards are compared at the same time, each of its rows exactly."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from kb_runtime.knowledge.composition.vectors import ComposedVectors
from kb_runtime.search.vectors import check_within, merged

if TYPE_CHECKING:
    from kb_runtime.knowledge.composition.numbering import Numbering, PartNumbers
    from kb_runtime.search.vectors import Comparison, Here, Mask, RowRange, VectorIndex


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

    def compare(
        self,
        comparison: Comparison,
        ranges: Sequence[RowRange],
        mask: Mask | None,
        exact_rows: int,
        here: Here | None = None,
    ) -> None:
        del exact_rows  # a shard has no graphs
        check_within(ranges, len(self._numbering))
        blocks = merged(ranges)

        def compare_share(share: range) -> Comparison:
            of_share = comparison.beside()
            for shard in share:
                numbers = self._numbering.parts[shard]
                own_mask = numbers.own_mask(mask)
                for own in numbers.own_ranges(blocks):
                    self._shards[shard].scan(of_share, own, own_mask, _in(numbers, here))
            return of_share

        mine, *others = self._shares
        submit = self._threads and self._threads.submit
        pending = [submit(compare_share, share) for share in others] if submit else []
        comparison.join(compare_share(mine))
        for each in pending:
            comparison.join(each.result())

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


def _in(numbers: PartNumbers, here: Here | None) -> Here:
    """The rows of a shard in the whole that is searched, in which the artifact's own are `here`."""
    return numbers.here if here is None else lambda rows: here(numbers.here(rows))
