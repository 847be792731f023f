"""Pages of HTML below front matter, as Jekyll and Hugo have them, for the front end of documentation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from kbc.diagnostics import Diagnostics
from kbc.formats import FormatError
from kbc.frontends.page_includes import PageIncludes
from kbc.languages.front_matter import below_front_matter
from kbc.project.source_file import SourceFile


class PageBelowMatter(NamedTuple):
    """A file of HTML without its front matter, and this."""

    body: SourceFile
    data: Mapping[str, Any]


def is_html(file: SourceFile) -> bool:
    """Whether the file is HTML by the ending of its name."""
    return file.path.lower().endswith((".html", ".htm"))


def html_pages(
    files: Sequence[SourceFile], diagnostics: Diagnostics, includes: PageIncludes
) -> dict[str, PageBelowMatter]:
    """By path, files of HTML with what they include; without those that have no text, and without the pages
    that say that another is missing."""
    found: dict[str, PageBelowMatter] = {}
    for file in files:
        stored = _text(file, diagnostics)
        if stored is None or file.path.rpartition("/")[2].lower().startswith("404."):
            continue
        data, text = below_front_matter(includes.expand(file, stored))
        body = replace(file, data=text.encode())
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
                diagnostics.warning(
                    problem.code, problem.message, file.path, problem.line, hint=problem.hint
                )
            return text
    return file.text(diagnostics)
