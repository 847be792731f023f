"""The part of a Markdown topic that an `<include>` names by its id."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kbc.formats.writerside.tags import ATTRIBUTE_LIST, LIST_ALONE, Closings, attributes
from kbc.languages.anchors import slug
from kbc.languages.includes.fenced import fenced_stretches
from kbc.project.well_formed import comma_separated

_OPENING = re.compile(r"<(?P<name>[A-Za-z][\w-]*)\b(?P<attributes>[^<>]*?)(?P<empty>/)?>")
_HEADING = re.compile(r"(?P<level>#{1,6})[ \t]+(?P<title>.*)")
_FILTERED = re.compile(r"<(?P<name>[\w-]+)\b(?P<attributes>[^<>]*\bfilter\s*=[^<>]*)>")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_TITLE = re.compile(r"^\[//\]:\s*#\s*\(title:[^\n]*\n|^#[ \t][^\n]*\n", re.MULTILINE)


def markdown_fragment(text: str, id: str) -> str | None:
    """What the element, chapter or block with `id` holds, as it is written; all below the title for "".
    None where there is none."""
    if not id:
        return _TITLE.sub("", text, count=1)
    closings = Closings(text)
    for match in _OPENING.finditer(text):
        if attributes(match["attributes"]).get("id") != id or match["empty"]:
            continue
        end = closings.of(match["name"], match.end())
        if end is not None:
            is_open = match["name"] == "snippet"
            return text[match.end() : end[0]] if is_open else text[match.start() : end[1]]
    return _chapter_or_block(text.split("\n"), id)


def filtered(text: str, wanted: str) -> str:
    """A part without the elements whose filter is none of those `wanted`; with all where none is."""
    names = frozenset(comma_separated(wanted))
    if not names:
        return text
    closings = Closings(text)
    kept: list[str] = []
    position = seen = 0
    while match := _FILTERED.search(text, seen):
        end = closings.of(match["name"], match.end())
        stated = comma_separated(attributes(match["attributes"]).get("filter", ""))
        seen = match.end()
        if end is not None and names.isdisjoint(stated):
            kept.append(text[position : match.start()])
            position = seen = end[1]
    return "".join(kept) + text[position:]


def _prose(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The lines outside of fenced code, with their numbers."""
    at = 0
    for stretch, is_code in fenced_stretches("\n".join(lines)):
        for line in stretch.split("\n"):
            if not is_code:
                yield at, line
            at += 1


def _chapter_or_block(lines: list[str], id: str) -> str | None:
    for at, line in _prose(lines):
        heading = _HEADING.fullmatch(line)
        if heading and _states(heading["title"], id):
            return "\n".join(lines[at : _chapter_end(lines, at, len(heading["level"]))])
        alone = LIST_ALONE.fullmatch(line)
        if alone and attributes(alone["list"]).get("id") == id:
            return "\n".join(lines[_block_start(lines, at) : at + 1])
    return None


def _states(title: str, id: str) -> bool:
    stated = re.search(rf"{ATTRIBUTE_LIST}\s*\Z", title)
    own = attributes(stated[0]).get("id", "") if stated else ""
    plain = title[: stated.start()] if stated else title
    return (own or slug(plain, "blackfriday")) == id


def _chapter_end(lines: list[str], start: int, level: int) -> int:
    below = lines[start + 1 :]
    headings = ((at, _HEADING.fullmatch(line)) for at, line in _prose(below))
    ends = (at for at, heading in headings if heading and len(heading["level"]) <= level)
    return start + 1 + next(ends, len(below))


def _block_start(lines: list[str], end: int) -> int:
    """Where the block begins that the attribute list on line `end` is about."""
    at = end - 1
    fence = _FENCE.match(lines[at]) if at >= 0 else None
    if fence:
        at -= 1
        while at > 0 and not lines[at].lstrip(" \t>").startswith(fence[1]):
            at -= 1
        return max(at, 0)
    while at > 0 and lines[at - 1].strip():
        at -= 1
    return max(at, 0)
