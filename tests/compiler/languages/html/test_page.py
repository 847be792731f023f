"""HTML pages: the content that the page marks, as Markdown that loses nothing a reader sees."""

from __future__ import annotations

import time

import pytest

from kbc.languages import markdown
from kbc.languages.html.embedded import with_embedded_html
from kbc.languages.html.page import read_html

PAGE = """\
<!doctype html><html><head><title>Install - Site</title>
<link rel="canonical" href="https://example.org/install">
<meta name="author" content="Ann"><meta property="article:published_time" content="2024-01-02">
<meta name="description" content="How to install."></head>
<body><nav><a href="/">Home</a></nav>
<{tag}><h1 id="top">Install<a class="headerlink" href="#top">#</a></h1>
<p>Run <code>tool --flag_a</code>, see <a href="next.html">next</a>.</p>
<div class="highlight-bash"><pre>pip install x
  y &lt; z  # ```</pre></div>
<section id="options"><h2>Options</h2>
<table><tr><th>A</th><th>B</th></tr><tr><td>1 | 2</td><td>3</td></tr></table></section>
<ul><li>one<ul><li>nested</li></ul></li></ul>
<script>alert(1)</script></{tag}><footer>Copyright</footer></body></html>
"""

TEXT = """\
# Install

Run `tool --flag_a`, see [next](next.html).

````bash
pip install x
  y < z  # ```
````

## Options

| A | B |
| --- | --- |
| 1 \\| 2 | 3 |

- one
  - nested
"""


@pytest.mark.parametrize("tag", ["main", "article", "div"])
def test_code_tables_and_lists_are_kept_and_navigation_is_not(tag: str) -> None:
    page = read_html(PAGE.replace("{tag}", tag))
    assert page.text == TEXT
    assert (page.title, page.canonical) == ("Install", "https://example.org/install")
    assert (page.author, page.created_at) == ("Ann", "2024-01-02")
    assert page.description == "How to install."


def test_anchors_are_those_of_the_page() -> None:
    page = read_html(PAGE.replace("{tag}", "main"))
    assert page.anchors == ("top", "options")
    assert len(markdown.parse(page.text).headings) == len(page.anchors)


@pytest.mark.parametrize("source", ["", "<html></html>", "<nav>Home</nav>", "<p>  </p>"])
def test_a_page_without_content_is_empty(source: str) -> None:
    assert read_html(source).text == ""


def test_unclosed_elements_are_read_as_browsers_do() -> None:
    assert read_html("<main><ul><li>one<li>two</ul><p>a<p>b</main>").text == (
        "- one\n- two\n\na\n\nb\n"
    )


def test_cells_over_several_rows_leave_columns_where_they_are() -> None:
    markup = (
        "<table><tr><th>A</th><th>B</th><th>C</th></tr><tr><td rowspan=2>1</td><td>2</td><td rowspan=3>3</td>"
        "</tr><tr><td>4</td></tr><tr><td colspan=2>5</td></tr><tr><td>6</td></tr></table>"
    )
    assert read_html(markup).text.splitlines()[2:] == [
        "| 1 | 2 | 3 |",
        "|  | 4 |  |",
        "| 5 ||  |",
        "| 6 |",
    ]
    head = "<table><thead><tr><th rowspan=2>A</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>"
    assert read_html(head).text == "| A |\n| --- |\n| 1 |\n"


def test_a_table_that_lays_the_page_out_is_no_table() -> None:
    inner = "<table><tr><th>Kite</th><th>Size</th></tr><tr><td>Delta</td><td>2</td></tr></table>"
    lists = "<table><tr><td><ul><li>Home</li></ul></td></tr></table>"
    shown = "- Home\n\n| Kite | Size |\n| --- | --- |\n| Delta | 2 |\n"
    assert read_html(f"<table><tr><td>{lists}</td><td>{inner}</td></tr></table>").text == shown
    page = read_html("<table><tr><td>Menu</td><td><h2>Kites</h2><p>They fly.</p></td></tr></table>")
    assert page.text == "Menu\n\n## Kites\n\nThey fly.\n"


def test_signs_in_headings_and_links_are_no_text() -> None:
    page = read_html(
        "<h1>Ki\xadtes</h1><h2><img src=a.png></h2><p>Fly\u200b() ไป\u200bมา."
        " <a href='#a'>Back to top</a></p>"
    )
    assert (page.title, page.text) == ("Kites", "# Kites\n\nFly() ไป\u200bมา.\n")
    assert page.anchors == ("",)
    page = read_html(
        "<title>Kites</title><h2 id=a><a href='#a'>¶</a></h2><p>They fly.</p><h3 id=b>Up</h3>"
    )
    assert (page.title, page.text, page.anchors) == ("Kites", "They fly.\n\n### Up\n", ("b",))


def test_a_link_to_the_section_about_top_is_text() -> None:
    page = read_html(
        "<main><h1 id=start>Commands</h1><ul><li><a href='#ps'>ps</a><li><a href='#top'>top</a></ul>"
        "<h2 id=ps>ps</h2><p>Lists. <a href='#start'>Top</a></p><h2 id=top>top</h2><p>Watches.</p></main>"
    )
    assert "- [top](#top)\n" in page.text
    assert "Lists.\n" in page.text


def test_a_marked_part_without_prose_is_not_the_content() -> None:
    page = read_html(
        '<div id="content"><ul><li><a href="a.html">Classes</a></li></ul></div><div><h1>Kites</h1><p>They fly'
        ' where there is wind.</p></div><div id="footer">Made by Ann.</div>'
    )
    assert page.text.endswith("# Kites\n\nThey fly where there is wind.\n")
    articles = "".join(f"<article><p>News of day {number}.</p></article>" for number in range(20))
    assert read_html(f"<body>{articles}</body>").text.count("News") == 20
    few = "".join(f"<article><p>News of day {number}.</p></article>" for number in range(3))
    assert read_html(f"<body>{few}</body>").text.count("News") == 3
    long = f"<article><p>{'The news of today. ' * 9}</p></article>"
    assert read_html(f"<body>{long}{few}</body>").text.count("News") == 0


def test_a_page_of_many_articles_is_read_in_time() -> None:
    articles = "<article><p>See <a href=a.html>this</a>.</p></article>" * 2_000
    start = time.process_time()
    assert read_html(f"<body>{articles}</body>").text.count("See") == 2_000
    assert time.process_time() - start < 8


def test_a_section_about_footers_is_content() -> None:
    assert (
        read_html('<div id="footer"><h2>Footer</h2><p>Text.</div>').text == "## Footer\n\nText.\n"
    )


@pytest.mark.parametrize("tag", ["<head />", "<head></head>", "</body>", "</body></html>"])
def test_a_tag_about_the_page_amid_its_text_does_not_end_it(tag: str) -> None:
    page = read_html(f"<body><h1>Kites</h1><p>Stands in {tag} here.</p><h2>Tails</h2><p>Long.</p>")
    assert page.text.endswith("here.\n\n## Tails\n\nLong.\n")
    source = f"<body><main><h1>Kites</h1><pre>a {tag}\nb</pre><p>Long.</p></main><footer>No.</footer></body>"
    assert read_html(source).text == "# Kites\n\n```\na \nb\n```\n\nLong.\n"


def test_raised_digits_are_no_digits_of_the_number_before() -> None:
    page = read_html(
        "<main><h1>Size</h1><p>Up to 2<sup>32</sup> eggs of 10<sub>2</sub>, the 1<sup>st</sup>,"
        ' H<sub>2</sub>O, as said<sup><a href="#n1">1</a></sup>.</p></main>'
    )
    assert "Up to 2^32 eggs of 10_2, the 1st, H2O, as said[1](#n1)." in page.text


def test_code_with_breaks_of_lines_is_a_block_where_nothing_is_beside_it() -> None:
    code = "<code>while (i &lt; 3) {\n  <br>&nbsp; lay(i);\n  <br>}\n</code>"
    shown = "while (i < 3) {\n  lay(i);\n}"
    page = read_html(f"<main><h1>Eggs</h1><p>{code}</p><p>As {code}</p></main>")
    assert f"```\n{shown}\n```" in page.text
    assert page.text.count("```") == 2
    assert "As `while" in page.text
    table = f"<table>\n<tr>\n<td>\n{code}\n</td>\n</tr>\n</table>\n"
    assert with_embedded_html(table) == f"```\n{shown}\n```\n"
