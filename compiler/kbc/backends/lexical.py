"""Writes the lexical section: a Tantivy index of one segment, the same bytes for the same chunks.

Text is split by `kb_runtime.search.analysis` and handed to the engine as terms, so that indexing and search
cannot differ. No text is stored: the catalog has it.

Terms of fields with positions go to the engine one object each. Where positions do not count, a
field goes as one string that the engine splits at the spaces between the terms: the same bytes in half
the time.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import groupby, repeat
from pathlib import Path

import tantivy

from kb_runtime.errors import KbcError, SingleCodeError, exit_codes
from kb_runtime.errors.shortages import ShortageError, require_address_space, shortage
from kb_runtime.search import lexical_schema as fields
from kb_runtime.search.analysis import RECIPE, WORD, Analyzer, operators
from kb_runtime.search.lexical_schema import TITLE_SEPARATOR, filter_term
from kb_runtime.search.spelling import MIN_CHARS
from kb_runtime.text.languages import ENGLISH
from kb_runtime.text.members import segments, spellings
from kb_runtime.text.unshown import without
from kb_runtime.text.words.compounds import LINKS
from kbc.cache.phases import PhaseCache
from kbc.records import CompiledChunk

# Memory for the one segment under construction: a second segment could not be merged. 100,000 chunks
# with 41 MB of text need less than 256 MB; what is not needed is not touched.
_HEAP_BYTES_PER_TEXT_BYTE = 12
_MIN_HEAP_BYTES = 256 << 20
_MAX_HEAP_BYTES = 4_000_000_000  # the engine's limit for one thread is 4 GiB
_MIN_ADDRESSES = 320 << 20
"""Bytes for the engine's threads. With 250 MB it ends the process, with 330 MB it says what it lacks, and
600 MB are enough for a few pages."""
# What the schema calls the tokenizer of every field. While an index is written, this is one that splits
# at spaces; nothing else ever uses it, because queries are terms, too.
TOKENIZER = "raw"


class LexicalIndexError(SingleCodeError):
    """The engine did not produce an index as the format wants it."""

    code = "lexical-index"
    exit_code = exit_codes.OUTPUT


def _not_written(error: ValueError) -> KbcError:
    """What an error of the engine's writer stands for."""
    said = "the lexical index cannot be written"
    if short := shortage(error):
        return ShortageError(f"{said}: {short.message}", short.hint, short.kind)
    return LexicalIndexError(f"{said}: {error}")


RecordChunks = tuple[str, str, list[CompiledChunk]]
"""A record as `analyse` takes it: the path of its file, its language, its chunks."""


@dataclass(frozen=True, slots=True)
class FieldTerms:
    """The terms of one field of a chunk, with a space between them, and how many there are.

    `positions` are unsigned 32-bit numbers in the order of this machine, for a field with phrases;
    empty for others.
    """

    field: str
    terms: str
    count: int
    positions: bytes


def write_lexical(
    folder: Path,
    chunks: Sequence[CompiledChunk],
    ordinals: Mapping[str, int],
    paths: Mapping[tuple[str, str], str],
    facets: Mapping[tuple[str, str], Sequence[str]] | None = None,
    cache: PhaseCache | None = None,
    languages: Mapping[tuple[str, str], str] | None = None,
) -> None:
    """Writes the index of `chunks` (row i is chunk i) into `folder`, which is created.

    `ordinals` gives the position of each collection in the manifest; `paths` the file of a record by
    (collection, record id), `facets` the terms that it can be filtered by, and `languages` the language of
    its words in Latin letters (English where that is not given). Raises `LexicalIndexError`,
    `ShortageError`, and `OSError` when writing fails. Terms come from `cache` where it has them.
    """
    # The engine's threads look at the folder for a while and lock it to reload: under another name they
    # cannot put a lock file beside what is finished.
    unfinished = folder.with_name(folder.name + ".unfinished")
    unfinished.mkdir(parents=True)
    text = sum(len(chunk.text) for chunk in chunks)
    heap_bytes = max(_MIN_HEAP_BYTES, text * _HEAP_BYTES_PER_TEXT_BYTE)
    with index_writer(unfinished, heap_bytes) as writer:
        terms_of: Iterable[list[FieldTerms]]
        terms_of = analysed(chunks, paths, cache or PhaseCache(None), languages or {})
        if LINKS.keys() & set((languages or {}).values()):
            of_chunks = [
                (languages or {}).get((one.collection, one.record_id), "") for one in chunks
            ]
            terms_of = with_compounds(list(terms_of), of_chunks)
        for row, (chunk, found) in enumerate(zip(chunks, terms_of, strict=True)):
            document = tantivy.Document()
            document.add_unsigned(fields.ROW, row)
            for each in found:
                _add(document, each)
            ordinal = ordinals[chunk.collection]
            document.add_text(fields.FILTERS, filter_terms(ordinal, chunk.type, chunk.language))
            if facets:
                _add_facets(document, facets.get((chunk.collection, chunk.record_id), ()))
            writer.add_document(document)
    del writer
    unfinished.rename(folder)
    canonicalise(folder, len(chunks))


def schema() -> tantivy.Schema:
    """The fields as `kb_runtime.search.lexical_schema` names them; every value is terms already."""
    builder = tantivy.SchemaBuilder()
    for name in fields.PROSE_FIELDS + fields.NAME_FIELDS:
        option = "position" if name in fields.PHRASE_FIELDS else "freq"
        builder.add_text_field(name, tokenizer_name=TOKENIZER, index_option=option)
    builder.add_text_field(fields.OPERATORS, tokenizer_name=TOKENIZER, index_option="freq")
    builder.add_text_field(fields.WORDS, tokenizer_name=TOKENIZER, index_option="basic")
    builder.add_text_field(fields.FILTERS, tokenizer_name=TOKENIZER, index_option="basic")
    builder.add_unsigned_field(fields.ROW, fast=True)
    return builder.build()


@contextmanager
def index_writer(folder: Path, heap_bytes: int) -> Iterator[tantivy.IndexWriter]:
    """The writer of a new index in `folder`, which is complete when the body has ended. Raises
    `LexicalIndexError` and `ShortageError`."""
    require_address_space(_MIN_ADDRESSES, "the writer of the lexical index")
    try:
        index = tantivy.Index(schema(), str(folder), reuse=False)
        splitting = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        index.register_tokenizer(TOKENIZER, splitting)
        writer = index.writer(heap_size=min(heap_bytes, _MAX_HEAP_BYTES), num_threads=1)
        yield writer
        writer.commit()
        writer.wait_merging_threads()
    except ValueError as error:  # how the engine reports a full disk as well
        raise _not_written(error) from error


def analysed(
    chunks: Sequence[CompiledChunk],
    paths: Mapping[tuple[str, str], str],
    cache: PhaseCache,
    languages: Mapping[tuple[str, str], str],
) -> Iterator[list[FieldTerms]]:
    """The terms of each chunk in turn, as `write_lexical` takes them. The chunks of a record are
    analysed, and kept, together."""
    analyzer = Analyzer()
    records = (
        (paths.get(record, ""), languages.get(record, ENGLISH), list(group))
        for record, group in groupby(chunks, lambda chunk: (chunk.collection, chunk.record_id))
    )

    for of_record in cache.map(
        "terms",
        partial(analyse, analyzer=analyzer),
        records,
        lambda record: record,
        list[list[FieldTerms]],
    ):
        yield from of_record


def analyse(record: RecordChunks, analyzer: Analyzer) -> list[list[FieldTerms]]:
    """The terms of each chunk of a record, without fields that have none."""
    path, language, group = record
    return [
        [each for each in _field_terms(chunk, path, language, analyzer) if each.terms]
        for chunk in group
    ]


def with_compounds(
    terms: Sequence[list[FieldTerms]], languages: Sequence[str]
) -> Iterator[list[FieldTerms]]:
    """`terms` of chunks in `languages`, with the parts of compounds at the compound's position. Parts are
    words of the chunks of the same language."""
    analyzer = Analyzer()
    counts: dict[str, Counter[str]] = {code: Counter() for code in LINKS}
    for language, found in zip(languages, terms, strict=True):
        if language in LINKS:
            for each in found:
                if each.field == "body":
                    counts[language].update(each.terms.split())

    @cache
    def parts(stem: str, language: str) -> tuple[str, ...]:
        return analyzer.parts(stem, language, counts[language].__getitem__)

    for language, found in zip(languages, terms, strict=True):
        if language not in LINKS:
            yield found
            continue
        yield [
            _with_parts(each, lambda stem, code=language: parts(stem, code))  # type: ignore[misc]
            if each.field in fields.PHRASE_FIELDS
            else each
            for each in found
        ]


def _with_parts(field: FieldTerms, parts: Callable[[str], Sequence[str]]) -> FieldTerms:
    stems = field.terms.split()
    positions = array("I", field.positions)
    terms: list[tuple[str, int]] = []
    for row, (stem, at) in enumerate(zip(stems, positions, strict=True)):
        terms.append((stem, at))
        # Where the next term is at the same place, that is a part of this one already (`HTTPServer`).
        if positions[row + 1 : row + 2] != positions[row : row + 1]:
            terms += [(part, at) for part in parts(stem)]
    return _placed(field.field, terms)


def _field_terms(
    chunk: CompiledChunk, path: str, language: str, analyzer: Analyzer
) -> Iterator[FieldTerms]:
    names = [*chunk.identifiers, *([chunk.symbol] if chunk.symbol else []), *chunk.exports]
    names += [each for member in chunk.members for each in spellings(segments(member))]
    title, breadcrumb = title_and_trail(chunk)
    shown = without(chunk.text, chunk.comments)
    prose = {
        "title": title,
        "breadcrumb": breadcrumb,
        "body": with_headings(shown, title, breadcrumb),
        "tags": " \n".join(chunk.tags),
    }
    named = {
        "identifiers": " \n".join(dict.fromkeys(names)),
        "signature": chunk.signature,
        "path": path,
    }
    distinct: set[str] = set()
    for field, text in prose.items():
        found = WORD.findall(text)
        distinct.update(found)
        yield _placed(field, analyzer.prose_of(found, language))
    for field, text in named.items():
        distinct.update(WORD.findall(text))
        terms = analyzer.names(text)
        if field == "identifiers":
            terms += [(operator, 0) for operator in operators(text)]
        yield _placed(field, terms)
    yield _unplaced(fields.OPERATORS, operators(f"{title} {chunk.signature}\n{shown}"))
    words = {term for word in distinct for term, _ in analyzer.name_terms(word).terms}
    yield _unplaced(fields.WORDS, sorted(filter(_is_word, words)))


def title_and_trail(chunk: CompiledChunk) -> tuple[str, str]:
    """The chunk's own heading, and the headings above it: no word counts twice."""
    above, _, own = chunk.title.rpartition(TITLE_SEPARATOR)
    trail = list(chunk.breadcrumb) or ([above] if above else [])
    if trail and trail[-1] == own:
        trail.pop()
    return own, " \n".join(trail)


def with_headings(text: str, title: str, trail: str) -> str:
    """`text` below those headings above it that it does not repeat: a passage is about what the headings of
    its page say, too, and a word of both a heading and the text matches once, not in two fields."""
    headings = [*trail.split(" \n"), title]
    return "\n".join([*(each for each in headings if each and each not in text), text])


def _is_word(term: str) -> bool:
    """Whether somebody may mistype it: long enough, and more letters than digits."""
    if len(term) < MIN_CHARS:
        return False
    return term.isalpha() or 2 * sum(map(str.isdigit, term)) < len(term)


@lru_cache(1024)
def filter_terms(ordinal: int, type: str, language: str) -> str:
    """The terms that chunks are filtered by; most chunks share them. None of the values has a space."""
    terms = [filter_term("scope", ordinal), filter_term("type", type)]
    return " ".join([*terms, filter_term("language", language)] if language else terms)


def _placed(field: str, terms: Sequence[tuple[str, int]]) -> FieldTerms:
    if field not in fields.PHRASE_FIELDS:
        return _unplaced(field, [term for term, _ in terms])
    positions = array("I", [position for _, position in terms])
    return FieldTerms(field, " ".join([term for term, _ in terms]), len(terms), positions.tobytes())


def _unplaced(field: str, terms: Sequence[str]) -> FieldTerms:
    """Words, names and operators have no spaces inside."""
    return FieldTerms(field, " ".join(terms), len(terms), b"")


def _add(document: tantivy.Document, found: FieldTerms) -> None:
    if not found.positions:
        document.add_text(found.field, found.terms)
    elif len(found.terms) <= _SHORT:
        document.add_pre_tokenized_text(found.field, _short_tokens(found.terms, found.positions))
    else:
        document.add_pre_tokenized_text(found.field, _tokens(found.terms, found.positions))


def _add_facets(document: tantivy.Document, terms: Sequence[str]) -> None:
    """Values of facets are free text: each is one term, spaces and all."""
    if terms:
        document.add_pre_tokenized_text(fields.FILTERS, _tokenized(terms, repeat(0)))


def _tokens(terms: str, positions: bytes) -> tantivy.PreTokenizedString:
    return _tokenized(terms.split(" "), array("I", positions))


# The headings above a chunk are those of all chunks beside it.
_SHORT = 200
_short_tokens = lru_cache(4096)(_tokens)


def _tokenized(terms: Iterable[str], positions: Iterable[int]) -> tantivy.PreTokenizedString:
    tokens = list(map(tantivy.Token, terms, positions, repeat(0), repeat(0)))
    return tantivy.PreTokenizedString("", tokens)


def canonicalise(folder: Path, documents: int) -> None:
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
            f"the lexical index has {len(segments)} segments instead of one; split the knowledge base"
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
