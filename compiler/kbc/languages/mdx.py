"""Removes MDX syntax that is not text: import and export statements, JSX tags, comments.

Nothing inside fenced or inline code is touched. The scan is forgiving: what does not read as a
complete tag (`a < b`, `List<int>` without a closing tag) stays text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from kbc.languages.includes.files import fence

# A statement that takes more is a mistake (a missing bracket): an export then ends at the next blank
# line, an import is text.
MAX_STATEMENT_LINES = 200
MAX_IMPORT_CHARS = 2_000
# Export statements of a page with template literals that hold fences.
MAX_EXPORTS_WITH_FENCES = 20

# HTML elements that have no closing tag.
_VOID_ELEMENTS = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)

_IMPORT = re.compile(r"import\s*(?:[\w$*{][^'\"`;]*?\bfrom\s*)?(?:'[^'\n]*'|\"[^\"\n]*\")[ \t]*;?")
_EXPORT = re.compile(r"export\s+(?:default\b|const\b|let\b|var\b|function\b|class\b|async\b|[{*])")
_TAG_OPENING = re.compile(r"<(/?)([A-Za-z_$][\w$-]*(?:[.:][\w$-]+)*)?")
_ATTRIBUTE = re.compile(
    r"\s*(?:(?P<end>/?\s*>)|(?P<name>[A-Za-z_$:][\w$:.-]*)"
    r"(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|(?P<value>\{)))?|(?P<spread>\{))"
)
_COMMENT_START = re.compile(r"\{\s*/\*|<!--")
_COMMENT_END = {"{": re.compile(r"\*/\s*\}"), "<": re.compile("-->")}
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")
_OPEN_BRACKET = re.compile(r"[(\[{]")
_CLOSE_BRACKET = re.compile(r"[)\]}]")
_BACKTICKS = re.compile(r"`+")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_FENCE_LINE = re.compile(r"[ \t]*(?:`{3}|~{3})")
_ESCAPED = re.compile(r"\\.")

_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_HEADING_ID = re.compile(r"\{/\*[ \t]*[\w:.-]+[ \t]*\*/\}")
_NOT_LINE_END = re.compile(r"[^\n]")

_STATED = re.compile(
    r"\b(?P<name>\w+)\s*=\s*(?:\"(?P<quoted>[^\"]+)\"|'(?P<single>[^']+)'|"
    r"\{\s*`(?P<template>[^`]+)`\s*\})"
)
_CODE_ATTRIBUTES = frozenset(
    ["npm", "npx", "yarn", "pnpm", "bun", "deno", "cargo", "pip", "command", "code"]
)

_TAG_LINE = re.compile(r"^[ \t]*</?[A-Za-z][\w.]*(?:[ \t][^<>\n]*)?>[ \t]*$", re.MULTILINE)
_BLOCKS = MarkdownIt("commonmark").disable(["code", "html_block"])


@dataclass(frozen=True, slots=True)
class MdxSpan:
    """Characters [start, end) of the text."""

    start: int
    end: int


def clean(text: str) -> str:
    """`text` ("\\n" line ends, no front matter) without MDX syntax; inner text of tags stays, and commands
    and code that a tag has as attributes, as code.

    Lines that held nothing else go, three or more line ends in a row become two, and the ends are
    trimmed, all outside code.
    """
    code = _code(text)
    removed = _syntax(text, code)
    parts: list[str] = []
    prose: list[str] = []

    def flush() -> None:
        parts.append(_BLANK_LINES.sub("\n\n", "".join(prose)))
        prose.clear()

    position = 0
    for span, is_code in _merge(code, removed):
        prose.append(text[position : span.start])
        if is_code:
            flush()
            parts.append(text[max(position, span.start) : span.end])
        elif shown := _attribute_code(text[span.start : span.end]):
            flush()
            is_at_start = text[span.start - 1 : span.start] in ("", "\n")
            needs_end = text[span.end - 1] == "\n" or text[span.end : span.end + 1] != "\n"
            parts.append("\n" * (not is_at_start) + shown + "\n" * needs_end)
        position = max(position, span.end)
    prose.append(text[position:])
    flush()
    return "".join(parts).strip()


def _attribute_code(tag: str) -> str:
    """A fence with the commands of `<CommandTabs npm="npm i x" yarn="yarn add x" />` or the code of
    `<Code code="x = 1" lang="py" />`; "" for other tags."""
    if not tag.lstrip().startswith("<"):
        return ""
    stated = {
        match["name"]: next(filter(None, match.group("quoted", "single", "template")))
        for match in _STATED.finditer(tag)
    }
    code = [value for name, value in stated.items() if name in _CODE_ATTRIBUTES]
    if not any(" " in value or "\n" in value for value in code):  # names of packages or files
        return ""
    language = "sh" if "code" not in stated else stated.get("lang", stated.get("language", ""))
    return fence("\n".join(code), language)


def mask(text: str) -> str:
    """`text` with each character of MDX syntax replaced by a space, line ends kept. A comment that is
    the id of a heading stays."""
    found = _syntax(text, _code(text))
    return _hide(text, [span for span in found if not _is_heading_id(text, span)])


def _is_heading_id(text: str, span: MdxSpan) -> bool:
    if not _HEADING_ID.fullmatch(text, span.start, span.end):
        return False
    line = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    return _HEADING.match(line) is not None and not _rest_of_line(text, span.end).strip()


def _merge(code: list[MdxSpan], removed: list[MdxSpan]) -> list[tuple[MdxSpan, bool]]:
    """Both lists in order, with whether a span is code. Code inside a removed span goes with it."""
    starts = [span.start for span in removed]

    def is_removed(span: MdxSpan) -> bool:
        index = bisect_right(starts, span.start) - 1
        return index >= 0 and removed[index].end >= span.end

    kept = [(span, True) for span in code if not is_removed(span)]
    return sorted(kept + [(span, False) for span in removed], key=lambda item: item[0].start)


def _code(text: str) -> list[MdxSpan]:
    """Fenced blocks (whole lines) and inline code spans, in order."""
    offsets = [0]
    for line in text.split("\n"):
        offsets.append(offsets[-1] + len(line) + 1)
    offsets[-1] = len(text)
    # A line that is a tag is no paragraph, which an indented fence below it would continue.
    source = _TAG_LINE.sub("", text.replace("\0", "\ufffd"))
    lines = text.split("\n")
    fences = _fences(source)
    for _ in range(MAX_EXPORTS_WITH_FENCES):
        around = next(filter(None, (_export_around(lines, first) for first, _ in fences)), None)
        if around is None:
            break
        shown = source.split("\n")
        for at in range(*around):
            shown[at] = lines[at] = ""
        source = "\n".join(shown)
        fences = _fences(source)
    spans: list[MdxSpan] = []
    position = 0
    for fenced in (MdxSpan(offsets[first], offsets[end]) for first, end in fences):
        spans.extend(_inline_code(text, position, fenced.start))
        spans.append(fenced)
        position = fenced.end
    spans.extend(_inline_code(text, position, len(text)))
    return spans


def _fences(source: str) -> list[tuple[int, int]]:
    """The first line of each fenced block and the line behind its last one, from 0 on."""
    tokens: list[Token] = []
    _BLOCKS.block.parse(source, _BLOCKS, {}, tokens)
    return [
        (token.map[0], token.map[1])
        for token in tokens
        if token.type == "fence" and token.map is not None
    ]


def _export_around(lines: Sequence[str], at: int) -> tuple[int, int] | None:
    """The lines of the export statement in one of whose template literals line `at` begins; None where it
    is in none."""
    for first in range(at - 1, max(at - MAX_STATEMENT_LINES, -1), -1):
        if _FENCE_LINE.match(lines[first]):
            return None
        if _EXPORT.match(lines[first]) and (not first or not lines[first - 1].strip()):
            before = _ESCAPED.sub("", "\n".join(lines[first:at]))
            if before.count("`") % 2 == 0:
                return None
            behind = range(at, min(first + MAX_STATEMENT_LINES, len(lines)))
            last = next((line for line in behind if lines[line].startswith(("}", ")"))), None)
            return None if last is None else (first, last + 1)
    return None


def _inline_code(text: str, start: int, end: int) -> Iterator[MdxSpan]:
    """Backtick spans within [start, end); a span does not cross a blank line."""
    while start < end:
        blank = _BLANK_LINE.search(text, start, end)
        paragraph_end = blank.end() if blank else end
        runs = [match.span() for match in _BACKTICKS.finditer(text, start, paragraph_end)]
        # The index of the next run of the same length, for each run.
        following: dict[int, int] = {}
        partners: list[int | None] = [None] * len(runs)
        for index in range(len(runs) - 1, -1, -1):
            length = runs[index][1] - runs[index][0]
            partners[index] = following.get(length)
            following[length] = index
        index = 0
        while index < len(runs):
            partner = partners[index]
            if partner is not None:
                yield MdxSpan(runs[index][0], runs[partner][1])
                index = partner
            index += 1
        start = paragraph_end


def _syntax(text: str, code: list[MdxSpan]) -> list[MdxSpan]:
    """Statements, comments and tags outside code, in order, none overlapping another."""
    visible = _hide(text, code)
    spans = list(_statements(text, visible))
    visible = _hide(visible, spans)
    comments = list(_comments(visible))
    visible = _hide(visible, comments)
    return _union([*spans, *comments, *_tags(visible)])


def _union(spans: list[MdxSpan]) -> list[MdxSpan]:
    """The characters of all spans, as spans in order: a tag may hold a comment in its attributes,
    a comment a statement."""
    merged: list[MdxSpan] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if merged and span.start < merged[-1].end:
            merged[-1] = MdxSpan(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _comments(visible: str) -> Iterator[MdxSpan]:
    """`{/* */}` and `<!-- -->`; one that never ends is text."""
    endless: set[str] = set()
    position = 0
    while start := _COMMENT_START.search(visible, position):
        position = start.end()
        mark = visible[start.start()]
        if mark in endless:
            continue
        end = _COMMENT_END[mark].search(visible, position)
        if end:
            yield MdxSpan(start.start(), end.end())
            position = end.end()
        else:
            endless.add(mark)


def _hide(text: str, spans: list[MdxSpan]) -> str:
    """`text` with the characters of `spans` blank; every offset stays."""
    parts: list[str] = []
    position = 0
    for span in spans:
        parts.append(text[position : span.start])
        parts.append(_NOT_LINE_END.sub(" ", text[span.start : span.end]))
        position = span.end
    parts.append(text[position:])
    return "".join(parts)


def _statements(text: str, visible: str) -> Iterator[MdxSpan]:
    """`import` and `export` statements that start a paragraph, with their line ends.

    `visible` decides where one may start (not in code); `text` is what is read, because a template
    literal in an export looks like inline code.
    """
    lines = visible.split("\n")
    offset = 0
    may_start = True
    index = 0
    while index < len(lines):
        line = lines[index]
        count = 0
        if may_start and line.startswith("import"):
            match = _IMPORT.match(text, offset, offset + MAX_IMPORT_CHARS)
            if match and not _rest_of_line(text, match.end()).strip():
                count = text.count("\n", offset, match.end()) + 1
        elif may_start and _EXPORT.match(line):
            count = _export_lines(lines[index : index + MAX_STATEMENT_LINES])
        if count:
            end = offset + sum(len(lines[i]) + 1 for i in range(index, index + count))
            yield MdxSpan(offset, min(end, len(text)))
            offset, index = end, index + count
            continue
        may_start = not line.strip()
        offset += len(line) + 1
        index += 1


def _rest_of_line(text: str, position: int) -> str:
    end = text.find("\n", position)
    return text[position:] if end == -1 else text[position:end]


def _export_lines(lines: list[str]) -> int:
    """How many of `lines` the export statement at their start takes: up to where its brackets are
    closed before a blank line or another export, else up to the first blank line."""
    depth = 0
    first_blank = 0
    for index, line in enumerate(lines):
        if not line.strip():
            first_blank = first_blank or index
            if depth <= 0:
                return index
        elif index and depth <= 0 and _EXPORT.match(line):
            return index
        depth += len(_OPEN_BRACKET.findall(line)) - len(_CLOSE_BRACKET.findall(line))
    return first_blank or len(lines)


def _tags(visible: str) -> Iterator[MdxSpan]:
    """JSX and HTML tags and fragments. An opening tag that is never closed is text."""
    closed_names = set(re.findall(r"</([A-Za-z_$][\w$.:-]*)\s*>", visible))
    brace_ends = _brace_ends(visible)
    position = 0
    while (start := visible.find("<", position)) != -1:
        position = start + 1
        opening = _TAG_OPENING.match(visible, start)
        assert opening is not None
        if start > 0 and visible[start - 1] == "\\":
            continue
        closing, name = opening.group(1), opening.group(2)
        if name is None:
            if visible.startswith(">", opening.end()):
                yield MdxSpan(start, opening.end() + 1)
            continue
        end = _attributes_end(visible, opening.end(), brace_ends)
        if end is None:
            continue
        alone = visible[start:end].rstrip("> \t\n").endswith("/") or name in _VOID_ELEMENTS
        if closing or alone or name in closed_names:
            yield MdxSpan(start, end)
            position = end


def _attributes_end(visible: str, position: int, brace_ends: dict[int, int]) -> int | None:
    """Where the tag ends whose attributes start at `position`; None when it is no tag."""
    while True:
        attribute = _ATTRIBUTE.match(visible, position)
        if attribute is None:
            return None
        if attribute.group("end"):
            return attribute.end()
        position = attribute.end()
        if attribute.group("value") or attribute.group("spread"):
            after = brace_ends.get(position - 1)
            if after is None:
                return None
            position = after


def _brace_ends(visible: str) -> dict[int, int]:
    """For each `{` that is closed, the offset after its `}`."""
    ends: dict[int, int] = {}
    still_open: list[int] = []
    for match in re.finditer(r"[{}]", visible):
        if match.group() == "{":
            still_open.append(match.start())
        elif still_open:
            ends[still_open.pop()] = match.end()
    return ends
