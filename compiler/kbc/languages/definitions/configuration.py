"""Definitions of languages that describe infrastructure, interfaces, policies and data."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from kbc.languages.definitions.rules import NOTHING, Definition, Reader, Rule
from kbc.languages.definitions.tree import NodeNames, at
from kbc.languages.node_types import CALLABLE

if TYPE_CHECKING:
    from tree_sitter import Node


def jsonnet_bind(names: NodeNames, node: Node, holder: str) -> Definition:
    """`local fill(by) = ...` is a function, and `local level = ...` a value, no file that is imported."""
    value = at(node, "$")
    is_import = value is not None and value.type.startswith("import")
    return NOTHING if is_import else jsonnet_field(names, node, holder)


def jsonnet_field(names: NodeNames, node: Node, holder: str) -> Definition:
    """`fill(by):: ...` is a function; other fields have a name in the object that a file is."""
    function, value = at(node, "function"), at(node, "$")
    name = names.text(function or at(node, "^"))
    if function is not None or (value is not None and value.type == "anonymous_function"):
        return "function", name
    return ("constant", name) if not holder else NOTHING


def rego_rule(names: NodeNames, node: Node, holder: str) -> Definition:
    """`fill(by) := ...` is a function, `level := 3` a value, and a rule with a body is a function as well."""
    head, body = at(node, ":rule_head"), at(node, ":rule_body")
    name = names.text(at(head, "^"))
    is_plain = at(head, ":open_paren", ":if", ":open_bracket", ":contains") is None
    is_value = is_plain and (body is None or at(body, ":open_curly") is None)
    return ("constant" if is_value else "function"), name


_shape = partial(Rule, name=(":identifier",))
_block = partial(Rule, kind="block", name=(":identifier",), within=("",))
_outer = partial(Rule, outside=CALLABLE, name=(":identifier",))

BICEP: Mapping[str, Reader | None] = {
    "module_declaration": _outer(kind="block"),
    "output_declaration": _outer(kind="variable"),
    "parameter_declaration": _outer(kind="variable"),
    "resource_declaration": _outer(kind="block"),
    "type_declaration": _outer(kind="type"),
    "user_defined_function": Rule(kind="function", name=("name",)),
    "variable_declaration": _outer(kind="constant"),
}
JSONNET: Mapping[str, Reader | None] = {"bind": jsonnet_bind, "field": jsonnet_field}
PRISMA: Mapping[str, Reader | None] = {
    "enum_block": _shape(kind="enum"),
    "key_value_block": _block(),
    "model_block": _shape(kind="struct"),
    "type_block": _shape(kind="struct"),
    "view_block": _shape(kind="table"),
}
REGO: Mapping[str, Reader | None] = {
    "module": Rule(kind="module", name=(":ref",)),
    "rule": rego_rule,
}
SMITHY: Mapping[str, Reader | None] = {
    "enum_statement": _shape(kind="enum"),
    "list_statement": _shape(kind="type"),
    "map_statement": _shape(kind="type"),
    "operation_statement": _shape(kind="function"),
    "resource_statement": _shape(kind="class"),
    "service_statement": _shape(kind="interface"),
    "simple_shape_statement": _shape(kind="type"),
    "structure_statement": _shape(kind="struct"),
    "union_statement": _shape(kind="struct"),
}
