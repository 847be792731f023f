"""The page that is read: what its links and directives name, and what could not be had."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from textwrap import dedent
from urllib.parse import unquote

from kbc.formats.commonmark import code_span, escaped, link, trimmed
from kbc.formats.docc.catalogue import TUTORIAL, NamedHeadings, Names, PageOutline, outline
from kbc.formats.document import Problems, Read
from kbc.formats.selection import read_target
from kbc.project.source_file import decode_any, relative_path

MAX_CHARS = 4_000_000
"""Of the code that one page takes in."""

DEFINITION = r"^(?P<label> {0,3}\[(?P<name>[^\]\n]+)\]:[ \t]+)<?doc:(?P<reference>[^\s<>]+)>?"
"""A link that the text of a page names elsewhere: `[name]: doc:Page`."""

_SNIPPET_MARK = re.compile(r"\s*//\s*snippet\.(?P<name>[\w.-]+)\s*$")
_DESCRIPTION = re.compile(r"\s*//!")
_DEFINED = re.compile(DEFINITION, re.MULTILINE)
_BRACKET = re.compile(r"(?<!\\)[\[\]]")
_BUNDLE = re.compile(r"\A//[^/]*/?")
_SYMBOL = re.compile(r"[A-Za-z_]\w*(?:\([^()\s]*\))?(?:[-.>][\w.()>-]*)?\Z")
_GENERATED = frozenset({"overview", "discussion", "topics", "see-also"})
"""Headings that DocC writes itself."""


@dataclass(slots=True)
class CataloguePage:
    """`text` is that of the file, `names` what its links may name; `problems` count what could not be had.
    `dead_labels` are the names, in lower case, of links that lead nowhere."""

    path: str
    text: str
    read: Read
    names: Names
    problems: Problems = field(default_factory=Problems)
    dead_labels: frozenset[str] = frozenset()
    _headings: dict[str, NamedHeadings] = field(default_factory=dict)
    _chars: int = 0

    @classmethod
    def of(cls, path: str, text: str, read: Read, named: Mapping[str, str]) -> CataloguePage:
        names = named if isinstance(named, Names) else Names(named)  # one for all pages
        page = cls(path, text, read, names)
        dead = (each for each in _DEFINED.finditer(text) if not page.resolved(each["reference"]))
        page.dead_labels = frozenset(each["name"].casefold() for each in dead)
        return page

    def shown(self, target: str, text: str = "") -> str:
        """The link to what `target`, without `doc:`, names, with the `text` or the title there; only the text
        where it is not there, and a code span for a symbol."""
        found = self.resolved(target)
        if found is None:
            return text or _text_of(target)
        title, address = found
        return link(text or _BRACKET.sub(r"\\\g<0>", escaped(title)), address)

    def resolved(self, target: str) -> tuple[str, str] | None:
        """The title and the address, relative to this page, of what a link names; None where it is not
        there. Of a heading that its page does not have, the address is as it is stated."""
        name, mark, fragment = _BUNDLE.sub("", unquote(target).strip()).partition("#")
        path = self.names.page(name) if name else self.path
        if not path:
            own = None if mark or "/" in name else self._heading(self.path, name)
            return (own[0], f"#{own[1]}") if own else None
        address = relative_path(path, self.path) if path != self.path else ""
        if fragment and (heading := self._heading(path, fragment)):
            return heading[0], f"{address}#{heading[1]}"
        if fragment and fragment.lower() not in _GENERATED:
            return fragment.replace("-", " "), f"{address}#{fragment}"
        file = posixpath.basename(path)
        return self._outline(path).title or posixpath.splitext(file)[0], address or file

    def anchor(self, name: str) -> str:
        """The anchor of the heading of this page that a link calls `name`; `name` itself without one."""
        found = self._heading(self.path, unquote(name))
        return found[1] if found else name

    def code(self, name: str, line: int) -> tuple[str, str] | None:
        """The path and the text of a file of code among the resources; None, counted, without it."""
        path = self.names.resource(name)
        data = self.read(path) if path else None
        return self._taken(path, data, "@Code", f"{name!r} is not in the catalogue", line)

    def snippet(self, name: str, slice: str, line: int) -> tuple[str, str] | None:
        """The path and the text of a snippet, or of a part of it: `Package/Snippets/name` is a file below the
        folder of the package."""
        places = [name.partition("/")[2], name]
        found = (read_target(self.path, f"/{place}.swift", self.read) for place in places if place)
        path, data = next((each for each in found if each is not None), ("", None))
        taken = self._taken(path, data, "@Snippet", f"{name!r} does not exist", line)
        if taken is None:
            return None
        try:
            return path, _part(taken[1], slice)
        except ValueError as error:
            self.problems.unresolved("@Snippet", f"{path}: {error}", line)
            return None

    def _taken(
        self, path: str, data: bytes | None, name: str, message: str, line: int
    ) -> tuple[str, str] | None:
        if data is None or b"\0" in data:
            self.problems.unresolved(name, message, line)
            return None
        text = decode_any(data)
        self._chars += len(text)
        if self._chars > MAX_CHARS:
            self.problems.unresolved(name, f"{path!r} would make the page too large", line)
            return None
        return path, text

    def _heading(self, path: str, name: str) -> tuple[str, str] | None:
        """Title and anchor of the heading that links call `name` on the page at `path`."""
        if path not in self._headings:
            self._headings[path] = NamedHeadings(self._outline(path).headings)
        return self._headings[path].find(name)

    def _outline(self, path: str) -> PageOutline:
        text = self.text if path == self.path else decode_any(self.read(path) or b"")
        return outline(text, is_tutorial=path.lower().endswith(TUTORIAL))


def _text_of(target: str) -> str:
    """What stands for a link that leads nowhere: the path of a symbol as code, else the name as words."""
    name, _, fragment = _BUNDLE.sub("", unquote(target).strip()).partition("#")
    parts = [part for part in name.split("/") if part]
    if parts[:1] == ["documentation"]:
        del parts[0]
    is_symbol = not fragment and parts and parts[0].lower() != "tutorials"
    if is_symbol and all(map(_SYMBOL.match, parts)) and (len(parts) > 1 or "-" not in parts[0]):
        return code_span("/".join(parts))
    return escaped((fragment or (parts[-1] if parts else "")).replace("-", " "))


def _part(text: str, slice: str) -> str:
    """The part of a snippet that begins at `// snippet.` with the name of the `slice`; all without one.
    What is hidden and the marks are left out. Raises `ValueError` where there is no such part."""
    lines: list[str] = []
    is_hidden = is_found = False
    is_inside = not slice
    for line in text.rstrip("\n").split("\n"):
        mark = _SNIPPET_MARK.match(line)
        if mark is None:
            if is_inside and not is_hidden and not _DESCRIPTION.match(line):
                lines.append(line)
        elif mark["name"] in ("hide", "show"):
            is_hidden = mark["name"] == "hide"
        elif slice:
            is_inside = mark["name"] == slice
            is_found = is_found or is_inside
    if slice and not is_found:
        raise ValueError(f"the file has no part {slice!r}")
    return dedent("\n".join(trimmed(lines))).rstrip()
