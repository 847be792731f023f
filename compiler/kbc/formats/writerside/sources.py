"""The part of a source file that `include-lines` and `include-symbol` ask for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import dedent

from kbc.formats.selection import line_numbers
from kbc.project.well_formed import comma_separated

_DECLARED = (
    r"(?:class|interface|object|fun|func|function|def|val|var|let|const|enum|struct|trait|type|typealias"
    r"|record|fn|module|namespace)"
)
_OPENING, _CLOSING = "([{", ")]}"
_TEXT = re.compile(r"\"\"\".*?\"\"\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|//[^\n]*")
_CONTINUES = re.compile(r"(?:[=+\-*/,.&|(<]|->|\b(?:by|in|is|as))\s*\Z")
_CONTINUED = re.compile(r"\s*(?:\.|\?\.|\?:|&&|\|\||[)\]}])")
_ANNOTATION = re.compile(r"\s*@\w")


def part(text: str, lines: str, symbols: str) -> str:
    """The lines, or the declarations named (separated by commas), without their common indentation; all of
    the file without either. Raises `ValueError` for lines and names that are not there."""
    rows = text.rstrip("\n").split("\n")
    if lines:
        chosen = [rows[number - 1] for number in line_numbers(lines, len(rows))]
        if not chosen:
            raise ValueError(f"the file has {len(rows)} lines, none of {lines!r}")
        return dedent("\n".join(chosen))
    if symbols:
        found = (declaration(rows, name) for name in comma_separated(symbols))
        return "\n\n".join(dedent("\n".join(each)) for each in found)
    return "\n".join(rows)


def declaration(rows: Sequence[str], name: str) -> list[str]:
    """The lines of the first declaration of `name` in a source file of any language, with its annotations:
    up to where its brackets are closed and its expression ends, in Python as far as it is indented.
    Raises `ValueError` without one."""
    plain = name.rpartition(".")[2]
    stated = re.compile(
        rf"^\s*(?:[\w@<>?.\[\]]+\s+)*?{_DECLARED}\s+(?:<[^>]*>\s*)?(?:[\w<>?, ]+\.)?`?{re.escape(plain)}\b"
    )
    untyped = re.compile(rf"^\s*(?:[\w<>\[\],.?]+\s+)+{re.escape(plain)}\s*(?:[(={{;]|$)")
    patterns = (stated, untyped)
    places = (at for pattern in patterns for at, row in enumerate(rows) if pattern.match(row))
    if (first := next(places, None)) is None:
        raise ValueError(f"the file has no {name!r}")
    last = _indented_end(rows, first) if _is_python(rows[first]) else _end(rows, first)
    while first and _ANNOTATION.match(rows[first - 1]):
        first -= 1
    return list(rows[first : last + 1])


def _is_python(row: str) -> bool:
    return re.match(r"\s*(?:async\s+)?(?:def|class)\b.*[:(,]\s*(?:#.*)?\Z", row) is not None


def _indented_end(rows: Sequence[str], first: int) -> int:
    margin = len(rows[first]) - len(rows[first].lstrip())
    last = first
    for at in range(first + 1, len(rows)):
        row = rows[at]
        if row.strip() and len(row) - len(row.lstrip()) <= margin and row.strip()[0] not in ")]}":
            break
        last = at if row.strip() else last
    return last


def _end(rows: Sequence[str], first: int) -> int:
    depth = 0
    was_open = False
    for at in range(first, len(rows)):
        code = _TEXT.sub(lambda found: " " * len(found[0]), rows[at])
        for sign in code:
            depth += (sign in _OPENING) - (sign in _CLOSING)
            was_open = was_open or sign == "{"
        following = rows[at + 1] if at + 1 < len(rows) else ""
        if depth > 0 or _CONTINUES.search(code.rstrip()):
            continue
        if _CONTINUED.match(following) and not following.strip().startswith(tuple(_CLOSING)):
            continue
        if not was_open and following.strip() == "{":
            continue
        return at
    return len(rows) - 1
