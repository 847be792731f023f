"""What of a page is embedded: not what its site does not show."""

from __future__ import annotations

import re

from kbc.languages import markdown, mdx
from kbc.records import CompiledRecord, PatternRecord

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def visible_text(record: CompiledRecord, document: markdown.Document, *, is_mdx: bool) -> str:
    """The text of a record with spaces for front matter (a pattern's says when to use it and stays), for
    comments between blocks, such as a licence, and for MDX syntax."""
    text = record.text
    hidden = 0
    if document.front_matter is not None and not isinstance(record, PatternRecord):
        for _ in range(document.front_matter.last_line):
            hidden = text.find("\n", hidden) + 1 or len(text)
    body = text[hidden:]
    if is_mdx:
        body = mdx.mask(body.replace("\r", " "))
    lines = (mdx.blank(text[:hidden]) + body).split("\n")
    for block in document.blocks:
        if block.kind == "html" and block.content.lstrip().startswith("<!--"):
            own = slice(block.start_line - 1, block.end_line)
            shown = _COMMENT.sub(lambda found: mdx.blank(found[0]), "\n".join(lines[own]))
            lines[own] = shown.split("\n")
    return "\n".join(lines)
