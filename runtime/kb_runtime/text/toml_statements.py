"""Where the statements of a TOML text begin and end: `tomllib` gives values without positions, while edits
and diagnostics need them."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from typing import Any

_TOKEN = re.compile(
    r'"""(?s:\\.|.)*?"""(?:"{1,2}(?!"))?'
    r"|'''(?s:.)*?'''(?:'{1,2}(?!'))?"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|\n|[\[\]{}=]|[^\"'\#\n\[\]{}=]+"
)
"""Strings, comments, line ends, brackets and the equals sign; everything else in one piece."""


def basic_string(text: str) -> str:
    """`text` as TOML writes it: JSON's escapes, and DEL, which TOML wants escaped, too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


@dataclass(frozen=True, slots=True)
class Statement:
    """A header, a pair, or neither (a comment, a blank line) at `text[start:end]`, line end included.

    `path` is the full path of a table or key, empty for neither; `is_array` tells the header of an array
    of tables. The value of a pair is at
    `text[value_start:value_end]`.
    """

    start: int
    end: int
    path: tuple[str, ...]
    is_header: bool
    is_array: bool = False
    value_start: int = -1
    value_end: int = -1


def scan(text: str) -> list[Statement]:
    """The statements of a valid TOML text, in order; together they are the whole text."""
    found: list[Statement] = []
    table: tuple[str, ...] = ()
    start = 0
    while start < len(text):
        end, equals, value_end = _extent(text, start)
        line = text[start:end].strip()
        if line.startswith("["):
            table = _path(tomllib.loads(line))
            found.append(Statement(start, end, table, True, line.startswith("[[")))
        elif equals >= 0:
            key = _path(tomllib.loads(text[start:equals].strip() + " = 0"))
            value_start = equals + 1
            while text[value_start] in " \t":
                value_start += 1
            found.append(Statement(start, end, table + key, False, False, value_start, value_end))
        else:
            found.append(Statement(start, end, (), False))
        start = end
    return found


def _extent(text: str, start: int) -> tuple[int, int, int]:
    """Where the statement at `start` ends (line end included), where its equals sign is (-1: none),
    and where what stands before its comment and line end ends."""
    depth = 0
    equals = -1
    meaningful = at = start
    while at < len(text):
        match = _TOKEN.match(text, at)
        assert match is not None, "the text was valid TOML"
        token = match[0]
        at = match.end()
        if token == "\n" and depth == 0:
            break
        if token in ("[", "{"):
            depth += 1
        elif token in ("]", "}"):
            depth -= 1
        elif token == "=" and depth == 0 and equals < 0:
            equals = match.start()
        if not token.startswith("#"):
            meaningful = match.start() + len(token.rstrip())
    return at, equals, meaningful


def _path(document: Any) -> tuple[str, ...]:
    """The keys of a document that has just one at each level."""
    path: list[str] = []
    while isinstance(document, dict) and document:
        ((key, document),) = document.items()
        path.append(key)
        if isinstance(document, list):
            document = document[0]
    return tuple(path)
