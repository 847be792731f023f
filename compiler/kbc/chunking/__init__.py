"""Splits records into chunks within the token budget of the encoder, without loss or overlap.

Imports `encoding`, `languages`, `processor_time` and records.
"""

from __future__ import annotations

from dataclasses import replace

from kbc.chunking.budget import TokenBudget
from kbc.chunking.cases import chunk_test_case
from kbc.chunking.header import beginning
from kbc.chunking.markdown import chunk_markdown
from kbc.chunking.plain import chunk_plain
from kbc.chunking.source import chunk_source
from kbc.languages.suffixes import MARKDOWN_ENDINGS, SOURCE, ending, language_of
from kbc.processor_time import limited
from kbc.records import (
    BuiltinRecord,
    CompiledChunk,
    CompiledRecord,
    DocRecord,
    ExampleRecord,
    PageRecord,
    PatternRecord,
    RoutingRecord,
    TestRecord,
    WorkshopSection,
)

__all__ = ["TokenBudget", "chunk"]


def chunk(record: CompiledRecord, budget: TokenBudget) -> list[CompiledChunk]:
    """The chunks of `record` in order, none of them empty; the embedded text of each has at most
    `budget.max_tokens` tokens. An empty text has none, and routing rules are not searched."""
    if not record.text or isinstance(record, RoutingRecord):
        return []
    with limited(record.path, len(record.text)):
        return _chunks(record, budget)


def _chunks(record: CompiledRecord, budget: TokenBudget) -> list[CompiledChunk]:
    match record:
        case BuiltinRecord():
            return _entry(record, budget)
        case PatternRecord():
            return chunk_markdown(record, budget)
        case DocRecord() | PageRecord():
            return _page(record, budget)
        case WorkshopSection():
            return _section(record, budget)
        case ExampleRecord():
            return chunk_source(record, budget)
        case TestRecord():
            return chunk_test_case(record, budget)
        case _ if ending(record.path) in MARKDOWN_ENDINGS:
            return chunk_markdown(record, budget)
        case _ if record.language or language_of(record.path) or ending(record.path) in SOURCE:
            return chunk_source(record, budget)
        case _:
            return chunk_plain(record, budget)


def _entry(record: BuiltinRecord, budget: TokenBudget) -> list[CompiledChunk]:
    if record.language in ("", "markdown"):
        chunks = chunk_markdown(record, budget)
    else:
        chunks = [_of_entry(record, each) for each in chunk_source(record, budget)]
    if record.description:
        about = f"{' '.join(record.tags)} {record.name}: {record.description}".lstrip()
        _find_by(about, chunks, budget)
    return chunks


def _of_entry(record: BuiltinRecord, part: CompiledChunk) -> CompiledChunk:
    """A chunk of an entry that is not written in Markdown: all of it is about the entry."""
    names = () if part.index else (record.name, *record.aliases)
    return replace(
        part,
        type="api",
        title=record.title,
        breadcrumb=(record.title,),
        signature=record.signature,
        identifiers=tuple(dict.fromkeys([*names, *part.identifiers])),
    )


def _page(record: DocRecord | PageRecord, budget: TokenBudget) -> list[CompiledChunk]:
    is_text = record.format == "text"
    chunks = chunk_plain(record, budget) if is_text else chunk_markdown(record, budget)
    if isinstance(record, PageRecord) and record.question:
        chunks = [replace(chunk, answer=1) for chunk in chunks]
        _find_by(record.question, chunks, budget)
    if isinstance(record, DocRecord) and record.stated_summary:
        _find_by(f"{record.title}: {record.stated_summary}", chunks, budget)
    return chunks


def _find_by(about: str, chunks: list[CompiledChunk], budget: TokenBudget) -> None:
    """Has the first of the chunks also found by what the record is `about`, as far as it fits."""
    if chunks:
        chunks[0] = replace(chunks[0], embedded_summary=beginning(about, budget))


def _section(record: WorkshopSection, budget: TokenBudget) -> list[CompiledChunk]:
    if record.is_diff:
        return [
            replace(chunk, type="diff", language="diff") for chunk in chunk_plain(record, budget)
        ]
    is_code = record.kind.endswith("-code") and ending(record.path) not in MARKDOWN_ENDINGS
    return chunk_source(record, budget) if is_code else chunk_markdown(record, budget)
