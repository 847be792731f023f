"""Anchors of headings: attributes that state them, and each generator's rule for those without."""

from __future__ import annotations

import pytest

from kbc.languages.anchors import Anchors, SlugStyle, slug
from kbc.languages.markdown import parse


@pytest.mark.parametrize(
    ("source", "title", "anchor"),
    [
        ("## First { #one }\n", "First", "one"),
        ("## First {#one .wide}\n", "First", "one"),
        ("## First {: #one }\n", "First", "one"),
        ("## `use` it {/*use-it*/}\n", "use it", "use-it"),
        ("## First {.wide}\n", "First", "first"),
        ("## A {name} stays\n", "A {name} stays", "a-name-stays"),
        ("## Ends in {name}\n", "Ends in {name}", "ends-in-name"),
    ],
)
@pytest.mark.parametrize("is_mdx", [False, True])
def test_attributes_are_no_title(source: str, title: str, anchor: str, is_mdx: bool) -> None:
    if is_mdx and "{name}" in source:
        return
    heading = parse(source, mdx=is_mdx).headings[0]
    assert (heading.title, heading.anchor) == (title, anchor)


@pytest.mark.parametrize("title", ["expecting {... 'else' ...}", "a {name}", "a {.}", "a {#}"])
def test_other_braces_at_the_end_are_text(title: str) -> None:
    assert [each.title for each in parse(f"# {title}\n").headings] == [title]


def test_a_stated_anchor_is_taken() -> None:
    anchors = [each.anchor for each in parse("# X {#a}\n\n# A\n\n# A\n").headings]
    assert anchors == ["a", "a-1", "a-2"]


@pytest.mark.parametrize(
    ("title", "style", "expected"),
    [
        ("What's new in 2.0?", "github", "whats-new-in-20"),
        ("What's new in 2.0?", "python-markdown", "whats-new-in-20"),
        ("A & B", "github", "a--b"),
        ("A & B", "python-markdown", "a-b"),
        ("Über uns", "github", "über-uns"),
        ("Über uns", "python-markdown", "uber-uns"),
        ("A & B", "mdbook", "a--b"),
        ("Keep_this `x`", "mdbook", "keep_this-x"),
        ("`v-on`: Über 1.5", "vitepress", "v-on-uber-1-5"),
        ("3 ways", "vitepress", "_3-ways"),
        ("3 ways (of old)", "kramdown", "ways-of-old"),
        ("!?", "kramdown", "section"),
        ("3.1. The a_b Way!", "docutils", "the-a-b-way"),
    ],
)
def test_each_generator_has_its_rule(title: str, style: SlugStyle, expected: str) -> None:
    assert slug(title, style) == expected


def test_python_markdown_counts_with_an_underscore() -> None:
    anchors = Anchors("python-markdown")
    assert [anchors.next("A") for _ in range(3)] == ["a", "a_1", "a_2"]
