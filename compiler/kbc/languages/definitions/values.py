"""Values that a file or a type defines: constants, and variables of a whole file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kb_runtime.store.symbols import MEMBER_HOLDERS
from kbc.languages.definitions.names import Definition, NodeNames, Rule, first_of, inner, named
from kbc.languages.node_types import CALLABLE

if TYPE_CHECKING:
    from tree_sitter import Node


def _c_macro(names: NodeNames, node: Node, holder: str) -> Definition:
    """`#define NAME value`; a name without a value is a guard or a switch."""
    return ("constant", names.name(node)) if node.child_by_field_name("value") else ("", "")


def _csharp_field(names: NodeNames, node: Node, holder: str) -> Definition:
    """`const` and `static readonly`; other fields are parts of their type."""
    words = {names.text(each) for each in node.named_children if each.type == "modifier"}
    declared = first_of(node, "variable_declaration")
    if declared is None or not ("const" in words or {"static", "readonly"} <= words):
        return "", ""
    return _first_declared(names, declared)


def _go_variable(names: NodeNames, node: Node, holder: str) -> Definition:
    """Of the package; `var _ I = ...` only checks a type."""
    name = names.name(node)
    return ("", "") if holder or name == "_" else ("variable", name)


def _java_field(names: NodeNames, node: Node, holder: str) -> Definition:
    """`static final`, and what an interface holds; other fields are parts of their type."""
    modifiers = first_of(node, "modifiers")
    words = names.text(modifiers).split() if modifiers is not None else ()
    if node.type == "field_declaration" and not {"static", "final"} <= {*words}:
        return "", ""
    return _first_declared(names, node)


def _first_declared(names: NodeNames, node: Node) -> Definition:
    declared = first_of(node, "variable_declarator")
    return ("constant", names.name(declared)) if declared is not None else ("", "")


def _julia_constant(names: NodeNames, node: Node, holder: str) -> Definition:
    """`const X = 1` and `const X::Int = 1`, of a module."""
    declared = next(iter(node.named_children), None)
    name = inner(declared, ("assignment", "typed_expression"), ("identifier",))
    return (
        ("constant", names.text(name))
        if name is not None and holder in ("", "module")
        else ("", "")
    )


def _kotlin_property(names: NodeNames, node: Node, holder: str) -> Definition:
    """At the top of a file, and constants of a type; other properties are parts of their type."""
    declared = first_of(node, "variable_declaration")
    is_constant = any(
        each.type == "modifiers" and "const" in names.text(each).split()
        for each in node.named_children
    )
    if declared is None or not (holder == "" or (is_constant and holder in MEMBER_HOLDERS)):
        return "", ""
    return "constant", names.name(declared)


def _swift_property(names: NodeNames, node: Node, holder: str) -> Definition:
    """`let name = ...` at the top of a file; properties of types are parts of them."""
    pattern = first_of(node, "pattern")
    name = pattern.named_children[0] if pattern is not None and pattern.named_children else None
    if holder or name is None or name.type != "simple_identifier":
        return "", ""
    bound = names.text(node.named_children[0]).rpartition(" ")[2]
    return ("constant" if bound == "let" else "variable"), names.text(name)


RULES: Mapping[tuple[str, str], Rule] = {
    **{(language, "preproc_def"): _c_macro for language in ("c", "cpp", "objc")},
    ("csharp", "field_declaration"): _csharp_field,
    ("go", "var_spec"): _go_variable,
    ("java", "constant_declaration"): _java_field,
    ("java", "field_declaration"): _java_field,
    ("julia", "const_statement"): _julia_constant,
    ("kotlin", "property_declaration"): _kotlin_property,
    ("php", "const_element"): named("constant", outside=CALLABLE),
    ("swift", "property_declaration"): _swift_property,
}
