"""Rewrites syntax of newer Pythons than the one that runs, for modules of which signatures and docstrings are
read: a project may need a newer one than its documentation is compiled with."""

from __future__ import annotations

import re

from kbc.languages.grammars import text_of, tree

_VISIBLE = re.compile(rb"[^\n]")
_NOT_PLAIN = re.compile(rb"['\\\x80-\xff]")
_NAME = re.compile(r"\w+")
_DEFINITIONS = ("function_definition", "class_definition")


def rewritten(source: str) -> str:
    """The module, of the same lines, without type parameters (`def fly[K](kite: K)`), with aliases of types
    (`type Kites = list[Kite]`) as assignments, and with plain strings for formatted ones, which may hold
    their own quotation marks since Python 3.12."""
    data = bytearray(source.encode())
    root = tree(bytes(data), "python")
    waiting = [root] if root is not None else []
    while waiting:
        node = waiting.pop()
        start, end = node.start_byte, node.end_byte
        if node.type == "string" and any(each.type == "interpolation" for each in node.children):
            data[start:end] = b"'''%b'''" % _NOT_PLAIN.sub(b" ", data[start:end])[3:-3]
            continue
        if node.type == "type_parameter" and node.parent and node.parent.type in _DEFINITIONS:
            # What is behind it goes first: line ends may follow a parenthesis or colon.
            data[start : end + 1] = data[end : end + 1] + _VISIBLE.sub(b" ", data[start:end])
        elif node.type == "type_alias_statement":
            left = node.child_by_field_name("left")
            if left is not None and (name := _NAME.match(text_of(left))):
                data[start : left.end_byte] = name[0].encode().ljust(left.end_byte - start)
        waiting.extend(node.children)
    return data.decode()
