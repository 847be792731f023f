"""Node types of tree-sitter grammars: which are functions, bodies, comments and wrappers.

One table serves all grammars: their authors name the same things alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# Definitions in these are local to a call, and values in them are no constants.
CALLABLE = frozenset({"function", "method", "macro"})

FUNCTION_VALUES = frozenset([
    "arrow_function", "class", "function_definition", "function_expression", "generator_function",
])  # fmt: skip

_NAMELESS = frozenset([
    "arrow_function", "fun_expression", "function_expression", "generator_function", "lambda_literal",
])  # fmt: skip

_NIX_GIVEN = frozenset(
    {"apply_expression", "binary_expression", "if_expression", "list_expression"}
)

# Endings of the types of nodes that belong to the definition below them.
LEADING = (
    "comment", "attribute", "attribute_item", "attribute_list", "decorator", "decorators", "annotation",
    "haddock", "pragma",
)  # fmt: skip

# Documentation within a definition, besides comments.
NO_CODE = frozenset({"description", "haddock"})

# Nodes that hold a definition on one line, which takes their lines for its own.
WRAPPERS = frozenset([
    "Decl", "ambient_declaration", "annotated_expression", "assignment_statement", "class_item",
    "class_method", "const_declaration", "data_declaration", "declaration_expression",
    "decorated_definition", "definition", "document", "executable_definition", "export_statement",
    "expression_statement", "global_variable_declaration", "lexical_declaration", "macro_argument_list",
    "macrocall_expression", "member", "module_binding", "module_definition", "module_or_generate_item",
    "package_or_generate_item_declaration", "shape_body", "shape_statement", "statement",
    "template_declaration", "type_declaration", "type_definition", "type_extension",
    "type_system_definition", "type_system_extension", "value_definition", "var_declaration",
    "variable_declaration",
])  # fmt: skip

HEADS: Mapping[str, Sequence[str]] = {
    "ada": (":function_specification", ":procedure_specification", "^/:function_specification"),
    "graphql": (":name",),
    "groovy": (":block/:unit", ":unit"),
    "odin": (":identifier",),
    "pascal": ("header",),
    "verilog": (":module_ansi_header", ":module_nonansi_header"),
    "vhdl": (":return", ":procedure_parameter_clause", ":entity_header"),
}
"""Language -> paths to a node whose last line ends the head of a definition, where that is not the line of
the name."""

_BODIES = frozenset([
    "Block", "block", "body_statement", "class_declarations", "compound_statement", "declaration_list",
    "declarations", "do_block", "field_declaration_list", "instance_declarations", "members",
    "type_extension_elements",
])  # fmt: skip


def is_nameless(node_type: str, language: str) -> bool:
    """Whether nodes of this type are functions that a call is given, such as the steps of a test. Values in
    them are local. In Nix, where a file is a function, that is all that a call is given, or that is not
    there in any case."""
    if language == "nix":
        return node_type in _NIX_GIVEN
    return node_type in _NAMELESS or (language == "ruby" and node_type in ("block", "do_block"))


def is_body(node_type: str) -> bool:
    return node_type.endswith("body") or node_type in _BODIES
