"""Manuals of Texinfo: sections with the anchors of their nodes, lists, tables, code, definitions."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from kbc.formats import commonmark
from kbc.formats.document import Converted, Problems, Read, decode
from kbc.formats.texinfo import commands
from kbc.formats.texinfo.inline import anchor, markdown, plain
from kbc.formats.texinfo.macros import with_macros
from kbc.languages.includes.generated import is_generated
from kbc.project.source_file import resolved_path

MAX_INCLUDES = 200
MAX_CHARS = 16_000_000
MAX_DEPTH = 30

_WRITTEN_FROM = (".org", ".md", ".rst", ".adoc")

_LINE = re.compile(r"\s*@(?P<name>[A-Za-z]+)(?![A-Za-z{])[ \t]*(?P<rest>.*)\Z")
_COMMENT = re.compile(
    r"(?P<kept>^@verbatim\b.*?(?:^@end verbatim\b|\Z))|(?<!@)(?P<at>(?:@@)*)@c(?:omment)?(?:[ \t][^\n]*)?$",
    re.MULTILINE | re.DOTALL,
)
_INCLUDE = re.compile(r"^@include[ \t]+(\S[^\n]*?)[ \t]*$", re.MULTILINE)
_DEFINITION = re.compile(
    rf"def(?P<kind>{'|'.join(sorted(commands.DEFINED, key=len, reverse=True))})(?P<more>x?)"
)
_STRUCTURE = ("top", "node", "item", "itemx", "tab", "end", "multitable", "center")
_KNOWN = frozenset(_STRUCTURE).union(
    *(commands.NO_TEXT, commands.LEVELS, commands.CODE, commands.LISP, commands.LEFT_OUT),
    *(commands.LISTS, commands.QUOTES, commands.TRANSPARENT),
)
_TAB = re.compile(r"[ \t]*@tab\b[ \t]*")
_CONTINUED = re.compile(r"^(@def[^\n]*?)@\n[ \t]*", re.MULTILINE)
_WORD = re.compile(r"\{[^{}]*\}|\S+")
_VALUE = re.compile(r"(?<![ ,])[ ,]*\(?(?:\b[Vv]ersion )?@value\{(?P<name>[^{}]*)\}\)?")
"""In a title, such as that of the version, which a build writes to a file that is not in the tree."""


@dataclass(slots=True)
class _TexinfoBlock:
    """One that is open: what it is, its blocks, and of a list the `marker` of the item that is read."""

    name: str
    argument: str = ""
    blocks: list[list[str]] = field(default_factory=list)
    marker: str = ""
    terms: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    count: int = 0


@dataclass(frozen=True, slots=True)
class _Defined:
    """What a line such as `@deftypefn {Library Function} int open (char *name)` defines: its kind,
    `name`, and what is before and behind that."""

    label: str
    before: str
    name: str
    behind: str

    @classmethod
    def read(cls, kind: str, words: list[str]) -> _Defined:
        label = commands.DEFINED[kind]
        if not label and words:
            label, words = words[0], words[1:]
        if kind in commands.OF_CLASSES and len(words) > 1:
            label, words = f"{label} of {words[0]}", words[1:]
        place = 1 if kind.startswith("type") and len(words) > 1 else 0
        name = words[place] if words else ""
        return cls(label, " ".join(words[:place]), name, " ".join(words[place + 1 :]))

    @property
    def title(self) -> str:
        """The name alone is code, so that it is what the heading is about."""
        before, behind = commonmark.escaped(self.before), commonmark.escaped(self.behind)
        parts = (before, commonmark.code_span(self.name) if self.name else "", behind)
        return f"{commonmark.escaped(self.label)}: {' '.join(filter(None, parts))}"

    @property
    def line(self) -> str:
        shown = " ".join(filter(None, (self.before, self.name, self.behind)))
        return f"**{commonmark.escaped(self.label)}:** {commonmark.code_span(shown)}"


def convert(path: str, data: bytes, read: Read) -> Converted:
    """The document of a manual; without text where a program wrote it from a page of its name beside it."""
    stem = posixpath.splitext(path)[0]
    if any(read(f"{stem}{ending}") is not None for ending in _WRITTEN_FROM):
        return Converted(text="", format="texinfo")
    source = _TexinfoSource(path, read)
    text = with_macros(source.expanded(decode(data), path))
    writer = _TexinfoWriter(text)
    writer.write()
    title = writer.title if writer.blocks else ""  # a file may define what others use
    head = [commonmark.heading(1, title)] if title else []
    lines = commonmark.blocks([*head, *writer.blocks])
    return Converted(
        text=commonmark.document(lines),
        format="texinfo",
        title=re.sub(r"[*`\\]", "", title),
        anchors=("top", *writer.anchors) if title else tuple(writer.anchors),
        parts=tuple(source.parts),
        problems=tuple(source.problems),
    )


class _TexinfoSource:
    """The text with the files that it includes; `parts` are their paths."""

    def __init__(self, path: str, read: Read) -> None:
        self._path = path
        self._read = read
        self._chars = 0
        self.parts: list[str] = []
        self.problems = Problems()

    def expanded(self, text: str, path: str, depth: int = 0) -> str:
        text = _CONTINUED.sub(r"\1", _COMMENT.sub(lambda each: each["kept"] or each["at"], text))

        def included(match: re.Match[str]) -> str:
            places = (resolved_path(match[1], each) for each in (path, self._path))
            for place in dict.fromkeys(places):
                if (data := self._read(place)) is None:
                    continue
                self._chars += len(data)
                if depth > MAX_DEPTH or len(self.parts) >= MAX_INCLUDES or self._chars > MAX_CHARS:
                    return ""
                self.parts.append(place)
                return self.expanded(decode(data), place, depth + 1)
            place = resolved_path(match[1], path)
            is_written = is_generated(place, self._read) or self._read(f"{place}.in") is not None
            report = self.problems.elsewhere if is_written else self.problems.unresolved
            line = text.count("\n", 0, match.start()) + 1 if not depth else 0
            report("@include", f"the file {match[1]!r} does not exist", line)
            return ""

        return _INCLUDE.sub(included, text)


class _TexinfoWriter:
    """Writes the body: `blocks` of Markdown, `anchors` of its headings, `title`."""

    def __init__(self, text: str) -> None:
        self.title = ""
        self.blocks: list[list[str]] = []
        self.anchors: list[str] = []
        self._values: dict[str, str] = {}
        self._open: list[_TexinfoBlock] = []
        self._paragraph: list[str] = []
        self._node = ""
        self._level = 1
        self._lines = text.split("\n")
        self._targets = dict(_nodes(self._lines))

    def write(self) -> None:
        lines = iter(self._lines)
        for line in lines:
            match = _LINE.match(line)
            name = match["name"] if match else ""
            if match is None or not self._is_command(name):
                self._text(line)
            elif name in commands.LEFT_OUT or self._is_off(name, match["rest"]):
                _skip(lines, name)
            elif name in commands.CODE or name in commands.LISP:
                self._code(lines, name)
            else:
                self._command(name, match["rest"].strip())
        self._flush()
        while self._open:
            self._end()

    def _is_command(self, name: str) -> bool:
        return name in _KNOWN or name.startswith("if") or bool(_DEFINITION.fullmatch(name))

    def _is_off(self, name: str, rest: str) -> bool:
        is_set = rest.strip() in self._values
        return name == ("ifclear" if is_set else "ifset")

    def _inline(self, text: str) -> str:
        return markdown(text, self._values, self._targets)

    def _add(self, lines: list[str]) -> None:
        (self._open[-1].blocks if self._open else self.blocks).append(lines)

    def _text(self, line: str) -> None:
        if line.strip() and not line.startswith("\\input"):
            self._paragraph.append(line.strip())
        else:
            self._flush()

    def _flush(self) -> None:
        text, self._paragraph = "\n".join(self._paragraph), []
        if text:
            self._add(commonmark.paragraph(self._inline(text)))

    def _code(self, lines: Iterator[str], name: str) -> None:
        self._flush()
        shown: list[str] = []
        for line in lines:
            if re.match(rf"\s*@end\s+{name}\b", line):
                break
            if name == "verbatim":
                shown.append(line)
                continue
            command = _LINE.match(line)
            if command is None or not self._is_command(command["name"]):
                shown.append(plain(line, self._values).rstrip("\n"))
        code = "\n".join(shown).strip("\n")
        if code.strip():
            self._add(commonmark.fence(code, "lisp" if name in commands.LISP else ""))

    def _command(self, name: str, rest: str) -> None:
        if name in commands.WITHIN_PARAGRAPHS:
            return
        self._flush()
        definition = _DEFINITION.fullmatch(name)
        if name == "set":
            key, _, value = rest.partition(" ")
            self._values[key] = value.strip()
        elif name == "clear":
            self._values.pop(rest, None)
        elif name == "settitle" or (name in ("title", "top") and not self.title):
            known = _VALUE.sub(lambda each: each[0] if each["name"] in self._values else "", rest)
            self.title = self._inline(known)
        elif name == "node":
            self._node = " ".join(rest.split(",")[0].split())
        elif name in commands.LEVELS:
            self._heading(commands.LEVELS[name], rest)
        elif name == "end":
            self._close(rest.split()[0] if rest else "")
        elif name in ("item", "itemx", "headitem", "tab"):
            self._item(name, rest)
        elif name == "center":
            self._add(commonmark.paragraph(self._inline(rest)))
        elif definition:
            self._definition(definition["kind"], rest, is_further=bool(definition["more"]))
        elif name not in commands.NO_TEXT and name != "top" and len(self._open) < MAX_DEPTH:
            self._open.append(_TexinfoBlock(name, rest))

    def _heading(self, level: int, rest: str) -> None:
        while self._open:
            self._end()
        title = self._inline(rest)
        self._level = level
        self.anchors.append(anchor(self._node or plain(rest, self._values)))
        self._node = ""
        self.blocks.append(commonmark.heading(level, title))

    def _definition(self, kind: str, rest: str, *, is_further: bool) -> None:
        words = _WORD.findall(plain(rest, self._values))
        found = _Defined.read(kind, [word.strip("{}") for word in words])
        goes_on = is_further and self._open and self._open[-1].name.startswith("def")
        if not goes_on:
            if len(self._open) >= MAX_DEPTH:
                return
            self._open.append(_TexinfoBlock(f"def{kind}", marker="**" if self._open else ""))
        if self._open[-1].marker:
            self._open[-1].terms.append(found.line)
        else:
            self.anchors.append(f"index-{anchor(found.name)}")
            self.blocks.append(commonmark.heading(min(self._level + 1, 6), found.title))

    def _item(self, name: str, rest: str) -> None:
        block = self._open[-1] if self._open else None
        if block is None:
            self._text(rest)
        elif block.name == "multitable":
            self._cell(block)
            if name != "tab":
                block.rows.append([])
            for column, cell in enumerate(_TAB.split(rest)):
                if column:
                    self._cell(block)
                self._paragraph = [cell] if cell.strip() else []
        elif block.name in ("itemize", "enumerate"):
            self._end_item(block)
            block.count += 1
            block.marker = f"{block.count}. " if block.name == "enumerate" else "- "
            self._paragraph = [rest] if rest else []
        elif block.name in commands.LISTS:
            if name == "item" or block.blocks:
                self._end_item(block)
            block.marker = "- "
            command = re.match(r"@(\w+)", block.argument)
            is_marked = command and command[1] not in ("asis", "w", "r")
            source = f"@{command[1]}{{{rest}}}" if command and is_marked else rest
            block.terms.append(self._inline(source))
        else:
            self._text(rest)

    def _cell(self, block: _TexinfoBlock) -> None:
        self._flush()
        if block.rows:
            block.rows[-1].append(" ".join(" ".join(lines) for lines in block.blocks))
        block.blocks = []

    def _end_item(self, block: _TexinfoBlock) -> None:
        self._flush()
        terms = [term if "`" in term or "*" in term else f"**{term}**" for term in block.terms]
        parts = [commonmark.broken(terms), *block.blocks] if terms else block.blocks
        lines = commonmark.blocks(parts)
        if lines:
            block.rows.append(commonmark.indented(lines, block.marker) if block.marker else lines)
        block.blocks, block.terms = [], []

    def _close(self, name: str) -> None:
        if any(block.name == name for block in self._open):
            while self._end() != name:
                pass

    def _end(self) -> str:
        self._flush()
        block = self._open[-1]
        if block.name == "multitable":
            self._cell(block)
            rows = [row for row in block.rows if any(row)]
            lines = commonmark.table(rows[0], rows[1:]) if rows else []
        elif block.name in commands.LISTS:
            self._end_item(block)
            lines = commonmark.blocks(block.rows)
        elif block.name.startswith("def"):
            terms = [commonmark.broken(block.terms)] if block.terms else []
            lines = commonmark.blocks([*terms, *block.blocks])
        else:
            lines = commonmark.blocks(block.blocks)
            lines = commonmark.quote(lines) if block.name in commands.QUOTES else lines
        self._open.pop()
        if lines:
            self._add(lines)
        return block.name


def _nodes(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Node -> the title of its section."""
    node = ""
    for line in lines:
        match = _LINE.match(line)
        name = match["name"] if match else ""
        if match and name == "node":
            node = " ".join(match["rest"].split(",")[0].split())
        elif match and node and (name in commands.LEVELS or name == "top"):
            yield node, " ".join(plain(match["rest"], {}).split())
            node = ""


def _skip(lines: Iterator[str], name: str) -> None:
    """The lines up to the end of an environment, which has others of its kind in it."""
    depth = 1
    for line in lines:
        if re.match(rf"\s*@end\s+{name}\b", line):
            depth -= 1
        elif re.match(rf"\s*@{name}\b", line):
            depth += 1
        if not depth:
            return
