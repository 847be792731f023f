"""Pages of HTML below front matter, as Jekyll and Hugo have them, and Markdown whose headings are elements of
HTML, as programs write references, for the front end of documentation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from kbc.diagnostics import Diagnostics
from kbc.formats import FormatError
from kbc.frontends.converted import report_problem
from kbc.frontends.page_includes import PageIncludes
from kbc.languages import markdown
from kbc.languages.front_matter import below_front_matter
from kbc.languages.includes.fenced import fenced_stretches
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile

_FEWEST = 3
"""Elements that are headings, at least, for a page of Markdown to be written in HTML."""
_ELEMENT = re.compile(r"^ {0,3}<h[1-6][ >]", re.MULTILINE)
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]", re.MULTILINE)


class PageBelowMatter(NamedTuple):
    """A file of HTML without its front matter, and this."""

    body: SourceFile
    data: Mapping[str, Any]


def is_html(file: SourceFile) -> bool:
    """Whether the file is HTML by the ending of its name."""
    return file.path.lower().endswith((".html", ".htm"))


def written_in_html(collection: Collection, files: Iterable[SourceFile]) -> list[SourceFile]:
    """The files of HTML, and the pages of Markdown that are written in HTML."""
    return [file for file in files if is_html(file) or _is_in_html(collection, file)]


def _is_in_html(collection: Collection, file: SourceFile) -> bool:
    """Whether more headings of a page of Markdown are elements of HTML than headings of Markdown."""
    is_markdown = file.path.lower().endswith((".md", ".markdown"))
    if not is_markdown or collection.is_mdx(file.path) or file.data.count(b"<h") < _FEWEST:
        return False
    stretches = fenced_stretches(file.data.decode("utf-8", "replace").replace("\r\n", "\n"))
    prose = "".join(text for text, is_code in stretches if not is_code)
    return len(_ELEMENT.findall(prose)) >= max(_FEWEST, len(_HEADING.findall(prose)) + 1)


def html_pages(
    files: Sequence[SourceFile], diagnostics: Diagnostics, includes: PageIncludes
) -> dict[str, PageBelowMatter]:
    """By path, files of HTML, or of Markdown as HTML, with what they include; without those that have no
    text, and without the pages that say that another is missing."""
    found: dict[str, PageBelowMatter] = {}
    for file in files:
        stored = _text(file, diagnostics)
        if stored is None or file.path.rpartition("/")[2].lower().startswith("404."):
            continue
        data, text = below_front_matter(includes.expand(file, stored, is_markdown=False))
        body = replace(file, data=(text if is_html(file) else markdown.to_html(text)).encode())
        if not body.is_blank:
            found[file.path] = PageBelowMatter(body, data)
    return found


def _text(file: SourceFile, diagnostics: Diagnostics) -> str | None:
    """The text of a file in UTF-8, or in the encoding that the page is in."""
    try:
        file.data.decode()
    except UnicodeDecodeError:
        from kbc.formats.html import text_of  # its libraries take long to import

        with suppress(FormatError):
            text, problem = text_of(file.data)
            if problem:
                report_problem(problem, file.path, diagnostics)
            return text
    return file.text(diagnostics)
