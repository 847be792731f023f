"""What of a page is embedded: not what its site does not show."""

from __future__ import annotations

from dataclasses import dataclass

from kb_runtime.text.unshown import blank, without
from kbc.languages import markdown, mdx
from kbc.languages.comments import Span, comments
from kbc.records import CompiledRecord, PatternRecord


@dataclass(frozen=True, slots=True)
class Visible:
    """`text` is that of a record with spaces for what is not embedded. Of this, `comments` are not indexed
    and not shown either; they are in order and apart."""

    text: str
    comments: tuple[Span, ...]


def visible_text(record: CompiledRecord, document: markdown.Document, *, is_mdx: bool) -> Visible:
    """The text of a record with spaces for front matter (a pattern's says when to use it and stays), for
    comments outside of code, and for MDX syntax."""
    text = record.text
    hidden = 0
    if document.front_matter is not None and not isinstance(record, PatternRecord):
        for _ in range(document.front_matter.last_line):
            hidden = text.find("\n", hidden) + 1 or len(text)
    body = text[hidden:]
    if is_mdx:
        body = body.replace("\r", " ")
        hidden_spans = [(hidden + span.start, hidden + span.end) for span in mdx.comments(body)]
        body = mdx.mask(body)
    else:
        hidden_spans = list(comments(text, document.commented))
    return Visible(without(blank(text[:hidden]) + body, hidden_spans), tuple(hidden_spans))
