"""The tokens of C and C++ as a documentation generator needs them: comments of documentation are tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_LINE_JOIN = re.compile(r"\\[ \t]*\n")
_TOKEN = re.compile(
    r"""(?P<block>/\*)
    |(?P<line>//[^\n]*)
    |(?P<raw>\b(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s"]{0,16})\()
    |(?P<hash>^[ \t]*\#)
    |(?P<string>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)
    |(?P<word>[A-Za-z_$~]\w*|\d(?:[\w.]|'(?=\w))*)
    |(?P<mark>::|->|\.\.\.|[^\s\w])""",
    re.VERBOSE | re.MULTILINE,
)
_CONTINUED = re.compile(r"[^\n]*(?:\\[ \t]*\n[^\n]*)*")
"""The rest of a directive of the preprocessor, over joined lines."""

_LINES = re.compile(r"(?:\n[ \t]*//[/!](?![/<])[^\n]*)*")
_TRAILING = re.compile(r"(?:\n[ \t]*//[/!]<[^\n]*)*")
"""Further lines of a comment before a declaration, and of one after it."""


class CToken(NamedTuple):
    """`kind` is `comment` (of documentation), `directive` (of the preprocessor), `string`, `word` or `mark`.
    With `is_apart`, blanks stand before it."""

    kind: str
    text: str
    is_apart: bool


def tokens(source: str) -> Iterator[CToken]:
    """The tokens of a file; comments that document nothing are none."""
    position = end = 0
    while match := _TOKEN.search(source, position):
        start, position = match.span()
        is_apart = start > end
        kind = match.lastgroup or "mark"
        end = start  # a comment counts as a blank before what follows
        if kind == "block":
            position = _after(source, "*/", position)
            if _is_documentation(source[start:position]):
                yield CToken("comment", source[start:position], is_apart)
        elif kind == "line":
            if (text := match[0]).startswith(("///", "//!")) and not text.startswith("////"):
                following = (_TRAILING if text[3:4] == "<" else _LINES).match(source, position)
                position = following.end() if following else position
                yield CToken("comment", source[start:position], is_apart)
        elif kind == "hash":
            rest = _CONTINUED.match(source, position)
            end = position = rest.end() if rest else position
            yield CToken("directive", _LINE_JOIN.sub(" ", source[start:position]), is_apart)
        elif kind == "raw":
            end = position = _after(source, f'){match["delimiter"]}"', position)
            yield CToken("string", source[start:position], is_apart)
        else:
            end = position
            yield CToken(kind, match[0], is_apart)


def _after(source: str, mark: str, position: int) -> int:
    found = source.find(mark, position)
    return len(source) if found < 0 else found + len(mark)


def _is_documentation(comment: str) -> bool:
    """`/** ... */` and `/*! ... */`, but neither `/**/` nor a row of asterisks."""
    return comment.startswith(("/**", "/*!")) and comment[3:4] not in ("*", "/")


def joined(pieces: list[CToken]) -> str:
    """The text of tokens on one line, with single blanks where there are blanks."""
    return "".join(
        f" {each.text}" if each.is_apart and index else each.text
        for index, each in enumerate(pieces)
    )
