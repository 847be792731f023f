"""Finds the comments of Markdown pages, and the names of targets, which a site does not show."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_INSTRUCTION = r"<\?(?!php\b|xml\b)(?=[A-Za-z])"
"""Where an instruction to a program of the site begins (`<?code-excerpt "main.dart"?>`), which browsers show
as little as a comment. PHP and XML outside of code are content all the same."""
_TARGET = r"^\([^\s()][^()\n]*\)=[ \t]*$"
"""A name that MyST gives to what follows, on a line of its own."""
_EMPTY = r"<(?P<tag>a|span|div)\b[^<>]{0,400}(?:/>|>[ \t]*</(?P=tag)>)"
"""An element with nothing in it, most often a place that links lead to (`<a name="knots"></a>`)."""
HIDDEN = re.compile(rf"<!--|{_INSTRUCTION}|{_EMPTY}|{_TARGET}", re.MULTILINE)
"""What a text with something that is not shown contains."""

_BACKTICKS = re.compile(r"`+")
_MARK = re.compile(rf"\\.|`+|<!--|{_INSTRUCTION}|{_EMPTY}|{_TARGET}", re.MULTILINE)

Span = tuple[int, int]
"""The characters [start, end) of a text."""


@dataclass(frozen=True, slots=True)
class CommentedLines:
    """Lines `start_line` to `end_line` of a text, or of HTML, that may hold comments, at any depth: each
    comment begins and ends in them, and in text code spans hide it."""

    start_line: int
    end_line: int
    is_html: bool


def comments(text: str, commented: Iterable[CommentedLines]) -> Iterator[Span]:
    """The comments, processing instructions, targets and empty elements outside code, in order and apart."""
    starts = [0]
    position = 0
    for lines in commented:
        while len(starts) <= lines.end_line:
            starts.append(text.find("\n", starts[-1]) + 1 or len(text))
        start = max(starts[lines.start_line - 1], position)  # cells of a table share their line
        for span in _between(text, start, starts[lines.end_line], has_code=not lines.is_html):
            yield span
            position = span[1]


def _between(text: str, position: int, end: int, *, has_code: bool) -> Iterator[Span]:
    """The comments from `position` to `end` that do not begin in a code span."""
    spans: dict[int, list[int]] = {}  # where runs of backticks begin, by their length
    if has_code:
        for run in _BACKTICKS.finditer(text, position, end):
            spans.setdefault(len(run[0]), []).append(run.start())
    while mark := _MARK.search(text, position, end):
        position = mark.end()
        if mark[0][0] == "(":
            if has_code:
                yield mark.span()
        elif mark["tag"]:
            yield mark.span()
        elif mark[0][0] == "<":
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
