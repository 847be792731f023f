"""Reads an AsciiDoc file: its attributes and header, then its blocks."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any

import yaml

from kbc.formats import commonmark
from kbc.formats.asciidoc.blocks import Blocks
from kbc.formats.asciidoc.lines import LineReader, SharedContext
from kbc.formats.document import Converted, DocumentProblem, Read, decode

_REFERENCE = re.compile("\x00([^\x00]*)\x00")


def convert(path: str, data: bytes, read: Read) -> list[Converted]:
    """The document of a file; raises `FormatError` for what is no text."""
    text = decode(data)
    attributes = {"asciidoctor": "", "backend": "html5", "docdir": posixpath.dirname(path) or "."}
    project = SharedContext(path, read, attributes)
    attributes.update(_of_component(path, read))
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


def _of_component(path: str, read: Read) -> dict[str, str]:
    """The attributes that `antora.yml` in a folder above the file sets."""
    root = SharedContext.module_root(path)
    if not root:
        return {}
    component = posixpath.dirname(posixpath.dirname(root))
    data = read(posixpath.join(component, "antora.yml"))
    try:
        found: Any = yaml.safe_load(data) if data is not None else None
    except (yaml.YAMLError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        return {}
    section = found.get("asciidoc")
    given = section.get("attributes") if isinstance(section, dict) else None
    attributes = {"page-component-name": str(found.get("name", ""))}
    if isinstance(given, dict):
        for name, value in given.items():
            if value is not None and value is not False:
                attributes[str(name).lower()] = str(value).removesuffix("@")
    return attributes
