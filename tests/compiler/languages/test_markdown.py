"""Markdown structure: front matter, blocks with exact lines, headings and anchors."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbc.diagnostics import Diagnostics
from kbc.languages import markdown
from kbc.languages.front_matter import below_front_matter, front_matter_end, stated_above
from kbc.languages.markdown import Document, parse, sections


def outline(document: Document) -> list[tuple[int, str, int]]:
    return [(each.level, each.title, each.line) for each in sections(document)]


def codes(document: Document) -> list[tuple[str, int]]:
    return [(problem.code, problem.line) for problem in document.problems]


def test_atx_and_setext_headings_with_their_lines() -> None:
    text = "# One\n\ntext\n\nTwo *big*\n=====\n\nThree\nlines\n---\n### `f(x)` and [link](u) ###\n"
    assert outline(parse(text)) == [
        (1, "One", 1),
        (1, "Two big", 5),
        (2, "Three lines", 8),
        (3, "f(x) and link", 11),
    ]


def test_headings_in_code_and_comments_are_none() -> None:
    text = (
        "```sh\n# in a fence\n```\n\n    # in indented code\n\n<!--\n# in a comment\n-->\n\n"
        "- item\n\n  ~~~\n  # in a fence of a list\n  ~~~\n\n#hashtag\n\n# Real\n"
    )
    assert outline(parse(text)) == [(1, "Real", 19)]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_do_not_change_the_structure(end: str) -> None:
    text = end.join(["---", "title: T", "---", "", "# A", "", "```", "# no", "```", "", "## B"])
    document = parse(text)
    assert document.data == {"title": "T"}
    assert outline(document) == [(1, "A", 5), (2, "B", 11)]
    assert [block.kind for block in document.blocks] == ["heading", "fence", "heading"]


def test_lone_carriage_returns_end_lines_but_are_not_counted() -> None:
    document = parse("# A\rtext\r# B\n# C\r\n")
    assert outline(document) == [(1, "A", 1), (1, "B", 1), (1, "C", 2)]
    assert [(block.start_line, block.end_line) for block in document.blocks] == [(1, 1), (2, 2)]


def test_a_section_ends_before_the_next_heading_of_its_level_or_above() -> None:
    text = "# A\n\n## B\n\n### C\n\n## D\n\n# E\nend"
    found = {each.title: (each.line, each.end_line) for each in sections(parse(text))}
    assert found == {"A": (1, 8), "B": (3, 6), "C": (5, 6), "D": (7, 8), "E": (9, 10)}


def test_anchors_are_those_of_github() -> None:
    titles = ["Héllo, World!", "a_b - c", "Emoji 🎅", "x::y", "Same", "Same", "Same 1", "Same"]
    document = parse("".join(f"# {title}\n\n" for title in titles))
    assert [each.anchor for each in sections(document)] == [
        "héllo-world",
        "a_b---c",
        "emoji-",
        "xy",
        "same",
        "same-1",
        "same-1-1",
        "same-2",
    ]


def test_headings_in_quotes_take_part_in_the_numbering_only() -> None:
    document = parse("> # Note\n\n# Note\n")
    assert [(each.title, each.anchor) for each in sections(document)] == [("Note", "note-1")]


def test_every_kind_of_block_has_its_lines() -> None:
    text = (
        "para\nmore\n\n- a\n- b\n\n1. c\n\n> quote\n\n| h |\n|---|\n| c |\n\n---\n\n"
        "```py x\ncode\n\n```\n\n    indented\n\n<div>\nhtml\n</div>\n\n[ref]: target\n"
    )
    assert [(b.kind, b.start_line, b.end_line) for b in parse(text).blocks] == [
        ("paragraph", 1, 2),
        ("list", 4, 5),
        ("list", 7, 7),
        ("quote", 9, 9),
        ("table", 11, 13),
        ("rule", 15, 15),
        ("fence", 17, 20),
        ("code", 22, 22),
        ("html", 24, 26),
        ("reference", 28, 28),
    ]
    fence = next(block for block in parse(text).blocks if block.kind == "fence")
    assert (fence.info, fence.language, fence.content) == ("py x", "py", "code\n")


def test_list_items_are_plain_texts() -> None:
    (block,) = parse("- one `code`\n- **two**\n  - nested\n\n  more\n").blocks
    assert block.items == ("one code", "two nested more")


def test_an_unclosed_fence_is_reported_with_its_line_and_its_text_kept() -> None:
    document = parse("# A\n\n```py\n# code\nlast")
    assert codes(document) == [("markdown-unclosed-fence", 3)]
    (problem,) = document.problems
    assert problem.message == "the code block that '```py' opens is never closed"
    assert problem.hint.startswith("Add a line with '```' where the code ends.")
    assert document.blocks[-1].content == "# code\nlast"
    assert outline(document) == [(1, "A", 1)]


@pytest.mark.parametrize("text", ["```\n```\n", "```\nx\n````", "> ```\n> x\n> ```", "~~~\n\n~~~"])
def test_a_closed_fence_is_not_reported(text: str) -> None:
    assert codes(parse(text)) == []


@pytest.mark.parametrize("text", ["```", "```\n", "```\nx", "```\nx\n``", "> ```\n> x\n\ntext\n"])
def test_fences_that_are_not_closed(text: str) -> None:
    assert codes(parse(text)) == [("markdown-unclosed-fence", 1)]


def test_an_opening_mark_inside_a_fence_is_reported() -> None:
    document = parse("```py\na\n```py\n\nb\n```\n")
    assert codes(document) == [("markdown-fence-in-fence", 3)]


def test_front_matter_values_look_as_they_are_written() -> None:
    text = (
        "---\ntitle: 'It: works'\ndate: 2025-07-21\nversion: 3.10\ncount: 3\nflag: yes\n"
        "on: true\nsign: =\nlist:\n  - a\n  - b: c\nempty:\n---\ntext\n"
    )
    document = parse(text)
    assert document.data == {
        "title": "It: works",
        "date": "2025-07-21",
        "version": "3.10",
        "count": 3,
        "flag": "yes",
        "on": True,
        "sign": "=",
        "list": ["a", {"b": "c"}],
        "empty": None,
    }
    assert document.line_of("count") == 5
    assert document.blocks[0].start_line == 14


@pytest.mark.slow
@pytest.mark.parametrize(
    ("yaml", "line", "data"),
    [
        ("a: 1\nb: [", 4, {"a": 1}),
        ("- a\n- b", 2, {}),
        ("a: 1\na: 2", 3, {"a": 1}),
        ("a: &x [1]\nb: *x", 3, {}),
        ("b: *x", 2, {}),
        ("a: !!python/object:os.system 1", 2, {}),
        ("[x]: 1", 2, {}),
        ("a: " + "[" * 5_000, 1, {}),
        ("title: bind: x\nc:\n  - 1\ntags: [a]", 2, {"title": "bind: x", "tags": ["a"]}),
        ("title: {#if ...}\nb: 2", 4, {"title": "{#if ...}", "b": 2}),
    ],
)
def test_wrong_front_matter_is_an_error_on_its_line(
    yaml: str, line: int, data: dict[str, Any]
) -> None:
    document = parse(f"---\n{yaml}\n---\n# A\n")
    assert codes(document) == [("front-matter-invalid", line)]
    assert document.data == data
    assert outline(document)[0][1] == "A"


@pytest.mark.parametrize("title", ["{let/const ...}", "[...slug]"])
def test_a_title_in_brackets_is_a_title(title: str) -> None:
    document = parse(f"---\ntitle: {title}\n---\n\nText\n")
    assert codes(document) == []
    assert document.data == {"title": title}


def test_front_matter_may_be_toml() -> None:
    document = parse(
        '+++\ntitle = "It works"\ndate = 2025-07-21\nversion = 3.10\ndraft = false\n\n'
        '[taxonomies]\ntags = ["a"]\n\n[extra.author]\nname = "B"\n+++\n\n# A\n'
    )
    assert document.data == {
        "title": "It works",
        "date": "2025-07-21",
        "version": "3.10",
        "draft": False,
        "taxonomies": {"tags": ["a"]},
        "extra": {"author": {"name": "B"}},
    }
    assert [document.line_of(key) for key in ("version", "taxonomies", "extra")] == [4, 7, 10]
    assert [block.start_line for block in document.blocks] == [14]
    assert not document.problems


@pytest.mark.parametrize(
    ("toml", "line"),
    [("a = 1\nb = [", 1), ("a = 1\na = 2", 3), ("a: 1", 2), ("a = " + "[" * 5_000, 1)],
)
def test_wrong_toml_is_an_error_on_its_line(toml: str, line: int) -> None:
    document = parse(f"+++\n{toml}\n+++\n# A\n")
    assert codes(document) == [("front-matter-invalid", line)]
    assert "TOML" in document.problems[0].hint
    assert outline(document)[0][1] == "A"


def test_front_matter_may_say_a_text_twice_but_no_list() -> None:
    document = parse("---\nname: &n v3\ntitle: *n\n---\n")
    assert document.data == {"name": "v3", "title": "v3"}
    assert codes(parse("---\na: &n [1]\nb: *n\n---\n")) == [("front-matter-invalid", 3)]


def test_front_matter_with_a_title_needs_no_opening_mark() -> None:
    document = parse("layout: page\ntitle: Nests\ntags:\n- a\n---\n\n# Up\n\nText.\n")
    assert document.front_matter is not None
    assert document.front_matter.data == {"layout": "page", "title": "Nests", "tags": ["a"]}
    assert (document.front_matter.line_of("title"), document.front_matter.last_line) == (2, 5)
    assert [each.start_line for each in document.headings] == [7]
    for text in (
        "Note: nests\n---\n",
        "title:\n---\n",
        "title: a\n# B\n---\n",
    ):
        assert parse(text).front_matter is None


def test_lines_that_begin_with_a_title_are_front_matter_without_marks() -> None:
    text = "Title: Nests: how to\nAuthor: A. Heron\n    and others\nDate:\n\n# Up\n"
    document = parse(text)
    assert document.front_matter is not None
    found = {"title": "Nests: how to", "author": "A. Heron\nand others", "date": ""}
    assert document.front_matter.data == found
    assert (document.front_matter.line_of("date"), document.front_matter.last_line) == (4, 4)
    assert text[front_matter_end(text) :] == below_front_matter(text)[1] == "\n# Up\n"
    assert codes(document) == []
    for other in ("Title: nests\nare high\n\n", "Note: a\nTitle: b\n\n", "Title: a\n=====\n"):
        assert parse(other).front_matter is None


def test_a_title_above_a_blank_line_and_a_closing_mark_is_front_matter_of_hexo() -> None:
    document = parse('title: "Nests: how"\ntags: [a]\n\n---\n\nText.\n')
    assert document.front_matter is not None
    assert document.front_matter.data == {"title": "Nests: how", "tags": ["a"]}
    assert [each.kind for each in document.blocks] == ["paragraph"]


def test_lines_without_marks_may_end_as_on_windows() -> None:
    text = "Title: Nests\r\nDate:\r\n\r\nText.\r\n"
    assert text[front_matter_end(text) :] == "\r\nText.\r\n"
    assert stated_above(text) == ({"title": "Nests", "date": ""}, 2)


def test_front_matter_without_an_opening_mark_ends_at_one_place_for_all_who_read_it() -> None:
    text = "title: Nests: how to\nno-index: on\n---\n\nText.\n"
    document = parse(text)
    assert document.front_matter is not None
    assert document.front_matter.data["title"] == "Nests: how to"
    assert codes(document) == [("front-matter-invalid", 1)]
    assert text[front_matter_end(text) :] == below_front_matter(text)[1] == "\nText.\n"


def test_rules_are_no_front_matter_unless_they_come_first() -> None:
    assert parse("text\n\n---\na: 1\n---\n").front_matter is None
    assert parse("---\nnever closed\n").front_matter is None
    assert parse("+++\nnever closed\n---\n").front_matter is None


def test_problems_are_reported_with_the_path() -> None:
    diagnostics = Diagnostics()
    parse("```").report("a b.md", diagnostics)
    (found,) = diagnostics
    assert (found.location, found.code) == ("a b.md:1", "markdown-unclosed-fence")
    assert found.hint


def test_mdx_statements_and_tags_are_in_no_block() -> None:
    text = (
        "import A from 'a'\n\n<Tabs\n  code={`\n# no`}\n>\n  # In a tab\n</Tabs>\n\n"
        "{/*\n# comment\n*/}\n\n<Steps>\n### Step\n\n    indented text\n</Steps>\n"
    )
    document = parse(text, mdx=True)
    assert outline(document) == [(1, "In a tab", 7), (3, "Step", 15)]
    assert [block.kind for block in document.blocks] == ["heading", "heading", "paragraph"]


def test_ten_thousand_headings_and_a_long_line() -> None:
    text = "".join(f"# Heading {n % 7}\n\ntext\n\n" for n in range(10_000)) + "word " * 20_000
    found = sections(parse(text))
    assert len(found) == 10_000
    assert len({each.anchor for each in found}) == 10_000
    assert found[-1].line == 39_997


@pytest.mark.slow
@pytest.mark.parametrize("mdx", [False, True])
@pytest.mark.parametrize("unit", ["*", "[", "`", "<a {", "{/*", "<!--", "> ", "- ", "export {\n\n"])
def test_repeated_markup_is_read_in_linear_time(unit: str, mdx: bool) -> None:
    """A quadratic rule would run into the test's time limit."""
    text = unit * (100_000 // len(unit))
    assert parse(text, mdx=mdx).text == text


def test_plain_text_resolves_references_and_drops_markup() -> None:
    references = parse("[Docs]: https://example.org\n").references
    source = "See [Docs][], **`f`** ~~no~~ <b>bold</b> ![alt](i.png)\nnext"
    assert markdown.plain_text(source, references) == "See Docs, f no bold alt next"


MARKDOWN_TEXT = st.lists(
    st.sampled_from(
        ["# A", "## B", "=", "---", "```", "~~~", "text", "", "- x", "> q", "    c", "<!--", "-->"]
    )
    | st.sampled_from(
        [
            "| a |",
            "|---|",
            "\r",
            "[r]: u",
            "<div>",
            "\t",
            "\x0b",
            "\u2028",
            "\0",
            "import a from 'b'",
        ]
    )
    | st.text(max_size=8),
    max_size=25,
).flatmap(lambda parts: st.sampled_from(["\n", "\r\n"]).map(lambda end: end.join(parts)))


@given(MARKDOWN_TEXT, st.booleans())
def test_blocks_are_ordered_disjoint_and_complete(text: str, mdx: bool) -> None:
    document = parse(text, mdx=mdx)
    lines = text.split("\n")
    covered: set[int] = set()
    previous = document.front_matter.last_line if document.front_matter else 0
    covered.update(range(1, previous + 1))
    for block in document.blocks:
        assert previous < block.start_line <= block.end_line <= len(lines)
        previous = block.end_line
        covered.update(range(block.start_line, block.end_line + 1))
    if not mdx:
        assert all(
            number in covered for number, line in enumerate(lines, 1) if line.strip(" \t\r\n")
        )


@given(MARKDOWN_TEXT, st.booleans())
def test_sections_nest_and_count_their_characters(text: str, mdx: bool) -> None:
    document = parse(text, mdx=mdx)
    lines = text.split("\n")
    total = len(lines) - (lines[-1] == "" and len(lines) > 1)
    found = sections(document)
    assert len({each.anchor for each in found}) == len(found)
    for each, following in itertools.zip_longest(found, found[1:]):
        assert 1 <= each.line <= each.end_line <= total
        part = "\n".join(lines[each.line - 1 : each.end_line])
        ends_the_text = each.end_line == len(lines)
        assert each.chars == len(part) + (not ends_the_text)
        if following and following.level > each.level:
            assert following.end_line <= each.end_line


@pytest.mark.parametrize(
    ("info", "language"),
    [
        ("python", "python"),
        ("Rust,ignore", "rust"),
        ("js {1,3}", "js"),
        ("language-bash", "bash"),
        ("lang-c++ numbers", "c++"),
        ("{python}", "python"),
        ("{r, echo=FALSE}", "r"),
        ("raw graphql example", "graphql"),
        ("raw", "raw"),
        ("{r, fig.asp = .75}", "r"),
        ("{r, fig.cap='sizes of .csv files'}", "r"),
        ("{.bash .numberLines}", "bash"),
        ('{ .yaml .annotate title="a.yml" }', "yaml"),
        ("{#id .haskell}", "haskell"),
        ("{code-block} python", "python"),
        ("{note}", ""),
        ("{", ""),
        ("", ""),
    ],
)
def test_fences_name_their_language(info: str, language: str) -> None:
    (block,) = parse(f"```{info}\nx\n```\n").blocks
    assert block.language == language


def test_comments_of_html_are_no_fault_of_front_matter() -> None:
    text = "---\n\n<!-- written by\na program -->\npage_title: A\nnote: <!-- kept -->\n---\n# B\n"
    document = parse(text)
    assert document.problems == ()
    assert document.data == {"page_title": "A", "note": "<!-- kept -->"}
    assert document.line_of("page_title") == 5


@pytest.mark.timeout(60)
def test_comments_in_front_matter_are_read_in_bounded_time() -> None:
    document = parse("---\ntitle: A\n" + "<!--\n" * 40_000 + "---\n")
    assert document.data["title"] == "A"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\n# of YAML\nsort: 3\n---\n\n# The *tall* [reed](a.md)\n", "The tall reed"),
        ("```sh\n# install\n```\n\n~~~\n# run\n~~~\n# Reed\n", "Reed"),
        ("## Part\n\n```sh\n# install\n```\n", ""),
        ("````\n```\n# x\n````\n# Reed {#reed}\r\n", "Reed"),
        ("`" * 200_000 + "\n# Reed\n", "Reed"),
    ],
)
def test_the_title_of_a_page_that_is_not_parsed_is_its_first_heading(text: str, title: str) -> None:
    assert markdown.first_title(text) == title


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# Heron [![version](v.svg)](a) [![tests](t.svg)](b)", "Heron"),
        ("# ![Heron icon](i.png) Nests", "Nests"),
        ("# ![Heron](logo.svg)", "Heron"),
        ("# [![Heron](logo.svg)](a)", "Heron"),
    ],
)
def test_pictures_beside_a_title_say_nothing_of_it(heading: str, title: str) -> None:
    (block, *_) = parse(f"{heading}\n\nText.\n").blocks
    assert block.title == title
