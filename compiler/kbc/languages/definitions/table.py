"""The rules about definitions: by the type of a node, which most grammars share, and by language."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

from kbc.languages.definitions import block_words, configuration, groovy, lisps, special, tcl
from kbc.languages.definitions.rules import Reader, Rule, by_kind
from kbc.languages.node_types import CALLABLE, FUNCTION_VALUES

_KINDS: Mapping[str, tuple[str, ...]] = {
    "function": (
        "command_statement", "constructor_declaration", "constructor_definition", "create_function",
        "event_definition", "external", "fragment_definition",
        "fun_decl", "func_declaration", "function", "function_declaration", "function_def",
        "function_definition", "function_item", "function_or_value_defn", "function_signature_item",
        "function_statement", "generator_function_declaration", "init_declaration",
        "local_function_statement", "method", "modifier_definition", "proc_declaration", "rpc",
        "singleton_method", "subroutine", "subroutine_declaration_statement", "task_declaration",
        "value_declaration", "value_definition",
    ),
    "method": (
        "abstract_method_signature", "class_method_definition", "destructor_declaration",
        "method_declaration", "method_definition", "method_signature", "protocol_function_declaration",
    ),
    "class": (
        "abstract_class_declaration", "actor_definition", "class", "class_declaration", "class_definition",
        "class_implementation", "class_interface", "class_name_statement", "class_specifier",
        "class_statement", "contract_declaration", "mixin_declaration", "object_declaration",
        "object_definition", "record_declaration",
    ),
    "struct": (
        "message", "object_type_definition", "record_decl", "struct_declaration", "struct_definition",
        "struct_item", "struct_specifier", "union_definition", "union_item", "union_specifier",
    ),
    "enum": (
        "enum", "enum_declaration", "enum_definition", "enum_item", "enum_specifier", "enum_type_definition",
    ),
    "interface": (
        "annotation_type_declaration", "interface_declaration", "interface_definition",
        "interface_type_definition", "module_type_definition", "protocol_declaration", "service",
        "service_definition",
    ),
    "trait": ("concept_definition", "trait_declaration", "trait_definition", "trait_item"),
    "implementation": (
        "extension_declaration", "impl_item", "input_object_type_extension", "instance",
        "interface_type_extension", "object_type_extension",
    ),
    "module": (
        "checker_declaration", "internal_module", "library_declaration", "mod_item", "module",
        "module_declaration", "module_definition", "namespace_declaration", "namespace_definition",
        "package_object", "package_statement", "program", "submodule",
    ),
    "type": (
        "abstract_definition", "alias_declaration", "associated_type", "associatedtype_declaration", "data",
        "data_type", "delegate_declaration", "error_declaration", "exception_definition", "external_type",
        "input_object_type_definition", "newtype", "scalar_type_definition", "type_alias",
        "type_alias_declaration", "type_alias_statement", "type_declaration", "type_definition", "type_item",
        "type_spec", "type_synomym", "typealias_declaration", "union_type_definition",
    ),
    "constant": ("const_item", "const_spec", "static_item"),
    "macro": ("directive_definition", "macro_declaration", "macro_definition", "preproc_function_def"),
    "table": ("create_table", "create_view"),
    "key": ("block_mapping_pair", "table", "table_array_element"),
}  # fmt: skip
"""Kind -> types of nodes, of any language."""

# A type specifier without a body is a use, one without a name defines nothing that could be named.
_SPECIFIER = (("body", ()), ("name", ()))


def _shared(kind: str, node_type: str) -> Rule:
    if kind == "key":
        return Rule(kind=kind, within=("",))
    needs = _SPECIFIER if node_type.endswith("_specifier") else ()
    return Rule(kind=kind, needs=needs, outside=CALLABLE if kind == "constant" else ())


_SHARED: Mapping[str, Rule] = {
    each: _shared(kind, each) for kind in _KINDS for each in _KINDS[kind]
}

_inner_value = partial(Rule, outside=CALLABLE)
_macro = Rule(kind="constant", needs=[("value", ())])  # without a value it is a guard or a switch

_ECMASCRIPT: Mapping[str, Reader] = {
    "assignment_expression": special.function_value,
    "field_definition": special.declarator,
    "pair": _inner_value(kind="function", name=("key",), needs=[("value", FUNCTION_VALUES)]),
    "public_field_definition": special.declarator,
    "variable_declarator": special.declarator,
}
_TYPESCRIPT: Mapping[str, Reader] = {**_ECMASCRIPT, "function_signature": Rule(kind="function")}
_OCAML: Mapping[str, Reader | None] = {
    "constructor_declaration": None,  # of an exception or a variant
    "class_type_definition": Rule(kind="interface", name=(":class_type_binding/:class_type_name",)),
    "record_declaration": None,  # its type_binding has the name
    "type_binding": Rule(kind="type"),
    "type_definition": None,
    "value_specification": Rule(kind="function", name=("^",), strip="( )"),
}
_C: Mapping[str, Reader] = {"declaration": special.c_declaration, "preproc_def": _macro}
_PYTHON: Mapping[str, Reader | None] = {"assignment": special.assignment, "module": None}

_OWN: Mapping[str, Mapping[str, Reader | None]] = {
    "ada": block_words.ADA,
    "bicep": configuration.BICEP,
    "c": _C,
    "cmake": {
        "function_def": Rule(kind="function", name=(":function_command/:argument_list/^",)),
        "macro_def": Rule(kind="macro", name=(":macro_command/:argument_list/^",)),
    },
    "clojure": {"list_lit": special.clojure_list},
    "commonlisp": lisps.COMMON,
    "cpp": {
        **_C,
        "field_declaration": special.c_declaration,
        "namespace_definition": Rule(kind="module", name=("name",)),  # one without a name is none
    },
    "csharp": {
        "field_declaration": Rule(  # other fields are parts of their type
            kind="constant",
            of=":variable_declaration/:variable_declarator",
            marked=({"const"}, {"static", "readonly"}),
        ),
        "property_declaration": special.csharp_property,
    },
    "d": {
        "alias_declaration": Rule(kind="type", name=(":alias_initializer/^", "$")),
        "auto_declaration": _inner_value(kind="constant", name=("variable",)),
        "constructor": lambda *_: ("method", "this"),
        "destructor": lambda *_: ("method", "~this"),
        "manifest_constant": _inner_value(kind="constant", name=(":manifest_declarator/^",)),
        "module": None,  # the keyword
        "module_declaration": Rule(kind="module", name=(":module_fqn",)),
        "template_declaration": Rule(kind="macro", name=(":identifier",)),
        "union_declaration": Rule(kind="struct", name=(":identifier",)),
    },
    "dart": {
        **by_kind(
            {"function": "function_signature getter_signature setter_signature"}, outside=CALLABLE
        ),
        "declaration": special.dart_declaration,
        "extension_type_declaration": Rule(kind="class", name=(":identifier",)),
        "method_signature": special.dart_method,
        "static_final_declaration_list": Rule(
            kind="constant", name=("^/^",), outside=("constant", *CALLABLE)
        ),
    },
    "elisp": lisps.EMACS,
    "elixir": {"call": special.elixir_call, "unary_operator": special.elixir_attribute},
    "elm": {"module_declaration": None},
    "erlang": {
        "callback": Rule(kind="function", name=("^",)),
        **by_kind({"type": "opaque type_alias"}, of="name"),
        "pp_define": Rule(kind="macro", of="lhs"),
    },
    "fortran": {
        "derived_type_definition": Rule(kind="type", name=("^/:name", "^/:type_name")),
        "function_statement": None,
        # With a name it is a function that several procedures implement.
        "interface": Rule(kind="function", name=("^/:name", "^/:type_name")),
    },
    "fsharp": {
        **by_kind(
            {
                "class": "anon_type_defn",
                "enum": "enum_type_defn",
                "implementation": "type_extension",
                "interface": "interface_type_defn",
                "struct": "record_type_defn",
                "type": "delegate_type_defn type_abbrev_defn union_type_defn",  # also `type Size = int`
            },
            name=(":type_name/type_name",),
        ),
        "exception_definition": Rule(kind="type", name=("exception_name",)),
        "function_or_value_defn": special.fsharp_value,
        "member_defn": Rule(  # of a type, without the name of the instance (`this.Fill`)
            kind="method",
            name=(
                ":method_or_prop_defn/name/method",
                ":method_or_prop_defn/name/^",
                ":method_or_prop_defn/name",
                ":member_signature/^",
                ":property_or_ident/^",
            ),
            strip="( )",
        ),
        "module_defn": Rule(kind="module", name=(":identifier",)),
        "type_definition": None,  # of one type or several, in nodes of their own
    },
    "gdscript": {
        "const_statement": _inner_value(kind="constant"),
        "constructor_definition": lambda *_: ("method", "_init"),
        "signal_statement": Rule(kind="variable"),
    },
    "gleam": {"constant": Rule(kind="constant")},
    "glsl": {"preproc_def": _macro},
    "go": {
        "method_elem": _inner_value(kind="method"),  # of an interface
        "type_declaration": None,  # its type_spec has the name
        # `var _ I = ...` only checks a type.
        "var_spec": Rule(kind="variable", only="(?!_$).*", within=("",)),
    },
    "graphql": {
        "operation_definition": Rule(kind="function", name=(":name",)),
        "type_definition": None,
    },
    "groovy": groovy.GROOVY,
    "haskell": {
        **by_kind(  # also of operators: `data a :+: b`, `newtype (f :.: g) a`
            {"class": "class", "type": "data_family data_type newtype type_family type_synomym"},
            name=(":infix/operator", ":parens/:infix/operator", "name"),
            strip="`( )",
        ),
        "bind": special.haskell_binding,
        "foreign_import": Rule(kind="function", name=("signature/name",)),
        # `f x = ...`, and operators: `a +++ b = ...`, `(+++) a b = ...`
        "function": Rule(kind="function", name=(":infix/operator", "name"), strip="`( )"),
        "module": None,
        "pattern_synonym": Rule(kind="function", name=("^/synonym/function", "^/synonym")),
        # In a class, whose instances define it; elsewhere it belongs to its definition.
        "signature": Rule(kind="method", name=(":binding_list/^", "^"), strip="( )"),
    },
    "hcl": {"block": special.hcl_block},
    "hlsl": {"preproc_def": _macro},
    "java": {
        "constant_declaration": Rule(kind="constant", of=":variable_declarator"),
        "field_declaration": Rule(
            kind="constant", of=":variable_declarator", marked=({"static", "final"},)
        ),
    },
    "javascript": _ECMASCRIPT,
    "json": {"pair": Rule(kind="key", outside=("key",))},
    "jsonnet": configuration.JSONNET,
    "julia": {
        "abstract_definition": special.julia_type,
        "assignment": special.julia_function,
        "const_statement": special.julia_constant,
        "macrocall_expression": special.julia_enum,
        "function_definition": special.julia_function,
        "struct_definition": special.julia_type,
    },
    "kotlin": {
        "infix_expression": special.kotlin_annotated,
        "property_declaration": special.kotlin_property,
    },
    "lua": {
        "assignment_statement": special.function_value,
        "field": _inner_value(kind="function", name=("name",), needs=[("value", FUNCTION_VALUES)]),
        "function_definition": None,  # a function without a name
    },
    "make": {
        "function_definition": None,
        # Not patterns (`%.o`), and what Make itself gives a meaning (`.PHONY`).
        "rule": Rule(
            kind="block", name=(":targets/^",), only="[^.%][^%]*", needs=[(":targets/^", ["word"])]
        ),
    },
    "matlab": {"enum": None},  # a member of an enumeration
    "nim": {
        **by_kind(
            {
                "function": "converter_declaration func_declaration iterator_declaration proc_declaration",
                "macro": "macro_declaration template_declaration",
                "method": "method_declaration",
                "type": "type_declaration",
            },
            name=("name", "^/name"),
            strip="`*",
        ),
        "enum_declaration": None,  # its type_declaration has the name
    },
    "nix": {"binding": special.nix_binding},
    "objc": {"preproc_def": _macro, "struct_declaration": None},  # what a property declares
    "ocaml": {
        **_OCAML,
        # `let f ... and g ...` defines both, in nodes of their own.
        "let_binding": special.ocaml_value,
        "module_binding": Rule(kind="module"),
        "module_definition": None,
        "value_definition": None,
    },
    "ocaml_interface": _OCAML,
    "odin": {
        **by_kind(
            {
                "constant": "const_declaration",
                "enum": "enum_declaration",
                "function": "overloaded_procedure_declaration",
                "struct": "struct_declaration union_declaration",
                "variable": "var_declaration variable_declaration",
            },
            name=(":identifier",),
            outside=CALLABLE,
        ),
        "procedure_declaration": Rule(kind="function", name=(":identifier",)),
    },
    "pascal": block_words.PASCAL,
    "perl": dict.fromkeys(
        ("ambiguous_function_call_expression", "function_call_expression"), special.perl_attribute
    ),
    "php": {
        "const_element": _inner_value(kind="constant"),
        "function_call_expression": special.php_define,
    },
    "pony": by_kind({"class": "primitive_definition", "method": "behavior constructor"}),
    "powershell": {"enum_statement": Rule(kind="enum")},
    "prisma": configuration.PRISMA,
    "puppet": {"defined_resource_type": Rule(kind="type", name=(":class_identifier",))},
    "python": _PYTHON,
    "r": {
        "argument": special.r_argument,
        "binary_operator": special.r_value,
        "call": special.r_call,
        "function_definition": None,
    },
    "racket": lisps.SCHEME,
    "rego": configuration.REGO,
    "ruby": {
        "alias": special.ruby_method,
        "assignment": special.ruby_value,
        "call": special.ruby_method,
    },
    "rust": {"macro_invocation": special.rust_macro},
    "scala": {
        # By the type that is extended, and without a name by its type.
        "extension_definition": Rule(kind="implementation", name=(":parameters/^/$",)),
        "given_definition": Rule(kind="implementation", name=("name", "return_type", "^")),
        "val_definition": special.scala_value,
    },
    "scheme": lisps.SCHEME,
    "scss": {"mixin_statement": Rule(kind="macro")},
    "smithy": configuration.SMITHY,
    "solidity": {  # members that their keyword names
        "constructor_definition": Rule(kind="function", name=("@",)),
        "fallback_receive_definition": Rule(kind="function", name=("@",)),
        "user_defined_type_definition": Rule(kind="type", name=("^",)),
    },
    "sql": by_kind(
        {
            "function": "create_function create_trigger",
            "table": "create_materialized_view create_table create_view",
            "type": "create_type",
        },
        of=":object_reference",  # without the schema that the name may begin with
    ),
    "starlark": _PYTHON,
    "swift": {
        "class_declaration": special.swift_class,
        "property_declaration": special.swift_property,
        "subscript_declaration": lambda *_: ("method", "subscript"),
    },
    "tcl": tcl.TCL,
    "thrift": {
        "const_definition": Rule(kind="constant", name=(":identifier",)),
        "typedef_definition": Rule(kind="type", name=(":typedef_identifier",)),
    },
    "tsx": _TYPESCRIPT,
    "typescript": _TYPESCRIPT,
    "verilog": block_words.VERILOG,
    "vhdl": block_words.VHDL,
    "vim": {
        "function_declaration": None,  # the head of a function_definition
        "function_definition": Rule(kind="function", of=":function_declaration"),
    },
    "wgsl": {
        "global_constant_declaration": Rule(
            kind="constant", name=(":variable_identifier_declaration/name",)
        ),
        "variable_declaration": Rule(
            kind="variable", name=(":variable_identifier_declaration/name",), within=("",)
        ),
    },
    "zig": {  # the variable that a type is bound to has the name
        "enum_declaration": None,
        "struct_declaration": None,
        "test_declaration": Rule(kind="function", name=(":string", ":identifier")),
        "variable_declaration": special.zig_value,
    },
}
"""Language -> type of a node -> what it defines; None for nothing, where it means something else."""


@cache
def rules_of(language: str) -> Mapping[str, Reader | None]:
    """Type of a node -> what it defines in this language."""
    return {**_SHARED, **_OWN.get(language, {})}
