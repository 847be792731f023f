"""Definitions of languages whose blocks end with a word: Ada, Pascal, VHDL and Verilog."""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from kbc.languages.definitions.rules import NOTHING, Definition, Reader, Rule, by_kind
from kbc.languages.definitions.tree import NodeNames, at
from kbc.languages.node_types import CALLABLE

_PASCAL_KINDS = {"declClass": "class", "declIntf": "interface", "declHelper": "implementation"}
_ADA_KINDS = {"record_type_definition": "struct", "enumeration_type_definition": "enum"}
_VHDL_KINDS = {**_ADA_KINDS, "protected_type_declaration": "class", "protected_type_body": "class"}
_VERILOG_KINDS = {"enum": "enum", "struct": "struct", "union": "struct"}


def ada_type(names: NodeNames, node: Node, holder: str) -> Definition:
    """Also of tasks and protected objects, which have the name in a node of their own."""
    made = at(node, ":task_type_declaration", ":protected_type_declaration")
    name = names.text(at(made or node, ":identifier"))
    kinds = (_ADA_KINDS[each.type] for each in node.named_children if each.type in _ADA_KINDS)
    return ("class" if made is not None else next(kinds, "type")), name


def ada_object(names: NodeNames, node: Node, holder: str) -> Definition:
    """A constant outside of subprograms; variables are parts of their package."""
    is_constant = holder not in CALLABLE and any(each.type == "constant" for each in node.children)
    return ("constant", names.text(at(node, "name"))) if is_constant else NOTHING


def ada_instance(names: NodeNames, node: Node, holder: str) -> Definition:
    """`package Name is new ...`, and of a function or a procedure."""
    kind = "module" if node.children[0].type == "package" else "function"
    return kind, names.text(at(node, "name"))


def pascal_type(names: NodeNames, node: Node, holder: str) -> Definition:
    """`TTank = class ... end`, without the parameters of a generic; `class;` alone only announces one."""
    type_ = at(node, "type")
    name = at(node, "name/entity", "name")
    kind = _PASCAL_KINDS.get(type_.type if type_ is not None else "", "type")
    if kind != "type" and type_ is not None:
        words = [each.type for each in type_.children]
        if "kEnd" not in words and len(words) == 1:
            return NOTHING
        kind = "struct" if "kRecord" in words or "kObject" in words else kind
    elif at(type_, ":declEnum") is not None:
        kind = "enum"
    return kind, names.text(name)


def pascal_routine(names: NodeNames, node: Node, holder: str) -> Definition:
    """A declaration (`declProc`), unless it is the head of a body (`defProc`); a method where a type is named
    in front."""
    if node.type == "declProc" and holder in CALLABLE:
        return NOTHING
    name = names.text(at(node, "header/name", "name"))
    return ("method" if "." in name else "function"), name


def vhdl_type(names: NodeNames, node: Node, holder: str) -> Definition:
    kinds = (_VHDL_KINDS[each.type] for each in node.named_children if each.type in _VHDL_KINDS)
    return next(kinds, "type"), names.text(at(node, "name"))


def verilog_type(names: NodeNames, node: Node, holder: str) -> Definition:
    """`typedef struct { ... } name;`, whose name stands at the end."""
    made = at(node, ":data_type/^/^", ":data_type/^")
    _, *words = names.text(node).split(" ", 2)
    word = words[0] if words else names.text(made).partition(" ")[0]
    kind = _VERILOG_KINDS.get(word, "type")
    name = next(
        (each for each in reversed(node.named_children) if each.type.endswith("identifier")), None
    )
    return kind, names.text(name)


ADA: Mapping[str, Reader | None] = {
    **by_kind({"module": "package_body package_declaration"}, name=("name", "package")),
    **by_kind(
        {
            "function": "body_stub expression_function_declaration generic_subprogram_declaration"
            " null_procedure_declaration subprogram_body subprogram_declaration"
            " subprogram_renaming_declaration"
        },
        name=(":procedure_specification/name", ":function_specification/name", "^/^/name"),
        strip='"',
    ),
    **by_kind(
        {
            "class": "protected_body single_protected_declaration single_task_declaration task_body",
            "method": "entry_body",
            "type": "exception_declaration private_extension_declaration private_type_declaration"
            " subtype_declaration",
        },
        name=(":identifier",),
    ),
    "entry_declaration": Rule(kind="method", name=("entry_name",)),
    "full_type_declaration": ada_type,
    "generic_instantiation": ada_instance,
    "number_declaration": Rule(kind="constant", name=(":identifier",), outside=CALLABLE),
    "object_declaration": ada_object,
}
PASCAL: Mapping[str, Reader | None] = {
    **by_kind({"module": "library program unit"}, name=(":moduleName",)),
    "declConst": Rule(kind="constant", name=("name",), outside=CALLABLE),
    "declProc": pascal_routine,
    "declType": pascal_type,
    "defProc": pascal_routine,
}
VERILOG: Mapping[str, Reader | None] = {
    **by_kind(
        {"constant": "local_parameter_declaration parameter_declaration"},
        name=(":list_of_param_assignments/^/^",),
        outside=CALLABLE,
    ),
    "class_constructor_declaration": lambda *_: ("method", "new"),
    "data_type": None,
    "function_prototype": Rule(kind="function", name=(":function_identifier",)),
    "package_declaration": Rule(kind="module"),
    "program_declaration": Rule(kind="module", name=("^/:program_identifier",)),
    "property_declaration": Rule(kind="function", name=(":property_identifier",)),
    "sequence_declaration": Rule(kind="function", name=(":sequence_identifier",)),
    "task_prototype": Rule(kind="function", name=(":task_identifier",)),
    "text_macro_definition": Rule(kind="macro", name=(":text_macro_name/:text_macro_identifier",)),
    "type_declaration": verilog_type,
}
VHDL: Mapping[str, Reader | None] = {
    **by_kind(
        {
            "interface": "component_declaration",
            "module": "configuration_declaration entity_declaration package_body package_declaration",
            "type": "subtype_declaration",
        },
        name=("name", "package"),
    ),
    **by_kind(
        {"function": "function_body function_declaration procedure_body procedure_declaration"},
        name=("designator",),
        strip='"',
    ),
    "architecture_body": Rule(kind="implementation", name=("entity",)),
    "constant_declaration": Rule(kind="constant", name=(":identifier_list/^",), outside=CALLABLE),
    "full_type_declaration": vhdl_type,
    "process_statement": Rule(kind="block", name=(":label/^",)),
}
