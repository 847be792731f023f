"""What of a page is embedded: not what its site does not show."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from kb_runtime.text.unshown import blank, without
from kbc.languages import markdown, mdx
from kbc.records import CompiledRecord, PatternRecord

_BACKTICKS = re.compile(r"`+")
_MARK = re.compile(rf"\\.|`+|<!--|{markdown.INSTRUCTION}")

Span = tuple[int, int]
"""The characters [start, end) of a text."""


@dataclass(frozen=True, slots=True)
class Visible:
    """`text` is that of a record with spaces for what is not embedded. Of this, `comments` are not indexed
    and not shown either; they are in order and apart."""

    text: str
    comments: tuple[Span, ...]


def visible_text(record: CompiledRecord, document: markdown.Document, *, is_mdx: bool) -> Visible:
    """The text of a record with spaces for front matter (a pattern's says when to use it and stays), for
    comments outside of code, and for MDX syntax."""
    text = record.text
    hidden = 0
    if document.front_matter is not None and not isinstance(record, PatternRecord):
        for _ in range(document.front_matter.last_line):
            hidden = text.find("\n", hidden) + 1 or len(text)
    body = text[hidden:]
    if is_mdx:
        body = body.replace("\r", " ")
        comments = [(hidden + span.start, hidden + span.end) for span in mdx.comments(body)]
        body = mdx.mask(body)
    else:
        comments = list(_comments(text, document))
    return Visible(without(blank(text[:hidden]) + body, comments), tuple(comments))


def _comments(text: str, document: markdown.Document) -> Iterator[Span]:
    """The comments and instructions of Markdown in order, wherever they are but in code."""
    starts = [0]
    position = 0
    for lines in document.commented:
        while len(starts) <= lines.end_line:
            starts.append(text.find("\n", starts[-1]) + 1 or len(text))
        start = max(starts[lines.start_line - 1], position)  # cells of a table share their line
        for span in _between(text, start, starts[lines.end_line], has_code=not lines.is_html):
            yield span
            position = span[1]


def _between(text: str, position: int, end: int, *, has_code: bool) -> Iterator[Span]:
    """The comments from `position` to `end`, which begin in no code span."""
    spans: dict[int, list[int]] = {}  # where runs of backticks begin, by their length
    if has_code:
        for run in _BACKTICKS.finditer(text, position, end):
            spans.setdefault(len(run[0]), []).append(run.start())
    while mark := _MARK.search(text, position, end):
        position = mark.end()
        if mark[0][0] == "<":
            ending = "-->" if mark[0] == "<!--" else "?>"
            close = text.find(ending, position - 2, end)  # `<!-->` is a comment
            if close < 0:
                return
            position = close + len(ending)
            yield mark.start(), position
        elif runs := spans.get(len(mark[0]) if mark[0][0] == "`" else 0):
            closing = bisect_left(runs, position)
            if closing < len(runs):
                position = runs[closing] + len(mark[0])
