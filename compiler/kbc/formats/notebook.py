"""Jupyter notebooks: text cells as they are, code fenced with the kernel's language, short text output."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kbc.formats import commonmark
from kbc.formats.document import Converted, FormatError, Read, decode
from kbc.formats.loading import parse
from kbc.languages.html.embedded import with_embedded_html
from kbc.languages.html.tags import without_html_tags
from kbc.languages.includes.fenced import closed, fenced_stretches
from kbc.project.well_formed import mapping, sequence, texts

MAX_OUTPUT_CHARS = 1_000
MAX_OUTPUT_LINES = 20

_EMBEDDED_IMAGE = re.compile(r"!\[([^\]]*)\]\((?:attachment:|data:)[^)]*\)")
_EMBEDDED_TAG = re.compile(r"<img[^>]+src=[\"']data:[^>]*>", re.IGNORECASE)
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+)$", re.MULTILINE)
_MAGIC = re.compile(
    r"%%(bash|sh|html|javascript|js|latex|markdown|perl|ruby|sql|R|cython|writefile)\b"
)
_OBJECT = re.compile(r"<[\w.]+ (?:object(?: at 0x[0-9a-fA-F]+)?|at 0x[0-9a-fA-F]+)>")
_ESCAPE_CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def convert(path: str, data: bytes, read: Read) -> Converted:
    """The document of a notebook; raises `FormatError` for what is none."""
    book = parse(decode(data), ".json")
    if not isinstance(book, dict):
        raise FormatError("the notebook is JSON, but not an object with `cells`")
    metadata = mapping(book.get("metadata"))
    language = _language(metadata)
    parts = [part for cell in _cells(book) for part in _cell(cell, language)]
    written = commonmark.document(commonmark.blocks(parts))
    title = metadata.get("title")
    heading = _first_heading(written)
    names = [mapping(each).get("name") for each in sequence(metadata.get("authors"))]
    return Converted(
        text=written,
        format="notebook",
        title=title if isinstance(title, str) else heading,
        author=", ".join(name for name in names if isinstance(name, str)),
    )


def _cells(book: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    cells = book.get("cells")
    if not isinstance(cells, list):  # version 3 of the format
        sheets = book.get("worksheets")
        if not isinstance(sheets, list):
            raise FormatError("the notebook has no list of `cells`")
        cells = [cell for sheet in sheets for cell in sequence(mapping(sheet).get("cells"))]
    return [cell for cell in cells if isinstance(cell, dict)]


def _language(metadata: Mapping[str, Any]) -> str:
    for holder, key in (("language_info", "name"), ("kernelspec", "language")):
        name = mapping(metadata.get(holder)).get(key)
        if isinstance(name, str) and name:
            return name.lower()
    return "python"


def _cell(cell: Mapping[str, Any], language: str) -> Iterator[list[str]]:
    kind = cell.get("cell_type")
    source = _text(cell.get("source", cell.get("input")))
    if not source.strip() or mapping(cell.get("metadata")).get("toc") is True:
        return  # a list of the headings, which an extension of Jupyter writes
    if kind == "markdown":
        prose = _EMBEDDED_TAG.sub("", _EMBEDDED_IMAGE.sub(r"\1", source)).strip("\n")
        yield closed(without_html_tags(with_embedded_html(prose))).split("\n")
    elif kind == "heading":
        level = cell.get("level")
        yield commonmark.heading(level if isinstance(level, int) else 1, source)
    elif kind == "raw":
        yield commonmark.fence(source)
    elif kind == "code":
        magic, given = _MAGIC.match(source), cell.get("language")
        named = given if isinstance(given, str) else language
        named = magic[1].lower() if magic and magic[1] != "writefile" else named
        yield commonmark.fence(source, named)
        outputs = "\n".join(filter(None, map(_output, sequence(cell.get("outputs")))))
        if outputs.strip():
            yield commonmark.fence(_short(outputs), "text")


def _first_heading(text: str) -> str:
    """The first heading outside of code, where `#` begins a comment."""
    for stretch, is_code in fenced_stretches(text):
        if not is_code and (heading := _HEADING.search(stretch)):
            return commonmark.unclosed(heading[1])
    return ""


def _output(output: Any) -> str:
    """The text of one output, as Markdown if the notebook shows that; "" of images, of what only a browser
    shows, and of objects that have no text."""
    fields = mapping(output)
    kind = fields.get("output_type")
    if kind in ("error", "pyerr"):
        return f"{fields.get('ename', '')}: {fields.get('evalue', '')}"
    if kind == "stream":
        return _text(fields.get("text"))
    data = mapping(fields.get("data"))
    if any(str(name).startswith("image/") for name in data):
        return ""
    plain = data.get("text/plain", fields.get("text"))
    text = _text(data.get("text/markdown")) or _text(plain)
    return "" if _OBJECT.fullmatch(text.strip()) else text


def _short(text: str) -> str:
    lines = _ESCAPE_CODES.sub("", text).strip("\n").split("\n")
    kept = "\n".join(lines[:MAX_OUTPUT_LINES])
    is_whole = len(lines) <= MAX_OUTPUT_LINES and len(kept) <= MAX_OUTPUT_CHARS
    if len(kept) > MAX_OUTPUT_CHARS:
        kept = kept[:MAX_OUTPUT_CHARS].rsplit("\n", 1)[0]
    return kept if is_whole else f"{kept}\n..."


def _text(value: Any) -> str:
    text = "".join(texts(value))
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
