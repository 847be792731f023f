"""Leaves out pages that the generator of the site does not publish: drafts, and those that the table of
contents of a book does not list."""

from __future__ import annotations

from collections.abc import Sequence

from kb_runtime.text.tables import first_of
from kbc.diagnostics import Diagnostics
from kbc.project.model import Collection
from kbc.project.permalinks import page_path
from kbc.records import DocRecord

_MOST_NAMED = 3


def published(
    collection: Collection, records: Sequence[DocRecord], diagnostics: Diagnostics
) -> list[DocRecord]:
    """The pages that the site has; all where it has none yet. Notes (`draft-page`, `unlisted-page`) count the
    others."""
    return _listed(collection, _without_drafts(collection, records, diagnostics), diagnostics)


def _without_drafts(
    collection: Collection, records: Sequence[DocRecord], diagnostics: Diagnostics
) -> list[DocRecord]:
    unpublished = collection.conventions.unpublished
    if unpublished is None:
        return list(records)
    name, value = unpublished
    drafts = [each for each in records if _has(each, name, value)]
    if len(drafts) in (0, len(records)):
        return list(records)
    message = (
        f"{_pages(drafts)} left out ({_named(drafts)}): the site publishes none with"
        f" `{name}: {str(value).lower()}`"
    )
    hint = "Remove the field to compile such a page."
    diagnostics.note("draft-page", message, drafts[0].path, hint=hint)
    return _without(records, drafts)


def _listed(
    collection: Collection, records: list[DocRecord], diagnostics: Diagnostics
) -> list[DocRecord]:
    """The pages that the contents of a book list, and its home. If they list fewer than they leave out, a
    program may complete them, and all pages are read."""
    contents = collection.site.contents
    if not contents:
        return records
    known = {*collection.site.order, collection.site.addresses.home}
    others = [each for each in records if page_path(collection, each.path) not in known]
    if not others or len(others) * 2 > len(records):
        return records
    them = "it" if len(others) == 1 else "them"
    message = (
        f"{_pages(others)} left out ({_named(others)}): {contents} does not list {them}, and a book has"
        " only listed pages"
    )
    hint = "To compile such a page, add it to that list."
    diagnostics.note("unlisted-page", message, others[0].path, hint=hint)
    return _without(records, others)


def _without(records: Sequence[DocRecord], left_out: Sequence[DocRecord]) -> list[DocRecord]:
    paths = {each.path for each in left_out}
    return [each for each in records if each.path not in paths]


def _pages(records: Sequence[DocRecord]) -> str:
    return "1 page is" if len(records) == 1 else f"{len(records):,} pages are"


def _named(records: Sequence[DocRecord]) -> str:
    return first_of([each.path for each in records], _MOST_NAMED)


def _has(record: DocRecord, name: str, value: bool) -> bool:
    stated = record.frontmatter.get(name)
    return stated is value or (isinstance(stated, str) and stated.lower() == str(value).lower())
