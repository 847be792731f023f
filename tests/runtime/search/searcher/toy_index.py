"""Real sections of a few records, and an encoder whose vectors count words by hash."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kb_runtime.knowledge.artifact import CollectionInfo
from kb_runtime.search.analysis import Analyzer
from kb_runtime.search.lexical import LexicalIndex
from kb_runtime.search.request import (
    SearchResult,
)
from kb_runtime.search.vectors import RowRange, VectorIndex
from kb_runtime.store.catalog import Catalog, ChunkTable
from kbc.backends.catalog import write_catalog, write_chunks
from kbc.backends.lexical import write_lexical
from kbc.backends.vectors import write_vectors
from kbc.records import CompiledChunk

DIMENSIONS = 64


class WordCounts:
    """An encoder under which texts are as similar as the words they share."""

    def __init__(self) -> None:
        self.encoded: list[str] = []
        self._analyzer = Analyzer()

    def encode(self, text: str) -> NDArray[np.float32]:
        self.encoded.append(text)
        vector = np.full(DIMENSIONS, 1e-6, dtype=np.float32)
        for term, _ in self._analyzer.prose(text):
            vector[zlib.crc32(term.encode()) % DIMENSIONS] += 1
        return vector / np.linalg.norm(vector)

    def pieces(self, word: str) -> int:
        """All words are known as a whole."""
        return 1


@dataclass
class Built:
    """What the pipeline needs of an artifact, with real readers."""

    manifest: dict[str, Any]
    collections: list[CollectionInfo]
    chunks: ChunkTable
    lexical: LexicalIndex
    vectors: VectorIndex
    encoder: WordCounts | None
    catalogs: dict[str, Catalog] = field(default_factory=dict)

    def catalog(self, name: str) -> Catalog:
        return self.catalogs[name]


Records = Mapping[str, Sequence[tuple[str, Sequence[str]]]]


def chunk(
    collection: str,
    record: str,
    index: int,
    text: str,
    members: Sequence[str] = (),
    answer: int = 0,
) -> CompiledChunk:
    code = text.startswith("val ")
    return CompiledChunk(
        collection=collection,
        record_id=record,
        index=index,
        text=text,
        start_line=10 * index + 1,
        end_line=10 * index + text.count("\n") + 1,
        type="code" if code else "prose",
        language="quint" if code else "",
        title=record,
        identifiers=(record,),
        members=tuple(members),
        answer=answer,
    )


def build(
    folder: Path,
    records: Records,
    search: Mapping[str, Any] | None = None,
    members: Mapping[tuple[str, int], Sequence[str]] | None = None,
    answers: bool = False,
) -> Built:
    """`records` are chunk texts by (collection, record id); an alias of a record is `<id>Alias`. `members`
    are those that a chunk documents, by record id and place in it. All chunks are `answers`, or none."""
    documented = members or {}
    rows: list[tuple[int, CompiledChunk]] = []
    infos: list[CollectionInfo] = []
    catalogs: dict[str, Catalog] = {}
    for name, entries in records.items():
        first = len(rows)
        stored = [{"id": record, "aliases": [record + "Alias"]} for record, _ in entries]
        write_catalog(folder, name, stored)
        for ordinal, (record, texts) in enumerate(entries):
            rows += [
                (ordinal, chunk(name, record, at, text, documented.get((record, at), ()), own))
                for at, text in enumerate(texts)
                for own in [(at + 1) * answers]
            ]
        infos.append(CollectionInfo(name, name, len(entries), len(rows) - first, first))
        catalogs[name] = Catalog(str(folder / "catalog"), name)
    write_chunks(folder, rows)
    chunks = [one for _, one in rows]
    write_lexical(folder / "lexical", chunks, {info.name: at for at, info in enumerate(infos)}, {})
    encoder = WordCounts()
    vectors = [encoder.encode(f"{one.title} {one.text}") for one in chunks]
    write_vectors(
        folder / "vectors",
        np.array(vectors, dtype=np.float32).reshape(-1, DIMENSIONS),
        [RowRange(info.name, info.first_row, info.chunks) for info in infos],
    )
    return Built(
        manifest={"search": dict(search or {})},
        collections=infos,
        chunks=ChunkTable(str(folder)),
        lexical=LexicalIndex(str(folder / "lexical")),
        vectors=VectorIndex(str(folder / "vectors")),
        encoder=WordCounts(),
        catalogs=catalogs,
    )


SMALL: Records = {
    "builtins": [
        ("setToMap", ["Turns a set of pairs into a map.\n"]),
        ("mapBy", ["Builds a map from a set of keys.\n", "val m = S.mapBy(x => x + 1)\n"]),
        ("and", ["True when all arguments are true.\n"]),
    ],
    "empty": [],
    "docs": [
        ("lang.md", ["Sets and maps are values.\n", "Consensus needs voting.\nLeaders vote.\n"]),
        ("mapby.md", ["A page of that name.\n"]),
        ("repl.md", ["The prompt reads expressions.\n"]),
    ],
}
Search = Callable[..., SearchResult]


def rows(result: SearchResult) -> list[int]:
    return [hit.row for hit in result.hits]


def altered(artifact: Built, **changes: Any) -> Built:
    return Built(**{**artifact.__dict__, **changes})


class Contrary(WordCounts):
    """An encoder under which nothing is similar to a query."""

    def encode(self, text: str) -> NDArray[np.float32]:
        return -super().encode(text)
