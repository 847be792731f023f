"""Finds MDX syntax that is not text: import and export statements, JSX tags, comments.

Nothing inside fenced or inline code is touched. The scan is forgiving: what does not read as a
complete tag (`a < b`, `List<int>` without a closing tag) stays text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from kb_runtime.text.unshown import without
from kbc.languages.spans import TextSpan, merged

# A statement that takes more is a mistake (a missing bracket): an export then ends at the next blank
# line, an import is text.
MAX_STATEMENT_LINES = 200
MAX_IMPORT_CHARS = 2_000
# Statements and comments of a page that hold fences.
MAX_WITH_FENCES = 20

# HTML elements that have no closing tag.
VOID_ELEMENTS = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)

_IMPORT = r"import\s*(?:[\w$*{][^'\"`;]*?\bfrom\s*)?(?:'[^'\n]*'|\"[^\"\n]*\")[ \t]*"
_IMPORTS = re.compile(rf"{_IMPORT}(?:;[ \t]*{_IMPORT})*;?")
"""One statement, or several in a line."""

_EXPORT = re.compile(r"export\s+(?:default\b|const\b|let\b|var\b|function\b|class\b|async\b|[{*])")
TAG_OPENING = re.compile(r"<(/?)([A-Za-z_$][\w$-]*(?:[.:][\w$-]+)*)?")
ATTRIBUTE = re.compile(
    r"\s*(?:(?P<end>/?\s*>)|(?P<name>[A-Za-z_$:][\w$:.-]*)"
    r"(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|(?P<value>\{)))?|(?P<spread>\{))"
)
_COMMENT_START = re.compile(r"\{\s*/\*|<!--")
_JSX_COMMENT = re.compile(r"(?<!`)\{\s*/\*")
_COMMENT_END = {"{": re.compile(r"\*/\s*\}"), "<": re.compile("-->")}
_OPEN_BRACKET = re.compile(r"[(\[{]")
_CLOSE_BRACKET = re.compile(r"[)\]}]")
_BACKTICKS = re.compile(r"`+")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_FENCE_LINE = re.compile(r"[ \t]*(?:`{3}|~{3})")
_FENCE_MARKS = re.compile(
    r"^(?P<margin>(?:[ \t>]|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))*+)(?P<marks>`{3,}+|~{3,}+)(?P<rest>.*)",
    re.MULTILINE,
)
_ESCAPED = re.compile(r"\\.")

_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_HEADING_ID = re.compile(r"\{/\*[ \t]*[\w:.-]+[ \t]*\*/\}")

_TAG_LINE = re.compile(r"^[ \t]*</?[A-Za-z][\w.]*(?:[ \t][^<>\n]*)?>[ \t]*$", re.MULTILINE)
_BLOCKS = MarkdownIt("commonmark").disable(["code", "html_block"])


def mask(text: str) -> str:
    """`text` with spaces for MDX syntax, line ends kept. A comment that is the id of a heading stays."""
    found = syntax_spans(text, code_spans(text))
    return without(text, (span for span in found if not _is_heading_id(text, span)))


def _is_heading_id(text: str, span: TextSpan) -> bool:
    if not _HEADING_ID.fullmatch(text, span.start, span.end):
        return False
    line = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    return _HEADING.match(line) is not None and not _rest_of_line(text, span.end).strip()


def code_spans(text: str) -> list[TextSpan]:
    """Fenced blocks (whole lines) and inline code spans, in order."""
    text = text.replace("\r", " ")  # markdown-it closes no fence before a carriage return
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
        found = (
            _comment_around(lines, floor, first) or _export_around(lines, first)
            for floor, (first, _) in zip(ends, fences, strict=False)
        )
        around = next(filter(None, found), None)
        if around is None:
            break
        shown = source.split("\n")
        for at in range(*around):
            shown[at] = lines[at] = ""
        source = "\n".join(shown)
        fences = _fences(source)
    spans: list[TextSpan] = []
    position = 0
    for fenced in (TextSpan(offsets[first], offsets[end]) for first, end in fences):
        spans.extend(_inline_code(text, position, fenced.start))
        spans.append(fenced)
        position = fenced.end
    spans.extend(_inline_code(text, position, len(text)))
    return spans


def _fences(source: str) -> list[tuple[int, int]]:
    """The first line of each fenced block and the line behind its last one, from 0 on."""
    if (plain := _plain_fences(source)) is not None:
        return plain
    tokens: list[Token] = []
    _BLOCKS.block.parse(source, _BLOCKS, {}, tokens)
    return [
        (token.map[0], token.map[1])
        for token in tokens
        if token.type == "fence" and token.map is not None
    ]


def _plain_fences(source: str) -> list[tuple[int, int]] | None:
    """`_fences`, found without a parser, which takes ten times as long; None where a line that may open or
    close a fence is indented, in a list or in a quote, and where a fence is never closed. At the margin such
    a line opens a fence whatever stands above it."""
    found: list[tuple[int, int]] = []
    marks, first = "", 0
    line = position = 0
    for fence in _FENCE_MARKS.finditer(source):
        if fence["margin"]:
            return None
        line += source.count("\n", position, fence.start())
        position = fence.start()
        if not marks:
            if fence["marks"][0] == "~" or "`" not in fence["rest"]:
                marks, first = fence["marks"], line
        elif fence["marks"].startswith(marks) and not fence["rest"].strip(" \t"):
            found.append((first, line + 1))
            marks = ""
    return None if marks else found


def _comment_around(lines: Sequence[str], floor: int, at: int) -> tuple[int, int] | None:
    """The lines of the comment, from line `floor` on, that line `at` begins in; None where it is in none."""
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


def _inline_code(text: str, start: int, end: int) -> Iterator[TextSpan]:
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
                yield TextSpan(runs[index][0], runs[partner][1])
                index = partner
            index += 1
        start = paragraph_end


def syntax_spans(text: str, code: list[TextSpan]) -> list[TextSpan]:
    """Statements, comments and tags outside code, in order, none overlapping another."""
    visible = without(text, code)
    spans = list(_statements(text, visible))
    visible = without(visible, spans)
    comments = list(_comments(visible))
    visible = without(visible, comments)
    # A tag may hold a comment in its attributes, a comment a statement.
    return merged([*spans, *comments, *_tags(visible)])


def mdx_comments(text: str) -> list[TextSpan]:
    """Comments outside of code and statements, in order; not those that are the id of a heading."""
    if not _COMMENT_START.search(text):
        return []
    visible = without(text, code_spans(text))
    found = _comments(without(visible, _statements(text, visible)))
    return [span for span in found if not _is_heading_id(text, span)]


def _comments(visible: str) -> Iterator[TextSpan]:
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
            yield TextSpan(start.start(), end.end())
            position = end.end()
        else:
            endless.add(mark)


def _statements(text: str, visible: str) -> Iterator[TextSpan]:
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
            match = _IMPORTS.match(text, offset, offset + MAX_IMPORT_CHARS)
            if match and not _rest_of_line(text, match.end()).strip():
                count = text.count("\n", offset, match.end()) + 1
        elif may_start and _EXPORT.match(line):
            count = _export_lines(lines[index : index + MAX_STATEMENT_LINES])
        if count:
            end = offset + sum(len(lines[i]) + 1 for i in range(index, index + count))
            yield TextSpan(offset, min(end, len(text)))
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


def _tags(visible: str) -> Iterator[TextSpan]:
    """JSX and HTML tags and fragments. An opening tag that is never closed is text."""
    closed_names = set(re.findall(r"</([A-Za-z_$][\w$.:-]*)\s*>", visible))
    after_braces = brace_ends(visible)
    position = 0
    while (start := visible.find("<", position)) != -1:
        position = start + 1
        opening = TAG_OPENING.match(visible, start)
        assert opening is not None
        if start > 0 and visible[start - 1] == "\\":
            continue
        closing, name = opening.group(1), opening.group(2)
        if name is None:
            if visible.startswith(">", opening.end()):
                yield TextSpan(start, opening.end() + 1)
            continue
        end = _attributes_end(visible, opening.end(), after_braces)
        if end is None:
            continue
        alone = visible[start:end].rstrip("> \t\n").endswith("/") or name in VOID_ELEMENTS
        if closing or alone or name in closed_names:
            yield TextSpan(start, end)
            position = end


def _attributes_end(visible: str, position: int, brace_ends: dict[int, int]) -> int | None:
    """Where the tag ends whose attributes start at `position`; None when it is no tag."""
    while True:
        attribute = ATTRIBUTE.match(visible, position)
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


def brace_ends(visible: str) -> dict[int, int]:
    """For each `{` that is closed, the offset after its `}`."""
    ends: dict[int, int] = {}
    still_open: list[int] = []
    for match in re.finditer(r"[{}]", visible):
        if match.group() == "{":
            still_open.append(match.start())
        elif still_open:
            ends[still_open.pop()] = match.end()
    return ends
