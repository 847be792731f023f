"""Chunks text without a known grammar: cuts at blank lines, sentences, brackets and indentation."""

from __future__ import annotations

import re
from functools import partial

from kbc.chunking.assembly import Draft, assemble
from kbc.chunking.budget import TokenBudget
from kbc.chunking.header import header, opening_details
from kbc.chunking.lines import TextLines, shared_indentation
from kbc.chunking.packing import BORDER, INSIDE_SENTENCE_LINE, SENTENCE_END, pack_lines
from kbc.languages.includes.fenced import indentation
from kbc.records import CompiledChunk, CompiledRecord

_AFTER_BLANK = 30
_AFTER_LINE = 60
_AFTER_SENTENCE = 40
_PARAGRAPH = 5
_DEEPEST = 24  # columns; deeper nesting does not make a cut worse
_OPEN_END = 15  # added when the line before opens something, or this one closes it

_CLOSER = re.compile(r"\s*(?:[)\]}]|end\b|else\b|elif\b|except\b|catch\b|finally\b|fi\b|done\b|</)")
_OPENER = re.compile(r"[(\[{,:\\=]\s*\Z")
_HEADING = re.compile(r"\s*(?:(?://[/!]?|\*|--|#)[ \t]+#{1,4}|#{2,4})[ \t]+[A-Z`]")
"""A heading of Markdown in documentation among code: `## Errors` in a string, `/// # Errors` in a comment."""

_EMPTY = re.compile(r"\s*(?://[/!]?|\*|--|#)?\s*\Z")


def prose_cuts(lines: TextLines, first: int, end: int) -> list[int]:
    """The cost of a cut before each of lines [first, end) of prose."""
    cuts = []
    for index in range(first, end):
        if index == first or lines.is_blank(index - 1):
            cuts.append(_PARAGRAPH)
        elif SENTENCE_END.search(lines[index - 1][-80:]):
            cuts.append(_AFTER_SENTENCE)
        else:
            cuts.append(INSIDE_SENTENCE_LINE)
    return cuts


def code_cuts(lines: TextLines, first: int, end: int) -> list[int]:
    """The cost of a cut before each of lines [first, end) of code: least before headings in documentation
    and before the outermost lines that follow a blank one."""
    margin = shared_indentation([lines[index] for index in range(first, end)])
    cuts = []
    for index in range(first, end):
        line = lines[index]
        after_blank = index > first and lines.is_blank(index - 1)
        cost = _AFTER_BLANK if after_blank else _AFTER_LINE
        cost += min(indentation(line) - margin, _DEEPEST) if line.strip() else 0
        if index > first and _HEADING.match(line) and _EMPTY.match(lines[index - 1]):
            cost = _PARAGRAPH
        elif _CLOSER.match(line) or (index > first and _OPENER.search(lines[index - 1][-80:])):
            cost += _OPEN_END
        cuts.append(cost)
    if cuts:
        cuts[0] = BORDER
    return cuts


def chunk_plain(record: CompiledRecord, budget: TokenBudget) -> list[CompiledChunk]:
    """Paragraphs of a text, packed until the budget is full."""
    lines = TextLines(record.text, budget, first_number=record.line)
    opening = header([record.title], opening_details(record), budget)
    following = header([record.title], [], budget)
    cuts = prose_cuts(lines, 0, len(lines))
    room = budget.room - opening.tokens
    title = record.title
    chunk = partial(CompiledChunk, language=record.language, title=title, breadcrumb=(title,))
    drafts = [
        Draft(
            passage.start,
            passage.end,
            following.text if passage.start else opening.text,
            chunk,
        )
        for passage in pack_lines(lines, 0, len(lines), cuts, room)
    ]
    return assemble(record, lines, drafts)
