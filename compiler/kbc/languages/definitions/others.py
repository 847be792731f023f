"""Definitions of languages that write a few of them in their own way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kb_runtime.store.symbols import MEMBER_HOLDERS
from kbc.languages.definitions.assignments import assignment, declarator, function_value
from kbc.languages.definitions.names import Definition, NodeNames, Rule, first_of, named
from kbc.languages.node_types import CALLABLE

if TYPE_CHECKING:
    from tree_sitter import Node

_ZIG_TYPES = {
    "enum_declaration": "enum",
    "error_set_declaration": "enum",
    "struct_declaration": "struct",
    "union_declaration": "struct",
}


def _c_declaration(names: NodeNames, node: Node, holder: str) -> Definition:
    """A prototype; declarations of variables are no definitions worth a name."""
    if holder in CALLABLE:
        return "", ""
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    return ("function", names.name(declarator)) if declarator is not None else ("", "")


def _labelled_block(names: NodeNames, node: Node, holder: str) -> Definition:
    """`resource "kind" "name" { ... }`"""
    words = []
    for child in node.named_children:
        if child.type not in ("identifier", "string_lit"):
            break
        words.append(names.text(child))
    return ("block", ".".join(words)) if not holder else ("", "")


def _zig_value(names: NodeNames, node: Node, holder: str) -> Definition:
    """A variable, or the type that is bound to it; a file that is imported for this one alone is neither."""
    name, *values = node.named_children
    if name.type != "identifier" or holder not in {"", *MEMBER_HOLDERS}:
        return "", ""
    if node.children[0].type != "pub" and any(
        each.type == "builtin_function" and names.text(each).startswith("@import")
        for each in values
    ):
        return "", ""
    kinds = (_ZIG_TYPES[each.type] for each in values if each.type in _ZIG_TYPES)
    return next(kinds, "constant"), names.text(name)


def _swift_class(names: NodeNames, node: Node, holder: str) -> Definition:
    word = names.text(node.children[0])
    kind = word if word in ("class", "struct", "enum") else "class"
    if word == "extension":
        kind = "implementation"
    return kind, names.name(node)


def _dart_method(names: NodeNames, node: Node, holder: str) -> Definition:
    return "method", names.name(node.named_children[0]) if node.named_children else ""


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


def _first_word(names: NodeNames, node: Node, holder: str) -> Definition:
    """A member that its keyword names: `constructor`, `receive`, `fallback`."""
    return "function", names.text(node.children[0]) if node.children else ""


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


def _scala_given(names: NodeNames, node: Node, holder: str) -> Definition:
    """`given name: Type with`, and without a name its type."""
    named = node.child_by_field_name("name") or node.child_by_field_name("return_type")
    if named is None:
        named = next(iter(node.named_children), None)
    return ("implementation", names.text(named)) if named is not None else ("", "")


def _scala_extension(names: NodeNames, node: Node, holder: str) -> Definition:
    """`extension (name: Type)`, by the type that is extended."""
    given = first_of(node, "parameters")
    first = given.named_children[0] if given is not None and given.named_children else None
    type_ = first.named_children[-1] if first is not None and first.named_children else None
    return ("implementation", names.text(type_)) if type_ is not None else ("", "")


def _make_rule(names: NodeNames, node: Node, holder: str) -> Definition:
    """A target; not patterns (`%.o`) and what Make itself gives a meaning (`.PHONY`)."""
    targets = first_of(node, "targets")
    first = targets.named_children[0] if targets is not None and targets.named_children else None
    if first is None or first.type != "word":
        return "", ""
    name = names.text(first)
    return ("", "") if name.startswith(".") or "%" in name else ("block", name)


RULES: Mapping[tuple[str, str], Rule] = {
    ("python", "assignment"): assignment,
    ("ruby", "assignment"): assignment,
    ("dart", "method_signature"): _dart_method,
    ("dart", "function_signature"): named("function", outside=CALLABLE),
    ("json", "pair"): named("key", outside=("key",)),
    **{
        (language, node_type): rule
        for language in ("javascript", "typescript", "tsx")
        for node_type, rule in (
            ("variable_declarator", declarator),
            ("field_definition", declarator),
            ("public_field_definition", declarator),
            ("assignment_expression", function_value),
        )
    },
    ("lua", "assignment_statement"): function_value,
    **{
        ("nim", f"{each}_declaration"): _nim
        for each in ("converter", "func", "iterator", "macro", "method", "proc", "template", "type")
    },
    ("solidity", "constructor_definition"): _first_word,
    ("solidity", "fallback_receive_definition"): _first_word,
    ("kotlin", "property_declaration"): _kotlin_property,
    ("php", "const_element"): named("constant", outside=CALLABLE),
    ("c", "declaration"): _c_declaration,
    ("cpp", "declaration"): _c_declaration,
    ("cpp", "field_declaration"): _c_declaration,
    ("hcl", "block"): _labelled_block,
    ("make", "rule"): _make_rule,
    ("scala", "extension_definition"): _scala_extension,
    ("scala", "given_definition"): _scala_given,
    ("zig", "variable_declaration"): _zig_value,
    ("zig", "function_declaration"): named("function"),
    ("swift", "class_declaration"): _swift_class,
    ("swift", "property_declaration"): _swift_property,
}
