"""What kind of text a passage of Markdown is: prose, code of a language, a description of an endpoint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from kbc.chunking.lines import TextLines
from kbc.chunking.packing import PackedPassage
from kbc.languages.fences import chunk_type
from kbc.languages.markdown import Block

# The share of a passage's tokens that code must have for the passage to count as code.
_MOSTLY_CODE = 0.8
_ENDPOINT = re.compile(r"\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\s+`?(?:/|https?://)\S")


def coded_lines(lines: TextLines, blocks: Sequence[Block]) -> dict[int, str]:
    """The language ("" when unnamed) of each line of a code block."""
    return {
        index: block.language if block.kind == "fence" else ""
        for block in blocks
        if block.kind in ("fence", "code")
        for index in range(*lines.indexes(block.start_line, block.end_line))
    }


def passage_type(
    lines: TextLines, passage: PackedPassage, headings: Iterable[range], coded: Mapping[int, str]
) -> tuple[str, str]:
    """The type of a passage, and its language when most of it is code. `headings` are the lines of each
    heading that it has some of."""
    first, end = lines.holding(passage.start, passage.end)
    # An underlined heading may have a hundred thousand lines, of which a passage holds a few.
    titles = {i for span in headings for i in range(max(span.start, first), min(span.stop, end))}
    text_cost = sum(lines.costs[i] for i in range(first, end) if i not in titles)
    code = [index for index in range(first, end) if index in coded]
    if code and sum(lines.costs[i] for i in code) >= _MOSTLY_CODE * text_cost:
        return chunk_type(coded[code[0]]), coded[code[0]]
    if _ENDPOINT.search(lines.text, passage.start, passage.end):
        return "api", ""
    return "prose", ""
