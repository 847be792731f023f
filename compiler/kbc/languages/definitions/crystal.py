"""Definitions of Crystal, which has no grammar: by the words that begin them, and the `end` below.

Its formatter, which comes with the language, indents an `end` like the line that it closes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kb_runtime.store.symbols import MEMBER_HOLDERS
from kbc.languages.definitions.symbol import MAX_DEPTH, Symbol, signature

_KINDS: Mapping[str, str] = {
    "alias": "type", "annotation": "type", "class": "class", "def": "function", "enum": "enum",
    "fun": "function", "lib": "module", "macro": "macro", "module": "module", "record": "struct",
    "struct": "struct", "union": "struct",
}  # fmt: skip
_WITHOUT_END = frozenset({"alias", "fun", "record"})
_HEAD = re.compile(
    r"(?:(?P<first>(?:[a-z_]+ )*)(?P<word>def|macro|fun)[ ]+(?:[a-z_]\w*\.|[A-Z]\w*\.)?"
    r"(?P<name>\w+[?!=]?(?!\w)|[-+*/%<>=~!&|^\[\]]+[?=]?)"
    r"|(?:(?:abstract|private) )*(?P<of>alias|annotation|class|enum|lib|module|record|struct|union)[ ]+"
    r"(?P<type>[A-Z]\w*(?:::[A-Z]\w*)*)"
    r"|(?P<constant>[A-Z]\w*)[ ]*=(?![=~>]))"
)
_HERE = re.compile(r"<<-['\"]?(\w+)")
_END = re.compile(r"end\b")
_ONE_LINE = re.compile(r";\s*end\b")
_ABOVE = re.compile(r"\s*(?:#|@\[)")


class _OpenBlock(NamedTuple):
    """A definition whose `end` is still to come, and how far it is indented."""

    symbol: Symbol
    indent: int


def symbols(text: str) -> list[Symbol]:
    """The outermost definitions with those inside them, in order."""
    lines = text.split("\n")
    found: list[Symbol] = []
    around: list[_OpenBlock] = []
    above = least = 0
    for row, line in _code(lines):
        code = line.lstrip()
        indent = len(line) - len(code)
        while around and indent < around[-1].indent:
            around.pop().symbol.end_line = above + 1  # without an `end` of its own
        above = row
        if around and indent == around[-1].indent and _END.match(code):
            around.pop().symbol.end_line = row + 1
            continue
        head = _HEAD.match(code)
        if head is None:
            continue
        word = head["word"] or head["of"] or ""
        holder = around[-1].symbol if around else None
        is_member = word in ("def", "fun") and holder and holder.kind in MEMBER_HOLDERS
        symbol = Symbol(
            name=head["name"] or head["type"] or head["constant"],
            kind="method" if is_member else _KINDS.get(word, "constant"),
            line=_first_above(lines, row, least) + 1,
            end_line=row + 1,
            own_line=row + 1,
            signature=signature(lines, row),
        )
        least = symbol.own_line
        if len(around) <= MAX_DEPTH:
            (holder.children if holder else found).append(symbol)
        is_abstract = "abstract" in (head["first"] or "").split()
        if not (is_abstract or word in _WITHOUT_END or not word or _ONE_LINE.search(code)):
            around.append(_OpenBlock(symbol, indent))
    for block in around:
        block.symbol.end_line = above + 1
    return found


def _code(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The lines that are neither blank nor a comment nor part of a text, by their rows."""
    ending = ""
    for row, line in enumerate(lines):
        text = line.strip()
        if ending:
            ending = "" if text.startswith(ending) else ending
        elif text and not text.startswith("#"):
            yield row, line
            here = _HERE.search(text)
            ending = here[1] if here else ""


def _first_above(lines: Sequence[str], row: int, least: int) -> int:
    """The row of the first comment or annotation right above a row, below the row `least` - 1."""
    while row > least and _ABOVE.match(lines[row - 1]):
        row -= 1
    return row
