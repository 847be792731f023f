"""Definitions of Tcl, where all but procedures are commands like any other."""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from kbc.languages.definitions.rules import NOTHING, Definition, Reader, Rule
from kbc.languages.definitions.tree import NodeNames, at

_CLASSES = frozenset({
    "class", "itcl::class", "oo::abstract", "oo::class", "oo::singleton", "snit::type", "snit::widget",
    "snit::widgetadaptor",
})  # fmt: skip
_NAMELESS = frozenset({"constructor", "destructor"})
_MEMBERS = _NAMELESS | {"classmethod", "method", "proc", "typemethod"}


def command(names: NodeNames, node: Node, holder: str) -> Definition:
    """`oo::class create Name { ... }`, `itcl::class Name { ... }`, and `method name {...} {...}` in one."""
    defining = names.text(at(node, "name")).lstrip(":")
    given = at(node, "arguments")
    words = given.named_children if given is not None else []
    if defining in _MEMBERS and holder == "class":
        is_named = defining not in _NAMELESS
        return "method", names.text(words[0]) if is_named and words else defining
    if defining not in _CLASSES or len(words) < 2:
        return NOTHING
    return "class", names.text(words[1] if names.text(words[0]) == "create" else words[0])


def namespace(names: NodeNames, node: Node, holder: str) -> Definition:
    """`namespace eval name { ... }`"""
    words = at(node, ":word_list")
    given = words.named_children if words is not None else []
    is_block = len(given) > 2 and names.text(given[0]) == "eval"
    return ("module", names.text(given[1])) if is_block else NOTHING


TCL: Mapping[str, Reader] = {
    "command": command,
    "namespace": namespace,
    "procedure": Rule(kind="function", name=("name",)),
}
