"""The records and chunks of a sharded artifact, whose files each shard has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kb_runtime.knowledge.composition.records import ComposedChunks, ComposedRecords
from kb_runtime.store.catalog import Columns, RecordFile

if TYPE_CHECKING:
    from kb_runtime.knowledge.composition.numbering import Numbering
    from kb_runtime.store.catalog import Catalog


class ShardedCatalog(ComposedRecords):
    """Reads like a `Catalog`."""

    def __init__(self, catalogs: Sequence[Catalog], numbering: Numbering) -> None:
        super().__init__(catalogs, numbering)
        self._shards = catalogs

    def raw(self, index: int) -> bytes:
        """The record's encoded bytes: equal bytes mean equal records."""
        shard, own = self._numbering.locate(index)
        return self._shards[shard].raw(own)

    def close(self) -> None:
        for shard in self._shards:
            shard.close()


class ShardedChunks(ComposedChunks, Columns):
    """Reads like a `ChunkTable`; the columns are those of the whole."""

    def __init__(self, folder: str, shards: Sequence[str], numbering: Numbering) -> None:
        """`folder` is the build's folder, which has the columns; `shards` are the stems of the chunks of
        each shard. Raises `ArtifactError`."""
        self._shards = [RecordFile(stem) for stem in shards]
        ComposedChunks.__init__(self, self._shards, numbering)
        Columns.__init__(self, folder, len(numbering))

    def raw(self, row: int) -> bytes:
        """The encoded bytes of a chunk."""
        shard, own = self._numbering.locate(row)
        return self._shards[shard].raw(own)

    def close(self) -> None:
        super().close()
        for shard in self._shards:
            shard.close()
