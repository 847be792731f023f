"""Chunks source trees for a first index within seconds: windows of lines, nothing parsed.

Parsing, measuring and embedding a tree takes minutes; meanwhile a draft of it finds the same files by
keyword.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kb_runtime.text.windows import defined_names, windows
from kbc.languages.fences import unparsed_type
from kbc.records import CompiledChunk, CompiledRecord, DocRecord, PageRecord


def chunks(records: Iterable[CompiledRecord]) -> list[CompiledChunk]:
    """The chunks of all records, in their order; joined, those of a record are its text."""
    return [chunk for record in records for chunk in _chunks(record)]


def _chunks(record: CompiledRecord) -> Iterator[CompiledChunk]:
    is_page = isinstance(record, DocRecord | PageRecord)  # whose language is its markup
    kind = "prose" if is_page else unparsed_type(record.language)
    line = record.line
    for index, text in enumerate(windows(record.text)):
        ends = text.count("\n")
        yield CompiledChunk(
            collection=record.collection,
            record_id=record.id,
            index=index,
            text=text,
            start_line=line,
            end_line=line + ends - text.endswith("\n"),
            type=kind,
            language=record.language,
            title=record.title,
            breadcrumb=(record.title,),
            identifiers=defined_names(text),
        )
        line += ends
