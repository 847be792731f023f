"""The chunks of several artifacts as one table, with columns that are put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kb_runtime.knowledge.composition.records import ComposedChunks
from kb_runtime.knowledge.lazy_readers import LazyReaders, opened_once
from kb_runtime.store.catalog import LABELLED, rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kb_runtime.knowledge.composition.numbering import Numbering
    from kb_runtime.knowledge.federation.layout import FederatedPart
    from kb_runtime.search.ports import Chunks

    Column = NDArray[np.uint32]


class FederatedChunks(ComposedChunks):
    """Reads like a `ChunkTable`. Columns are put together when they are first asked for."""

    def __init__(self, parts: Sequence[FederatedPart], numbering: Numbering) -> None:
        self._parts = parts
        self._own: list[Chunks] = [part.artifact.chunks for part in parts]
        super().__init__(self._own, numbering)
        self._readers = LazyReaders()
        self._labels = {
            name: list(dict.fromkeys(one for table in self._own for one in table.labels(name)))
            for name in LABELLED
        }

    @opened_once
    def column(self, name: str) -> memoryview:
        """One u32 per row, with the meaning that it has in a `ChunkTable`."""
        return self._joined([_as_array(table.column(name)) for table in self._own], name)

    @opened_once
    def answers(self) -> memoryview | None:
        found = [table.answers() for table in self._own]
        if not any(found):
            return None
        return self._joined(
            [
                np.zeros(len(table), "<u4") if own is None else _as_array(own)
                for table, own in zip(self._own, found, strict=True)
            ]
        )

    def labels(self, name: str) -> Sequence[str]:
        """The values of the column `type` or `language`; those of the first part come first."""
        return self._labels[name]

    def rows_of(self, record: int, rows: range) -> range:
        return rows_of(self.column("record"), record, rows)

    def close(self) -> None:
        """Forgets the columns; the tables belong to their artifacts."""
        self._readers.close()

    def _joined(self, columns: Sequence[Column], name: str = "") -> memoryview:
        """A column of all parts, as it is here."""
        joined = []
        for part, table, column in zip(self._parts, self._own, columns, strict=True):
            if name == "record":
                column = _as_shown(column, part)
            if name in LABELLED and len(column):
                codes = {label: code for code, label in enumerate(self._labels[name])}
                column = np.array([codes[one] for one in table.labels(name)], dtype="<u4")[column]
            joined.append(column if part.shown is None else column[part.shown])
        return np.concatenate(joined).data


def _as_array(column: memoryview) -> Column:
    return np.frombuffer(column, dtype="<u4")


def _as_shown(records: Column, part: FederatedPart) -> Column:
    """The records of a part's own rows, counted without those that are hidden."""
    if part.shown is None:
        return records
    records = records.copy()
    for info in part.collections:
        if info.shown is not None:
            places = np.cumsum(info.shown, dtype=np.uint32) - np.uint32(1)
            rows = slice(info.own.rows.start, info.own.rows.stop)
            records[rows] = places[records[rows]]
    return records
