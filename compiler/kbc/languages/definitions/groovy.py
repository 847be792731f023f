"""Definitions of Groovy, whose grammar has commands alone: words, the last of which may have a block."""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from kb_runtime.store.symbols import MEMBER_HOLDERS
from kbc.languages.definitions.rules import NOTHING, Definition, Reader
from kbc.languages.definitions.tree import NodeNames, at

_TYPES: Mapping[str, str] = {
    "@interface": "interface", "class": "class", "enum": "enum", "interface": "interface",
    "record": "struct", "trait": "trait",
}  # fmt: skip
_BEFORE_NAME = frozenset({
    "abstract", "boolean", "byte", "char", "def", "default", "double", "final", "float", "int", "long",
    "private", "protected", "public", "short", "static", "synchronized", "void",
})  # fmt: skip
"""What stands in front of the name of a function, besides types."""
_MOST_WORDS = 12
"""Words of a head that are looked at."""


def command(names: NodeNames, node: Node, holder: str) -> Definition:
    """`class Tank extends Base {`, `Type fill(int by) {`, and the constructor `Tank(int by) {` in a type.
    What has no block is a call, except in an interface."""
    block = at(node, "$")
    has_block = block is not None and block.type == "block"
    words = [each for each in node.named_children[:_MOST_WORDS] if each.type == "unit"]
    if has_block and (last := at(block, ":unit")) is not None:
        words.append(last)
    before = ""
    for place, word in enumerate(words):
        function = at(word, ":func")
        if function is not None:
            is_member = has_block or holder == "interface"
            return _function(names, function, before, holder) if is_member else NOTHING
        if before in _TYPES and has_block:
            return _TYPES[before], names.text(at(word, ":generics_class/^", ":identifier"))
        if before == "task" and place == 1 and has_block:
            return "block", names.text(word)
        before = names.text(word)
    return NOTHING


def is_annotation(node: Node) -> bool:
    """Whether a command consists of annotations, which belong to the one below."""
    is_command = node.type == "command"
    return is_command and all(each.type == "decorate" for each in node.named_children)


def _function(names: NodeNames, function: Node, before: str, holder: str) -> Definition:
    name = at(function, "^")
    if name is None or name.type != "identifier":
        return NOTHING
    text = names.text(name)
    if before == "task":
        return "block", text
    if not before:
        is_constructor = holder in MEMBER_HOLDERS and text[:1].isupper()
        return ("method", text) if is_constructor else NOTHING
    is_type = before.endswith(("]", ">")) or before.rpartition(".")[2][:1].isupper()
    return ("function", text) if is_type or before in _BEFORE_NAME else NOTHING


GROOVY: Mapping[str, Reader] = {"command": command, "end_command": command}
