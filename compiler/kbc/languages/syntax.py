"""Finds the definitions of a source file in its tree-sitter syntax tree.

One table of node types serves all grammars, because their authors name the same things alike. Constructs
that a language expresses differently (a function bound to a variable, a macro that defines) have rules of
their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kbc.cache.phases import remembered

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_SIGNATURE_CHARS = 300
MAX_NAME_CHARS = 120

_KINDS: Mapping[str, str] = {
    # functions
    **dict.fromkeys(
        (
            "constructor_declaration",
            "constructor_definition",
            "fun_decl",
            "function",
            "function_declaration",
            "function_def",
            "function_definition",
            "function_item",
            "function_signature_item",
            "function_statement",
            "func_declaration",
            "generator_function_declaration",
            "init_declaration",
            "local_function_statement",
            "method",
            "proc_declaration",
            "rpc",
            "singleton_method",
            "subroutine",
            "subroutine_declaration_statement",
            "create_function",
            "value_declaration",
            "value_definition",
            "function_or_value_defn",
            "FnProto",
        ),
        "function",
    ),
    **dict.fromkeys(
        (
            "abstract_method_signature",
            "class_method_definition",
            "destructor_declaration",
            "method_declaration",
            "method_definition",
            "method_signature",
            "protocol_function_declaration",
        ),
        "method",
    ),
    # types
    **dict.fromkeys(
        (
            "abstract_class_declaration",
            "class",
            "class_declaration",
            "class_definition",
            "class_implementation",
            "class_interface",
            "class_specifier",
            "class_statement",
            "contract_declaration",
            "mixin_declaration",
            "object_declaration",
            "object_definition",
            "record_declaration",
        ),
        "class",
    ),
    **dict.fromkeys(
        (
            "message",
            "object_type_definition",
            "record_decl",
            "struct_declaration",
            "struct_definition",
            "struct_item",
            "struct_specifier",
            "union_item",
            "union_specifier",
        ),
        "struct",
    ),
    **dict.fromkeys(
        (
            "enum",
            "enum_declaration",
            "enum_definition",
            "enum_item",
            "enum_specifier",
            "enum_type_definition",
        ),
        "enum",
    ),
    **dict.fromkeys(
        (
            "annotation_type_declaration",
            "interface_declaration",
            "interface_type_definition",
            "protocol_declaration",
            "service",
        ),
        "interface",
    ),
    **dict.fromkeys(
        ("concept_definition", "trait_declaration", "trait_definition", "trait_item"), "trait"
    ),
    **dict.fromkeys(("extension_declaration", "impl_item", "instance"), "implementation"),
    **dict.fromkeys(
        (
            "library_declaration",
            "internal_module",
            "mod_item",
            "module",
            "module_declaration",
            "module_definition",
            "namespace_declaration",
            "namespace_definition",
        ),
        "module",
    ),
    **dict.fromkeys(
        (
            "abstract_definition",
            "alias_declaration",
            "data_type",
            "delegate_declaration",
            "input_object_type_definition",
            "newtype",
            "type_alias",
            "type_alias_declaration",
            "type_alias_statement",
            "type_declaration",
            "type_definition",
            "type_item",
            "type_spec",
            "type_synomym",
            "typealias_declaration",
        ),
        "type",
    ),
    # values and the rest
    **dict.fromkeys(("const_item", "const_spec", "static_item"), "constant"),
    **dict.fromkeys(("macro_definition", "preproc_function_def"), "macro"),
    **dict.fromkeys(("create_table", "create_view"), "table"),
    **dict.fromkeys(("table", "table_array_element", "block_mapping_pair"), "key"),
    **dict.fromkeys(("event_definition", "modifier_definition"), "function"),
}

# Node types that mean something else in these languages.
_NOT_IN: Mapping[str, frozenset[str]] = {
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
}

_HOLDERS = frozenset({"class", "struct", "enum", "interface", "trait", "implementation"})

# Definitions in these are local to a call, and values in them are no constants.
_CALLABLE = frozenset({"function", "method", "macro"})

# Types of nodes that are names: endings, and whole types.
_NAME_ENDINGS = ("identifier", "name")
_NAME_TYPES = frozenset(
    {
        "alias",
        "atom",
        "bare_key",
        "bareword",
        "constant",
        "dotted_key",
        "type_constructor",
        "variable",
        "word",
    }
)

_FUNCTION_VALUES = frozenset(
    {
        "arrow_function",
        "class",
        "function_definition",
        "function_expression",
        "generator_function",
    }
)

# Endings of the types of nodes that belong to the definition below them.
_LEADING = (
    "comment",
    "attribute",
    "attribute_item",
    "attribute_list",
    "decorator",
    "annotation",
    "haddock",
    "pragma",
)

# Definitions nested deeper are part of the one around them.
MAX_DEPTH = 16

_DEFINING_CALLS: Mapping[str, str] = {
    "def": "function",
    "defp": "function",
    "defmacro": "macro",
    "defmodule": "module",
    "defprotocol": "interface",
    "defimpl": "implementation",
}

_LISP_DEFINITIONS: Mapping[str, str] = {
    "def": "constant",
    "defn": "function",
    "defn-": "function",
    "defmacro": "macro",
    "defmulti": "function",
    "defmethod": "function",
    "defprotocol": "interface",
    "defrecord": "struct",
    "deftype": "type",
}


# A macro alone on its line: what it expands to is not known, and a parser takes it for the type of what
# follows, so that the definition behind it gets lost.
# An upper-case type above the name of its function is one, though.
_MACRO_LINE = re.compile(
    rb"^([ \t]*)([A-Z][A-Z0-9_]{3,}(?:\([^()\n;{}]*\))?)(?=[ \t]*\r?$)(?!\s*\n[ \t]*\w+[ \t]*\()",
    re.MULTILINE,
)
_WITH_MACROS = frozenset({"c", "cpp", "objc"})


@dataclass(slots=True)
class Symbol:
    """A definition on lines `line` to `end_line` (1-based in the text given, the comments and
    decorators above it included); its own text begins on `own_line`."""

    name: str
    kind: str
    line: int
    end_line: int
    own_line: int
    signature: str = ""
    children: list[Symbol] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Visit:
    """A node whose children are to be looked at: the definition around it, the list its definitions
    go into, their depth, and the rows of the wrapper that the node is, when it is one."""

    node: Node
    holder: Symbol | None
    into: list[Symbol]
    depth: int
    outer: tuple[int, int] | None


@remembered("symbols")
def symbols(text: str, *, language: str) -> list[Symbol]:
    """The top-level definitions with theirs inside, in order; none when there is no grammar for
    `language`. Of a text that does not read as that language throughout, those that do."""
    from tree_sitter_language_pack import get_parser

    try:
        parser = get_parser(language)  # type: ignore[arg-type]
    except LookupError:
        return []
    source = text.encode("utf-8", "surrogatepass")
    return _Walk(source, language).run(parser.parse(_parsed(source, language)).root_node)


def _parsed(source: bytes, language: str) -> bytes:
    """What the parser gets: macros that stand alone as comments of the same length."""
    if language not in _WITH_MACROS:
        return source
    return _MACRO_LINE.sub(lambda found: found[1] + b"//" + b"-" * (len(found[2]) - 2), source)


class _Walk:
    def __init__(self, source: bytes, language: str) -> None:
        self._source = source
        self._language = language
        self._not_in = _NOT_IN.get(language, frozenset())

    def run(self, root: Node) -> list[Symbol]:
        found: list[Symbol] = []
        waiting = [_Visit(root, None, found, 0, None)]
        while waiting:
            visit = waiting.pop()
            waiting += reversed(list(self._children(visit)))
        _sort(found)
        return found

    def _children(self, visit: _Visit) -> Iterator[_Visit]:
        """Takes the definitions among the children of a node; gives the children to visit next."""
        comments: tuple[int, int] | None = None  # rows of the comments just seen, without a gap
        code_row = -1  # the last row of the code before them
        for node in visit.node.named_children:
            first, last = node.start_point[0], _last_row(node)
            if self._is_leading(node):
                if comments is not None and first <= comments[1] + 1:
                    comments = comments[0], last
                elif first > code_row:  # not behind code on its line
                    comments = first, last
                continue
            own_line = first + 1
            if comments is not None and first <= comments[1] + 1:
                first = comments[0]
            if visit.outer is not None:
                first, last = min(first, visit.outer[0]), max(last, visit.outer[1])
            comments, code_row = None, last
            if node.type == "function_body" and visit.into:  # in Dart, it stands beside its head
                visit.into[-1].end_line = max(visit.into[-1].end_line, last + 1)
            kind, name = self._kind_and_name(node, visit.holder)
            if kind and name:
                if kind == "function" and visit.holder and visit.holder.kind in _HOLDERS:
                    kind = "method"
                symbol = Symbol(name, kind, first + 1, last + 1, own_line, self._signature(node))
                self._take(symbol, visit.into)
                if visit.depth < MAX_DEPTH:
                    yield _Visit(node, symbol, symbol.children, visit.depth + 1, None)
            elif first != last or node.type in _WRAPPERS or _is_body(node.type):
                wraps = node.type in _WRAPPERS and self._holds_one(node)
                outer = (first, last) if wraps else None
                yield _Visit(node, visit.holder, visit.into, visit.depth, outer)

    def _take(self, symbol: Symbol, into: list[Symbol]) -> None:
        """Adds `symbol`; in Haskell, equations of one function are one definition."""
        last = into[-1] if into else None
        if (
            self._language == "haskell"
            and last is not None
            and last.name == symbol.name
            and symbol.line <= last.end_line + 1
        ):
            last.end_line = symbol.end_line
        else:
            into.append(symbol)

    def _is_leading(self, node: Node) -> bool:
        if self._language == "haskell" and node.type == "signature":
            return True
        return node.type.endswith(_LEADING)

    def _holds_one(self, node: Node) -> bool:
        """Whether a wrapper is there for a single definition, whose lines are then the wrapper's."""
        types = [child.type for child in node.named_children if not self._is_leading(child)]
        return len(types) == len(set(types))

    def _kind_and_name(self, node: Node, holder: Symbol | None) -> tuple[str, str]:
        rule = _RULES.get((self._language, node.type))
        if rule is not None:
            return rule(self, node, holder)
        if node.type in self._not_in:
            return "", ""
        kind = _KINDS.get(node.type, "")
        if not kind:
            return "", ""
        if kind == "key" and holder is not None:
            return "", ""
        if node.type.endswith("_specifier") and not (
            node.child_by_field_name("body") and node.child_by_field_name("name")
        ):  # a use, or a type without a name
            return "", ""
        if kind == "constant" and holder is not None and holder.kind in _CALLABLE:
            return "", ""
        return kind, self._name(node)

    def _name(self, node: Node) -> str:
        named = node.child_by_field_name("name") or node.child_by_field_name("key")
        if named is None and node.type == "impl_item":
            named = node.child_by_field_name("type")
        if named is None:
            named = node.child_by_field_name("declarator") or node.child_by_field_name("left")
            while named is not None:
                deeper = named.child_by_field_name("declarator")
                if deeper is None:
                    break
                named = deeper
        if named is None:
            named = _first_name(node)
        return self._text(named) if named is not None else ""

    def _text(self, node: Node) -> str:
        text = self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        return " ".join(text.split()).strip("\"'")[:MAX_NAME_CHARS]

    def _signature(self, node: Node) -> str:
        body = node.child_by_field_name("body") or next(
            (child for child in node.named_children if _is_body(child.type)), None
        )
        end = body.start_byte if body is not None else node.end_byte
        text = self._source[node.start_byte : end].decode("utf-8", "replace").strip()
        if body is None:
            text = text.split("\n", 1)[0]
        text = " ".join(text.split())
        return text.rstrip(" {:=").strip()[:MAX_SIGNATURE_CHARS]

    # Rules of single languages: node -> (kind, name), empty strings for no definition.

    def _assignment(self, node: Node, holder: Symbol | None) -> tuple[str, str]:
        left = node.child_by_field_name("left")
        outside = holder is None or holder.kind in _HOLDERS | {"module"}
        if left is None or left.type not in ("identifier", "constant") or not outside:
            return "", ""
        name = self._text(left)
        return ("constant" if name.isupper() or left.type == "constant" else "variable"), name

    def _declarator(self, node: Node, holder: Symbol | None) -> tuple[str, str]:
        value = node.child_by_field_name("value")
        name = node.child_by_field_name("name") or node.child_by_field_name("property")
        if name is None or not name.type.endswith("identifier"):
            return "", ""
        if value is not None and value.type in _FUNCTION_VALUES:
            return ("class" if value.type == "class" else "function"), self._text(name)
        outside = holder is None or holder.kind == "module"
        return ("constant", self._text(name)) if outside else ("", "")

    def _function_value(self, node: Node, holder: Symbol | None) -> tuple[str, str]:
        """`name = function ...`, in JavaScript, Lua and R."""
        left = node.child_by_field_name("left") or node.child_by_field_name("lhs")
        right = node.child_by_field_name("right") or node.child_by_field_name("rhs")
        if left is None and right is None and len(node.named_children) == 2:
            left, right = node.named_children
            if right.named_children:
                right = right.named_children[0]
        if left is None or right is None or right.type not in _FUNCTION_VALUES:
            return "", ""
        return "function", self._text(left)

    def _c_declaration(self, node: Node, holder: Symbol | None) -> tuple[str, str]:
        """A prototype; declarations of variables are no definitions worth a name."""
        if holder is not None and holder.kind in _CALLABLE:
            return "", ""
        declarator = node.child_by_field_name("declarator")
        while declarator is not None and declarator.type != "function_declarator":
            declarator = declarator.child_by_field_name("declarator")
        return ("function", self._name(declarator)) if declarator is not None else ("", "")

    def _defining_call(self, node: Node, holder: Symbol | None) -> tuple[str, str]:
        target = node.child_by_field_name("target")
        kind = _DEFINING_CALLS.get(self._text(target), "") if target is not None else ""
        arguments = next(
            (child for child in node.named_children if child.type == "arguments"), None
        )
        if not kind or arguments is None or not arguments.named_children:
            return "", ""
        named = arguments.named_children[0]
        if named.type == "binary_operator" and named.named_children:  # a guard
            named = named.named_children[0]
        inner = named.child_by_field_name("target")
        return kind, self._text(inner if inner is not None else named)

    def _lisp_list(self, node: Node, holder: Symbol | None) -> tuple[str, str]:
        parts = node.named_children
        if len(parts) < 2 or parts[0].type != "sym_lit" or parts[1].type != "sym_lit":
            return "", ""
        return _LISP_DEFINITIONS.get(self._text(parts[0]), ""), self._text(parts[1])

    def _labelled_block(self, node: Node, holder: Symbol | None) -> tuple[str, str]:
        """`resource "kind" "name" { ... }`"""
        words = []
        for child in node.named_children:
            if child.type not in ("identifier", "string_lit"):
                break
            words.append(self._text(child))
        return ("block", ".".join(words)) if holder is None else ("", "")

    def _zig_value(self, node: Node, holder: Symbol | None) -> tuple[str, str]:
        name = node.child_by_field_name("variable_type_function")
        outside = holder is None or holder.kind in _HOLDERS
        if name is None or not outside:
            return "", ""
        is_type = b"struct" in self._source[name.end_byte : name.end_byte + 30]
        return ("struct" if is_type else "constant"), self._text(name)

    def _zig_function(self, node: Node, holder: Symbol | None) -> tuple[str, str]:
        name = node.child_by_field_name("function")
        return ("function", self._text(name)) if name is not None else ("", "")

    def _swift_class(self, node: Node, holder: Symbol | None) -> tuple[str, str]:
        word = self._text(node.children[0])
        kind = word if word in ("class", "struct", "enum") else "class"
        if word == "extension":
            kind = "implementation"
        return kind, self._name(node)

    def _dart_method(self, node: Node, holder: Symbol | None) -> tuple[str, str]:
        return "method", self._name(node.named_children[0]) if node.named_children else ""

    def _dart_function(self, node: Node, holder: Symbol | None) -> tuple[str, str]:
        outside = holder is None or holder.kind not in _CALLABLE
        return ("function", self._name(node)) if outside else ("", "")

    def _json_key(self, node: Node, holder: Symbol | None) -> tuple[str, str]:
        return ("key", self._name(node)) if holder is None else ("", "")


_Rule = Callable[[_Walk, "Node", Symbol | None], tuple[str, str]]

_RULES: Mapping[tuple[str, str], _Rule] = {
    ("python", "assignment"): _Walk._assignment,
    ("ruby", "assignment"): _Walk._assignment,
    ("dart", "method_signature"): _Walk._dart_method,
    ("dart", "function_signature"): _Walk._dart_function,
    ("json", "pair"): _Walk._json_key,
    **{
        (language, node_type): rule
        for language in ("javascript", "typescript", "tsx")
        for node_type, rule in (
            ("variable_declarator", _Walk._declarator),
            ("field_definition", _Walk._declarator),
            ("public_field_definition", _Walk._declarator),
            ("assignment_expression", _Walk._function_value),
        )
    },
    ("lua", "assignment_statement"): _Walk._function_value,
    ("r", "binary_operator"): _Walk._function_value,
    ("c", "declaration"): _Walk._c_declaration,
    ("cpp", "declaration"): _Walk._c_declaration,
    ("cpp", "field_declaration"): _Walk._c_declaration,
    ("elixir", "call"): _Walk._defining_call,
    ("clojure", "list_lit"): _Walk._lisp_list,
    ("hcl", "block"): _Walk._labelled_block,
    ("zig", "VarDecl"): _Walk._zig_value,
    ("zig", "FnProto"): _Walk._zig_function,
    ("swift", "class_declaration"): _Walk._swift_class,
}

# Nodes that hold a definition on one line; `_outer` takes their lines for it.
_WRAPPERS = frozenset(
    {
        "Decl",
        "assignment_statement",
        "const_declaration",
        "declaration_expression",
        "decorated_definition",
        "definition",
        "document",
        "export_statement",
        "expression_statement",
        "lexical_declaration",
        "module_binding",
        "statement",
        "template_declaration",
        "type_declaration",
        "type_definition",
        "type_system_definition",
        "variable_declaration",
    }
)


def _is_body(node_type: str) -> bool:
    return node_type.endswith("body") or node_type in (
        "block",
        "compound_statement",
        "do_block",
        "declaration_list",
        "field_declaration_list",
        "Block",
    )


def _first_name(node: Node) -> Node | None:
    """The first node, at most three levels down, whose type says that it is a name."""
    level: Sequence[Node] = node.named_children
    for _ in range(3):
        for child in level:
            if child.type in _NAME_TYPES or child.type.endswith(_NAME_ENDINGS):
                return child
        level = [deeper for child in level[:8] for deeper in child.named_children[:8]]
    return None


def _last_row(node: Node) -> int:
    """The row of the node's last character (a node may end at the start of the next row)."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row


def _sort(found: list[Symbol]) -> None:
    found.sort(key=lambda symbol: (symbol.line, -symbol.end_line))
    for symbol in found:
        _sort(symbol.children)


def walk(found: Sequence[Symbol]) -> Iterator[Symbol]:
    """All symbols, each before those inside it."""
    for symbol in found:
        yield symbol
        yield from walk(symbol.children)
