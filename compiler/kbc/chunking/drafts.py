"""Chunks source trees for a first index within seconds: windows of lines, nothing parsed.

Parsing, measuring and embedding a tree takes minutes; meanwhile a draft of it finds the same files by
keyword. Its chunks end at blank lines, and the names that they define are those after the keywords that
most languages define with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kbc.languages.fences import chunk_type
from kbc.records import CompiledChunk, CompiledRecord

WINDOW_CHARS = 2_400
"""About 70 lines: as much as a result of a code search shows."""
LEAST_CHARS = WINDOW_CHARS // 2

_MAX_NAMES = 100  # of a chunk; more are a table
# A newline before and repetitions that never give back: the engine skips from line to line, which
# takes a third of the time.
_DEFINED = re.compile(
    r"\n[ \t]*+(?:\w++[ \t]++){0,4}?(?:class|def|defmodule|defp?|enum|fn|func|fun|function|interface"
    r"|module|object|protocol|record|struct|trait|type)[ \t]++(\w+)"
)


def chunks(records: Iterable[CompiledRecord]) -> list[CompiledChunk]:
    """The chunks of all records, in their order; joined, those of a record are its text."""
    return [chunk for record in records for chunk in _chunks(record)]


def _chunks(record: CompiledRecord) -> Iterator[CompiledChunk]:
    is_config = chunk_type(record.language) == "config"
    kind = "config" if is_config else "code" if record.language else "prose"
    line = record.line
    for index, text in enumerate(_windows(record.text)):
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
            identifiers=tuple(dict.fromkeys(_DEFINED.findall("\n" + text)))[:_MAX_NAMES],
        )
        line += ends


def _windows(text: str) -> Iterator[str]:
    """`text` cut behind a blank line where there is one in the second half of a window, else behind
    a line; a line without end is cut where the window ends."""
    start = 0
    while len(text) - start > WINDOW_CHARS:
        end = start + WINDOW_CHARS
        blank = text.rfind("\n\n", start + LEAST_CHARS, end)
        newline = text.rfind("\n", start, end)
        stop = blank + 2 if blank >= 0 else newline + 1 if newline >= 0 else end
        yield text[start:stop]
        start = stop
    if start < len(text):
        yield text[start:]
