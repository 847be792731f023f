"""Definitions of languages that have no grammar here: by the word that begins a line, and the name behind it.

Most languages say so what they define (`predicate full(`, `fn fill {`, `(defn fill [`), and indent what it
holds or close it at the margin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kb_runtime.store.symbols import MEMBER_HOLDERS
from kbc.languages.definitions.symbol import MAX_DEPTH, Symbol, signature

_KINDS: Mapping[str, str] = {
    **dict.fromkeys(("actor", "class", "component", "contract"), "class"),
    **dict.fromkeys(("record", "sig", "struct", "structure"), "struct"),
    **dict.fromkeys(("interface", "protocol", "signature", "trait"), "interface"),
    **dict.fromkeys(("module", "namespace", "package"), "module"),
    **dict.fromkeys(("datatype", "effect", "inductive", "type", "typedef"), "type"),
    **dict.fromkeys(("annotation", "const", "constant", "val", "var"), "constant"),
    "enum": "enum", "macro": "macro",
}  # fmt: skip
_FUNCTIONS = (
    "axiom", "corollary", "def", "definition", "fact", "fixpoint", "fn", "fun", "func", "function", "iter",
    "lemma", "method", "pred", "predicate", "proc", "procedure", "proctype", "proposition", "sub", "theorem",
)  # fmt: skip
_BEFORE = (
    "abstract", "active", "async", "export", "extern", "external", "final", "ghost", "inline", "internal",
    "local", "lone", "noncomputable", "one", "open", "override", "partial", "private", "protected", "pub",
    "public", "sealed", "static", "unsafe", "virtual",
)  # fmt: skip
_NAME = r"-?[^\W\d](?:[\w'?!*]|-(?=\w))*"
_HEAD = re.compile(
    rf"(?:@\[[^\]\n]{{0,80}}\][ \t]*)?(?:(?:{'|'.join(_BEFORE)})[ \t]+)*"
    rf"(?P<word>{'|'.join((*_KINDS, *_FUNCTIONS))})[ \t]+"
    # What it belongs to, or the type of what it gives, may stand before the name.
    r"(?:\([^()\n]{1,80}\)[ \t]*|(?<=function )[^:=(){}\"'\n]{1,80}:[ \t]*(?=(?:\w+|'[^'\s]+')[ \t]*\())?"
    rf"(?:(?P<name>{_NAME}(?:(?:\.|::?){_NAME})*)|\"(?P<words>[^\"\n]{{1,80}})\"|'(?P<sign>[^'\s]{{1,20}})')"
    r"|\((?P<form>def[\w*+-]*|fn|lambda|macro|λ)[ \t]+\^?(?P<given>[^\s()\[\]{}\"';:]+)",
    re.IGNORECASE,
)
_FORMS: Mapping[str, str] = {
    **dict.fromkeys(("def", "defconst", "defconstant", "define", "defglobal", "defparameter"), "constant"),
    **dict.fromkeys(("defmacro", "macro"), "macro"),
    "defclass": "class", "defstruct": "struct", "deftype": "type",
}  # fmt: skip
_COMMENT = re.compile(r"#|//|--|;|%|@|\|\|\|")
_BLOCKS: Mapping[str, str] = {"/*": "*/", "(*": "*)", "{-": "-}", "/-": "-/", '"""': '"""'}
_CLOSING = re.compile(r"[)\]}|]|end\b")


class _Line(NamedTuple):
    """A line of code: its row, the row that the comments right above it begin on, and its text."""

    row: int
    first_row: int
    text: str


class _OpenDefinition(NamedTuple):
    """A definition that may go on, and how far it is indented."""

    symbol: Symbol
    indent: int


def symbols(text: str) -> list[Symbol]:
    """The definitions at the margin with the members of types and modules inside them, in order."""
    lines = text.split("\n")
    found: list[Symbol] = []
    around: list[_OpenDefinition] = []
    last = 0
    for line in _code(lines):
        code = line.text.lstrip()
        indent = len(line.text) - len(code)
        while around and indent <= around[-1].indent:
            if indent == around[-1].indent and _CLOSING.match(code):
                break
            around.pop().symbol.end_line = last
        last = line.row + 1
        holder = around[-1].symbol if around else None
        is_place = not indent if holder is None else holder.kind in (*MEMBER_HOLDERS, "module")
        head = _HEAD.match(code) if is_place else None
        if head is None or len(around) > MAX_DEPTH:
            continue
        symbol = Symbol(
            name=head["name"] or head["words"] or head["sign"] or head["given"],
            kind=_kind(head, holder),
            line=line.first_row + 1,
            end_line=last,
            own_line=last,
            signature=signature(lines, line.row).rstrip(" {="),
        )
        (holder.children if holder else found).append(symbol)
        around.append(_OpenDefinition(symbol, indent))
    for each in around:
        each.symbol.end_line = last
    return found


def _kind(head: re.Match[str], holder: Symbol | None) -> str:
    word, form = (head["word"] or "").lower(), (head["form"] or "").lower()
    kind = _KINDS.get(word) or _FORMS.get(form.rstrip("-*+"), "function")
    is_member = kind == "function" and holder is not None and holder.kind in MEMBER_HOLDERS
    return "method" if is_member else kind


def _code(lines: Sequence[str]) -> Iterator[_Line]:
    """The lines that are neither blank nor part of a comment."""
    ending, first_row = "", -1
    for row, line in enumerate(lines):
        text = line.strip()
        if ending:
            ending = "" if ending in text else ending
            continue
        opening = next((each for each in _BLOCKS if text.startswith(each)), "")
        is_comment = _COMMENT.match(text) is not None and _HEAD.match(text) is None
        if opening or is_comment:
            first_row = row if first_row < 0 else first_row
            if opening and _BLOCKS[opening] not in text[len(opening) :]:
                ending = _BLOCKS[opening]
            continue
        if text:
            yield _Line(row, row if first_row < 0 else first_row, line)
        first_row = -1
