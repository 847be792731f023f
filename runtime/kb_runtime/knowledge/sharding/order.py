"""Where the records or rows of a sharded artifact are: positions of the whole, and those of each shard.

A record belongs to one shard, and every shard keeps the order of the whole. So the shard of each position
says everything: the own position is the number of earlier ones in the same shard.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from kb_runtime.store.catalog import MappedFile
from kb_runtime.store.integrity import inconsistent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Positions = NDArray[np.uint32]
    Places = NDArray[np.int64]

SHARDS = "shards"
"""The folder of the shards, and the field of the manifest that describes them."""
SUFFIX = ".u16"
"""Of `catalog/<collection>`: the shard of each record."""
ROWS = "columns/shard.u16"
"""The shard of each row."""
MOST_SHARDS = 1 << 12


class ShardOrder:
    """`positions[s]`, ascending, are the positions of the whole that shard s has, in its own order."""

    def __init__(self, path: str, sizes: Sequence[int]) -> None:
        """`sizes` says how many positions each shard has. Raises `ArtifactError` when `path` says
        otherwise."""
        file = MappedFile(path)
        if len(file.view) != 2 * sum(sizes):
            raise inconsistent(path)
        self._shards: NDArray[np.uint16] = np.frombuffer(file.view, dtype="<u2")
        if np.bincount(self._shards, minlength=len(sizes)).tolist() != list(sizes):
            raise inconsistent(path)
        # Stable, so that each shard's own are in the order of the whole.
        by_shard = np.argsort(self._shards, kind="stable").astype(np.uint32)
        self.positions: list[Positions] = np.split(by_shard, np.cumsum(sizes, dtype=np.int64)[:-1])

    def __len__(self) -> int:
        return len(self._shards)

    def locate(self, position: int) -> tuple[int, int]:
        """The shard of a position, and its own one. Raises `IndexError` outside 0..len-1."""
        if not 0 <= position < len(self):
            raise IndexError(position)
        shard = int(self._shards[position])
        return shard, int(self.positions[shard].searchsorted(np.uint32(position)))

    def split(self, positions: Positions) -> Iterator[tuple[int, Places, Places]]:
        """For every shard that has some of `positions`, uint32 [n]: where these are among them, and its
        own ones."""
        shards = self._shards[positions]
        for shard, own in enumerate(self.positions):
            at = np.flatnonzero(shards == shard)
            if len(at):
                yield shard, at, own.searchsorted(positions[at])

    def here(self, shard: int, own: int) -> int:
        """The position of the whole of a shard's own one."""
        return int(self.positions[shard][own])

    def own_range(self, shard: int, positions: range) -> range:
        """The own positions of a shard within `positions`."""
        ends = np.array([positions.start, positions.stop], dtype=np.uint32)
        first, stop = self.positions[shard].searchsorted(ends)
        return range(int(first), int(stop))

    def own_ranges(self, positions: range) -> list[range]:
        """For every shard that has some of `positions`, its own ones."""
        found = (self.own_range(shard, positions) for shard in range(len(self.positions)))
        return [one for one in found if one]
