"""The records of a collection, whichever shard they are in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kb_runtime.store.catalog import RecordTable

if TYPE_CHECKING:
    from kb_runtime.knowledge.sharding.order import ShardOrder
    from kb_runtime.store.catalog import Catalog


class ShardedCatalog(RecordTable):
    """Reads like a `Catalog`, in the order of the whole collection."""

    def __init__(self, catalogs: Sequence[Catalog], order: ShardOrder) -> None:
        self._catalogs = catalogs
        self._order = order
        self._ids: list[str] | None = None

    def __len__(self) -> int:
        return len(self._order)

    def __getitem__(self, index: int) -> dict[str, Any]:
        shard, own = self._order.locate(index)
        return self._catalogs[shard][own]

    def head(self, index: int) -> dict[str, Any]:
        """See `Catalog.head`."""
        shard, own = self._order.locate(index)
        return self._catalogs[shard].head(own)

    def raw(self, index: int) -> bytes:
        """The record's encoded bytes: equal bytes mean equal records."""
        shard, own = self._order.locate(index)
        return self._catalogs[shard].raw(own)

    def id(self, index: int) -> str:
        shard, own = self._order.locate(index)
        return self._catalogs[shard].id(own)

    def ids(self) -> Sequence[str]:
        """All ids, in the order of the records; kept once they were asked for."""
        if self._ids is None:
            out = [""] * len(self)
            for positions, catalog in zip(self._order.positions, self._catalogs, strict=True):
                for position, id in zip(positions.tolist(), catalog.ids(), strict=True):
                    out[position] = id
            self._ids = out
        return self._ids

    def names(self) -> list[tuple[str, int]]:
        """Every key (ids, aliases ...) with its record, in the order of the records."""
        placed: list[tuple[str, int]] = []
        for shard, catalog in enumerate(self._catalogs):
            positions = self._order.positions[shard].tolist()
            placed += [(key, positions[own]) for key, own in catalog.names()]
        return sorted(placed, key=lambda one: one[1])

    def matches(self, key: str, *, folded: bool) -> list[int]:
        """The records with this key, those whose id it is first, each group by position."""
        found = []
        for shard, catalog in enumerate(self._catalogs):
            ids, others = catalog.matches_by_rank(key, folded=folded)
            found += [(0, self._order.here(shard, own)) for own in ids]
            found += [(1, self._order.here(shard, own)) for own in others]
        return [position for _, position in sorted(found)]

    def close(self) -> None:
        for catalog in self._catalogs:
            catalog.close()
