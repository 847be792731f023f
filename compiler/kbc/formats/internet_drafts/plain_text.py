"""RFCs and Internet-Drafts as plain text: sections, lists and figures, without heads and feet of pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import dedent

from kbc.formats import commonmark
from kbc.formats.document import Converted, Read, decode

_FOOT = re.compile(r"\[Page [0-9ivxlc]+\]\s*\Z")
_HEAD = re.compile(r"(?:RFC|Internet[- ]Draft)\b.*\b[12][09]\d\d\Z")
_NUMBER = re.compile(r"^Request for Comments:? *#? *(\d+)", re.MULTILINE | re.IGNORECASE)
_SENTENCE_END = (".", ":", "?", "!")
_DRAFT = re.compile(r"\s*+<?(draft-[\w-]++)\S*+\s*+")
_NUMBERED = re.compile(r"(?:Appendix |(?![A-Z] ))(?P<number>(?:\d+|[A-Z])(?:\.\d+)*)\.?:?[ \t]+\S")
"""A heading with its number; "A client" is none."""
_NAMED = re.compile(r"[A-Z][\w’' ,/()-]{2,60}")
_CONTENTS = "table of contents"
_ENTRY = re.compile(r"[. ]{4,}\d+\s*\Z")
"""How a line of the table of contents ends."""

_ITEM = re.compile(r"(?P<indent> *)(?P<mark>[o*+•-]|\d{1,2}[.)]) +(?=\S)")
_DRAWN = re.compile(r"[-+|=_/\\<>^]{3,}|::=|^ *\|", re.MULTILINE)
_COLUMNS = re.compile(r"(?<=[^.:?!\s]) {2,}(?=\S)")
_INDENT = 3  # of text
_LONGEST_HEADING = 200
_FULL_LINE = 55  # characters that some line of a paragraph has


def convert(path: str, data: bytes, read: Read) -> Converted:
    """The document of a file; without a title where none is indented below the first lines, as old RFCs have
    none. Raises `FormatError` for what is no text."""
    lines = _without_page_breaks(decode(data).expandtabs().split("\n"))
    parts = re.split(r"\n(?=\n)", "\n".join(lines))
    blocks = [block for part in parts if (block := part.strip("\n"))]
    place = next((at for at, each in enumerate(blocks[:8]) if at and each.startswith(" ")), 0)
    start = place or 1
    above = blocks[place].split("\n") if place else []
    first = [(line, _DRAFT.fullmatch(line)) for line in above]
    title = " ".join(" ".join(line for line, draft in first if draft is None).split())
    number = next(iter(_NUMBER.findall("\n".join(blocks[:start]))), "")
    names = [f"RFC {number}"] if number else [draft[1] for _, draft in first if draft]
    heading = commonmark.heading(1, commonmark.escaped(title)) if title else []
    body = _body(blocks[place + 1 :])
    text = commonmark.document(commonmark.blocks([heading, _figure(blocks[:start]), *body]))
    url = f"https://www.rfc-editor.org/rfc/rfc{number}" if number else ""
    return Converted(text=text, format="rfc-text", title=title, url=url, index_names=tuple(names))


def _without_page_breaks(lines: Sequence[str]) -> list[str]:
    kept: list[str] = []
    is_between_pages = False
    for line in lines:
        bare = line.strip()
        if _FOOT.search(line):
            while kept and not kept[-1]:
                kept.pop()
            is_between_pages = True
        elif not is_between_pages or (bare and not _HEAD.match(bare)):
            is_within = kept and bare[:1].islower() and not kept[-1].endswith(_SENTENCE_END)
            if is_between_pages and not is_within:
                kept.append("")
            is_between_pages = False
            kept.append(line.strip("\f").rstrip())
    return kept


def _body(blocks: Sequence[str]) -> Iterator[list[str]]:
    drawn: list[str] = []
    is_in_contents = False
    for block in blocks:
        level = _level(block)
        if level:
            is_in_contents = block.strip().lower() == _CONTENTS
        if is_in_contents:
            continue
        if not level and _is_drawn(block):
            drawn.append(block)
            continue
        yield _figure(drawn)
        drawn = []
        yield commonmark.heading(level, commonmark.escaped(block)) if level else _paragraph(block)
    yield _figure(drawn)


def _level(block: str) -> int:
    """The level of the heading that a block is; 0 for others."""
    if block[0] == " " or len(block) > _LONGEST_HEADING or _ENTRY.search(block):
        return 0
    if any(not line.startswith(" ") for line in block.split("\n")[1:]):
        return 0
    if numbered := _NUMBERED.match(block):
        return 2 + numbered["number"].count(".")
    return 2 if _NAMED.fullmatch(block) else 0


def _is_drawn(block: str) -> bool:
    """Whether a block is a figure, a table or code."""
    if _DRAWN.search(block):
        return True
    lines = block.split("\n")
    indents = {len(line) - len(line.lstrip()) for line in lines}
    if min(indents) <= _INDENT or _ITEM.match(block):
        return False
    in_columns = sum(bool(_COLUMNS.search(line.strip())) for line in lines) > 1
    return in_columns or len(indents) > 2 or max(map(len, lines)) < _FULL_LINE


def _paragraph(block: str) -> list[str]:
    item = _ITEM.match(block)
    text = commonmark.escaped(block[item.end() :] if item else block)
    lines = commonmark.paragraph(text)
    if item is None:
        return lines
    mark = item["mark"] if item["mark"][0].isdigit() else "-"
    depth = max(0, len(item["indent"]) - _INDENT) // _INDENT
    return commonmark.indented(lines, f"{'  ' * depth}{mark} ")


def _figure(blocks: Sequence[str]) -> list[str]:
    return commonmark.fence(dedent("\n\n".join(blocks)), "text") if blocks else []
