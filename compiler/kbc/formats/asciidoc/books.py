"""Books in AsciiDoc: documents that are put together of others, which are pages as well."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from pathlib import PurePosixPath

from kbc.formats.asciidoc.attributes import substitute
from kbc.formats.asciidoc.surroundings import entries
from kbc.formats.document import Read
from kbc.project.source_file import decode_any, relative_path

MIN_CHAPTERS = 3
"""Pages that a document includes as a whole, at least, to be a book of them."""

MAX_LEVELS = 8
"""Of documents that include each other."""

MAX_ENTRIES = 4
"""Documents that are put together of the same parts, at most, to be one book: more share a notice."""

_OWN_TEXT = 0.25
"""Of an entry to a book that has another entry, at most, for a character of the parts that it includes."""

_INCLUDE = re.compile(r"^include::(?P<target>[^\[\n]+)\[(?P<options>[^\]\n]*)\]", re.MULTILINE)
_PART = re.compile(r"\b(?:lines|tags?)[ \t]*=")
_TITLE = re.compile(r"^={1,3}[ \t]+(?P<title>\S[^\n]*)", re.MULTILINE)


@dataclass(slots=True)
class Books:
    """The books among some pages. `parts` gives the chapters of a book, with the titles of links to their
    pages; `elsewhere` the pages with the text of parts that are no pages, by the paths of another entry
    and the part; `around` the files with attributes for a page that others include, the nearest first: each
    of these, and what it includes before its first page, up to the book. `real` is the path that one through
    links leads to."""

    real: Callable[[str], str]
    parts: dict[str, dict[str, str]] = field(default_factory=dict)
    elsewhere: dict[tuple[str, str], str] = field(default_factory=dict)
    around: dict[str, list[str]] = field(default_factory=dict)

    @property
    def chapters(self) -> frozenset[str]:
        """The pages that are parts of books."""
        parts = {(path, place) for path, own in self.parts.items() for place in own}
        return frozenset(place for _, place in parts - self.elsewhere.keys())

    def reading(self, path: str, read: Read) -> Read:
        """`read` for the document at `path`: a chapter of its book is a link to its page, not its text once
        more."""
        return partial(self._contents, path, read) if path in self.parts else read

    def _contents(self, path: str, read: Read, wanted: str) -> bytes | None:
        place = self.real(wanted)
        title = self.parts[path].get(place)
        if title is None:
            return read(wanted)
        page = self.elsewhere.get((path, place), place)
        return f"* link:{relative_path(page, path)}[{title}]\n".encode()


def find_books(
    pages: Iterable[tuple[str, bytes]], real: Callable[[str], str] = posixpath.normpath
) -> Books:
    """The books among pages, given by their paths below the root and their content; `real` gives the path
    that one through links leads to."""
    texts = {path: decode_any(data) for path, data in pages}
    books = Books(real)
    including = {path: [*map(real, _included(path, text))] for path, text in texts.items()}
    for path, included in including.items():
        own = (place for place in included if place in texts and not _is_part(place, path))
        chapters = {place: title for place in own if (title := _title(texts[place]))}
        if len(chapters) >= MIN_CHAPTERS:
            books.parts[path] = chapters
    for _ in range(MAX_LEVELS):
        if not sum(_with_inner(books, *each) for each in including.items()):
            break
    _find_entries(books, texts, including)
    books.around = _surroundings({path for path in texts if _title(texts[path])}, including)
    return books


def _surroundings(
    pages: Container[str], including: Mapping[str, list[str]]
) -> dict[str, list[str]]:
    """For each of the pages that a document includes, the files with attributes for it, the nearest first."""
    includers: dict[str, list[str]] = {}
    for path, included in including.items():
        for place in dict.fromkeys(included):
            if place in pages and place != path:
                includers.setdefault(place, []).append(path)
    around: dict[str, list[str]] = {}
    for page in includers:
        level, found = [page], dict[str, None]()
        for _ in range(MAX_LEVELS):
            above = (path for each in level for path in includers.get(each, [])[:MAX_ENTRIES])
            level = [path for path in dict.fromkeys(above) if path not in found and path != page]
            for path in level:
                before = takewhile(lambda place: place not in pages, including[path])
                found |= dict.fromkeys([path, *before])
        around[page] = [*found]
    return around


def _with_inner(books: Books, path: str, included: list[str]) -> bool:
    """Gives a document the chapters of the books that it includes, whose text it would repeat; whether there
    were any."""
    own = books.parts.get(path, {})
    found: dict[str, str] = {}
    for place in included:
        if place != path and place not in own:
            found |= books.parts.get(place, {})
    found = {place: title for place, title in found.items() if place not in own and place != path}
    if found:
        books.parts[path] = own | found
    return bool(found)


def _find_entries(
    books: Books, texts: Mapping[str, str], including: Mapping[str, list[str]]
) -> None:
    """Documents that are put together of the same parts, which are no pages: the index, or else the first of
    them, has their text, and the others links to it."""
    parts: dict[str, list[str]] = {}
    entries_of: dict[str, list[str]] = {}
    for path in sorted(texts, key=lambda each: (PurePosixPath(each).stem != "index", each)):
        if _is_part(path, ""):
            continue
        found = (each for each in including[path] if each in texts and _is_part(each, path))
        parts[path] = [place for place in dict.fromkeys(found) if _title(texts[place])]
        for place in parts[path]:
            entries_of.setdefault(place, []).append(path)
    for path, own in parts.items():
        shared = [each for each in own if len(entries_of[each]) <= MAX_ENTRIES]
        first = entries_of[shared[0]][0] if shared else path
        shared = [each for each in shared if first != path and each in parts[first]]
        size = sum(len(texts[each]) for each in shared)
        if len(shared) < MIN_CHAPTERS or len(texts[path]) > _OWN_TEXT * size:
            continue
        titles = {each: _title(texts[each]) for each in shared}
        books.parts[path] = books.parts.get(path, {}) | titles
        books.elsewhere |= {(path, each): first for each in shared}


def _included(path: str, text: str) -> list[str]:
    """The files that a document includes as a whole, in order."""
    attributes: Mapping[str, str] = dict(entries(text))
    folder = posixpath.dirname(path)
    whole = (each for each in _INCLUDE.finditer(text) if not _PART.search(each["options"]))
    targets = (substitute(each["target"].strip(), attributes) for each in whole)
    return [posixpath.normpath(posixpath.join(folder, target)) for target in targets]


def _is_part(place: str, book: str) -> bool:
    """Whether a file is no page: the book itself, and what is there to be included, as an underscore before
    its name or that of a folder says."""
    names = relative_path(place, book).split("/")
    return place == book or any(name.startswith("_") for name in names)


def _title(text: str) -> str:
    """The first title of a document, "" without one."""
    match = _TITLE.search(text)
    return match["title"].strip().replace("]", "\\]") if match else ""
