"""Pages of R's reference manuals as documents, with their sections in the order in which R shows them."""

from __future__ import annotations

import re

from kbc.formats import commonmark
from kbc.formats.document import Converted, DocumentProblem, FormatError, Read, decode
from kbc.formats.rd.blocks import code, written
from kbc.formats.rd.inline import inline, plain, typeset
from kbc.formats.rd.markup import Markup, RdMacro

_LATIN = re.compile(rb"^\\encoding\{\s*(?:latin-?1|iso-?8859-1)\s*\}", re.MULTILINE | re.IGNORECASE)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")

_SECTIONS = {
    "description": "", "usage": "Usage", "synopsis": "Synopsis", "arguments": "Arguments",
    "format": "Format", "details": "Details", "value": "Value", "section": "", "note": "Note",
    "author": "Author", "source": "Source", "references": "References", "seealso": "See also",
    "examples": "Examples",
}  # fmt: skip
"""Section -> its heading, in the order of R's own pages; `section` states its heading itself."""

_NAMED = frozenset({"arguments", "value"})
"""Sections whose items are called after R objects."""

_DEFINITIONS = frozenset({"newcommand", "renewcommand"})
"""What files in `man/macros` hold, which are no pages."""


def convert(path: str, data: bytes, read: Read) -> Converted:
    """The document of a page, without text for a file of macros; raises `FormatError` for other files
    that name no page."""
    text = data.decode("latin-1").replace("\r\n", "\n") if _LATIN.search(data) else decode(data)
    markup = Markup(text)
    stated: dict[str, list[RdMacro]] = {}
    for node in markup.nodes:
        if isinstance(node, RdMacro):
            stated.setdefault(node.name, []).append(node)
    if stated and stated.keys() <= _DEFINITIONS:
        return Converted(text="", format="rd")
    name = _first(stated, "name", "alias")
    title = _first(stated, "title") or name
    if not title:
        raise FormatError(
            r"the file has neither \name nor \title: it is not a page of R documentation"
        )
    shown = stated.get("title", [])
    heading = inline(shown[0].content) if shown else commonmark.escaped(title)
    blocks = [commonmark.heading(1, heading if heading.strip() else commonmark.escaped(title))]
    for section in _SECTIONS:
        blocks += _section(section, stated.get(section, []))
    problems = []
    if markup.problem:
        message = f"{markup.problem}; text around it may be missing"
        hint = "Fix the braces there; R's `tools::checkRd` checks the file."
        problem = DocumentProblem(code="rd-invalid", message=message, line=markup.line, hint=hint)
        problems.append(problem)
    return Converted(
        text=commonmark.document(commonmark.blocks(blocks)),
        format="rd",
        title=title,
        summary=_summary(stated.get("description", [])),
        index_names=_index_names(stated),
        problems=tuple(problems),
    )


def _first(stated: dict[str, list[RdMacro]], *names: str) -> str:
    """The text of the first of these sections that has one."""
    found = (typeset(each.content) for name in names for each in stated.get(name, ()))
    return next((text for text in found if text), "")


def _index_names(stated: dict[str, list[RdMacro]]) -> tuple[str, ...]:
    """What `help` of R finds the page under."""
    naming = (*stated.get("alias", ()), *stated.get("name", ()))
    return tuple(dict.fromkeys(filter(None, (plain(each.content).strip() for each in naming))))


def _section(name: str, macros: list[RdMacro]) -> list[list[str]]:
    """The blocks of all sections of a name; none for those that hold nothing."""
    if name == "section":
        return [block for macro in macros for block in _own(macro)]
    found: list[list[str]] = []
    heading = _SECTIONS[name]
    for macro in macros:
        if name in ("usage", "synopsis", "examples"):
            found.append(code(macro.content))
        else:
            found += written(macro.content, 3 if heading else 2, is_values=name in _NAMED)
    found = [each for each in found if each]
    return [commonmark.heading(2, heading), *found] if heading and found else found


def _own(macro: RdMacro) -> list[list[str]]:
    """The blocks of a section that states its heading."""
    title = inline(macro.arguments[0]) if macro.arguments else ""
    found = [block for each in macro.arguments[1:] for block in written(each, 3)]
    return [commonmark.heading(2, title), *found] if title.strip() and found else found


def _summary(macros: list[RdMacro]) -> str:
    """The first paragraph of the description."""
    for macro in macros:
        nodes: list[str | RdMacro] = []
        for node in macro.content:
            if isinstance(node, RdMacro) and node.name == "subsection":
                break
            text = node if isinstance(node, str) else ""
            parts = _BLANK_LINE.split(text.lstrip() if not nodes else text, maxsplit=1)
            nodes.append(parts[0] if isinstance(node, str) else node)
            if len(parts) > 1:
                break
        if shown := typeset(tuple(nodes)):
            return shown
    return ""
