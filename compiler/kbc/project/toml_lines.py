"""Finds the line of a key in a TOML file: tomllib gives values without positions, diagnostics need lines.

The scan knows just enough TOML: table headers, dotted and quoted keys at the start of a line, and
values that span lines (multi-line strings, arrays, inline tables). It is only used on files that tomllib
has accepted.
"""

from __future__ import annotations

import re

Key = tuple[str | int, ...]
"""Where a value stands: names of tables and keys, and 0-based indexes in arrays of tables."""


_BARE_OR_QUOTED = r'(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|\'[^\']*\')'
_DOTTED = rf"{_BARE_OR_QUOTED}(?:\s*\.\s*{_BARE_OR_QUOTED})*"
_TABLE = re.compile(rf"\s*(\[\[?)\s*({_DOTTED})\s*\]\]?")
_PAIR = re.compile(rf"\s*({_DOTTED})\s*=\s*(.*)", re.DOTALL)
_PART = re.compile(_BARE_OR_QUOTED)
_VALUE_TOKEN = re.compile(r'"""|\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|[\[\]{}]|#[^\n]*')


def key_lines(text: str) -> dict[Key, int]:
    """Maps each table and key of `text` to its 1-based line.

    Elements of an array of tables carry their 0-based index: `[[collection]]` number two's `name` is
    `("collection", 1, "name")`.
    """
    lines: dict[Key, int] = {}
    tables: dict[tuple[str, ...], int] = {}
    prefix: Key = ()
    source = text.splitlines(keepends=True)
    number = 0
    while number < len(source):
        line = source[number]
        start = number + 1
        number += 1
        table = _TABLE.match(line)
        if table:
            parts = _parts(table.group(2))
            if table.group(1) == "[[":
                index = tables.get(parts, -1) + 1
                tables[parts] = index
                prefix = (*parts, index)
                lines.setdefault(parts, start)
            else:
                prefix = parts
            lines.setdefault(prefix, start)
            continue
        pair = _PAIR.match(line)
        if pair:
            lines.setdefault((*prefix, *_parts(pair.group(1))), start)
            value = pair.group(2)
            while number < len(source) and _unfinished(value):
                value += source[number]
                number += 1
    return lines


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))


def _unfinished(value: str) -> bool:
    """Whether `value`, the text after `=`, still waits for a closing bracket or triple quote."""
    depth = 0
    position = 0
    while token := _VALUE_TOKEN.search(value, position):
        position = token.end()
        text = token.group()
        if text in ('"""', "'''"):
            end = value.find(text, position)
            if end < 0:
                return True
            position = end + 3
        elif text in "[{":
            depth += 1
        elif text in "]}":
            depth -= 1
    return depth > 0
