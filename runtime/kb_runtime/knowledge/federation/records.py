"""The records of a collection as a federation shows them: under another name, without hidden records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from kb_runtime.knowledge.composition.numbering import Numbering
from kb_runtime.knowledge.composition.records import ComposedRecords
from kb_runtime.store.facets import Facet, Facets

if TYPE_CHECKING:
    from kb_runtime.knowledge.composition.numbering import Mask
    from kb_runtime.search.ports import Records


class ShownRecords(ComposedRecords):
    """The records of a catalog, but for hidden ones; each says that its collection is called `name`."""

    def __init__(self, catalog: Records, name: str, shown: Mask | None) -> None:
        """`shown` says of each record whether it is, None: all."""
        super().__init__([catalog], Numbering.consecutive([len(catalog)], [shown]))
        self._catalog = catalog
        self._name = name

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self._named(super().__getitem__(index))

    def head(self, index: int) -> dict[str, Any]:
        return self._named(super().head(index))

    def own_id(self, own: int) -> str:
        return self._catalog.id(own)

    def place(self, own: int) -> int | None:
        """Where a record of the artifact is here; None for a hidden one."""
        return self._numbering.parts[0].place(own)

    def _named(self, record: dict[str, Any]) -> dict[str, Any]:
        if "collection" in record:
            record["collection"] = self._name
        return record


class ShownFacets:
    """Facets of which only the records that are `shown`, bool [all records], count. A value that none of them
    has does not exist."""

    def __init__(self, facets: Facets, shown: Mask) -> None:
        self._facets = facets
        self._shown = shown

    def values(self, name: str) -> Iterator[tuple[str, int]]:
        counts = self._facets.counts(name, self._shown)
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
        found, values = self._facets.records_matching(name, patterns, len(self._shown), most)
        return found[self._shown], values

    def matching(self, name: str, pattern: str) -> list[str]:
        return [value for value in self._facets.matching(name, pattern) if self.count(name, value)]

    def count_matching(self, name: str, pattern: str) -> int:
        return len(self.matching(name, pattern))

    def near(self, name: str, value: str, limit: int) -> list[str]:
        return [one for one in self._facets.near(name, value, limit) if self.count(name, one)]

    def _all(self, facets: Iterable[Facet]) -> Mask:
        found: Mask = self._facets.records(facets, len(self._shown))[self._shown]
        return found
