"""Takes apart what a caller typed for a record: its name, and the section or lines of it that are meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kb_runtime.records.entries import SectionEntry

# `a.py:10:4` and `a.py#L10-L12`, as compilers, logs and links have lines; `a.md lines 3-5 of 1-9` and
# `a.md, lines 3 to 5 of 1 to 9`, as answers show them.
_LINES = re.compile(
    r"(?P<name>.*\.\w+)"
    r"(?::(?P<a>\d{1,9})(?::\d+|-(?P<b>\d{1,9}))?:?|#L(?P<c>\d{1,9})(?:-L?(?P<d>\d{1,9}))?)"
    r"|(?P<shown>kb://\S*[^\s,]|.*\.\w+),? lines? (?P<e>\d{1,9})(?:(?:-| to )(?P<f>\d{1,9}))?"
    r"(?: of \d+(?:-| to )\d+)?"
)
_RELATIVE = re.compile(r"(?:\.{0,2}/)+")


class TypedName(NamedTuple):
    """A name, and what of its record is meant: a section's anchor or title, or the first and last line,
    where None is the end. Without either the whole record is."""

    name: str
    section: str = ""
    lines: tuple[int, int | None] | None = None


def readings(typed: str) -> Iterator[TypedName]:
    """What a text may refer to, the most literal reading first: as it is, as a path without `./` or the like
    in quotes or with backslashes, without the parentheses of a call, without a `#` and what follows, and
    without lines."""
    yield TypedName(typed)
    path = tidy(typed)
    yield TypedName(path)
    yield TypedName(path.removesuffix("()"))
    if named := named_lines(path):
        yield named
    page, mark, section = path.rpartition("#")
    if mark:
        yield TypedName(page.rstrip("/"), section)


def unquoted(text: str) -> str:
    return text.strip("`'\"<>")


def tidy(path: str) -> str:
    """A path as ids are written: without quotes around it, with slashes, relative to no folder. No path is
    opened, so `../a.md` only means what ends with `a.md`."""
    forward = unquoted(path).replace("\\", "/")
    return forward[found.end() :] if (found := _RELATIVE.match(forward)) else forward


def named_lines(text: str) -> TypedName | None:
    """The file and the lines of `a.py:10`, `a.py#L10-L12` and the like; None where a text has no lines."""
    found = _LINES.fullmatch(text)
    if found is None:
        return None
    name, a, b, c, d, shown, e, f = found.groups()
    last = b or d or f
    return TypedName(name or shown, "", (int(a or c or e), int(last) if last else None))


def section_called(sections: Sequence[SectionEntry], wanted: str) -> SectionEntry | None:
    """The section with an anchor or title, in any case; `anchor:line`, as ids of hits have it, says which
    of several. None where there is none."""
    wanted = wanted.removeprefix("#")
    placed = [section for section in sections if "line" in section]
    if section := _section_named(placed, wanted):
        return section
    anchor, _, line = wanted.rpartition(":")
    if not (anchor and line.isdecimal()):
        return None
    alike = (each for each in placed if each["anchor"] == anchor)
    meant = (each for each in alike if str(each["line"]) == line)
    return next(meant, None) or _section_named(placed, anchor)


def _section_named(placed: Sequence[SectionEntry], wanted: str) -> SectionEntry | None:
    folded = wanted.casefold()
    for section in placed:
        if wanted == section["anchor"]:
            return section
    for section in placed:
        if wanted == section["title"]:
            return section
    for section in placed:
        if folded in (section["title"].casefold(), section["anchor"].casefold()):
            return section
    return None
