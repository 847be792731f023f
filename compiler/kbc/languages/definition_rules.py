"""Definitions that single languages write in their own way: a function bound to a variable, a macro
that defines, a block with labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
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
    "defonce": "constant",
    "defprotocol": "interface",
    "defrecord": "struct",
    "deftest": "function",
    "deftype": "type",
}

_ZIG_TYPE = re.compile(rb"\s*=\s*(?:(?:extern|packed)\s+)?(struct|enum|union)\b")

_R_CLASSES: Mapping[str, str] = {
    "R6Class": "class",
    "setClass": "class",
    "setRefClass": "class",
    "new_class": "class",
    "setGeneric": "function",
    "setMethod": "method",
}
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
    name = parts[1].child_by_field_name("name") or parts[1]  # without `^:private`
    return _LISP_DEFINITIONS.get(names.text(parts[0]), ""), names.text(name)


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
    found = _ZIG_TYPE.match(names.source, name.end_byte)
    kind = "constant" if found is None else "enum" if found[1] == b"enum" else "struct"
    return kind, names.text(name)


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


def _inner(node: Node | None, through: Collection[str], last: Collection[str]) -> Node | None:
    """The node of one of the types `last` that begins `node`, within others of the types `through`."""
    for _ in range(_MAX_STEPS):
        if node is None or node.type in last:
            return node
        if node.type not in through:
            return None
        node = next(iter(node.named_children), None)
    return None


def _julia_type(names: NodeNames, node: Node, holder: str) -> Definition:
    """`struct P{T} <: Q`"""
    head = next(iter(node.named_children), None)
    through = ("type_head", "binary_expression", "parametrized_type_expression")
    name = _inner(head, through, ("identifier",))
    kind = "struct" if node.type == "struct_definition" else "type"
    return (kind, names.text(name)) if name is not None else ("", "")


def _julia_function(names: NodeNames, node: Node, holder: str) -> Definition:
    """`function f(x)` and `f(x) = ...`, also with types and of other modules (`Base.show`)."""
    through = ("signature", "where_expression", "typed_expression", "call_expression")
    found = ("identifier", "field_expression", "operator")
    head = next(iter(node.named_children), None)
    if node.type == "assignment" and (head is None or head.type not in through):
        return "", ""
    name = _inner(head, through, found)
    return ("function", names.text(name)) if name is not None else ("", "")


_NIM_KINDS: Mapping[str, str] = {
    "macro_declaration": "macro",
    "method_declaration": "method",
    "template_declaration": "macro",
    "type_declaration": "type",
}


def _nim(names: NodeNames, node: Node, holder: str) -> Definition:
    name = node.child_by_field_name("name")
    if name is None and node.named_children:
        name = node.named_children[0].child_by_field_name("name")
    if name is None:
        return "", ""
    return _NIM_KINDS.get(node.type, "function"), names.text(name).rstrip("*")


def _ocaml_value(names: NodeNames, node: Node, holder: str) -> Definition:
    """`let f x = ...` and `let f = fun x -> ...` are functions; other values have no name within them."""
    binding = next((each for each in node.named_children if each.type == "let_binding"), None)
    name = binding.child_by_field_name("pattern") if binding is not None else None
    if binding is None or name is None:
        return "", ""
    if name.type not in ("value_name", "parenthesized_operator"):
        return "", ""
    body = binding.child_by_field_name("body")
    is_function = any(each.type == "parameter" for each in binding.named_children) or (
        body is not None and body.type in ("fun_expression", "function_expression")
    )
    if not is_function and holder in ("constant", *CALLABLE):
        return "", ""
    return ("function" if is_function else "constant"), names.text(name).strip("( )")


def _ocaml_named(kind: str) -> Rule:
    def rule(names: NodeNames, node: Node, holder: str) -> Definition:
        if node.type == "value_specification" and node.named_children:  # `val (+) : ...`
            return kind, names.text(node.named_children[0]).strip("( )")
        return kind, names.name(node)

    return rule


def _erlang_macro(names: NodeNames, node: Node, holder: str) -> Definition:
    head = node.child_by_field_name("lhs")
    return ("macro", names.name(head)) if head is not None else ("", "")


def _erlang_type(names: NodeNames, node: Node, holder: str) -> Definition:
    head = node.child_by_field_name("name")
    return ("type", names.name(head)) if head is not None else ("", "")


def _first_word(names: NodeNames, node: Node, holder: str) -> Definition:
    """A member that its keyword names: `constructor`, `receive`, `fallback`."""
    return "function", names.text(node.children[0]) if node.children else ""


def _kotlin_property(names: NodeNames, node: Node, holder: str) -> Definition:
    """At the top of a file, and constants of a type; other properties are parts of their type."""
    declared = [each for each in node.named_children if each.type == "variable_declaration"]
    is_constant = any(
        each.type == "modifiers" and "const" in names.text(each).split()
        for each in node.named_children
    )
    if not declared or not (holder == "" or (is_constant and holder in HOLDERS)):
        return "", ""
    return "constant", names.name(declared[0])


def _php_constant(names: NodeNames, node: Node, holder: str) -> Definition:
    outside = holder not in CALLABLE
    return ("constant", names.name(node)) if outside else ("", "")


def _fortran_head(names: NodeNames, node: Node, holder: str) -> Definition:
    """A derived type, and an interface with a name: a function that several procedures implement."""
    head = next(iter(node.named_children[:1]), None)
    named = (
        [each for each in head.named_children if each.type in ("name", "type_name")] if head else ()
    )
    kind = "function" if node.type == "interface" else "type"
    return (kind, names.text(named[0])) if named else ("", "")


def _haskell_function(names: NodeNames, node: Node, holder: str) -> Definition:
    """`f x = ...`, and operators: `a +++ b = ...`, `(+++) a b = ...`."""
    head = next(iter(node.named_children), None)
    if head is not None and head.type == "infix":
        name = head.child_by_field_name("operator")
    else:
        name = node.child_by_field_name("name")
    return "function", names.text(name).strip("`( )") if name is not None else ""


def _haskell_binding(names: NodeNames, node: Node, holder: str) -> Definition:
    """`f = g . h`: a function without its arguments, or a value."""
    name = node.child_by_field_name("name")
    if name is None or holder in ("constant", *CALLABLE):
        return "", ""
    above = node.prev_named_sibling
    is_function = above is not None and above.type == "signature" and "->" in names.text(above)
    return ("function" if holder or is_function else "constant"), names.text(name).strip("( )")


def _r_call(names: NodeNames, node: Node, holder: str) -> Definition:
    """`setClass("P", ...)` and the like."""
    kind = _r_class(names, node)
    arguments = node.child_by_field_name("arguments")
    first = next(iter(arguments.named_children), None) if arguments is not None else None
    if holder or not kind or first is None:
        return "", ""
    return kind, names.text(first)


def _r_class(names: NodeNames, node: Node | None) -> str:
    function = node.child_by_field_name("function") if node is not None else None
    return _R_CLASSES.get(names.text(function).rpartition(":")[2], "") if function else ""


def _r_value(names: NodeNames, node: Node, holder: str) -> Definition:
    kind = _r_class(names, node.child_by_field_name("rhs"))
    left = node.child_by_field_name("lhs")
    if kind and left is not None and not holder:
        return kind, names.text(left)
    kind, name = _function_value(names, node, holder)
    return kind, name.strip("`")


def _sql(kind: str) -> Rule:
    def rule(names: NodeNames, node: Node, holder: str) -> Definition:
        """Without the schema that the name may begin with."""
        named = next((one for one in node.named_children if one.type == "object_reference"), None)
        return (kind, names.name(named)) if named is not None else ("", "")

    return rule


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
    ("r", "binary_operator"): _r_value,
    ("r", "call"): _r_call,
    ("julia", "struct_definition"): _julia_type,
    ("julia", "abstract_definition"): _julia_type,
    ("julia", "function_definition"): _julia_function,
    ("julia", "assignment"): _julia_function,
    **{
        ("nim", f"{each}_declaration"): _nim
        for each in ("converter", "func", "iterator", "macro", "method", "proc", "template", "type")
    },
    ("ocaml", "value_definition"): _ocaml_value,
    **{
        (language, node_type): _ocaml_named(kind)
        for language in ("ocaml", "ocaml_interface")
        for node_type, kind in (
            ("exception_definition", "type"),
            ("external", "function"),
            ("module_type_definition", "interface"),
            ("value_specification", "function"),
        )
    },
    ("erlang", "pp_define"): _erlang_macro,
    ("erlang", "type_alias"): _erlang_type,
    ("solidity", "constructor_definition"): _first_word,
    ("solidity", "fallback_receive_definition"): _first_word,
    ("kotlin", "property_declaration"): _kotlin_property,
    ("php", "const_element"): _php_constant,
    ("fortran", "derived_type_definition"): _fortran_head,
    ("fortran", "interface"): _fortran_head,
    ("haskell", "function"): _haskell_function,
    ("haskell", "bind"): _haskell_binding,
    **{
        ("sql", f"create_{each}"): _sql(kind)
        for each, kind in (
            ("function", "function"),
            ("materialized_view", "table"),
            ("table", "table"),
            ("trigger", "function"),
            ("type", "type"),
            ("view", "table"),
        )
    },
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
