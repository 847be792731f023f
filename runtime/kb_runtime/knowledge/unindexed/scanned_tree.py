"""A source tree without an index: its files in memory, searched by reading them.

The compiler lists the files that belong into an index before it begins with one. What is made of that list
answers like a draft: windows of lines, found by words.
"""

from __future__ import annotations

import hashlib
import os
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from kb_runtime.knowledge.lazy_readers import opened_once
from kb_runtime.knowledge.unindexed.empty import EmptyArtifact
from kb_runtime.knowledge.unindexed.lexical_scan import ScanIndex, ScannedTexts
from kb_runtime.store.catalog import LABELLED, RecordTable, fold, rows_of
from kb_runtime.store.listing import FileListing, ListedFile, read_listing
from kb_runtime.store.manifest import BUILD_ID_LENGTH
from kb_runtime.text.windows import defined_names, windows

MAX_TEXT_BYTES = 128 * 1024 * 1024
"""Of the files that are held; the others are found once there is an index. 17 MB take 60 MB of memory."""

_COLLECTION = "code"
# A pipe that has taken a file's place is not waited for.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class ScannedTree(EmptyArtifact):
    """Answers like a draft of the tree: everything is in memory. Stays usable after `close`."""

    def __init__(self, listing_path: str, name: str, prefix: str, files: dict[str, bytes]) -> None:
        """`prefix` is that of the tools; `files` are what `read` gives. A file that is not as it was listed,
        or cannot be read, is left out. Raises `ArtifactError`."""
        listing, digest = read_listing(listing_path)
        self.scanned_files = len(listing.files)  # as many are held as `MAX_TEXT_BYTES` allow
        self._records = _Records(listing)
        self._windows = _Windows(self._records)
        collection = {
            "name": _COLLECTION,
            "kind": "code",
            "records": len(self._records),
            "chunks": len(self._windows),
            "first_row": 0,
        }
        title = f"Source files of {os.path.basename(listing.tree)}"
        super().__init__(name, prefix, title, files, [collection], digest[:BUILD_ID_LENGTH])

    def catalog(self, name: str) -> Any:
        """The records. Raises `KeyError`."""
        self.collection(name)
        return self._records

    @property
    def chunks(self) -> Any:
        return self._windows

    @property
    @opened_once
    def lexical(self) -> Any:
        return ScanIndex(self._windows.texts)

    def prepare(self) -> None:
        """Makes what searches need."""
        _ = self.lexical, self.searcher

    @property
    def is_replaced(self) -> bool:
        return False


class _Records(RecordTable):
    """The files; see `catalog.Catalog`."""

    def __init__(self, listing: FileListing) -> None:
        self._tree = listing.tree
        self.files: list[ListedFile] = []
        self.texts: list[str] = []
        self._sizes: list[int] = []
        self._ids: list[str] = []
        left = MAX_TEXT_BYTES
        before = f"{listing.prefix}/" if listing.prefix else ""
        for file in listing.files:
            data = _content(os.path.join(listing.tree, file.path), left)
            if data is None or hashlib.sha256(data).hexdigest() != file.sha256:
                continue
            left -= len(data)
            self.files.append(file)
            self.texts.append(data.decode("utf-8-sig"))
            self._sizes.append(len(data))
            self._ids.append(before + file.path)
        self._places = {id: place for place, id in enumerate(self._ids)}

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return {**self.head(index), "text": self.texts[index]}

    def head(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        text, id = self.texts[index], self._ids[index]
        record = {
            "id": id,
            "collection": _COLLECTION,
            "title": id,
            "path": id,
            "size": self._sizes[index],
            "line": 1,
            "lines": text.count("\n") + (not text.endswith("\n")),
            "language": self.files[index].language,
            "workspace": self._tree,
            "sha256": self.files[index].sha256,
        }
        return {name: value for name, value in record.items() if value != ""}

    def id(self, index: int) -> str:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self._ids[index]

    def ids(self) -> Sequence[str]:
        return self._ids

    def names(self) -> list[tuple[str, int]]:
        return [(id, place) for place, id in enumerate(self._ids)]

    def matches_by_rank(self, key: str, *, folded: bool) -> tuple[list[int], list[int]]:
        if not folded:
            return [self._places[key]] if key in self._places else [], []
        wanted = fold(key)
        return [place for place, id in enumerate(self._ids) if fold(id) == wanted], []


class _Windows:
    """The windows of all files in order; see `catalog.ChunkTable`."""

    def __init__(self, records: _Records) -> None:
        found: list[str] = []
        columns: Mapping[str, array[int]] = {name: array("I") for name in ("record", *LABELLED)}
        self._labels: dict[str, list[str]] = {
            "type": sorted({file.type for file in records.files}),
            "language": sorted({file.language for file in records.files}),
        }
        codes = {
            name: {label: code for code, label in enumerate(labels)}
            for name, labels in self._labels.items()
        }
        for place, (file, text) in enumerate(zip(records.files, records.texts, strict=True)):
            type_, language = codes["type"][file.type], codes["language"][file.language]
            for window in windows(text):
                found.append(window)
                columns["record"].append(place)
                columns["type"].append(type_)
                columns["language"].append(language)
        self._columns = {name: memoryview(column) for name, column in columns.items()}
        self._records = records
        self._texts = found

    @property
    def texts(self) -> ScannedTexts:
        files = self._columns["record"].tolist()
        return ScannedTexts(
            paths=self._records.ids(),
            windows=self._texts,
            files=files,
            types=[self._records.files[file].type for file in files],
            languages=[self._records.files[file].language for file in files],
        )

    def __len__(self) -> int:
        return len(self._texts)

    def __getitem__(self, row: int) -> dict[str, Any]:
        if not 0 <= row < len(self):
            raise IndexError(row)
        place = self._columns["record"][row]
        file, id = self._records.files[place], self._records.id(place)
        text = self._texts[row]
        chunk = {
            "index": row - self.rows_of(place, range(len(self))).start,
            "text": text,
            "start_line": self.column("start_line")[row],
            "end_line": self.column("end_line")[row],
            "type": file.type,
            "language": file.language,
            "title": id,
            "breadcrumb": [id],
            "section_line": 0,
            "section_level": 0,
            "identifiers": list(defined_names(text)),
        }
        return {name: value for name, value in chunk.items() if value not in ("", [])}

    def column(self, name: str) -> memoryview:
        if name not in self._columns:
            self._columns |= self._lines()
        return self._columns[name]

    def answers(self) -> None:
        """No chunk is of an answer."""

    def _lines(self) -> dict[str, memoryview]:
        """The first and the last line of each window; counted when a result is shown."""
        first, last = array("I"), array("I")
        place, line = -1, 1
        for own, text in zip(self._columns["record"], self._texts, strict=True):
            if own != place:
                place, line = own, 1
            ends = text.count("\n")
            first.append(line)
            last.append(line + ends - text.endswith("\n"))
            line += ends
        return {"start_line": memoryview(first), "end_line": memoryview(last)}

    def labels(self, name: str) -> Sequence[str]:
        return self._labels[name]

    def rows_of(self, record: int, rows: range) -> range:
        return rows_of(self._columns["record"], record, rows)


def _content(path: str, most: int) -> bytes | None:
    """The bytes of a file; None when it cannot be read, or there are more than `most`."""
    try:
        descriptor = os.open(path, _FLAGS)
        try:
            size = os.fstat(descriptor).st_size
            return os.read(descriptor, size) if size <= most else None
        finally:
            os.close(descriptor)
    except OSError:
        return None
