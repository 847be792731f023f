"""What of a page is embedded: not what its site does not show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kb_runtime.text.unshown import blank, without
from kbc.languages import markdown
from kbc.languages.comments import Span, comments
from kbc.languages.mdx.syntax import mask, mdx_comments
from kbc.records import CompiledRecord, PatternRecord

_LINK = re.compile(r"(?:[-*+]|\d+[.)])\s+\[(?:(?!\]\().)+\]\(#[^()\s]*\)")
"""An item of a list that is nothing but a link to a place of its page."""
_LONG_CONTENTS = 20
"""So many of these fill a passage, which has the words of all sections and says nothing. Fewer tell what a
page or section is about."""

_LINE_END = re.compile(r"\n|\Z")
_DRAWN = re.compile(r"[-=*_|:\s]+")


@dataclass(frozen=True, slots=True)
class Visible:
    """`text` is that of a record with spaces for what is not embedded. Of this, `comments` are not indexed
    and not shown either; they are in order and apart."""

    text: str
    comments: tuple[Span, ...]


def visible_text(record: CompiledRecord, document: markdown.Document, *, is_mdx: bool) -> Visible:
    """The text of a record with spaces for front matter (a pattern's says when to use it and stays), for
    comments outside of code, for definitions of links and long contents of the page, for MDX syntax, and for
    lines that only draw."""
    text = record.text
    hidden = 0
    if document.front_matter is not None and not isinstance(record, PatternRecord):
        for _ in range(document.front_matter.last_line):
            hidden = text.find("\n", hidden) + 1 or len(text)
    body = text[hidden:]
    if is_mdx:
        body = body.replace("\r", " ")
        hidden_spans = [(hidden + start, hidden + end) for start, end in mdx_comments(body)]
        body = mask(body)
    else:
        hidden_spans = list(comments(text, document.commented))
    starts = [0, *(end.end() for end in _LINE_END.finditer(text))]
    apart: list[Span] = []
    for span in sorted([*hidden_spans, *_navigation(document, starts)]):
        if not apart or span[0] >= apart[-1][1]:  # a comment may be in what is hidden as a whole
            apart.append(span)
    visible = without(blank(text[:hidden]) + body, apart)
    return Visible(without(visible, _drawn(document, starts)), tuple(apart))


def _drawn(document: markdown.Document, starts: Sequence[int]) -> Iterator[Span]:
    """Lines that are drawn: rules, what underlines a heading, and the line below the head of a table. To an
    encoder each of their signs is a token."""
    for block in document.blocks:
        number = block.end_line if block.kind in ("heading", "rule") else block.start_line + 1
        if block.kind in ("heading", "rule", "table") and number <= block.end_line:
            start, end = starts[number - 1], starts[number]
            if _DRAWN.fullmatch(document.text, start, end):
                yield start, end


def _navigation(document: markdown.Document, starts: Sequence[int]) -> Iterator[Span]:
    """Lines that only say where links lead (`[docs]: https://...`), but not notes that are written alike
    (`[^1]: ...`), and long tables of the page's own contents."""
    for block in document.blocks:
        start, end = starts[block.start_line - 1], starts[block.end_line]
        if block.kind == "list":
            lines = map(str.strip, document.text[start:end].split("\n"))
            items = [line for line in lines if line]
            is_hidden = len(items) >= _LONG_CONTENTS and all(map(_LINK.fullmatch, items))
        else:
            is_hidden = block.kind == "reference" and "[^" not in block.content
        if is_hidden:
            yield start, end
