"""Recognises man pages, and prepares them for pandoc, which writes the word TABLE for tables whose format it
does not know."""

from __future__ import annotations

import re

START_BYTES = 20_000
_ROFF = re.compile(rb"^[.'](?:TH|SH|Dd|Dt)\b", re.MULTILINE)
_TABLE = re.compile(r"^([.']TS\b.*\n)((?:(?![.']T[SE]\b).*\n)*)(?=[.']TE\b)", re.MULTILINE)
_COMMENT = re.compile(r"^[.']?[ \t]*\\[\"#].*\n", re.MULTILINE)
_OPTIONS = re.compile(r"\s*[a-zA-Z][^;\n]*(?:\(;\)[^;\n]*)?;[ \t]*\n")
_SEPARATOR = re.compile(r"\btab[ \t]*\((.)\)", re.IGNORECASE)
_FORMAT = re.compile(r"(?:.*\n)*?.*\.[ \t]*\n")
_CHANGE = re.compile(r"^[.']T&.*\n(?:(?![.']T&).*\n)*?.*\.[ \t]*\n", re.MULTILINE)


def is_man_page(data: bytes) -> bool:
    """Whether a file begins as a man page: other files, such as libraries, have such endings as well."""
    return _ROFF.search(data, 0, START_BYTES) is not None


def prepared(text: str) -> str:
    """The same document, its tables with nothing but the number of their columns as their format: the
    writer uses neither alignment nor rules, and of spans only the cells."""
    return _TABLE.sub(_plain, text)


def _plain(table: re.Match[str]) -> str:
    body = _COMMENT.sub("", table[2])
    options = _OPTIONS.match(body)
    format = _FORMAT.match(body, options.end() if options else 0)
    if format is None:
        return table[0]
    named = _SEPARATOR.search(options[0]) if options else None
    separator = named[1] if named else "\t"
    data, columns = _rows(_CHANGE.sub("", body[format.end() :]), separator)
    return f"{table[1]}tab({separator});\n{' '.join('l' * columns)}.\n{data}"


def _rows(data: str, separator: str) -> tuple[str, int]:
    """`data` without rules, except the one below the first row, which makes it the header; and how many
    columns it has."""
    kept: list[str] = []
    columns = cells = 1
    rows = 0
    in_block = False
    for line in data.splitlines(keepends=True):
        if not in_block and line.strip() in ("_", "=") and rows != 1:
            continue
        kept.append(line)
        if in_block and not line.startswith("T}"):
            continue
        cells += line.count(separator)
        in_block = line.rstrip().endswith("T{")
        if not in_block:
            columns, cells = max(columns, cells), 1
            rows += 1
    return "".join(kept), columns
