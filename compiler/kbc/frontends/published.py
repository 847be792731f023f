"""Leaves out draft pages (`draft: true`, `published: false`), as the generator of the site does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from kbc.diagnostics import Diagnostics
from kbc.project.model import Collection
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
    """The pages that the site has; all where it has none yet. A note (`draft-page`) counts the others."""
    rule = _UNPUBLISHED.get(collection.generator)
    drafts = [
        each
        for each in records
        if rule and isinstance(each, DocRecord) and _has(each.frontmatter, *rule)
    ]
    if not rule or not drafts or len(drafts) == len(records):
        return list(records)
    name, value = rule
    pages = "1 page is" if len(drafts) == 1 else f"{len(drafts):,} pages are"
    diagnostics.note(
        "draft-page",
        f"{pages} left out: the site publishes none with `{name}: {str(value).lower()}`",
        drafts[0].path,
        hint="Remove the field to compile such a page.",
    )
    left_out = {each.path for each in drafts}
    return [each for each in records if each.path not in left_out]


def _has(data: Mapping[str, Any], name: str, value: bool) -> bool:
    stated = data.get(name)
    return stated is value or (isinstance(stated, str) and stated.lower() == str(value).lower())
