"""The topic that is read: its project, its variables, and the parts of other files that it takes in."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from itertools import chain

from lxml import etree

from kbc.formats.document import Problems, Read
from kbc.formats.writerside.project import TopicProject, declared, filled, is_shown, project_of
from kbc.formats.writerside.sources import part
from kbc.formats.writerside.tags import TITLE, headings
from kbc.formats.writerside.xml import parsed_if_any
from kbc.languages.anchors import slug
from kbc.languages.includes.files import not_included
from kbc.project.source_file import decode_any, relative_path, resolved_path

MAX_DEPTH = 8
MAX_INCLUDES = 2_000
MAX_CHARS = 4_000_000
"""Of what one topic takes in, however it nests."""

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_IN_XML = re.compile(r"<topic\b[^<>]*?\btitle\s*=\s*\"(?P<title>[^\"]*)\"", re.DOTALL)


@dataclass(slots=True)
class Topic:
    """`named` gives the path of a topic by its name where the project is known: topics are named without
    their folders. `variables` are those of the place that is read; `stack` are the parts being included;
    `problems` count what could not be had, `targets` are the ids of elements."""

    path: str
    read: Read
    project: TopicProject
    named: Mapping[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    problems: Problems = field(default_factory=Problems)
    targets: list[str] = field(default_factory=list)
    stack: tuple[tuple[str, str], ...] = ()
    includes: int = 0
    chars: int = 0

    @classmethod
    def of(cls, path: str, read: Read, named: Mapping[str, str]) -> Topic:
        project = project_of(path, read)
        return cls(path, read, project, named, dict(project.variables))

    @property
    def own_path(self) -> str:
        """The file whose text is read: this topic's, or that of what it includes."""
        return self.stack[-1][0] if self.stack else self.path

    def filled(self, text: str) -> str:
        return filled(text, self.variables)

    def is_shown(self, condition: str) -> bool:
        return is_shown(condition, self.project.instances)

    @contextmanager
    def scope(self, variables: Mapping[str, str]) -> Iterator[None]:
        """Variables of an element; their values are filled with those around it."""
        outer = self.variables
        own = {name: filled(value, outer) for name, value in variables.items()}
        self.variables = outer | own
        try:
            yield
        finally:
            self.variables = outer

    def declaring(self, element: etree._Element) -> AbstractContextManager[None]:
        """The scope of an element with the variables that it declares."""
        return self.scope(dict(declared(element, self.project.instances)))

    @contextmanager
    def inside(self, path: str, id: str) -> Iterator[bool]:
        """Reads a part of another file; False where that would not end."""
        self.includes += 1
        is_small = self.includes <= MAX_INCLUDES and self.chars <= MAX_CHARS
        is_bounded = is_small and (path, id) not in self.stack and len(self.stack) < MAX_DEPTH
        outer = self.stack
        self.stack = (*outer, (path, id))
        try:
            yield is_bounded
        finally:
            self.stack = outer

    def find(self, name: str) -> str:
        """The path of the topic called `name`, beside this one or anywhere in the project; "" without."""
        name = name.partition("#")[0]
        beside = resolved_path(name, self.own_path)
        known = self.named.get(posixpath.basename(name), "")
        places = (known, beside, posixpath.join(self.project.topics, name))
        return next((each for each in places if each and self.text(each) is not None), "")

    def text(self, path: str) -> str | None:
        data = self.read(path)
        return None if data is None or b"\0" in data else decode_any(data)

    def target(self, href: str, anchor: str = "") -> str:
        """Where a link leads: a topic by its path from this one, an address as it is."""
        href = self.filled(href.strip())
        page, _, own_anchor = href.partition("#")
        anchor = own_anchor or self.filled(anchor)
        behind = f"#{anchor}" if anchor else ""
        if not page or _ADDRESS.match(page):
            return f"{page}{behind}"
        if known := self.named.get(posixpath.basename(page), ""):
            page = relative_path(known, self.path)
        return f"{page}{behind}"

    def title(self, element: etree._Element) -> str:
        """The title that an element has as an attribute or a child, which may depend on the instance."""
        for each in element.findall("title"):
            if self.is_shown(each.get("instance", "")):
                return " ".join(self.filled("".join(each.itertext())).split())
        return " ".join(self.filled(element.get("title", "")).split())

    def title_of(self, href: str, anchor: str = "") -> str:
        """What a link without a text of its own says: the title of the topic, or of the chapter."""
        page, _, own_anchor = self.filled(href).partition("#")
        anchor = own_anchor or self.filled(anchor)
        if _ADDRESS.match(page):
            return page
        path = self.find(page) if page else self.path
        text = (self.text(path) if path else None) or ""
        title = _titled(text, anchor) if anchor else ""
        for pattern in (_IN_XML, TITLE):
            if not title and (found := pattern.search(text)):
                title = found["title"].strip()
        title = title or next((each.title for each in headings(text) if each.level == 1), "")
        return self.filled(title) or anchor or page

    def code(self, stated: Mapping[str, str], name: str, line: int = 0) -> str | None:
        """The part of a source file that the attributes of a block of code (`src`, `include-*`) ask for, or
        what stands in its place; None where they name no file."""
        if not (source := stated.get("src")):
            return None
        parts = (stated.get("include-lines", ""), stated.get("include-symbol", ""))
        found = self._part(source, *parts, name, line)
        return not_included(self.filled(source)) if found is None else found

    def _part(self, source: str, lines: str, symbols: str, name: str, line: int) -> str | None:
        """None, counted, where it is not there."""
        source = self.filled(source).lstrip("/")
        if "://" in source:
            self.problems.elsewhere(name, f"{source} is no file of the tree", line)
            return None
        folders = (self.project.snippets, posixpath.dirname(self.own_path), self.project.topics)
        places = (*folders, posixpath.dirname(self.project.topics))
        paths = (posixpath.normpath(posixpath.join(place, source)) for place in places)
        text = next((found for path in paths if (found := self.text(path)) is not None), None)
        if text is None:
            self.problems.unresolved(name, f"{source!r} does not exist", line)
            return None
        try:
            found = part(text, self.filled(lines), self.filled(symbols))
        except ValueError as error:
            self.problems.unresolved(name, f"{source}: {error}", line)
            return None
        self.chars += len(found)
        if self.chars > MAX_CHARS:
            self.problems.unresolved(name, f"{source!r} would make the topic too large", line)
            return None
        return found

    def fragment(self, path: str, id: str) -> etree._Element | None:
        """The element `id` of a `.topic` file; None where there is none."""
        text = self.text(path)
        root = parsed_if_any(None if text is None else text.encode())
        if root is None or not id:
            return root
        return next((each for each in root.iter() if each.get("id") == id), None)


def _titled(text: str, id: str) -> str:
    """The title of the element or heading that states `id`."""
    stated = re.compile(rf"\bid\s*=\s*\"{re.escape(id)}\"")
    in_tag = rf"<\w[\w-]*+(?=[^<>]*{stated.pattern})[^<>]*\btitle\s*=\s*\"([^\"]*)\""
    if found := re.search(in_tag, text):
        return found[1]
    own = list(headings(text))
    of_id = (each.title for each in own if stated.search(each.stated))
    named = (each.title for each in own if slug(each.title, "blackfriday") == id)
    return next(chain(of_id, named), "")
