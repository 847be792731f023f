"""What the formats that pandoc reads have of their own: Org, MediaWiki, DocBook and man pages."""

from __future__ import annotations

from tests.compiler.formats.samples import read

from kbc.formats import Converted, convert


def one(path: str, source: str) -> Converted:
    (found,) = convert(path, source.encode(), read)
    return found


def test_headings_of_org_lie_below_its_title_without_their_tags() -> None:
    found = one("a.org", "#+title: The guide\n\n* One :unfold:a_b:\ntext\n** Two\ntext\n* Three\n")
    assert found.title == "The guide"
    assert found.text == "# The guide\n\n## One\n\ntext\n\n### Two\n\ntext\n\n## Three\n"
    assert found.anchors == ("", "one", "two", "three")


def test_org_without_a_title_begins_with_its_first_heading() -> None:
    found = one("a.org", "* One :tag:\ntext\n** Two\n")
    assert (found.title, found.text) == ("One", "# One\n\ntext\n\n## Two\n")
