"""Finds the names that a source file re-exports.

`pub use parts::Request;`, `export { Request } from "./parts"`, `__all__ = ["Request"]`: the file defines
none of these names, but users of the library import them from it. If the definition itself is not in the
tree, the re-export is the best answer to the question where a name is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from kbc.cache.phases import remembered
from kbc.languages.definitions.tree import at
from kbc.languages.grammars import text_of, tree

# Without one of these a file re-exports nothing and need not be parsed.
_HINTS: Mapping[str, re.Pattern[str]] = {
    "rust": re.compile(r"\bpub\s+use\b"),
    "python": re.compile(r"^__all__\b|\bimport\b[^#]*?\bas\b", re.MULTILINE),
    **dict.fromkeys(
        ("javascript", "typescript", "tsx"), re.compile(r"\bexport\b[^;]*?\bfrom\b", re.DOTALL)
    ),
}
_AROUND = frozenset([
    "block", "declaration_list", "else_clause", "except_clause", "expression_statement",
    "if_statement", "mod_item", "module", "program", "source_file", "try_statement",
])  # fmt: skip
"""Nodes inside which a re-export may stand."""

_NAMING = {"scoped_identifier": "name", "scoped_use_list": "list", "use_as_clause": "alias"}
"""Nodes of Rust by the field that has what they name."""


@dataclass(frozen=True, slots=True)
class Export:
    """A name that the file passes on, in the statement that begins on `line` (1-based)."""

    name: str
    line: int


@remembered("exports")
def exports(text: str, *, language: str) -> list[Export]:
    """The re-exports of a file in order; none for a language that has no such statement."""
    hint = _HINTS.get(language)
    if hint is None or not hint.search(text):
        return []
    source = text.encode("utf-8", "surrogatepass")
    root = tree(source, language)
    return [
        Export(text_of(name), statement.start_point[0] + 1)
        for statement in (_statements(root) if root is not None else ())
        for name in _NAMES[statement.type](statement)
    ]


def _statements(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type in _NAMES:
            yield node
        elif node.type in _AROUND:
            waiting += reversed(node.named_children)


def _rust(statement: Node) -> Iterator[Node]:
    if not any(child.type == "visibility_modifier" for child in statement.children):
        return
    waiting = [at(statement, "argument")]
    while waiting:
        node = waiting.pop()
        if node is not None and node.type == "identifier":
            yield node
        elif node is not None and node.type == "use_list":
            waiting += reversed(node.named_children)
        elif node is not None and node.type in _NAMING:
            waiting.append(at(node, _NAMING[node.type]))


def _ecmascript(statement: Node) -> Iterator[Node]:
    if statement.child_by_field_name("source") is None:
        return
    for clause in statement.named_children:
        if clause.type == "namespace_export":  # `export * as name from`
            yield from clause.named_children
        if clause.type == "export_clause":
            names = (at(specifier, "alias", "name") for specifier in clause.named_children)
            yield from filter(None, names)


def _python_list(statement: Node) -> Iterator[Node]:
    """The strings of `__all__`."""
    right = at(statement, "right")
    if right is None or text_of(at(statement, "left")) != "__all__":
        return
    for string in right.named_children:
        if string.type == "string":
            yield from (part for part in string.children if part.type == "string_content")


def _python_import(statement: Node) -> Iterator[Node]:
    """`from parts import Request as Request`, which by convention passes the name on."""
    for imported in statement.named_children:
        alias = at(imported, "alias") if imported.type == "aliased_import" else None
        if alias is not None and text_of(at(imported, "name")) == text_of(alias):
            yield alias


_NAMES = {
    "use_declaration": _rust,
    "export_statement": _ecmascript,
    "assignment": _python_list,
    "augmented_assignment": _python_list,
    "import_from_statement": _python_import,
}
