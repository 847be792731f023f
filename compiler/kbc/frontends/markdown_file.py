"""Reads Markdown files for the front ends: text, title, summary, links."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kbc.cache.phases import remembered
from kbc.diagnostics import Diagnostics
from kbc.frontends.includes import PageIncludes
from kbc.frontends.long_lines import has_long_line
from kbc.frontends.metadata import Declared, Located
from kbc.languages import markdown
from kbc.languages.markdown import Block, Document
from kbc.limits import MAX_LINK_LINE_CHARS
from kbc.project.source_file import SourceFile

MAX_SUMMARY_CHARS = 200

_CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_LINK = re.compile(r"\]\(\s*<?([^()<>\s]+)|^ {0,3}\[[^\]]+\]:\s*<?([^<>\s]+)")


@dataclass(frozen=True, slots=True)
class MarkdownFile:
    """A Markdown or MDX file: its text as stored, that with what it includes, and the structure of this."""

    file: SourceFile
    text: str
    document: Document
    is_mdx: bool
    stored: str

    @property
    def metadata(self) -> Located:
        """The front matter."""
        return Located(self.document.data, self.file.path, self.document.line_of)

    def read_metadata(self, model: type[Declared], diagnostics: Diagnostics) -> Declared:
        """The front matter as `model` declares it."""
        return self.metadata.read(model, diagnostics)

    @property
    def format(self) -> str:
        return "mdx" if self.is_mdx else "markdown"


def read_markdown(
    file: SourceFile, diagnostics: Diagnostics, includes: PageIncludes | None = None
) -> MarkdownFile | None:
    """The parsed file with its problems reported; None when it is no text. With `includes`, its text is
    that of the page, in which lines count from its own beginning."""
    text = file.text(diagnostics)
    if text is None or has_long_line(text, file.path, diagnostics):
        return None
    stored = text
    if includes is not None:
        text = includes.expand(file, stored)
    is_mdx = file.path.lower().endswith(".mdx")
    document = markdown.parse(text, mdx=is_mdx)
    document.report(file.path, diagnostics)
    return MarkdownFile(file, text, document, is_mdx, stored)


def line_count(text: str) -> int:
    """Lines of `text`; a last line without a line end counts."""
    return text.count("\n") + (not text.endswith("\n") and text != "")


def split_lines(text: str) -> list[str]:
    """The lines of `text` with their line ends; joined, they are `text`."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def level_two_sections(blocks: Sequence[Block]) -> Iterator[tuple[Block, Sequence[Block]]]:
    """Each level-2 heading with the blocks up to the next heading of level 1 or 2."""
    starts = [i for i, block in enumerate(blocks) if block.kind == "heading" and block.level <= 2]
    for start, end in itertools.zip_longest(starts, starts[1:], fillvalue=len(blocks)):
        if blocks[start].level == 2:
            yield blocks[start], blocks[start + 1 : end]


def first_paragraph(blocks: Sequence[Block], references: Mapping[str, Any]) -> str:
    """The first paragraph's text on one line, cut to a summary's length; "" without a paragraph."""
    for block in blocks:
        if block.kind == "paragraph":
            text = markdown.plain_text(block.content, references)
            if text:
                return shorten(text)
    return ""


def shorten(text: str) -> str:
    """`text` on one line, at most `MAX_SUMMARY_CHARS` long, cut between words."""
    line = " ".join(text.split())
    if len(line) <= MAX_SUMMARY_CHARS:
        return line
    return line[: MAX_SUMMARY_CHARS - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"


@remembered("links")
def links(text: str, *, is_mdx: bool) -> list[tuple[int, str]]:
    """The targets of links and images outside code, with their 1-based lines in `text`."""
    code_lines = markdown.parse(text, mdx=is_mdx).code_lines
    found: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if number not in code_lines and "]" in line and len(line) <= MAX_LINK_LINE_CHARS:
            for match in _LINK.finditer(_CODE_SPAN.sub("", line)):
                found.append((number, match.group(1) or match.group(2)))
    return found
