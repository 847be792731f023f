"""Writes CommonMark: what converters of formats share to write blocks and inline text.

A block is a list of lines without line ends. Text of a document is escaped only where it would be
read as markup, so that it stays readable and searchable.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import count, repeat
from typing import TypeVar

from kb_runtime.text.rendering import backticks

_INLINE_SPECIAL = re.compile(
    r"""\\(?=[!-/:-@\[-`{-~]|\Z) | ` | (?<!\s)\*+|\*+(?!\s) | (?<!\w)_+|(?<!_)_++(?!\w)
      | <(?=[A-Za-z/!?]) | \](?=[(\[]) | &(?=\#?\w{1,32};)""",
    re.VERBOSE,
)
_LINE_SPECIAL = re.compile(
    r"(?=#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|=+\s*$|-+\s*$|~~~)|\d{1,9}(?=[.)](?:\s|$))"
)
"""What at the beginning of a line a backslash keeps from beginning a block of another kind."""
_BACKTICKS = re.compile(r"`+")


def escaped_around(text: str, marks: re.Pattern[str], shown: Callable[[re.Match[str]], str]) -> str:
    """The Markdown of a text: what `marks` finds as `shown` writes it, the rest escaped."""
    parts: list[str] = []
    position = 0
    for match in marks.finditer(text):
        parts += [escaped(text[position : match.start()]), shown(match)]
        position = match.end()
    return "".join([*parts, escaped(text[position:])])


def escaped(text: str) -> str:
    """`text` so that CommonMark reads it as this text; line starts are up to `paragraph`."""
    return _INLINE_SPECIAL.sub(lambda run: "".join(f"\\{char}" for char in run[0]), text)


def paragraph(text: str) -> list[str]:
    """Inline Markdown as the lines of a paragraph: no line begins a block of another kind."""
    lines = (line.strip() for line in text.split("\n"))
    return [_line_escaped(line) for line in lines if line]


def _line_escaped(line: str) -> str:
    special = _LINE_SPECIAL.match(line)
    return f"{special[0]}\\{line[special.end() :]}" if special else line


def heading(level: int, text: str) -> list[str]:
    """An ATX heading; `text` is inline Markdown. Levels below 6 are written as 6."""
    title = " ".join(text.split())
    if title.endswith("#"):
        title = f"{title[:-1]}\\#"
    return [f"{'#' * max(1, min(level, 6))} {title}"]


def code_span(text: str) -> str:
    """A code span; white space in it is collapsed, as CommonMark has it."""
    code = " ".join(text.split())
    if not code:
        return ""
    runs = {len(run) for run in _BACKTICKS.findall(code)}
    marks = "`" * next(count for count in range(1, len(runs) + 2) if count not in runs)
    pad = " " if code[0] == "`" or code[-1] == "`" else ""
    return f"{marks}{pad}{code}{pad}{marks}"


def marked(text: str, mark: str) -> str:
    """Inline Markdown between marks; blanks stay outside, where CommonMark needs them."""
    inner = text.strip()
    if not inner or inner.startswith("*") or inner.endswith("*"):
        return text
    before = text[: len(text) - len(text.lstrip())]
    return f"{before}{mark}{inner}{mark}{text[len(text.rstrip()) :]}"


def fence(code: str, language: str = "") -> list[str]:
    """A fenced code block; a last line end of `code` is the closing fence's."""
    marks = backticks(code, 3)
    info = re.sub(r"[\s`].*", "", language.strip(), flags=re.DOTALL)
    lines = code.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [f"{marks}{info}", *lines, marks]


def indented(lines: Sequence[str], first: str) -> list[str]:
    """`lines` behind a marker: `first` before the first line, as many blanks before others."""
    margins = [first, *[" " * len(first)] * (len(lines) - 1)]
    return [m + line if line else m.rstrip() for m, line in zip(margins, lines, strict=False)]


def labelled(label: str, lines: Sequence[str]) -> list[str]:
    """`lines` behind a label on the first of them; the label alone without any."""
    if not label or not lines:
        return [label] if label else list(lines)
    return [f"{label}: {lines[0]}", *lines[1:]]


def trimmed(lines: Sequence[str]) -> list[str]:
    """Without blank lines at the beginning and the end."""
    shown = [at for at, line in enumerate(lines) if line.strip()]
    return list(lines[shown[0] : shown[-1] + 1]) if shown else []


def quote(lines: Iterable[str]) -> list[str]:
    return [f"> {line}" if line else ">" for line in lines]


def broken(lines: Sequence[str]) -> list[str]:
    """Lines of one paragraph that stay apart."""
    return [*(f"{line}\\" for line in lines[:-1]), *lines[-1:]]


def blocks(parts: Iterable[Sequence[str]]) -> list[str]:
    """The lines of blocks with a blank line between them; empty ones are left out."""
    lines: list[str] = []
    for part in parts:
        if part:
            if lines:
                lines.append("")
            lines.extend(part)
    return lines


def listed(items: Sequence[Sequence[str]]) -> list[str]:
    """The items of a list, with blank lines between them where one has several blocks."""
    if any("" in item for item in items):
        return blocks(items)
    return [line for item in items for line in item]


def itemised(
    items: Iterable[Sequence[str]], first: int | None = None, bullet: str = "-"
) -> list[str]:
    """A list of items, each given by its lines: numbered from `first` on, with bullets without it. Numbers
    have nine digits at most, as CommonMark has it."""
    numbers = (f"{each % 1_000_000_000}. " for each in count(first or 0))
    marks = repeat(f"{bullet} ") if first is None else numbers
    return listed([indented(each or [""], mark) for each, mark in zip(items, marks, strict=False)])


def link(text: str, target: str) -> str:
    """A link with inline Markdown as its text."""
    address = re.sub(r"\s", "%20", target.strip())
    if not address:
        return text
    if re.search(r"[()<>]", address):
        address = address.replace("<", "%3C").replace(">", "%3E")
        address = f"<{address}>"
    return f"[{text}]({address})" if text else f"<{address.strip('<>')}>"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A pipe table; cells are inline Markdown, their line breaks become `<br>`."""
    width = max([len(header), *(len(row) for row in rows)])
    if width == 0:
        return []

    def row(cells: Sequence[str]) -> str:
        padded = [*cells, *[""] * (width - len(cells))]
        return f"| {' | '.join(_cell(cell) for cell in padded)} |"

    return [row(header), f"|{' --- |' * width}", *(row(cells) for cells in rows)]


Cell = TypeVar("Cell")


def placed(
    rows: Iterable[Iterable[tuple[Cell, int, int]]], columns: int, empty: Cell
) -> list[list[Cell]]:
    """The cells of a table with so many `columns`, each given with its width and height, in full rows: what
    others reach over is `empty`. Rows of which others reach over all are none: cells state any height."""
    covered = [0] * columns  # rows that a cell above reaches over
    found: list[list[Cell]] = []
    for row in rows:
        waiting = iter(row)
        full: list[Cell] = []
        lowest = min(covered, default=0)
        covered = [each - lowest for each in covered]
        while len(full) < columns:
            if covered[len(full)]:
                covered[len(full)] -= 1
                full.append(empty)
                continue
            cell, width, height = next(waiting, (empty, 1, 1))
            for index in range(min(width, columns - len(full))):
                covered[len(full)] = height - 1
                full.append(empty if index else cell)
        found.append(full)
    return found


def listed_rows(names: Sequence[str], rows: Iterable[Iterable[Sequence[str]]]) -> list[str]:
    """A table as a list: an item for each row, in it the blocks of each cell below the name of its column."""
    items = []
    for row in rows:
        parts: list[Sequence[str]] = []
        for index, lines in enumerate(row):
            if lines and index < len(names) and names[index]:
                parts.append([_MARKED.sub(r"**\2**", names[index])])
            parts.append(lines)
        items.append(indented(blocks(parts) or [""], "- "))
    return blocks(items)


_MARKED = re.compile(r"\A(\*{0,3})(.*)\1\Z", re.DOTALL)
"""A text, without the marks that make all of it strong or emphasised."""


def _cell(text: str) -> str:
    lines = [" ".join(line.split()) for line in text.strip().split("\n")]
    return re.sub(r"(?<!\\)\|", r"\\|", "<br>".join(line for line in lines if line))


def unclosed(title: str) -> str:
    """The text of a heading behind its marks, without those that close it: `Ponds ##`."""
    text = title.rstrip(" \t")
    return text.rstrip("#").rstrip(" \t") or text


def without_headings(text: str) -> list[str]:
    """The lines of a text in Markdown, in which labels are in place of headings."""
    found = []
    is_code = False
    for line in text.strip("\n").split("\n"):
        is_code ^= line.lstrip().startswith("```")
        match = None if is_code else re.fullmatch(r"#{1,6}\s+(.*?)\s*#*", line)
        found.append(f"**{match[1]}**" if match else line)
    return found


def document(lines: Sequence[str]) -> str:
    """The text of a document from its lines; "" without any."""
    text = "\n".join(lines).strip("\n")
    return f"{text}\n" if text.strip() else ""
