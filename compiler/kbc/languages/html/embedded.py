"""HTML in pages of Markdown and MDX: its tables and headings as Markdown.

Pages have such tables where a pipe table has no place for what the cells hold, or for the sake of attributes.
What stands between the tags may be Markdown as well: below a blank line it is (CommonMark 0.31, section 4.6).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from html import unescape

from kb_runtime.text.unshown import without
from kbc.cache.phases import remembered
from kbc.languages import markdown
from kbc.languages.anchors import slug
from kbc.languages.front_matter import front_matter_end
from kbc.languages.includes.fenced import (
    CODE,
    FENCE,
    INDENTED_CODE,
    Kept,
    after_fence,
    without_marks,
)
from kbc.languages.mdx.syntax import VOID_ELEMENTS, code_spans
from kbc.languages.spans import TextSpan
from kbc.limits import MAX_HTML_DEPTH, MAX_INLINE_CHARS

_IN_MDX = "table|h[1-6]"
"""Of other elements MDX has the text alone, which `languages.mdx` leaves."""

_IN_MARKDOWN = f"{_IN_MDX}|p|ul|ol|dl"
_LONG = frozenset(["table", "ul", "ol", "dl"])


def _either_case(names: str) -> str:
    """A pattern of the names of elements; `Table` is a component."""
    return f"(?:{names}|{names.upper()})"


def _marks(names: str) -> re.Pattern[str]:
    verbatim = _either_case("pre|script|style|textarea")
    return re.compile(
        rf"(?P<comment><!--)|<(?P<verbatim>{verbatim})(?=[\s/>])"
        rf"|<(?P<name>{_either_case(names)})(?=[\s/>])|</(?P<closing>{_either_case(names)})\s{{0,20}}>"
    )


_TRIGGER = re.compile(rf"</{_either_case(_IN_MARKDOWN)}\s*>|<{_either_case('table')}[\s>]")
_MARKS = {True: _marks(_IN_MDX), False: _marks(_IN_MARKDOWN)}
"""By whether a page is MDX."""

_MARGIN = re.compile(r"(?:[ \t]*>)*[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*")
"""What a line in quotes and lists begins with."""

_BLANK_LINE = re.compile(r"\n[ \t]*(?=\n)")
_ROW = re.compile(r"<tr[\s>]", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t]*")
_TEXT_BELOW = re.compile(r"\n[ \t>]*[^\s>]")
_QUOTED = re.compile(r"[ \t]*>[ \t]?")

_MARKDOWN_BELOW = re.compile(r"\n[ \t]*\n[ \t]*[^<\s]")
_FILLED_IN = re.compile(
    r"\{\{[^{}\n]{0,300}\}\}|\{%[^{}%\n]{0,300}%\}"
    r"|</?[A-Z](?=[A-Z\d]{0,20}[a-z])[\w.]{0,60}(?:\s[^<>]{0,500})?/?>"
    r"|<(?:https?|ftp|mailto):[^\s<>]{1,2000}>|<[\w.+-]{1,64}@[\w.-]{1,255}>"
)
"""What a program fills in, and tags of components, which mean something to it as they are written; addresses
as Markdown has them."""

_CODE_PARTS = re.compile(
    rf"(?P<span>{CODE})|<(?P<verbatim>(?i:code|pre|samp|kbd|script|style|textarea))(?=[\s/>])"
)
_FIRST_TAG = re.compile(r"<(/?)[A-Za-z]")
_ROW_OF_TABLE = re.compile(r"[ \t]*\|")
_BARE_PIPE = re.compile(r"(?<!\\)\|")

_NO_TEXT = re.compile(
    r"<!--.*?-->|</?[A-Za-z](?:[^<>\"']|\"[^\"]*\"|'[^']*')*+>|</?[A-Za-z][^<>]*>", re.DOTALL
)

_TAG = re.compile(r"<[a-z][a-z0-9]*\s[^<>]*>")
_JSX_STYLE = re.compile(r"\s+style=\{\{[^{}]*\}\}")
_JSX_VALUE = re.compile(r"(?<==)\{\s*[\"'`]?([^{}<>\"'`]*)[\"'`]?\s*\}")
_ID = re.compile(r"[\w:.-]+")

_ONE_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)\b[^<>]*(?<!/)>")
_WITHOUT_END = VOID_ELEMENTS | {
    *("dd", "dt", "li", "option", "p", "tbody", "td", "tfoot", "th", "thead", "tr")
}
"""Elements that have no end tag, or need none."""


def with_embedded_html(text: str, *, is_mdx: bool = False) -> str:
    """A page with Markdown for its tables, headings, paragraphs and lists in HTML, outside of code and
    comments.

    Elements in a line of text or in a pipe table stay as they are, and so do those that are never closed but
    for tables, which end with their block.
    """
    return _converted(text, is_mdx=is_mdx) if _TRIGGER.search(text) else text


@remembered("embedded-html")
def _converted(text: str, *, is_mdx: bool) -> str:
    source = text.replace("\r\n", "\n")
    result = _Rewriting(source, is_mdx=is_mdx).text()
    if result == source:
        return text
    return result.replace("\n", "\r\n") if source != text else result


class _Rewriting:
    """Goes through the elements of a page in order."""

    def __init__(self, source: str, *, is_mdx: bool) -> None:
        self._source = source
        self._is_mdx = is_mdx
        self._start = self._written = self._seen = front_matter_end(source)
        self._line = source.count("\n", 0, self._start) + 1
        self._end = len(source.rstrip())
        self._ahead = 0  # lines that the text so far has more than the source
        self._margin = ""
        self._is_in_text = False  # the line begins with text

    def text(self) -> str:
        parts = [self._source[: self._start]]
        prose = without(self._source, code_spans(self._source))
        for element in _outermost(prose, self._start, is_mdx=self._is_mdx):
            parts.append(self._replaced(element))
        return "".join([*parts, self._source[self._written :]])

    @cached_property
    def _code_lines(self) -> frozenset[int]:
        return markdown.parse(self._source).code_lines

    def _replaced(self, element: TextSpan) -> str:
        """What the page has up to the end of an element; nothing yet where this stays as it is."""
        source = self._source
        line_start = source.rfind("\n", self._seen, element.start) + 1
        is_new_line = line_start > 0 or self._seen == self._start
        before = source[line_start or self._seen : element.start]
        if is_new_line:
            found = _MARGIN.match(before)
            self._margin = found[0] if found else ""
            before = before[len(self._margin) :]
            self._is_in_text = not before.lstrip().startswith("<") and bool(before.strip())
        self._line += source.count("\n", self._seen, element.start)
        is_converted = not self._is_in_text and not self._is_in_code()
        self._line += source.count("\n", element.start, element.end)
        self._seen = element.end
        lines = self._shown(element, self._margin.count(">")) if is_converted else []
        self._is_in_text = not lines
        return self._set_apart(element, lines, before, is_new_line=is_new_line) if lines else ""

    def _set_apart(
        self, element: TextSpan, shown_lines: Sequence[str], before: str, *, is_new_line: bool
    ) -> str:
        """What is not yet written, and the lines of an element behind the text `before` on its line, set
        apart by blank lines. More of these stand behind it where the source has more lines, so that what
        follows keeps the number of its line."""
        source, begin = self._source, self._written
        margin = re.sub(r"[^>\s]", " ", self._margin)
        blank = f"\n{margin.rstrip()}"
        above = source[begin : element.start - len(before)]
        if before.strip():
            above += f"{before.rstrip()}{blank}\n{margin}"
        elif is_new_line and self._margin == margin:
            lines_above = above[: len(above) - len(margin)]
            if lines_above[:-1].rpartition("\n")[2].strip(" \t>"):
                above = f"{lines_above[:-1]}{blank}\n{margin}"
        first, *others = shown_lines
        lines = [first, *(f"\n{margin}{line}" if line else blank for line in others)]
        rest = _BLANKS.match(source, element.end)
        self._written = rest.end() if rest else element.end
        behind = ""
        if self._written < len(source) and source[self._written] != "\n":
            behind = f"{blank}\n{margin}"
        elif _TEXT_BELOW.match(source, self._written):
            behind = blank
        shown = "".join([above, *lines])
        self._ahead += f"{shown}{behind}".count("\n") - source.count("\n", begin, self._written)
        if self._written < self._end:
            shown += blank * max(0, -self._ahead)
            self._ahead = max(0, self._ahead)
        return shown + behind

    def _is_in_code(self) -> bool:
        """Whether the line is indented code."""
        is_indented = len(self._margin.expandtabs(4)) >= INDENTED_CODE
        return is_indented and not self._is_mdx and self._line in self._code_lines

    def _shown(self, element: TextSpan, quotes: int) -> list[str]:
        """The lines of an element in so many quotes as Markdown; none where it nests too deeply, or some of
        its text would be lost: it is in an element or a comment that is never closed, or in a script."""
        from kbc.languages.html.markdown import to_markdown  # Beautiful Soup, which few pages need
        from kbc.languages.html.page import read_fragment

        source = self._source[element.start : element.end]
        if quotes:
            first, *others = source.split("\n")
            others = [_QUOTED.sub("", line, count=quotes) for line in others]
            source = "\n".join([first, *others])
        source = without_marks(source)
        if _nests_deeply(source):
            return []
        has_markdown = bool(_MARKDOWN_BELOW.search(source)) or any(
            map(FENCE.match, source.split("\n"))
        )
        kept = Kept()
        source = _with_kept_code(source, kept, is_html=not (self._is_mdx or has_markdown))
        source = _FILLED_IN.sub(lambda found: kept.keep(" ".join(found[0].split())), source)
        if self._is_mdx:
            source = _TAG.sub(_with_html_values, source.replace("\\<", "&lt;"))
        content, headings = read_fragment(_rendered(source) if has_markdown else source)
        lines = to_markdown(content, is_embedded=True).strip("\n").split("\n")
        if not _has_text_of(source, "\n".join(lines)):
            return []
        if len(headings) == 1 and lines[0].startswith("#"):
            (heading, anchor) = headings[0]
            if _ID.fullmatch(anchor) and anchor != slug(heading.get_text()):
                lines[0] += f" {{#{anchor}}}"
        return [_restored(line, kept) for line in lines]


def _outermost(prose: str, position: int, *, is_mdx: bool) -> list[TextSpan]:
    """The elements from `position` on that are in no other one. An end tag closes the last element of its
    name."""
    found: list[TextSpan] = []
    waiting: list[tuple[str, int]] = []
    counts: Counter[str] = Counter()  # of the names in `waiting`
    endless: set[str] = set()
    while mark := _MARKS[is_mdx].search(prose, position):
        position = mark.end()
        if skipped := mark["comment"] or mark["verbatim"]:
            ending = "-->" if mark["comment"] else f"</{skipped}"
            end = -1 if ending in endless else prose.find(ending, position)
            endless.update([ending] if end < 0 else [])
            position = end + len(ending) if end >= 0 else position
        elif mark["name"]:
            waiting.append((mark["name"].lower(), mark.start()))
            counts[waiting[-1][0]] += 1
        elif counts[name := mark["closing"].lower()]:
            opened = ""
            while opened != name:
                opened, start = waiting.pop()
                counts[opened] -= 1
            if name in _LONG or mark.end() - start <= MAX_INLINE_CHARS:
                while found and found[-1].start > start:
                    found.pop()
                found.append(TextSpan(start, mark.end()))
    left = [start for name, start in waiting if name == "table"]
    return found if is_mdx or not left else _with_unclosed(prose, found, left)


def _with_unclosed(prose: str, closed: Sequence[TextSpan], starts: Sequence[int]) -> list[TextSpan]:
    """The elements with tables that begin at `starts` and are never closed: they go on to the next blank
    line, where a block of HTML ends, or the next element."""
    found = list(closed)
    ends = [element.start for element in closed]
    position = 0
    for start in starts:
        if start < position:
            continue
        blank = _BLANK_LINE.search(prose, start)
        position = blank.start() if blank else len(prose)
        following = bisect_left(ends, start)
        if following < len(ends):
            position = min(position, ends[following])
        if _ROW.search(prose, start, position):
            found.append(TextSpan(start, position))
    return sorted(found)


def _nests_deeply(source: str) -> bool:
    """Whether elements nest deeper than those of any page that a person wrote: to parse such takes time for
    the square of their number."""
    depth = 0
    for closing, name in _ONE_TAG.findall(source):
        if name.lower() not in _WITHOUT_END:
            depth = max(0, depth - 1) if closing else depth + 1
            if depth > MAX_HTML_DEPTH:
                return True
    return False


def _has_text_of(source: str, shown: str) -> bool:
    """Whether the letters and digits of an element are in what is `shown` of it, in their order."""
    from kbc.languages.html.markdown import visible

    if source.rfind("<!--") > source.rfind("-->"):
        return False
    waiting = iter(shown)
    text = visible(unescape(_NO_TEXT.sub("", source)))
    return all(letter in waiting for letter in text if letter.isalnum())


def _with_kept_code(source: str, kept: Kept, *, is_html: bool) -> str:
    """HTML with marks for code in backticks that looks like tags or has entities, outside of elements for
    code. If it `is_html`, where backticks mean nothing, entities are the characters that they stand for."""
    parts: list[str] = []
    position = 0
    endless: set[str] = set()
    while found := _CODE_PARTS.search(source, position):
        parts.append(source[position : found.start()])
        position = found.end()
        if name := found["verbatim"]:
            end = -1 if name in endless else source.find(f"</{name}", position)
            endless.update([name] if end < 0 else [])
            position = max(position, end)
            parts.append(source[found.start() : position])
            continue
        code = found["span"]
        tag = _FIRST_TAG.search(code)
        is_code = not tag[1] if tag else "&" in code  # else what stands between two elements
        parts.append(kept.keep(unescape(code) if is_html else code) if is_code else code)
    return "".join([*parts, source[position:]])


def _restored(line: str, kept: Kept) -> str:
    """A line with what was kept, whose bars are text in a row of a table."""
    is_row = _ROW_OF_TABLE.match(line)
    return kept.restored(line, lambda text: _BARE_PIPE.sub(r"\|", text) if is_row else text)


def _with_html_values(tag: re.Match[str]) -> str:
    """A tag of JSX with the values of its attributes as HTML has them: `colSpan={2}`, `href={"/x"}`."""
    return _JSX_VALUE.sub(r'"\1"', _JSX_STYLE.sub("", tag[0]))


def _rendered(source: str) -> str:
    """HTML with Markdown in it as HTML; as it is where a paragraph is too long to be read as Markdown."""
    lines: list[str] = []
    marks = margin = ""
    size = 0
    for line in source.split("\n"):
        opening = None if marks else FENCE.match(line)
        if not marks and line.strip() and (not lines or not lines[-1] or opening):
            # Indented as the tags around it.
            margin = line[: len(line) - len(line.lstrip())]
        if opening and lines:
            lines.append("")  # above which is HTML
        is_code = bool(marks or opening)
        marks = after_fence(marks, line, opening)
        size = size + len(line) if line.strip() and not is_code else 0
        if size > MAX_INLINE_CHARS and not line.lstrip().startswith("<"):
            return source
        lines.append(line.removeprefix(margin) if line.strip() or is_code else "")
        if is_code and not marks:
            lines.append("")
    return markdown.to_html("\n".join(lines))
