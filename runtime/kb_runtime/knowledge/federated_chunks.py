"""The chunks of several artifacts as one table: each part's rows follow those of the part before it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kb_runtime.knowledge.lazy_readers import LazyReaders, opened_once
from kb_runtime.store.catalog import LABELLED, rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kb_runtime.knowledge.part_rows import PartRows
    from kb_runtime.search.ports import Chunks

    Column = NDArray[np.uint32]


class HiddenRecords(NamedTuple):
    """A collection of a part in which records are hidden: the rows of its artifact that are the
    collection's, and which of its records are shown (bool, one each)."""

    rows: range
    shown: NDArray[np.bool_]


class ChunkPart(NamedTuple):
    table: Chunks
    rows: PartRows
    hidden: Sequence[HiddenRecords]


class FederatedChunks:
    """Reads like a `ChunkTable`. Columns are put together when they are first asked for."""

    def __init__(self, parts: Sequence[ChunkPart]) -> None:
        self._parts = parts
        self._starts = [part.rows.first for part in parts]
        self._readers = LazyReaders()
        self._labels = {
            name: list(dict.fromkeys(one for part in parts for one in part.table.labels(name)))
            for name in LABELLED
        }

    def __len__(self) -> int:
        return self._parts[-1].rows.stop

    def __getitem__(self, row: int) -> dict[str, Any]:
        """The chunk of a row. Raises `IndexError` outside 0..len-1."""
        part = self._part(row)
        return part.table[part.rows.own(row)]

    @opened_once
    def column(self, name: str) -> memoryview:
        """One u32 per row, with the meaning that it has in a `ChunkTable`."""
        first = self._parts[0]
        if len(self._parts) == 1 and first.rows.kept is None:
            return first.table.column(name)
        return np.concatenate([self._own(part, name) for part in self._parts]).data

    @opened_once
    def answers(self) -> memoryview | None:
        found = [part.table.answers() for part in self._parts]
        if not any(found):
            return None
        columns = []
        for part, own in zip(self._parts, found, strict=True):
            column = np.zeros(len(part.table), "<u4") if own is None else np.frombuffer(own, "<u4")
            columns.append(column if part.rows.kept is None else column[part.rows.kept])
        return np.concatenate(columns).data

    def labels(self, name: str) -> Sequence[str]:
        """The values of the column `type` or `language`; those of the first part come first."""
        return self._labels[name]

    def rows_of(self, record: int, rows: range) -> range:
        return rows_of(self.column("record"), record, rows)

    def close(self) -> None:
        """Forgets the columns; the tables belong to their artifacts."""
        self._readers.close()

    def _part(self, row: int) -> ChunkPart:
        if not 0 <= row < len(self):
            raise IndexError(row)
        # A part without rows starts where the next one does, and so is never the last that does.
        return self._parts[bisect_right(self._starts, row) - 1]

    def _own(self, part: ChunkPart, name: str) -> Column:
        """A column of one part, as it is here."""
        column: Column = np.frombuffer(part.table.column(name), dtype="<u4")
        if name == "record" and part.hidden:
            column = column.copy()
            for collection in part.hidden:
                places = np.cumsum(collection.shown, dtype=np.uint32) - np.uint32(1)
                rows = slice(collection.rows.start, collection.rows.stop)
                column[rows] = places[column[rows]]
        if name in LABELLED and len(column):
            codes = {label: code for code, label in enumerate(self._labels[name])}
            recoded = np.array([codes[one] for one in part.table.labels(name)], dtype="<u4")
            column = recoded[column]
        return column if part.rows.kept is None else column[part.rows.kept]
