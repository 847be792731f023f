"""The elements of a document in RFCXML, with what its declarations and instructions stand for filled in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from kbc.formats.xml import OWN_ENTITIES, local_name

MAX_ADDED_CHARS = 4_000_000
"""What entities may add; those behind it are written as their names."""

_ENTITY = re.compile(
    r"<!ENTITY\s+(?P<name>[\w.:-]+)\s+(?:(?P<external>SYSTEM|PUBLIC\s+(?:\"[^\"]*\"|'[^']*'))\s+)?"
    r"(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)')\s*>"
)
_DOCTYPE = re.compile(r"<!DOCTYPE\s+rfc\b[^\[>]*(?:\[(?P<subset>.*?)\]\s*)?>", re.DOTALL)
_REFERRED = re.compile(r"&(?P<name>[A-Za-z_][\w.:-]*);")
_HTML_ENTITIES = {
    "nbsp": "\u00a0", "zwsp": "\u200b", "nbhy": "\u2011", "wj": "\u2060", "mdash": "\u2014",
}  # fmt: skip
_INCLUDED = re.compile(r"<\?rfc\s+include\s*=\s*[\"'](?P<name>[^\"']+)[\"']\s*\?>")


def prepared(source: str) -> str:
    """The document with its own entities filled in, and with its includes as elements."""
    values: dict[str, str] = dict(_HTML_ENTITIES)
    doctype = _DOCTYPE.match(source, max(0, source.find("<!DOCTYPE")))
    for match in _ENTITY.finditer(doctype["subset"] or "") if doctype else ():
        stated = match["double"] if match["double"] is not None else match["single"]
        values[match["name"]] = _include(stated) if match["external"] else stated
    if doctype:
        source = source[: doctype.start()] + "\n" * doctype[0].count("\n") + source[doctype.end() :]

    added = 0

    def value(match: re.Match[str]) -> str:
        nonlocal added
        name = match["name"]
        if name in OWN_ENTITIES:
            return match[0]
        added += len(values.get(name, ""))
        return values[name] if name in values and added <= MAX_ADDED_CHARS else f"&amp;{name};"

    source = re.sub(r"\A\s*<\?xml[^>]*\?>", lambda match: "\n" * match[0].count("\n"), source)
    source = _REFERRED.sub(value, _REFERRED.sub(value, source))
    return _INCLUDED.sub(lambda match: _include(match["name"]), source)


def _include(target: str) -> str:
    return f'<include href="{target.replace("&", "&amp;").replace("<", "&lt;").replace(chr(34), "&quot;")}"/>'


def children(element: etree._Element | None, name: str = "") -> Iterator[etree._Element]:
    """The elements directly in one; those of a name, where it is given."""
    for each in element if element is not None else ():
        own = local_name(each)
        if own and name in ("", own):
            yield each


def elements(element: etree._Element | None, name: str) -> Iterator[etree._Element]:
    if element is not None:
        yield from (each for each in element.iter() if local_name(each) == name)


def first(element: etree._Element | None, name: str) -> etree._Element | None:
    return next(children(element, name), None)
