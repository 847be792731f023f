"""Scans Quint source: tokens, and the definitions of its modules with their lines.

The scanner follows the nesting of brackets and looks for declaration keywords only where a module's
declarations are, so names in comments, in strings and in the bodies of definitions are never taken.
It accepts any text: unknown characters are skipped, and an unbalanced bracket affects at most the rest
of its module.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from kbc.cache.phases import remembered
from kbc.records import Definition, ModuleImport

TokenKind = Literal["space", "comment", "doc", "string", "number", "name", "operator", "other"]

MAX_SIGNATURE_CHARS = 300
MAX_DESCRIPTION_CHARS = 1_000
MAX_ARGUMENT_TOKENS = 200  # of an import's `(N = 3, ...)`; a longer list was never closed

_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<doc>///[^\n]*)
  | (?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)|\A\#![^\n]*)
  | (?P<string>"[^"\n]*"?)
  | (?P<number>0x[0-9a-fA-F](?:_?[0-9a-fA-F])*|[0-9](?:_?[0-9])*)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)*)
  | (?P<operator>\.\.\.|->|=>|==|!=|<=|>=|<-|::|[-+*/%^=<>(){}\[\],;:.'|&_@])
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)

_OPERATOR_KEYWORDS = frozenset({"val", "def", "action", "run", "temporal", "nondet"})
_FUNCTION_KINDS = frozenset({"val", "def", "pure val", "pure def", "temporal", "nondet"})
OPERATOR_KINDS = _FUNCTION_KINDS | {"action", "run"}
"""Kinds of definitions that have an expression as their body."""
# After these an expression follows: a `val` or `def` there is local to it.
_BEFORE_EXPRESSION = frozenset({"=", "=>", "==", "!=", "<=", ">=", "<", ">", "<-", "+", "-", "*"})
_BEFORE_EXPRESSION |= {"/", "%", "^", ",", "and", "or", "iff", "implies", "else", "not"}
_CLOSERS = {")": "(", "]": "[", "}": "{"}
_MODE_LINE = re.compile(r"-\*-.*-\*-")


class Token(NamedTuple):
    """`text` from offset `start`, on 1-based `line` (counting "\\n") and `column`."""

    kind: TokenKind
    text: str
    start: int
    line: int
    column: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Source:
    """What a Quint file defines, each list in file order without repetitions."""

    description: str = ""  # the comment at the top, joined to one line
    imports: tuple[ModuleImport, ...] = ()
    definitions: tuple[Definition, ...] = ()  # modules and what stands directly in them
    constructors: tuple[str, ...] = ()  # of sum types
    calls: tuple[str, ...] = ()  # names applied to arguments in parentheses
    # Their first and last lines, without those behind code.
    comments: tuple[tuple[int, int], ...] = ()

    def names(self, *kinds: str) -> tuple[str, ...]:
        """Names of the definitions of these kinds."""
        return tuple(dict.fromkeys(each.name for each in self.definitions if each.kind in kinds))

    @property
    def functions(self) -> tuple[str, ...]:
        return self.names(*_FUNCTION_KINDS)

    @property
    def tests(self) -> tuple[str, ...]:
        """Names of `run` definitions; those that `quint test` selects (`...Test`) come first."""
        return tuple(sorted(self.names("run"), key=lambda name: not name.endswith("Test")))


def tokenize(text: str) -> list[Token]:
    """The tokens of any text; their texts, joined, are `text`."""
    tokens: list[Token] = []
    line, line_start = 1, 0
    for match in _TOKEN.finditer(text):
        content = match.group()
        start = match.start()
        tokens.append(Token(match.lastgroup, content, start, line, start - line_start + 1))  # type: ignore[arg-type]
        newlines = content.count("\n")
        if newlines:
            line += newlines
            line_start = start + content.rindex("\n") + 1
    return tokens


@remembered("quint")
def scan(text: str) -> Source:
    """The definitions, imports and leading comment of a Quint file."""
    tokens = tokenize(text)
    code = [token for token in tokens if token.kind not in ("space", "comment", "doc")]
    scanner = _Scanner(text, code)
    scanner.run()
    return Source(
        description=_description(tokens),
        imports=tuple(scanner.imports.values()),
        definitions=tuple(
            sorted(scanner.definitions, key=lambda each: (each.line, -each.end_line))
        ),
        constructors=tuple(dict.fromkeys(scanner.constructors)),
        calls=_calls(code),
        comments=tuple(_comments(tokens)),
    )


@dataclass(slots=True)
class _Open:
    """A bracket that is still open; for a module, its name and first line."""

    text: str
    module: str = ""
    line: int = 0


@dataclass(slots=True)
class _Pending:
    """A definition whose end is not reached."""

    kind: str
    name: str
    first: int  # index of its first token
    parent: str
    has_local: bool = False  # a local definition without braces was seen in its body


@dataclass(slots=True)
class _Scanner:
    text: str
    code: Sequence[Token]
    definitions: list[Definition] = field(default_factory=list)
    imports: dict[str, ModuleImport] = field(default_factory=dict)
    constructors: list[str] = field(default_factory=list)
    _imported: set[str] = field(default_factory=set)
    _open: list[_Open] = field(default_factory=list)
    _pending: _Pending | None = None
    _nested: int = 0  # how many of `_open` are no modules

    def run(self) -> None:
        index = 0
        while index < len(self.code):
            token = self.code[index]
            if token.kind == "name" and (after := self._declaration(index)) is not None:
                index = after
                continue
            if token.kind == "operator":
                if token.text in "([{":
                    self._push(_Open(token.text))
                elif token.text in _CLOSERS:
                    self._close(token, index)
            index += 1
        self._finish(len(self.code))
        last_line = self.code[-1].line if self.code else 1
        while self._open:
            self._pop(last_line)

    def _word(self, index: int) -> str:
        return self.code[index].text if 0 <= index < len(self.code) else ""

    def _is_name(self, index: int) -> bool:
        return index < len(self.code) and self.code[index].kind == "name"

    @property
    def _module(self) -> str:
        return next((each.module for each in reversed(self._open) if each.module), "")

    def _push(self, bracket: _Open) -> None:
        self._open.append(bracket)
        self._nested += not bracket.module

    def _close(self, token: Token, index: int) -> None:
        wanted = _CLOSERS[token.text]
        if token.text != "}" and (not self._open or self._open[-1].text != wanted):
            return
        # A closing brace also closes what was left open inside it.
        while self._open:
            if self._open[-1].module:
                self._finish(index)
            if self._pop(token.line).text == wanted:
                return

    def _pop(self, end_line: int) -> _Open:
        """Closes the innermost bracket, which may be that of a module."""
        bracket = self._open.pop()
        self._nested -= not bracket.module
        if name := bracket.module:
            found = Definition(
                name=name,
                kind="module",
                line=bracket.line,
                end_line=end_line,
                signature=f"module {name}",
                parent=self._module,
            )
            self.definitions.append(found)
        return bracket

    def _declaration(self, index: int) -> int | None:
        """Reads a declaration's head at `index`: the index after it, or None when there is none."""
        word = self._word(index)
        if self._word(index - 1) == ".":
            return None
        if word == "module" and self._is_name(index + 1) and self._word(index + 2) == "{":
            return self._start_module(index)
        if self._nested:
            return None
        if word in ("import", "export") and self._is_name(index + 1):
            self._finish(index)
            return self._import(index)
        kind, name_index = word, index + 1
        if word == "pure" and self._word(index + 1) in ("val", "def"):
            kind, name_index = f"pure {self._word(index + 1)}", index + 2
        elif word not in _OPERATOR_KEYWORDS and word not in ("type", "const", "var", "assume"):
            return None
        if not self._is_name(name_index) or self._is_local(index):
            return None
        self._finish(index)
        self._pending = _Pending(kind, self._word(name_index), index, self._module)
        return name_index + 1

    def _start_module(self, index: int) -> int | None:
        token = self.code[index]
        if self._nested:
            if token.column != 1:
                return None
            # A module at the left margin: the brackets before it were never closed.
            self._finish(index)
            while self._open:
                self._pop(self.code[index - 1].line)
        self._finish(index)
        self._push(_Open("{", self._word(index + 1), token.line))
        return index + 3

    def _is_local(self, index: int) -> bool:
        """Whether the definition at `index` belongs to the body of the pending one."""
        pending = self._pending
        if pending is None:
            return False
        before = self._word(index - 1)
        if before in _BEFORE_EXPRESSION and not (before == "*" and self._word(index - 2) == "."):
            pending.has_local = True
            return True
        return pending.has_local and self.code[index].column > self.code[pending.first].column

    def _import(self, index: int) -> int:
        """`import M`, `M.*`, `M.name`, `M(N = 3) as I`, each with or without `from "path"`."""
        is_export = self._word(index) == "export"
        module = self._word(index + 1)
        source = ""
        index += 2
        while index < len(self.code):
            word = self._word(index)
            if word == "(":
                index = self._after_parentheses(index)
            elif word == "." or (word == "as" and self._is_name(index + 1)):
                index += 2
            elif word == "from" and self.code[min(index + 1, len(self.code) - 1)].kind == "string":
                source = self._word(index + 1).strip('"')
                index += 2
            else:
                break
        if not is_export or module not in self._imported:
            self.imports.setdefault(
                f"{module} {source}", ModuleImport(module=module, source=source)
            )
            self._imported.add(module)
        return index

    def _after_parentheses(self, index: int) -> int:
        depth = 0
        for position in range(index, min(index + MAX_ARGUMENT_TOKENS, len(self.code))):
            depth += (self._word(position) == "(") - (self._word(position) == ")")
            if depth == 0:
                return position + 1
        return index + 1

    def _finish(self, end: int) -> None:
        """Ends the pending definition before token `end`."""
        pending, self._pending = self._pending, None
        if pending is None:
            return
        tokens = self.code[pending.first : end]
        if pending.kind == "type":
            self.constructors.extend(_constructors(tokens))
        self.definitions.append(
            Definition(
                name=pending.name,
                kind=pending.kind,
                line=tokens[0].line,
                end_line=tokens[-1].line,
                signature=self._signature(tokens, whole=pending.kind == "type"),
                parent=pending.parent,
            )
        )

    def _signature(self, tokens: Sequence[Token], *, whole: bool) -> str:
        """The source up to the `=` that starts the body, on one line; of a short type, all of it."""
        depth = 0
        end = tokens[-1].end
        head_end = end
        for token in tokens:
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            if depth == 0 and token.text == "=":
                head_end = token.start
                break
        if whole:
            body = _without_comments(self.text[tokens[0].start : end])
            if len(body) <= MAX_SIGNATURE_CHARS:
                return body.rstrip(";")
        head = _without_comments(self.text[tokens[0].start : head_end]).rstrip(";")
        return head if len(head) <= MAX_SIGNATURE_CHARS else f"{head[: MAX_SIGNATURE_CHARS - 1]}…"


def _comments(tokens: Iterable[Token]) -> Iterator[tuple[int, int]]:
    """The first and last line of each comment, less a first one that it shares with code."""
    before = 0  # the line on which the code before ends
    for token in tokens:
        if token.kind in ("comment", "doc"):
            end = token.line + token.text.count("\n")
            yield token.line + (token.line == before), end
        elif token.kind != "space":
            before = token.line + token.text.count("\n")


def _without_comments(source: str) -> str:
    if "//" not in source and "/*" not in source:
        return " ".join(source.split())
    kept = (" " if t.kind in ("comment", "doc") else t.text for t in tokenize(source))
    return " ".join("".join(kept).split())


def _constructors(tokens: Sequence[Token]) -> Iterable[str]:
    """The variants of `type T = A(int) | B`."""
    words = [token.text for token in tokens]
    if "=" not in words or "|" not in words:
        return
    depth = 0
    for index in range(words.index("="), len(words) - 1):
        depth += (words[index] in "([{") - (words[index] in ")]}")
        if depth == 0 and words[index] in ("=", "|") and tokens[index + 1].kind == "name":
            yield words[index + 1]


def _calls(code: Sequence[Token]) -> tuple[str, ...]:
    """Names before an opening parenthesis, except where they are defined."""
    names: dict[str, None] = {}
    before = ""
    for token, after in itertools.pairwise(code):
        applied = token.kind == "name" and after.text == "("
        if applied and token.text not in ("if", "match") and before not in _OPERATOR_KEYWORDS:
            names[token.text] = None
        before = token.text
    return tuple(names)


def _description(tokens: Iterable[Token]) -> str:
    """The comments at the top of the file, else those right after the first module's brace."""
    lines: list[str] = []
    module_words = 0
    for token in tokens:
        if token.kind in ("comment", "doc"):
            lines.extend(_comment_lines(token.text))
        elif token.kind != "space":
            if any(lines) or module_words == 3:
                break
            expected = (token.text == "module", token.kind == "name", token.text == "{")
            if not expected[module_words]:
                break
            module_words += 1
    text = " ".join(" ".join(lines).split())
    if len(text) <= MAX_DESCRIPTION_CHARS:
        return text
    return text[:MAX_DESCRIPTION_CHARS].rsplit(" ", 1)[0] + " …"


def _comment_lines(comment: str) -> Iterable[str]:
    """The text of a comment's lines, without its marks, rulers and editor mode lines."""
    if comment.startswith("#!"):
        return
    comment = comment.removeprefix("/*").removesuffix("*/") if comment[1] == "*" else comment[2:]
    for line in comment.split("\n"):
        stripped = _MODE_LINE.sub("", line).strip().lstrip("/*!").strip()
        if re.search(r"\w", stripped):
            yield stripped.rstrip("*").strip()
