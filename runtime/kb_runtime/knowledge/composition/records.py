"""The records of a collection and the chunks of a whole, each read from the part that has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kb_runtime.store.catalog import RecordTable

if TYPE_CHECKING:
    from kb_runtime.knowledge.composition.numbering import Numbering
    from kb_runtime.search.ports import Chunks, Records
    from kb_runtime.store.catalog import RecordFile


class ComposedRecords(RecordTable):
    """Reads like a `Catalog`, in the order of the whole."""

    def __init__(self, catalogs: Sequence[Records], numbering: Numbering) -> None:
        self._catalogs = catalogs
        self._numbering = numbering
        self._ids: list[str] | None = None

    def __len__(self) -> int:
        return len(self._numbering)

    def __getitem__(self, index: int) -> dict[str, Any]:
        part, own = self._numbering.locate(index)
        return self._catalogs[part][own]

    def head(self, index: int) -> dict[str, Any]:
        """See `Catalog.head`."""
        part, own = self._numbering.locate(index)
        return self._catalogs[part].head(own)

    def id(self, index: int) -> str:
        part, own = self._numbering.locate(index)
        return self._catalogs[part].id(own)

    def ids(self) -> Sequence[str]:
        """All ids, in the order of the records; kept once they were asked for."""
        if self._ids is None:
            out = [""] * len(self)
            for part, catalog in zip(self._numbering.parts, self._catalogs, strict=True):
                for place, id in zip(part.places(), catalog.ids(), strict=True):
                    if place is not None:
                        out[place] = id
            self._ids = out
        return self._ids

    def names(self) -> list[tuple[str, int]]:
        """Every key (ids, aliases ...) with its record, in the order of the records."""
        placed: list[tuple[str, int]] = []
        for part, catalog in zip(self._numbering.parts, self._catalogs, strict=True):
            places = part.places()
            found = ((key, places[own]) for key, own in catalog.names())
            placed += [(key, place) for key, place in found if place is not None]
        return sorted(placed, key=lambda one: one[1])

    def matches_by_rank(self, key: str, *, folded: bool) -> tuple[list[int], list[int]]:
        ranked: tuple[list[int], list[int]] = [], []
        for part, catalog in zip(self._numbering.parts, self._catalogs, strict=True):
            for here, found in zip(
                ranked, catalog.matches_by_rank(key, folded=folded), strict=True
            ):
                here += [place for place in map(part.place, found) if place is not None]
        return ranked


class ComposedChunks:
    """Gives chunks like a `ChunkTable`, in row order of the whole, of which a subclass has the columns."""

    def __init__(self, tables: Sequence[Chunks | RecordFile], numbering: Numbering) -> None:
        self._tables = tables
        self._numbering = numbering

    def __len__(self) -> int:
        return len(self._numbering)

    def __getitem__(self, row: int) -> dict[str, Any]:
        """The chunk of a row. Raises `IndexError` outside 0..len-1."""
        part, own = self._numbering.locate(row)
        chunk: dict[str, Any] = self._tables[part][own]
        return chunk
