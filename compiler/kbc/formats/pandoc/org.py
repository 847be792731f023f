"""Prepares Org text for pandoc, whose reader gives up on a few things that Org allows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

TAB = "\ue000"
"""Stands for a tab within a block, which pandoc would replace by blanks."""

BACKSLASH = "\ue001"
"""Stands for a backslash in text, which pandoc takes for markup and fails on when it is none."""

VERBATIM = re.compile(r"\s*#\+begin_(src|example|export|comment)\b", re.IGNORECASE)
_EXAMPLE = re.compile(r"(\s*#\+begin_example)\s+[^-+:\s].*", re.IGNORECASE)
_TERM = re.compile(r"(\s*[-+*]\s+)(\S.*?)(\s::(?:\s.*)?)\Z")
_BACKSLASH = re.compile(r"\\\\\s*\Z|\\\(.+?\\\)|\\\[.+?\\\]|\\[a-zA-Z]+|(?P<text>\\)")
_INDEX = re.compile(r"\s*#\+[a-z]?index:", re.IGNORECASE)
_MACRO = re.compile(r"\{\{\{(?P<name>[\w-]+)(?:\((?P<arguments>.{0,999}?)\))?\}\}\}")
_DEFINED = re.compile(
    r"^[ \t]*#\+macro:[ \t]*([\w-]+)[ \t]+(?!\(eval\b)(?!(?:.*\$){9})(.{1,300})$",
    re.IGNORECASE | re.MULTILINE,
)
"""The name of a macro, and what it says; longer ones would fill the memory where they are used often."""
_COMMA = re.compile(r"(?<!\\),")
_ARGUMENT = re.compile(r"\$([1-9])")
_OPEN_LINK = re.compile(r"\[\[[^\[\]]+\Z")
_BRACKET = re.compile(r"[\[\]]")
_NO_TEXT = re.compile(r"\*+\s|\s*(?:[-+]\s|\d+[.)]\s|#|\||:|\Z)")
"""How lines begin that end a paragraph."""

_MAX_LINK_LINES = 10
_HEADING_LINK = re.compile(r"\[\[\*([^\[\]]+)\]\]")


def prepared(text: str) -> str:
    """The same document: entries of an index left out, macros expanded, those that other files or programs
    define as their arguments, backslashes that are text as `BACKSLASH`, examples without the name of a
    language, links in one line, and those to headings with their names."""
    defined = {name.lower(): body.strip() for name, body in _DEFINED.findall(text)}
    lines: list[str] = []
    end = ""
    written = text.split("\n")
    at = 0
    while at < len(written):
        line = written[at]
        at += 1
        if end:
            if line.strip().lower() == end:
                end = ""
            line = line.replace("\t", TAB)
        elif block := VERBATIM.match(line):
            end = f"#+end_{block[1].lower()}"
            line = _EXAMPLE.sub(r"\1", line)
        else:
            if _INDEX.match(line):
                continue
            parts = [line]
            while _OPEN_LINK.search(parts[-1]) and (more := _link_end(written, at)):
                parts += [each.lstrip() for each in written[at : at + more]]
                at += more
            line = " ".join(parts)
            line = _HEADING_LINK.sub(r"[[*\1][\1]]", line)
            if "{{{" in line:
                line = _MACRO.sub(lambda match: _expanded(match, defined), line)
            if "\\" in line and (term := _TERM.match(line)):
                line = term[1] + term[2].replace("\\", BACKSLASH) + term[3]
            line = _BACKSLASH.sub(lambda match: BACKSLASH if match["text"] else match[0], line)
        lines.append(line)
    return "\n".join(lines)


def _link_end(lines: Sequence[str], at: int) -> int:
    """How many of the lines from `at` on belong to a link that the one before opens; 0 where it does not end
    in its paragraph."""
    for count, line in enumerate(lines[at : at + _MAX_LINK_LINES], start=1):
        if _NO_TEXT.match(line):
            return 0
        if found := _BRACKET.search(line):
            return count if found[0] == "]" else 0
    return 0


def _expanded(match: re.Match[str], defined: Mapping[str, str]) -> str:
    """What the definition of a macro says with its arguments, as Org writes it; pandoc knows no macros with a
    hyphen in their names."""
    stated = match["arguments"] or ""
    body = defined.get(match["name"].lower())
    if body is None:
        return stated.replace("\\,", ",").replace("\\", BACKSLASH)
    arguments = [each.replace("\\,", ",") for each in _COMMA.split(stated)]
    shown = _ARGUMENT.sub(lambda found: "".join(arguments[int(found[1]) - 1 :][:1]), body)
    return _MACRO.sub(lambda found: _expanded(found, {}), shown)
