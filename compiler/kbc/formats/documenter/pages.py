"""Pages of Documenter as their site shows them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kbc.formats import commonmark
from kbc.formats.document import DocumentProblem, Problems, Read
from kbc.formats.documenter import literate
from kbc.formats.documenter.links import HEADING, SiteIndex, with_ids, with_links, with_scripts
from kbc.formats.documenter.objects import JuliaObject, JuliaPackages, names_in
from kbc.languages.includes.fenced import FENCE, closed, fenced_stretches
from kbc.languages.includes.files import MAX_INCLUDED_CHARS, indented, not_included
from kbc.languages.julia.names import wanted
from kbc.languages.julia.script import Name, stated
from kbc.project.source_file import SourceFile, decode_any

DIRECTIVE = re.compile(r"@(?P<name>[a-z]+)\b(?P<rest>.*)|(?P<test>jldoctest)\b(?P<options>.*)")
_HIDDEN_LINE = re.compile(r".*#\s*hide\s*")
_NOT_SHOWN = frozenset(["contents", "index", "meta", "setup"])
_PROGRAMS = frozenset(["bibliography", "eval"])
"""Blocks in whose place the site has what a program writes."""

_NO_OUTPUT = re.compile(r";.*\boutput\s*=\s*false")
_SIGNATURE_LINES = 6
"""At the beginning of a docstring, in which it may state its own signature."""

_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class _ShownObject:
    """What a page shows of one name: its docstrings, none where their source is not in the tree."""

    name: str
    objects: tuple[JuliaObject, ...]


@dataclass(slots=True)
class _Place:
    """Where in a page the reader is, and how many characters of docstrings it has so far."""

    path: str
    read: Read
    module: str = ""
    level: int = 1
    chars: int = 0
    problems: Counter[str] = field(default_factory=Counter)


class DocumenterSite:
    """The pages of one site with the docstrings of its packages. `files` are its pages, and `packages` the
    paths of the source of each package by its name."""

    def __init__(self, files: Sequence[SourceFile], packages: Mapping[str, Sequence[str]]) -> None:
        self._pages = files
        self._packages = JuliaPackages(packages)
        self._index: SiteIndex | None = None
        scripts = (each for each in files if each.path.endswith(literate.ENDING))
        self._scripts = frozenset(each.path for each in scripts)

    def expand_page(
        self, text: str, path: str, read: Read
    ) -> tuple[str, tuple[DocumentProblem, ...]]:
        """The Markdown page at `path` as its site shows it, and what could not be had."""
        place = _Place(path, read)
        shown = self._shown(_source(text, path), place)
        problems = Problems()
        for name in place.problems.elements():
            problems.elsewhere(f"@{name}", f"`@{name}` is not in the tree")
        return shown, tuple(problems)

    def _shown(self, text: str, place: _Place) -> str:
        parts: list[str] = []
        for stretch, is_code in fenced_stretches(text):
            if is_code:
                parts.append(self._block(stretch, place))
                continue
            for heading in HEADING.finditer(stretch):
                place.level = len(heading["marks"])
            links = with_links(stretch, place.path, place.module, lambda: self._indexed(place.read))
            parts.append(with_ids(with_scripts(links, place.path, self._scripts)))
        return "\n".join(parts)

    def _block(self, block: str, place: _Place) -> str:
        """A fenced block as the site shows it, without what its code computes."""
        lines = block.split("\n")
        opening = FENCE.match(lines[0])
        directive = DIRECTIVE.match(opening["info"].strip()) if opening else None
        if opening is None or directive is None:
            return block
        indent = lines[0][: len(lines[0]) - len(lines[0].lstrip(" \t"))]
        is_closed = len(lines) > 1 and lines[-1].strip(" \t>").startswith(opening["marks"])
        inner = [line.removeprefix(indent) for line in lines[1 : -1 if is_closed else None]]
        shown = self._directive(directive, inner, opening["marks"], place)
        return block if shown is None else indented(indent, shown)

    def _directive(
        self, directive: re.Match[str], inner: Sequence[str], marks: str, place: _Place
    ) -> str | None:
        """What stands in the place of a block; None for one that is code as it is."""
        name = directive["name"]
        if directive["test"]:
            code = "\n".join(inner)
            if _NO_OUTPUT.search(directive["options"]):
                code = re.split(r"^# output$", code, maxsplit=1, flags=re.MULTILINE)[0].rstrip()
            return _fence(code, marks)
        if name in ("example", "repl"):
            code = "\n".join(line for line in inner if not _HIDDEN_LINE.fullmatch(line))
            return _fence(code.strip("\n"), marks) if code.strip() else ""
        if name in ("docs", "autodocs"):
            entries = list(self._entries(name, "\n".join(inner), place.module, place.read))
            return "\n".join(("", *self._written(name, entries, place), ""))
        if name == "meta":
            place.module = _current(inner, place.module)
        if name in _PROGRAMS:
            place.problems[name] += 1
        if name == "raw":
            is_shown = directive["rest"].split()[:1] == ["html"]
            return "\n".join(line for line in inner if line.strip()) if is_shown else ""
        return "" if name in _NOT_SHOWN or name in _PROGRAMS else None

    def _entries(self, name: str, code: str, module: str, read: Read) -> Iterator[_ShownObject]:
        """What a `@docs` or `@autodocs` block shows, in order."""
        if name == "docs":
            for each in wanted(code):
                found = self._packages.named(each, module, read)
                yield _ShownObject(found[0].binding if found else ".".join(each.path), tuple(found))
            return
        values = stated(code)
        for asked in names_in(values.get("Modules")):
            if not self._packages.module(asked, module, read):
                yield _ShownObject(asked, ())
        grouped: dict[str, list[JuliaObject]] = {}
        for one in self._packages.listed(values, module, read):
            grouped.setdefault(one.binding, []).append(one)
        yield from (_ShownObject(binding, tuple(group)) for binding, group in grouped.items())

    def _written(self, name: str, entries: Sequence[_ShownObject], place: _Place) -> list[str]:
        """The docstrings, each name as a section below the heading that the block stands under."""
        level = min(place.level + 1, _DEEPEST)
        blocks: list[Sequence[str]] = []
        for entry in entries:
            title = commonmark.code_span(entry.name)
            place.chars += sum(len(each.text) for each in entry.objects)
            if not entry.objects or place.chars > MAX_INCLUDED_CHARS:
                place.problems[name] += 1
                blocks.append([f"{title} {not_included('its reference')}"])
                continue
            blocks.append(commonmark.heading(level, f"{title} {{#{entry.name}}}"))
            for each in entry.objects:
                blocks += self._docstring(each, place)
        return commonmark.blocks(blocks)

    def _docstring(self, found: JuliaObject, place: _Place) -> Iterator[Sequence[str]]:
        """The signature, where the docstring does not begin with it, and the text."""
        lines = found.text.strip("\n").split("\n")
        code, rest = _leading_code(lines)
        if code:
            yield commonmark.fence("\n".join(code), "julia")
        elif found.doc.signature != found.name and not _states_signature(lines, found.name):
            yield commonmark.fence(found.doc.signature, "julia")
        inner = _Place(place.path, place.read, found.module, place.level)
        text = closed(self._shown("\n".join(rest), inner))
        place.problems.update(inner.problems)
        yield commonmark.without_headings(text) if text.strip() else []

    def _indexed(self, read: Read) -> SiteIndex:
        if self._index is None:
            self._index = SiteIndex()
            for file in self._pages:
                self._add(file.path, _source(decode_any(file.data), file.path), self._index, read)
        return self._index

    def _add(self, path: str, text: str, index: SiteIndex, read: Read) -> None:
        """Puts the headings and docstrings of a page into the index."""
        index.add_headings(path, text)
        module = ""
        for stretch, is_code in fenced_stretches(text):
            first, *inner = stretch.split("\n")
            opening = FENCE.match(first) if is_code else None
            match = DIRECTIVE.match(opening["info"].strip()) if opening else None
            inner = inner[:-1]
            if match and match["name"] == "meta":
                module = _current(inner, module)
            elif match and match["name"] in ("docs", "autodocs"):
                for entry in self._entries(match["name"], "\n".join(inner), module, read):
                    index.add_object(entry.name, path, is_shown=bool(entry.objects))


def _source(text: str, path: str) -> str:
    """The Markdown of a page, which may be a script."""
    text = text.replace("\r\n", "\n")
    return literate.page(text) if path.endswith(literate.ENDING) else text


def _current(lines: Sequence[str], before: str) -> str:
    """The module that a `@meta` block says a page is about."""
    value: Any = stated("\n".join(lines)).get("CurrentModule")
    return value.text if isinstance(value, Name) else before


def _fence(code: str, marks: str) -> str:
    return f"{marks}julia\n{code}\n{marks}"


def _leading_code(lines: Sequence[str]) -> tuple[list[str], Sequence[str]]:
    """The indented code that a docstring begins with, which is its signature, and the lines behind it."""
    end = 0
    while end < len(lines) and (lines[end].startswith(("    ", "\t")) or not lines[end].strip()):
        end += 1
    code = [line.removeprefix("\t") if line[:1] == "\t" else line[4:] for line in lines[:end]]
    while code and not code[-1].strip():
        code.pop()
    return (code, lines[end:]) if any(code) else ([], lines)


def _states_signature(lines: Sequence[str], name: str) -> bool:
    """Whether a docstring begins with fenced code that names what it describes."""
    if not lines[0].lstrip().startswith("```"):
        return False
    return any(name.lstrip("@") in line for line in lines[1:_SIGNATURE_LINES])
