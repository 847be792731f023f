"""Blocks of Rd as Markdown: paragraphs, lists, tables, code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

from kbc.formats import commonmark
from kbc.formats.rd.inline import inline, plain, selected, typeset
from kbc.formats.rd.markup import Nodes, RdMacro

_BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")
_LEADING = re.compile(r"\A(?:[ \t]*\n)+")
_UNWRAPPED = frozenset({"dontrun", "donttest", "dontdiff"})
_UNSEEN = frozenset({"dontshow", "testonly", "Sexpr"})
_BLOCKS = frozenset([
    "itemize", "enumerate", "describe", "tabular", "preformatted", "deqn", "section", "subsection",
    "item",
])  # fmt: skip
_CLASS = {
    "method": "## S3 method for class '{0}'\n",
    "S3method": "## S3 method for class '{0}'\n",
    "S4method": "## S4 method for signature '{0}'\n",
}
_NO_PARAGRAPH = re.compile(r"- |\d+\. |```|\||#")
"""How a block begins in front of which no text can stand."""

_SYNTACTIC = re.compile(r"[A-Za-z.][\w.]*(?:<-)?")


def code(nodes: Nodes) -> list[str]:
    """R code as a fenced block; what only runs, and is not shown, is left out."""
    return _fence(_source(nodes), "r")


def _fence(text: str, language: str = "") -> list[str]:
    """Code as it is written, without blank lines around it."""
    shown = _LEADING.sub("", text).rstrip()
    return commonmark.fence(shown, language) if shown else []


def _source(nodes: Nodes) -> str:
    return "".join(node if isinstance(node, str) else _source_of(node) for node in nodes)


def _source_of(macro: RdMacro) -> str:
    if macro.name in _UNSEEN:
        return ""
    if macro.name in _UNWRAPPED:
        return "".join(_source(argument) for argument in macro.arguments).strip("\n")
    if macro.name in _CLASS and len(macro.arguments) == 2:
        name, owner = (plain(argument).strip() for argument in macro.arguments)
        is_default = owner == "default" and macro.name != "S4method"
        said = "## Default S3 method:\n" if is_default else _CLASS[macro.name].format(owner)
        return said + (name if _SYNTACTIC.fullmatch(name) else f"`{name}`")
    return plain((macro,))


def written(nodes: Nodes, level: int, *, is_values: bool = False) -> list[list[str]]:
    """The blocks of nodes; `level` is that of headings in them. With `is_values`, the names of items are
    those of R objects."""
    found: list[list[str]] = []
    line: list[str | RdMacro] = []
    items: list[list[str]] = []

    def end_items() -> None:
        if items:
            found.append(commonmark.listed(items))
            items.clear()

    def end_line() -> None:
        if paragraphs := list(_paragraphs(tuple(line))):
            end_items()
            found.extend(paragraphs)
        line.clear()

    for node in _flat(nodes):
        if isinstance(node, str) or node.name not in _BLOCKS:
            line.append(node)
            continue
        end_line()
        if node.name == "item":
            items.append(_item(node, level, is_values))
        else:
            end_items()
            found.extend(_block(node, level))
    end_line()
    end_items()
    return [each for each in found if each]


def _flat(nodes: Nodes) -> Iterator[str | RdMacro]:
    """The nodes, with those that conditions leave and braces hold in their place."""
    for node in nodes:
        inner = None if isinstance(node, str) else selected(node)
        if inner is None:
            yield node
        else:
            yield from _flat(inner)


def _paragraphs(nodes: Nodes) -> Iterator[list[str]]:
    for text in _BLANK_LINES.split(inline(nodes)):
        if text.strip():
            yield commonmark.paragraph(text)


def _item(macro: RdMacro, level: int, is_values: bool) -> list[str]:
    """An item with a name: `- name: text`."""
    named = macro.arguments[0] if macro.arguments else ()
    body = written(tuple(node for each in macro.arguments[1:] for node in each), level)
    if is_values:
        names = (commonmark.code_span(each) for each in plain(named).split(","))
        name = ", ".join(each for each in names if each)
    else:
        shown = " ".join(inline(named).split())
        name = shown if not shown or shown[0] in "*`" else f"**{shown}**"
    if name and body and not _NO_PARAGRAPH.match(body[0][0]):
        body[0] = commonmark.labelled(name, body[0])
    elif name:
        body.insert(0, [name])
    return commonmark.indented(commonmark.blocks(body), "- ") if body else []


def _block(macro: RdMacro, level: int) -> list[list[str]]:
    if macro.name in ("itemize", "enumerate"):
        return [_list(macro, level)]
    if macro.name == "describe":
        return written(macro.content, level)
    if macro.name == "tabular":
        return [_table(macro)]
    if macro.name in ("section", "subsection"):
        title, *body = macro.arguments or ((),)
        heading = commonmark.heading(level, inline(title)) if typeset(title) else []
        return [heading, *(each for one in body for each in written(one, level + 1))]
    return [_fence(plain(macro.arguments[-1] if macro.arguments else ()))]


def _list(macro: RdMacro, level: int) -> list[str]:
    parts: list[list[str | RdMacro]] = [[]]
    for node in _flat(macro.content):
        if isinstance(node, RdMacro) and node.name == "item":
            parts.append([])
        else:
            parts[-1].append(node)
    before, *items = (commonmark.blocks(written(tuple(part), level)) for part in parts)
    marks = (f"{each}. " if macro.name == "enumerate" else "- " for each in count(1))
    shown = [each for each in map(commonmark.indented, items, marks) if each]
    return commonmark.blocks([before, commonmark.listed(shown)])


def _table(macro: RdMacro) -> list[str]:
    """A table; its first row is its header, which Rd does not tell from others."""
    rows: list[list[list[str | RdMacro]]] = [[[]]]
    for node in _flat(tuple(node for each in macro.arguments[1:] for node in each)):
        if isinstance(node, RdMacro) and node.name == "tab":
            rows[-1].append([])
        elif isinstance(node, RdMacro) and node.name == "cr":
            rows.append([[]])
        else:
            rows[-1][-1].append(node)
    cells = [[" ".join(inline(tuple(cell)).split()) for cell in row] for row in rows]
    header, *others = [row for row in cells if any(row)] or [[]]
    return commonmark.table(header, others)
