"""Help files of Vim and Neovim: sections between rules, what their tags stand for, code, lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import dedent

from kbc.formats import commonmark
from kbc.formats.document import Converted, Read, decode

_FIRST = re.compile(r"\*(?P<name>[^*\s]+)\.(?:txt|[a-z]{2}x)\*\s*(?P<about>.*)")
_RULE = re.compile(r"(?P<mark>[=-])(?P=mark){19,}\s*")
_MODELINE = re.compile(r"\s*(?:vim?|ex):.*(?:\bft|filetype)=help\b.*")
_TAGS = re.compile(r"(?:(?:^|(?<=[ \t]))\*[^*\s|]+\*[ \t]*)+\Z")
_TAG = re.compile(r"\*([^*\s|]+)\*")
_CODE = re.compile(r"(?:^|(?<=\s))>(?P<language>[a-z]\w*)?\s*\Z")
_ITEM = re.compile(r"[ \t]*(?P<mark>[-*+•]|\d{1,3}[.)])[ \t]+(?P<text>\S.*)")
_COLUMNS = re.compile(r"\S(?:[ ]{3,}|\t+)\S|[─-╿]")
"""What is laid out in columns, or drawn."""

_MARKS = re.compile(r"\|(?P<link>[^|\s]+)\||`(?P<code>[^`\n]+)`")
_HEADLINE = re.compile(r"(?!CTRL)(?=.*[A-Z]{4})[A-Z\d][-A-Z\d .,()&/_']*")
"""What Vim shows as a headline where tags follow it."""

_SENTENCE = re.compile(r"(?=(?:\S+ ){3}).*[a-z)`|][.:?!]")
_NAMED = re.compile(r"(?P<name>\S(?:[^\t]*?\S)??)(?:\t+|[ ]{2,})(?P<text>\S.*)")
"""What something is called, and a column with what it does."""

_FULL = 60
"""Characters of a line that goes on below, as no more have room: help is 78 wide."""

_WORD = re.compile(r"\w")
_LEVELS = 3
"""Of indentation in a paragraph that is no list, as of which it is data or code."""

_LONGEST_TITLE = 100
_LONGEST_LINE = 500
"""Characters; no help is wider than a window, and a longer line is text without marks at its end."""


def convert(path: str, data: bytes, read: Read) -> Converted:
    """The document of a file."""
    lines = decode(data).split("\n")
    first = _FIRST.fullmatch(lines[0])
    written = _Sections()
    parts = list(written.blocks(lines[1:] if first else lines))
    title = first["name"] if first else next(iter(written.titles), "")
    head: list[str] = []
    if first:
        about = commonmark.paragraph(_inline(_TAGS.sub("", first["about"])))
        head = commonmark.blocks([commonmark.heading(1, commonmark.escaped(title)), about])
        written.anchors.insert(0, f"{title}.txt")
    return Converted(
        text=commonmark.document(commonmark.blocks([head, *parts])),
        format="vim-help",
        title=title,
        summary=_TAGS.sub("", first["about"]).strip() if first else "",
        anchors=tuple(written.anchors),
        targets=tuple(written.targets),
    )


class _Sections:
    """Writes the lines of a file; `titles` and `anchors` are those of its headings, `targets` other tags."""

    def __init__(self) -> None:
        self.titles: list[str] = []
        self.anchors: list[str] = []
        self.targets: list[str] = []
        self._tags: list[str] = []

    def blocks(self, lines: Sequence[str]) -> Iterator[list[str]]:
        at, level = 0, 0  # level: of the heading that a rule announces
        while at < len(lines):
            line = lines[at].rstrip()
            at += 1
            if rule := _RULE.fullmatch(line):
                level = 2 if rule["mark"] == "=" else 3
            elif not line or _MODELINE.fullmatch(line):
                continue
            elif found := _at_end(_TAGS, line):
                self._tags += _TAG.findall(found[0])
                below = lines[at] if at < len(lines) else ""
                if text := _title_beside(line[: found.start()], self._tags, below):
                    yield self._heading(text, level or (3 if _HEADLINE.fullmatch(text) else 4))
                    level = 0
            else:
                below = lines[at] if at < len(lines) else ""
                title, text = _title_below(line, self._tags, below, bool(level))
                if title:
                    yield self._heading(title, level or 4)
                self._let_go()
                level = 0
                if not text:
                    continue
                end = _end_of_paragraph(lines, at)
                yield from _paragraph([text, *lines[at:end]])
                at = end
                if code := _at_end(_CODE, lines[at - 1].rstrip()):
                    end, rest = _end_of_code(lines, at)
                    shown = "\n".join(commonmark.trimmed(lines[at:end]))
                    yield commonmark.fence(dedent(shown), code["language"] or "")
                    at = end + rest
        self._let_go()

    def _heading(self, text: str, level: int) -> list[str]:
        label = _label(text)
        title = label or text
        self.titles.append(title)
        self.anchors.append(self._tags[0] if self._tags else "")
        del self._tags[:1]
        self._let_go()
        return commonmark.heading(level, _inline(title))

    def _let_go(self) -> None:
        self.targets += self._tags
        self._tags = []


def _title_beside(text: str, tags: Sequence[str], below: str) -> str:
    """What the text before tags names, or the first tag itself where that is an item of a list, or stands at
    the beginning of a line above what is indented; else ""."""
    is_head = not text and bool(below.strip()) and _indentation(below) > 0
    is_item = bool(text.strip()) and not _WORD.search(text)
    return tags[0] if is_head or is_item else text.strip()


def _title_below(line: str, tags: Sequence[str], below: str, is_announced: bool) -> tuple[str, str]:
    """The title in a line that follows `tags`, or is announced by a rule, and what is text in that line;
    `below` is the next one. Both may be empty. A sentence is no title, but the tag above it is."""
    bare = line.strip()
    goes_on = bool(below.strip()) and _indentation(below) <= _indentation(line)
    if not (tags or is_announced) or len(line) > _LONGEST_LINE:
        return "", line
    if is_announced:
        return ("", line) if not tags and goes_on and len(line) >= _FULL else (bare, "")
    named = _NAMED.fullmatch(bare)
    if not goes_on and named and not _label(line):
        return named["name"], " " * _indentation(below) + named["text"]
    if not goes_on and _SENTENCE.fullmatch(bare):
        return tags[0], line
    is_name = not goes_on or " " not in bare or bool(_label(line))
    is_title = is_name and len(line) <= _LONGEST_TITLE and not _at_end(_CODE, line)
    return (bare, "") if is_title else ("", line)


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _end_of_paragraph(lines: Sequence[str], at: int) -> int:
    """Where the paragraph that begins in the line before `at` ends."""
    while at < len(lines) and (line := lines[at].rstrip()):
        is_over = _at_end(_CODE, lines[at - 1].rstrip()) or _RULE.fullmatch(line)
        if is_over or _at_end(_TAGS, line):
            break
        at += 1
    return at


def _end_of_code(lines: Sequence[str], at: int) -> tuple[int, bool]:
    """Where code ends that begins in the line `at`: at a line that is not indented, which is no part of the
    text if it is only the mark `<`."""
    while at < len(lines) and (not lines[at].strip() or lines[at][0].isspace()):
        at += 1
    return at, at < len(lines) and lines[at].strip() == "<"


def _paragraph(lines: Sequence[str]) -> Iterator[list[str]]:
    """A paragraph as text, labels and the items of a list, or as it is laid out."""
    shown = [line.removeprefix("<") for line in lines]
    if _at_end(_CODE, last := shown[-1].rstrip()):
        shown[-1] = _CODE.sub("", last).rstrip()
    shown = [line for line in shown if line.strip()]
    levels = {_indentation(line) for line in shown}
    has_items = any(map(_ITEM.fullmatch, shown))
    if any(map(_COLUMNS.search, shown)) or (len(levels) >= _LEVELS and not has_items):
        yield commonmark.fence(dedent("\n".join(shown).expandtabs(8)), "text")
        return
    items: list[list[str]] = []  # of a list, each with its mark and its lines
    text: list[str] = []
    for line in [*shown, ""]:
        item, label = _ITEM.fullmatch(line), _label(line)
        if not (item or label or not line):
            (items[-1] if items else text).append(line)
            continue
        if text:
            yield commonmark.paragraph(_inline("\n".join(text)))
            text = []
        if item:
            is_number = item["mark"][0].isdigit()
            items.append([f"{item['mark'][:-1]}. " if is_number else "- ", item["text"]])
        else:
            yield commonmark.listed(list(map(_item, items)))
            items = []
            yield [f"**{_inline(label)}**"] if label else []


def _item(lines: Sequence[str]) -> list[str]:
    mark, *text = lines
    return commonmark.indented(commonmark.paragraph(_inline("\n".join(text))), mark)


def _label(line: str) -> str:
    """The text of a line that is marked as the head of what is below it; "" for others."""
    bare = line.strip() if len(line) <= _LONGEST_LINE else ""
    return bare[:-1].strip() if bare.endswith("~") else ""


def _at_end(mark: re.Pattern[str], line: str) -> re.Match[str] | None:
    return mark.search(line) if len(line) <= _LONGEST_LINE else None


def _inline(text: str) -> str:
    return commonmark.escaped_around(
        text, _MARKS, lambda match: commonmark.code_span(match["link"] or match["code"])
    )
