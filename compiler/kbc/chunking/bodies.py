"""Leaves the bodies of functions out of what is embedded of an example program.

A question asks for a program by what it is about and what it defines: its comments, signatures, types
and constants. Statements inside functions say little of that to an encoder of English text, and are most
of its work.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kbc.chunking.comments import comment_lines
from kbc.chunking.lines import TextLines
from kbc.languages import quint, syntax
from kbc.languages.node_types import CALLABLE
from kbc.languages.syntax import Symbol

_WITH_BODY = CALLABLE | quint.OPERATOR_KINDS
_WORD = re.compile(r"\S+")


def without_bodies(lines: TextLines, definitions: Sequence[Symbol], language: str) -> str:
    """The text with spaces for the bodies of functions, as long as it was. Signatures and comments stay."""
    hidden: set[int] = set()
    kept = comment_lines(lines.text, language=language)
    for symbol in syntax.walk(definitions):
        if symbol.kind in _WITH_BODY:
            hidden.update(range(symbol.own_line, symbol.end_line + 1))
        kept.update(range(symbol.own_line, _signature_end(lines, symbol) + 1))
    hidden -= kept
    return "".join(
        _WORD.sub(lambda word: " " * len(word[0]), lines[index])
        if index + 1 in hidden
        else lines[index]
        for index in range(len(lines))
    )


def _signature_end(lines: TextLines, symbol: Symbol) -> int:
    """The line, 1-based in the text, that the signature ends on."""
    missing = _letters(symbol.signature)
    for number in range(symbol.own_line, symbol.end_line):
        missing -= _letters(lines[number - 1])
        if missing <= 0:
            return number
    return symbol.end_line


def _letters(text: str) -> int:
    return sum(map(len, text.split()))
