"""Tree-sitter queries, one a language, for the identifiers of a source file.

Captures:

    use, type, call   an identifier, and how it is used
    of                in the same pattern: the expression before it (`of.call`)
    bind              an identifier that the scope around it binds: a parameter, a local variable
    scope             a node whose bindings end with it; `scope.class` in languages where methods do not
                      see what the body of their class binds
    skip              an identifier that names neither: a keyword of an argument, a label, a key
    import            a statement that `imports` reads

Of several captures of one identifier the last in this order counts: use, type, call, bind, skip.
"""

from __future__ import annotations

from collections.abc import Mapping

_PYTHON = """
[(function_definition) (lambda) (list_comprehension) (set_comprehension) (dictionary_comprehension)
 (generator_expression)] @scope
(class_definition) @scope.class
(parameters (identifier) @bind)
(lambda_parameters (identifier) @bind)
(typed_parameter . (identifier) @bind)
(default_parameter name: (identifier) @bind)
(typed_default_parameter name: (identifier) @bind)
(list_splat_pattern (identifier) @bind)
(dictionary_splat_pattern (identifier) @bind)
(assignment left: (identifier) @bind)
(pattern_list (identifier) @bind)
(tuple_pattern (identifier) @bind)
(for_statement left: (identifier) @bind)
(for_in_clause left: (identifier) @bind)
(as_pattern_target (identifier) @bind)
(named_expression name: (identifier) @bind)
(keyword_argument name: (identifier) @skip)
(call function: (identifier) @call)
(call function: (attribute object: (_) @of attribute: (identifier) @call))
(attribute object: (_) @of attribute: (identifier) @use)
(decorator (identifier) @call)
(type (identifier) @type)
(class_definition superclasses: (argument_list (identifier) @type))
(identifier) @use
[(import_statement) (import_from_statement)] @import
(future_import_statement) @import
"""

_JAVASCRIPT = """
[(function_declaration) (function_expression) (generator_function) (generator_function_declaration)
 (arrow_function) (method_definition) (statement_block) (for_statement) (for_in_statement)
 (catch_clause)] @scope
(arrow_function parameter: (identifier) @bind)
(variable_declarator name: (identifier) @bind)
(shorthand_property_identifier_pattern) @bind
(array_pattern (identifier) @bind)
(pair_pattern value: (identifier) @bind)
(rest_pattern (identifier) @bind)
(assignment_pattern left: (identifier) @bind)
(catch_clause parameter: (identifier) @bind)
(for_in_statement left: (identifier) @bind)
(pair key: (property_identifier) @skip)
(statement_identifier) @skip
(call_expression function: (identifier) @call)
(call_expression function: (member_expression object: (_) @of property: (property_identifier) @call))
(new_expression constructor: (identifier) @call)
(new_expression constructor: (member_expression object: (_) @of property: (property_identifier) @call))
(member_expression object: (_) @of property: (property_identifier) @use)
(decorator (identifier) @call)
(shorthand_property_identifier) @use
(identifier) @use
(import_statement) @import
(export_statement source: (string)) @import
(variable_declarator
  value: (call_expression function: (identifier) @_f (#eq? @_f "require"))) @import
"""

_JSX = """
(jsx_opening_element name: (identifier) @call)
(jsx_self_closing_element name: (identifier) @call)
"""

_TYPES_OF_TYPESCRIPT = """
(function_signature name: (identifier) @skip)
(required_parameter pattern: (identifier) @bind)
(optional_parameter pattern: (identifier) @bind)
(type_parameter name: (type_identifier) @bind)
(class_heritage (extends_clause value: (identifier) @type))
(nested_type_identifier module: (_) @of name: (type_identifier) @type)
(type_identifier) @type
(interface_declaration) @scope
(type_alias_declaration) @scope
(class_declaration) @scope
"""

_GO = """
[(function_declaration) (method_declaration) (func_literal) (block) (if_statement) (for_statement)
 (expression_case) (type_case) (default_case) (communication_case) (type_declaration)] @scope
(parameter_declaration name: (identifier) @bind)
(variadic_parameter_declaration name: (identifier) @bind)
(short_var_declaration left: (expression_list (identifier) @bind))
(var_spec name: (identifier) @bind)
(range_clause left: (expression_list (identifier) @bind))
(receive_statement left: (expression_list (identifier) @bind))
(type_switch_statement alias: (expression_list (identifier) @bind))
(type_parameter_declaration name: (identifier) @bind)
(keyed_element key: (literal_element (identifier) @skip))
(label_name) @skip
(package_clause (package_identifier) @skip)
(call_expression function: (identifier) @call)
(call_expression function: (selector_expression operand: (_) @of field: (field_identifier) @call))
(selector_expression operand: (_) @of field: (field_identifier) @use)
(qualified_type package: (_) @of name: (type_identifier) @type)
(type_identifier) @type
(identifier) @use
(import_spec) @import
"""

_RUST = """
[(function_item) (closure_expression) (block) (match_arm) (for_expression) (if_expression)
 (while_expression)] @scope
(parameter pattern: (identifier) @bind)
(let_declaration pattern: (identifier) @bind)
(let_condition pattern: (identifier) @bind)
(closure_parameters (identifier) @bind)
(tuple_pattern (identifier) @bind)
(tuple_struct_pattern type: (_) (identifier) @bind)
(mut_pattern (identifier) @bind)
(ref_pattern (identifier) @bind)
(reference_pattern (identifier) @bind)
(for_expression pattern: (identifier) @bind)
(shorthand_field_identifier) @skip
(field_initializer field: (field_identifier) @skip)
(call_expression function: (identifier) @call)
(call_expression function: (field_expression value: (_) @of field: (field_identifier) @call))
(call_expression function: (scoped_identifier path: (_) @of name: (identifier) @call))
(generic_function function: (identifier) @call)
(generic_function function: (scoped_identifier path: (_) @of name: (identifier) @call))
(generic_function function: (field_expression value: (_) @of field: (field_identifier) @call))
(macro_invocation macro: (identifier) @call)
(macro_invocation macro: (scoped_identifier path: (_) @of name: (identifier) @call))
(field_expression value: (_) @of field: (field_identifier) @use)
(scoped_identifier path: (_) @of name: (identifier) @use)
(scoped_type_identifier path: (_) @of name: (type_identifier) @type)
(type_identifier) @type
(identifier) @use
(use_declaration) @import
(mod_item !body) @import
"""

_JAVA = """
[(method_declaration) (constructor_declaration) (lambda_expression) (block) (for_statement)
 (enhanced_for_statement) (catch_clause) (try_with_resources_statement) (class_body) (enum_body)
 (class_declaration) (interface_declaration)] @scope
(formal_parameter name: (identifier) @bind)
(variable_declarator name: (identifier) @bind)
(enhanced_for_statement name: (identifier) @bind)
(catch_formal_parameter name: (identifier) @bind)
(inferred_parameters (identifier) @bind)
(lambda_expression parameters: (identifier) @bind)
(resource name: (identifier) @bind)
(type_parameter (type_identifier) @bind)
(element_value_pair key: (identifier) @skip)
(method_invocation !object name: (identifier) @call)
(method_invocation object: (_) @of name: (identifier) @call)
(object_creation_expression type: (type_identifier) @call)
(object_creation_expression type: (generic_type (type_identifier) @call))
(method_reference (_) @of (identifier) @call .)
(field_access object: (_) @of field: (identifier) @use)
(scoped_type_identifier (_) @of (type_identifier) @type .)
(marker_annotation name: (identifier) @type)
(annotation name: (identifier) @type)
(type_identifier) @type
(identifier) @use
(import_declaration) @import
(package_declaration) @import
"""

_C = """
[(function_definition) (compound_statement) (for_statement)] @scope
(parameter_declaration declarator: (identifier) @bind)
(parameter_declaration declarator: (pointer_declarator declarator: (identifier) @bind))
(parameter_declaration declarator: (array_declarator declarator: (identifier) @bind))
(declaration declarator: (identifier) @bind)
(declaration declarator: (pointer_declarator declarator: (identifier) @bind))
(declaration declarator: (array_declarator declarator: (identifier) @bind))
(init_declarator declarator: (identifier) @bind)
(init_declarator declarator: (pointer_declarator declarator: (identifier) @bind))
(init_declarator declarator: (array_declarator declarator: (identifier) @bind))
(statement_identifier) @skip
(field_designator (field_identifier) @skip)
(call_expression function: (identifier) @call)
(call_expression function: (field_expression argument: (_) @of field: (field_identifier) @call))
(field_expression argument: (_) @of field: (field_identifier) @use)
(type_identifier) @type
(identifier) @use
(preproc_include) @import
"""

_MORE_OF_CPP = """
[(lambda_expression) (for_range_loop) (catch_clause) (template_declaration)
 (field_declaration_list)] @scope
(parameter_declaration declarator: (reference_declarator (identifier) @bind))
(optional_parameter_declaration declarator: (identifier) @bind)
(declaration declarator: (reference_declarator (identifier) @bind))
(init_declarator declarator: (reference_declarator (identifier) @bind))
(for_range_loop declarator: (identifier) @bind)
(for_range_loop declarator: (reference_declarator (identifier) @bind))
(structured_binding_declarator (identifier) @bind)
(type_parameter_declaration (type_identifier) @bind)
(call_expression function: (qualified_identifier scope: (_) @of name: (identifier) @call))
(call_expression function: (qualified_identifier
  name: (qualified_identifier scope: (_) @of name: (identifier) @call)))
(call_expression function: (template_function name: (identifier) @call))
(new_expression type: (type_identifier) @call)
(new_expression type: (template_type name: (type_identifier) @call))
(qualified_identifier scope: (_) @of name: (identifier) @use)
(qualified_identifier scope: (_) @of name: (type_identifier) @type)
(field_initializer (field_identifier) @skip)
(base_class_clause (type_identifier) @type)
(namespace_definition name: (namespace_identifier) @skip)
(using_declaration) @import
"""

_CSHARP = """
[(method_declaration) (constructor_declaration) (local_function_statement) (lambda_expression)
 (block) (for_statement) (foreach_statement) (catch_clause) (using_statement) (class_declaration)
 (struct_declaration) (record_declaration) (accessor_declaration)] @scope
(parameter name: (identifier) @bind)
(implicit_parameter) @bind
(variable_declarator name: (identifier) @bind)
(foreach_statement left: (identifier) @bind)
(catch_declaration name: (identifier) @bind)
(declaration_expression name: (identifier) @bind)
(type_parameter name: (identifier) @bind)
(property_declaration name: (identifier) @bind)
(argument name: (identifier) @skip)
(invocation_expression function: (identifier) @call)
(invocation_expression function: (generic_name (identifier) @call))
(invocation_expression function: (member_access_expression
  expression: _ @of name: (identifier) @call))
(invocation_expression function: (member_access_expression
  expression: _ @of name: (generic_name (identifier) @call)))
(invocation_expression function: (conditional_access_expression
  condition: (_) @of (member_binding_expression name: (identifier) @call)))
(object_creation_expression type: (identifier) @call)
(object_creation_expression type: (generic_name (identifier) @call))
(member_access_expression expression: _ @of name: (identifier) @use)
(qualified_name qualifier: (_) @of name: (identifier) @type)
(base_list (identifier) @type)
(base_list (generic_name (identifier) @type))
(type_argument_list (identifier) @type)
(_ type: (identifier) @type)
(_ returns: (identifier) @type)
(attribute name: (identifier) @type)
(namespace_declaration name: (_) @skip)
(identifier) @use
(using_directive) @import
(namespace_declaration) @import
(file_scoped_namespace_declaration) @import
"""

_RUBY = """
[(method) (singleton_method) (block) (do_block) (lambda)] @scope
(method_parameters (identifier) @bind)
(block_parameters (identifier) @bind)
(lambda_parameters (identifier) @bind)
(optional_parameter name: (identifier) @bind)
(keyword_parameter name: (identifier) @bind)
(splat_parameter name: (identifier) @bind)
(hash_splat_parameter name: (identifier) @bind)
(block_parameter name: (identifier) @bind)
(destructured_parameter (identifier) @bind)
(assignment left: (identifier) @bind)
(left_assignment_list (identifier) @bind)
(for pattern: (identifier) @bind)
(exception_variable (identifier) @bind)
(call !receiver method: (identifier) @call)
(call receiver: (_) @of method: (identifier) @call)
(call receiver: (_) @of method: (constant) @call)
(scope_resolution scope: (_) @of name: (constant) @type)
(superclass (constant) @type)
(constant) @type
(identifier) @call
(call !receiver method: (identifier) @_r (#match? @_r "^require(_relative)?$")) @import
"""

_PHP = """
(variable_name (name) @skip)
(namespace_name (name) @skip)
(argument name: (name) @skip)
(function_call_expression function: (name) @call)
(function_call_expression function: (qualified_name (name) @call))
(member_call_expression object: (_) @of name: (name) @call)
(nullsafe_member_call_expression object: (_) @of name: (name) @call)
(scoped_call_expression scope: (_) @of name: (name) @call)
(object_creation_expression (name) @call)
(object_creation_expression (qualified_name (name) @call))
(member_access_expression object: (_) @of name: (name) @use)
(class_constant_access_expression . (_) @of (name) @use .)
(class_constant_access_expression . (name) @type)
(scoped_call_expression scope: (name) @type)
(named_type (name) @type)
(named_type (qualified_name (name) @type))
(base_clause (name) @type)
(class_interface_clause (name) @type)
(use_declaration (name) @type)
(attribute (name) @type)
(name) @use
(namespace_use_declaration) @import
(namespace_definition) @import
"""

QUERIES: Mapping[str, str] = {
    "python": _PYTHON,
    "javascript": _JAVASCRIPT
    + _JSX
    + "(formal_parameters (identifier) @bind)\n(class_heritage (identifier) @type)\n",
    "typescript": _JAVASCRIPT + _TYPES_OF_TYPESCRIPT,
    "tsx": _JAVASCRIPT + _JSX + _TYPES_OF_TYPESCRIPT,
    "go": _GO,
    "rust": _RUST,
    "java": _JAVA,
    "c": _C,
    "cpp": _C + _MORE_OF_CPP,
    "csharp": _CSHARP,
    "ruby": _RUBY,
    "php": _PHP,
}
