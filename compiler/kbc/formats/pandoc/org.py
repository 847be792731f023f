"""Prepares Org text for pandoc, whose reader gives up on a few things that Org allows."""

from __future__ import annotations

import re

TAB = "\ue000"
"""Stands for a tab within a block, which pandoc would replace by blanks."""

_BLOCK = re.compile(r"\s*#\+(begin|end)_\w+", re.IGNORECASE)
_TERM = re.compile(r"(\s*[-+*]\s+)(\S.*?)(\s::(?:\s.*)?)\Z")
_BACKSLASH = re.compile(r"\\(?!backslash\{)")
_INDEX = re.compile(r"\s*#\+[a-z]?index:", re.IGNORECASE)
_MACRO = re.compile(r"\{\{\{[\w-]+(?:\((.*?)\))?\}\}\}")
_DEFINED = re.compile(r"^[ \t]*#\+macro:\s*([\w-]+)", re.IGNORECASE | re.MULTILINE)


def prepared(text: str) -> str:
    """The same document: entries of an index left out, macros that other files define as their
    arguments, and backslashes in terms by name."""
    defined = {name.lower() for name in _DEFINED.findall(text)}
    lines: list[str] = []
    inside = False
    for line in text.split("\n"):
        if marker := _BLOCK.match(line):
            inside = marker[1].lower() == "begin"
        elif inside:
            line = line.replace("\t", TAB)
        else:
            if _INDEX.match(line):
                continue
            if "{{{" in line:
                line = _MACRO.sub(lambda match: _expanded(match, defined), line)
            if "\\" in line and (term := _TERM.match(line)):
                line = term[1] + _BACKSLASH.sub(r"\\backslash{}", term[2]) + term[3]
        lines.append(line)
    return "\n".join(lines)


def _expanded(match: re.Match[str], defined: set[str]) -> str:
    name = re.match(r"\{\{\{([\w-]+)", match[0])
    if name is None or name[1].lower() in defined:
        return match[0]
    return (match[1] or "").replace("\\,", ",").replace("\\", "\\backslash{}")
