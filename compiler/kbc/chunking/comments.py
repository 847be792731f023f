"""Finds the lines of a program that explain instead of compute: comments and documentation strings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kbc.languages import grammars, quint
from kbc.languages.node_types import is_body

if TYPE_CHECKING:
    from tree_sitter import Node


def comment_lines(text: str, *, language: str) -> set[int]:
    """The lines, 1-based, that begin with or in a comment or a documentation string; none when there
    is no grammar for `language`."""
    lines: set[int] = set()
    for first, last in _comments(text, language):
        lines.update(range(first, last + 1))
    return lines


def _comments(text: str, language: str) -> Iterator[tuple[int, int]]:
    """The first and last line of each comment before which nothing stands on its first line."""
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
