"""The chunks of a sharded artifact: texts from the shards, columns of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kb_runtime.store.catalog import Columns, RecordFile

if TYPE_CHECKING:
    from kb_runtime.knowledge.sharding.order import ShardOrder


class ShardedChunks(Columns):
    """Reads like a `ChunkTable`, in row order of the whole."""

    def __init__(self, folder: str, shards: Sequence[str], order: ShardOrder) -> None:
        """`folder` is the build's folder, which has the columns; `shards` are the stems of the chunks of
        each shard. Raises `ArtifactError`."""
        super().__init__(folder, len(order))
        self._shards = [RecordFile(stem) for stem in shards]
        self._order = order

    def __getitem__(self, row: int) -> dict[str, Any]:
        """The chunk of a row; see `ChunkTable`."""
        shard, own = self._order.locate(row)
        chunk: dict[str, Any] = self._shards[shard][own]
        return chunk

    def raw(self, row: int) -> bytes:
        shard, own = self._order.locate(row)
        return self._shards[shard].raw(own)

    def close(self) -> None:
        super().close()
        for shard in self._shards:
            shard.close()
