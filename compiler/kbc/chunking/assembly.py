"""From passages with their context to chunks, with the token bound verified."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from kbc.chunking.lines import Lines
from kbc.records import Chunk, Record

_BLANK_START = re.compile(r"\A(?:[^\S\n]*\n)+")
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n){2,}")  # what MDX syntax leaves behind


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A chunk to be: characters [start, end) of the text, the header of what is embedded, and the
    fields of `Chunk` that the strategy knows."""

    start: int
    end: int
    header: str
    type: str = "prose"
    language: str = ""
    title: str = ""
    breadcrumb: tuple[str, ...] = ()
    anchor: str = ""
    section_line: int = 0
    section_level: int = 0
    symbol: str = ""
    symbol_kind: str = ""
    signature: str = ""
    identifiers: tuple[str, ...] = ()


def assemble(record: Record, lines: Lines, drafts: Iterable[Draft]) -> list[Chunk]:
    """The chunks of `drafts`, which cover the text in order; a draft that is over the budget after
    all (token counts that did not add up) gives several chunks."""
    chunks: list[Chunk] = []
    for draft in drafts:
        for start, end, embedded_text in _embedded(lines, draft):
            chunks.append(
                Chunk(
                    collection=record.collection,
                    record_id=record.id,
                    index=len(chunks),
                    text=lines.text[start:end],
                    start_line=lines.number(start),
                    end_line=lines.number(end - 1),
                    type=draft.type,
                    language=draft.language,
                    title=draft.title,
                    breadcrumb=draft.breadcrumb,
                    anchor=draft.anchor,
                    section_line=draft.section_line,
                    section_level=draft.section_level,
                    symbol=draft.symbol,
                    symbol_kind=draft.symbol_kind,
                    signature=draft.signature,
                    identifiers=draft.identifiers,
                    tags=record.tags,
                    embedded_text=embedded_text,
                )
            )
    return chunks


def _embedded(lines: Lines, draft: Draft) -> Iterable[tuple[int, int, str]]:
    waiting = [(draft.start, draft.end)]
    while waiting:
        start, end = waiting.pop()
        body = _BLANK_START.sub("", lines.visible[start:end].rstrip())
        body = _BLANK_LINES.sub("\n\n", body)
        embedded_text = "\n".join(part for part in (draft.header, body) if part)
        if lines.budget.fits(embedded_text) or end - start < 2:
            yield start, end, embedded_text
        else:
            middle = _middle(lines.visible, start, end)
            waiting += [(middle, end), (start, middle)]


def _middle(text: str, start: int, end: int) -> int:
    """Where to cut [start, end) in two: after the line end, else the space, nearest to the middle of
    the visible part, else in the middle of it."""
    visible_start = end - len(text[start:end].lstrip())
    visible_end = start + len(text[start:end].rstrip())
    centre = (visible_start + visible_end) // 2
    for separator in ("\n", " "):
        before = text.rfind(separator, visible_start, centre) + 1
        after = text.find(separator, centre, visible_end) + 1
        places = [place for place in (before, after) if visible_start < place < visible_end]
        if places:
            return min(places, key=lambda place: abs(place - centre))
    return min(max(centre, start + 1), end - 1)
