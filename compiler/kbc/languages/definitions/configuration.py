"""Definitions of languages that describe infrastructure, interfaces, policies and data."""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from kbc.languages.definitions.rules import NOTHING, Definition, Reader, Rule, by_kind
from kbc.languages.definitions.tree import NodeNames, at
from kbc.languages.node_types import CALLABLE


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


BICEP: Mapping[str, Reader] = {
    **by_kind(
        {
            "block": "module_declaration resource_declaration",
            "constant": "variable_declaration",
            "type": "type_declaration",
            "variable": "output_declaration parameter_declaration",
        },
        name=(":identifier",),
        outside=CALLABLE,
    ),
    "user_defined_function": Rule(kind="function", name=("name",)),
}
JSONNET: Mapping[str, Reader | None] = {"bind": jsonnet_bind, "field": jsonnet_field}
PRISMA: Mapping[str, Reader] = {
    **by_kind({"enum": "enum_block", "struct": "model_block"}, name=(":identifier",)),
    "key_value_block": Rule(kind="block", name=(":identifier",), within=("",)),
}
REGO: Mapping[str, Reader] = {
    "module": Rule(kind="module", name=(":ref",)),
    "rule": rego_rule,
}
SMITHY: Mapping[str, Reader] = by_kind(
    {
        "class": "resource_statement",
        "enum": "enum_statement",
        "function": "operation_statement",
        "interface": "service_statement",
        "struct": "structure_statement union_statement",
        "type": "list_statement map_statement simple_shape_statement",
    },
    name=(":identifier",),
)
