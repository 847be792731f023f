"""Parses XML of Writerside, in which the entities of HTML stand for their characters."""

from __future__ import annotations

import html
import re
from html.entities import html5
from typing import TYPE_CHECKING

from kbc.formats import xml
from kbc.formats.document import FormatError

if TYPE_CHECKING:
    from lxml import etree

_ENTITY = re.compile(r"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?P<name>[A-Za-z]\w*);", re.DOTALL)


def parsed(data: bytes) -> etree._Element:
    """The root element. Raises `FormatError` with the line."""
    text = _ENTITY.sub(_character, data.decode("utf-8-sig", "replace"))
    text = re.sub(r"\A\s*<\?xml[^>]*\?>", "", text)  # its encoding is that of the bytes
    return xml.parsed(text, "the topic")


def parsed_if_any(data: bytes | None) -> etree._Element | None:
    """The root element; None where there is no file, or one that is no XML."""
    if data is None:
        return None
    try:
        return parsed(data)
    except FormatError:
        return None


def _character(match: re.Match[str]) -> str:
    name = match["name"]
    if name is None or name in xml.OWN_ENTITIES:
        return match[0]
    return html.unescape(match[0]) if f"{name};" in html5 else ""
