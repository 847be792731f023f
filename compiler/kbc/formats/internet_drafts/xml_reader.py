"""RFCs and Internet-Drafts in XML (RFC 7991, and its predecessor of RFC 7749) as Markdown."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from textwrap import dedent

from lxml import etree

from kbc.formats import commonmark
from kbc.formats.document import Converted, FormatError, Problems, Read
from kbc.formats.internet_drafts.elements import children, elements, first, prepared
from kbc.formats.internet_drafts.references import CitedDocument, Targets, address_of, listed
from kbc.formats.xml import local_name, parsed, plain_text
from kbc.languages.anchors import slug
from kbc.languages.includes.files import not_included
from kbc.project.source_file import decode_any, resolved_path

MAX_DEPTH = 40

_LABEL = re.compile(r"reference\.(?P<label>(?:RFC|I-D|BCP|STD|W3C|IEEE)[\w.-]*?)(?:\.xml)?\Z")

_CODE = frozenset(["artwork", "sourcecode"])
_MARKS = {"em": "*", "strong": "**", "bcp14": "", "sub": "", "sup": "", "u": ""}
_NO_TEXT = frozenset(["iref", "cref", "name", "title", "include", "feedback"])
_LEAD = frozenset(["abstract", "note"])
_NAMED = frozenset(["section", "figure", "table", "texttable", "t", "dt", "note", "li"])
"""What references name by its anchor."""


def convert(path: str, data: bytes, read: Read) -> Converted:
    """The document of a file; raises `FormatError` for XML that is no document of the IETF."""
    root = parsed(prepared(decode_any(data)).encode(), "the file")
    if local_name(root) != "rfc":
        raise FormatError("the file is not an RFC or Internet-Draft: its root element is not `rfc`")
    return _Draft(root, path, read).document()


class _Draft:
    """Reads one document; `anchors` are those of its headings in order, as xml2rfc gives them."""

    def __init__(self, root: etree._Element, path: str, read: Read) -> None:
        self._root, self._path, self._read = root, path, read
        self._anchors: list[str] = []
        self._named: dict[str, int] = {}
        self._problems = Problems()
        self._targets = Targets({}, {})
        self._lists = [(each, self._references(each)) for each in elements(root, "references")]
        stated = {name: each for _, found in self._lists for name, each in found.items()}
        named = (each for each in root.iter() if local_name(each) in _NAMED and each.get("anchor"))
        own = {str(each.get("anchor")): commonmark.escaped(self._title_of(each)) for each in named}
        for index, each in enumerate(elements(root, "figure"), start=1):
            if (anchor := each.get("anchor")) and not own[anchor]:
                own[anchor] = f"Figure {index}"
        self._targets = Targets(own, stated)

    def document(self) -> Converted:
        front = first(self._root, "front")
        title = plain_text(first(front, "title"))
        name = self._root.get("docName", "")
        number = self._root.get("number", "")
        blocks: list[list[str]] = []
        if title:
            blocks.append(self._heading(1, commonmark.escaped(title), ""))
        summary = ""
        for each in children(front):
            if local_name(each) in _LEAD:
                own = commonmark.escaped(self._title_of(each) or local_name(each).capitalize())
                inner = self._blocks(each)
                blocks += [self._heading(2, own, each.get("anchor", "")), *inner]
                if local_name(each) == "abstract" and inner:
                    summary = _plain(inner[0])
        for part in ("middle", "back"):
            for each in children(first(self._root, part)):
                blocks += self._block(each, 2)
        targets = [each for each in (*self._targets.own, *self._targets.references) if each]
        return Converted(
            text=commonmark.document(commonmark.blocks(blocks)),
            format="rfcxml",
            title=title,
            summary=summary,
            author=", ".join(filter(None, _authors(front))),
            url=f"https://www.rfc-editor.org/rfc/rfc{number}" if number else "",
            anchors=tuple(self._anchors),
            targets=tuple(dict.fromkeys(targets)),
            index_names=tuple(each for each in (f"RFC {number}" if number else "", name) if each),
            problems=tuple(self._problems),
        )

    def _heading(self, level: int, title: str, anchor: str) -> list[str]:
        own = anchor or f"name-{slug(title)}"
        count = self._named[own] = self._named.get(own, 0) + 1
        self._anchors.append(own if count == 1 else f"{own}-{count}")
        return commonmark.heading(level, title)

    def _title_of(self, element: etree._Element) -> str:
        return plain_text(first(element, "name")) or " ".join(element.get("title", "").split())

    # Blocks

    def _blocks(self, element: etree._Element, level: int = 3) -> list[list[str]]:
        """What is in an element: its blocks, with the text between them as paragraphs."""
        found: list[list[str]] = []
        inline: list[str] = [element.text or ""]
        marks = [self._escaped(inline.pop())]
        for child in children(element):
            if local_name(child) in _BLOCKS:
                found += _paragraph("".join(marks))
                marks = []
                found += self._block(child, level)
            elif local_name(child) == "vspace" and int(child.get("blankLines", "0") or 0) > 0:
                found += _paragraph("".join(marks))
                marks = []
            else:
                marks.append(self._inline(child))
            marks.append(self._escaped(child.tail or ""))
        return [each for each in (*found, *_paragraph("".join(marks))) if each]

    def _block(self, element: etree._Element, level: int) -> list[list[str]]:
        if sum(1 for _ in element.iterancestors()) > MAX_DEPTH:
            raise RecursionError
        name = local_name(element)
        if name in ("section", "references"):
            return self._section(element, level)
        if name in _CODE:
            return self._code(element)
        if name in ("figure", "table", "texttable", "artset"):
            return self._figure(element)
        if name in ("ul", "ol", "list", "dl"):
            return self._list(element)
        if name in ("blockquote", "aside"):
            return [commonmark.quote(commonmark.blocks(self._blocks(element)))]
        if name == "note":
            title = commonmark.escaped(self._title_of(element))
            return [[f"**{title}**"] if title else [], *self._blocks(element)]
        return [] if name in _NO_TEXT or name == "author" else self._blocks(element, level)

    def _section(self, element: etree._Element, level: int) -> list[list[str]]:
        is_list = local_name(element) == "references"
        title = commonmark.escaped(self._title_of(element) or ("References" if is_list else ""))
        blocks = [self._heading(level, title, element.get("anchor", ""))] if title else []
        if is_list:
            own = next((found for each, found in self._lists if each is element), {})
            blocks.append(listed(own))
        for child in children(element):
            if not is_list or local_name(child) == "references":
                blocks += self._block(child, level + 1)
        return [each for each in blocks if each]

    def _code(self, element: etree._Element) -> list[list[str]]:
        text = "".join(self._verbatim(element))
        source = element.get("src", "")
        if source and not text.strip() and not element.get("type", "").startswith(("svg", "image")):
            data = self._read(resolved_path(source, self._path) or "")
            if data is None:
                message = f"the code of {source!r} is not in the tree"
                self._problems.unresolved("sourcecode", message, element.sourceline or 0)
                return [[commonmark.escaped(not_included(source))]]
            text = decode_any(data)
        if not text.strip() or element.get("type") == "svg":
            return []
        lines = [line.rstrip() for line in text.expandtabs().split("\n")]
        code = dedent("\n".join(lines)).strip("\n")
        language = element.get("type", "") if local_name(element) == "sourcecode" else ""
        return [commonmark.fence(code, language)]

    def _verbatim(self, element: etree._Element) -> Iterator[str]:
        """The text of code, in which references may stand."""
        yield element.text or ""
        for child in children(element):
            target = child.get("target", "") if local_name(child) in ("xref", "relref") else ""
            if target and not plain_text(child):
                known = self._targets.references.get(target)
                yield f"[{known.shown}]" if known else self._targets.own.get(target) or target
            yield from self._verbatim(child)
            yield child.tail or ""

    def _figure(self, element: etree._Element) -> list[list[str]]:
        name = local_name(element)
        title = commonmark.escaped(self._title_of(element))
        if name == "artset":  # the same picture in several forms
            drawn = [self._code(each) for each in children(element, "artwork")]
            return next((each for each in reversed(drawn) if each), [])
        write = self._table if name in ("table", "texttable") else self._blocks
        return [*write(element), [f"*{title}*"] if title else []]

    def _table(self, element: etree._Element) -> list[list[str]]:
        if local_name(element) == "texttable":
            header = [self._line(each) for each in children(element, "ttcol")]
            cells = [self._line(each) for each in children(element, "c")]
            width = max(1, len(header))
            rows = [cells[start : start + width] for start in range(0, len(cells), width)]
            before, behind = (
                [block for each in children(element, name) for block in self._blocks(each)]
                for name in ("preamble", "postamble")
            )
            return [*before, commonmark.table(header, rows), *behind]
        head: list[list[str]] = []
        rows = []
        for row in elements(element, "tr"):
            parent = row.getparent()
            is_head = parent is not None and local_name(parent) == "thead"
            (head if is_head else rows).append([*map(self._line, children(row))])
        header = head[0] if head else [""] * max(map(len, rows), default=0)
        return [commonmark.table(header, [*head[1:], *rows])] if head or rows else []

    def _line(self, element: etree._Element) -> str:
        """The text of a cell or a term."""
        return "\n".join(" ".join(block) for block in self._blocks(element))

    def _list(self, element: etree._Element) -> list[list[str]]:
        name, style = local_name(element), element.get("style", "")
        if name == "dl":
            return [self._definitions(element)]
        items: list[list[str]] = []
        is_numbered = name == "ol" or style.startswith(("numbers", "letters", "format"))
        start = element.get("start", "1")
        number = int(start) if start.isdigit() else 1
        for child in children(element):
            inner = self._blocks(child) or [[""]]
            if term := child.get("hangText", "") if name == "list" else "":
                inner = [[f"**{commonmark.escaped(' '.join(term.split()))}**"], *inner]
            items.append(commonmark.blocks(inner))
        return [commonmark.itemised(items, first=number if is_numbered else None)]

    def _definitions(self, element: etree._Element) -> list[str]:
        items: list[list[str]] = []
        terms: list[list[str]] = []
        for child in children(element):
            if local_name(child) == "dt":
                shown = self._line(child)
                terms.append([shown if "**" in shown else f"**{shown}**"])
            else:
                inner = commonmark.blocks([*terms, *self._blocks(child)])
                items.append(commonmark.indented(inner or [""], "- "))
                terms = []
        if terms:
            items.append(commonmark.indented(commonmark.blocks(terms), "- "))
        return commonmark.listed(items)

    # Text in lines

    def _inline(self, element: etree._Element) -> str:
        name = local_name(element)
        if name in _NO_TEXT:
            return ""
        if name in ("tt", "spanx") and (name == "tt" or element.get("style", "emph") == "verb"):
            return commonmark.code_span("".join(element.itertext()))
        if name in ("br", "vspace"):
            return "\n"
        inner = self._inner(element)
        if name in ("xref", "relref"):
            format = element.get("sectionFormat") or element.get("x:fmt") or "of"
            name = element.get("target", "")
            return self._targets.link(name, inner.strip(), element.get("section", ""), format)
        if name == "eref":
            return commonmark.link(inner.strip(), element.get("target", ""))
        if name == "contact" and not inner.strip():
            return commonmark.escaped(element.get("fullname", ""))
        if name == "spanx":
            name = "strong" if element.get("style") == "strong" else "em"
        mark = _MARKS.get(name, "")
        return f"{mark}{inner.strip()}{mark}" if mark and inner.strip() else inner

    def _inner(self, element: etree._Element) -> str:
        parts = [self._escaped(element.text or "")]
        for child in children(element):
            parts += [self._inline(child), self._escaped(child.tail or "")]
        return "".join(parts)

    @staticmethod
    def _escaped(text: str) -> str:
        return commonmark.escaped(re.sub(r"\s+", " ", text))

    # References

    def _references(self, element: etree._Element) -> dict[str, CitedDocument]:
        """The entries of a list, in order; those of other files by what their names say."""
        renamed = elements(self._root, "displayreference")
        shown = {each.get("target", ""): each.get("to", "") for each in renamed}
        found: dict[str, CitedDocument] = {}
        for child in children(element):
            name = local_name(child)
            if name in ("reference", "referencegroup"):
                label = child.get("anchor", "")
                address = child.get("target", "") or address_of(label)
                said = self._description(child)
            elif name == "include" and (label := _label(child.get("href", ""))):
                address, said = address_of(label), ""
            else:
                continue
            title = shown.get(label, label)
            found[label] = CitedDocument(shown=title, address=address, description=said)
        return found

    def _description(self, element: etree._Element) -> str:
        front = first(element, "front")
        parts = [plain_text(first(front, "title")), *_authors(front)]
        for each in elements(element, "seriesInfo"):
            parts.append(f"{each.get('name', '')} {each.get('value', '')}")
        parts += map(plain_text, elements(element, "refcontent"))
        date = first(front, "date")
        parts += [date.get("year", "")] if date is not None else []
        stated = [commonmark.escaped(" ".join(each.split())) for each in parts]
        stated += [self._inner(each).strip() for each in elements(element, "annotation")]
        return ", ".join(filter(None, stated))


_BLOCKS = frozenset([
    "section", "references", "figure", "artwork", "sourcecode", "artset", "table", "texttable", "t",
    "ul", "ol", "dl", "list", "blockquote", "aside", "note", "preamble", "postamble", "author",
])  # fmt: skip


def _authors(front: etree._Element | None) -> list[str]:
    authors = elements(front, "author")
    return [each.get("fullname") or plain_text(first(each, "organization")) for each in authors]


def _label(target: str) -> str:
    """What a library of references calls an entry: `reference.RFC.2119.xml` is that of RFC2119."""
    match = _LABEL.search(posixpath.basename(target))
    return re.sub(r"^(RFC|BCP|STD)\.0*(?=\d+\Z)", r"\1", match["label"]) if match else ""


def _paragraph(text: str) -> list[list[str]]:
    lines = commonmark.paragraph(text)
    return [commonmark.broken(lines)] if lines else []


def _plain(lines: list[str]) -> str:
    return re.sub(
        r"\[([^\]\[]*)\]\([^()\s]*\)|\\(?=[!-/:-@\[-`{-~])|[*`]",
        lambda match: match[1] or "",
        " ".join(lines),
    )
