"""Splits source of Julia into tokens, so that brackets, strings and blocks can be told from each other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MAX_NESTING = 40
"""Of strings within strings; what is nested deeper is read as text."""

BLOCKS = frozenset([
    "baremodule", "begin", "do", "for", "function", "if", "let", "macro", "module", "quote", "struct",
    "try", "while",
])  # fmt: skip
"""Keywords that an `end` closes."""

CLOSING = {"(": ")", "[": "]", "{": "}"}

_KEYWORDS = BLOCKS | {
    *("abstract", "catch", "const", "else", "elseif", "end", "export", "finally", "global"),
    *("import", "local", "mutable", "primitive", "public", "return", "using", "where"),
}
_NAME = r"(?:[^\W\d]|[∂∇])(?:[\w∂∇′]|!(?!=))*"
_SYMBOL = re.compile(rf"(?=[^\W\d]){_NAME}")
_TOKEN = re.compile(
    rf"""(?P<blank>[ \t\r\f\v]+|\#=|\#[^\n]*)
    |(?P<newline>\n)
    |(?P<macro>@(?:{_NAME}(?:\.{_NAME})*|\.|[-+*/^<>=]+)?)
    |(?P<prefix>{_NAME})?(?P<quote>\"\"\"|\"|```|`)
    |(?P<name>{_NAME})
    |(?P<number>\d(?:[\w]|\.(?=\d)|(?<=[eE])[-+](?=\d))*)
    |(?P<open>[(\[{{])
    |(?P<close>[)\]}}])
    |(?P<op>\.\.\.|=>|->|===|!==|==|!=|<=|>=|<:|>:|::|:=|&&|\|\||[-+*/^%÷|&<>.]=|\.|[^\s\w])""",
    re.VERBOSE,
)
_CHARACTER = re.compile(r"'(?:\\.[0-9a-fA-F]*|[^'\\\n])'")
_COMMENT_MARK = re.compile(r"#=|=#")
_ENDS_VALUE = frozenset(["name", "number", "string", "close", "char", "symbol", "macro"])


@dataclass(frozen=True, slots=True)
class JuliaToken:
    """`kind` is `name`, `keyword`, `macro`, `symbol`, `string`, `char`, `number`, `open`, `close`, `op` or
    `newline`; `start` and `end` are offsets in the source. `text` of a string is what stands between its
    quotes, `prefix` what stands before them (`raw"..."`), `quote` the quotes themselves."""

    kind: str
    text: str
    start: int
    end: int
    prefix: str = ""
    quote: str = ""

    @property
    def ends_value(self) -> bool:
        """Whether an expression may end here."""
        return self.kind in _ENDS_VALUE or (self.kind == "keyword" and self.text == "end")


_OUTSIDE = JuliaToken("newline", "", 0, 0)


class JuliaTokens(list[JuliaToken]):
    """The tokens of a source in order, without white space and comments."""

    def __init__(self, found: Iterable[JuliaToken]) -> None:
        super().__init__(found)
        self._ends = [len(self)] * len(self)
        waiting: list[int] = []
        for index, token in enumerate(self):
            if token.kind == "open":
                waiting.append(index)
            else:
                self._ends[index] = index + 1
            if token.kind == "close" and waiting:
                self._ends[waiting.pop()] = index + 1

    def at(self, index: int) -> JuliaToken:
        """The token at `index`; the end of a line, without text, before the first one and behind the last."""
        return self[index] if 0 <= index < len(self) else _OUTSIDE

    def behind(self, index: int) -> int:
        """The index behind the token at `index` or, where that is a bracket that opens, behind the one that
        closes it; that behind the last token where none does."""
        return self._ends[index]

    def until(self, index: int, *texts: str) -> int:
        """Where, from `index` on and outside of brackets, the line ends or one of `texts` is."""
        while self.at(index).kind != "newline" and self[index].text not in texts:
            index = self._ends[index]
        return index

    def operator(self, text: str, start: int, end: int) -> int:
        """The index of the first such operator before `end`, outside of brackets; `end` without one."""
        while start < end and (self[start].kind != "op" or self[start].text != text):
            start = self._ends[start]
        return min(start, end)


def tokens(source: str) -> JuliaTokens:
    """The tokens of a text; what is no Julia gives tokens as well."""
    found: list[JuliaToken] = []
    at = 0
    while at < len(source):
        last = found[-1] if found else None
        touches = last is not None and last.end == at and last.ends_value
        if source[at] == "'" and not touches:
            character = _CHARACTER.match(source, at)
            end = character.end() if character else at + 1
            found.append(JuliaToken("char" if character else "op", source[at:end], at, end))
            at = end
            continue
        match = _TOKEN.match(source, at)
        if match is None:
            at += 1
            continue
        kind = match.lastgroup or "op"
        text, end = match[0], match.end()
        if kind == "blank":
            at = _comment_end(source, at) if text == "#=" else end
            continue
        if kind == "quote":
            quote, prefix = match["quote"], match["prefix"] or ""
            close = string_end(source, end, quote, is_raw=bool(prefix))
            inner = source[end:close]
            end = min(close + len(quote), len(source))
            found.append(JuliaToken("string", inner, at, end, prefix, quote))
        elif (kind, text) == ("op", ":") and not touches and (name := _SYMBOL.match(source, end)):
            end = name.end()
            found.append(JuliaToken("symbol", name[0], at, end))
        else:
            is_field = last is not None and last.kind == "op" and last.text == "."
            is_keyword = kind == "name" and text in _KEYWORDS and not is_field
            found.append(JuliaToken("keyword" if is_keyword else kind, text, at, end))
        at = end
    return JuliaTokens(found)


def _comment_end(source: str, start: int) -> int:
    """The offset behind a comment `#= ... =#`, which may hold others."""
    depth = 0
    for mark in _COMMENT_MARK.finditer(source, start):
        depth += 1 if mark[0] == "#=" else -1
        if depth == 0:
            return mark.end()
    return len(source)


def string_end(source: str, start: int, quote: str, *, is_raw: bool, depth: int = 0) -> int:
    """The offset of the quotes that close a string whose text begins at `start`; that of the end of the
    source where nothing does. In one that is not raw, `$(...)` may hold strings."""
    at = start
    marks = re.compile(rf"\\.|\$\(|{quote}" if not is_raw else rf"\\.|{quote}", re.DOTALL)
    while match := marks.search(source, at):
        if match[0] == quote:
            return match.start()
        at = match.end()
        if match[0] == "$(" and depth < MAX_NESTING:
            at = interpolation_end(source, at, depth + 1)
    return len(source)


def interpolation_end(source: str, start: int, depth: int = 0) -> int:
    """The offset behind the bracket that closes `$(`; that of the end of the source where none does."""
    open_brackets = 1
    at = start
    marks = re.compile(r"[()]|\"\"\"|\"")
    while match := marks.search(source, at):
        at = match.end()
        if match[0] in "()":
            open_brackets += 1 if match[0] == "(" else -1
            if open_brackets == 0:
                return at
        else:
            at = string_end(source, at, match[0], is_raw=False, depth=depth) + len(match[0])
    return len(source)


def parts(found: JuliaTokens, start: int, end: int, marks: str = ",;") -> list[tuple[int, int]]:
    """The stretches between separators of the tokens from `start` to `end`, as pairs of first index and the
    one behind the last; those within brackets do not count, and empty stretches are left out."""
    stretches: list[tuple[int, int]] = []
    first = index = start
    while index < end:
        token = found[index]
        if token.kind == "open":
            index = min(found.behind(index), end)
            continue
        is_mark = token.kind == "op" and token.text in marks
        if is_mark or (token.kind == "newline" and "\n" in marks):
            stretches.append((first, index))
            first = index + 1
        index += 1
    stretches.append((first, end))
    trimmed = (_trimmed(found, *each) for each in stretches)
    return [each for each in trimmed if each[0] < each[1]]


def _trimmed(found: Sequence[JuliaToken], start: int, end: int) -> tuple[int, int]:
    """The stretch without line ends around it."""
    while start < end and found[start].kind == "newline":
        start += 1
    while end > start and found[end - 1].kind == "newline":
        end -= 1
    return start, end


class BlockStack:
    """The brackets and blocks that are open at a token, as tokens are put in one by one."""

    def __init__(self) -> None:
        self.open: list[str] = []
        self._last: JuliaToken | None = None

    def take(self, token: JuliaToken) -> str:
        """Counts a token; what it opens (`(`, `module` ...), `end` or the bracket for what it closes, else
        "". An `end` between square brackets is the last index there."""
        done = ""
        top = self.open[-1] if self.open else ""
        if token.kind == "open":
            self.open.append(token.text)
            done = token.text
        elif token.kind == "close":
            while top not in CLOSING and top:  # a block that is never closed
                self.open.pop()
                top = self.open[-1] if self.open else ""
            if top:
                self.open.pop()
            done = token.text
        elif token.kind == "keyword" and token.text == "end":
            if top and top not in CLOSING:
                self.open.pop()
                done = "end"
        elif token.kind == "keyword" and self._opens(token, top):
            self.open.append(token.text)
            done = token.text
        elif (
            (token.kind, token.text) == ("name", "type")
            and self._last is not None
            and self._last.kind == "keyword"
            and self._last.text in ("abstract", "primitive")
        ):
            self.open.append("type")
            done = "type"
        if token.kind != "newline" or top not in CLOSING:
            self._last = token
        return done

    def _opens(self, token: JuliaToken, top: str) -> bool:
        if token.text not in BLOCKS:
            return False
        # Behind a value within brackets, they are parts of a comprehension or a generator.
        is_part = token.text in ("for", "if") and top in CLOSING
        return not (is_part and self._last is not None and self._last.ends_value)
