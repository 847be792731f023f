"""The cost of cutting Markdown before each line: low between blocks, higher inside one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kbc.chunking.lines import TextLines
from kbc.chunking.packing import BORDER, GLUED, WHOLE_BLOCK
from kbc.chunking.plain import code_cuts, prose_cuts
from kbc.languages.markdown import Block

_NEW_BLOCK = 5
_CODE_AFTER_TEXT = 15
_AFTER_COLON = 45
_LIST_ITEM = 20
_NESTED_ITEM = 35
_INSIDE_ITEM = 55
_TABLE_ROW = 30
_FENCE_MARK = 90
_INSIDE_OTHER = 40

# `**Note**`: what an admonition, or a heading outside of the contents, is called.
_LABEL = re.compile(r"\s*(\*\*|__)(?=\S)(?:(?!\1)[^\n]){1,100}(?<![\s.!?。])\1:?\s*")
_ITEM = re.compile(r"(\s*)(?:[-*+]|\d{1,9}[.)])(?:\s|\Z)")


def block_cuts(lines: TextLines, blocks: Sequence[Block], room: int) -> list[int]:
    """The cost of a cut before each line. `room` is the smallest that any passage has."""
    cuts = [BORDER] * len(lines)
    previous: Block | None = None
    for block in blocks:
        first, end = lines.indexes(block.start_line, block.end_line)
        inside = _cuts_inside(lines, block, first, end)
        if block.kind in ("fence", "code", "table", "html") and lines.cost(first, end) <= room:
            inside = [cut + WHOLE_BLOCK for cut in inside]
        cuts[first:end] = inside
        if first < end:
            cuts[first] = _cut_between(lines, previous, block)
        previous = block
    return cuts


def _cut_between(lines: TextLines, previous: Block | None, block: Block) -> int:
    if block.kind == "heading" or previous is None:
        return BORDER
    if previous.kind == "heading" or _is_label(lines, previous):
        return GLUED
    if previous.kind == "paragraph" and block.kind in ("fence", "code", "table", "list", "quote"):
        _, end = lines.indexes(previous.start_line, previous.end_line)
        introduces = lines[end - 1].rstrip().endswith(":")
        return _AFTER_COLON if introduces else _CODE_AFTER_TEXT
    return _NEW_BLOCK


def _is_label(lines: TextLines, block: Block) -> bool:
    """Whether a paragraph is a line in bold that says what follows."""
    first, end = lines.indexes(block.start_line, block.end_line)
    return block.kind == "paragraph" and end - first == 1 and bool(_LABEL.fullmatch(lines[first]))


def _cuts_inside(lines: TextLines, block: Block, first: int, end: int) -> list[int]:
    match block.kind:
        case "heading":
            return [GLUED] * (end - first)
        case "paragraph" | "reference":
            return prose_cuts(lines, first, end)
        case "list":
            return _list_cuts(lines, first, end)
        case "table":
            return [GLUED if index < 3 else _TABLE_ROW for index in range(end - first)]
        case "fence":
            content = code_cuts(lines, first + 1, max(end - 1, first + 1))
            if content:
                content[0] = _FENCE_MARK
            return [BORDER, *content, _FENCE_MARK][: end - first]
        case "code":
            return code_cuts(lines, first, end)
        case _:
            return [_INSIDE_OTHER] * (end - first)


def _list_cuts(lines: TextLines, first: int, end: int) -> list[int]:
    cuts = []
    margin: int | None = None
    for index in range(first, end):
        item = _ITEM.match(lines[index])
        if item is None:
            cuts.append(_INSIDE_ITEM)
            continue
        depth = len(item[1])
        margin = depth if margin is None else margin
        cuts.append(_LIST_ITEM if depth <= margin else _NESTED_ITEM)
    return cuts
