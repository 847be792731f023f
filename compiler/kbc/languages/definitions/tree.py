"""Nodes inside of a node by their path, and the names that nodes give."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tree_sitter import Node

MAX_NAME_CHARS = 120

_MAX_STEPS = 8
"""Levels of the head of a definition that its name is looked for in."""

_NAME_ENDINGS = ("identifier", "name")
_NAME_TYPES = frozenset([
    "alias", "atom", "bare_key", "bareword", "constant", "dotted_key", "type_constructor",
    "variable", "word",
])  # fmt: skip
"""Types of nodes that are names: their endings, and whole types."""

_WITHOUT_FIELD = ("parenthesized_declarator", "reference_declarator")
"""Declarators of C and C++ whose grammars have no field for what they declare: `(name)`, `&name`."""


def at(node: Node | None, *paths: str) -> Node | None:
    """The node at the first of these paths that leads to one. A path has steps between `/`: the name of a
    field; `:type`, the first child of that type; `^` is the first child, `$` the last one, `@` the keyword
    in front."""
    for path in paths:
        found = node
        for step in path.split("/"):
            found = _child(found, step) if found is not None else None
        if found is not None:
            return found
    return None


def _child(node: Node, step: str) -> Node | None:
    if step in ("^", "$", "@"):
        children = node.children if step == "@" else node.named_children
        return children[-1 if step == "$" else 0] if children else None
    if step[0] != ":":
        return node.child_by_field_name(step)
    return next((each for each in node.named_children if each.type == step[1:]), None)


def innermost(node: Node | None, through: Collection[str], last: Collection[str]) -> Node | None:
    """The node of one of the types `last` that begins `node`, within others of the types `through`."""
    for _ in range(_MAX_STEPS):
        if node is None or node.type in last:
            return node
        node = at(node, "^") if node.type in through else None
    return None


def declared_in(node: Node) -> Node | None:
    """What a declaration or a declarator of C or C++ declares, one level down."""
    found = node.child_by_field_name("declarator")
    return at(node, "^") if found is None and node.type in _WITHOUT_FIELD else found


class NodeNames:
    """The names that nodes of one source give."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self._last_rows: dict[int, int] = {}  # by the byte behind a node

    def name(self, node: Node | None) -> str:
        """The name of what a node defines, as most grammars have it; "" without one."""
        if node is None:
            return ""
        named = node.child_by_field_name("name") or node.child_by_field_name("key")
        if named is None and node.type == "impl_item":
            named = node.child_by_field_name("type")
        if named is None:
            named = node.child_by_field_name("declarator") or node.child_by_field_name("left")
            while named is not None and (deeper := declared_in(named)) is not None:
                if named.type == "operator_cast":  # `operator bool() const`
                    head = self.source[named.start_byte : deeper.start_byte]
                    return " ".join(head.decode("utf-8", "replace").split())
                named = deeper
        return self.text(named or _first_name(node))

    def indent(self, node: Node) -> int:
        """The column of the first character of the line that a node begins on."""
        start = self.source.rfind(b"\n", 0, node.start_byte) + 1
        line = self.source[start : node.start_byte]
        return len(line) - len(line.lstrip(b" \t"))

    def last_row(self, node: Node) -> int:
        """The row of a node's last character, which some grammars follow by blanks up to the next node."""
        end = node.end_byte
        if not self.source[end - 1 : end].isspace():
            return node.end_point[0]
        if end not in self._last_rows:
            code = end
            while code and self.source[code - 1 : code].isspace():
                code -= 1
            self._last_rows[end] = node.end_point[0] - self.source.count(b"\n", code, end)
        return max(self._last_rows[end], node.start_point[0])

    def text(self, node: Node | None) -> str:
        """What a node says, on one line and without quotes."""
        if node is None:
            return ""
        text = self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        text = " ".join(text.split())
        if text[:1] in ("'", '"', "`"):  # not the prime of `f'`
            text = text.strip("\"'`")
        return text[:MAX_NAME_CHARS]


def _first_name(node: Node) -> Node | None:
    """The first node, at most three levels down, whose type says that it is a name."""
    level: Sequence[Node] = node.named_children
    for _ in range(3):
        for child in level:
            if child.type in _NAME_TYPES or child.type.endswith(_NAME_ENDINGS):
                return child
        level = [deeper for child in level[:8] for deeper in child.named_children[:8]]
    return None
