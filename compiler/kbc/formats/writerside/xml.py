"""Parses XML of Writerside: no entity is fetched or expanded but those of HTML."""

from __future__ import annotations

import html
import re
from html.entities import html5

from lxml import etree

from kbc.formats.document import FormatError

_ENTITY = re.compile(r"<!\[CDATA\[.*?\]\]>|&(?P<name>[A-Za-z]\w*);", re.DOTALL)
_OF_XML = frozenset({"amp", "apos", "gt", "lt", "quot"})


def parsed(data: bytes) -> etree._Element:
    """The root element. Raises `FormatError` with the line."""
    text = _ENTITY.sub(_character, data.decode("utf-8-sig", "replace"))
    text = re.sub(r"\A\s*<\?xml[^>]*\?>", "", text)  # its encoding is that of the bytes
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, remove_comments=True,
        remove_pis=True, strip_cdata=False,
    )  # fmt: skip
    try:
        root = etree.fromstring(text, parser)
    except etree.XMLSyntaxError as error:
        raise FormatError(f"the topic is no XML: {error.msg}", error.lineno or 0) from None
    except ValueError as error:
        raise FormatError(f"the topic is no XML: {error}") from None
    if root is None:
        raise FormatError("the topic is no XML: there is no element")
    return root


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
    if name is None or name in _OF_XML:
        return match[0]
    return html.unescape(match[0]) if f"{name};" in html5 else ""
