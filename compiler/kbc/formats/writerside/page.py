"""XML of a topic, or of a part that others include, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

from lxml import etree

from kbc.formats.writerside.elements import ElementWriter
from kbc.formats.writerside.snippets import filtered, markdown_fragment
from kbc.formats.writerside.topic import Topic
from kbc.languages import markdown
from kbc.languages.anchors import rules_of
from kbc.languages.html.page import read_html
from kbc.languages.includes.fenced import fenced_stretches
from kbc.languages.includes.files import indented, not_included

_RULES = rules_of("writerside")

Expand = Callable[[Topic, str], str]
"""Markdown with elements in it -> the Markdown that its site shows."""

_PLACED = re.compile("^(?P<indent>[ \t]*)\ue000(?P<number>\\d+)\ue001[ \t]*$", re.MULTILINE)
_ANYWHERE = re.compile("\ue000(\\d+)\ue001")


def fragment(topic: Topic, path: str, id: str, expand: Expand, wanted: str = "") -> str | None:
    """The Markdown of the part `id` of another topic, None where it is not there; of one in Markdown without
    the elements that the filter `wanted` leaves out."""
    if path.lower().endswith(".md"):
        found = markdown_fragment(topic.text(path) or "", id)
        return None if found is None else expand(topic, filtered(found, wanted))
    element = topic.fragment(path, id)
    return None if element is None else TopicWriter(topic, expand).part(element)


class TopicWriter:
    """Markdown of XML by way of HTML; parts in Markdown take the places that were kept for them."""

    def __init__(self, topic: Topic, expand: Expand) -> None:
        self._topic = topic
        self._expand = expand
        self._kept: list[str] = []
        self._writer = ElementWriter(topic, self._include)

    def markdown(self, root: etree._Element, title: str) -> tuple[str, tuple[str, ...]]:
        """The text of a topic below its title, and the anchors of its headings."""
        heading = f"<h1>{escape(title)}</h1>" if title else ""
        page = read_html(f"<body><main>{heading}{self._writer.children(root, 1)}</main></body>")
        return self._placed(page.text), self._anchors(page.text, page.anchors)

    def _anchors(self, text: str, anchors: tuple[str, ...]) -> tuple[str, ...]:
        """The anchors of all headings in order, those of parts in Markdown between the topic's own."""
        if not self._kept:
            return anchors
        own = iter(anchors)
        found: list[str] = []
        for stretch, is_code in fenced_stretches(text):
            for line in () if is_code else stretch.split("\n"):
                if line.startswith("#"):
                    found.append(next(own, ""))
                elif placed := _PLACED.match(line):
                    part = markdown.parse(self._kept[int(placed["number"])])
                    found += [each.anchor for each in markdown.sections(part, _RULES)]
        return tuple(found)

    def part(self, element: etree._Element) -> str:
        """The text of a part: of a snippet what it holds, of another element itself."""
        page = read_html(f"<body><main>{self._shown(element, 1)}</main></body>")
        return self._placed(page.text)

    def _shown(self, part: etree._Element, level: int) -> str:
        is_open = part.tag in ("snippet", "topic")
        return (self._writer.children if is_open else self._writer.element)(part, level)

    def _include(self, element: etree._Element, level: int) -> str:
        topic = self._topic
        name, id = (topic.filled(element.get(each, "")) for each in ("from", "element-id"))
        path = topic.find(name) if name else topic.own_path
        with topic.declaring(element), topic.inside(path, id) as is_bounded:
            if path and is_bounded and path.lower().endswith(".md"):
                found = fragment(topic, path, id, self._expand)
                if found is not None:
                    self._kept.append(found)
                    return f"<p>\ue000{len(self._kept) - 1}\ue001</p>"
            part = topic.fragment(path, id) if path and is_bounded else None
            if part is not None:
                return self._shown(part, level)
        if element.get("nullable") != "true":
            topic.problems.unresolved(
                "include", f"{name or path}#{id} is not there", element.sourceline or 0
            )
            return f"<p>{escape(not_included(f'{name}#{id}'))}</p>"
        return ""

    def _placed(self, text: str) -> str:
        if not self._kept:
            return text

        def block(match: re.Match[str]) -> str:
            return indented(match["indent"], self._kept[int(match["number"])].strip("\n"))

        def inline(match: re.Match[str]) -> str:
            return " ".join(self._kept[int(match[1])].split())

        return _ANYWHERE.sub(inline, _PLACED.sub(block, text))
