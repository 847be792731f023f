"""Anchors of headings: attributes that state them, and each generator's rule for those without."""

from __future__ import annotations

import pytest

from kbc.languages.anchors import AnchorRules, Anchors, SlugStyle, rules_of, slug
from kbc.languages.markdown import anchors, parse, sections
from kbc.project.sites.settings import LinkSettings


@pytest.mark.parametrize(
    ("source", "title", "anchor"),
    [
        ("## First { #one }\n", "First", "one"),
        ("## First {#one .wide}\n", "First", "one"),
        ("## First {: #one }\n", "First", "one"),
        ("## First \\{#one}\n", "First", "one"),
        ("## First {\\#one-two}\n", "First", "one-two"),
        ("## `use` it {/*use-it*/}\n", "use it", "use-it"),
        ("## First {.wide}\n", "First", "first"),
        ('## First {id="one" collapsible="true"}\n', "First", "one"),
        ('## First {collapsible="true"}\n', "First", "first"),
        ("## First {a=1}\n", "First {a=1}", "first-a1"),
        ("## A {name} stays\n", "A {name} stays", "a-name-stays"),
        ("## Ends in {name}\n", "Ends in {name}", "ends-in-name"),
    ],
)
@pytest.mark.parametrize("is_mdx", [False, True])
def test_attributes_are_no_title(source: str, title: str, anchor: str, is_mdx: bool) -> None:
    if is_mdx and ("{name}" in source or "=" in source):
        return
    (heading,) = sections(parse(source, mdx=is_mdx))
    assert (heading.title, heading.anchor) == (title, anchor)


@pytest.mark.parametrize("title", ["expecting {... 'else' ...}", "a {name}", "a {.}", "a {#}"])
def test_other_braces_at_the_end_are_text(title: str) -> None:
    assert [each.title for each in parse(f"# {title}\n").headings] == [title]


def test_a_stated_anchor_is_taken() -> None:
    found = [each.anchor for each in sections(parse("# X {#a}\n\n# A\n\n# A\n"))]
    assert found == ["a", "a-1", "a-2"]


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
        ("Nests -- of `--all` birds", "kramdown-gfm", "nests--of---all-birds"),
        ("!?", "kramdown", "section"),
        ("3.1. The a_b Way!", "docutils", "the-a-b-way"),
        ("3. Über & a_b: 1.5!", "pandoc", "über-a_b-1.5"),
        ("42", "pandoc", "section"),
        ("posts.post.add_tag: über!", "ex-doc", "posts-post-add_tag-über"),
        ("What's nests.add_one() in v4.5?", "mintlify", "whats-nests-add_one-in-v4-5"),
        ("🪺 Über / a & b: (more)", "mintlify", "-über-/-a-&-b-more"),
    ],
)
def test_each_generator_has_its_rule(title: str, style: SlugStyle, expected: str) -> None:
    assert slug(title, style) == expected


def test_python_markdown_counts_with_an_underscore() -> None:
    numbered = Anchors("python-markdown")
    assert [numbered.next("A") for _ in range(3)] == ["a", "a_1", "a_2"]
    assert [numbered.next("A_1"), numbered.next("A")] == ["a_3", "a_4"]


def test_python_markdown_numbers_titles_of_which_no_letter_is_left() -> None:
    numbered = Anchors("python-markdown")
    titles = ("安装", "Vim 编辑器", "配置", "Vim", "说明 2", "说明")
    assert [numbered.next(title) for title in titles] == ["_1", "vim", "_2", "vim_1", "2", "_3"]


def test_mintlify_reads_long_words_and_what_is_no_unicode() -> None:
    assert slug("a" * 200_000, "mintlify") == "a" * 200_000
    assert slug("Nest \ud800 egg", "mintlify") == "nest--egg"


def test_mintlify_counts_from_two() -> None:
    numbered = Anchors("mintlify")
    assert [numbered.next("A") for _ in range(3)] == ["a", "a-2", "a-3"]


def test_sphinx_counts_all_repetitions_together() -> None:
    numbered = Anchors("docutils")
    assert [numbered.next(title) for title in ("A", "B", "A", "B", "3")] == [
        "a",
        "b",
        "id1",
        "id2",
        "id3",
    ]


TERMS = "`matchers`\n: A list of [matchers](#matchers-1).\n\nname\n\n: What it is called.\n\n## Matchers\n"


def test_terms_of_definition_lists_are_numbered_with_the_headings_where_they_have_anchors() -> None:
    document = parse(TERMS)
    assert anchors(document, AnchorRules(terms=True)) == {"matchers", "name", "matchers-1"}
    assert anchors(document, AnchorRules()) == {"matchers"}
    assert [each.anchor for each in sections(document, AnchorRules(terms=True))] == ["matchers-1"]


def test_everything_that_states_an_id_can_be_linked() -> None:
    text = (
        "> #### In a quote\n\n* **`locale`**{ #the-locale }: text\n\n<a name='old'></a>\n\n"
        '<Recipes titleText="Basics" titleId="basics">\n\n(target/of myst)=\n\n'
        '```html\n<p id="in-code">\n```\n'
    )
    assert anchors(parse(text), AnchorRules()) == {
        *("in-a-quote", "the-locale", "old", "basics", "target/of myst")
    }


@pytest.mark.parametrize(
    ("generator", "slug_style", "expected"),
    [
        ("mkdocs", "", {"a-b", "a-b_1"}),
        ("mkdocs", "github", {"a--b", "a--b-1"}),
        ("hugo", "blackfriday", {"a-b", "a-b-1"}),
        ("sphinx", "", {"a-b", "id1", "a--b", "a--b-1"}),
    ],
)
def test_options_of_a_generator_choose_its_rule(
    generator: str, slug_style: str, expected: set[str]
) -> None:
    document = parse("# A & B\n\n# A & B\n")
    assert anchors(document, rules_of(generator, LinkSettings(slug_style=slug_style))) == expected


def test_without_a_generator_links_may_use_any_rule() -> None:
    found = anchors(parse("# A & B\n"), rules_of(""))
    assert {"a--b", "a-b"} <= found


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("Build ![passing](b.svg)", {"build", "build-"}),
        ("![logo](l.png) Pond", {"pond", "-pond"}),
        ("API <img src='a.png'>", {"api", "api-"}),
        ("Uses [![a](b.svg)](https://c.example) it", {"uses--it"}),
        ("`fly(far)`  herons only", {"flyfar--herons-only", "flyfar-herons-only"}),
    ],
)
def test_what_pictures_show_is_no_part_of_anchors_and_each_blank_is(
    heading: str, expected: set[str]
) -> None:
    found = anchors(parse(f"## {heading}\n"), rules_of(""))
    assert expected <= found
