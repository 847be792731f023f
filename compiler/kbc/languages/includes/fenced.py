"""Fenced code of Markdown, and what stays as it is while the text around it is rewritten."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

FENCE = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<marks>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)$"
)
CODE = r"(?<!`)(?P<ticks>`+)(?!`)[^\n]*?(?<!`)(?P=ticks)(?!`)"
"""A pattern of code within a line, with its backticks."""
SPAN = re.compile(CODE)

_HEADING = re.compile(r"^(#{1,6})(?=[ \t])", re.MULTILINE)
_TITLED = re.compile(r"(?P<marks>#{1,6})[ \t]+(?P<title>\S.*)")
_KEPT = re.compile("\x02(\\d+)\x03")


INDENTED_CODE = 4
"""Columns that code without a fence is indented by, at least."""


def indentation(line: str) -> int:
    """The columns before the first character that is no blank; a tab goes to the next multiple of 4."""
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip(" "))


def after_fence(marks: str, line: str, opening: re.Match[str] | None) -> str:
    """The marks of the fence that is open after `line`, "" for none."""
    if not marks:
        return opening["marks"] if opening else ""
    shut = line.strip(" \t\r>")
    is_end = shut.startswith(marks) and not shut.strip(marks[0])
    return "" if is_end else marks


class Kept:
    """Text that stays as it is, out of the way behind marks while what surrounds it is rewritten."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def keep(self, text: str) -> str:
        """The mark that stands for a text."""
        self._texts.append(self.restored(text))
        return f"\x02{len(self._texts) - 1}\x03"

    def hide_spans(self, text: str) -> str:
        """A text as it is read, in which nothing is a mark, with marks for its code within lines."""
        return SPAN.sub(lambda span: self.keep(span[0]), without_marks(text))

    def restored(self, text: str, change: Callable[[str], str] = str) -> str:
        """The text with what its marks stand for, with `change` made to each of these."""
        return _KEPT.sub(lambda mark: change(self._texts[int(mark[1])]), text)


def beside_spans(text: str, change: Callable[[str], str]) -> str:
    """`text` with `change` made to it while marks stand for its code within lines."""
    kept = Kept()
    return kept.restored(change(kept.hide_spans(text)))


def without_marks(text: str) -> str:
    """A text as it is read, in which nothing is a mark of `Kept`."""
    return re.sub("[\x02\x03]", "", text)


def fenced_stretches(text: str) -> Iterator[tuple[str, bool]]:
    """The text in order, as stretches of whole lines that are fenced code or not; joined with line
    ends, they are the text."""
    lines: list[str] = []
    marks = ""
    for line in text.split("\n"):
        opening = None if marks else FENCE.match(line)
        if opening and lines:
            yield "\n".join(lines), False
            lines = []
        was_open = bool(marks)
        marks = after_fence(marks, line, opening)
        lines.append(line)
        if was_open and not marks:
            yield "\n".join(lines), True
            lines = []
    if lines:
        yield "\n".join(lines), bool(marks)


def fenced_lines(text: str) -> Iterator[tuple[str, bool]]:
    """The lines of a text in order, and whether they are fenced code."""
    for stretch, is_code in fenced_stretches(text):
        yield from ((line, is_code) for line in stretch.split("\n"))


def section(text: str, is_wanted: Callable[[str], bool]) -> str | None:
    """The first section whose title is wanted, with its heading, up to the next one that is no deeper; None
    where there is none."""
    shown: list[str] = []
    level = 0
    for line, is_code in fenced_lines(text):
        found = None if is_code else _TITLED.fullmatch(line)
        if found and level and len(found["marks"]) <= level:
            break
        if found and not level and is_wanted(found["title"].rstrip()):
            level = len(found["marks"])
        if level:
            shown.append(line)
    return "\n".join(shown) if level else None


def outside_fences(text: str, change: Callable[[str], str]) -> str:
    """`text` with `change` made to all of it but fenced code."""
    return "\n".join(
        stretch if is_code else change(stretch) for stretch, is_code in fenced_stretches(text)
    )


def closed(text: str) -> str:
    """A text that ends whatever it opens: one that leaves a fence open does not hide what follows it."""
    *_, (last, is_open) = ("", False), *fenced_stretches(text)
    opening = FENCE.match(last.partition("\n")[0]) if is_open else None
    end = last.rpartition("\n")[2].strip() if "\n" in last else ""
    if opening is None or (end.startswith(opening["marks"]) and not end.strip(end[0])):
        return text
    rest = last.partition("\n")[2].strip()
    return f"{text}\n{opening['marks']}" if rest else text[: len(text) - len(last)]


def shifted_headings(text: str, levels: int) -> str:
    """`text` with its headings so many levels deeper, or higher where `levels` is negative."""
    if not levels:
        return text

    def shifted(mark: re.Match[str]) -> str:
        return "#" * min(6, max(1, len(mark[1]) + levels))

    return outside_fences(text, lambda prose: _HEADING.sub(shifted, prose))
