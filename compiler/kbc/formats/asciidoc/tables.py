"""Tables of AsciiDoc as pipe tables, or as lists where a cell holds more than text."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from kbc.formats import commonmark
from kbc.formats.asciidoc.attributes import Attributes
from kbc.formats.asciidoc.inline import BlockWriter
from kbc.formats.asciidoc.lines import SourceLine
from kbc.formats.asciidoc.markup import Written

MAX_COLUMNS = 100
MAX_CELLS = 50_000

_CELL = re.compile(
    r"(?:(?:(?<=\s)|^)(?:(?=[\d.])(?P<count>\d*)(?:\.(?P<rows>\d+))?(?P<repeat>[*+]))?[<^>.]*"
    r"(?P<style>[adehlmsv]?))?(?<!\\)\|",
    re.MULTILINE,
)
"""A separator, and what is said of the cell behind it where that stands apart from the text before."""

_COLUMN = re.compile(r"(?:(\d+)\*)?[<^>.]*[\d%~]*\s*([aehlmsdv]?)\Z")


class Cell(NamedTuple):
    text: str
    style: str = ""
    columns: int = 1
    rows: int = 1


def write(blocks: BlockWriter, kind: str, body: list[SourceLine], given: Attributes) -> Written:
    styles = _columns(given.get("cols"))
    source = "\n".join(line.text for line in body)
    form = given.get("format", {",": "csv", ":": "dsv"}.get(kind, "psv"))
    if form in ("csv", "dsv", "tsv"):
        mark = given.get("separator", {"csv": ",", "dsv": ":", "tsv": "\t"}[form])
        rows = [[Cell(text.strip()) for text in row] for row in _separated(source, mark[:1] or ",")]
    else:
        separator = given.get("separator", "!" if kind == "!" else "|")
        rows = _rows(source, separator, len(styles))
    rows = [row for row in rows if row]
    if not rows:
        return []
    header = rows.pop(0) if len(rows) > 1 and _has_header(source, given) else []
    for row in rows:
        for index, (cell, style) in enumerate(zip(row, styles, strict=False)):
            row[index] = cell._replace(style=cell.style or style)
    width = max(len(row) for row in [header, *rows])
    blocks.contained += 1
    if all(_is_simple(cell) for row in rows for cell in row):
        names = [_inline(blocks, cell) for cell in header]
        texts = [[_inline(blocks, cell) for cell in row] for row in rows]
        written = commonmark.table(names or [""] * width, texts)
    else:
        names = [
            _inline(blocks, cell) if cell.style in ("l", "m") else blocks.inline.label(cell.text)
            for cell in header
        ]
        cells = ([_blocks(blocks, cell) for cell in row] for row in rows)
        written = commonmark.listed_rows(names, cells)
    blocks.contained -= 1
    return written


def _columns(cols: str) -> list[str]:
    """The style of each column."""
    styles: list[str] = []
    if re.fullmatch(r"\d{1,3}", cols.strip()):
        return [""] * min(int(cols), MAX_COLUMNS)
    for part in re.split(r"[,;]", cols) if cols.strip() else []:
        match = _COLUMN.search(part.strip())
        count = int(match[1]) if match and match[1] and len(match[1]) < 4 else 1
        styles += [match[2] if match else ""] * count
    return styles[:MAX_COLUMNS]


def _has_header(source: str, given: Attributes) -> bool:
    if "header" in given.options:
        return True
    if "noheader" in given.options:
        return False
    lines = source.split("\n")
    return len(lines) > 2 and bool(lines[0]) and not lines[1]


def _separated(source: str, mark: str) -> list[list[str]]:
    try:
        return list(csv.reader(source.split("\n"), delimiter=mark))
    except csv.Error:
        return [line.split(mark) for line in source.split("\n")]


def _rows(source: str, separator: str, width: int) -> list[list[Cell]]:
    if separator != "|":
        source = source.replace("|", "\\|").replace(separator, "|")
    matches = list(_CELL.finditer(source))
    cells: list[Cell] = []
    first_row = 0  # columns of the line that the first cell is on
    line_end = source.find("\n", matches[0].start()) if matches else -1
    for index, match in enumerate(matches):
        end = matches[index + 1].start() if index + 1 < len(matches) else len(source)
        text = source[match.end() : end].replace("\\|", "|").strip("\n").strip()
        count = min(int(match["count"] or 1), MAX_COLUMNS) if len(match["count"] or "") < 4 else 1
        spans = match["repeat"] == "+"
        rows = min(int(match["rows"] or 1), 1000) if len(match["rows"] or "") < 5 else 1
        cell = Cell(text, match["style"] or "", count if spans else 1, rows)
        cells += [cell] * (1 if spans else count)
        if line_end < 0 or match.start() < line_end:
            first_row += count
        if len(cells) > MAX_CELLS:
            break
    return _placed(cells, max(1, min(width or first_row, MAX_COLUMNS)))


def _placed(cells: list[Cell], width: int) -> list[list[Cell]]:
    """The cells in rows of `width`, with empty ones where another reaches over."""
    waiting = deque(cells)

    def rest() -> Iterator[tuple[Cell, int, int]]:
        while waiting:
            cell = waiting.popleft()
            yield cell, cell.columns, cell.rows

    # Each row takes as many as it has room for.
    rows = (rest() for _ in iter(lambda: bool(waiting), False))
    return commonmark.placed(rows, width, Cell(""))


def _is_simple(cell: Cell) -> bool:
    if cell.style == "l":
        return "\n" not in cell.text
    if cell.style != "a":
        return True
    return "\n\n" not in cell.text and not re.search(
        r"^(?:\[|[-.=*_+]{4}|\s*[*.-]+\s|```|\+$|!===|--$|\S.*::)", cell.text, re.MULTILINE
    )


def _inline(blocks: BlockWriter, cell: Cell) -> str:
    if cell.style == "l" and cell.text:
        return commonmark.code_span(cell.text)
    if cell.style == "m" and cell.text:
        return blocks.inline.monospaced(cell.text)
    paragraphs = re.split(r"\n\s*\n", cell.text)
    return "\n".join(
        " ".join(blocks.inline.cell(text).replace("\\\n", " ").split()) for text in paragraphs
    )


def _blocks(blocks: BlockWriter, cell: Cell) -> Written:
    if cell.style == "a":
        lines = [SourceLine(text.rstrip(), "", 0, done=True) for text in cell.text.split("\n")]
        return blocks.nested(lines)
    if cell.style == "l" and cell.text:
        return commonmark.fence(cell.text)
    return commonmark.paragraph(_inline(blocks, cell))
