"""What of a text no passage shows: front matter, comments, headings that its title repeats, and lines that
say nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_FRONT_MATTER = re.compile(r"(---|\+{3})[ \t]*\r?\n(?:.*\n)*?\1[ \t]*\r?(?:\n|\Z)")
_COMMENTS = re.compile(r"\s*(?:<!--.*?-->\s*)+", re.DOTALL)
_FRONT_MATTER_START = re.compile(r"(?:---[ \t]*\r?\n[\w-]+:|\+{3}[ \t]*\r?\n[\w-]+[ \t]*=)")
_ATTRIBUTES = re.compile(r"\{[#.:][^{}\n]*\}\s*\Z")
_IN_LINE = re.compile(r"[^\n]+")
_BORDER = re.compile(r"[ \t]*+(?:</?[A-Za-z][\w-]*>|[/*#(=;%\"'!-]++\)?)\s*")


def hidden_in(chunk: Mapping[str, Any]) -> list[Sequence[int]]:
    """The characters [start, end) of a chunk's text that are not shown, in order and apart."""
    # In YAML the same marks are between documents.
    is_start = chunk.get("start_line", 1) == 1 and chunk.get("language") != "yaml"
    end = unshown(chunk.get("text", "")) if is_start else 0
    comments = [span for span in chunk.get("comments", ()) if span[0] >= end]
    return [(0, end), *comments] if end else comments


def shown_text(chunk: Mapping[str, Any]) -> str:
    """A chunk's text to the end of what is shown: behind it may be a thousand definitions of links."""
    text: str = chunk["text"]
    hidden = hidden_in(chunk)
    if not hidden or text[hidden[-1][1] :].strip():
        return text
    return text[: len(without(text, hidden).rstrip())] or text


def last_line(chunk: Mapping[str, Any]) -> int:
    """The number of the line that a chunk's `shown_text` ends on."""
    first: int = chunk["start_line"]
    return first + shown_text(chunk)[:-1].count("\n")


def outside(
    text: str, pieces: Sequence[tuple[int, int]], hidden: Sequence[Sequence[int]]
) -> list[tuple[int, int]]:
    """What there is of `pieces` of `text` outside of the spans `hidden`, blank space aside. Both are in
    order."""
    kept = []
    next_span = 0
    for piece_start, end in pieces:
        start = piece_start
        while next_span < len(hidden) and hidden[next_span][1] <= start:
            next_span += 1
        for at in range(next_span, len(hidden)):
            span_start, span_end = hidden[at]
            if span_start >= end:
                break
            if text[start:span_start].strip():
                kept.append((start, span_start))
            start = max(start, span_end)
        if rest := text[start:end].lstrip():
            kept.append((start if start == piece_start else end - len(rest), end))
    return kept


def unshown(text: str) -> int:
    """How many code points of a file's beginning are front matter, its fences included, and comments in
    HTML: a licence, notes to authors.

    Without a closing fence it is all of them when they begin with a key: long front matter continues in
    the next chunk.
    """
    end = 0
    if text.startswith(("---", "+++")):
        if found := _FRONT_MATTER.match(text):
            end = found.end()
        elif _FRONT_MATTER_START.match(text):
            return len(text)
    comments = _COMMENTS.match(text, end)
    return comments.end() if comments else end


def repeats(line: str, heading: str) -> bool:
    """Whether a line only says `heading`, mark-up and attributes aside; never for an empty heading."""
    bare = _ATTRIBUTES.sub("", line.strip("# \t\r\n"))
    if line.startswith("#"):
        bare, heading = (re.sub(r"[\W_]+", "", each) for each in (bare, heading))
    return bool(heading) and bare == heading


def behind_borders(text: str, pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """`pieces` of `text` from the first on that is more than a tag (`<p>`) or the border of a comment
    (`/**`); all of them where none is."""
    is_border = (_BORDER.fullmatch(text, *piece) is not None for piece in pieces)
    return pieces[next((at for at, one in enumerate(is_border) if not one), 0) :]


def blank(text: str) -> str:
    """Spaces in the place of all characters of `text` but its line ends."""
    return _IN_LINE.sub(lambda line: " " * len(line[0]), text)


def without(text: str, spans: Iterable[Sequence[int]]) -> str:
    """`text` with blanks for characters [start, end) of `spans`, which are in order and apart."""
    parts = []
    position = 0
    for start, end in spans:
        parts += [text[position:start], blank(text[start:end])]
        position = end
    return "".join([*parts, text[position:]]) if position else text
