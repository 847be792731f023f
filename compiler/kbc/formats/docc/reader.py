"""Reads tutorials, and the pages of a catalogue."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from kbc.formats import commonmark
from kbc.formats.docc.blocks import pages, tutorial
from kbc.formats.docc.catalogue import tutorial_title
from kbc.formats.docc.directives import IN_PAGES, parse
from kbc.formats.docc.page import CataloguePage
from kbc.formats.document import Converted, DocumentProblem, FormatError, Read, decode

_MAY_CHANGE = re.compile(r"^[ \t]*@[A-Z]|doc:|\]\(<?#", re.MULTILINE)
_COMMENT = re.compile(r"\A(?:\s*<!--.*?-->)*+\s*", re.DOTALL)


def convert(path: str, data: bytes, read: Read, named: Mapping[str, str] | None) -> Converted:
    """The document of a tutorial. `named` gives the paths of the catalogue's files by their names. Raises
    `FormatError` for what does not begin with a directive."""
    text = decode(data)
    nodes = parse(text, is_closed_at_end=True)
    said = _COMMENT.sub("", "\n".join(each if isinstance(each, str) else "@" for each in nodes))
    if not said.lstrip().startswith("@"):
        raise FormatError(
            "the file is not a DocC tutorial: it does not begin with a directive",
            hint="Keep it out of the collection's paths, or give it an ending of its own.",
        )
    page = CataloguePage.of(path, text, read, named or {})
    title = tutorial_title(nodes) or posixpath.splitext(posixpath.basename(path))[0]
    heading = commonmark.heading(1, commonmark.escaped(title))
    written = commonmark.blocks([heading, tutorial(nodes, page).rstrip("\n").split("\n")])
    return Converted(
        text=commonmark.document(written), format="docc", title=title, problems=tuple(page.problems)
    )


def expand_page(
    text: str, path: str, read: Read, named: Mapping[str, str]
) -> tuple[str, tuple[DocumentProblem, ...]]:
    """The Markdown page at `path` as its site shows it, and what could not be had. `named` gives the paths
    of the catalogue's files by their names."""
    if _MAY_CHANGE.search(text) is None:
        return text, ()
    page = CataloguePage.of(path, text.replace("\r\n", "\n"), read, named)
    shown = pages(parse(page.text, IN_PAGES), page)
    if shown == page.text:
        return text, tuple(page.problems)
    return commonmark.document(shown.split("\n")), tuple(page.problems)
