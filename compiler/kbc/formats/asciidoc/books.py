"""Books in AsciiDoc: documents that are put together of others, which are pages as well."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from kbc.formats.asciidoc.attributes import substitute
from kbc.formats.asciidoc.surroundings import entries
from kbc.formats.document import Read
from kbc.project.source_file import decode_any, relative_path

MIN_CHAPTERS = 3
"""Pages that a document includes as a whole, at least, to be a book of them."""

_INCLUDE = re.compile(r"^include::(?P<target>[^\[\n]+)\[(?P<options>[^\]\n]*)\]", re.MULTILINE)
_WHOLE = re.compile(r"\s*(?:\"?leveloffset=[+-]?\d+\"?\s*)?")
_TITLE = re.compile(r"^={1,3}[ \t]+(?P<title>\S[^\n]*)", re.MULTILINE)


@dataclass(slots=True)
class Books:
    """The books among some pages. `parts` gives the chapters of a book in order, with their titles; `around`
    the files with attributes for a chapter, the nearest first: its book, and what that includes before its
    first chapter. `real` is the path that one through links leads to."""

    real: Callable[[str], str]
    parts: dict[str, dict[str, str]] = field(default_factory=dict)
    around: dict[str, list[str]] = field(default_factory=dict)

    def reading(self, path: str, read: Read) -> Read:
        """`read` for the document at `path`: a chapter of its book is a link to its page, not its text once
        more."""
        chapters = self.parts.get(path)
        return partial(_contents, chapters, path, self.real, read) if chapters else read


def _contents(
    chapters: Mapping[str, str], path: str, real: Callable[[str], str], read: Read, wanted: str
) -> bytes | None:
    place = real(wanted)
    title = chapters.get(place)
    if title is None:
        return read(wanted)
    return f"* link:{relative_path(place, path)}[{title}]\n".encode()


def find_books(
    pages: Iterable[tuple[str, bytes]], real: Callable[[str], str] = posixpath.normpath
) -> Books:
    """The books among pages, given by their paths below the root and their content; `real` gives the path
    that one through links leads to."""
    texts = {path: decode_any(data) for path, data in pages}
    books = Books(real)
    for path, text in texts.items():
        included = [real(place) for place in _included(path, text)]
        own = (place for place in included if place in texts and not _is_part(place, path))
        chapters = {place: title for place in own if (title := _title(texts[place]))}
        if len(chapters) >= MIN_CHAPTERS:
            books.parts[path] = chapters
            first = min(map(included.index, chapters))
            for place in chapters:
                books.around.setdefault(place, []).extend([path, *included[:first]])
    return books


def _included(path: str, text: str) -> list[str]:
    """The files that a document includes as a whole, in order."""
    attributes: Mapping[str, str] = dict(entries(text))
    folder = posixpath.dirname(path)
    targets = (
        substitute(match["target"].strip(), attributes)
        for match in _INCLUDE.finditer(text)
        if _WHOLE.fullmatch(match["options"])
    )
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
