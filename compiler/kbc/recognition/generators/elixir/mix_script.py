"""The values that a mix.exs states: literals, attributes, functions without arguments, wildcards of paths.

Nothing is run. An atom is its name as a text, a list a list, a tuple a tuple, and an entry of a keyword list
a pair of its key and its value; whatever has to be computed is None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from kbc.languages.grammars import parser, text_of

Wildcard = Callable[[str], list[str]]
"""Gives the paths of the files that a wildcard of Elixir stands for, sorted."""

_MAX_DEPTH = 60
_MAX_STEPS = 100_000
"""Nodes that are looked at in all: a few names can stand for more than any machine holds."""

_DEFINING = ("def", "defp")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "s": " ", "0": "\0"}


@dataclass(frozen=True, slots=True)
class Regex:
    """A sigil `~r`: its source as it is written, and its modifiers."""

    source: str
    modifiers: str = ""


def read_project(source: str, wildcard: Wildcard) -> dict[str, Any]:
    """What the function `project` gives, by its keys; empty for a program without one."""
    root = parser("elixir").parse(source.encode("utf-8", "surrogatepass")).root_node
    return keywords(_MixScript(root, wildcard).function("project"))


def keywords(value: Any) -> dict[str, Any]:
    """A keyword list as a mapping; of a key that is repeated, the first value counts, as in Elixir."""
    found: dict[str, Any] = {}
    for each in value if isinstance(value, list) else ():
        if isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], str):
            found.setdefault(each[0], each[1])
    return found


class _MixScript:
    def __init__(self, root: Any, wildcard: Wildcard) -> None:
        self._wildcard = wildcard
        self._functions: dict[str, Any] = {}
        self._attributes: dict[str, Any] = {}
        self._steps = 0
        for module in root.named_children:
            block = _child(module, "do_block") if _name(module) == "defmodule" else None
            for node in block.named_children if block is not None else ():
                self._take(node)

    def _take(self, node: Any) -> None:
        """A function without arguments or an attribute, by its name; the first of several counts."""
        arguments = _arguments(node)
        if (
            _name(node) in _DEFINING
            and arguments
            and not (_name(arguments[0]) and _arguments(arguments[0]))
        ):
            name = _name(arguments[0]) or text_of(arguments[0])
            stated = _pair_of(arguments[1], "do") if len(arguments) > 1 else None
            body = _child(node, "do_block") if stated is None else stated
            if body is not None:
                self._functions.setdefault(name, body)
        elif node.type == "unary_operator" and text_of(node).startswith("@"):
            call = node.named_children[0]
            if _name(call) and len(values := _arguments(call)) == 1:
                self._attributes.setdefault(_name(call), values[0])

    def function(self, name: str, depth: int = 0) -> Any:
        """What a function of the module gives that has no arguments."""
        return self._value(self._functions.get(name), depth + 1)

    def _value(self, node: Any, depth: int) -> Any:
        self._steps += 1
        if node is None or depth > _MAX_DEPTH or self._steps > _MAX_STEPS:
            return None
        kind = node.type
        if kind == "do_block":
            return self._value(node.named_children[-1] if node.named_children else None, depth + 1)
        if kind in ("string", "quoted_atom", "quoted_keyword"):
            return self._string(node, depth)
        if kind == "atom":
            return text_of(node)[1:]
        if kind == "alias":
            return text_of(node)
        if kind in ("boolean", "nil"):
            return {"true": True, "false": False}.get(text_of(node))
        if kind in ("list", "tuple"):
            values = list(self._items(node, depth))
            return values if kind == "list" else tuple(values)
        if kind == "keywords":
            return list(self._pairs(node, depth))
        if kind == "sigil":
            return self._sigil(node)
        if kind == "unary_operator":
            return self._unary(node, depth)
        if kind == "binary_operator":
            return self._binary(node, depth)
        return self._call(node, depth)

    def _items(self, node: Any, depth: int) -> Iterator[Any]:
        """The entries of a list or a tuple: keywords at the end are entries of a list, and one of a tuple."""
        for each in node.named_children:
            if each.type == "keywords" and node.type == "list":
                yield from self._pairs(each, depth + 1)
            elif each.type != "comment":
                yield self._value(each, depth + 1)

    def _pairs(self, node: Any, depth: int) -> Iterator[tuple[Any, Any]]:
        for pair in node.named_children:
            if pair.type == "pair" and len(pair.named_children) == 2:
                key, value = pair.named_children
                is_plain = key.type == "keyword"
                name = (
                    text_of(key).strip().removesuffix(":") if is_plain else self._value(key, depth)
                )
                yield name, self._value(value, depth + 1)

    def _string(self, node: Any, depth: int) -> str | None:
        parts: list[str] = []
        for each in node.named_children:
            if each.type == "interpolation":
                inner = self._value(next(iter(each.named_children), None), depth + 1)
                if not isinstance(inner, str):
                    return None
                parts.append(inner)
            else:
                text = text_of(each)
                is_escape = each.type == "escape_sequence"
                parts.append(_ESCAPES.get(text[1:], text[1:]) if is_escape else text)
        return "".join(parts)

    def _sigil(self, node: Any) -> Any:
        parts = [
            each
            for each in node.named_children
            if each.type in ("quoted_content", "escape_sequence")
        ]
        if any(each.type == "interpolation" for each in node.named_children):
            return None
        content = "".join(map(text_of, parts))
        name = text_of(_child(node, "sigil_name")).lower()
        if name == "r":
            return Regex(content.replace("\\/", "/"), text_of(_child(node, "sigil_modifiers")))
        return {"w": content.split(), "s": content}.get(name)

    def _unary(self, node: Any, depth: int) -> Any:
        """An attribute, or what a function of the module gives that is named (`&docs/0`)."""
        operand = node.named_children[0] if node.named_children else None
        text = text_of(node)
        if text.startswith("@") and operand is not None and operand.type == "identifier":
            return self._value(self._attributes.get(text_of(operand)), depth + 1)
        if named := re.fullmatch(r"&\s*(\w+)/0", text):
            return self.function(named[1], depth)
        return None

    def _binary(self, node: Any, depth: int) -> Any:
        left, right = (self._value(each, depth + 1) for each in node.named_children[:2])
        operator = text_of(node.child_by_field_name("operator"))
        if operator == "++":
            return [*_listed(left), *_listed(right)]
        if operator == "<>" and isinstance(left, str) and isinstance(right, str):
            return left + right
        return None

    def _call(self, node: Any, depth: int) -> Any:
        """A function of the module, or `Path.wildcard`."""
        if node.type == "identifier":
            return self.function(text_of(node), depth)
        arguments = _arguments(node)
        if _name(node) and not arguments:
            return self.function(_name(node), depth)
        target = node.child_by_field_name("target")
        if target is not None and text_of(target) == "Path.wildcard" and len(arguments) == 1:
            pattern = self._value(arguments[0], depth + 1)
            return self._wildcard(pattern) if isinstance(pattern, str) else None
        return None


def _listed(value: Any) -> list[Any]:
    """A part of a list: one that is not known is an entry that is not."""
    return value if isinstance(value, list) else [None]


def _child(node: Any, kind: str) -> Any:
    return next((each for each in node.named_children if each.type == kind), None)


def _name(node: Any) -> str:
    """The name of the function of a call; "" for other nodes, and for functions of other modules."""
    target = node.child_by_field_name("target") if node.type == "call" else None
    return text_of(target) if target is not None and target.type == "identifier" else ""


def _arguments(node: Any) -> list[Any]:
    found = _child(node, "arguments")
    return (
        [] if found is None else [each for each in found.named_children if each.type != "comment"]
    )


def _pair_of(node: Any, key: str) -> Any:
    """The value of a key among keywords; None without it."""
    for pair in node.named_children if node.type == "keywords" else ():
        if len(pair.named_children) == 2 and text_of(pair.named_children[0]).strip() == f"{key}:":
            return pair.named_children[1]
    return None
