"""Lists of AsciiDoc: bullets, numbers, callouts and descriptions, nested, with attached blocks."""

from __future__ import annotations

import re

from kbc.formats import commonmark
from kbc.formats.asciidoc.inline import BlockWriter
from kbc.formats.asciidoc.lines import LineReader, SourceLine
from kbc.formats.asciidoc.markup import DELIMITER, TITLE, Written

_ITEM = re.compile(
    r"\s*(?P<mark>\*{1,6}|-|\.{1,6}|\d+\.|[a-zA-Z]\.|<(?:\d+|\.)>|•)\s+(?P<text>\S.*)\Z"
)
_TERM = re.compile(r"\s*(?P<term>\S.*?)(?P<mark>:{2,4}|;;)(?:\s+(?P<text>\S.*))?\Z")
_CHECK = re.compile(r"\[([ *x])\]\s+")
_MOST_LEVELS = 12


def marker(text: str) -> str | None:
    """The kind and depth of the list item that begins with the line: `**`, `.`, `1`, `<`, `::`."""
    if match := _ITEM.match(text):
        mark = match["mark"]
        if mark[0] == "<":
            return "<"
        return "1" if mark[0].isalnum() else mark
    if (match := _TERM.match(text)) and not re.match(r"[\w-]+::\S*\[.*\]\Z", text.strip()):
        return match["mark"]
    return None


def write(blocks: BlockWriter, lines: LineReader, above: tuple[str, ...] = ()) -> Written:
    """The list that begins with the next line; `above` are the markers of lists it is in."""
    first = lines.peek()
    assert first is not None
    kind = marker(first.text) or ""
    items: list[Written] = []
    while (line := lines.peek()) is not None and marker(line.text) == kind:
        items.append(_item(blocks, lines, kind, len(items), (*above, kind)))
        line, ahead = _following(lines)
        if line is not None and marker(line.text) == kind:
            for _ in range(ahead):
                lines.next()
    return commonmark.listed(items)


def _following(lines: LineReader) -> tuple[SourceLine | None, int]:
    """The next line that is neither blank nor a comment, and how many of these are before it."""
    ahead = 0
    while (line := lines.peek(ahead)) is not None and (not line.text or _is_comment(line)):
        ahead += 1
    return line, ahead


def _is_comment(line: SourceLine) -> bool:
    return line.text.startswith("//") and not line.text.startswith("////")


def _item(
    blocks: BlockWriter, lines: LineReader, kind: str, index: int, above: tuple[str, ...]
) -> Written:
    line = lines.next()
    assert line is not None
    parts: list[Written] = []
    if kind[0] in ":;":
        match = _TERM.match(line.text)
        assert match is not None
        parts.append([f"**{blocks.inline.label(match['term'])}**"])
        text = match["text"] or ""
        prefix = "- "
        if not text:
            _skip_to_text(lines)
    else:
        match = _ITEM.match(line.text)
        assert match is not None
        text = _CHECK.sub("", match["text"])
        numbered = kind[0] in ".1<"
        prefix = f"{index + 1}. " if numbered else "- "
    blocks.contained += 1
    rest = _text_lines(lines)
    body = "\n".join([*([text] if text else []), *(each.text.strip() for each in rest)])
    if body.strip():
        parts.append(blocks.paragraph(body))
    outer, blocks.above = blocks.above, above
    _attached(blocks, lines, parts, above)
    blocks.above = outer
    blocks.contained -= 1
    return commonmark.indented(_tight(parts), prefix)


def _skip_to_text(lines: LineReader) -> None:
    """A term's description may begin after a blank line."""
    line, after = lines.peek(), lines.peek(1)
    if line is None or line.text or after is None or not after.text:
        return
    if marker(after.text) is None and not re.match(r"[=.\[|+*_-]", after.text):
        lines.next()


def _tight(parts: list[Written]) -> Written:
    """A list right below an item's text needs no blank line between them."""
    if len(parts) == 2 and parts[0] and parts[1] and "" not in parts[1]:
        is_list = re.match(r"- |1\. ", parts[1][0]) is not None
        if is_list and not parts[0][0].startswith("**"):
            return [*parts[0], *parts[1]]
    return commonmark.blocks(parts) or [""]


def _text_lines(lines: LineReader) -> list[SourceLine]:
    """The further lines of an item's text."""
    found: list[SourceLine] = []
    while (line := lines.peek()) is not None and line.text and line.text != "+":
        text = line.text
        if marker(text) is not None or DELIMITER.match(text) or TITLE.match(text) or text[0] == "[":
            break
        lines.next()
        if not _is_comment(line):
            found.append(line)
    return found


def _attached(
    blocks: BlockWriter, lines: LineReader, parts: list[Written], above: tuple[str, ...]
) -> None:
    """Blocks behind a `+`, nested lists, and indented text that belong to the item. Each blank line before a
    `+` attaches what follows to the list one level up."""
    while (line := lines.peek()) is not None:
        if line.text == "+":
            lines.next()
            while (following := lines.peek()) is not None and not following.text:
                lines.next()
            if following is not None and following.text != "+":
                parts.append(blocks.block(lines))
            continue
        if marker(line.text) is not None:
            if not _is_nested(line, above):
                return
            parts.append(write(blocks, lines, above))
            continue
        if line.text:
            is_described = above[-1][0] in ":;" and len(parts) == 1
            if not (is_described or (line.text.startswith("[") and _belongs(lines, above))):
                return
            parts.append(blocks.block(lines))
            continue
        following, ahead = _following(lines)
        if following is None:
            return
        if following.text == "+":
            lines.next()
            if len(above) > 1:
                return
            continue
        literal = marker(following.text) is None and following.text[:1].isspace()
        if not literal and not _is_nested(following, above):
            return
        for _ in range(ahead):
            lines.next()
        if literal:
            parts.append(blocks.block(lines))


def _is_nested(line: SourceLine, above: tuple[str, ...]) -> bool:
    """Whether a list within the item begins with the line."""
    kind = marker(line.text)
    return kind not in (None, "<", *above) and len(above) <= _MOST_LEVELS


def _belongs(lines: LineReader, above: tuple[str, ...]) -> bool:
    """Whether the attribute list ahead is that of a list nested in the item."""
    following = lines.peek(1)
    return following is not None and marker(following.text) not in (None, "<", *above)
