"""What of a page is embedded: not what its site does not show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kb_runtime.text.unshown import blank, without
from kbc.languages import markdown, mdx
from kbc.records import CompiledRecord, PatternRecord

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)

Span = tuple[int, int]
"""The characters [start, end) of a text."""


@dataclass(frozen=True, slots=True)
class Visible:
    """`text` is that of a record with spaces for what is not embedded. Of this, `comments` are not indexed
    and not shown either; they are in order, and none is within a paragraph."""

    text: str
    comments: tuple[Span, ...]


def visible_text(record: CompiledRecord, document: markdown.Document, *, is_mdx: bool) -> Visible:
    """The text of a record with spaces for front matter (a pattern's says when to use it and stays), for
    comments between blocks, such as a licence, and for MDX syntax."""
    text = record.text
    hidden = 0
    if document.front_matter is not None and not isinstance(record, PatternRecord):
        for _ in range(document.front_matter.last_line):
            hidden = text.find("\n", hidden) + 1 or len(text)
    body = text[hidden:]
    if is_mdx:
        body = body.replace("\r", " ")
        comments = [(hidden + start, hidden + end) for start, end in _own_lines(body)]
        body = mdx.mask(body)
    else:
        comments = list(_between_blocks(text, document))
    return Visible(without(blank(text[:hidden]) + body, comments), tuple(comments))


def _own_lines(body: str) -> Iterator[Span]:
    """Comments of MDX with nothing else on their lines."""
    for span in mdx.comments(body):
        before = body[body.rfind("\n", 0, span.start) + 1 : span.start]
        line_end = body.find("\n", span.end)
        after = body[span.end : line_end if line_end >= 0 else len(body)]
        if not before.strip() and not after.strip():
            yield span.start, span.end


def _between_blocks(text: str, document: markdown.Document) -> Iterator[Span]:
    """The comments of blocks that begin with one."""
    starts = [0]
    for block in document.blocks:
        if block.kind != "html" or not block.content.lstrip().startswith("<!--"):
            continue
        while len(starts) <= block.end_line:
            starts.append(text.find("\n", starts[-1]) + 1 or len(text))
        span = starts[block.start_line - 1], starts[block.end_line]
        yield from (found.span() for found in _COMMENT.finditer(text, *span))
