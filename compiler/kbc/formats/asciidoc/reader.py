"""Reads an AsciiDoc file: its attributes and header, then its blocks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kbc.formats import commonmark
from kbc.formats.asciidoc.blocks import Blocks
from kbc.formats.asciidoc.lines import LineReader, SharedContext
from kbc.formats.asciidoc.surroundings import attributes_around
from kbc.formats.document import Converted, DocumentProblem, Read, decode

_REFERENCE = re.compile("\x00([^\x00]*)\x00")


def convert(path: str, data: bytes, read: Read, around: Sequence[str] = ()) -> list[Converted]:
    """The document of a file; raises `FormatError` for what is no text. `around` are the files of editors
    with attributes for it, the nearest first."""
    text = decode(data)
    attributes = attributes_around(path, read, around)
    project = SharedContext(path, read, attributes)
    blocks = Blocks(project)
    lines = blocks.document(LineReader.of_text(project, text, path))
    titles = blocks.titles
    written = _REFERENCE.sub(lambda match: _title(match[1], titles), commonmark.document(lines))
    problems: tuple[DocumentProblem, ...] = tuple(project.problems)
    return [
        Converted(
            text=written,
            format="asciidoc",
            title=blocks.title,
            author=attributes.get("author", ""),
            created_at=attributes.get("revdate", ""),
            summary=attributes.get("description", ""),
            anchors=tuple(blocks.anchors),
            problems=problems,
        )
    ]


def _title(target: str, titles: Mapping[str, str]) -> str:
    return titles.get(target) or commonmark.escaped(target.lstrip("_").replace("_", " "))
