"""What pages are called whose first heading is no title of theirs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from kbc.project import permalinks
from kbc.project.kinds import ON_RELEASES
from kbc.project.model import Collection
from kbc.records import CompiledRecord, DocRecord

_FEWEST_ALIKE = 3
"""Pages of one collection that begin with the same heading, at least, for it to be a template's."""

_LOG = re.compile(ON_RELEASES, re.IGNORECASE)
_CHANGE = re.compile(r"\d|\?\.\?|unreleased", re.IGNORECASE)
"""What the parts of a log of changes are called after: versions and days."""


def named_apart(collection: Collection, records: Sequence[CompiledRecord]) -> list[CompiledRecord]:
    """The records, of which pages that follow one template, whose parts all have headings of level 1
    (`# Summary`, `# Motivation`), are called as their files: the first part is no title. Neither is that of
    a README or a log of changes which names something else (`# Features`, `# 2.1.0`). A log that is called
    as its package, as Changesets writes it, has the name of its file behind that. Pages without a title
    whose files are called alike (`caddy/licence.md`) have the name of their folder before it."""
    begins = [_first_part(record) for record in records]
    counts = Counter(filter(None, begins))
    named = []
    for record, begin in zip(records, begins, strict=True):
        title = ""
        if isinstance(record, DocRecord) and begin:
            is_template = counts[begin] >= _FEWEST_ALIKE
            title = name_in_path(record.path) if is_template else _of_project(collection, record)
            record = replace(record, title=title or record.title)
        elif isinstance(record, DocRecord) and not collection.generator and _is_log(record):
            record = replace(record, title=f"{record.title} {name_in_path(record.path)}")
        named.append(record)
    alike = Counter(each.title for each in named if _is_called_as_file(each))
    return [
        replace(each, title=f"{_folder(each.path)} {each.title}".lstrip())
        if _is_called_as_file(each) and alike[each.title] > 1
        else each
        for each in named
    ]


def _is_called_as_file(record: CompiledRecord) -> bool:
    """Whether nothing but the name of its file says what a page is called."""
    return (
        isinstance(record, DocRecord)
        and record.title == record.path.rpartition("/")[2].rpartition(".")[0]
        and not any(section.title == record.title for section in record.sections)
    )


def _folder(path: str) -> str:
    return path.rpartition("/")[0].rpartition("/")[2]


def _is_log(record: DocRecord) -> bool:
    """Whether a page is a log of changes, which only its file says."""
    parts = [section.title for section in record.sections if section.level == 2]
    is_named = _LOG.search(record.title) or not _LOG.fullmatch(name_in_path(record.path))
    return bool(parts) and not is_named and all(map(_CHANGE.search, parts))


def _of_project(collection: Collection, record: DocRecord) -> str:
    """What a page about a project is called, the first of whose parts is about something else: a README as
    the part that names the project, else as the project, a log of changes as its file; else ""."""
    stem = name_in_path(record.path)
    if collection.generator:
        return ""
    if _LOG.fullmatch(stem):
        return stem if _CHANGE.search(record.title) else ""
    project = permalinks.title(collection, record.path)
    parts = [section.title for section in record.sections if section.level == 1]
    return next((part for part in parts if _words(part) & _words(project)), project)


def _words(text: str) -> set[str]:
    return {*re.findall(r"\w+", text.lower())}


def _first_part(record: CompiledRecord) -> str:
    """The title of a page that took it from the first of several headings of level 1, else ""."""
    if not isinstance(record, DocRecord) or record.frontmatter.get("title"):
        return ""
    parts = [section.title for section in record.sections if section.level == 1]
    return record.title if len(parts) > 1 and parts[0] == record.title else ""


def name_in_path(path: str) -> str:
    """The name of a page without its ending; of an index, or a page of Next.js, the name of its folder, which
    also stands before a mere number."""
    folder, _, name = path.rpartition("/")
    stem, around = name.rpartition(".")[0] or name, folder.rpartition("/")[2]
    is_index = stem.lower().strip("_") in ("index", "readme") or name == "page.mdx"
    if is_index:
        return around or stem
    return f"{around} {stem}".lstrip() if stem.isdecimal() else stem
