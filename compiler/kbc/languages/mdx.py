"""Removes MDX syntax that is not text: import and export statements, JSX tags, comments.

Nothing inside fenced or inline code is touched. The scan is forgiving: what does not read as a
complete tag (`a < b`, `List<int>` without a closing tag) stays text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from kbc.languages.includes.files import fence

# A statement that takes more is a mistake (a missing bracket): an export then ends at the next blank
# line, an import is text.
MAX_STATEMENT_LINES = 200
MAX_IMPORT_CHARS = 2_000
# Statements and comments of a page that hold fences.
MAX_WITH_FENCES = 20

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
_JSX_COMMENT = re.compile(r"(?<!`)\{\s*/\*")
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
_CONSTANT = re.compile(
    r"export\s+const\s+(?P<name>[\w$]+)\b[^=\n]*=\s*(?P<literal>[\[{].*[\]}])\s*(?:as\s+const\s*)?;?\s*\Z",
    re.DOTALL,
)
_LINKS = ("href", "link", "to", "url")
_NO_DATA = frozenset(["style", "className", "components", "sx"])
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
    """`text` ("\\n" line ends, no front matter) without MDX syntax; inner text of tags stays, and so does
    what a component shows of its attributes: commands, code and data as code, cards as items of a list.

    Lines that held nothing else go, three or more line ends in a row become two, and the ends are
    trimmed, all outside code.
    """
    code = _code(text)
    removed = _syntax(text, code)
    statements = (_CONSTANT.match(text[span.start : span.end]) for span in removed)
    constants = {found["name"]: found["literal"] for found in statements if found}
    parts: list[str] = []
    prose: list[str] = []

    def flush() -> None:
        before = "\n" if parts and parts[-1].endswith("\n") else ""  # the line end of a code block
        parts.append(_BLANK_LINES.sub("\n\n", before + "".join(prose)).removeprefix(before))
        prose.clear()

    position = 0
    for span, is_code in _merge(code, removed):
        prose.append(text[position : span.start])
        if is_code:
            flush()
            parts.append(text[max(position, span.start) : span.end])
        elif shown := _shown(text[span.start : span.end], constants):
            flush()
            is_at_start = text[span.start - 1 : span.start] in ("", "\n")
            needs_end = text[span.end - 1] == "\n" or text[span.end : span.end + 1] != "\n"
            parts.append("\n" * (not is_at_start) + shown + "\n" * needs_end)
        position = max(position, span.end)
    prose.append(text[position:])
    flush()
    return "".join(parts).strip()


def _shown(tag: str, constants: Mapping[str, str]) -> str:
    """What a component shows that has it as attributes: commands and code (`<CommandTabs npm="npm i x" />`),
    the title and the address of a card, and data, in the text or exported as one of `constants`; "" for other
    tags."""
    if not tag.lstrip().startswith("<"):
        return ""
    stated = {
        match["name"]: next(filter(None, match.group("quoted", "single", "template")))
        for match in _STATED.finditer(tag)
    }
    code = [value for name, value in stated.items() if name in _CODE_ATTRIBUTES]
    if any(" " in value or "\n" in value for value in code):  # else names of packages or files
        language = "sh" if "code" not in stated else stated.get("lang", stated.get("language", ""))
        return fence("\n".join(code), language)
    if not tag.rstrip("> \t\n").endswith("/") or not tag.lstrip()[1:2].isupper():
        return ""
    if data := _data(tag.strip(), constants):
        return "\n\n".join(fence(each, "js") for each in data)
    target = next((stated[name] for name in _LINKS if name in stated), "")
    about = stated.get("description", "")
    if "title" not in stated or not (target or about):
        return ""
    title = f"[{stated['title']}]({target})" if target else f"**{stated['title']}**"
    return f"- {title}" + (f": {about}" if about else "")


def _data(tag: str, constants: Mapping[str, str]) -> list[str]:
    """The objects and lists of several lines that a tag is given."""
    ends = _brace_ends(tag)
    found = []
    opening = _TAG_OPENING.match(tag)
    position = opening.end() if opening else len(tag)
    while (attribute := _ATTRIBUTE.match(tag, position)) and not attribute["end"]:
        start = position = attribute.end()
        if attribute["value"] or attribute["spread"]:
            position = ends.get(start - 1, len(tag))
            value = tag[start : position - 1].strip()
            literal = constants.get(value, value)
            is_data = literal.startswith(("[", "{")) and "\n" in literal and ":" in literal
            if attribute["value"] and is_data and attribute["name"] not in _NO_DATA:
                found.append(literal)
    return found


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
    for _ in range(MAX_WITH_FENCES):
        ends = [0, *(end for _, end in fences)]
        around = next(
            filter(None, (_syntax_around(lines, *one) for one in zip(ends, fences, strict=False))),
            None,
        )
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


def _syntax_around(
    lines: Sequence[str], floor: int, fenced: tuple[int, int]
) -> tuple[int, int] | None:
    """The lines of the comment or export statement, from line `floor` on, in which what seems to be a fenced
    block begins; None where it begins in none."""
    return _comment_around(lines, floor, fenced[0]) or _export_around(lines, fenced[0])


def _comment_around(lines: Sequence[str], floor: int, at: int) -> tuple[int, int] | None:
    """The lines of the comment that line `at` begins in."""
    before = "\n".join(lines[floor:at])
    openings = [match.start() for match in _JSX_COMMENT.finditer(before)]
    end = _COMMENT_END["{"].search
    if not openings or end(before, openings[-1]):
        return None
    last = next((line for line in range(at, len(lines)) if end(lines[line])), None)
    return None if last is None else (floor + before.count("\n", 0, openings[-1]), last + 1)


def _export_around(lines: Sequence[str], at: int) -> tuple[int, int] | None:
    """The lines of the export statement in one of whose template literals line `at` begins."""
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


def blank(text: str) -> str:
    """Spaces in the place of all characters of `text` but its line ends."""
    return _NOT_LINE_END.sub(" ", text)


def _hide(text: str, spans: list[MdxSpan]) -> str:
    """`text` with the characters of `spans` blank; every offset stays."""
    parts: list[str] = []
    position = 0
    for span in spans:
        parts.append(text[position : span.start])
        parts.append(blank(text[span.start : span.end]))
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
