"""Pages that a project has twice: a README that its site shows as well, through a link or by including it,
and parts of pages that are files of their own."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from kbc.diagnostics import Diagnostics
from kbc.formats.document import UNRESOLVED
from kbc.project.model import Collection, Project
from kbc.recognition.site import below
from kbc.records import CompiledRecord, DocRecord

_BESIDE = frozenset({"readme", "notebooks"})
"""The collections of what a project has outside of its documentation."""

_MARKUP = re.compile(r"\{[\w:+-]+\}(?=`)|\s*<[^<>`\s]+>(?=`)|\]\([^)\s]*\)|[\s#`\[\]]+")
"""What may differ in a text that another page includes: roles, targets of links, levels of headings."""

_MOST = 0.9
"""Such a share of the lines is all of a text where others are in the place of the rest: links to labels have
other words on other pages."""

_NO_WORDS = re.compile(r"!(?!!)|<")
"""How lines begin that say nothing: images, badges, comments."""

_EMBED = "![["
"""How notes show others, each of which has a page of its own, called as its file."""

Records = Mapping[str, list[CompiledRecord]]


def without_copies(
    project: Project,
    records: Records,
    includers: Mapping[str, Sequence[str]],
    diagnostics: Diagnostics,
) -> dict[str, list[CompiledRecord]]:
    """`records` without those of which a page of the documentation has all the text, and whose paths it
    takes as aliases. What these include is looked for beside the page, which has a warning of its own where
    it is not there. `includers` are the files that include another, by its path."""
    found = {name: list(each) for name, each in records.items()}
    documents = [each for each in project.collections if each.kind == "docs"]
    copies = _in_kept_pages(_copies(documents, records, includers))
    if not copies:
        return found
    diagnostics.discard(lambda each: each.path in copies and each.code == UNRESOLVED)
    for collection in documents:
        name = collection.name
        found[name] = list(_rewritten(records[name], copies))
    return found


def _copies(
    documents: Sequence[Collection], records: Records, includers: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """The paths of what a page of the documentation holds, each with the path of that page."""
    pages = {
        record.path: record
        for each in documents
        if each.name not in _BESIDE
        for record in _documents(records[each.name])
    }
    texts: dict[str, Mapping[str, Sequence[int]]] = {}
    by_text: dict[str, str] = {}
    if any(records.get(name) for name in _BESIDE):
        for path, page in pages.items():
            by_text.setdefault(page.text, path)
    copies: dict[str, str] = {}
    for collection in documents:
        is_beside = collection.name in _BESIDE
        for record in _documents(records[collection.name]):
            if is_beside and record.text in by_text:
                copies[record.path] = by_text[record.text]
            elif is_beside or _is_part(collection, record):
                paths = (path for path in includers.get(record.path, ()) if path != record.path)
                around = (pages[path] for path in paths if path in pages)
                whole = (page for page in around if _EMBED not in page.stored)
                holder = next((each for each in whole if _holds(each, record, texts)), None)
                if holder is not None:
                    copies[record.path] = holder.path
    return copies


def _documents(records: Iterable[CompiledRecord]) -> Iterator[DocRecord]:
    return (each for each in records if isinstance(each, DocRecord))


def _in_kept_pages(copies: Mapping[str, str]) -> dict[str, str]:
    """`copies` without those in copies of themselves: of pages that include each other all would go. The
    page of each is one that is no copy itself, as its text has that of all between them."""
    kept: dict[str, str] = {}
    for copy in copies:
        passed, page = {copy}, copies[copy]
        while page in copies and page not in passed:
            passed.add(page)
            page = copies[page]
        if page not in copies:
            kept[copy] = page
    return kept


def without_empty(project: Project, records: dict[str, list[CompiledRecord]]) -> Project:
    """The project, and `records`, without collections of which all were copies."""
    empty = {name for name in _BESIDE & records.keys() if not records[name]}
    for name in empty:
        del records[name]
    kept = tuple(each for each in project.collections if each.name not in empty)
    return replace(project, collections=kept) if kept and empty else project


def _rewritten(
    records: Iterable[CompiledRecord], copies: Mapping[str, str]
) -> Iterable[CompiledRecord]:
    former: dict[str, list[str]] = {}
    for copy, page in copies.items():
        former.setdefault(page, []).append(copy)
    for record in records:
        if record.path in copies:
            continue
        if isinstance(record, DocRecord) and record.path in former:
            record = replace(record, aliases=(*record.aliases, *former[record.path]))
        yield record


def _is_part(collection: Collection, record: DocRecord) -> bool:
    """Whether the site has no page for a file that others include, which its navigation does not list: of
    mdBook none of these is a page, elsewhere those without a title or with an underscore before the name."""
    order = collection.site.order
    if below(collection.site.folder, record.path) in order:
        return False
    is_listed = collection.conventions.publishes_only_listed and bool(order)
    return is_listed or not record.has_title or record.path.rsplit("/", 1)[-1].startswith("_")


def _holds(page: DocRecord, part: DocRecord, texts: dict[str, Mapping[str, Sequence[int]]]) -> bool:
    """Whether `page` has the lines of `part`: a few may be others there, but none may be left out. `texts`
    keeps where the lines of pages are."""
    if page.path not in texts:
        found: dict[str, list[int]] = {}
        for at, line in enumerate(_lines(page.text)):
            found.setdefault(line, []).append(at)
        texts[page.path] = found
    places = texts[page.path]
    title = _MARKUP.sub("", part.title)
    lines = _lines(part.content or part.text)
    at, missing, run = -1, 0, 0
    for line in lines:
        if line not in places:
            missing += 1
            run += line != title and not _NO_WORDS.match(line)
            continue
        own = places[line]
        following = bisect_right(own, at)
        if following < len(own):
            if own[following] - at <= run:
                return False
            at, run = own[following], 0
    behind = max((own[-1] for own in places.values()), default=-1) - at
    return bool(lines) and missing <= (1 - _MOST) * len(lines) and run <= behind


def _lines(text: str) -> list[str]:
    return [line for each in text.split("\n") if (line := _MARKUP.sub("", each))]
