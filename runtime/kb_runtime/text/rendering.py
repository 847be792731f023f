"""Text for people and models: fences, cuts and excerpts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb_runtime.text.graphemes import boundary_after, boundary_before, is_boundary

ELLIPSIS = "…"

_MOVING = re.compile("[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def backticks(text: str, least: int = 1) -> str:
    """At least so many backticks, and more than there are in a row in `text`."""
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    return "`" * max(least, longest + 1)


def fence(text: str, language: str = "") -> str:
    """`text` as a fenced code block, whose fence is longer than any run of backticks in it."""
    return exact_fence(text.rstrip(), language)


def exact_fence(text: str, language: str = "") -> str:
    """Like `fence`, with every character of `text`; a line end is added where it has none."""
    marks = backticks(text, 3)
    line_end = "" if text.endswith("\n") else "\n"
    return f"{marks}{language}\n{text}{line_end}{marks}"


def code_span(text: str) -> str:
    """`text` as inline code on one line; backticks in it make the delimiter longer."""
    line = " ".join(text.split())
    marks = backticks(line)
    return f"`{line}`" if marks == "`" else f"{marks} {line} {marks}"


def printable(text: str) -> str:
    """`text` on one line: control characters and lone surrogates as backslash escapes."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def on_one_line(text: str) -> str:
    """A sentence that quotes names and titles: what would move the cursor of a terminal, turn the direction
    of the text or break the line is a backslash escape; blanks of all widths stay."""
    return _MOVING.sub(lambda found: printable(found[0]), text)


def encodable(text: str) -> str:
    """`text` with backslash escapes for lone surrogates, which are how Python holds the bytes of file names
    that are not UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode()


def cut(text: str, start: int, limit: int) -> int:
    """Where a part of `text` that begins at `start` and holds up to `limit` code points ends.

    Prefers the last line break in the last fifth of the window. Never ends inside a grapheme cluster; when
    the whole window is one, the end lies behind it, so a part is never empty before the end of the text.
    """
    end = start + max(limit, 1)
    if end >= len(text):
        return len(text)
    line_break = text.rfind("\n", end - limit // 5, end) + 1
    if line_break > start and is_boundary(text, line_break):
        return line_break
    before = boundary_before(text, end, start)
    return boundary_after(text, end) if before is None else before


def shorten(text: str, limit: int) -> str:
    """`text` on one line of at most `limit` code points, with an ellipsis where it was cut."""
    if len(text) <= limit and text.isalnum():  # most are words
        return text
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    end = cut(line, 0, limit - 1)
    space = line.rfind(" ", end * 4 // 5, end)
    return line[: space if space > 0 else end][: limit - 1].rstrip() + ELLIPSIS


def find_folded(text: str, folded: str) -> int:
    """Where the first text that equals `folded` up to case begins in `text`, -1 where there is none. Case
    folding makes some characters longer, so that places in folded text are others."""
    whole = text.casefold()
    at = whole.find(folded)
    if at <= 0 or len(whole) == len(text):
        return at
    reached = 0
    for index, char in enumerate(text):
        reached += len(char.casefold())
        if reached > at:
            return index
    return len(text)


def excerpt(text: str, terms: Sequence[str], limit: int) -> str:
    """At most `limit` code points of `text` on one line, from shortly before the first of `terms`."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    places = [place for term in terms if (place := find_folded(line, term.casefold())) >= 0]
    first = min(places, default=0)
    start = max(0, min(first - limit // 4, len(line) - limit))
    if start:
        start = line.find(" ", start, max(first, start) + 1) + 1 or cut(line, 0, start)
    if not start:
        return shorten(line, limit)
    return ELLIPSIS + shorten(line[start:], limit - 1)
