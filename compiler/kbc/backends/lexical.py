"""Writes the lexical section: a Tantivy index of one segment, the same bytes for the same chunks.

Text is split by `kb_runtime.analysis` and handed to the engine as terms, so that indexing and search
cannot differ. No text is stored: the catalog has it.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import tantivy

from kb_runtime import lexical as fields
from kb_runtime.analysis import RECIPE, Analyzer, operators
from kb_runtime.lexical import filter_term
from kb_runtime.search import TITLE_SEPARATOR
from kb_runtime.spelling import MIN_CHARS
from kbc.records import Chunk

# Memory for the one segment under construction: a second segment could not be merged. 100,000 chunks
# with 41 MB of text need less than 256 MB; what is not needed is not touched.
_HEAP_BYTES_PER_TEXT_BYTE = 12
_MIN_HEAP_BYTES = 256 << 20
_MAX_HEAP_BYTES = 4_000_000_000  # the engine's limit for one thread is 4 GiB


class LexicalIndexError(Exception):
    """The engine did not produce an index as the format wants it."""


@dataclass(frozen=True, slots=True)
class LexicalStats:
    """What was written. `recipe` names the analysis; `terms` counts postings positions."""

    documents: int
    terms: int
    size_bytes: int
    recipe: str = RECIPE


def write_lexical(
    folder: Path,
    chunks: Sequence[Chunk],
    ordinals: Mapping[str, int],
    paths: Mapping[tuple[str, str], str],
    facets: Mapping[tuple[str, str], Sequence[str]] | None = None,
) -> LexicalStats:
    """Writes the index of `chunks` (row i is chunk i) into `folder`, which is created.

    `ordinals` gives the position of each collection in the manifest; `paths` the file of a record by
    (collection, record id), and `facets` the terms that it can be filtered by. Raises
    `LexicalIndexError`, and `OSError` when writing fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    analyzer = Analyzer()
    try:
        index = tantivy.Index(_schema(), str(folder), reuse=False)
        writer = index.writer(heap_size=_heap_bytes(chunks), num_threads=1)
        terms = 0
        for row, chunk in enumerate(chunks):
            record = (chunk.collection, chunk.record_id)
            path = paths.get(record, "")
            document, count = _document(row, chunk, path, ordinals[chunk.collection], analyzer)
            if facets:
                _add(document, fields.FILTERS, [(term, 0) for term in facets.get(record, ())])
            writer.add_document(document)
            terms += count
        writer.commit()
        writer.wait_merging_threads()
    except ValueError as error:  # how the engine reports a full disk as well
        raise LexicalIndexError(f"the lexical index cannot be written: {error}") from error
    _canonicalise(folder, len(chunks))
    size_bytes = sum(file.stat().st_size for file in folder.iterdir())
    return LexicalStats(len(chunks), terms, size_bytes)


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in fields.PROSE_FIELDS + fields.NAME_FIELDS:
        option = "position" if name in fields.PHRASE_FIELDS else "freq"
        builder.add_text_field(name, tokenizer_name="raw", index_option=option)
    builder.add_text_field(fields.OPERATORS, tokenizer_name="raw", index_option="freq")
    builder.add_text_field(fields.WORDS, tokenizer_name="raw", index_option="basic")
    builder.add_text_field(fields.FILTERS, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field(fields.ROW, fast=True)
    return builder.build()


def _heap_bytes(chunks: Sequence[Chunk]) -> int:
    text = sum(len(chunk.text) for chunk in chunks)
    return min(max(_MIN_HEAP_BYTES, text * _HEAP_BYTES_PER_TEXT_BYTE), _MAX_HEAP_BYTES)


def _document(
    row: int, chunk: Chunk, path: str, ordinal: int, analyzer: Analyzer
) -> tuple[tantivy.Document, int]:
    document = tantivy.Document()
    document.add_unsigned(fields.ROW, row)
    names = [*chunk.identifiers, *([chunk.symbol] if chunk.symbol else [])]
    title, breadcrumb = _title(chunk)
    prose = {
        "title": title,
        "breadcrumb": breadcrumb,
        "body": chunk.text,
        "tags": " \n".join(chunk.tags),
    }
    named = {
        "identifiers": " \n".join(dict.fromkeys(names)),
        "signature": chunk.signature,
        "path": path,
    }
    count = 0
    for field, text in prose.items():
        count += _add(document, field, analyzer.prose(text))
    for field, text in named.items():
        terms = analyzer.names(text)
        if field == "identifiers":
            terms += [(operator, 0) for operator in operators(text)]
        count += _add(document, field, terms)
    symbols = operators(f"{title} {chunk.signature}\n{chunk.text}")
    _add(document, fields.OPERATORS, [(symbol, 0) for symbol in symbols])
    texts = [*prose.values(), *named.values()]
    words = {term for text in texts for term, _ in analyzer.names(text) if _is_word(term)}
    _add(document, fields.WORDS, [(word, 0) for word in sorted(words)])
    _add(document, fields.FILTERS, [(term, 0) for term in _filters(chunk, ordinal)])
    return document, count


def _title(chunk: Chunk) -> tuple[str, str]:
    """The chunk's own heading, and the headings above it: no word counts twice."""
    above, _, own = chunk.title.rpartition(TITLE_SEPARATOR)
    trail = list(chunk.breadcrumb) or ([above] if above else [])
    if trail and trail[-1] == own:
        trail.pop()
    return own, " \n".join(trail)


def _is_word(term: str) -> bool:
    """Whether somebody may mistype it: long enough, and more letters than digits."""
    if len(term) < MIN_CHARS:
        return False
    return 2 * sum(char.isdigit() for char in term) < len(term)


def _filters(chunk: Chunk, ordinal: int) -> Iterable[str]:
    yield filter_term("scope", ordinal)
    yield filter_term("type", chunk.type)
    if chunk.language:
        yield filter_term("language", chunk.language)


def _add(document: tantivy.Document, field: str, terms: Sequence[tuple[str, int]]) -> int:
    if terms:
        tokens = [tantivy.Token(term, position, 0, 0) for term, position in terms]
        document.add_pre_tokenized_text(field, tantivy.PreTokenizedString("", tokens))
    return len(terms)


def _canonicalise(folder: Path, documents: int) -> None:
    """Names the segment after its content and removes what is only of use to a writer.

    The engine names segments at random and keeps a list of managed files (mode 0600, which other
    users cannot read) and lock files; everything else is the same for the same documents.
    """
    meta_path = folder / fields.META
    meta = json.loads(meta_path.read_bytes())
    segments = meta["segments"]
    expected = 1 if documents else 0
    if len(segments) != expected or sum(one["max_doc"] for one in segments) != documents:
        raise LexicalIndexError(
            f"the lexical index came out in {len(segments)} segments; split the knowledge base"
        )
    kept = {meta_path.name}
    for segment in segments:
        stem = segment["segment_id"].replace("-", "")
        files = sorted(folder.glob(f"{stem}.*"))
        digest = hashlib.sha256()
        for file in files:
            digest.update(f"{file.suffix}:{file.stat().st_size}:".encode())
            digest.update(file.read_bytes())
        name = uuid.UUID(digest.hexdigest()[:32])
        segment["segment_id"] = str(name)
        for file in files:
            kept.add(file.rename(folder / f"{name.hex}{file.suffix}").name)
    meta["payload"] = RECIPE
    meta_path.unlink()
    meta_path.write_text(json.dumps(meta, separators=(",", ":"), sort_keys=True), encoding="utf-8")
    for file in folder.iterdir():
        if file.name in kept:
            file.chmod(0o644)
        else:
            file.unlink()
