"""Reads Markdown files for the front ends: text, title, summary, links."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markdown_it.common.utils import unescapeAll

from kb_runtime.text.unshown import without
from kbc.cache.phases import recalled_each
from kbc.diagnostics import Diagnostics
from kbc.frontends.metadata import Located
from kbc.languages import markdown
from kbc.languages.addresses import without_pictures
from kbc.languages.comments import comments
from kbc.languages.includes.dialects.katacoda import without_actions
from kbc.languages.includes.dialects.slides import without_settings
from kbc.languages.includes.fenced import SPAN
from kbc.languages.markdown import Block, Document
from kbc.languages.mdx.syntax import mdx_comments
from kbc.limits import MAX_LINE_CHARS, MAX_LINK_LINE_CHARS
from kbc.project.source_file import SourceFile

MAX_SUMMARY_CHARS = 200

_SAYS_NOTHING = re.compile(
    r"\*\*(?:[^*\s]++[ \t]*+){1,3}\*\*|Defined in: [^\n]*|\([^()\s]+\)=|\{\{[^{}]*\}\}|\{%[^{}]*%\}"
    r"|(?:\[?!\[[^\[\]\n]*\](?:\([^()\n]*\)|\[[^\[\]\n]*\])?(?:\](?:\([^()\n]*\)|\[[^\[\]\n]*\])?)?\s*+)++"
)
"""A paragraph that is a label (`**Note**`), the place in source that TypeDoc names, a target of MyST, what a
template fills in, or only pictures, such as badges."""

_LINK = re.compile(
    r"\]\(\s*(?:<(?P<quoted>[^<>]+)>|(?P<target>(?:[^()<>\s\\]|\\[!-/:-@\[-`{-~]?|\([^()\s]*\))++))"
    r"(?!\s+[\"']:ignore\b)"  # Docsify: not a page of the site
    r"|^ {0,3}\[[^\]]+\]:\s*(?:<(?P<defined_quoted>[^<>]+)>|(?P<defined>[^<>\s]+))"
)


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

    @property
    def format(self) -> str:
        return "mdx" if self.is_mdx else "markdown"


def read_markdown(file: SourceFile, diagnostics: Diagnostics) -> MarkdownFile | None:
    """The parsed file with its problems reported; None when it is no text."""
    text = read_text(file, diagnostics)
    return None if text is None else parsed(file, text, text, diagnostics)


def read_text(file: SourceFile, diagnostics: Diagnostics) -> str | None:
    """The text of a file that somebody wrote, without pictures; None, with a diagnostic, for other files."""
    text = without_settings(without_actions(without_pictures(file.text(diagnostics) or "")))
    return None if not text or has_long_line(text, file.path, diagnostics) else text


def has_long_line(text: str, path: str, diagnostics: Diagnostics) -> bool:
    """Whether a line is longer than anybody writes, as in minified code, data and pictures as text; reports
    it."""
    lines = text.split("\n") if len(text) > MAX_LINE_CHARS else []
    for number, line in enumerate(lines, start=1):
        if (size := len(line)) > MAX_LINE_CHARS:
            said = f"a line has {size:,} characters, more than {MAX_LINE_CHARS:,}"
            message = f"{said}; the file was left out"
            hint = "Break the line, or exclude the file with `exclude`."
            diagnostics.warning("file-line-too-long", message, path, number, hint=hint)
            return True
    return False


def parsed(
    file: SourceFile,
    text: str,
    stored: str,
    diagnostics: Diagnostics,
    *,
    is_mdx: bool | None = None,
) -> MarkdownFile:
    """A file with its problems reported. `text` is what is `stored` in it, with what it includes, and lines
    count in `text`. Without `is_mdx`, the ending of the file says whether it is MDX."""
    is_mdx = file.path.lower().endswith(".mdx") if is_mdx is None else is_mdx
    document = markdown.parse(text, mdx=is_mdx)
    document.report(file.path, diagnostics)
    return MarkdownFile(file, text, document, is_mdx, stored)


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
    """The text of the first paragraph that says something, else of the first one, on one line, cut to a
    summary's length; "" without a paragraph."""
    first = ""
    for block in blocks:
        text = block.kind == "paragraph" and markdown.plain_text(block.content, references)
        if text and not says_nothing(block):
            return shorten(text)
        first = first or text or ""
    return shorten(first)


def says_nothing(paragraph: Block) -> bool:
    """Whether a reader learns nothing from it: a label, a target, or pictures."""
    return bool(_SAYS_NOTHING.fullmatch(paragraph.content.strip()))


def shorten(text: str) -> str:
    """`text` on one line, at most `MAX_SUMMARY_CHARS` long, cut between words."""
    line = " ".join(text.split())
    if len(line) <= MAX_SUMMARY_CHARS:
        return line
    return line[: MAX_SUMMARY_CHARS - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"


Links = list[tuple[int, str]]
"""The targets of links and images outside code and comments, with their 1-based lines."""


def links(texts: Iterable[tuple[str, bool]]) -> Iterator[Links]:
    """Those of each text, of which the flag says whether it is MDX."""
    return recalled_each("links", _links, texts, lambda text: text, Links)


def _links(source: tuple[str, bool]) -> Links:
    text, is_mdx = source
    document = markdown.parse(text, mdx=is_mdx)
    if is_mdx:
        hidden = [(span.start, span.end) for span in mdx_comments(text)]
    else:
        hidden = list(comments(text, document.commented))
    shown = without(text, hidden)
    found: Links = []
    for number, line in enumerate(shown.split("\n"), start=1):
        if number not in document.code_lines and "]" in line and len(line) <= MAX_LINK_LINE_CHARS:
            for match in _LINK.finditer(SPAN.sub("", line)):
                target = next(filter(None, match.groups()))
                found.append((number, unescapeAll(target.strip())))
    return found
