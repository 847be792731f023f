"""Semantic elements of a topic as HTML, of which the reader of HTML makes Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from textwrap import dedent

from lxml import etree

from kbc.formats.commonmark import trimmed
from kbc.formats.writerside.topic import Topic
from kbc.formats.xml import local_name
from kbc.languages.anchors import slug
from kbc.languages.includes.files import not_included

Include = Callable[[etree._Element, int], str]
"""The HTML of what an `<include>` takes in, below headings of a level."""

INLINE = {
    "b": "strong", "control": "strong", "strong": "strong", "ui-path": "strong", "emphasis": "em",
    "em": "em", "i": "em", "code": "code", "path": "code", "shortcut": "code", "sub": "sub",
    "sup": "sup",
}  # fmt: skip
"""Elements in a line -> those of HTML."""

_AS_IT_IS = frozenset([
    "blockquote", "dd", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p",
    "pre", "ul",
])  # fmt: skip
_NOTICES = {"note": "Note", "tip": "Tip", "warning": "Warning", "tldr": ""}
NO_TEXT = frozenset([
    "card-summary", "has-been-renamed-to", "help-id", "no-index", "primary-label",
    "secondary-label", "show-structure", "title", "var", "web-file-name", "web-summary",
])  # fmt: skip
"""What a page does not show: summaries for other pages and for search engines, labels, settings."""

_LINKS = ("cards", "group", "links", "misc", "primary", "secondary", "spotlight")
_TITLED = frozenset(["def", "seealso", "tab"])


class ElementWriter:
    """Writes the elements of one topic; `include` gives what `<include>` takes in."""

    def __init__(self, topic: Topic, include: Include) -> None:
        self.include = include
        self._topic = topic

    def children(self, element: etree._Element, level: int) -> str:
        """What is inside of an element, with the variables that it declares."""
        with self._topic.declaring(element):
            parts = [self._text(element.text)]
            for each in element:
                if isinstance(each.tag, str):  # else an entity that HTML does not have
                    parts.append(self.element(each, level))
                parts.append(self._text(each.tail))
            return "".join(parts)

    def element(self, element: etree._Element, level: int) -> str:
        """One element below a heading of `level`."""
        tag = local_name(element)
        if id := element.get("id"):
            self._topic.targets.append(self._topic.filled(id))
        if tag in NO_TEXT or not self._topic.is_shown(element.get("instance", "")):
            return ""
        if tag in INLINE:
            text = self.children(element, level) or escape(element.get("key", "").lstrip("$"))
            return f"<{INLINE[tag]}>{text}</{INLINE[tag]}>" if text.strip() else text
        if tag in _NOTICES:
            label = _NOTICES[tag] or self._topic.title(element)
            return self._block(label, element, level)
        writer = _WRITERS.get(tag)
        if writer is not None:
            return writer(self, element, level)
        if tag in _AS_IT_IS:
            return f"<{tag}{self._id(element)}>{self.children(element, level)}</{tag}>"
        if tag in _TITLED:
            return self._block(self._topic.title(element), element, level)
        return self.children(element, level)

    def _text(self, text: str | None) -> str:
        return escape(self._topic.filled(text), quote=False) if text else ""

    def _id(self, element: etree._Element) -> str:
        id = self._topic.filled(element.get("id", ""))
        return f' id="{escape(id)}"' if id else ""

    def _block(self, label: str, element: etree._Element, level: int) -> str:
        return f"<div>{_label(label)}{self.children(element, level)}</div>"

    def _chapter(self, element: etree._Element, level: int) -> str:
        title = self._topic.title(element)
        if not title:
            return self.children(element, level)
        below = min(level + 1, 6)
        stated = self._topic.filled(element.get("id", "")) or slug(title, "blackfriday")
        heading = f'<h{below} id="{escape(stated)}">{escape(title)}</h{below}>'
        return f"<div>{heading}{self.children(element, level + 1)}</div>"

    def _procedure(self, element: etree._Element, level: int) -> str:
        title = self._topic.title(element)
        tag = "ul" if element.get("type") == "choices" else "ol"
        parts: list[str] = []
        steps: list[str] = []
        with self._topic.declaring(element):
            for each in element:
                if each.tag == "step" and self._topic.is_shown(each.get("instance", "")):
                    steps.append(f"<li>{self.children(each, level)}</li>")
                elif isinstance(each.tag, str) and each.tag not in ("title", "step"):
                    shown = self.element(each, level)
                    # Text between steps belongs to the one before it: the numbers go on behind it.
                    if steps and shown.strip():
                        steps[-1] = f"{steps[-1].removesuffix('</li>')}{shown}</li>"
                    else:
                        parts.append(shown)
        return f"<div>{_label(title)}{''.join(parts)}<{tag}>{''.join(steps)}</{tag}></div>"

    def _list(self, element: etree._Element, level: int) -> str:
        kind = element.get("type", "bullet")
        start = element.get("start", "")
        tag = "ol" if kind in ("decimal", "alpha-lower") else "ul"
        stated = f' start="{start}"' if tag == "ol" and start.isdecimal() and len(start) < 9 else ""
        label = _label(self._topic.title(element))
        return f"{label}<{tag}{stated}>{self.children(element, level)}</{tag}>"

    def _table(self, element: etree._Element, level: int) -> str:
        has_header = element.get("style", "header-row") in ("header-row", "both")
        rows: list[str] = []
        for row in element.iter("tr"):
            self._topic.targets.append(row.get("id", ""))
            if not self._topic.is_shown(row.get("instance", "")):
                continue
            tag = "th" if has_header and not rows else "td"
            cells = [
                f"<{tag}{_span(cell)}>{self.children(cell, level)}</{tag}>"
                for cell in row
                if cell.tag in ("td", "th") and self._topic.is_shown(cell.get("instance", ""))
            ]
            rows.append(f"<tr>{''.join(cells)}</tr>")
        return f"<table>{''.join(rows)}</table>"

    def _code_block(self, element: etree._Element, level: int) -> str:
        code = self.code(element)
        language = re.sub(r"[^\w+#.-]", "", element.get("lang", "")).lower()
        marked = f' class="language-{language}"' if language else ""
        label = _label(self._topic.filled(element.get("collapsed-title", "")))
        return f"{label}<pre{marked}><code>{escape(code, quote=False)}</code></pre>"

    def code(self, element: etree._Element) -> str:
        """The code of a `<code-block>`: of a file, or its own without the margin of the markup."""
        found = self._topic.code(dict(element.attrib), "code-block src", element.sourceline or 0)
        if found is not None:
            return found
        text = "".join(element.itertext())
        return code_of(text if element.get("ignore-vars") == "true" else self._topic.filled(text))

    def _compare(self, element: etree._Element, level: int) -> str:
        labels = (element.get("first-title", "Before"), element.get("second-title", "After"))
        blocks = [each for each in element if each.tag == "code-block"]
        shown = [
            f"<p><strong>{escape(self._topic.filled(label))}</strong></p>{self._code_block(block, level)}"
            for label, block in zip(labels, blocks, strict=False)
        ]
        return f"<div>{''.join(shown)}</div>"

    def _link(self, element: etree._Element, level: int) -> str:
        href, anchor = element.get("href", ""), element.get("anchor", "")
        text = self.children(element, level)
        if not text.strip():
            text = escape(self._topic.title_of(href, anchor), quote=False)
        shown = f'<a href="{escape(self._topic.target(href, anchor))}">{text}</a>'
        summary = element.get("summary", "")
        return f"{shown} {escape(self._topic.filled(summary))}" if summary else shown

    def _links(self, element: etree._Element, level: int) -> str:
        """Links of a starting page, one a line."""
        parts = [_label(self._topic.title(element))]
        for each in element:
            if each.tag == "a":
                parts.append(f"<p>{self._link(each, level)}</p>")
            elif isinstance(each.tag, str) and each.tag != "title":
                parts.append(self.element(each, level))
        return f"<div>{''.join(parts)}</div>"

    def _image(self, element: etree._Element, level: int) -> str:
        return f'<img alt="{escape(self._topic.filled(element.get("alt", "")))}">'

    def _video(self, element: etree._Element, level: int) -> str:
        source = element.get("src") or element.get("href") or ""
        if "://" not in source:
            return ""
        title = element.get("title") or source
        return f'<p><a href="{escape(source)}">{escape(title)}</a></p>'

    def _elsewhere(self, element: etree._Element, level: int) -> str:
        """Pages that Writerside makes of a description of an API."""
        path = element.get("openapi-path", "") or element.get("endpoint", "")
        tag, what = f"<{element.tag}>", path or "its description"
        message = f"{tag} stands for what {what} holds"
        self._topic.problems.elsewhere(tag, message, element.sourceline or 0)
        return f"<p>{escape(not_included(path))}</p>"


_Write = Callable[[ElementWriter, etree._Element, int], str]
_WRITERS: dict[str, _Write] = {
    "a": ElementWriter._link,
    **dict.fromkeys(("api-doc", "api-endpoint", "api-schema"), ElementWriter._elsewhere),
    "br": lambda writer, element, level: "<br>",
    "card": lambda writer, element, level: f"<p>{writer._link(element, level)}</p>",
    "chapter": ElementWriter._chapter,
    "code-block": ElementWriter._code_block,
    "compare": ElementWriter._compare,
    **dict.fromkeys(
        ("description", "link-summary"),
        lambda writer, element, level: f"<p>{writer.children(element, level)}</p>",
    ),
    "img": ElementWriter._image,
    "include": lambda writer, element, level: writer.include(element, level),
    **dict.fromkeys(_LINKS, ElementWriter._links),
    "list": ElementWriter._list,
    "procedure": ElementWriter._procedure,
    "table": ElementWriter._table,
    "video": ElementWriter._video,
}


def _label(title: str) -> str:
    return f"<p><strong>{escape(title)}</strong></p>" if title else ""


def code_of(text: str) -> str:
    """Code between tags, without blank lines around it and the margin of the markup."""
    return dedent("\n".join(trimmed(text.expandtabs(4).split("\n"))))


def _span(cell: etree._Element) -> str:
    span = cell.get("colspan", "")
    return f' colspan="{span}"' if span.isdecimal() and len(span) < 5 else ""
