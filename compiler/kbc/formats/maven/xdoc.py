"""Pages of xdoc and FML as Markdown: by way of HTML, which all but a few of their elements are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from html.entities import html5
from itertools import chain

from lxml import etree

from kbc.formats.document import Converted, FormatError, Problems, Read, decode
from kbc.formats.xml import OWN_ENTITIES, local_name, parsed, plain_text
from kbc.languages.html.page import read_html

_SECTIONS = {"section": 2, "part": 2, "subsection": 3}
"""The levels of headings: that of the page is above them."""

_MAX_LEVEL = 6
_DROPPED = frozenset(["toc", "head", "script", "style", "title", "author", "properties"])
_SHOWN_BY_NAME = "name"
"""The attribute by which elements that a site has of its own, such as `<setting name="nests">`, are known."""

_HTML = frozenset([
    "a", "abbr", "acronym", "b", "big", "blockquote", "br", "caption", "center", "cite", "code", "col",
    "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "font", "h1",
    "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "ins", "kbd", "li", "ol", "p", "pre", "q", "s", "samp",
    "small", "span", "strike", "strong", "sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th",
    "thead", "tr", "tt", "u", "ul", "var",
])  # fmt: skip
_KEPT = ("href", "id", "src", "alt", "colspan", "rowspan", "class", "start")
_DECLARED = re.compile(r"\A\s*(?P<start><\?xml\b[^>]{0,200}?)\s{1,20}encoding=[\"'][\w-]+[\"']")
_OF_FILE = re.compile(r"<!ENTITY\s++(\w+)\s++(?:SYSTEM|PUBLIC)\b")
_REFERENCE = re.compile(r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|&(?P<name>\w+);", re.DOTALL)


def convert(path: str, data: bytes, read: Read) -> Converted:
    """The page of a file. Raises `FormatError` for what is no XML, and for XML that is no such page."""
    root = _parsed(data)
    if local_name(root) not in ("document", "faqs"):
        raise FormatError(f"the file begins with <{local_name(root)}>, which is no page of xdoc")
    title, author = _stated(root, "title") or root.get("title", ""), _stated(root, "author")
    writer = _XdocWriter()
    inner = "".join(writer.inside(root, 1))
    heading = f"<h1>{escape(title)}</h1>" if title and "<h1" not in inner else ""
    page = read_html(f"<html><body><main>{heading}{inner}</main></body></html>")
    return Converted(
        text=page.text,
        format="xdoc",
        title=title or page.title,
        author=author,
        anchors=page.anchors,
        problems=tuple(writer.problems),
    )


def _parsed(data: bytes) -> etree._Element:
    """The root of a page in UTF-8, or in the encoding that it declares."""
    try:
        text = decode(data)
    except FormatError:
        if not _DECLARED.match(data.decode("latin-1")):
            raise
        return parsed(data, "the page")
    source = _DECLARED.sub(r"\g<start>", text)
    own = OWN_ENTITIES.union(_OF_FILE.findall(source))

    def as_character(match: re.Match[str]) -> str:
        """The character of an entity that HTML has, and that is no file to the page."""
        name = match["name"]
        character = "" if name is None or name in own else html5.get(f"{name};", "")
        return escape(character) or match[0]

    return parsed(_REFERENCE.sub(as_character, source).encode(), "the page")


def _stated(root: etree._Element, name: str) -> str:
    """What the head or the properties of a page say; "" where they do not."""
    found = (each for each in root.iter(etree.Element) if local_name(each) == name)
    above = ("document", "faqs", "head", "header", "properties")
    for each in found:
        parent = each.getparent()
        if parent is not None and local_name(parent) in above:
            return plain_text(each)
    return ""


@dataclass(slots=True)
class _XdocWriter:
    """Writes the elements of a page as HTML."""

    problems: Problems = field(default_factory=Problems)

    def inside(self, element: etree._Element, level: int) -> Iterator[str]:
        """The text and the elements in an element; `level` is that of the heading above it."""
        yield escape(element.text or "")
        for child in element:
            yield from self._shown(child, level)
            yield escape(child.tail or "")

    def _shown(self, element: etree._Element, level: int) -> Iterator[str]:
        name = local_name(element)
        if not name or name in _DROPPED:
            return
        if name in _SECTIONS:
            yield from self._section(element, max(level + 1, _SECTIONS[name]))
        elif name == "faq":
            yield from self._question(element, level + 1)
        elif name == "source":
            yield f"<pre><code>{escape(''.join(element.itertext()))}</code></pre>"
        elif name == "macro":
            self._macro(element)
        elif name in _HTML:
            kept = ((key, element.get(key)) for key in _KEPT)
            stated = (f' {key}="{escape(value)}"' for key, value in kept if value is not None)
            yield from (f"<{name}{''.join(stated)}>", *self.inside(element, level), f"</{name}>")
        else:
            yield from self._unknown(element, level)

    def _section(self, element: etree._Element, level: int) -> Iterator[str]:
        title = (element.get("name") or element.get("title") or _title_in(element)).strip()
        id = element.get("id") or element.get("anchor") or _id(title)
        yield _heading(level, escape(title), id)
        yield from self.inside(element, level)

    def _question(self, faq: etree._Element, level: int) -> Iterator[str]:
        for child in faq.iterchildren(etree.Element):
            inner = "".join(self.inside(child, level))
            is_question = local_name(child) == "question"
            yield _heading(level, inner.strip(), faq.get("id", "")) if is_question else inner

    def _unknown(self, element: etree._Element, level: int) -> Iterator[str]:
        """What an element that a site's own style sheet knows says, below its name where it has one."""
        name = element.get(_SHOWN_BY_NAME, "")
        inner = "".join(self.inside(element, level))
        yield f"<p><code>{escape(name)}</code></p><div>{inner}</div>" if name else inner

    def _macro(self, element: etree._Element) -> None:
        """Reports text that a program of the site would have written; lists of contents are none."""
        name = element.get("name", "")
        if name not in ("", "toc"):
            message = f"the macro {name!r} is a program of the site"
            self.problems.elsewhere(f"macro {name}", message, element.sourceline or 0)


def _title_in(element: etree._Element) -> str:
    """What a part of a page of questions is called."""
    children = element.iterchildren(etree.Element)
    return plain_text(next((each for each in children if local_name(each) == "title"), None))


def _heading(level: int, text: str, id: str) -> str:
    level = min(level, _MAX_LEVEL)
    return f'<h{level} id="{escape(id)}">{text}</h{level}>' if text else ""


def _id(title: str) -> str:
    """The anchor that Doxia gives a section: with `_` for blanks, with other characters than letters, digits
    and `-_:.` as bytes in hexadecimal behind a point."""
    start = "" if re.match(r"[A-Za-z]", title) else "a"
    return start + "".join(chain.from_iterable(map(_as_sign, title)))


def _as_sign(char: str) -> Iterator[str]:
    if char == " ":
        yield "_"
    elif re.fullmatch(r"[A-Za-z0-9:_.-]", char):
        yield char
    else:
        yield from (f".{byte:02X}" for byte in char.encode())
