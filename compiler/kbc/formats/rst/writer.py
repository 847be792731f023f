"""Writes a docutils document as Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from docutils import nodes

from kbc.formats import commonmark
from kbc.formats.rst import tables
from kbc.formats.rst.autodoc import beside, described
from kbc.formats.rst.context import Context
from kbc.formats.rst.directives import entry
from kbc.formats.rst.pep import author_and_date
from kbc.formats.rst.sphinx_directive import labelled

Lines = list[str]

_METADATA = {"author": "author", "authors": "author", "date": "created_at"}
_UNQUOTED = (
    nodes.bullet_list, nodes.enumerated_list, nodes.definition_list, nodes.literal_block,
    nodes.doctest_block, nodes.table, nodes.field_list, entry, labelled, described,
)  # fmt: skip
_MAY_BE_CODE = (nodes.paragraph, nodes.definition_list)
"""What docutils takes indented code for, that no `::` announces: `if x:` and a line below it are a term and
its definition."""

_OF_DIRECTIVE = re.compile(r"^[ \t]*\.\. [\w:-]+::", re.MULTILINE)
"""What no code has: it tells that what is indented is the text of a section such as `Example:`."""

_READ_ANYWAY = re.compile(
    r"Title (?:over|under)line too short|Substitution definition .* empty or invalid"
    r"|Duplicate substitution definition",
    re.DOTALL,
)
_OF_MODULE = frozenset(["function", "class", "exception", "data", "decorator"])


class RstWriter:
    """One document: `write` gives its text, and afterwards `title`, `author`, `created_at`, and the
    `anchors` of its headings are known. A part of a page has no sections, and what is indented in it is
    code, as people write it in docstrings."""

    def __init__(
        self, context: Context, document: nodes.document, *, is_part: bool = False
    ) -> None:
        self._context = context
        self._document = document
        self._depth = 0
        self._is_part = is_part
        # Containers around what is written: their headings are no sections.
        self._contained = int(is_part)
        self._owners: list[str] = []
        self.anchors: list[str] = []
        self.title = ""
        self.author, self.created_at = author_and_date(document.get("headers", {}))

    def write(self) -> str:
        children = list(self._document.children)
        for node in children:
            if isinstance(node, nodes.field_list):
                self._metadata(node)
                children.remove(node)
                break
            if not isinstance(node, (nodes.comment, nodes.target, nodes.substitution_definition)):
                break
        return commonmark.document(self.blocks(children))

    def _metadata(self, fields: nodes.field_list) -> None:
        for field in fields.findall(nodes.field):
            name = field[0].astext().strip().lower()
            if name in _METADATA:
                setattr(self, _METADATA[name], " ".join(field[1].astext().split()))

    def blocks(self, children: Sequence[nodes.Node]) -> Lines:
        """The lines of block nodes; inline ones among them are paragraphs."""
        parts: list[Lines] = []
        bullet = "-"
        previous: nodes.Node | None = None
        for is_loose, group in groupby(children, _is_inline):
            if is_loose:
                parts.append(commonmark.paragraph(self.inline(group)))
                continue
            for node in group:
                if isinstance(node, nodes.bullet_list):
                    same = isinstance(previous, nodes.bullet_list)
                    bullet = "*" if same and bullet == "-" else "-"
                    parts.append(commonmark.itemised(self._items(node), bullet=bullet))
                else:
                    parts.append(self.block(node))
                previous = node if parts[-1] else previous
        return commonmark.blocks(parts)

    def block(self, node: nodes.Node) -> Lines:
        for kind in type(node).__mro__:
            write = _BLOCKS.get(kind)
            if write is not None:
                return write(self, node)
        return self.blocks(node.children) if node.children else []

    def inline(self, children: Iterable[nodes.Node]) -> str:
        return "".join(map(self._inline, children))

    def _inline(self, node: nodes.Node) -> str:
        if isinstance(node, nodes.Text):
            return commonmark.escaped(node.astext())
        if isinstance(node, (nodes.literal, nodes.math)):
            return commonmark.code_span(node.astext())
        if isinstance(node, nodes.emphasis):
            return _wrapped(self.inline(node.children), "*")
        if isinstance(node, nodes.strong):
            return _wrapped(self.inline(node.children), "**")
        if isinstance(node, nodes.reference):
            address = str(node.get("refuri", ""))
            is_bare = "://" in address and node.astext() == address
            text = "" if is_bare else self.inline(node.children)
            return commonmark.link(text, address)
        if isinstance(node, nodes.inline) and node.get("label"):
            return self._reference(node)
        if isinstance(node, (nodes.footnote_reference, nodes.citation_reference)):
            return f"\\[{commonmark.escaped(node.astext())}\\]"
        if isinstance(node, nodes.superscript):
            return f"^{commonmark.escaped(node.astext())}"
        if isinstance(node, nodes.image):
            return commonmark.escaped(str(node.get("alt", "")))
        if isinstance(node, nodes.problematic):  # a reference that leads nowhere
            # Of the name of a name on another page docutils makes its source, which no page shows.
            raw = "" if node.astext().startswith(".. _") else node.astext()
            text = re.sub(r"\A[|`:]+|[|`]+_{0,2}\Z|_{1,2}\Z", "", raw)
            return commonmark.escaped(re.sub(r"\s*<[^<>]*>\Z", "", text))
        if isinstance(node, (nodes.raw, nodes.substitution_definition, nodes.system_message)):
            return ""
        return self.inline(node.children)

    def _reference(self, node: nodes.inline) -> str:
        """The text of a `ref`; where another page has its label, as a link."""
        label = nodes.fully_normalize_name(str(node["label"]))
        title, target = "", ""
        if label not in self._document.nameids:
            title, target = self._context.labelled(label)
        elif not node["titled"]:
            title = self._labelled_title(node, label)
        shown = node.astext() if node["titled"] else title or node.astext()
        return commonmark.link(commonmark.escaped(shown), target)

    def _labelled_title(self, node: nodes.inline, label: str) -> str:
        """The title of the section or figure that a `ref` without a text names."""
        target = self._document.nameids.get(label)
        found = self._document.ids.get(target) if target else None
        if isinstance(found, nodes.section):
            return found[0].astext()
        if found is not None and not isinstance(found, nodes.Titular):
            found = next(iter(found.findall(nodes.caption)), None)
        return (node if found is None else found).astext()

    def _section(self, node: nodes.section) -> Lines:
        title = next((child for child in node if isinstance(child, nodes.title)), None)
        rest = [child for child in node if child is not title]
        self._depth += 1
        head: Lines = []
        if title is not None:
            shown = [each for each in title.children if not _is_badge(each)] or title.children
            if not self.title:
                self.title = " ".join("".join(each.astext() for each in shown).split())
            head = self._heading(self._depth, self.inline(shown), _section_id(node))
        body = self.blocks(rest)
        self._depth -= 1
        return commonmark.blocks([head, body])

    def _heading(self, level: int, text: str, anchor: str) -> Lines:
        if self._contained:
            return [f"**{' '.join(text.split())}**"] if text.strip() else []
        self.anchors.append(anchor)
        return commonmark.heading(level, text)

    def _entry(self, node: entry) -> Lines:
        signatures: list[str] = node["signatures"]
        if not signatures:
            return self.blocks(node.children)
        names = [self._qualified(signature, node) for signature in signatures]
        self._depth += 1
        first, *rest = map(commonmark.code_span, names)
        head = self._heading(self._depth, first, self._anchor(names[0], node))
        others = commonmark.broken(rest)
        self._owners.append(_bare(signatures[0]) if node["owner"] else "")
        body = self.blocks(node.children)
        self._owners.pop()
        self._depth -= 1
        return commonmark.blocks([head, others, body])

    def _qualified(self, signature: str, node: entry) -> str:
        """`get(key)` of the class `Cache` is `Cache.get(key)`; what a module holds is named with it."""
        owner = next((name for name in reversed(self._owners) if name), "")
        if node["kind"] in _OF_MODULE and node["module"] and not owner:
            signature = f"{node['module']}.{signature.removeprefix(node['module'] + '.')}"
        if node["kind"] in ("class", "exception"):
            return f"{node['kind']} {signature}"
        if node["kind"] == "decorator" and not signature.startswith("@"):
            return f"@{signature}"
        return f"{owner}.{signature}" if owner and "." not in _bare(signature) else signature

    def _anchor(self, signature: str, node: entry) -> str:
        if prefix := node["prefix"]:
            name = re.split(r"[\s=\[,]", signature)[0]
            owner = f"{node['program']}-" if node["program"] and prefix == "cmdoption" else ""
            return f"{prefix}-{owner}{name.lstrip('-')}".replace(" ", "-")
        name = _bare(signature)
        module = node["module"]
        return name if not module or name.startswith(f"{module}.") else f"{module}.{name}"

    def _described(self, node: described) -> Lines:
        lines, anchors = node["found"].lines(self._depth + 1, node["members"])
        if not self._contained:
            self.anchors += anchors
        return list(lines)

    def _beside(self, node: beside) -> Lines:
        self._depth += node["has_heading"]
        self._owners.append(node["owner"])
        lines = self.blocks(node.children)
        self._owners.pop()
        self._depth -= node["has_heading"]
        return lines

    def _labelled(self, node: labelled) -> Lines:
        label = self.inline(node.children[:1]).strip()
        body = self._inner(node.children[1:])
        lines = commonmark.blocks([[f"**{' '.join(label.split())}**"] if label else [], body])
        return commonmark.quote(lines) if node["style"] == "quote" else lines

    def _numbers(self, node: nodes.enumerated_list) -> Lines:
        return commonmark.itemised(self._items(node), first=int(node.get("start", 1)))

    def _items(self, node: nodes.Element) -> Iterator[Lines]:
        return (self._inner(item.children) for item in node.children)

    def _inner(self, children: Sequence[nodes.Node]) -> Lines:
        """Blocks in a container, whose headings are no sections."""
        self._contained += 1
        lines = self.blocks(children)
        self._contained -= 1
        return lines

    def _definitions(self, node: nodes.definition_list) -> Lines:
        """Items with the term in bold and its definition below."""
        items: list[Lines] = []
        for item in node.children:
            head = ", ".join(map(self._term, _children(item, nodes.term)))
            for each in _children(item, nodes.classifier):
                head += f" : {self.inline(each.children)}"
            rest = _children(item, nodes.definition)
            body = self._inner([child for each in rest for child in each.children])
            items.append(commonmark.indented(commonmark.blocks([[head], body]), "- "))
        return commonmark.blocks(items)

    def _line(self, node: nodes.Node) -> str:
        """The text in a node on one line."""
        return " ".join(self.inline(node.children).split())

    def _term(self, term: nodes.Node) -> str:
        return _wrapped(self._line(term), "**")

    def _fields(self, node: nodes.Element) -> Lines:
        found: Lines = []
        for field in node.children:
            name = self._term(field.children[0])
            body = self._inner(field.children[1].children) if len(field.children) > 1 else []
            lines = commonmark.blocks([[name], body])
            if body and "" not in body and not body[0].startswith(("`" * 3, "- ", "|")):
                lines = commonmark.labelled(name, body)
            found += commonmark.indented(lines, "- ")
        return found

    def _options(self, node: nodes.option_list) -> Lines:
        items = []
        for item in node.children:
            options = item.findall(nodes.option)
            names = ", ".join(commonmark.code_span(each.astext()) for each in options)
            body = self._inner(item.children[-1].children)
            items.append(commonmark.indented(commonmark.blocks([[names], body]), "- "))
        return commonmark.blocks(items)

    def _code(self, node: nodes.Element) -> Lines:
        language = "pycon" if isinstance(node, nodes.doctest_block) else ""
        if isinstance(node, nodes.literal_block):
            given = node.get("language")
            language = self._context.language if given is None else str(given)
            if given is None and node.astext().lstrip().startswith(">>> "):
                language = "pycon"
        return commonmark.fence(node.astext(), language)

    def _quote(self, node: nodes.Element) -> Lines:
        is_section = self._is_part and _OF_DIRECTIVE.search(node.rawsource) is not None
        may_be_code = any(isinstance(child, _MAY_BE_CODE) for child in node.children)
        if self._is_part and may_be_code and not is_section:
            return commonmark.fence(node.rawsource)
        lines = self._inner(node.children)
        if is_section:
            return lines
        plain = all(isinstance(child, _UNQUOTED) for child in node.children)
        return lines if plain else commonmark.quote(lines)

    def _paragraph(self, node: nodes.Element) -> Lines:
        return commonmark.paragraph(self.inline(node.children))

    def _lines(self, node: nodes.line_block) -> Lines:
        found: Lines = []
        for child in node.children:
            if isinstance(child, nodes.line_block):
                found.extend(line.removesuffix("\\") for line in self._lines(child))
            elif text := self._line(child):
                found.append(commonmark.paragraph(text)[0])
        return commonmark.broken(found)

    def _rubric(self, node: nodes.Element) -> Lines:
        text = self._line(node)
        return [f"**{text}**"] if text else []

    def _note(self, node: nodes.Element) -> Lines:
        """A footnote or citation."""
        labels = _children(node, nodes.label)
        label = labels[0].astext() if labels else ""
        body = self.blocks([child for child in node.children if child not in labels])
        return [f"\\[{commonmark.escaped(label)}\\] {body[0]}", *body[1:]] if body else []

    def _message(self, node: nodes.system_message) -> Lines:
        """What docutils could not read, as it is written; not what it read all the same, such as a title, and
        no definition, which no page shows."""
        if _READ_ANYWAY.match(node.children[0].astext() if node.children else ""):
            return []
        return self.blocks(_children(node, nodes.literal_block)[:1])

    def _table(self, node: nodes.table) -> Lines:
        self._contained += 1
        lines = tables.write(node, self.blocks, self._line)
        self._contained -= 1
        return lines


_BLOCKS: dict[type, Callable[[RstWriter, Any], Lines]] = {
    nodes.section: RstWriter._section,
    entry: RstWriter._entry,
    labelled: RstWriter._labelled,
    beside: RstWriter._beside,
    described: RstWriter._described,
    nodes.paragraph: RstWriter._paragraph,
    nodes.caption: RstWriter._paragraph,
    nodes.attribution: RstWriter._paragraph,
    nodes.title: RstWriter._rubric,
    nodes.rubric: RstWriter._rubric,
    nodes.enumerated_list: RstWriter._numbers,
    nodes.definition_list: RstWriter._definitions,
    nodes.field_list: RstWriter._fields,
    nodes.option_list: RstWriter._options,
    nodes.literal_block: RstWriter._code,
    nodes.doctest_block: RstWriter._code,
    nodes.block_quote: RstWriter._quote,
    nodes.line_block: RstWriter._lines,
    nodes.footnote: RstWriter._note,
    nodes.citation: RstWriter._note,
    nodes.system_message: RstWriter._message,
    nodes.image: lambda writer, node: commonmark.paragraph(writer._inline(node)),
    nodes.table: RstWriter._table,
    nodes.transition: lambda writer, node: ["***"],
    **dict.fromkeys((nodes.Invisible, nodes.target, nodes.raw), lambda writer, node: []),
}


def _is_inline(node: nodes.Node) -> bool:
    is_inline = isinstance(node, (nodes.Text, nodes.Inline))
    return is_inline and not isinstance(node, nodes.target)


def _children(node: nodes.Node, kind: type[nodes.Element]) -> list[nodes.Node]:
    return [each for each in node.children if isinstance(each, kind)]


def _is_badge(node: nodes.Node) -> bool:
    """Whether this is an image, or a link around one."""
    shown = node.children if isinstance(node, nodes.reference) else [node]
    return all(isinstance(each, nodes.image) for each in shown)


def _section_id(node: nodes.section) -> str:
    """The id that the title of a section gives it, also where a label of the same name took it first."""
    ids: list[str] = node["ids"]
    stated = nodes.make_id(node[0].astext()) if len(node) else ""
    return stated if stated in ids else next(iter(ids), "")


def _wrapped(text: str, mark: str) -> str:
    return text if "``" in text else commonmark.marked(text, mark)


def _bare(signature: str) -> str:
    """The name in a signature: `class json.JSONEncoder(*, ...)` -> `json.JSONEncoder`."""
    text = re.sub(r"\A(?:(?:class|exception|async|static)\s+|@)+", "", signature)
    match = re.search(r"([\w.$:]+)\s*(?:\(|\[|$|:|=)", text)
    return match[1] if match else re.split(r"[\s(]", text)[0]
