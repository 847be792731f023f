"""Node types of tree-sitter grammars: which are definitions, names, bodies and comments.

One table serves all grammars: their authors name the same things alike.
"""

from __future__ import annotations

from collections.abc import Mapping

KINDS: Mapping[str, str] = {
    # functions
    **dict.fromkeys((
        "constructor_declaration", "constructor_definition", "fun_decl", "function",
        "function_declaration", "function_def", "function_definition", "function_item",
        "function_signature_item", "function_statement", "func_declaration",
        "generator_function_declaration", "init_declaration", "local_function_statement", "method",
        "proc_declaration", "rpc", "singleton_method", "subroutine",
        "subroutine_declaration_statement", "create_function", "value_declaration",
        "value_definition", "function_or_value_defn", "FnProto",
    ), "function"),
    **dict.fromkeys((
        "abstract_method_signature", "class_method_definition", "destructor_declaration",
        "method_declaration", "method_definition", "method_signature",
        "protocol_function_declaration",
    ), "method"),
    # types
    **dict.fromkeys((
        "abstract_class_declaration", "class", "class_declaration", "class_definition",
        "class_implementation", "class_interface", "class_specifier", "class_statement",
        "contract_declaration", "mixin_declaration", "object_declaration", "object_definition",
        "record_declaration",
    ), "class"),
    **dict.fromkeys((
        "message", "object_type_definition", "record_decl", "struct_declaration",
        "struct_definition", "struct_item", "struct_specifier", "union_item", "union_specifier",
    ), "struct"),
    **dict.fromkeys((
        "enum", "enum_declaration", "enum_definition", "enum_item", "enum_specifier",
        "enum_type_definition",
    ), "enum"),
    **dict.fromkeys((
        "annotation_type_declaration", "interface_declaration", "interface_type_definition",
        "protocol_declaration", "service",
    ), "interface"),
    **dict.fromkeys((
        "concept_definition", "trait_declaration", "trait_definition", "trait_item",
    ), "trait"),
    **dict.fromkeys(("extension_declaration", "impl_item", "instance"), "implementation"),
    **dict.fromkeys((
        "library_declaration", "internal_module", "mod_item", "module", "module_declaration",
        "module_definition", "package_statement", "program", "submodule", "namespace_declaration",
        "namespace_definition",
    ), "module"),
    **dict.fromkeys((
        "abstract_definition", "alias_declaration", "associated_type", "associatedtype_declaration",
        "data_type", "delegate_declaration", "error_declaration", "input_object_type_definition",
        "newtype", "type_alias", "type_alias_declaration", "type_alias_statement", "type_declaration",
        "type_definition", "type_item", "type_spec", "type_synomym", "typealias_declaration",
    ), "type"),
    # values and the rest
    **dict.fromkeys(("const_item", "const_spec", "static_item"), "constant"),
    **dict.fromkeys(("macro_definition", "preproc_function_def"), "macro"),
    **dict.fromkeys(("create_table", "create_view"), "table"),
    **dict.fromkeys(("table", "table_array_element", "block_mapping_pair"), "key"),
    **dict.fromkeys(("event_definition", "modifier_definition"), "function"),
}  # fmt: skip

# Node types that mean something else in these languages.
NOT_IN: Mapping[str, frozenset[str]] = {
    "python": frozenset({"module"}),
    "go": frozenset({"type_declaration"}),  # its type_spec has the name
    "css": frozenset({"class"}),
    "haskell": frozenset({"module"}),
    "erlang": frozenset({"function"}),
    "fortran": frozenset({"function_statement"}),
    "graphql": frozenset({"type_definition"}),
    "elm": frozenset({"module_declaration"}),
    "make": frozenset({"function_definition"}),
    "fsharp": frozenset({"module"}),
    "r": frozenset({"function_definition"}),
    "lua": frozenset({"function_definition"}),  # a function without a name
    "objc": frozenset({"struct_declaration"}),  # what a property declares
    # Of an exception or a variant; and `let f ... and g ...` defines both, in nodes of their own.
    "ocaml": frozenset(
        {"constructor_declaration", "module_definition", "type_definition", "value_definition"}
    ),
    "ocaml_interface": frozenset({"constructor_declaration", "type_definition"}),
    "nim": frozenset({"enum_declaration"}),  # its type_declaration has the name
    # The variable that they are bound to has the name.
    "zig": frozenset({"enum_declaration", "struct_declaration", "union_declaration"}),
}

# Definitions in these are local to a call, and values in them are no constants.
CALLABLE = frozenset({"function", "method", "macro"})

# Types of nodes that are names: endings, and whole types.
NAME_ENDINGS = ("identifier", "name")
NAME_TYPES = frozenset([
    "alias", "atom", "bare_key", "bareword", "constant", "dotted_key", "type_constructor",
    "variable", "word",
])  # fmt: skip

FUNCTION_VALUES = frozenset([
    "arrow_function", "class", "function_definition", "function_expression", "generator_function",
])  # fmt: skip

# Endings of the types of nodes that belong to the definition below them.
LEADING = (
    "comment", "attribute", "attribute_item", "attribute_list", "decorator", "annotation",
    "haddock", "pragma",
)  # fmt: skip

# Nodes that hold a definition on one line; `_outer` takes their lines for it.
WRAPPERS = frozenset([
    "Decl", "annotated_expression", "assignment_statement", "const_declaration", "declaration_expression",
    "decorated_definition", "definition", "document", "export_statement", "expression_statement",
    "lexical_declaration", "macro_argument_list", "macrocall_expression", "module_binding",
    "module_definition", "statement", "template_declaration", "type_declaration",
    "type_definition", "type_system_definition", "value_definition", "var_declaration",
    "variable_declaration",
])  # fmt: skip


def is_body(node_type: str) -> bool:
    return node_type.endswith("body") or node_type in (
        "block",
        "body_statement",
        "class_declarations",
        "compound_statement",
        "do_block",
        "declaration_list",
        "field_declaration_list",
        "instance_declarations",
        "Block",
    )
