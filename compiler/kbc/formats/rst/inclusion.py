"""Directives that read other files: text, code and tables of values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from docutils import nodes, statemachine
from docutils.parsers.rst.directives.tables import CSVTable

from kbc.formats.document import FormatError, decode
from kbc.formats.rst.context import MAX_INCLUDED_CHARS, MAX_INCLUDES, Context
from kbc.formats.rst.sphinx_directive import SphinxDirective
from kbc.formats.selection import read_target, select
from kbc.languages.suffixes import language_of

_CMAKE_BRACKET = re.compile(r"#\[(?P<marks>=*)\[\.rst:")
_PARTS = frozenset({"start-line", "end-line", "start-after", "end-before"})
"""Options by which a file may include a part of itself."""


def _part(text: str, options: dict[str, str]) -> str:
    lines = text.split("\n")
    start = int(options["start-line"]) if options.get("start-line") else None
    end = int(options["end-line"]) if options.get("end-line") else None
    text = "\n".join(lines[start:end])
    if after := options.get("start-after"):
        _, found, text = text.partition(after)
        if not found:
            raise ValueError(f"no text {after!r}")
    if until := options.get("end-before"):
        text, found, _ = text.partition(until)
        if not found:
            raise ValueError(f"no text {until!r}")
    return text


class _OfFile(SphinxDirective):
    """Shows a file, or a part of it."""

    def part(self, select: Callable[[str, dict[str, str]], str]) -> tuple[str, str] | None:
        """The path and what `select` gives of the text by the options; None, counted, without it."""
        found = self.context.file(self.name, self.argument, self.lineno)
        if found is None:
            return None
        try:
            return found[0], select(decode(found[1]), self.options)
        except (FormatError, ValueError) as error:
            self.context.problems.unresolved(self.name, f"{self.argument!r}: {error}", self.lineno)
            return None


class Include(_OfFile):
    shown = staticmethod(_part)
    """What is shown of the text of the file."""

    def run(self) -> list[nodes.Node]:
        target = self.argument
        if target.startswith("<") or ("code" in self.options and not target):
            return []
        if (found := self.part(self.shown)) is None:
            return []
        path, text = found
        if "literal" in self.options or "code" in self.options:
            return self.code(text.rstrip("\n"), self.options.get("code", ""))
        context = self.context
        context.includes += 1
        context.included_chars += len(text)
        is_whole = path == context.path and not _PARTS & self.options.keys()
        is_much = context.includes > MAX_INCLUDES or context.included_chars > MAX_INCLUDED_CHARS
        if is_whole or is_much:
            message = f"{target!r} includes itself, or too much is included"
            context.problems.unresolved(self.name, message, self.lineno)
            return []
        lines = statemachine.string2lines(text, tab_width=8, convert_whitespace=True)
        self.state_machine.insert_input(lines, path)
        return []


class CMakeModule(Include):
    """Shows the comments of a module of CMake that are reStructuredText."""

    @staticmethod
    def shown(text: str, options: dict[str, str]) -> str:
        found = "\n".join(_comments_of_cmake(text.split("\n")))
        if not found.strip():
            raise ValueError("no comment of it is reStructuredText")
        return found


def _comments_of_cmake(lines: Iterable[str]) -> Iterator[str]:
    """The lines between `#[==[.rst:` and `]==]`, and comments that begin with `#.rst:`."""
    end = ""
    is_of_lines = False
    for line in lines:
        if end:
            text, found, _ = line.partition(end)
            if found:
                end = ""
                text = text.removesuffix("#")
            yield text
        elif opening := _CMAKE_BRACKET.match(line):
            end = f"]{opening['marks']}]"
        elif is_of_lines and line.startswith("#"):
            yield line[1:].removeprefix(" ")
        else:
            is_of_lines = line.startswith("#.rst:")
            yield ""


class LiteralInclude(_OfFile):
    def run(self) -> list[nodes.Node]:
        if (found := self.part(select)) is None:
            return []
        path, text = found
        language = self.options.get("language") or language_of(path) or self.context.language
        return self.code(text, language)


class Plot(LiteralInclude):
    """Code that draws a figure. That of a file, below the documentation's root or a folder that the site has
    for such, may name a function behind it, and has a caption below it."""

    def run(self) -> list[nodes.Node]:
        if not self.argument:
            return self.code("\n".join(self.content), "python") if self.content else []
        caption = self.children()
        self.arguments = [f"/{self.argument.split()[0].lstrip('/')}"]
        if read_target(self.context.path, self.argument, self.context.read) is None:
            message = f"the file {self.argument[1:]!r} does not exist"
            self.context.problems.elsewhere(self.name, message, self.lineno)
            return caption
        self.options = {}
        return [*super().run(), *caption]


class CsvTableFile(CSVTable):
    """Docutils' table, whose file is read through the context."""

    context: Context

    def run(self) -> list[Any]:
        name = self.options.pop("file", None)
        if name is not None and not self.content:
            found = self.context.file(self.name, name, self.lineno)
            if found is None:
                return []
            lines = found[1].decode("utf-8-sig", "replace").splitlines()
            self.content = statemachine.StringList(lines, source=found[0])
        return list(super().run())
