"""What kind of text a passage of Markdown is: prose, code of a language, a description of an endpoint; and
fenced code of a passage set apart, so that a filter on languages and types finds each fence.

A fence takes along what introduces it, if that is too little to be found alone: the end of the text before
it, often a heading and a line. What follows the last fence and is too little goes with it as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kbc.chunking.lines import TextLines
from kbc.chunking.packing import REMNANT, PackedPassage
from kbc.languages.fences import chunk_type
from kbc.languages.markdown import Block, Fence

INTRODUCTION = 40
"""Tokens of a heading and a sentence or two. A longer text before a fence is a passage of its own."""

# The share of a passage's tokens that code must have for the passage to count as code.
_MOSTLY_CODE = 0.8
_ENDPOINT = re.compile(r"\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\s+`?(?:/|https?://)\S")


def coded_lines(lines: TextLines, blocks: Sequence[Block]) -> dict[int, str]:
    """The language ("" when unnamed) of each line of a code block."""
    return {
        index: block.language if block.kind == "fence" else ""
        for block in blocks
        if block.kind in ("fence", "code")
        for index in range(*lines.indexes(block.start_line, block.end_line))
    }


def passage_type(
    lines: TextLines, passage: PackedPassage, headings: Iterable[range], coded: Mapping[int, str]
) -> tuple[str, str]:
    """The type of a passage, and its language when most of it is code. `headings` are the lines of each
    heading that it has some of."""
    first, end = lines.holding(passage.start, passage.end)
    # An underlined heading may have a hundred thousand lines, of which a passage holds a few.
    titles = {i for span in headings for i in range(max(span.start, first), min(span.stop, end))}
    text_cost = sum(lines.costs[i] for i in range(first, end) if i not in titles)
    code = [index for index in range(first, end) if index in coded]
    if code and sum(lines.costs[i] for i in code) >= _MOSTLY_CODE * text_cost:
        return chunk_type(coded[code[0]]), coded[code[0]]
    if _ENDPOINT.search(lines.text, passage.start, passage.end):
        return "api", ""
    return "prose", ""


class FencedSpan(NamedTuple):
    """Characters [start, end). `language` is that of the fence in it ("" for a fence that names none),
    None for text. `introduction` is the line before the fence where that is in the piece before."""

    start: int
    end: int
    language: str | None = None
    introduction: str = ""


def pieces(lines: TextLines, start: int, end: int, fences: Sequence[Fence]) -> list[FencedSpan]:
    """Characters [start, end) in order and without loss. `fences` are those of the whole text."""
    found: list[FencedSpan] = []
    place = start
    for first, stop, language in _inside(lines, start, end, fences):
        introduction = ""
        if place < first and lines.cost(*lines.holding(place, first)) > INTRODUCTION:
            found.append(FencedSpan(place, first))
            introduction = _last_line(lines, place, first)
            place = first
        found.append(FencedSpan(place, stop, language, introduction))
        place = stop
    if not found:
        return [FencedSpan(start, end)]
    if place < end:
        if lines.cost(*lines.holding(place, end)) < REMNANT:
            found[-1] = found[-1]._replace(end=end)
        else:
            found.append(FencedSpan(place, end))
    return found


def _inside(
    lines: TextLines, start: int, end: int, fences: Sequence[Fence]
) -> Iterator[tuple[int, int, str]]:
    """The parts of fences in [start, end), with their languages."""
    for fence in fences:
        first, stop = lines.indexes(fence.start_line, fence.end_line)
        begins, ends = max(lines.start(first), start), min(lines.start(stop), end)
        if begins < ends:
            yield begins, ends, fence.language


def _last_line(lines: TextLines, start: int, end: int) -> str:
    shown = lines.visible[start:end].split("\n")
    return next((line.strip() for line in reversed(shown) if line.strip()), "")
