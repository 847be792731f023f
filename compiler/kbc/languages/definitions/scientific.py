"""Definitions of Julia, R, Fortran and SQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kbc.languages.definitions.assignments import function_value
from kbc.languages.definitions.names import Definition, NodeNames, Rule, first_of, inner

if TYPE_CHECKING:
    from tree_sitter import Node

_R_CLASSES: Mapping[str, str] = {
    "R6Class": "class", "setClass": "class", "setRefClass": "class", "new_class": "class",
    "setGeneric": "function", "setMethod": "method",
}  # fmt: skip


def _julia_type(names: NodeNames, node: Node, holder: str) -> Definition:
    """`struct P{T} <: Q`"""
    head = next(iter(node.named_children), None)
    through = ("type_head", "binary_expression", "parametrized_type_expression")
    name = inner(head, through, ("identifier",))
    kind = "struct" if node.type == "struct_definition" else "type"
    return (kind, names.text(name)) if name is not None else ("", "")


def _julia_function(names: NodeNames, node: Node, holder: str) -> Definition:
    """`function f(x)` and `f(x) = ...`, also with types and of other modules (`Base.show`)."""
    before_call = ("signature", "where_expression", "typed_expression")
    head = next(iter(node.named_children), None)
    call = inner(head, before_call, ("call_expression",))
    if node.type == "assignment" and call is None:  # `x = 1`, `x::Int = 1`
        return "", ""
    through = (*before_call, "call_expression", "parametrized_type_expression")
    found = ("identifier", "field_expression", "operator")
    name = inner(head, through, found)
    if name is None:
        return "", ""
    return "function", names.text(name).replace(".:(", ".").rstrip(")")  # `Base.:(==)`


def _fortran_head(names: NodeNames, node: Node, holder: str) -> Definition:
    """A derived type, and an interface with a name: a function that several procedures implement."""
    head = next(iter(node.named_children[:1]), None)
    named = (
        [each for each in head.named_children if each.type in ("name", "type_name")] if head else ()
    )
    kind = "function" if node.type == "interface" else "type"
    return (kind, names.text(named[0])) if named else ("", "")


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
    kind, name = function_value(names, node, holder)
    return kind, name.strip("`")


def _sql(kind: str) -> Rule:
    def rule(names: NodeNames, node: Node, holder: str) -> Definition:
        """Without the schema that the name may begin with."""
        named = first_of(node, "object_reference")
        return (kind, names.name(named)) if named is not None else ("", "")

    return rule


RULES: Mapping[tuple[str, str], Rule] = {
    ("r", "binary_operator"): _r_value,
    ("r", "call"): _r_call,
    ("julia", "struct_definition"): _julia_type,
    ("julia", "abstract_definition"): _julia_type,
    ("julia", "function_definition"): _julia_function,
    ("julia", "assignment"): _julia_function,
    ("fortran", "derived_type_definition"): _fortran_head,
    ("fortran", "interface"): _fortran_head,
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
}
