"""Chunks of open knowledge as values: their text, their place, their terms and their neighbours."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kb_runtime.knowledge.interface import Knowledge
    from kb_runtime.knowledge.reading.lookup import Place
    from kb_runtime.search.vectors import Floats

BODY = "body"
"""The field of the lexical index that has the prose terms of a chunk's text."""
_LONGEST_TEXT_TOKENS = 1 << 30
_TOKENIZER = "encoder/tokenizer.json"
_ROWS_AT_ONCE = 8192
"""Rows that are copied together where all vectors are read."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage that is indexed by itself. Joined, the chunks of a record are its text.

    `row` is its place among all chunks of what is open, `index` its place in its record, from 0. `lines`
    are its first and last line, 1-based, in the file as stored. What a chunk does not have is empty.
    """

    row: int
    address: str
    collection: str
    index: int
    text: str
    lines: tuple[int, int]
    type: str
    language: str
    title: str
    breadcrumb: tuple[str, ...]
    signature: str
    identifiers: tuple[str, ...]
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the index: how often a text has it (`count`), how many chunks have it (`documents`), and
    how much it says (`information`: the logarithm of how rare it is)."""

    term: str
    count: int
    documents: int
    information: float


def chunk_at(knowledge: Knowledge, row: int) -> Chunk:
    """Raises `IndexError` for a row that is not there."""
    if not 0 <= row < len(knowledge.chunks):
        raise IndexError(row)
    stored = knowledge.chunks[row]
    collection = knowledge.collection_of(row).name
    record_id = knowledge.catalog(collection).id(knowledge.chunks.column("record")[row])
    return _chunk(row, knowledge.address(collection, record_id), collection, stored)


def chunks_of(knowledge: Knowledge, place: Place) -> list[Chunk]:
    """The chunks of a record, in the order of its text."""
    info, position, _ = place
    rows = knowledge.chunks.rows_of(position, info.rows)
    address = knowledge.address(info.name, knowledge.catalog(info.name).id(position))
    return [_chunk(row, address, info.name, knowledge.chunks[row]) for row in rows]


def neighbours(knowledge: Knowledge, row: int, limit: int) -> list[tuple[Chunk, float]]:
    """The chunks whose vectors are nearest to that of a row, with their cosines, best first; none
    without vectors. Raises `IndexError`."""
    from kb_runtime.search.vectors import RowRange

    width = dimensions(knowledge)
    if not 0 <= row < len(knowledge.chunks):
        raise IndexError(row)
    if not width:
        return []
    own = knowledge.vectors.vector(row, width)
    if not own.any():  # a part whose vectors are of another encoder
        return []
    limit = min(limit, len(knowledge.chunks))  # a graph reserves room for all
    ranges = [RowRange(each.name, each.first_row, each.chunks) for each in knowledge.collections]
    found = knowledge.vectors.search(own, ranges, limit + 1)
    return [
        (chunk_at(knowledge, other), cosine)
        for other, cosine in zip(found.rows, found.cosines, strict=True)
        if other != row
    ][:limit]


def terms(knowledge: Knowledge, text: str) -> list[Term]:
    """The prose terms of a text, those first that say most: by count times information."""
    index = knowledge.lexical
    counts = Counter(term for term, _ in index.analyzer.prose(text))
    found = [
        Term(term, count, index.frequency(BODY, term), index.information(term))
        for term, count in counts.items()
    ]
    return sorted(found, key=lambda each: (-each.count * each.information, each.term))


def dimensions(knowledge: Knowledge) -> int:
    """Of each vector; 0 where there are none."""
    encoder: dict[str, Any] = knowledge.manifest.get("encoder") or {}
    width: int = encoder.get("dimensions", 0)
    return width


def vectors(knowledge: Knowledge, rows: range | None = None) -> Floats:
    """The vectors of chunks by row, of all or of `rows`: float32 [chunks, dimensions], a copy; rows
    without one are zero, and without an encoder `dimensions` is 0."""
    import numpy as np

    wanted = range(len(knowledge.chunks)) if rows is None else rows
    width = dimensions(knowledge)
    found = np.zeros((len(wanted), width), dtype=np.float32)
    for first in range(0, len(wanted) if width else 0, _ROWS_AT_ONCE):
        some = np.array(wanted[first : first + _ROWS_AT_ONCE], dtype=np.int64)
        found[first : first + len(some)] = knowledge.vectors.gather(some, width)
    return found


def token_counter(knowledge: Knowledge) -> Callable[[str], int]:
    """Counts the tokens of a text as the tokenizer of the artifact does, and words where it has none."""
    part = knowledge.parts[0]
    if part.manifest.get("encoder") is None:
        return lambda text: len(text.split())
    from kb_runtime.search.tokenizer import QueryTokenizer

    path = os.path.join(part.root, _TOKENIZER)
    tokenizer = part.manifest.open_checked(
        [_TOKENIZER], lambda: QueryTokenizer(path, _LONGEST_TEXT_TOKENS)
    )
    special = len(tokenizer.encode(""))
    return lambda text: len(tokenizer.encode(text)) - special


def _chunk(row: int, address: str, collection: str, stored: dict[str, Any]) -> Chunk:
    def names(key: str) -> tuple[str, ...]:
        values: Sequence[str] = stored.get(key) or ()
        return tuple(values)

    return Chunk(
        row=row,
        address=address,
        collection=collection,
        index=stored["index"],
        text=stored["text"],
        lines=(stored["start_line"], stored["end_line"]),
        type=stored.get("type", ""),
        language=stored.get("language", ""),
        title=stored.get("title", ""),
        breadcrumb=names("breadcrumb"),
        signature=stored.get("signature", ""),
        identifiers=names("identifiers"),
        tags=names("tags"),
    )
