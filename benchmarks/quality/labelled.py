"""Labelled collections in BEIR layout as artifacts, written and read by kbc's own code.

Every document is one record with one chunk, as the reference figures have it: what is measured is
the ranking, not how texts are cut. A title is a heading, and the encoder gets title and text, cut at
its limit.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from tokenizers import Tokenizer

from kbc.backends.vectors import write_vectors
from kbc.encoding.cache import EmbeddingCache
from kbc.encoding.encoder import DocumentEncoder
from kbc.encoding.model import Model
from kbc.encoding.shipped import ShippedEncoders
from kbc.linking.linker import Staging, build_id
from kbc.pipeline import sections
from kbc.pipeline.inputs import Inputs
from kbc.project.model import Collection, Project
from kbc.project.settings import SearchSettings
from kbc.records import CompiledChunk, DocRecord

COLLECTION = "documents"
BUILT_AT = "1970-01-01T00:00:00Z"


class Document(NamedTuple):
    id: str
    title: str
    text: str


def read_corpus(folder: Path) -> list[Document]:
    """The documents of `corpus.jsonl` or `corpus.jsonl.gz`."""

    def lines() -> Iterator[bytes]:
        plain = folder / "corpus.jsonl"
        path = plain if plain.is_file() else folder / "corpus.jsonl.gz"
        with path.open("rb") if path == plain else gzip.open(path) as file:
            yield from file

    return [
        Document(entry["_id"], entry.get("title", ""), entry["text"])
        for entry in map(json.loads, lines())
    ]


def build_artifact(
    name: str, documents: Sequence[Document], model: Model, cache_folder: Path, out: Path
) -> Path:
    """An artifact of `documents` below `out`; gives its folder. Vectors are fp32 and cached."""
    collection = Collection(COLLECTION, "docs", ())
    project = Project(
        root=out,
        name=name,
        title=name,
        version="1",
        prefix="bench",
        description=f"Labelled collection {name}",
        license="",
        collections=(collection,),
        search=SearchSettings(),
    )
    records = [_record(document) for document in documents]
    chunks = [_chunk(document) for document in documents]
    texts = [chunk.embedded_text for chunk in _embeddable(chunks, model)]
    inputs = Inputs(project, (collection,), (), {COLLECTION: list(records)})
    id = build_id(inputs=[list(each) for each in documents], settings=[name], toolchain=[])
    cache = EmbeddingCache(cache_folder)
    with Staging(out, name, id) as staging:
        with DocumentEncoder(model, cache=cache, graphs=cache_folder) as encoder:
            vectors = encoder.encode(texts)
        languages = sections.languages(inputs, chunks)
        extent = sections.Extent.of(chunks, languages)
        ranges = sections.row_ranges(inputs, extent.chunks)
        write_vectors(staging.folder / "vectors", vectors, ranges)
        sections.emit_catalog(inputs, chunks, staging.folder)
        sections.emit_lexical(inputs, chunks, languages, staging.folder)
        (staging.folder / "encoder").mkdir()
        shipped = ShippedEncoders().write(model, staging.folder / "encoder", cache=cache_folder)
        fields = sections.manifest_fields(inputs, extent, shipped, BUILT_AT, ())
        sections.emit_answers(inputs, fields, staging.build_id, staging.folder)
        sections.emit_notice(inputs, model.attribution, staging.folder)
        published = staging.publish(fields)
    cache.close()
    return published.path


def _record(document: Document) -> DocRecord:
    return DocRecord(
        id=document.id,
        collection=COLLECTION,
        title=document.title,
        path="",
        text=document.text,
        group="",
        format="text",
        content="",
    )


def _chunk(document: Document) -> CompiledChunk:
    return CompiledChunk(
        collection=COLLECTION,
        record_id=document.id,
        index=0,
        text=document.text,
        start_line=1,
        end_line=document.text.count("\n") + 1,
        title=document.title,
        embedded_text=f"{document.title} {document.text}".strip(),
    )


def _embeddable(chunks: Sequence[CompiledChunk], model: Model) -> Iterator[CompiledChunk]:
    """The chunks with what the encoder can take of their texts, ending where a token ends."""
    cutter = Tokenizer.from_file(str(model.tokenizer_path))
    cutter.no_padding()
    cutter.enable_truncation(model.max_tokens)
    cutter.encode_special_tokens = True
    for chunk in chunks:
        offsets = cutter.encode(chunk.embedded_text).offsets
        end = max(end for _start, end in offsets)
        yield replace(chunk, embedded_text=chunk.embedded_text[:end])
