"""Macros of Rd: `\\name[option]{argument}...` in text, in R code, and around what is verbatim."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from kbc.formats.document import FormatError

MAX_DEPTH = 60

TEXT, CODE, VERBATIM = "t", "c", "v"
"""How an argument is read: as text, as R code, in which quotes hide braces, or verbatim."""

_COMMENT = re.compile(r"((?<!\\)(?:\\\\)*)%.*")
_CONDITION = re.compile(r"#(ifdef|ifndef|endif)\b[ \t]*(\w*)")
_DEFINED = frozenset({"unix"})
"""The platforms whose variants of a text are read: what `#ifdef windows` encloses repeats them."""

_TOKEN = re.compile(
    r"\\(?P<escaped>[\\%{}])|\\[\"'`]|\\(?P<name>[A-Za-z][A-Za-z0-9]*)|(?P<brace>[{}])"
    r"|(?P<quote>[\"'`])|(?P<hash>\#)|(?P<line>\n)"
)
_STRINGS = {
    quote: re.compile(rf"{quote}(?:\\(?s:.)|[^{quote}\\]){{0,2000}}+{quote}") for quote in "\"'`"
}
_ESCAPED = re.compile(r"\\([\\%])")
_OPTION = re.compile(r"\[[^\]\n]{0,200}+\]")
_SECTION_START = re.compile(
    r"^(?=\\(?:name|alias|title|description|usage|arguments|format|details|value|section|note|author|source"
    r"|references|seealso|examples|keyword|concept|docType)\{)",
    re.MULTILINE,
)

_ARGUMENTS = {
    **dict.fromkeys(("usage", "examples", "synopsis", "code", "donttest", "dontdiff"), CODE),
    **dict.fromkeys(("dontshow", "testonly", "Sexpr", "RdOpts"), CODE),
    **dict.fromkeys(("name", "alias", "keyword", "docType", "encoding", "Rdversion"), VERBATIM),
    **dict.fromkeys(("command", "env", "option", "kbd", "samp", "verb", "preformatted"), VERBATIM),
    **dict.fromkeys(("url", "out", "dontrun", "figure", "doi", "special"), VERBATIM),
    **dict.fromkeys(("section", "subsection", "enc"), TEXT * 2),
    **dict.fromkeys(("method", "S3method", "S4method"), VERBATIM * 2),
    **dict.fromkeys(("newcommand", "renewcommand"), VERBATIM * 2),
    **dict.fromkeys(("href", "if", "tabular"), VERBATIM + TEXT),
    "ifelse": VERBATIM + TEXT * 2,
    **dict.fromkeys(("dots", "ldots", "R", "cr", "tab", "sspace", "TeX", "LaTeX"), ""),
}
"""Macro -> how each of its arguments is read; others have any number that are text."""

_SECOND = frozenset({"eqn", "deqn", "figure"})
"""Macros of verbatim text that may have a second argument, directly behind the first."""

_ROOT = "\\"
_LISTS = frozenset({"itemize", "enumerate"})


@dataclass(frozen=True, slots=True)
class RdMacro:
    """`name` is "" for text in braces alone."""

    name: str
    arguments: tuple[tuple[str | RdMacro, ...], ...]

    @property
    def content(self) -> Nodes:
        """What is in all of its arguments."""
        return tuple(node for argument in self.arguments for node in argument)


Nodes = tuple[str | RdMacro, ...]


class Markup:
    """The macros of a file. `nodes` are those at the top; `problem` and `line` say what is wrong with its
    braces and where (1-based), "" and 0 where nothing is."""

    def __init__(self, text: str) -> None:
        """Raises `FormatError` for macros that nest too deeply."""
        self.problem, self.line = "", 0
        self._numbers, self._text = _prepared(text)
        self._at = 0
        self._end = len(self._text)
        self.nodes = self._parsed(TEXT, 0, has_items=False)
        if self.problem:  # so that a brace hides no more than its section
            nodes: list[str | RdMacro] = []
            starts = (match.start() for match in _SECTION_START.finditer(self._text))
            for start, end in pairwise((0, *starts, len(self._text))):
                self._at, self._end = start, end
                nodes.extend(self._parsed(TEXT, 0, has_items=False))
            self.nodes = tuple(nodes)

    def _report(self, problem: str, position: int) -> None:
        if not self.problem:
            self.problem = problem
            self.line = self._line_at(position)

    def _line_at(self, position: int) -> int:
        index = self._text.count("\n", 0, position)
        return self._numbers[index] if index < len(self._numbers) else 0

    def _parsed(self, mode: str, depth: int, *, has_items: bool) -> Nodes:
        """The nodes up to the brace that closes these, or to the end. With `has_items`, `\\item` has no
        arguments."""
        if depth > MAX_DEPTH:
            raise FormatError(f"macros nest more than {MAX_DEPTH} deep", self._line_at(self._at))
        opened, level = self._at - 1, 0
        found: list[str | RdMacro] = []
        is_comment = False
        while match := _TOKEN.search(self._text, self._at, self._end):
            found.append(self._text[self._at : match.start()])
            self._at = match.end()
            if match["line"]:
                is_comment = False
                found.append("\n")
            elif match["escaped"]:
                found.append(match["escaped"])
            elif match["name"]:
                if mode == VERBATIM:
                    found.append(match[0])
                else:
                    found.extend(self._macro(match["name"], mode, depth, has_items))
            elif match["brace"] == "{":
                if mode == TEXT:
                    inner = self._parsed(mode, depth + 1, has_items=has_items)
                    found.append(RdMacro("", (inner,)))
                else:
                    level += 1
                    found.append("{")
            elif match["brace"]:
                if level:
                    level -= 1
                    found.append("}")
                elif depth:
                    return _joined(found)
                else:
                    self._report("a closing brace here has no opening brace", match.start())
            elif match["quote"] and mode == CODE and not is_comment:
                string = _STRINGS[match[0]].match(self._text, match.start(), self._end)
                found.append(_ESCAPED.sub(r"\1", string[0]) if string else match[0])
                self._at = string.end() if string else self._at
            else:
                is_comment = is_comment or match["hash"] is not None
                found.append(match[0])
        found.append(self._text[self._at : self._end])
        self._at = self._end
        if depth or level:
            self._report("an opening brace here has no closing brace", max(opened, 0))
        return _joined(found)

    def _macro(self, name: str, mode: str, depth: int, has_items: bool) -> Nodes:
        letters = name.rstrip("0123456789")
        if name not in _ARGUMENTS and letters in _ARGUMENTS:  # `\dots5`
            self._at -= len(name) - len(letters)
            name = letters
        if name in ("link", "Sexpr") and (match := _OPTION.match(self._text, self._at, self._end)):
            self._at = match.end()
        elif name == "item" and has_items:
            return (RdMacro(name, ()),)
        has_items = name in _LISTS or (has_items and name not in ("describe", "tabular"))
        modes = _ARGUMENTS.get(name, VERBATIM if name in _SECOND else None)
        arguments: list[Nodes] = []
        while modes is None or len(arguments) < len(modes):
            if not self._opens(bool(arguments) and (name == "item" or modes is not None)):
                break
            read_as = modes[len(arguments)] if modes else mode
            arguments.append(self._parsed(read_as, depth + 1, has_items=has_items))
            if modes is None and name == "item" and len(arguments) == 2:
                break
        if name in _SECOND and arguments and self._text.startswith("{", self._at, self._end):
            self._at += 1
            arguments.append(self._parsed(VERBATIM, depth + 1, has_items=False))
        if modes == "" and self._text.startswith("{}", self._at, self._end):
            self._at += 2
        if not arguments and modes is None and name != "item":
            return (f"{_ROOT}{name}",)  # as R shows it
        return (RdMacro(name, tuple(arguments)),)

    def _opens(self, has_blanks: bool) -> bool:
        """Whether an argument begins here, or with `has_blanks` behind white space; it is stepped into."""
        at = self._at
        while has_blanks and at < self._end and self._text[at].isspace():
            at += 1
        if not self._text.startswith("{", at, self._end):
            return False
        self._at = at + 1
        return True


def _prepared(text: str) -> tuple[list[int], str]:
    """The text without comments and variants for other platforms, with the number that each line has."""
    numbers: list[int] = []
    lines: list[str] = []
    shown = [True]
    for number, line in enumerate(text.split("\n"), start=1):
        if condition := _CONDITION.match(line):
            if condition[1] == "endif":
                shown = shown[:-1] or shown
            else:
                is_own = (condition[2] in _DEFINED) == (condition[1] == "ifdef")
                shown.append(shown[-1] and is_own)
            continue
        without = _COMMENT.sub(r"\1", line) if "%" in line else line
        if shown[-1] and (without.strip() or without == line):
            numbers.append(number)
            lines.append(without)
    return numbers, "\n".join(lines)


def _joined(found: list[str | RdMacro]) -> Nodes:
    """The nodes with neighbouring text as one."""
    joined: list[str | RdMacro] = []
    run: list[str] = []
    for node in found:
        if isinstance(node, str):
            run.append(node)
            continue
        if any(run):
            joined.append("".join(run))
        run = []
        joined.append(node)
    if any(run):
        joined.append("".join(run))
    return tuple(joined)
