"""Definitions of languages that write a few of them in their own way."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kb_runtime.store.symbols import MEMBER_HOLDERS
from kbc.languages.definitions.assignments import assignment, declarator, function_value
from kbc.languages.definitions.names import (
    Definition,
    NodeNames,
    Rule,
    declared_in,
    first_of,
    named,
)
from kbc.languages.node_types import CALLABLE, FUNCTION_VALUES

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
    declared = declared_in(node)
    while declared is not None and declared.type != "function_declarator":
        declared = declared_in(declared)
    return ("function", names.name(declared)) if declared is not None else ("", "")


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


_KOTLIN_TYPE = re.compile(r"(?:\w+\s+)*(class|interface|object)\s+(\w+)")


def _kotlin_annotated(names: NodeNames, node: Node, holder: str) -> Definition:
    """`@Target(CLASS) annotation class Name`, which the grammar takes for a call between names."""
    if node.parent is None or node.parent.type != "annotated_expression":
        return "", ""
    found = _KOTLIN_TYPE.match(names.text(node))
    if found is None or holder in CALLABLE:
        return "", ""
    return ("interface" if found[1] == "interface" else "class"), found[2]


_RUBY_CALLS = frozenset({"alias_method", "define_method"})


def _ruby_method(names: NodeNames, node: Node, holder: str) -> Definition:
    """`alias new old`, `alias_method :new, :old` and `define_method(:name)`."""
    if holder in CALLABLE:
        return "", ""
    if node.type == "alias":
        first = node.child_by_field_name("name")
    else:
        arguments = node.child_by_field_name("arguments")
        called = node.child_by_field_name("method")
        if arguments is None or called is None or names.text(called) not in _RUBY_CALLS:
            return "", ""
        first = next(iter(arguments.named_children), None)
        if first is None or first.type not in ("simple_symbol", "string"):
            return "", ""
    return ("method", names.text(first).lstrip(":")) if first is not None else ("", "")


def _lua_field(names: NodeNames, node: Node, holder: str) -> Definition:
    """`{ name = function() ... end }`"""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if holder in CALLABLE or name is None or value is None or value.type not in FUNCTION_VALUES:
        return "", ""
    return "function", names.text(name)


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
    ("lua", "field"): _lua_field,
    ("go", "method_elem"): named("method", outside=CALLABLE),  # of an interface
    ("kotlin", "infix_expression"): _kotlin_annotated,
    ("ruby", "alias"): _ruby_method,
    ("ruby", "call"): _ruby_method,
    **{
        ("nim", f"{each}_declaration"): _nim
        for each in ("converter", "func", "iterator", "macro", "method", "proc", "template", "type")
    },
    ("solidity", "constructor_definition"): _first_word,
    ("solidity", "fallback_receive_definition"): _first_word,
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
}
