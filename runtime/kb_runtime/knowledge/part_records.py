"""The records of a collection as a federation shows them: under another name, without hidden records."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from kb_runtime.store.catalog import RecordTable
from kb_runtime.store.facets import Facet, Facets

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb_runtime.search.ports import Records

    Positions = NDArray[np.int64]
    Mask = NDArray[np.bool_]


class PartCatalog(RecordTable):
    """A catalog of which only the records at `kept` (ascending; None for all) are shown; each says
    that its collection is called `name`."""

    def __init__(self, catalog: Records, name: str, kept: Sequence[int] | None) -> None:
        self._catalog = catalog
        self._name = name
        self._kept: Sequence[int] = range(len(catalog)) if kept is None else kept

    def __len__(self) -> int:
        return len(self._kept)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self._shown(self._catalog[self._own(index)])

    def head(self, index: int) -> dict[str, Any]:
        """See `Catalog.head`."""
        return self._shown(self._catalog.head(self._own(index)))

    def _shown(self, record: dict[str, Any]) -> dict[str, Any]:
        if "collection" in record:
            record["collection"] = self._name
        return record

    def id(self, index: int) -> str:
        return self._catalog.id(self._own(index))

    def own_id(self, own: int) -> str:
        return self._catalog.id(own)

    def ids(self) -> list[str]:
        ids = self._catalog.ids()
        return [ids[own] for own in self._kept]

    def names(self) -> list[tuple[str, int]]:
        """Every key with its record, in the order of the records."""
        places = ((key, self.place(own)) for key, own in self._catalog.names())
        return [(key, place) for key, place in places if place is not None]

    def matches(self, key: str, *, folded: bool) -> list[int]:
        """The records with this key; see `Catalog.matches`."""
        places = map(self.place, self._catalog.matches(key, folded=folded))
        return [place for place in places if place is not None]

    def _own(self, index: int) -> int:
        if not 0 <= index < len(self._kept):
            raise IndexError(index)
        return int(self._kept[index])

    def place(self, own: int) -> int | None:
        """Where a record of the artifact is here; None for a hidden one."""
        at = bisect_left(self._kept, own)
        return at if at < len(self._kept) and self._kept[at] == own else None


class PartFacets:
    """Facets of which only the records at `kept`, of `total`, count. A value that none of them has
    does not exist."""

    def __init__(self, facets: Facets, kept: Positions, total: int) -> None:
        import numpy as np

        self._facets = facets
        self._kept = kept
        self._total = total
        self._mask = np.zeros(total, dtype=np.bool_)
        self._mask[kept] = True

    def values(self, name: str) -> Iterator[tuple[str, int]]:
        counts = self._facets.counts(name, self._mask)
        for (value, _), count in zip(self._facets.values(name), counts, strict=True):
            if count:
                yield value, count

    def count(self, name: str, value: str) -> int:
        return int(self._all([Facet(name, value)]).sum())

    def records(self, facets: Iterable[Facet], total: int) -> Mask:
        """Which of the `total` shown records have one of the values: bool [total]."""
        del total  # those that are kept
        return self._all(facets)

    def records_matching(
        self, name: str, patterns: Iterable[str], total: int, most: int
    ) -> tuple[Mask, list[str] | None]:
        """See `Facets.records_matching`. The values may be some that only hidden records have."""
        del total
        found, values = self._facets.records_matching(name, patterns, self._total, most)
        return found[self._kept], values

    def matching(self, name: str, pattern: str) -> list[str]:
        return [value for value in self._facets.matching(name, pattern) if self.count(name, value)]

    def count_matching(self, name: str, pattern: str) -> int:
        return len(self.matching(name, pattern))

    def near(self, name: str, value: str, limit: int) -> list[str]:
        return [one for one in self._facets.near(name, value, limit) if self.count(name, one)]

    def _all(self, facets: Iterable[Facet]) -> Mask:
        found: Mask = self._facets.records(facets, self._total)[self._kept]
        return found
