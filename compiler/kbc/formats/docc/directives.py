"""Block directives: `@Name(label: value) { content }` at a line's beginning, on one line or on many."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kbc.languages.includes.fenced import FENCE, after_fence, indentation

IN_PAGES = frozenset([
    "CallToAction", "Column", "Comment", "DeprecationSummary", "Image", "Links", "Metadata",
    "Options", "Redirected", "Row", "Small", "Snippet", "Tab", "TabNavigator", "Video",
])  # fmt: skip
"""The directives that stand in Markdown; others are text there, such as attributes of Swift."""

MAX_DEPTH = 32
"""Of directives within each other; deeper ones are text."""

_MAX_HEADER_LINES = 20
_CODE_INDENT = 4
_START = re.compile(r"[ \t]*@(?P<name>[A-Z]\w*)[ \t]*(?P<rest>\(.*|\{.*)?$", re.DOTALL)
_STRING = r"\"(?:\\.|[^\"\\])*\""
_ARGUMENTS = re.compile(
    rf"\((?P<values>(?:{_STRING}|\((?:{_STRING}|[^()\"])*\)|[^()\"])*)\)[ \t]*(?P<behind>.*)",
    re.DOTALL,
)
_VALUE = re.compile(
    rf"[\s,]*(?:(?P<label>[A-Za-z_]\w*)\s*:\s*)?(?:(?P<string>{_STRING})|(?P<word>[^\s,\"][^,\"]*))"
)
_QUOTED = re.compile(r"\"(?:\\.?|[^\"\\])*+(?:\"|(?P<open>\Z))", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


@dataclass(slots=True)
class Directive:
    """`values` are by their labels; the first without one is "". `content` are lines of text, without the
    margin that they have within the directive, and directives. `line` is 1-based."""

    name: str
    values: Mapping[str, str]
    line: int
    content: list[Node] = field(default_factory=list)

    def find(self, name: str) -> Directive | None:
        """The first directive `name` directly in this one."""
        inner = (each for each in self.content if not isinstance(each, str))
        return next((each for each in inner if each.name == name), None)


Node = str | Directive


def kept(lines: Sequence[str]) -> list[bool]:
    """Whether each line is left as it is, in fenced code or in a comment of several lines."""
    found: list[bool] = []
    marks, is_comment = "", False
    for line in lines:
        opening = None if marks or is_comment else FENCE.match(line)
        if marks or opening:
            marks = after_fence(marks, line, opening)
            found.append(True)
            continue
        was_comment = is_comment
        behind = line.rpartition("-->")[2] if is_comment or "-->" in line else line
        is_comment = "<!--" in behind or (is_comment and "-->" not in line)
        found.append(was_comment or is_comment)
    return found


@dataclass(slots=True)
class _OpenDirective:
    """A directive whose end was not yet seen. `start` is the index of its first line, `indentation` that of
    this line, `margin` that of its content, -1 before that; with `is_inline` it has content beside its brace;
    one that is not `is_known` is there only so that its brace closes nothing else."""

    directive: Directive
    start: int
    is_inline: bool
    is_known: bool
    indentation: int
    margin: int = -1


def parse(
    text: str, known: Container[str] | None = None, *, is_closed_at_end: bool = False
) -> list[Node]:
    """The lines of a text and the directives among them that are `known`; all where None. What is in fenced
    code or in a comment is no directive. Without `is_closed_at_end`, one that is not closed is text."""
    return _Parser(text.split("\n"), known, is_closed_at_end).nodes()


class _Parser:
    def __init__(
        self, lines: Sequence[str], known: Container[str] | None, is_closed_at_end: bool
    ) -> None:
        self._lines = lines
        self._known = known
        self._is_closed_at_end = is_closed_at_end
        self._nodes: list[Node] = []
        self._stack: list[_OpenDirective] = []

    def nodes(self) -> list[Node]:
        are_kept = kept(self._lines)
        at = 0
        while at < len(self._lines):
            line = self._lines[at]
            count = 0 if are_kept[at] else self._directive(at)
            if not count and (are_kept[at] or not self._closing(line, at)):
                self._text(line)
            at += max(count, 1)
        while self._stack:
            if not self._is_closed_at_end:
                self._stack[-1].is_known = False  # what nothing closes is text
            self._close(len(self._lines) - 1)
        return self._nodes

    @property
    def _content(self) -> list[Node]:
        return self._stack[-1].directive.content if self._stack else self._nodes

    def _begin(self, line: str) -> None:
        """The first line of the content of a directive says what its margin is."""
        if self._stack and self._stack[-1].margin < 0 and line.strip():
            self._stack[-1].margin = indentation(line)

    def _text(self, line: str) -> None:
        self._begin(line)
        margin = self._stack[-1].margin if self._stack else 0
        self._content.append(_without_margin(line, margin))

    def _is_code(self, line: str) -> bool:
        """Whether a line is indented so far that it is a block of code."""
        margin = self._stack[-1].margin if self._stack else 0
        return margin >= 0 and indentation(line) - margin >= _CODE_INDENT

    def _directive(self, at: int) -> int:
        """Reads the beginning of a directive, or all of it; the number of lines read, 0 for none."""
        line = self._lines[at]
        start = _START.match(line) if "@" in line and not self._is_code(line) else None
        if start is None or len(self._stack) >= MAX_DEPTH:
            return 0
        is_known = self._known is None or start["name"] in self._known
        if not is_known and not self._stack:
            return 0
        header = self._header(at, start["rest"] or "")
        if header is None:
            return 0
        values, rest, count = header
        more = "" if rest.startswith("{") else rest
        if "\n" in rest or (more and self._known is not None):
            return 0
        directive = Directive(start["name"], values, at + 1)
        if more:  # in a tutorial, a stray bracket or a sentence
            self._begin(line)
            self._content.append(directive)
            if re.search(r"\w", more):
                self._text(more)
            return count
        inner = rest[1:].strip()
        if rest and _balance(rest) > 0:
            self._begin(line)
            opened = _OpenDirective(directive, at, bool(inner), is_known, indentation(line))
            self._stack.append(opened)
            if inner:
                directive.content.append(inner)
            return count
        if rest and not rest.endswith("}"):
            return 0
        if not is_known:
            for each in self._lines[at : at + count]:
                self._text(each)
            return count
        self._begin(line)
        if rest:
            nested = rest[1:-1].strip()
            directive.content = _inline(nested, self._known, at + 1) if nested else []
        self._content.append(directive)
        return count

    def _header(self, at: int, rest: str) -> tuple[Mapping[str, str], str, int] | None:
        """The arguments of a directive, what stands behind them, and the number of lines that both take, of
        which `rest` is in the first; None where its parentheses are not closed."""
        values: Mapping[str, str] = {}
        count = 1
        if rest.startswith("("):
            found = _ARGUMENTS.fullmatch(rest)
            while found is None and count < _MAX_HEADER_LINES and at + count < len(self._lines):
                rest += f"\n{self._lines[at + count]}"
                count += 1
                found = _ARGUMENTS.fullmatch(rest)
            if found is None:
                return None
            values, rest = _values(found["values"]), found["behind"]
        behind = "".join(self._lines[at + count : at + count + 1]).strip()
        if not rest.strip() and behind == "{":
            return values, "{", count + 1
        return values, rest.strip(), count

    def _closing(self, line: str, at: int) -> bool:
        """Whether a line closes a directive, or several."""
        if not self._stack:
            return False
        stripped = line.strip()
        is_code = self._is_code(line) and indentation(line) > self._stack[-1].indentation
        if stripped.startswith("}") and not is_code:
            while self._stack and stripped.startswith("}"):
                self._close(at)
                stripped = stripped[1:].lstrip()
            if stripped:
                self._text(stripped)
            return True
        if self._stack[-1].is_inline and stripped.endswith("}") and _balance(stripped) < 0:
            self._text(line.rstrip()[:-1].rstrip())
            self._close(at)
            return True
        return False

    def _close(self, last: int) -> None:
        opened = self._stack.pop()
        if opened.is_known:
            self._content.append(opened.directive)
            return
        for line in self._lines[opened.start : last + 1]:
            self._text(line)


def _inline(text: str, known: Container[str] | None, line: int) -> list[Node]:
    """The content of a directive on one line, which may be another: `{ @TechnologyRoot }`."""
    start = _START.match(text)
    if start is None or not (known is None or start["name"] in known):
        return [text]
    found = _ARGUMENTS.fullmatch(start["rest"] or "")
    values = _values(found["values"]) if found else {}
    behind = (found["behind"] if found else start["rest"] or "").strip()
    if behind and not (behind.startswith("{") and behind.endswith("}")):
        return [text]
    inner = behind[1:-1].strip()
    return [Directive(start["name"], values, line, [inner] if inner else [])]


def _values(source: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for match in _VALUE.finditer(source.strip(" \t\n,")):
        string, word = match["string"], match["word"]
        value = word.strip() if string is None else _ESCAPED.sub(r"\1", string[1:-1])
        found.setdefault(match["label"] or "", value)
    return found


def _balance(text: str) -> int:
    """How many more braces are opened than closed, texts in quotes aside."""
    plain = _QUOTED.sub(lambda match: "" if match["open"] is None else match[0], text)
    return plain.count("{") - plain.count("}")


def _without_margin(line: str, margin: int) -> str:
    column = at = 0
    while at < len(line) and line[at] in " \t" and column < margin:
        column += 4 - column % 4 if line[at] == "\t" else 1
        at += 1
    return line[at:]


def walk(nodes: Sequence[Node]) -> Iterator[Directive]:
    """The directives among nodes, and those in them, in order."""
    for each in nodes:
        if not isinstance(each, str):
            yield each
            yield from walk(each.content)
