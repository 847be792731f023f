"""Definitions that take more than a rule of data: a function bound to a variable, a macro that defines, a
block with labels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise, takewhile

from tree_sitter import Node

from kb_runtime.store.symbols import MEMBER_HOLDERS
from kbc.languages.definitions.rules import NOTHING, Definition, modifiers
from kbc.languages.definitions.tree import NodeNames, at, declared_in, innermost
from kbc.languages.node_types import CALLABLE, FUNCTION_VALUES

_OPEN = ("", "module")
"""Where a value belongs to the whole file."""

_ELIXIR: Mapping[str, str] = {
    "def": "function", "defp": "function", "defdelegate": "function", "defguard": "macro",
    "defguardp": "macro", "defmacro": "macro", "defmacrop": "macro", "defmodule": "module",
    "defprotocol": "interface", "defimpl": "implementation",
}  # fmt: skip
_ELIXIR_ATTRIBUTES: Mapping[str, str] = {
    "callback": "function", "macrocallback": "macro", "opaque": "type", "type": "type", "typep": "type",
}  # fmt: skip
_CLOJURE: Mapping[str, str] = {
    "def": "constant", "defn": "function", "defn-": "function", "defmacro": "macro",
    "defmulti": "function", "defmethod": "function", "defonce": "constant",
    "defprotocol": "interface", "defrecord": "struct", "deftest": "function", "deftype": "type",
}  # fmt: skip
# Macros of a library or of the project that define something, no `default` and `defer`. What `defproject`
# names is no definition in a program: the name of a project leads to its pages.
_DEFINES = re.compile(r">?def(?!ault|er\b|late|project\b)[\w-]+$")
_R_CLASSES: Mapping[str, str] = {
    "R6Class": "class", "setClass": "class", "setRefClass": "class", "new_class": "class",
    "setGeneric": "function", "setMethod": "method",
}  # fmt: skip
_RUST_ITEMS: Mapping[str, str] = {
    "enum": "enum", "fn": "function", "static": "constant", "struct": "struct", "trait": "trait",
}  # fmt: skip
_RUST_PLACES = frozenset({"declaration_list", "expression_statement", "source_file"})
_SCALA_PLACES = frozenset({"compilation_unit", "object_definition", "package_object"})
_SWIFT_KINDS = {"extension": "implementation", "enum": "enum", "struct": "struct"}
_ZIG_TYPES = {
    "enum_declaration": "enum", "error_set_declaration": "enum", "struct_declaration": "struct",
    "union_declaration": "struct",
}  # fmt: skip
_DART_HEADS = {
    "constant_constructor_signature": re.compile(r"(?<=const )[\w.]+"),
    "constructor_signature": re.compile(r"[\w.]+"),
    "factory_constructor_signature": re.compile(r"(?<=factory )[\w.]+"),
    "operator_signature": re.compile(r"operator ?[^\s(]+"),
}
_DART_MEMBERS = (
    ":constant_constructor_signature", ":constructor_signature", ":function_signature", ":getter_signature",
    ":setter_signature",
)  # fmt: skip
_FSHARP_NAMES = ("identifier", "op_identifier", "active_pattern")
_NIX_OPTION = re.compile(r"mk\w*Option")
_NIX_PARTS = frozenset({"config", "imports", "meta", "options"})
"""What modules and packages consist of: names that say nothing."""
_KOTLIN_TYPE = re.compile(r"(?:\w+\s+)*(class|interface|object)\s+(\w+)")
_C_SCOPES = frozenset({"declaration_list", "linkage_specification", "translation_unit"})
_RUBY_CALLS = frozenset({"alias_method", "define_method"})
_RUBY_CLASSES = frozenset({"Class.new", "Data.define", "Struct.new"})


def assignment(names: NodeNames, node: Node, holder: str) -> Definition:
    left = at(node, "left")
    if left is None or left.type not in ("identifier", "constant"):
        return NOTHING
    if left.type == "identifier" and holder not in _OPEN and holder not in MEMBER_HOLDERS:
        return NOTHING
    name = names.text(left)
    return ("constant" if name.isupper() or left.type == "constant" else "variable"), name


def declarator(names: NodeNames, node: Node, holder: str) -> Definition:
    """`const name = ...`, and a field of a class."""
    name, value = at(node, "name", "property"), at(node, "value")
    if name is None or not name.type.endswith("identifier"):
        return NOTHING
    if value is not None and value.type in FUNCTION_VALUES:
        return ("class" if value.type == "class" else "function"), names.text(name)
    return ("constant", names.text(name)) if holder in _OPEN else NOTHING


def function_value(names: NodeNames, node: Node, holder: str) -> Definition:
    """`name = function ...`, in JavaScript, Lua and R."""
    left, right = at(node, "left", "lhs"), at(node, "right", "rhs")
    if left is None and right is None and len(node.named_children) == 2:
        left, right = node.named_children
        right = at(right, "^") or right
    is_function = right is not None and right.type in FUNCTION_VALUES
    return ("function", names.text(left)) if is_function else NOTHING


def c_declaration(names: NodeNames, node: Node, holder: str) -> Definition:
    """A prototype, a constant or a table of values; other variables are no definitions worth a name."""
    declared = declared_in(node) if holder not in CALLABLE else None
    if holder in _OPEN and declared is not None and _is_value(names, node, declared):
        return "constant", names.name(declared)
    if declared is not None and declared.type == "operator_cast":
        return "function", names.name(node)
    while declared is not None and declared.type != "function_declarator":
        declared = declared_in(declared)
    return "function", names.name(declared)


def _is_value(names: NodeNames, node: Node, declared: Node) -> bool:
    """Whether a declaration of C or C++ outside of functions gives a constant, or the lines of a table."""
    value = at(declared, "value") if declared.type == "init_declarator" else None
    around = node.parent
    while around is not None and around.type.startswith("preproc_"):
        around = around.parent
    if value is None or around is None or around.type not in _C_SCOPES:
        return False
    is_constant = any(
        child.type == "type_qualifier" and names.text(child).startswith("const")
        for child in node.named_children
    )
    is_long = value.start_point[0] < value.end_point[0]
    return is_constant or (is_long and value.type == "initializer_list")


def clojure_list(names: NodeNames, node: Node, holder: str) -> Definition:
    parts = node.named_children
    if len(parts) < 2 or parts[0].type != "sym_lit" or parts[1].type != "sym_lit":
        return NOTHING
    name = at(parts[1], "name") or parts[1]  # without `^:private`
    defining = names.text(parts[0]).rpartition("/")[2]  # `s/defn` of a library
    kind = _CLOJURE.get(defining, "")
    is_outermost = node.parent is not None and node.parent.type == "source"
    if not kind and is_outermost and _DEFINES.match(defining):
        # A vector behind a keyword is the value of an option, no list of parameters.
        is_function = any(
            part.type == "vec_lit" and before.type != "kwd_lit" for before, part in pairwise(parts)
        )
        kind = "function" if is_function else "constant"
    return kind, names.text(name)


def csharp_property(names: NodeNames, node: Node, holder: str) -> Definition:
    """`int Level => 3` and `int Level { get { ... } }`, which compute it; others are parts of their type."""
    accessors = at(node, "accessors")
    is_computed = at(node, ":arrow_expression_clause") is not None or any(
        at(each, "body") is not None for each in (accessors.named_children if accessors else ())
    )
    return ("method", names.name(node)) if is_computed else NOTHING


def dart_method(names: NodeNames, node: Node, holder: str) -> Definition:
    """Also `operator ==`, `Tank.of(...)` and `factory Tank.of(...)`, whose names have two parts."""
    return _dart_member(names, at(node, "^"))


def _dart_member(names: NodeNames, signature: Node | None) -> Definition:
    if signature is None or signature.type not in _DART_HEADS:
        return "method", names.name(signature)
    head = _DART_HEADS[signature.type].search(names.text(signature))
    return ("method", head[0]) if head else NOTHING


def dart_declaration(names: NodeNames, node: Node, holder: str) -> Definition:
    """A member without a body: a constant, or what is like a method. Others are parts of their type."""
    if constant := at(node, ":static_final_declaration_list/^/^"):
        return "constant", names.text(constant)
    return _dart_member(names, at(node, *_DART_MEMBERS))


def elixir_call(names: NodeNames, node: Node, holder: str) -> Definition:
    """`def name(...)`, also with a guard, and with a macro of a library (`defn name(...) do`)."""
    target = names.text(at(node, "target"))
    if target not in _ELIXIR and _DEFINES.match(target):
        has_body = at(node, ":do_block", ":arguments/:keywords") is not None
        if has_body and at(node, ":arguments/^/target", ":arguments/^/^/target") is not None:
            return _elixir(names, node, {target: "function"})
    return _elixir(names, node, _ELIXIR)


def elixir_attribute(names: NodeNames, node: Node, holder: str) -> Definition:
    """`@callback name(...) :: ...` and `@type name :: ...`."""
    return _elixir(names, at(node, "operand"), _ELIXIR_ATTRIBUTES)


def _elixir(names: NodeNames, call: Node | None, kinds: Mapping[str, str]) -> Definition:
    """By what `call` calls; the name is without what follows behind `when` and `::`."""
    kind = kinds.get(names.text(at(call, "target")), "")
    named = at(call, ":arguments/^") if kind else None
    while named is not None and named.type == "binary_operator":
        named = at(named, "^")
    return kind, names.text(at(named, "target") or named)


def fsharp_value(names: NodeNames, node: Node, holder: str) -> Definition:
    """`let f x = ...` and `let f = fun x -> ...` are functions; other values have a name at the top of a file
    and in modules alone, where they are not private to a type or a function."""
    left = ":function_declaration_left/:"
    if function := at(node, *(f"{left}{each}" for each in _FSHARP_NAMES)):
        return "function", names.text(function).strip("( )")
    pattern, body = at(node, ":value_declaration_left/:identifier_pattern"), at(node, "body")
    name = names.text(at(pattern, "^"))
    is_function = body is not None and body.type == "fun_expression"
    if is_function or (pattern is not None and pattern.named_child_count > 1):  # with its arguments
        return "function", name
    return ("constant", name) if holder in _OPEN else NOTHING


def haskell_binding(names: NodeNames, node: Node, holder: str) -> Definition:
    """`f = g . h`: a function without its arguments, or a value."""
    if holder in ("constant", *CALLABLE):
        return NOTHING
    above = node.prev_named_sibling
    is_function = above is not None and above.type == "signature" and "->" in names.text(above)
    name = names.text(at(node, "name")).strip("( )")
    return ("function" if holder or is_function else "constant"), name


def hcl_block(names: NodeNames, node: Node, holder: str) -> Definition:
    """`resource "kind" "name" { ... }`"""
    labels = takewhile(lambda each: each.type in ("identifier", "string_lit"), node.named_children)
    return ("block", ".".join(map(names.text, labels))) if not holder else NOTHING


def julia_function(names: NodeNames, node: Node, holder: str) -> Definition:
    """`function f(x)` and `f(x) = ...`, also with types and of other modules (`Base.show`)."""
    before_call = ("signature", "where_expression", "typed_expression")
    head = at(node, "^")
    call = innermost(head, before_call, ("call_expression",))
    if node.type == "assignment" and call is None:  # `x = 1`, `x::Int = 1`
        return NOTHING
    through = (*before_call, "call_expression", "parametrized_type_expression")
    name = innermost(head, through, ("identifier", "field_expression", "operator"))
    return "function", names.text(name).replace(".:(", ".").rstrip(")")  # `Base.:(==)`


def julia_type(names: NodeNames, node: Node, holder: str) -> Definition:
    """`struct P{T} <: Q`"""
    through = ("type_head", "binary_expression", "parametrized_type_expression")
    kind = "struct" if node.type == "struct_definition" else "type"
    return kind, names.text(innermost(at(node, "^"), through, ("identifier",)))


def julia_constant(names: NodeNames, node: Node, holder: str) -> Definition:
    """`const X = 1`, `const X::Int = 1` and `const X{T} = ...`, of a module."""
    through = ("assignment", "typed_expression", "parametrized_type_expression")
    name = innermost(at(node, "^"), through, ("identifier",))
    return ("constant", names.text(name)) if holder in _OPEN else NOTHING


def julia_enum(names: NodeNames, node: Node, holder: str) -> Definition:
    """`@enum Side left right`"""
    if names.text(at(node, "^")) != "@enum":
        return NOTHING
    return "enum", names.text(innermost(at(node, "$/^"), ("typed_expression",), ("identifier",)))


def kotlin_annotated(names: NodeNames, node: Node, holder: str) -> Definition:
    """`@Target(CLASS) annotation class Name`, which the grammar takes for a call between names."""
    is_annotated = node.parent is not None and node.parent.type == "annotated_expression"
    found = _KOTLIN_TYPE.match(names.text(node)) if is_annotated else None
    if found is None or holder in CALLABLE:
        return NOTHING
    return ("interface" if found[1] == "interface" else "class"), found[2]


def kotlin_property(names: NodeNames, node: Node, holder: str) -> Definition:
    """At the top of a file, constants of a type and what it computes; other properties are parts of it."""
    kind = "" if holder else "constant"
    if holder in MEMBER_HOLDERS:
        is_computed = at(node, ":getter/:function_body") is not None
        kind = "method" if is_computed else "constant" if "const" in modifiers(names, node) else ""
    return kind, names.name(at(node, ":variable_declaration"))


def nix_binding(names: NodeNames, node: Node, holder: str) -> Definition:
    """`fill = level: ...` is a function, and `level = mkOption { ... }` an option of a module. Other values
    have a name in what a file consists of, and none in what a call is given, such as a package."""
    name, value = names.text(at(node, "attrpath")).strip('"'), at(node, "expression")
    if value is not None and value.type == "function_expression":
        return "function", name
    while value is not None and value.type == "apply_expression":
        value = at(value, "function")
    if _NIX_OPTION.fullmatch(names.text(at(value, "attrpath/$", "name"))):
        return "constant", name
    is_part = holder not in ("constant", *CALLABLE) and name not in _NIX_PARTS
    return ("constant", name) if is_part else NOTHING


def ocaml_value(names: NodeNames, node: Node, holder: str) -> Definition:
    """`let f x = ...` and `let f = fun x -> ...` are functions; other values have no name within them."""
    name, body = at(node, "pattern"), at(node, "body")
    if name is None or name.type not in ("value_name", "parenthesized_operator"):
        return NOTHING
    is_function = at(node, ":parameter") is not None or (
        body is not None and body.type in ("fun_expression", "function_expression")
    )
    if not is_function and holder in ("constant", *CALLABLE):
        return NOTHING
    return ("function" if is_function else "constant"), names.text(name).strip("( )")


def perl_attribute(names: NodeNames, node: Node, holder: str) -> Definition:
    """`has name => (...)`, an accessor in Moose, Moo and Mojo::Base; `+name` changes an inherited one."""
    name = at(node, "arguments") if names.text(at(node, "function")) == "has" else None
    if name is not None and name.type == "list_expression":  # `has(name => ...)`
        name = at(name, "^")
    is_name = name is not None and name.type in ("autoquoted_bareword", "string_literal")
    found = names.text(name) if is_name and holder in _OPEN else ""
    return ("method", found) if found.isidentifier() else NOTHING


def php_define(names: NodeNames, node: Node, holder: str) -> Definition:
    """`define('NAME', ...)`"""
    is_define = holder not in CALLABLE and names.text(at(node, "function")) == "define"
    name = at(node, "arguments/^/^/:string_content") if is_define else None
    return ("constant", names.text(name)) if name is not None else NOTHING


def r_call(names: NodeNames, node: Node, holder: str) -> Definition:
    """`setClass("P", ...)` and the like."""
    return (_r_kind(names, node), names.text(at(node, "arguments/^"))) if not holder else NOTHING


def r_argument(names: NodeNames, node: Node, holder: str) -> Definition:
    """`fill = function(...)` in the call that makes a class."""
    value = at(node, "value") if holder == "class" else None
    is_function = value is not None and value.type in FUNCTION_VALUES
    return ("function", names.text(at(node, "name")).strip("`")) if is_function else NOTHING


def r_value(names: NodeNames, node: Node, holder: str) -> Definition:
    kind = _r_kind(names, at(node, "rhs")) if not holder else ""
    if kind and (left := at(node, "lhs")):
        return kind, names.text(left)
    kind, name = function_value(names, node, holder)
    if not kind and _is_r_value(node):
        name = names.text(at(node, "lhs"))
        kind = "constant" if name.isupper() else "variable"
    return kind, name.strip("`")


def _is_r_value(node: Node) -> bool:
    """Whether a name is bound at the top of a file."""
    left, operator, place = at(node, "lhs"), at(node, "operator"), node.parent
    is_bound = operator is not None and operator.type in ("<-", "=")
    is_named = left is not None and left.type == "identifier"
    return is_bound and is_named and place is not None and place.type == "program"


def _r_kind(names: NodeNames, call: Node | None) -> str:
    return _R_CLASSES.get(names.text(at(call, "function")).rpartition(":")[2], "")


def ruby_method(names: NodeNames, node: Node, holder: str) -> Definition:
    """`alias new old`, `alias_method :new, :old` and `define_method(:name)`."""
    first = at(node, "name") if node.type == "alias" else None
    if node.type == "call" and names.text(at(node, "method")) in _RUBY_CALLS:
        first = at(node, "arguments/^")
        if first is None or first.type not in ("simple_symbol", "string"):
            return NOTHING
    return ("method", names.text(first).lstrip(":")) if holder not in CALLABLE else NOTHING


def ruby_value(names: NodeNames, node: Node, holder: str) -> Definition:
    """A constant or a variable, or a class that a call makes: `Tank = Struct.new(:level) do ... end`."""
    kind, name = assignment(names, node, holder)
    made = at(node, "right")
    maker = (names.text(at(made, "receiver")), names.text(at(made, "method")))
    return ("class" if ".".join(maker) in _RUBY_CLASSES else kind), name


def rust_macro(names: NodeNames, node: Node, holder: str) -> Definition:
    """`flags! { pub struct Name: u8 { ... } }`: the first thing that a macro outside of functions defines in
    a syntax of its own."""
    tree = at(node, ":token_tree") if holder not in CALLABLE else None
    is_item = node.parent is not None and node.parent.type in _RUST_PLACES
    kind = ""
    for each in tree.children if tree is not None and is_item else ():
        if kind and each.type == "identifier" and (name := names.text(each)) not in ("mut", "ref"):
            return kind, name
        kind = _RUST_ITEMS.get(each.type, kind)
    return NOTHING


def scala_value(names: NodeNames, node: Node, holder: str) -> Definition:
    """A value of a file or of an object; others are parts of their type."""
    name, place = at(node, "pattern"), node.parent
    if place is not None and place.type == "template_body":
        place = place.parent
    is_one = place is not None and place.type in _SCALA_PLACES
    is_named = name is not None and name.type == "identifier"
    return ("constant", names.text(name)) if is_one and is_named else NOTHING


def swift_class(names: NodeNames, node: Node, holder: str) -> Definition:
    return _SWIFT_KINDS.get(names.text(at(node, "declaration_kind")), "class"), names.name(node)


def swift_property(names: NodeNames, node: Node, holder: str) -> Definition:
    """`let name = ...` at the top of a file, and `var name: Int { ... }` of a type, which computes it; other
    properties of types are parts of them."""
    name = at(node, ":pattern/^")
    if name is None or name.type != "simple_identifier":
        return NOTHING
    if holder:
        is_computed = holder in MEMBER_HOLDERS and at(node, ":computed_property") is not None
        return ("method", names.text(name)) if is_computed else NOTHING
    bound = names.text(at(node, ":value_binding_pattern"))
    return ("constant" if bound == "let" else "variable"), names.text(name)


def zig_value(names: NodeNames, node: Node, holder: str) -> Definition:
    """A variable of a file or of a type, or the type that is bound to it; a file or a part of one
    (`a.Name`) that is imported for this file alone is neither."""
    name, *values = node.named_children
    if name.type != "identifier" or node.parent is None or node.parent.type == "block":
        return NOTHING
    if node.children[0].type != "pub" and any(
        names.text(each).startswith("@import")
        or (each.type == "field_expression" and names.text(at(each, "member")) == names.text(name))
        for each in values
    ):
        return NOTHING
    kinds = (_ZIG_TYPES[each.type] for each in values if each.type in _ZIG_TYPES)
    return next(kinds, "constant"), names.text(name)
