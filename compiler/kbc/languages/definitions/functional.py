"""Definitions of Elixir, Clojure, OCaml, Erlang and Haskell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kbc.languages.definitions.names import Definition, NodeNames, Rule, first_of, named
from kbc.languages.node_types import CALLABLE

if TYPE_CHECKING:
    from tree_sitter import Node

_DEFINING_CALLS: Mapping[str, str] = {
    "def": "function", "defp": "function", "defdelegate": "function", "defguard": "macro",
    "defguardp": "macro", "defmacro": "macro", "defmacrop": "macro", "defmodule": "module",
    "defprotocol": "interface", "defimpl": "implementation",
}  # fmt: skip

_LISP_DEFINITIONS: Mapping[str, str] = {
    "def": "constant", "defn": "function", "defn-": "function", "defmacro": "macro",
    "defmulti": "function", "defmethod": "function", "defonce": "constant",
    "defprotocol": "interface", "defrecord": "struct", "deftest": "function", "deftype": "type",
}  # fmt: skip


def _defining_call(names: NodeNames, node: Node, holder: str) -> Definition:
    target = node.child_by_field_name("target")
    kind = _DEFINING_CALLS.get(names.text(target), "") if target is not None else ""
    arguments = first_of(node, "arguments")
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


def _ocaml_value(names: NodeNames, node: Node, holder: str) -> Definition:
    """`let f x = ...` and `let f = fun x -> ...` are functions; other values have no name within them."""
    name = node.child_by_field_name("pattern")
    if name is None or name.type not in ("value_name", "parenthesized_operator"):
        return "", ""
    body = node.child_by_field_name("body")
    is_function = any(each.type == "parameter" for each in node.named_children) or (
        body is not None and body.type in ("fun_expression", "function_expression")
    )
    if not is_function and holder in ("constant", *CALLABLE):
        return "", ""
    return ("function" if is_function else "constant"), names.text(name).strip("( )")


def _ocaml_declared(names: NodeNames, node: Node, holder: str) -> Definition:
    """`val (+) : ...`"""
    name = names.text(node.named_children[0]) if node.named_children else names.name(node)
    return "function", name.strip("( )")


def _erlang(kind: str, field: str) -> Rule:
    def rule(names: NodeNames, node: Node, holder: str) -> Definition:
        head = node.child_by_field_name(field)
        return (kind, names.name(head)) if head is not None else ("", "")

    return rule


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


RULES: Mapping[tuple[str, str], Rule] = {
    ("elixir", "call"): _defining_call,
    ("clojure", "list_lit"): _lisp_list,
    ("ocaml", "let_binding"): _ocaml_value,
    ("ocaml", "module_binding"): named("module"),
    **{
        (language, node_type): rule
        for language in ("ocaml", "ocaml_interface")
        for node_type, rule in (
            ("exception_definition", named("type")),
            ("external", named("function")),
            ("module_type_definition", named("interface")),
            ("type_binding", named("type")),
            ("value_specification", _ocaml_declared),
        )
    },
    ("erlang", "pp_define"): _erlang("macro", "lhs"),
    ("erlang", "type_alias"): _erlang("type", "name"),
    ("haskell", "function"): _haskell_function,
    ("haskell", "bind"): _haskell_binding,
}
