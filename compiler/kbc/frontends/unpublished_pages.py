"""Leaves out pages that the generator of the site does not publish: drafts, and those that the table of
contents of a book does not list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from kbc.diagnostics import Diagnostics
from kbc.project.model import Collection
from kbc.project.permalinks import page_path
from kbc.records import CompiledRecord, DocRecord

_DRAFT, _PUBLISHED = ("draft", True), ("published", False)
_UNPUBLISHED: Mapping[str, tuple[str, bool]] = MappingProxyType(
    {
        "docusaurus": _DRAFT,
        "hexo": _PUBLISHED,
        "hugo": _DRAFT,
        "jekyll": _PUBLISHED,
        "quarto": _DRAFT,
        "starlight": _DRAFT,
        "zola": _DRAFT,
    }
)
"""The field of the front matter, by generators, and the value with which a page is in no published site."""


def published(
    collection: Collection, records: Sequence[CompiledRecord], diagnostics: Diagnostics
) -> list[CompiledRecord]:
    """The pages that the site has; all where it has none yet. Notes (`draft-page`, `unlisted-page`) count the
    others."""
    return _listed(collection, _without_drafts(collection, records, diagnostics), diagnostics)


def _without_drafts(
    collection: Collection, records: Sequence[CompiledRecord], diagnostics: Diagnostics
) -> list[CompiledRecord]:
    rule = _UNPUBLISHED.get(collection.generator)
    drafts = [
        each
        for each in records
        if rule and isinstance(each, DocRecord) and _has(each.frontmatter, *rule)
    ]
    if not rule or not drafts or len(drafts) == len(records):
        return list(records)
    name, value = rule
    message = (
        f"{_pages(drafts)} left out: the site publishes none with `{name}: {str(value).lower()}`"
    )
    hint = "Remove the field to compile such a page."
    diagnostics.note("draft-page", message, drafts[0].path, hint=hint)
    return _without(records, drafts)


def _listed(
    collection: Collection, records: list[CompiledRecord], diagnostics: Diagnostics
) -> list[CompiledRecord]:
    """The pages that the contents of a book list, and its home. If they list fewer than they leave out, a
    program may complete them, and all pages are read."""
    options = collection.generator_options
    contents = options.get("contents", "")
    if not contents:
        return records
    known = {*options.get("order", ()), options.get("home", "")}
    others = [each for each in records if page_path(collection, each.path) not in known]
    if not others or len(others) * 2 > len(records):
        return records
    them = "it" if len(others) == 1 else "them"
    message = f"{_pages(others)} left out: {contents} does not list {them}, and a book has only listed pages"
    hint = "To compile such a page, add it to that list."
    diagnostics.note("unlisted-page", message, others[0].path, hint=hint)
    return _without(records, others)


def _without(
    records: Sequence[CompiledRecord], left_out: Sequence[CompiledRecord]
) -> list[CompiledRecord]:
    paths = {each.path for each in left_out}
    return [each for each in records if each.path not in paths]


def _pages(records: Sequence[CompiledRecord]) -> str:
    return "1 page is" if len(records) == 1 else f"{len(records):,} pages are"


def _has(data: Mapping[str, Any], name: str, value: bool) -> bool:
    stated = data.get(name)
    return stated is value or (isinstance(stated, str) and stated.lower() == str(value).lower())
