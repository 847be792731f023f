"""The reference that quartodoc writes from a package's docstrings, as `_quarto.yml` lists it.

The pages are in no checkout: quartodoc makes one for each object before Quarto renders the site.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kbc.formats import commonmark
from kbc.formats.document import Converted, Problems, Read, decode
from kbc.formats.loading import parse
from kbc.formats.python.api import with_names
from kbc.formats.python.objects import PythonObjects, Reference, folders_around
from kbc.languages.includes.expansion import expand
from kbc.project.source_file import resolved_path
from kbc.project.well_formed import line_at, mapping, sequence

_FORMAT = "quartodoc"
_MAX_DEPTH = 20
_MEMBERS_ELSEWHERE = "linked"
"""The value of `children` for members that the reference lists themselves."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """An object of the reference: `name` is that below its package, `members` are those described on its
    page, or whether any are; `page` is the page that it shares with others, "" for one of its own."""

    package: str
    name: str
    members: Collection[str] | bool = True
    page: str = ""

    @property
    def full_name(self) -> str:
        return f"{self.package}.{self.name}".strip(".").replace(":", ".")


def convert(path: str, data: bytes, read: Read) -> list[Converted]:
    """The list of the reference and a page for each object in it; nothing of a project without one."""
    stated = mapping(mapping(parse(decode(data), path)).get("quartodoc"))
    sections = [mapping(each) for each in sequence(stated.get("sections"))]
    if not sections:
        return []
    reference = _ReferencePages(path, stated, read)
    lines = [commonmark.heading(1, line_at(stated, "title") or "Function reference")]
    for section in sections:
        lines += reference.section(section)
    overview = Converted(
        text=expand(commonmark.document(commonmark.blocks(lines)), path, read).text,
        format=_FORMAT,
        name="index",
        url=f"{reference.folder}/index.qmd",
        index_names=tuple(reference.shared),
        problems=tuple(reference.problems),
    )
    return [overview, *reference.pages.values()]


class _ReferencePages:
    """Collects the `pages` of the objects that sections list, by name, the files of pages that several
    objects are `shared` by, and what was not found."""

    def __init__(self, path: str, stated: Mapping[str, Any], read: Read) -> None:
        self.folder = line_at(stated, "dir") or "reference"
        self.pages: dict[str, Converted] = {}
        self.shared: dict[str, None] = {}
        self.problems = Problems()
        self._package = line_at(stated, "package")
        self._path, self._read = path, read
        own = resolved_path(line_at(stated, "source_dir"), path)
        self._objects = PythonObjects([own, *folders_around(path)])

    def section(self, section: Mapping[str, Any]) -> list[list[str]]:
        """What the list has of a section: its text, and each of its objects with a sentence."""
        level = 3 if "subtitle" in section else 2
        title = line_at(section, "title") or line_at(section, "subtitle")
        blocks = [commonmark.heading(level, title)] if title else []
        if text := line_at(section, "desc"):
            blocks.append([text])
        package = line_at(section, "package") or self._package
        items = [item for each in _entries(section, package) if (item := self._listed(each))]
        return [*blocks, *([items] if items else [])]

    def _listed(self, entry: _Entry) -> str:
        found = self._objects.reference(entry.full_name, self._read)
        if found is None:
            message = f"the source of {entry.full_name!r} is not in the tree"
            self.problems.elsewhere(_FORMAT, message)
            return f"- {commonmark.code_span(entry.name)}"
        if entry.name not in self.pages:
            self.pages[entry.name] = self._page(entry, found)
        summary = f": {with_names(found.summary)}" if found.summary else ""
        return f"- {commonmark.code_span(entry.name)}{summary}"

    def _page(self, entry: _Entry, found: Reference) -> Converted:
        last = entry.name.replace(":", ".").rpartition(".")[2]
        url = f"{self.folder}/{entry.page or entry.name}.qmd"
        file = resolved_path(url, self._path)
        names: tuple[str, ...] = (entry.name, entry.full_name, last)
        if entry.page:
            self.shared[file] = None
        else:
            names += (file,)
        text = replace(found, name=entry.name).markdown(1, entry.members) + "\n"
        text = expand(text, self._path, self._read).text  # Quarto reads docstrings as its own pages
        return Converted(
            text=text,
            format=_FORMAT,
            title=entry.name,
            name=entry.name,
            url=url,
            summary=with_names(found.summary),
            index_names=tuple(dict.fromkeys(names)),
        )


def _entries(
    section: Mapping[str, Any], package: str, page: str = "", depth: int = 0
) -> Iterator[_Entry]:
    """The objects that a section lists, also those of its pages."""
    contents: Sequence[Any] = sequence(section.get("contents"))
    for each in contents if depth < _MAX_DEPTH else ():
        if isinstance(each, str):
            yield _Entry(package, each, page=page)
            continue
        item = mapping(each)
        own = line_at(item, "package") or package
        if "contents" in item:
            place = line_at(item, "path") if item.get("kind") == "page" else ""
            yield from _entries(item, own, place or page, depth + 1)
        elif name := line_at(item, "name"):
            names = [str(one) for one in sequence(item.get("members"))]
            has_members = item.get("children") != _MEMBERS_ELSEWHERE
            members = names or (has_members and item.get("members") != [])
            yield _Entry(own, name, members, page)
