"""Definitions of Crystal, which has no grammar: by the words that begin them, and the `end` below.

Its formatter, which comes with the language, indents an `end` like the line that it closes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kb_runtime.store.symbols import MEMBER_HOLDERS
from kbc.languages.definitions.symbol import MAX_DEPTH, MAX_SIGNATURE_CHARS, Symbol

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
_MOST_LINES_OF_HEAD = 20


class _CrystalDefinition(NamedTuple):
    """A definition on lines `line` to `end_line`, 1-based, the comments and annotations above it included;
    its own text begins on `own_line`. `depth` is how many others are around it."""

    name: str
    kind: str
    line: int
    own_line: int
    end_line: int
    signature: str
    depth: int


class _OpenBlock(NamedTuple):
    at: int
    indent: int


def symbols(text: str) -> list[Symbol]:
    """The outermost definitions with those inside them, in order."""
    found: list[Symbol] = []
    around: list[Symbol] = []
    for each in _definitions(text.split("\n")):
        if each.depth > MAX_DEPTH:
            continue
        del around[each.depth :]
        holder = around[-1] if around else None
        is_member = each.kind == "function" and holder and holder.kind in MEMBER_HOLDERS
        kind = "method" if is_member else each.kind
        head = each.signature[:MAX_SIGNATURE_CHARS]
        symbol = Symbol(each.name, kind, each.line, each.end_line, each.own_line, head)
        (holder.children if holder else found).append(symbol)
        around.append(symbol)
    return found


def _definitions(lines: Sequence[str]) -> list[_CrystalDefinition]:
    """All definitions, each before those inside it."""
    found: list[_CrystalDefinition] = []
    around: list[_OpenBlock] = []
    above = 0

    def close(row: int) -> None:
        at = around.pop().at
        found[at] = found[at]._replace(end_line=row + 1)

    for row, line in _code(lines):
        text = line.lstrip()
        indent = len(line) - len(text)
        while around and indent < around[-1].indent:
            close(above)  # without an `end` of its own
        above = row
        if around and indent == around[-1].indent and _END.match(text):
            close(row)
            continue
        head = _HEAD.match(text)
        if head is None:
            continue
        word = head["word"] or head["of"] or ""
        kind = _KINDS.get(word, "constant")
        signature = _signature(lines, row)
        name = head["name"] or head["type"] or head["constant"]
        first = _first_above(lines, row, found[-1].own_line if found else 0)
        found.append(
            _CrystalDefinition(name, kind, first + 1, row + 1, row + 1, signature, len(around))
        )
        is_abstract = "abstract" in (head["first"] or "").split()
        is_whole = is_abstract or word in _WITHOUT_END or not word or _ONE_LINE.search(text)
        if not is_whole:
            around.append(_OpenBlock(len(found) - 1, indent))
    while around:
        close(above)
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


def _signature(lines: Sequence[str], row: int) -> str:
    """The head that begins on a row, up to the bracket that closes its parameters."""
    parts: list[str] = []
    open_ = 0
    for line in lines[row : row + _MOST_LINES_OF_HEAD]:
        parts.append(line.strip())
        open_ += line.count("(") - line.count(")")
        if open_ <= 0:
            break
    return " ".join(parts)
