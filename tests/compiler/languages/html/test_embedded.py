"""HTML in pages of Markdown: tables, headings, paragraphs and lists become Markdown."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbc.formats import convert
from kbc.languages.html.embedded import with_embedded_html

NESTS = """\
<table class="wide">
  <thead>
    <tr><th>Bird</th><th align="left">Nest</th></tr>
  </thead>
  <tr>
    <td rowspan="2"><code>heron|grey</code></td>
    <td>In <a href="trees.md#tall">tall trees</a>,<br>as <code>Nest&lt;T&gt;</code> or &lt;T&gt;</td>
  </tr>
  <tr><td>Near <b>water</b></td></tr>
</table>
"""


def markdown_of(source: str, *, is_mdx: bool = False) -> str:
    """The page without further blank lines, which keep the numbers of lines."""
    return re.sub(r"\n((?:\r?\n|>\n){2,})", "\n\n", with_embedded_html(source, is_mdx=is_mdx))


def test_a_table_becomes_one_of_markdown() -> None:
    assert markdown_of(f"# Birds\n\n{NESTS}Text below.\n") == (
        "# Birds\n\n"
        "| Bird | Nest |\n"
        "| --- | --- |\n"
        "| `heron\\|grey` | In [tall trees](trees.md#tall), as `Nest<T>` or \\<T> |\n"
        "|  | Near **water** |\n"
        "\nText below.\n"
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('<h1 align="center">\n  <img src="logo.svg" alt="Logo"><br>\n  Kite\n</h1>\n\nFlies.\n',
         "# Kite\n\nFlies.\n"),
        ('<h2 id="first-flight">Fly <a href="#first-flight">#</a></h2>\n', "## Fly {#first-flight}\n"),
        ('<h2 id="fly">Fly</h2>\n', "## Fly\n"),
        ('<H3>Old</H3>\n', "### Old\n"),
        ('<h1><img src="logo.svg" alt="Kite"></h1>\n', "![Kite](logo.svg)\n"),
        ('<p align="center">A <b>light</b> kite. <a href="x"><img src="ci.svg" alt="CI"></a></p>\n',
         "A **light** kite. [![CI](ci.svg)](x)\n"),
        ("<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n", "- one\n- two\n"),
        ("<table><tr><td>a</td><td>&lt;!-- b --&gt;</td></tr></table>\n",
         "|  |  |\n| --- | --- |\n| a | \\<!-- b --> |\n"),
        ("- one\n- <table><tr><th>a</th><th>b</th></tr></table>\n", "- one\n- | a | b |\n  | --- | --- |\n"),
        ("1. one\n\n   <table>\n   <tr><th>a</th><th>b</th></tr>\n   </table>\n   more\n",
         "1. one\n\n   | a | b |\n   | --- | --- |\n\n   more\n"),
        ("> <table>\n> <tr><th>a</th><th>b</th></tr>\n> </table>\n> more\n",
         "> | a | b |\n> | --- | --- |\n>\n> more\n"),
        ("Text\n<table><tr><th>a</th><th>b</th></tr></table><p>c</p>d\n",
         "Text\n\n| a | b |\n| --- | --- |\n\nc\n\nd\n"),
        ("<div><table><tr><th>a</th><th>b</th></tr></table></div>\n",
         "<div>\n\n| a | b |\n| --- | --- |\n\n</div>\n"),
        ('---\ntitle: "<h1>x</h1>"\n---\n<h1>y</h1>\n', '---\ntitle: "<h1>x</h1>"\n---\n# y\n'),
        ("<h1>a</h1>\r\n\r\nb\r\n", "# a\r\n\r\nb\r\n"),
        ('<p id="List<T>" title="a > b">c</p>\n', "c\n"),
    ],
)  # fmt: skip
def test_elements_become_markdown_where_they_stand(source: str, expected: str) -> None:
    assert markdown_of(source) == expected


def test_what_follows_keeps_the_number_of_its_line() -> None:
    short = "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>\n"
    for source in (f"{NESTS}\nText\n", f"{NESTS}Text\n", f"{short}\nWords\n\n{NESTS}Text\n"):
        lines = with_embedded_html(source).split("\n")
        assert lines.index("Text") == source.split("\n").index("Text")
    quoted = "> <h1>\n> a\n> </h1>\n> b\n"
    assert with_embedded_html(quoted) == "> # a\n>\n>\n> b\n"


def test_markdown_in_cells_is_read_as_such() -> None:
    source = (
        "<table>\n<tr><th>Option</th><th>About</th></tr>\n<tr>\n<td>\n\n    `depth`\n\n</td>\n<td>\n\n"
        "    How **deep** to dive, see [tides](tides.md).\n\n</td>\n</tr>\n</table>\n"
    )
    assert with_embedded_html(source).split("\n")[2:3] == [
        "| `depth` | How **deep** to dive, see [tides](tides.md). |"
    ]


def test_code_of_several_lines_keeps_them() -> None:
    source = "<table><tr><td>Dive</td><td>\n\n```py\ndive(\n\n  2)\n```\n\n</td></tr></table>\n"
    assert with_embedded_html(source) == "Dive\n\n```py\ndive(\n\n  2)\n```\n"


@pytest.mark.parametrize(
    "source",
    [
        "```html\n<table><tr><td>a</td></tr></table>\n```\n",
        "- a\n\n  ```html\n  <table><tr><td>a</td></tr></table>\n  ```\n",
        "Text\n\n    <table><tr><td>a</td></tr></table>\n",
        "Write `<table><tr><td>a</td></tr></table>` there.\n",
        "Write <h1>Title</h1> there.\n",
        "| a |\n| --- |\n| <table><tr><td>b</td></tr></table> |\n",
        "<!--\n<table><tr><td>a</td></tr></table>\n-->\n",
        "<pre>\n<h1>a</h1>\n</pre>\n",
        "<Table><Tr><Td>a</Td></Tr></Table>\n",
        "</table> and <table>\n",
        "Write `</p>`\r\nor\n`<table>`.\r\n",
        "<p>never closed\n",
        "<details>\n<summary>More</summary>\n\nText\n\n</details>\n",
        "<p>a <!-- b</p>\n\nc\n",
        '<ul><li>a</li><script>show("b")</script></ul>\n',
        "<table><tr><td>\n\n[a]: b.md\n\n</td></tr></table>\n",
    ],
)
def test_what_is_code_text_or_a_comment_stays(source: str) -> None:
    assert with_embedded_html(source) == source


def test_a_table_that_is_never_closed_ends_with_its_block() -> None:
    source = (
        "<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>2</td></tr>\n<table>\n\n## Next\n\n"
        "<table>\n<tr><th>c</th></tr>\n<tr><td>3</td></tr>\n</table>\n"
    )
    assert markdown_of(source) == (
        "| a | b |\n| --- | --- |\n| 1 | 2 |\n\n## Next\n\n| c |\n| --- |\n| 3 |\n"
    )


def test_what_programs_fill_in_and_components_stay_as_they_are() -> None:
    source = (
        '<table><tr><td>{{ kite.size }}</td><td><a href="{{< ref "a" >}}">{% icon "x" %}</a></td></tr>'
        '<tr><td>a</td><td><Badge\n  text="new" /></td></tr></table>\n'
    )
    shown = with_embedded_html(source)
    assert '| {{ kite.size }} | [{% icon "x" %}]({{< ref "a" >}}) |' in shown
    assert '| a | <Badge text="new" /> |' in shown


def test_mdx_has_attributes_of_jsx_and_no_indented_code() -> None:
    source = (
        '    <table>\n<tr><td colSpan={2} style={{width: 1}}>a</td><td>{"<b>"}</td></tr>\n'
        '<tr><td>&lt;b&gt;</td><td><a href={"/x"}>c</a></td><td>d</td></tr></table>\n\n<p>e</p>\n'
    )
    shown = with_embedded_html(source, is_mdx=True).split("\n")
    assert shown[2].strip().startswith("| a ||")
    assert shown[3].strip() == "| \\<b> | [c](/x) | d |"
    assert shown[-2] == "<p>e</p>"  # whose text is all that MDX leaves


@pytest.mark.parametrize(
    ("cell", "is_mdx", "expected"),
    [
        ("`Nest<Egg, T>` of `Array<T>`", False, "`Nest<Egg, T>` of `Array<T>`"),
        ("`Nest<Egg, T>` of `&lt;T&gt;`", True, "`Nest<Egg, T>` of `&lt;T&gt;`"),
        ("`&lt;T&gt;`, as HTML has it", False, "`<T>`, as HTML has it"),
        ("Array\\<string> or `A\\<B>`", True, "Array\\<string> or `A\\<B>`"),
        ("`<table>` and <i>x</i>", False, "`<table>` and *x*"),
        ("a`</td><td>`b", False, "a` | `b"),
        ("<code>`</code> <b>bold</b> <code>`</code>", False, "`` ` `` **bold** `` ` ``"),
        ("see <https://kite.example/a?b=c> or <kite@kite.example>", False,
         "see <https://kite.example/a?b=c> or <kite@kite.example>"),
        ("{{ size | round }} `a | <b>`", False, "{{ size \\| round }} `a \\| <b>`"),
    ],
)  # fmt: skip
def test_code_and_addresses_in_marks_of_markdown_stay(
    cell: str, is_mdx: bool, expected: str
) -> None:
    source = f"<table><tr><td>kite</td><td>{cell}</td></tr></table>\n"
    assert with_embedded_html(source, is_mdx=is_mdx).split("\n")[2] == f"| kite | {expected} |"


def test_fenced_code_directly_below_a_tag_is_code() -> None:
    source = (
        "<ul>\n<li>Dive:\n```html\n<b>deep</b>\n\n  <i>\n```\nthen rise</li>\n<li>b</li>\n</ul>\n"
    )
    assert markdown_of(source).startswith(
        "- Dive:\n\n  ```html\n  <b>deep</b>\n\n    <i>\n  ```\n\n  then rise\n- b\n"
    )


WORDS = st.lists(
    st.sampled_from(
        ["<table>", "</table>", "<tr>", "</tr>", "<td>", "</td>", "<p>", "</p>", "<h2>", "</h2>", "<ul>",
         "<li>", "</ul>", "\n", "\n\n", "\n    ", "- ", "> ", "`", "```\n", "|", "<!--", "-->", "&lt;",
         "alpha", "beta", "gamma", " ", "{{ x }}"]
    ),
    max_size=40,
)  # fmt: skip


@given(WORDS, st.booleans())
def test_no_word_is_lost(parts: list[str], is_mdx: bool) -> None:
    source = "".join(parts)
    words = re.compile("alpha|beta|gamma")
    shown = re.sub("<!--.*?-->", "", source, flags=re.DOTALL)
    found = words.findall(with_embedded_html(source, is_mdx=is_mdx))
    assert not Counter(words.findall(shown)) - Counter(found)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "source",
    [
        "<table>" * 150_000,
        "<table>" * 20_000 + "</table>" * 20_000,
        "</table>" * 100_000,
        "<h1>" * 50_000 + "</h2>" * 50_000 + "</h1>",
        "<h1><h2>" * 50_000 + "</h1>" * 50_000,
        "x<h1>a</h1>" * 50_000,
        "<!-- <table>" * 50_000 + "</table>",
        "<table><tr><td>\n\n" + "[" * 500_000 + "\n\n</td></tr></table>",
        "<table><tr><td>\n\n" + ("*a " * 1_000 + "\n") * 100 + "\n</td></tr></table>",
        "> " * 100_000 + "<table><tr><td>a</td></tr></table>",
        "<table><tr>\n" * 50_000,
        "<p>" + "<a \"<b '" * 50_000 + "</p><table>" + '<a "' * 50_001 + "</table>",
        "<table>" + "<a '\"" * 50_001 + "</table>",
        "<table><tr><td>\n" + "```\na\n```\n" * 40_000 + "</td></tr></table>",
        "<table><tr><td>" + "`<b>a</b> <code><pre>" * 40_000 + "</td></tr></table>",
    ],
)
def test_what_never_ends_takes_time_for_its_length(source: str) -> None:
    shown = with_embedded_html(source)
    assert shown.count("a") >= (source.count("*a ") or source.count(">a<"))


def test_cells_of_notebooks_are_pages_of_markdown() -> None:
    table = "<table><tr><th>Bird \ud83d</th></tr><tr><td>heron</td></tr></table>"
    cells = [{"cell_type": "markdown", "source": f"# Birds\n\n<div>\n\n{table}\n\n</div>"}]
    (found,) = convert("a.ipynb", json.dumps({"cells": cells}).encode(), lambda _: None)
    assert not found.problems
    assert found.text == "# Birds\n\n\n\n| Bird \ufffd |\n| --- |\n| heron |\n"


def test_signs_lead_to_no_place_of_the_page() -> None:
    code, picture = '<a href="#code-ada" title="Code">💻</a>', '<a href="#b"><img src="b.png"></a>'
    source = f'<p>{code} by <a href="#ada">Ada</a> {picture}</p>'

    assert with_embedded_html(source) == "💻 by [Ada](#ada) [![](b.png)](#b)"
