"""Pages of HTML as documents: their text by what they say of their encoding, their main content."""

from __future__ import annotations

import codecs
import re

from bs4.dammit import EncodingDetector

from kb_runtime.text.languages import language_of_tag
from kbc.formats.document import Converted, DocumentProblem, Read, decode
from kbc.languages.html.page import read_html

_ENCODINGS = re.compile(r"(?:iso8859|cp|koi8|mac|euc|shift|gb|big5|iso2022)[\w-]*|tis-620")
"""How the names of those that pages may be in begin in Python, which has others, some of which take long to
read: that of host names, for example."""

_WINDOWS = {"ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "gb2312": "gb18030"}
"""What browsers read these as (Encoding Standard, section 4.2): pages mean their supersets."""

_REPLACED = "\ufffd"


def convert(path: str, data: bytes, read: Read) -> list[Converted]:
    """Raises `FormatError` for what is no text."""
    text = text_of(data)
    page = read_html(text)
    problems = []
    if page.is_too_deep:
        problems.append(
            DocumentProblem(
                code="html-too-deep",
                message="the page nests its elements too deeply; below the limit only their text was kept",
                hint="Check the markup: an element may never be closed.",
            )
        )
    if _REPLACED in text and _REPLACED.encode() not in data:
        problems.append(
            DocumentProblem(
                code="file-not-utf8",
                message=f"bytes that are not in the encoding of the page were replaced by {_REPLACED!a}",
                line=text.count("\n", 0, text.index(_REPLACED)) + 1,
                hint="Save the page in the encoding that it declares.",
            )
        )
    return [
        Converted(
            text=page.text,
            format="html",
            title=page.title,
            author=page.author,
            created_at=page.created_at,
            url=page.canonical,
            summary=page.description,
            spoken=language_of_tag(page.language),
            anchors=page.anchors,
            problems=tuple(problems),
        )
    ]


def text_of(data: bytes) -> str:
    """The text of a page with "\\n" line ends: of UTF-8, else of what the page declares, with U+FFFD for
    bytes that do not fit, as browsers show them.

    Raises `FormatError` where it is none of them.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return decode(data.decode("utf-16", "replace").encode())
    try:
        data.decode()
    except UnicodeDecodeError:
        if encoding := _declared(data):
            return decode(data.decode(encoding, "replace").encode())
    return decode(data)


def _declared(data: bytes) -> str:
    """The encoding that a page declares; "" for none, and for one that it cannot be in."""
    try:
        stated = EncodingDetector.find_declared_encoding(data, is_html=True) or ""
        name = codecs.lookup(stated).name
    except (LookupError, ValueError):  # ValueError: of a name with a null character
        return ""
    found = _WINDOWS.get(name, name)
    if found == "utf-8" and b"\0" not in data:
        return found
    return found if _ENCODINGS.fullmatch(found) else ""
