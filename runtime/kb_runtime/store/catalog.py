"""Memory-mapped records and chunks: random access by position or by name, nothing decoded at open.

`docs/format.md` describes the bytes. Readers hold memory maps and nothing else, so opening costs the
same for ten records and for a hundred thousand, and processes share the pages.
"""

from __future__ import annotations

import mmap
import os
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from typing import Any

import msgpack

from kb_runtime.digests import sha256
from kb_runtime.errors import ArtifactError
from kb_runtime.store.integrity import inconsistent, json_of, read_regular, unreadable
from kb_runtime.store.manifest_schema import is_text, list_of, object_of

KEYS_HEADER_BYTES = 16
"""Two u64: the number of keys, and the bytes of all keys together."""

COLUMNS = ("record", "start_line", "end_line", "type", "language")
"""The chunk columns of format 1, each one u32 per row."""

CHUNK_TYPES = ("prose", "code", "api", "config", "cmd")
"""The values of the column `type`."""

ANSWER = "answer"
"""A further column where pages have lists of questions: which of the answers of its page a chunk is of, 0: of
none."""

LABELLED = ("type", "language")
"""Columns whose values are positions in a list of labels (`columns/labels.json`)."""
_are_labels = object_of(**dict.fromkeys(LABELLED, list_of(is_text)))

# Records up to so many bytes are decoded whole in less time than their fields are skipped one by one.
_SHORT_BYTES = 2_048
LONG_FIELDS = frozenset({"text", "content", "stored", "definitions", "sections"})
"""Fields of records whose size is that of the text; a list of hits shows none of them."""


def key_hash(key: str) -> int:
    """The 64-bit hash of the lookup table: the first 8 bytes of SHA-256 of UTF-8, little-endian.

    A lone surrogate, which a client can send and no record holds, is hashed rather than refused.
    """
    return int.from_bytes(sha256(key.encode("utf-8", "surrogatepass"))[:8], "little")


def fold(key: str) -> str:
    """What two keys share when they differ in case only: Unicode full case folding."""
    return key.casefold()


@lru_cache(maxsize=64)  # a search looks one name up in all collections
def folded_hash(key: str) -> tuple[str, int]:
    """`key` folded, and the hash of that."""
    folded = fold(key)
    return folded, key_hash(folded)


class MappedFile:
    """A read-only map of a file; `view` is empty for an empty file, which cannot be mapped."""

    __slots__ = ("_casts", "_map", "view")

    def __init__(self, path: str) -> None:
        try:
            with open(path, "rb") as file:
                empty = os.fstat(file.fileno()).st_size == 0
                self._map = None if empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except FileNotFoundError:
            raise ArtifactError(
                "truncated", f"The artifact is incomplete: {path} is missing."
            ) from None
        except OSError as error:
            raise unreadable(path, error) from error
        self.view = memoryview(self._map) if self._map is not None else memoryview(b"")
        self._casts: list[memoryview] = []

    def array(self, start: int, count: int, size: int) -> memoryview:
        """`count` unsigned integers of `size` bytes (4 or 8) from byte `start`."""
        part = self.view[start : start + count * size]
        numbers = part.cast("I" if size == 4 else "Q")
        self._casts += (part, numbers)
        return numbers

    def close(self) -> None:
        """Unmaps. Using a view that `array` gave raises from then on; while a foreign object (a
        numpy array) still refers to one, the map stays until that is gone."""
        with suppress(BufferError):
            for cast in reversed(self._casts):
                cast.release()
            self.view.release()
            if self._map is not None:
                self._map.close()


class RecordFile:
    """MessagePack values back to back (`.bin`) behind a table of offsets (`.off`)."""

    __slots__ = ("_bin", "_off", "_offsets")

    def __init__(self, stem: str) -> None:
        self._bin = MappedFile(stem + ".bin")
        self._off = MappedFile(stem + ".off")
        size = len(self._off.view)
        if size < 8 or size % 8:
            raise inconsistent(stem + ".off")
        self._offsets = self._off.array(0, size // 8, 8)
        if self._offsets[0] != 0 or self._offsets[-1] != len(self._bin.view):
            raise inconsistent(stem + ".off")

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def raw(self, index: int) -> bytes:
        """The encoded value. Raises `IndexError` outside 0..len-1."""
        return bytes(self._part(index))

    def _part(self, index: int) -> memoryview:
        offsets = self._offsets
        if not 0 <= index < len(offsets) - 1:
            raise IndexError(index)
        return self._bin.view[offsets[index] : offsets[index + 1]]

    def __getitem__(self, index: int) -> Any:
        return msgpack.unpackb(self._part(index), strict_map_key=False)

    def without(self, fields: Collection[str], index: int) -> dict[str, Any]:
        """The map at `index` without some of its fields, which are skipped and not decoded. Raises
        `IndexError` outside 0..len-1."""
        data = self._part(index)
        if len(data) <= _SHORT_BYTES:
            whole: dict[str, Any] = msgpack.unpackb(data, strict_map_key=False)
            for name in fields:
                whole.pop(name, None)
            return whole
        unpacker = msgpack.Unpacker(strict_map_key=False, max_buffer_size=len(data))
        unpacker.feed(data)
        record: dict[str, Any] = {}
        for _ in range(unpacker.read_map_header()):
            name = unpacker.unpack()
            if name in fields:
                unpacker.skip()
            else:
                record[name] = unpacker.unpack()
        return record

    def close(self) -> None:
        self._bin.close()
        self._off.close()


class RecordTable:
    """Records by position, and by their keys through `matches`."""

    def __len__(self) -> int:
        raise NotImplementedError

    def __getitem__(self, index: int) -> dict[str, Any]:
        """The record at `index`. Raises `IndexError` outside 0..len-1."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[index] for index in range(len(self)))

    def id(self, index: int) -> str:
        """The record's id, without decoding the record."""
        raise NotImplementedError

    def place(self, own: int) -> int | None:
        """Where the artifact's record `own` is here: the same place, where none is hidden."""
        return own

    def own_id(self, own: int) -> str:
        """The id of the artifact's record `own`, shown or not."""
        return self.id(own)

    def matches_by_rank(self, key: str, *, folded: bool) -> tuple[list[int], list[int]]:
        """The records whose id this key is, and those that have it as a further key."""
        raise NotImplementedError

    def matches(self, key: str, *, folded: bool) -> list[int]:
        """The records with this key, those whose id it is first, each group by position."""
        ids, others = self.matches_by_rank(key, folded=folded)
        return sorted(ids) + sorted(others)

    def find(self, key: str) -> int | None:
        """The record with exactly this id, otherwise the first with exactly this further key."""
        return next(iter(self.matches(key, folded=False)), None)

    def find_folded(self, key: str) -> int | None:
        """Like `find`, with case folded on both sides."""
        return next(iter(self.matches(key, folded=True)), None)

    def find_all(self, key: str) -> list[int]:
        """Every record that `key` names, the best first.

        Order: exact id, exact further key, folded id, folded further key; then position.
        """
        folded = self.matches(key, folded=True)
        if not folded:  # what is not there in any case is not there exactly
            return []
        return list(dict.fromkeys([*self.matches(key, folded=False), *folded]))


class Catalog(RecordTable):
    """The records of one collection: `catalog[i]` decodes one, `find` looks a name up.

    Every record has an id and may have further keys (aliases, file names). A lookup goes through a
    table of hashes and is confirmed against the stored key, so hash collisions change nothing.
    """

    def __init__(self, folder: str, collection: str) -> None:
        """`folder` is the build's `catalog` folder. Raises `ArtifactError`."""
        stem = os.path.join(folder, collection)
        self._records = RecordFile(stem)
        self._keys_file = keys = MappedFile(stem + ".keys")
        if len(keys.view) < KEYS_HEADER_BYTES:
            raise inconsistent(stem + ".keys")
        header = keys.array(0, 2, 8)
        count, text_bytes = header[0], header[1]
        at = KEYS_HEADER_BYTES
        if len(keys.view) != at + count * 32 + 4 + text_bytes:
            raise inconsistent(stem + ".keys")
        self._exact_hashes = keys.array(at, count, 8)
        self._folded_hashes = keys.array(at := at + 8 * count, count, 8)
        self._exact_keys = keys.array(at := at + 8 * count, count, 4)
        self._folded_keys = keys.array(at := at + 4 * count, count, 4)
        self._key_records = keys.array(at := at + 4 * count, count, 4)
        self._key_ends = keys.array(at := at + 4 * count, count + 1, 4)
        self._text_at = at + 4 * (count + 1)
        self._ids: list[str] | None = None

    def __len__(self) -> int:
        return len(self._records)

    def __getitem__(self, index: int) -> dict[str, Any]:
        record: dict[str, Any] = self._records[index]
        return record

    def head(self, index: int) -> dict[str, Any]:
        """The record at `index` without its `LONG_FIELDS`: what a list of hits shows, in a quarter of the
        time. Raises `IndexError` outside 0..len-1."""
        return self._records.without(LONG_FIELDS, index)

    def raw(self, index: int) -> bytes:
        """The record's encoded bytes: equal bytes mean equal records."""
        return self._records.raw(index)

    def id(self, index: int) -> str:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self._key(bisect_left(self._key_records, index))

    def ids(self) -> Sequence[str]:
        """All ids, in the order of the records; kept once they were asked for."""
        if self._ids is None:
            out: list[str] = []
            for key, record in self.names():
                if record == len(out):  # the first key of the next record
                    out.append(key)
            self._ids = out
        return self._ids

    def names(self) -> list[tuple[str, int]]:
        """Every key (ids, aliases ...) with its record, in the order of the records."""
        text = bytes(self._keys_file.view[self._text_at :])
        ends = self._key_ends.tolist()
        return [
            (str(text[start:end], "utf-8"), record)
            for (start, end), record in zip(pairwise(ends), self._key_records, strict=True)
        ]

    def close(self) -> None:
        self._records.close()
        self._keys_file.close()

    def matches_by_rank(self, key: str, *, folded: bool) -> tuple[list[int], list[int]]:
        hashes = self._folded_hashes if folded else self._exact_hashes
        wanted, number = folded_hash(key) if folded else (key, key_hash(key))
        first = bisect_left(hashes, number)
        if first == len(hashes) or hashes[first] != number:
            return [], []
        positions = self._folded_keys if folded else self._exact_keys
        ids: list[int] = []
        others: list[int] = []
        for slot in range(first, len(hashes)):
            if hashes[slot] != number:
                break
            position = positions[slot]
            text = self._key(position)
            if (fold(text) if folded else text) != wanted:
                continue
            record = self._key_records[position]
            is_id = position == 0 or self._key_records[position - 1] != record
            (ids if is_id else others).append(record)
        return ids, others

    def _key(self, position: int) -> str:
        start, end = self._key_ends[position], self._key_ends[position + 1]
        return str(self._keys_file.view[self._text_at + start : self._text_at + end], "utf-8")


class Columns:
    """The columns of all chunks in row order; a row is the same in vectors, lexical and here."""

    def __init__(self, folder: str, rows: int) -> None:
        """`folder` is the build's folder. Raises `ArtifactError`."""
        self._columns: dict[str, memoryview] = {}
        self._files: list[MappedFile] = []
        answers = os.path.join(folder, "columns", f"{ANSWER}.u32")
        for name in (*COLUMNS, ANSWER) if os.path.exists(answers) else COLUMNS:
            path = os.path.join(folder, "columns", name + ".u32")
            file = MappedFile(path)
            if len(file.view) != 4 * rows:
                raise inconsistent(path)
            self._files.append(file)
            self._columns[name] = file.array(0, rows, 4)
        path = os.path.join(folder, "columns", "labels.json")
        data = read_regular(path, absent="truncated")
        self._labels: dict[str, list[str]] = json_of(data, path, _are_labels)

    def __len__(self) -> int:
        return len(self._columns["record"])

    def column(self, name: str) -> memoryview:
        """One u32 per row (a buffer that numpy can wrap): `record` is the record's position in its
        collection, `start_line` and `end_line` are 1-based, `type` and `language` index `labels`."""
        return self._columns[name]

    def answers(self) -> memoryview | None:
        """The column `ANSWER`; None where no chunk is of an answer."""
        return self._columns.get(ANSWER)

    def labels(self, name: str) -> Sequence[str]:
        """The values of the column `type` or `language`: a code is a position in this list."""
        return self._labels[name]

    def rows_of(self, record: int, rows: range) -> range:
        """The rows of one record, where `rows` are its collection's."""
        return rows_of(self._columns["record"], record, rows)

    def close(self) -> None:
        for file in self._files:
            file.close()


class ChunkTable(Columns):
    """All chunks of an artifact."""

    def __init__(self, folder: str) -> None:
        """`folder` is the build's folder. Raises `ArtifactError`."""
        self._chunks = RecordFile(os.path.join(folder, "catalog", "chunks"))
        super().__init__(folder, len(self._chunks))

    def __getitem__(self, row: int) -> dict[str, Any]:
        """The chunk of a row: the fields of `kbc.records.CompiledChunk` that have a value, but for
        `collection`, `record_id` and `embedded_text`."""
        chunk: dict[str, Any] = self._chunks[row]
        return chunk

    def raw(self, row: int) -> bytes:
        return self._chunks.raw(row)

    def close(self) -> None:
        self._chunks.close()
        super().close()


def rows_of(column: memoryview, record: int, rows: range) -> range:
    """The rows of one record, where `column` gives the record of each row and `rows` are its
    collection's."""
    first = bisect_left(column, record, rows.start, rows.stop)
    return range(first, bisect_right(column, record, first, rows.stop))
