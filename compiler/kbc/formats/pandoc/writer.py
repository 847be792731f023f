"""Writes pandoc's document tree as Markdown.

The tree is JSON: each node is `{"t": kind, "c": contents}`; see Text.Pandoc.Definition of pandoc-types 1.23.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from kbc.formats import commonmark

Written = list[str]
Node = dict[str, Any]
_DATE_FIELDS = ("date", "created", "dcterms:created", "dcterms:modified")

_PICTURE = re.compile(
    r"\[?(?:file:|https?:)\S+\.(?:svg|png|gif|jpe?g|webp)(?:\?[^\s\]]*)?(?:\]\(\S*\))?",
    re.IGNORECASE,
)
"""The address of a picture, or a link to it that says no more."""


class PandocWriter:
    """One document: `write` gives its text; `anchors` are those of its headings, then. The headings of Org
    (`is_org`) and of what `is_titled` all lie below the title, unless the first one repeats it; in other
    formats it may be the first of them. `title` is one that the tree does not have."""

    def __init__(
        self, tree: Node, *, is_org: bool = False, is_titled: bool = False, title: str = ""
    ) -> None:
        self._tree = tree
        self._is_org = is_org
        self._is_titled = is_titled or is_org
        self._contained = 0
        self._notes: list[Any] = []
        self.anchors: list[str] = []
        meta = tree.get("meta", {})
        self.title = title or self._meta(meta.get("title"))
        if self._is_titled and not is_org and self.title == _first_heading(tree.get("blocks", [])):
            self._is_titled = False
        self.author = self._meta(meta.get("author", meta.get("creator")))
        dates = (self._meta(meta.get(name)) for name in _DATE_FIELDS)
        self.created_at = next(filter(None, dates), "")
        self.summary = self._meta(meta.get("abstract", meta.get("description")))

    def write(self) -> str:
        body = self._blocks(self._tree.get("blocks", []))
        has_title = re.match(r"# ", body[0]) if body else None
        if self.title and not has_title:
            self.anchors.insert(0, "")
            body = commonmark.blocks([commonmark.heading(1, commonmark.escaped(self.title)), body])
        elif not self.title and has_title:
            self.title = next((line[2:] for line in body if line.startswith("# ")), "")
        notes: list[Written] = []
        number = 0
        while number < len(self._notes):  # a note may hold further ones
            lines = self._blocks(self._notes[number])
            number += 1
            notes.append([f"\\[{number}\\] {lines[0]}", *lines[1:]] if lines else [])
        return commonmark.document(commonmark.blocks([body, *notes]))

    def _meta(self, value: Any) -> str:
        """A field of the metadata on one line, its markup taken off."""
        if not isinstance(value, dict):
            return ""
        content: Any = value.get("c")
        if value.get("t") == "MetaList":
            return ", ".join(filter(None, map(self._meta, content)))
        if value.get("t") == "MetaMap":
            return self._meta(content.get("name", content.get("text", content.get("title"))))
        if value.get("t") == "MetaString":
            return str(content)
        if value.get("t") in ("MetaInlines", "MetaBlocks"):
            return " ".join("".join(_texts(content)).split())
        return ""

    def _blocks(self, nodes: Sequence[Node]) -> Written:
        parts: list[Written] = []
        bullet = "-"
        previous = ""
        for node in nodes:
            kind = node["t"]
            if kind == "BulletList":
                bullet = "*" if previous == "BulletList" and bullet == "-" else "-"
                items = map(self._inner, node["c"])
                parts.append(commonmark.itemised(items, bullet=bullet))
            else:
                write = _BLOCKS.get(kind)
                parts.append(write(self, node.get("c")) if write else [])
            previous = kind if parts[-1] else previous
        return commonmark.blocks(parts)

    def _inlines(self, nodes: Sequence[Node]) -> str:
        text = ""
        for node in _with_identifiers(nodes) if self._is_org else nodes:
            written = self._inline(node)
            if node["t"] == "Subscript" and written.startswith("_") and not text[-1:].isalnum():
                written = f"\\{written}"  # would begin emphasis
            text += written
        return text

    def _inline(self, node: Node) -> str:
        kind = node["t"]
        content: Any = node.get("c")
        if kind == "Str":
            return commonmark.escaped(content)
        if kind in ("Space", "SoftBreak"):
            return " " if kind == "Space" else "\n"
        if kind == "LineBreak":
            return "\\\n"
        if kind in ("Code", "Math"):
            return commonmark.code_span(content[1])
        if kind in ("Image", "Span", "Cite"):
            return self._inlines(content[1])
        if kind in ("Emph", "Strong"):
            return commonmark.marked(self._inlines(content), "*" if kind == "Emph" else "**")
        if kind == "Quoted":
            marks = "‘’" if content[0]["t"] == "SingleQuote" else "“”"
            return f"{marks[0]}{self._inlines(content[1])}{marks[1]}"
        if kind == "Link":
            text, target = self._inlines(content[1]), content[2][0]
            if self._is_org and text != target and (not text or _PICTURE.fullmatch(text)):
                return ""  # a badge: a picture that leads somewhere
            is_page = not target.startswith(("#", "data:"))
            return commonmark.link(text.replace("\n", " "), target) if target and is_page else text
        if kind == "Note":
            self._notes.append(content)
            return f"\\[{len(self._notes)}\\]"
        if kind == "RawInline":  # Org takes the parts of C:\Users for TeX
            return commonmark.escaped(content[1]) if content[0] == "latex" else ""
        if kind == "Superscript":
            return f"^{self._inlines(content)}"
        if kind == "Subscript":  # `k_i`, `k_(i+1)`; but `H2O`, as it is typed
            text = self._inlines(content)
            return text if text.isdigit() else f"_{text}" if text.isalnum() else f"_({text})"
        return self._inlines(content) if isinstance(content, list) else ""

    def _paragraph(self, content: Sequence[Node]) -> Written:
        if {node["t"] for node in content} == {"Code", "LineBreak"}:  # code in a Word document
            lines = ("\n" if node["t"] == "LineBreak" else node["c"][1] for node in content)
            return commonmark.fence("".join(lines), "")
        return commonmark.paragraph(self._inlines(content))

    def _header(self, content: list[Any]) -> Written:
        level, (id, _, _), inlines = content
        named = [each for each in inlines if not _is_tag(each)]
        text = " ".join(self._inlines(named).replace("\\\n", " ").split())
        if not text:
            return []
        if self._contained:
            return [f"**{text}**"]
        self.anchors.append(id)
        return commonmark.heading(level + 1 if self._is_titled and self.title else level, text)

    def _code(self, content: list[Any]) -> Written:
        (_, classes, attributes), code = content
        language = next((name for name in classes if name not in _NO_LANGUAGES), "")
        language = dict(attributes).get("org-language", language)  # as written: emacs-lisp
        return commonmark.fence(code, language)

    def _numbers(self, content: list[Any]) -> Written:
        (start, _, _), items = content
        return commonmark.itemised(map(self._inner, items), first=max(start, 0))

    def _definitions(self, content: list[Any]) -> Written:
        items = []
        for term, descriptions in content:
            head = [" ".join(commonmark.marked(self._inlines(term), "**").split())]
            bodies = [self._inner(description) for description in descriptions]
            items.append(commonmark.indented(commonmark.blocks([head, *bodies]), "- "))
        return commonmark.blocks(items)

    def _div(self, content: list[Any]) -> Written:
        (_, classes, _), nodes = content
        label = next((name for name in classes if name in _ADMONITIONS), "")
        if not label:
            return self._blocks(nodes)
        nodes = [each for each in nodes if not (each["t"] == "Div" and "title" in each["c"][0][1])]
        head = [f"**{label.capitalize()}**"]
        return commonmark.quote(commonmark.blocks([head, self._inner(nodes)]))

    def _inner(self, nodes: Sequence[Node]) -> Written:
        """Blocks in a container, whose headings are no sections."""
        self._contained += 1
        lines = self._blocks(nodes)
        self._contained -= 1
        return lines

    def _figure(self, content: list[Any]) -> Written:
        _, (_, caption), body = content
        images = [each for each in body if each["t"] == "Plain"]
        rest = [each for each in body if each not in images]
        return commonmark.blocks([self._blocks(caption or images), self._blocks(rest)])

    def _lines(self, content: Sequence[Sequence[Node]]) -> Written:
        rows = [commonmark.paragraph(self._inlines(row)) for row in content]
        return commonmark.broken([row[0] for row in rows if row])

    def _table(self, content: list[Any]) -> Written:
        _, caption, columns, head, bodies, foot = content
        title = self._blocks(caption[1])
        header = _rows(head[1], len(columns))
        parts = [*([*body[2], *body[3]] for body in bodies), foot[1]]
        rows = [row for part in parts for row in _rows(part, len(columns))]
        self._contained += 1
        names = [self._cell(cell) for cell in header[-1]] if header else []
        if all(_is_simple(cell) for row in [*header, *rows] for cell in row):
            cells = [[self._cell(cell) for cell in row] for row in rows]
            lines = commonmark.table(names or [""] * len(columns), cells)
        else:
            lines = commonmark.listed_rows(names, (map(self._blocks, row) for row in rows))
        self._contained -= 1
        return commonmark.blocks([title, lines])

    def _cell(self, nodes: Sequence[Node]) -> str:
        """The text of a cell; paragraphs and items on lines of their own."""
        lines = []
        for node in nodes:
            if node["t"] in _LISTS:
                lines += [f"- {self._cell(item)}" for item in _items(node)]
            else:
                lines.append(" ".join(line.removesuffix("\\") for line in self._blocks([node])))
        return "\n".join(lines)


_ADMONITIONS = frozenset(["note", "tip", "important", "warning", "caution", "danger"])
_FLAT = frozenset(["Plain", "Para", "Null", "LineBlock", "Header", "RawBlock"])
_LISTS = frozenset(["BulletList", "OrderedList"])
_NO_LANGUAGES = frozenset(["numberLines", "example", "sourceCode"])
_BLOCKS: dict[str, Callable[[PandocWriter, Any], Written]] = {
    "Plain": PandocWriter._paragraph,
    "Para": PandocWriter._paragraph,
    "LineBlock": PandocWriter._lines,
    "CodeBlock": PandocWriter._code,
    "BlockQuote": lambda writer, content: commonmark.quote(writer._inner(content)),
    "OrderedList": PandocWriter._numbers,
    "DefinitionList": PandocWriter._definitions,
    "Header": PandocWriter._header,
    "HorizontalRule": lambda writer, content: ["***"],
    "Table": PandocWriter._table,
    "Figure": PandocWriter._figure,
    "Div": PandocWriter._div,
}


def _with_identifiers(nodes: Sequence[Node]) -> Iterator[Node]:
    """`nodes` of Org, for which `bar` in `foo_bar_baz` is a subscript, with such names as one text."""
    text = ""
    for node in nodes:
        inner = node["c"] if node["t"] == "Subscript" else ()
        if node["t"] == "Str":
            text += node["c"]
        elif inner and all(each["t"] == "Str" for each in inner):
            text += f"_{''.join(each['c'] for each in inner)}"
        else:
            if text:
                yield {"t": "Str", "c": text}
            text = ""
            yield node
    if text:
        yield {"t": "Str", "c": text}


def _is_tag(node: Node) -> bool:
    """Whether this is a tag behind a heading of Org."""
    return bool(node["t"] == "Span" and "tag" in node["c"][0][1] and node["c"][0][2])


def _rows(rows: Sequence[Any], columns: int) -> list[list[list[Node]]]:
    cells = (((blocks, width, height) for _, _, height, width, blocks in row) for _, row in rows)
    return commonmark.placed(cells, columns, [])


def _items(node: Node) -> Iterator[Sequence[Node]]:
    """The items of a list."""
    yield from node["c"] if node["t"] == "BulletList" else node["c"][1]


def _is_simple(cell: Sequence[Node]) -> bool:
    nested = (_items(node) if node["t"] in _LISTS else [[node]] for node in cell)
    return all(node["t"] in _FLAT for items in nested for item in items for node in item)


def _first_heading(nodes: Sequence[Node]) -> str:
    """The text of the first heading, which may stand in blocks around it."""
    for node in nodes:
        if node["t"] == "Header":
            return " ".join("".join(_texts(node["c"][2])).split())
        if node["t"] == "Div" and (found := _first_heading(node["c"][1])):
            return found
    return ""


def _texts(value: Any) -> Iterator[str]:
    """The plain text in a part of the tree."""
    if isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, dict):
        kind = value.get("t")
        if kind == "Str":
            yield value["c"]
        elif kind in ("Space", "SoftBreak", "LineBreak"):
            yield " "
        elif kind in ("Code", "Math"):
            yield value["c"][1]
        elif kind not in ("Note", "RawInline"):
            yield from _texts(value.get("c"))
            yield " " if kind in ("Para", "Plain") else ""
