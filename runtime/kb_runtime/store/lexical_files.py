"""Checks the dictionaries and posting lists of a lexical index against each other, without the engine.

The engine believes what it reads: it lists as many terms as a dictionary spells, and makes room for as many
positions as a posting list says that a term has. A forged file of a few kilobytes can ask for gigabytes of
either, and the process is ended where it does not get them.

The format is Tantivy's, version 7. A file has parts by field, then a table of where each begins, then a
footer. A dictionary is a transducer from terms to their ordinals, and a store of what is known of each:
blocks of 256, whose first is written out and whose others are packed bits relative to it. A posting list
of fewer than 128 chunks is numbers of 7 bits a byte, of which the last has the highest bit: chunks, as
differences, then frequencies. A longer list begins with a table of its packed blocks of 128.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TERMS, POSTINGS, POSITIONS = ".term", ".idx", ".pos"
_FOOTER = struct.Struct("<II")
_MAGIC = 1337
_LENGTH = struct.Struct("<I")
_STORE = struct.Struct("<QQ")  # bytes of the heads of blocks, terms
_DICTIONARY_END = struct.Struct(
    "<QII"
)  # bytes of the store, the transducer's version, the dictionary's kind
_KIND = (1, 1)
_BLOCK_HEAD = struct.Struct("<QIQIQIBBB")
_BLOCK_TERMS = 256
_MOST_BITS = 56
_TOTAL = 8  # a part of postings begins with the number of tokens
_BLOCK = 128
_ENDS_NUMBER = 0x80
_MAX_SHIFT = 63
_NUMBER_BYTES = 5
_SKIP_BYTES = {"basic": 5, "freq": 8, "position": 12}
_TRANSDUCER = struct.Struct(
    "<QQ"
)  # at its beginning version and kind, at its end terms and the root
_TRANSDUCER_VERSION = 2
_INDEXED_ABOVE = 32


class TermLists(NamedTuple):
    """What a dictionary says of its terms: in how many chunks each is, and where its lists begin; each
    beginning is the end of the one before, so there is one more of them."""

    chunks: NDArray[np.int64]
    postings: NDArray[np.int64]
    positions: NDArray[np.int64]


def check_lexical_files(folder: str, meta: dict[str, Any]) -> None:
    """Refuses an index whose files claim more than they hold. `meta` is the content of its meta.json.
    Raises `ValueError` with a sentence that names the file, and `OSError`."""
    records = [
        field["options"]["indexing"]["record"] if field["type"] == "text" else ""
        for field in meta["schema"]
    ]
    for segment in meta["segments"]:
        stem = os.path.join(folder, segment["segment_id"].replace("-", ""))
        parts = {kind: _read_parts(stem + kind) for kind in (TERMS, POSTINGS, POSITIONS)}
        for field, part in parts[TERMS].items():
            try:
                if not (field < len(records) and records[field] in _SKIP_BYTES):
                    raise ValueError("the field has no terms")
                terms = _read_terms(part)
                lists = parts[POSTINGS][field][_TOTAL:], parts[POSITIONS][field]
                _check_postings(terms, *lists, records[field], segment["max_doc"])
            except (ValueError, IndexError, KeyError, struct.error) as error:
                name = os.path.basename(stem + TERMS)
                raise ValueError(f"field {field} of {name} is not sound: {error}") from error


def _read_parts(path: str) -> dict[int, memoryview]:
    """The parts of a file by the numbers of their fields."""
    with open(path, "rb") as file:
        data = memoryview(file.read())
    try:
        length, magic = _FOOTER.unpack_from(data, len(data) - _FOOTER.size)
        end = len(data) - _FOOTER.size - length - _LENGTH.size
        if magic != _MAGIC or end < 0:
            raise ValueError("its end is not the one that the engine writes")
        table = end - _LENGTH.unpack_from(data, end)[0]
        if table < 0:
            raise ValueError("its table begins nowhere")
        count, at = _number(data, table)
        starts, fields, start = [], [], 0
        for _ in range(count):
            step, at = _number(data, at)
            start += step
            (field,) = _LENGTH.unpack_from(data, at)
            _, at = _number(data, at + _LENGTH.size)
            starts.append(start)
            fields.append(field)
        if at != end or start > table or len(set(fields)) < count:
            raise ValueError("its table does not end where it should")
    except (ValueError, IndexError, struct.error) as error:
        raise ValueError(f"{os.path.basename(path)} is not sound: {error}") from error
    ends = [*starts[1:], table]
    return {field: data[start:end] for field, start, end in zip(fields, starts, ends, strict=True)}


def _number(data: memoryview, at: int) -> tuple[int, int]:
    """A number of 7 bits a byte, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & ~_ENDS_NUMBER) << shift
        at, shift = at + 1, shift + 7
        if byte & _ENDS_NUMBER:
            return value, at
        if shift > _MAX_SHIFT:
            raise ValueError("a number has more than 64 bits")


def _read_terms(part: memoryview) -> TermLists:
    """Raises `ValueError` where transducer and store contradict each other."""
    import numpy as np

    end = len(part) - _DICTIONARY_END.size
    size, *kind = _DICTIONARY_END.unpack_from(part, end)
    if tuple(kind) != _KIND or not _STORE.size <= size <= end:
        raise ValueError("its end is not that of a dictionary")
    store = part[end - size : end]
    heads, count = _STORE.unpack_from(store)
    if heads != -(-count // _BLOCK_TERMS) * _BLOCK_HEAD.size or heads > size - _STORE.size:
        raise ValueError(f"it counts {count} terms")
    _Transducer(part[: end - size]).check(count)
    packed = np.frombuffer(store[_STORE.size + heads :], np.uint8)
    columns: list[NDArray[np.int64]] = []
    ends = 0, 0
    for first in range(0, count, _BLOCK_TERMS):
        at = _STORE.size + first // _BLOCK_TERMS * _BLOCK_HEAD.size
        offset, found, *own, of_chunks, of_postings, of_positions = _BLOCK_HEAD.unpack_from(
            store, at
        )
        start, size, place, places = own
        if (start, place) != ends:
            raise ValueError("the lists of a block of terms do not follow those before it")
        inner = min(_BLOCK_TERMS, count - first) - 1
        widths = of_postings, of_positions, of_chunks
        block = np.zeros((inner + 2, len(widths)), np.int64)
        block[0] = 0, 0, found
        block[1:] = _unpacked(packed[offset:], inner + 1, widths)
        if tuple(block[1, :2]) != (size, places):
            raise ValueError("the first lists of a block of terms do not end where the next begin")
        block[:, 0] += start
        block[:, 1] += place
        ends = int(block[-1, 0]), int(block[-1, 1])
        columns.append(block[:-1])
    columns.append(np.array([[*ends, 0]], np.int64))
    postings, positions, chunks = np.concatenate(columns).T
    return TermLists(chunks[:-1], postings, positions)


def _unpacked(packed: NDArray[np.uint8], rows: int, widths: Sequence[int]) -> NDArray[np.int64]:
    """Numbers of so many bits each, int64 [rows, widths]. The last row may lack its last number."""
    import numpy as np

    if max(widths) > _MOST_BITS:
        raise ValueError("numbers of a block of terms have more than 56 bits")
    row = sum(widths)
    bits = np.unpackbits(packed[: -(-rows * row // 8)], bitorder="little")
    if len(bits) < rows * row - widths[-1]:
        raise ValueError("a block of terms ends too soon")
    whole = np.zeros(rows * row, np.uint8)
    whole[: len(bits)] = bits[: len(whole)]
    found = np.zeros((rows, len(widths)), np.int64)
    at = 0
    for column, width in enumerate(widths):
        powers = 1 << np.arange(width, dtype=np.int64)
        found[:, column] = whole.reshape(rows, row)[:, at : at + width] @ powers
        at += width
    return found


class _Transducer:
    """The terms of a dictionary as a graph. A node is read backwards from its address, and its arcs lead to
    lower addresses, so that the graph has no cycle; but terms may share nodes, so that a few of them can
    spell any number of terms."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        version, _ = _TRANSDUCER.unpack_from(data)
        self._terms, self._root = _TRANSDUCER.unpack_from(data, len(data) - _TRANSDUCER.size)
        self._end = len(data) - _TRANSDUCER.size
        if version != _TRANSDUCER_VERSION or self._root >= self._end:
            raise ValueError("its terms begin nowhere")

    def check(self, count: int) -> None:
        """Raises `ValueError` unless it spells `count` terms with the ordinals below that."""
        nodes: dict[int, _TermNode] = {0: _TermNode(0, 0, ())}
        waiting, spent = [self._root], 0
        while waiting:
            address = waiting.pop()
            if address in nodes:
                continue
            node = nodes[address] = self._node(address)
            spent += address - node.end + 1
            if spent > self._end:  # nodes of the engine do not overlap
                raise ValueError("nodes of its terms overlap")
            waiting += [target for target, _ in node.arcs]
        spelt: dict[int, int] = {}
        highest: dict[int, int] = {}
        for address in sorted(nodes):
            node = nodes[address]
            ends = node.final is not None
            spelt[address] = min(ends + sum(spelt[each] for each, _ in node.arcs), count + 1)
            values = [node.final or 0, *(value + highest[each] for each, value in node.arcs)]
            highest[address] = max(values)
        if (spelt[self._root], self._terms) != (count, count):
            raise ValueError(f"its terms are not the {count} that it counts")
        if highest[self._root] >= max(count, 1):
            raise ValueError(f"a term has the number {highest[self._root]} of {count}")

    def _node(self, address: int) -> _TermNode:
        data, state = self._data, self._data[address]
        at = address
        if state >> 6 == 3:  # one arc, to the node before
            at -= not state & 63
            return _checked(_TermNode(at, None, ((at - 1, 0),)))
        if state >> 6 == 2:  # one arc
            at -= (not state & 63) + 1
            target_bytes, value_bytes = data[at] >> 4, data[at] & 15
            end = at - target_bytes - value_bytes
            step = self._unsigned(at - target_bytes, target_bytes)
            value = self._unsigned(end, value_bytes)
            return _checked(_TermNode(end, None, ((end - step if step else 0, value),)))
        arcs = state & 63
        if not arcs:
            at -= 1
            arcs = 256 if data[at] == 1 else data[at]
        at -= 1
        target_bytes, value_bytes = data[at] >> 4, data[at] & 15
        targets = at - arcs - (256 if arcs > _INDEXED_ABOVE else 0)
        values = targets - arcs * target_bytes
        end = values - arcs * value_bytes
        final = None
        if state & 64:
            end -= value_bytes
            final = self._unsigned(end, value_bytes)
        found = []
        for arc in range(1, arcs + 1):
            step = self._unsigned(targets - arc * target_bytes, target_bytes)
            value = self._unsigned(values - arc * value_bytes, value_bytes)
            found.append((end - step if step else 0, value))
        return _checked(_TermNode(end, final, tuple(found)))

    def _unsigned(self, at: int, size: int) -> int:
        if at < 0:
            raise ValueError("a node of its terms begins before them")
        return int.from_bytes(self._data[at : at + size], "little")


class _TermNode(NamedTuple):
    """`end` is the lowest address of its bytes; `final` what is added where a term ends here; `arcs` are
    addresses, with what is added on the way."""

    end: int
    final: int | None
    arcs: tuple[tuple[int, int], ...]


def _checked(node: _TermNode) -> _TermNode:
    if node.end < 0 or any(target < 0 for target, _ in node.arcs):
        raise ValueError("a node of its terms has no target")
    return node


def _check_postings(
    terms: TermLists, lists: memoryview, positions: memoryview, record: str, chunks: int
) -> None:
    """Raises `ValueError` where a list has not as many numbers as its term has chunks, or its frequencies
    are not as many as its positions."""
    import numpy as np

    found, starts, places = terms
    if (int(starts[-1]), int(places[-1])) != (len(lists), len(positions)):
        raise ValueError("its lists do not fill their files")
    if (np.diff(starts) < 0).any() or (np.diff(places) < 0).any():
        raise ValueError("its lists overlap")
    if ((found < 1) | (found > chunks)).any():
        raise ValueError(f"a term is in more than {chunks} chunks, or in none")
    room = _counted(positions, places) if record == "position" else np.zeros(len(found), np.int64)
    tails = starts[:-1].copy()
    for term in np.flatnonzero(found >= _BLOCK).tolist():
        one = lists[starts[term] : starts[term + 1]]
        size, total = _packed(one, int(found[term]), record, int(room[term]), chunks)
        tails[term] += size
        room[term] -= total
    rest = found % _BLOCK
    kept = rest > 0
    if (tails[~kept] != starts[1:][~kept]).any() or room[~kept].any():
        raise ValueError("a list is longer than its blocks")
    if kept.any():
        tail = tails[kept], starts[1:][kept]
        _check_numbers(lists, *tail, rest[kept], record, room[kept], chunks)


def _counted(positions: memoryview, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many positions each term has."""
    import numpy as np

    data = np.frombuffer(positions, np.uint8)
    before = np.concatenate([[0], np.cumsum(data >= _ENDS_NUMBER)])
    starts, ends = places[:-1], places[1:]
    if (starts >= ends).any():
        raise ValueError("a term has no positions")
    counts: NDArray[np.int64] = before[ends] - before[starts] - 1
    for term in np.flatnonzero(data[starts] != _ENDS_NUMBER).tolist():
        one = positions[starts[term] : ends[term]]
        blocks, at = _number(one, 0)
        end = at + blocks + sum(one[at : at + blocks]) * _BLOCK // 8
        if end > len(one):
            raise ValueError("the positions of a term end too soon")
        counts[term] = blocks * _BLOCK + before[ends[term]] - before[starts[term] + end]
    return counts


def _packed(data: memoryview, found: int, record: str, room: int, chunks: int) -> tuple[int, int]:
    """The bytes of the packed blocks of a list and of their table, and the sum of their frequencies where
    there are positions."""
    size, at = _number(data, 0)
    width = _SKIP_BYTES[record]
    if size != found // _BLOCK * width or at + size > len(data):
        raise ValueError("the table of a long list has another size")
    end, total = at + size, 0
    for entry in range(at, at + size, width):
        last, bits = struct.unpack_from("<IB", data, entry)
        frequency_bits = 0 if record == "basic" else data[entry + 5]
        if record == "position":
            total += _LENGTH.unpack_from(data, entry + 6)[0]
            if 1 << frequency_bits >> 1 > room:
                raise ValueError("a term is more often in a chunk than it has positions")
        if last >= chunks or frequency_bits > 32:
            raise ValueError("a block of a long list has numbers that are too large")
        end += ((bits & 31) + frequency_bits) * _BLOCK // 8
    if end > len(data):
        raise ValueError("a long list ends too soon")
    return end, total


def _check_numbers(
    lists: memoryview,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    counts: NDArray[np.int64],
    record: str,
    room: NDArray[np.int64],
    chunks: int,
) -> None:
    """Checks lists of numbers of 7 bits a byte: `counts` differences of chunks, and as many frequencies,
    whose sum is `room` where there are positions."""
    import numpy as np

    data = np.frombuffer(lists, np.uint8)
    stops = data >= _ENDS_NUMBER
    before = np.concatenate([[0], np.cumsum(stops)])
    if (starts >= ends).any() or not stops[ends - 1].all():
        raise ValueError("a list ends within a number")
    first = before[starts]
    if (before[ends] - first != counts * (1 if record == "basic" else 2)).any():
        raise ValueError("a list has not as many numbers as chunks")
    values = np.append(_values(data, np.flatnonzero(stops), first, starts), 0)
    if np.add.reduceat(values, _pairs(first, first + counts))[::2].max() >= chunks:
        raise ValueError(f"a list names a chunk of more than {chunks}")
    if record == "position":
        frequencies = _pairs(first + counts, first + 2 * counts)
        if (np.add.reduceat(values, frequencies)[::2] != room).any():
            raise ValueError("a term is not as often in its chunks as it has positions")


def _pairs(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """What `reduceat` wants of ranges: every other result is that of one."""
    import numpy as np

    return np.stack([starts, ends], axis=1).ravel()


def _values(
    data: NDArray[np.uint8],
    stops: NDArray[np.int64],
    first: NDArray[np.int64],
    starts: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The numbers that end at `stops`, of which those numbered `first` begin at `starts`, and others where
    one ends. For one with too many bytes, a larger one than any list has."""
    import numpy as np

    sizes = np.diff(stops, prepend=-1)
    sizes[first] = stops[first] - starts + 1  # before it are packed blocks
    values = np.zeros(len(stops), np.int64)
    for byte in range(_NUMBER_BYTES):
        within = sizes > byte
        at = stops[within] - sizes[within] + 1 + byte
        values[within] |= (data[at] & 0x7F).astype(np.int64) << 7 * byte
    values[sizes > _NUMBER_BYTES] = 1 << 40
    return values
