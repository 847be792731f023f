"""Reads an AsciiDoc file: its attributes and header, then its blocks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from kbc.formats import commonmark
from kbc.formats.asciidoc.attributes import substitute
from kbc.formats.asciidoc.blocks import Blocks
from kbc.formats.asciidoc.lines import LineReader, SharedContext
from kbc.formats.asciidoc.surroundings import attributes_around
from kbc.formats.document import Converted, LabelTarget, Read, decode
from kbc.languages.front_matter import stated_above
from kbc.project.source_file import relative_path
from kbc.project.well_formed import text_at

_REFERENCE = re.compile("\x00([^\x00]*)\x00")


def convert(
    path: str, data: bytes, read: Read, around: Sequence[str], labels: Mapping[str, LabelTarget]
) -> Converted:
    """The document of a file; raises `FormatError` for what is no text. `around` are other files with
    attributes for it, the nearest first, `labels` what other pages have, by id."""
    text = decode(data)
    matter, above = stated_above(text)  # of Hugo and Jekyll
    if above:
        text = "\n" * above + "".join(text.splitlines(keepends=True)[above:])
    attributes = attributes_around(path, read, around)
    project = SharedContext(path, read, attributes)
    blocks = Blocks(project)
    lines = blocks.document(LineReader.of_text(project, text, path))
    titles = blocks.titles

    @cache
    def with_attributes() -> Mapping[str, LabelTarget]:
        stated = [(name, each) for name, each in labels.items() if "{" in name]
        return {substitute(name, attributes): each for name, each in stated}

    def shown(match: re.Match[str]) -> str:
        name, label = match[1], None
        if name not in titles:
            label = labels.get(name) or with_attributes().get(name)
        if label is None:
            return titles.get(name) or commonmark.escaped(name.lstrip("_").replace("_", " "))
        place = f"{relative_path(label.path, path)}#{substitute(label.anchor, attributes)}"
        return commonmark.link(commonmark.escaped(label.title), place)

    written = _REFERENCE.sub(shown, commonmark.document(lines))
    return Converted(
        text=written,
        format="asciidoc",
        title=text_at(matter, "title") or blocks.title,
        author=attributes.get("author", ""),
        created_at=attributes.get("revdate", ""),
        summary=attributes.get("description", "") or text_at(matter, "description"),
        anchors=tuple(blocks.anchors),
        parts=tuple(sorted(project.parts)),
        problems=tuple(project.problems),
    )
