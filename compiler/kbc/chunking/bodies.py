"""Leaves the bodies of functions out of what is embedded of an example program.

A question asks for a program by what it is about and what it defines: its comments, signatures, types
and constants. Statements inside functions say little of that to an encoder of English text, and are most
of its work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from kbc.chunking.lines import TextLines
from kbc.languages import grammars, quint
from kbc.languages.definitions.symbol import Symbol, walk
from kbc.languages.node_types import CALLABLE, is_body

_WITH_BODY = CALLABLE | quint.OPERATOR_KINDS
_WORD = re.compile(r"\S+")


def without_bodies(lines: TextLines, definitions: Sequence[Symbol], language: str) -> str:
    """The text with spaces for the bodies of functions, as long as it was. Signatures and comments stay."""
    hidden: set[int] = set()
    comments = _comments(lines.text, language)
    kept = {line for first, last in comments for line in range(first, last + 1)}
    for symbol in walk(definitions):
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


def _comments(text: str, language: str) -> Iterator[tuple[int, int]]:
    """The first and last line, 1-based, of each comment or documentation string before which nothing stands
    on its first line; none when there is no grammar for `language`."""
    if language == "quint":
        yield from quint.scan(text).comments
        return
    root = grammars.tree(text.encode("utf-8", "surrogatepass"), language)
    waiting = [root] if root is not None else []
    while waiting:
        node = waiting.pop()
        if node.type.endswith("comment") or _is_documentation(node):
            first = node.start_point[0] + 1
            row, column = node.end_point
            left = node.prev_sibling
            shares = left is not None and left.end_point[0] + 1 == first
            yield first + shares, row if column == 0 and row >= first else row + 1
        elif node.start_point[0] != node.end_point[0] or is_body(node.type):
            waiting += node.children


def _is_documentation(node: Node) -> bool:
    """Whether a statement is a string and nothing else, as Python documents definitions."""
    return (
        node.type == "expression_statement"
        and node.named_child_count == 1
        and node.named_children[0].type == "string"
    )
