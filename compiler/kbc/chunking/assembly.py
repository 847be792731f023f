"""Turns passages with their context into chunks, and checks the token limit."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import NamedTuple

from kb_runtime.text.graphemes import boundary_after, boundary_before
from kbc.chunking.lines import TextLines
from kbc.records import CompiledChunk, CompiledRecord

_BLANK_START = re.compile(r"\A(?:[^\S\n]*\n)+")
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n){2,}")  # what MDX syntax leaves behind


class Draft(NamedTuple):
    """A chunk to be: characters [start, end) of the text, the header of what is embedded, and `chunk`, which
    makes the chunk with all fields that the strategy knows."""

    start: int
    end: int
    header: str
    chunk: partial[CompiledChunk]


def assemble(
    record: CompiledRecord,
    lines: TextLines,
    drafts: Iterable[Draft],
    comments: Sequence[tuple[int, int]] = (),
) -> list[CompiledChunk]:
    """The chunks of `drafts`, which cover the text in order; a draft that is over the budget after
    all (token counts that did not add up) gives several chunks. `comments` of the text, in order, are neither
    indexed nor shown."""
    chunks: list[CompiledChunk] = []
    for draft, embedded_text in _fitting(lines, list(drafts)):
        chunks.append(
            draft.chunk(
                collection=record.collection,
                record_id=record.id,
                index=len(chunks),
                text=lines.text[draft.start : draft.end],
                start_line=lines.number(draft.start),
                end_line=lines.number(draft.end - 1),
                tags=record.tags,
                comments=_within(comments, draft),
                embedded_text=embedded_text,
            )
        )
    return chunks


def _within(spans: Sequence[tuple[int, int]], draft: Draft) -> tuple[tuple[int, int], ...]:
    """What the draft has of `spans`, counted from its start."""
    first = bisect_right(spans, draft.start, key=itemgetter(1))
    behind = bisect_left(spans, draft.end, first, key=itemgetter(0))
    return tuple(
        (max(start, draft.start) - draft.start, min(end, draft.end) - draft.start)
        for start, end in spans[first:behind]
    )


def _fitting(lines: TextLines, drafts: Sequence[Draft]) -> Iterator[tuple[Draft, str]]:
    """The drafts, cut in two where one does not fit, each with what of it is embedded."""
    texts = [_embedded(lines, draft) for draft in drafts]
    for draft, text, fits in zip(drafts, texts, lines.budget.fits_each(texts), strict=True):
        if fits or draft.end - draft.start < 2:
            yield draft, text
        else:
            middle = _middle(lines.visible, draft.start, draft.end)
            halves = [draft._replace(end=middle), draft._replace(start=middle)]
            yield from _fitting(lines, halves)


def _embedded(lines: TextLines, draft: Draft) -> str:
    body = _BLANK_START.sub("", lines.visible[draft.start : draft.end].rstrip())
    body = _BLANK_LINES.sub("\n\n", body)
    return "\n".join(part for part in (draft.header, body) if part)


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
    centre = min(max(centre, start + 1), end - 1)
    place = boundary_before(text, centre, start) or boundary_after(text, centre)
    return place if place < end else centre
