"""What the pages of a catalogue name: other pages and resources by the names of their files, headings."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kbc.cache.phases import remembered
from kbc.formats.docc.directives import IN_PAGES, Directive, Node, parse, walk
from kbc.languages import markdown
from kbc.languages.anchors import Label, assigned, rules_of
from kbc.project.kinds import MARKDOWN

CATALOGUE = ".docc"
"""The ending of the folder of a catalogue, which lies among the source of Swift."""

TUTORIAL = ".tutorial"
_MAX_FOLDERS = 5_000
"""A link to a folder above would otherwise lead on and on."""

_TITLED = frozenset({"Chapter", "Intro", "Section", "Volume"})
"""Directives of tutorials whose titles are headings."""

_NO_TEXT = frozenset({"Comment", "Metadata", "Options"})


def catalogue_of(path: str) -> str:
    """The folder of the catalogue that a file lies in; "" for one in none."""
    folder, found, _ = path.rpartition(f"{CATALOGUE}/")
    return f"{folder}{CATALOGUE}" if found else ""


def named_files(catalogue: str, names: Callable[[str], Sequence[str]]) -> Names:
    """The paths of the files of a catalogue by their names; of several that are called the same, the one
    nearest to its folder. `names` gives the names of the entries of a folder."""
    found: dict[str, str] = {}
    folders = [catalogue]
    for folder in folders:
        for name in names(folder):
            path = posixpath.join(folder, name)
            if not names(path):
                found.setdefault(name, path)
            elif len(folders) < _MAX_FOLDERS:
                folders.append(path)
    return Names(found)


@dataclass(frozen=True, slots=True)
class PageOutline:
    """The title of a page, "" without one, and its headings with their anchors in order."""

    title: str
    headings: tuple[tuple[str, str], ...] = ()


class NamedHeadings:
    """The headings of a page by what links call them: blanks are hyphens, and signs may be left out."""

    def __init__(self, headings: Sequence[tuple[str, str]]) -> None:
        self._tables: list[tuple[Callable[[str], str], dict[str, tuple[str, str]]]] = []
        for key in (_dashed, _letters):
            # of several that are called the same, the first
            self._tables.append((key, {key(each[0]): each for each in reversed(headings)}))

    def find(self, name: str) -> tuple[str, str] | None:
        """Title and anchor of the heading that a link calls `name`; None without one."""
        found = (table.get(key(name)) for key, table in self._tables)
        return next((each for each in found if each is not None), None)


def _dashed(name: str) -> str:
    return re.sub(r"\s+", "-", name.strip())


def _letters(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


@lru_cache(maxsize=256)  # most pages of a catalogue name the same ones
@remembered("docc-outline")
def outline(text: str, *, is_tutorial: bool = False) -> PageOutline:
    """The outline of a page or a tutorial, with the anchors that it has here."""
    if is_tutorial:
        return _of_tutorial(parse(text, is_closed_at_end=True))
    if "@" in text:
        text = "\n".join(_text_lines(parse(text, IN_PAGES)))
    sections = markdown.sections(markdown.parse(text), rules_of(""))
    title = next((each.title for each in sections if each.level == 1), "")
    return PageOutline(title, tuple((each.title, each.anchor) for each in sections))


def _of_tutorial(nodes: Sequence[Node]) -> PageOutline:
    titles = [title_of(each) for each in walk(nodes) if each.name in _TITLED]
    labels = [Label(title, is_section=True) for title in titles if title]
    anchors = assigned(labels, rules_of(""))
    headings = tuple((label.title, anchor) for label, anchor in zip(labels, anchors, strict=True))
    return PageOutline(tutorial_title(nodes), headings)


def title_of(directive: Directive) -> str:
    """What a directive states as its title or name."""
    return " ".join((directive.values.get("title") or directive.values.get("name") or "").split())


def tutorial_title(nodes: Sequence[Node]) -> str:
    """The title of a tutorial: that of its introduction, else what it is called."""
    found = list(walk(nodes))
    named = (each for name in ("Intro", "Tutorials") for each in found if each.name == name)
    titles = map(title_of, named)
    return next(filter(None, titles), "")


def _text_lines(nodes: Sequence[Node]) -> Iterator[str]:
    for each in nodes:
        if isinstance(each, str):
            yield each
        elif each.name not in _NO_TEXT:
            yield ""
            yield from _text_lines(each.content)
            yield ""


class Names(dict[str, str]):
    """The paths of the files of a catalogue by their names: pages and tutorials also by what links call them,
    resources by their names without the ending."""

    def __init__(self, files: Mapping[str, str]) -> None:
        super().__init__(files)
        self._pages: dict[str, str] = {}
        self._tutorials: dict[str, str] = {}
        self._stems: dict[str, str] = {}
        for name, path in files.items():
            stem, ending = posixpath.splitext(name)
            if ending.lower() in MARKDOWN:
                self._pages.setdefault(_dashed(stem), path)
            elif ending.lower() == TUTORIAL:
                self._tutorials.setdefault(_dashed(stem), path)
            else:
                self._stems.setdefault(stem, path)

    def page(self, link: str) -> str:
        """The path of the page that a link names, such as `Name`, `/Module/Name` or `tutorials/Name`, ""
        without one. A page comes before a tutorial that is called the same."""
        parts = [part for part in link.split("/") if part]
        if not parts:
            return ""
        name = _dashed(parts[-1])
        tables = [self._pages, self._tutorials]
        if parts[0].lower() == "tutorials":
            tables.reverse()
        return next((table[name] for table in tables if name in table), "")

    def resource(self, name: str) -> str:
        """The path of a resource by its name, with or without its ending; "" without one."""
        name = posixpath.basename(name)
        return self.get(name) or self._stems.get(name) or ""
