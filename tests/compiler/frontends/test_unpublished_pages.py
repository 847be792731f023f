"""Pages that a site does not publish."""

from __future__ import annotations

import pytest

from kbc.diagnostics import Diagnostics
from kbc.frontends.docs import read
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile


def _read(generator: str, *fields: str) -> tuple[list[str], list[str]]:
    """The ids of the pages with one of `fields` each, and the notes."""
    files = [
        SourceFile(f"{place}.md", f"---\n{each}\n---\n\n# Page {place}\n\ntext\n".encode(), "")
        for place, each in enumerate(fields)
    ]
    diagnostics = Diagnostics()
    collection = Collection("docs", "docs", (".",), generator=generator)
    found = read(collection, files, diagnostics)
    return [each.id for each in found], [each.message for each in diagnostics]


@pytest.mark.parametrize(
    ("generator", "field"),
    [
        *((name, "draft: true") for name in ("docusaurus", "hugo", "quarto", "starlight", "zola")),
        *((name, "published: false") for name in ("hexo", "jekyll")),
        ("hugo", "draft: 'true'"),
    ],
)
def test_pages_that_the_generator_does_not_publish_are_left_out(generator: str, field: str) -> None:
    found, notes = _read(generator, "a: 1", field, "draft: false", "published: true")
    assert found == ["0.md", "2.md", "3.md"]
    assert len(notes) == 1
    assert "1 page is left out" in notes[0]


def test_where_no_rule_says_so_or_all_pages_are_drafts_they_are_read() -> None:
    assert _read("mkdocs", "a: 1", "draft: true") == (["0.md", "1.md"], [])
    assert _read("", "a: 1", "draft: true") == (["0.md", "1.md"], [])
    assert _read("hugo", "draft: true", "draft: true") == (["0.md", "1.md"], [])
