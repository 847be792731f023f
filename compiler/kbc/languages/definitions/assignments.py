"""A function or a value that is bound to a name by an assignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb_runtime.store.symbols import MEMBER_HOLDERS
from kbc.languages.definitions.names import Definition, NodeNames
from kbc.languages.node_types import FUNCTION_VALUES

if TYPE_CHECKING:
    from tree_sitter import Node


def assignment(names: NodeNames, node: Node, holder: str) -> Definition:
    left = node.child_by_field_name("left")
    outside = holder in {"", "module", *MEMBER_HOLDERS}
    if left is None or left.type not in ("identifier", "constant") or not outside:
        return "", ""
    name = names.text(left)
    return ("constant" if name.isupper() or left.type == "constant" else "variable"), name


def declarator(names: NodeNames, node: Node, holder: str) -> Definition:
    value = node.child_by_field_name("value")
    name = node.child_by_field_name("name") or node.child_by_field_name("property")
    if name is None or not name.type.endswith("identifier"):
        return "", ""
    if value is not None and value.type in FUNCTION_VALUES:
        return ("class" if value.type == "class" else "function"), names.text(name)
    outside = holder in ("", "module")
    return ("constant", names.text(name)) if outside else ("", "")


def function_value(names: NodeNames, node: Node, holder: str) -> Definition:
    """`name = function ...`, in JavaScript, Lua and R."""
    left = node.child_by_field_name("left") or node.child_by_field_name("lhs")
    right = node.child_by_field_name("right") or node.child_by_field_name("rhs")
    if left is None and right is None and len(node.named_children) == 2:
        left, right = node.named_children
        if right.named_children:
            right = right.named_children[0]
    if left is None or right is None or right.type not in FUNCTION_VALUES:
        return "", ""
    return "function", names.text(left)
