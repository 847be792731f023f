"""Definitions that single languages write in their own way: a function bound to a variable, a macro
that defines, a block with labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from kbc.languages.node_types import CALLABLE, FUNCTION_VALUES, HOLDERS, NAME_ENDINGS, NAME_TYPES

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_NAME_CHARS = 120

_DEFINING_CALLS: Mapping[str, str] = {
    "def": "function",
    "defp": "function",
    "defmacro": "macro",
    "defmodule": "module",
    "defprotocol": "interface",
    "defimpl": "implementation",
}

_LISP_DEFINITIONS: Mapping[str, str] = {
    "def": "constant",
    "defn": "function",
    "defn-": "function",
    "defmacro": "macro",
    "defmulti": "function",
    "defmethod": "function",
    "defprotocol": "interface",
    "defrecord": "struct",
    "deftype": "type",
}

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
                if deeper is None:
                    break
                named = deeper
        if named is None:
            named = _first_name(node)
        return self.text(named) if named is not None else ""

    def text(self, node: Node) -> str:
        text = self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        return " ".join(text.split()).strip("\"'")[:MAX_NAME_CHARS]


def _first_name(node: Node) -> Node | None:
    """The first node, at most three levels down, whose type says that it is a name."""
    level: Sequence[Node] = node.named_children
    for _ in range(3):
        for child in level:
            if child.type in NAME_TYPES or child.type.endswith(NAME_ENDINGS):
                return child
        level = [deeper for child in level[:8] for deeper in child.named_children[:8]]
    return None


def _assignment(names: NodeNames, node: Node, holder: str) -> Definition:
    left = node.child_by_field_name("left")
    outside = holder in {"", "module", *HOLDERS}
    if left is None or left.type not in ("identifier", "constant") or not outside:
        return "", ""
    name = names.text(left)
    return ("constant" if name.isupper() or left.type == "constant" else "variable"), name


def _declarator(names: NodeNames, node: Node, holder: str) -> Definition:
    value = node.child_by_field_name("value")
    name = node.child_by_field_name("name") or node.child_by_field_name("property")
    if name is None or not name.type.endswith("identifier"):
        return "", ""
    if value is not None and value.type in FUNCTION_VALUES:
        return ("class" if value.type == "class" else "function"), names.text(name)
    outside = holder in ("", "module")
    return ("constant", names.text(name)) if outside else ("", "")


def _function_value(names: NodeNames, node: Node, holder: str) -> Definition:
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


def _c_declaration(names: NodeNames, node: Node, holder: str) -> Definition:
    """A prototype; declarations of variables are no definitions worth a name."""
    if holder in CALLABLE:
        return "", ""
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    return ("function", names.name(declarator)) if declarator is not None else ("", "")


def _defining_call(names: NodeNames, node: Node, holder: str) -> Definition:
    target = node.child_by_field_name("target")
    kind = _DEFINING_CALLS.get(names.text(target), "") if target is not None else ""
    arguments = next((child for child in node.named_children if child.type == "arguments"), None)
    if not kind or arguments is None or not arguments.named_children:
        return "", ""
    named = arguments.named_children[0]
    if named.type == "binary_operator" and named.named_children:  # a guard
        named = named.named_children[0]
    inner = named.child_by_field_name("target")
    return kind, names.text(inner if inner is not None else named)


def _lisp_list(names: NodeNames, node: Node, holder: str) -> Definition:
    parts = node.named_children
    if len(parts) < 2 or parts[0].type != "sym_lit" or parts[1].type != "sym_lit":
        return "", ""
    return _LISP_DEFINITIONS.get(names.text(parts[0]), ""), names.text(parts[1])


def _labelled_block(names: NodeNames, node: Node, holder: str) -> Definition:
    """`resource "kind" "name" { ... }`"""
    words = []
    for child in node.named_children:
        if child.type not in ("identifier", "string_lit"):
            break
        words.append(names.text(child))
    return ("block", ".".join(words)) if not holder else ("", "")


def _zig_value(names: NodeNames, node: Node, holder: str) -> Definition:
    name = node.child_by_field_name("variable_type_function")
    outside = holder in {"", *HOLDERS}
    if name is None or not outside:
        return "", ""
    is_type = b"struct" in names.source[name.end_byte : name.end_byte + 30]
    return ("struct" if is_type else "constant"), names.text(name)


def _zig_function(names: NodeNames, node: Node, holder: str) -> Definition:
    name = node.child_by_field_name("function")
    return ("function", names.text(name)) if name is not None else ("", "")


def _swift_class(names: NodeNames, node: Node, holder: str) -> Definition:
    word = names.text(node.children[0])
    kind = word if word in ("class", "struct", "enum") else "class"
    if word == "extension":
        kind = "implementation"
    return kind, names.name(node)


def _dart_method(names: NodeNames, node: Node, holder: str) -> Definition:
    return "method", names.name(node.named_children[0]) if node.named_children else ""


def _dart_function(names: NodeNames, node: Node, holder: str) -> Definition:
    outside = holder not in CALLABLE
    return ("function", names.name(node)) if outside else ("", "")


def _json_key(names: NodeNames, node: Node, holder: str) -> Definition:
    return ("key", names.name(node)) if not holder else ("", "")


Rule = Callable[[NodeNames, "Node", str], Definition]

RULES: Mapping[tuple[str, str], Rule] = {
    ("python", "assignment"): _assignment,
    ("ruby", "assignment"): _assignment,
    ("dart", "method_signature"): _dart_method,
    ("dart", "function_signature"): _dart_function,
    ("json", "pair"): _json_key,
    **{
        (language, node_type): rule
        for language in ("javascript", "typescript", "tsx")
        for node_type, rule in (
            ("variable_declarator", _declarator),
            ("field_definition", _declarator),
            ("public_field_definition", _declarator),
            ("assignment_expression", _function_value),
        )
    },
    ("lua", "assignment_statement"): _function_value,
    ("r", "binary_operator"): _function_value,
    ("c", "declaration"): _c_declaration,
    ("cpp", "declaration"): _c_declaration,
    ("cpp", "field_declaration"): _c_declaration,
    ("elixir", "call"): _defining_call,
    ("clojure", "list_lit"): _lisp_list,
    ("hcl", "block"): _labelled_block,
    ("zig", "VarDecl"): _zig_value,
    ("zig", "FnProto"): _zig_function,
    ("swift", "class_declaration"): _swift_class,
}
