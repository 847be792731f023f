"""Markdown of bookdown: references between chapters, numbered blocks, parts, and headings without numbers."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from kbc.languages.anchors import slug, split_attributes
from kbc.languages.front_matter import front_matter_end
from kbc.languages.includes.components import attributes
from kbc.languages.includes.containers import label
from kbc.languages.includes.fenced import FENCE, beside_spans, fenced_lines, fenced_stretches
from kbc.languages.markdown import heading_text

Headings = Mapping[str, tuple[str, str]]
"""The page and the title of each heading of a book by its anchor."""

_HEADING = re.compile(r"^(?P<marks>#{1,6})[ \t]+(?P<title>\S.*?)[ \t]*$", re.MULTILINE)
_NOT_NUMBERED = re.compile(r"[ \t]*\{(?:-|\.unnumbered)\}[ \t]*\Z|(?<=[^\s{])[ \t]+-(?=[ \t]*\}\Z)")
_PART = re.compile(r"\((?:PART|APPENDIX)(?:\\?\*)?\)[ \t]*(?P<title>.*)")
"""A heading that stands above the chapters of a part, not above the text that follows it."""

_REFERENCE = re.compile(r"\\@ref\((?P<name>[^()\s]+)\)")
_INNER_LINK = re.compile(r"(?<=\]\()#(?P<name>[^()\s]+)(?=\))")
_NAMED_TEXT = re.compile(r"^\(ref:[\w-]+\)[ \t]+", re.MULTILINE)
_EQUATION = re.compile(r"\(\\#eq:(?P<name>[\w-]+)\)")
_NUMBERED = re.compile(r"\(\\#(?:fig|tab|tbl):(?P<name>[\w-]+)\)")
_INDEX = re.compile(r"\\index[a-z]*\{(?:[^{}\n]|\{(?:[^{}\n]|\{[^{}\n]*\})*\})*\}[ \t]*")
_BLOCK = re.compile(
    r"\{(?P<kind>block2?|theorem|lemma|corollary|proposition|conjecture|definition|example|exercise"
    r"|hypothesis|proof|remark|solution)\b(?P<options>[^{}]*)\}[ \t]*"
)
"""Fences of knitr whose content is Markdown."""


def headings(text: str) -> Iterator[tuple[int, str, str]]:
    """(level, anchor, title) of the headings of a chapter, without those of parts."""
    for line, is_code in fenced_lines(text):
        if not is_code and (match := _HEADING.match(line)):
            source, stated = split_attributes(_NOT_NUMBERED.sub("", match["title"]))
            if not _PART.match(source):
                title = heading_text(source)
                yield len(match["marks"]), stated or slug(title, "pandoc"), title


def expand_page(text: str, path: str, known: Headings) -> str:
    """The text of a chapter as its book shows it: references as links or as names, blocks with labels."""
    start = front_matter_end(text)
    has_chapter = any(level == 1 for level, *_ in headings(text[start:]))
    shown = []
    for stretch, is_code in fenced_stretches(text[start:]):
        prose = _block(stretch) if is_code else stretch
        shown.append(stretch if prose is None else _prose(prose, path, known, has_chapter))
    return text[:start] + "\n".join(shown)


def _block(stretch: str) -> str | None:
    """The label and the content of a fence whose content is Markdown; None of any other fence."""
    first, *lines = stretch.split("\n")
    opening = FENCE.match(first)
    block = _BLOCK.fullmatch(opening["info"].strip()) if opening else None
    if block is None:
        return None
    stated = attributes(block["options"])
    is_plain = block["kind"].startswith("block")
    kind = stated.get("type", "").removeprefix("rmd") if is_plain else block["kind"]
    return "\n".join(["", label(kind, stated.get("name", "")), "", *lines[:-1], ""])


def _prose(text: str, path: str, known: Headings, has_chapter: bool) -> str:
    def heading(match: re.Match[str]) -> str:
        title = _NOT_NUMBERED.sub("", match["title"])
        part = _PART.match(title)
        if part and has_chapter:
            return label("", part["title"])
        return f"{match['marks']} {part['title'] if part else title}"

    def place(name: str) -> str:
        page = known[name][0]
        return f"{'' if page == path else posixpath.relpath(page, posixpath.dirname(path))}#{name}"

    def reference(match: re.Match[str]) -> str:
        name = match["name"]
        if name in known:
            return f"[{known[name][1]}]({place(name)})"
        return f"`{name.rpartition(':')[2]}`"

    def inner(match: re.Match[str]) -> str:
        return place(match["name"]) if match["name"] in known else match[0]

    def shown(text: str) -> str:
        text = _HEADING.sub(heading, text)
        text = _INNER_LINK.sub(inner, _REFERENCE.sub(reference, text))
        text = _EQUATION.sub(r"\\tag{\g<name>}", _NUMBERED.sub(r"`\g<name>`:", text))
        return _INDEX.sub("", _NAMED_TEXT.sub("", text))

    return beside_spans(text, shown)
