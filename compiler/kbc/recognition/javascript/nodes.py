"""Nodes of the syntax of JavaScript, as texts, numbers and names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kbc.languages.grammars import text_of


def specifiers(clause: Any) -> Iterator[tuple[str, str]]:
    """The names of `{a, b as c}`: there, and here."""
    for each in clause.named_children:
        name = each.child_by_field_name("name")
        if name is not None:
            alias = each.child_by_field_name("alias")
            yield text_of(name), text_of(alias if alias is not None else name)


def required(node: Any) -> str:
    """The module of `require("./x")`; "" for anything else."""
    if node.type != "call_expression" or text_of(node.child_by_field_name("function")) != "require":
        return ""
    arguments = node.child_by_field_name("arguments")
    first = next(iter(arguments.named_children), None) if arguments is not None else None
    return string_or_empty(first)


def string_or_empty(node: Any) -> str:
    return string_of(node) if node is not None and node.type == "string" else ""


def operators(node: Any) -> set[str]:
    return {each.type for each in node.children if not each.is_named}


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


def string_of(node: Any) -> str:
    parts = []
    for each in node.named_children:
        text = text_of(each)
        parts.append(_ESCAPES.get(text[1:], text[1:]) if each.type == "escape_sequence" else text)
    return "".join(parts)


def number_of(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None
