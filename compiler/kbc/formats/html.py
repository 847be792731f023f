"""Pages of HTML as documents: their text by what they say of their encoding, their main content."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from bs4.dammit import EncodingDetector

from kbc.formats.document import Converted, DocumentProblem, Read, decode
from kbc.languages.html.page import read_html
from kbc.project.language_tags import language_of_tag

_ENCODINGS = re.compile(r"(?:iso8859|cp|koi8|mac|euc|shift|gb|big5|iso2022)[\w-]*|tis-620")
"""How the names of those that pages may be in begin in Python, which has others, some of which take long to
read: that of host names, for example."""

_WINDOWS = {"ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "gb2312": "gb18030"}
"""What browsers read these as (Encoding Standard, section 4.2): pages mean their supersets."""

_REPLACED = "\ufffd"
_NOT_ASCII = re.compile(rb"[\x80-\xff]+")


def convert(path: str, data: bytes, read: Read) -> Converted:
    """Raises `FormatError` for what is no text."""
    text, problem = text_of(data)
    page = read_html(text)
    problems = [problem] if problem else []
    if page.is_too_deep:
        message = "the page nests its elements too deeply; below the limit only their text was kept"
        hint = "Check the markup: an element may never be closed."
        problems.append(DocumentProblem(code="html-too-deep", message=message, hint=hint))
    return Converted(
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


class PageText(NamedTuple):
    """The text of a page, and what is to be said of its encoding."""

    text: str
    problem: DocumentProblem | None = None


def text_of(data: bytes) -> PageText:
    """The text of a page with "\\n" line ends: of UTF-8, else of what the page declares, else of
    windows-1252, as browsers show it; with U+FFFD for bytes that do not fit.

    Raises `FormatError` where it is none of them.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _replacing(data, "utf-16")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if encoding := _declared(data):
            return _replacing(data, encoding)
        if b"\0" not in data:
            return _undeclared(data, error.start)
    return PageText(decode(data))


def _undeclared(data: bytes, at: int) -> PageText:
    """What a page is read as that declares no encoding and whose byte `at` is not UTF-8: UTF-8 where most of
    its other characters are; windows-1252 where they stand alone between ASCII, as accents and quotation
    marks do. Where they form words, the page is in another script, and the encoding unknown."""
    text = data.decode("utf-8", "replace")
    if sum(character > "\x7f" for character in text) > 2 * text.count(_REPLACED):
        return _replacing(data, "utf-8")
    runs = _NOT_ASCII.findall(data)
    if 2 * sum(len(run) > 2 for run in runs) >= len(runs):
        return PageText(decode(data))
    said = "is not UTF-8, and the page declares no encoding: it was read as windows-1252"
    hint = "Declare its encoding with `<meta charset>`, or save it as UTF-8."
    problem = _not_utf8(f"byte 0x{data[at]:02x} {said}", data.count(b"\n", 0, at) + 1, hint)
    return PageText(_replacing(data, "cp1252").text, problem)


def _not_utf8(message: str, line: int, hint: str) -> DocumentProblem:
    return DocumentProblem(code="file-not-utf8", message=message, line=line, hint=hint)


def _replacing(data: bytes, encoding: str) -> PageText:
    text = decode(data.decode(encoding, "replace").encode())
    if _REPLACED not in text or _REPLACED.encode() in data:
        return PageText(text)
    message = f"bytes that are not in the encoding of the page were replaced by {_REPLACED!a}"
    line = text.count("\n", 0, text.index(_REPLACED)) + 1
    hint = "Save the page in the encoding that it declares, or as UTF-8."
    return PageText(text, _not_utf8(message, line, hint))


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
