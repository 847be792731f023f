"""Reads an AsciiDoc file: its attributes and header, then its blocks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from kbc.formats import commonmark
from kbc.formats.asciidoc.blocks import Blocks
from kbc.formats.asciidoc.lines import LineReader, SharedContext
from kbc.formats.asciidoc.surroundings import attributes_around
from kbc.formats.document import Converted, DocumentProblem, Read, decode
from kbc.languages.front_matter import stated_above

_REFERENCE = re.compile("\x00([^\x00]*)\x00")


def convert(path: str, data: bytes, read: Read, around: Sequence[str] = ()) -> list[Converted]:
    """The document of a file; raises `FormatError` for what is no text. `around` are the files of editors
    with attributes for it, the nearest first."""
    text = decode(data)
    matter, above = stated_above(text)  # of Hugo and Jekyll
    if above:
        text = "\n" * above + "".join(text.splitlines(keepends=True)[above:])
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
            title=_text(matter, "title") or blocks.title,
            author=attributes.get("author", ""),
            created_at=attributes.get("revdate", ""),
            summary=attributes.get("description", "") or _text(matter, "description"),
            anchors=tuple(blocks.anchors),
            parts=tuple(sorted(project.parts)),
            problems=problems,
        )
    ]


def _text(matter: Mapping[str, Any], name: str) -> str:
    value = matter.get(name)
    return value.strip() if isinstance(value, str) else ""


def _title(target: str, titles: Mapping[str, str]) -> str:
    return titles.get(target) or commonmark.escaped(target.lstrip("_").replace("_", " "))
