"""Names that the nodes of a syntax tree give, and what a rule about definitions is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from kbc.languages.node_types import NAME_ENDINGS, NAME_TYPES

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_NAME_CHARS = 120

_MAX_STEPS = 8
"""Levels of the head of a definition that its name is looked for in."""

Definition = tuple[str, str]
"""Kind and name; empty strings for no definition."""


class NodeNames:
    """The names that nodes of one source give."""

    def __init__(self, source: bytes) -> None:
        self.source = source

    def name(self, node: Node) -> str:
        named = node.child_by_field_name("name") or node.child_by_field_name("key")
        if named is None and node.type == "impl_item":
            named = node.child_by_field_name("type")
        if named is None:
            named = node.child_by_field_name("declarator") or node.child_by_field_name("left")
            while named is not None:
                deeper = named.child_by_field_name("declarator")
                if deeper is None and named.type == "parenthesized_declarator":
                    deeper = next(iter(named.named_children), None)
                if deeper is None:
                    break
                named = deeper
        if named is None:
            named = _first_name(node)
        return self.text(named) if named is not None else ""

    def text(self, node: Node) -> str:
        text = self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        text = " ".join(text.split())
        if text[:1] in ("'", '"'):  # not the prime of `f'`
            text = text.strip("\"'")
        return text[:MAX_NAME_CHARS]


def _first_name(node: Node) -> Node | None:
    """The first node, at most three levels down, whose type says that it is a name."""
    level: Sequence[Node] = node.named_children
    for _ in range(3):
        for child in level:
            if child.type in NAME_TYPES or child.type.endswith(NAME_ENDINGS):
                return child
        level = [deeper for child in level[:8] for deeper in child.named_children[:8]]
    return None


def first_of(node: Node, type_: str) -> Node | None:
    """The first child of a node that is of this type."""
    return next((each for each in node.named_children if each.type == type_), None)


def inner(node: Node | None, through: Collection[str], last: Collection[str]) -> Node | None:
    """The node of one of the types `last` that begins `node`, within others of the types `through`."""
    for _ in range(_MAX_STEPS):
        if node is None or node.type in last:
            return node
        if node.type not in through:
            return None
        node = next(iter(node.named_children), None)
    return None


Rule = Callable[[NodeNames, "Node", str], Definition]
"""Takes a node and the kind of the definition around it, "" without one."""


def named(kind: str, outside: Collection[str] = ()) -> Rule:
    """Nodes that have names define this kind, but for those within the kinds `outside`."""

    def rule(names: NodeNames, node: Node, holder: str) -> Definition:
        return (kind, names.name(node)) if holder not in outside else ("", "")

    return rule
