"""HTML as generators write it: small pages of our own in the markup of each."""

from __future__ import annotations

import pytest

from kbc.languages.html.page import read_html


def body(markup: str, title: str = "") -> str:
    head = f"<head><title>{title}</title></head>" if title else ""
    return read_html(f"<!doctype html><html>{head}<body>{markup}</body></html>").text


DOCUSAURUS_CODE = (
    '<main><div class="language-bash codeBlockContainer_x theme-code-block">'
    '<div class="codeBlockTitle_x">setup.sh</div><div class="codeBlockContent_x">'
    '<pre tabindex="0" class="prism-code language-bash"><code class="codeBlockLines_x">'
    '<span class="token-line"><span class="token plain">mk site</span><br></span>'
    '<span class="token-line"><span class="token plain" style="display:inline-block"></span><br></span>'
    '<span class="token-line"><span class="token builtin">cd</span><span> site</span><br></span>'
    '</code></pre><div class="buttonGroup_x"><button>Copy</button></div></div></div></main>'
)
HUGO_CODE = (
    '<main><div class="highlight"><div class="chroma"><table class="lntable"><tr><td class="lntd">'
    '<pre tabindex="0" class="chroma"><code><span class="lnt">1\n</span><span class="lnt">2\n</span>'
    '</code></pre></td><td class="lntd"><pre tabindex="0" class="chroma">'
    '<code class="language-go" data-lang="go"><span class="line"><span class="cl">a := 1\n</span></span>'
    '<span class="line"><span class="cl">b := 2\n</span></span></code></pre></td></tr></table></div>'
    "</div></main>"
)
HUGO_INLINE_NUMBERS = (
    '<main><div class="highlight"><pre class="chroma"><code class="language-go" data-lang="go">'
    '<span class="line"><span class="ln">1</span><span class="cl">a := 1\n</span></span>'
    '<span class="line"><span class="ln">2</span><span class="cl">b := 2\n</span></span>'
    "</code></pre></div></main>"
)
SPHINX_CODE = (
    '<main><div class="highlight-python3 notranslate"><table class="highlighttable"><tr>'
    '<td class="linenos"><div class="linenodiv"><pre><span class="normal">1</span>\n'
    '<span class="normal">2</span></pre></div></td><td class="code"><div class="highlight"><pre>'
    "<span></span>x = 1\nif x:  # 1\n    y()\n</pre></div></td></tr></table></div></main>"
)
JEKYLL_CODE = (
    '<main><div class="language-ruby highlighter-rouge"><div class="highlight"><pre class="highlight">'
    '<code><table class="rouge-table"><tbody><tr><td class="rouge-gutter gl"><pre class="lineno">1\n2\n'
    '</pre></td><td class="rouge-code"><pre><span class="k">def</span> go\nend\n</pre></td></tr>'
    "</tbody></table></code></pre></div></div></main>"
)
JEKYLL_FIGURE = (
    '<main><figure class="highlight"><pre><code class="language-ruby" data-lang="ruby">'
    '<table class="rouge-table"><tbody><tr><td class="gutter gl"><pre class="lineno">1\n2\n</pre></td>'
    '<td class="code"><pre>def go\nend\n</pre></td></tr></tbody></table></code></pre></figure></main>'
)
VITEPRESS_CODE = (
    '<main><div class="language-js vp-adaptive-theme line-numbers-mode"><button title="Copy Code">'
    '</button><span class="lang">js</span><pre class="shiki"><code><span class="line"><span>a()</span>'
    '</span>\n<span class="line"></span>\n<span class="line"><span>b()</span></span></code></pre>'
    '<div class="line-numbers-wrapper"><span class="line-number">1</span><br>'
    '<span class="line-number">2</span><br></div></div></main>'
)


@pytest.mark.parametrize(
    ("markup", "code"),
    [
        (DOCUSAURUS_CODE, "setup.sh\n\n```bash\nmk site\n\ncd site\n```\n"),
        (HUGO_CODE, "```go\na := 1\nb := 2\n```\n"),
        (HUGO_INLINE_NUMBERS, "```go\na := 1\nb := 2\n```\n"),
        (SPHINX_CODE, "```python\nx = 1\nif x:  # 1\n    y()\n```\n"),
        (JEKYLL_CODE, "```ruby\ndef go\nend\n```\n"),
        (JEKYLL_FIGURE, "```ruby\ndef go\nend\n```\n"),
        (VITEPRESS_CODE, "```js\na()\n\nb()\n```\n"),
    ],
)
def test_code_has_its_lines_its_language_and_no_numbers(markup: str, code: str) -> None:
    assert body(markup) == code


@pytest.mark.parametrize(
    ("markup", "language"),
    [
        (
            '<div class="sourceCode" id="cb1"><pre class="sourceCode rust"><code>x</code></pre></div>',
            "rust",
        ),
        ('<pre class="downlit sourceCode rust code-with-copy"><code>x</code></pre>', "rust"),
        ('<pre><code class="hljs rust">x</code></pre>', "rust"),
        ('<pre class="rust rust-example-rendered"><code>x</code></pre>', "rust"),
        ('<div class="highlight highlight-source-shell"><pre>x</pre></div>', "shell"),
        ('<pre class="brush: js notranslate">x</pre>', "js"),
        ('<figure data-language="ts"><pre data-language="ts"><code>x</code></pre></figure>', "ts"),
        ('<div class="highlight-default notranslate"><pre>x</pre></div>', ""),
        ('<pre class="programlisting">x</pre>', ""),
        ('<pre><code class="nohighlight">x</code></pre>', ""),
    ],
)
def test_the_language_is_what_classes_say(markup: str, language: str) -> None:
    assert body(f"<main>{markup}</main>") == f"```{language}\nx\n```\n"


def test_the_language_of_one_block_is_not_that_of_its_neighbour() -> None:
    found = body('<main><div class="language-js"><pre>a</pre><pre>b</pre></div></main>')
    assert found == "```\na\n```\n\n```\nb\n```\n"


def test_numbers_that_are_code_stay() -> None:
    assert body('<main><pre class="line-numbers">x 1</pre><pre>1\n2</pre></main>') == (
        "```\nx 1\n```\n\n```\n1\n2\n```\n"
    )


TABS = {
    "docusaurus": (
        '<div class="tabs-container"><ul role="tablist" class="tabs"><li role="tab">npm</li>'
        '<li role="tab">Yarn</li></ul><div><div role="tabpanel"><p>one</p></div>'
        '<div role="tabpanel" hidden=""><p>two</p></div></div></div>'
    ),
    "sphinx-tabs": (
        '<div class="sphinx-tabs"><div role="tablist"><button role="tab" aria-controls="p-0">npm'
        '</button><button role="tab" aria-controls="p-1">Yarn</button></div>'
        '<div id="p-0" role="tabpanel">one</div><div id="p-1" role="tabpanel" hidden="true">two</div></div>'
    ),
    "mkdocs-material": (
        '<div class="tabbed-set"><input type="radio"><input type="radio"><div class="tabbed-labels">'
        '<label>npm</label><label>Yarn</label></div><div class="tabbed-content">'
        '<div class="tabbed-block"><p>one</p></div><div class="tabbed-block"><p>two</p></div></div></div>'
    ),
    "vitepress": (
        '<div class="vp-code-group"><div class="tabs"><input type="radio"><label>npm</label>'
        '<input type="radio"><label>Yarn</label></div><div class="blocks"><div><p>one</p></div>'
        "<div><p>two</p></div></div></div>"
    ),
    "sphinx-design": (
        '<div class="sd-tab-set"><input type="radio"><label class="sd-tab-label">npm</label>'
        '<div class="sd-tab-content"><p>one</p></div><input type="radio">'
        '<label class="sd-tab-label">Yarn</label><div class="sd-tab-content"><p>two</p></div></div>'
    ),
}


@pytest.mark.parametrize("generator", TABS)
def test_every_tab_keeps_its_label_and_its_text(generator: str) -> None:
    assert body(f"<main>{TABS[generator]}</main>") == "**npm**\n\none\n\n**Yarn**\n\ntwo\n"


def test_what_is_hidden_and_no_tab_is_left_out() -> None:
    assert body("<main><p hidden>no</p><p>yes</p></main>") == "yes\n"


def test_details_keep_their_label() -> None:
    found = body("<main><details><summary>More</summary><p>text</p></details></main>")
    assert found == "**More**\n\ntext\n"


@pytest.mark.parametrize(
    "navigation",
    [
        '<div class="navheader"><table><tr><td><a accesskey="p" href="a">Prev</a></td></tr></table></div>',
        '<table width="100%"><tr><td><a href="a">Prev</a></td><td><a href="u">Up</a></td>'
        '<td><a href="b">Next</a></td></tr><tr><td>Operators</td><td>Home</td><td>Types</td></tr></table>',
        '<p>Next: <a href="b">Types</a>, Up: <a href="u">Language</a> [<a href="c">Contents</a>]</p>',
        '<div class="menu mainmenu"><ul><li><a href="a">Home</a></li></ul></div>',
        '<div role="menubar"><span>File</span></div>',
        '<div class="related"><h3>Navigation</h3><ul><li><a href="a">next</a></li></ul></div>',
        '<nav class="contents local"><p>Contents</p></nav>',
        '<div class="toc"><dl><dt><a href="#a">A</a></dt></dl></div>',
    ],
)
def test_ways_to_other_pages_are_no_content(navigation: str) -> None:
    assert body(f"{navigation}<h1>Operators</h1><p>Text</p>{navigation}") == "# Operators\n\nText\n"


def test_notices_and_footnotes_in_asides_are_content() -> None:
    starlight = (
        '<main><aside aria-label="Mind" class="starlight-aside"><p aria-hidden="true">Mind</p><p>Gusts.</p>'
        '</aside><aside class="toc"><a href="#up">Up</a></aside><div><h2 id="up">Up</h2><a href="#up"><span'
        ' class="sr-only">Section titled Up</span></a></div><h2 class="sr-only">Kites</h2></main>'
        "<aside><p>Beside it.</p></aside>"
    )
    assert body(starlight) == "Mind\n\nGusts.\n\n## Up\n\n## Kites\n"
    docutils = (
        '<div role="main"><p>Fly.</p><aside class="footnote" role="doc-footnote"><p>With wind.</p></aside>'
        '<aside class="sidebar"><p class="sidebar-title">Wind</p><p>It blows.</p></aside>'
        '<aside class="sidebar"><p>Search</p></aside></div>'
    )
    assert body(docutils) == "Fly.\n\nWith wind.\n\nWind\n\nIt blows.\n"


def test_an_article_is_most_of_a_page_whatever_blanks_are_beside_it() -> None:
    blanks = "\n" + " " * 400
    beside = f"<div>{blanks}<i></i>{blanks}<p>On this page</p>{blanks}<i></i></div>"
    assert body(f"<main><article><p>They fly in wind.</p></article>{beside}</main>") == (
        "They fly in wind.\n"
    )


def test_a_link_around_a_card_is_that_of_its_heading_or_first_block() -> None:
    card = '<a href="/up"><div><h2><b>Up</b></h2></div><p>It rises.</p></a>'
    assert body(f"<main>{card}</main>") == "## [**Up**](/up)\n\nIt rises.\n"
    plain = '<a href="/up"><div></div><div>Up</div><p>It rises.</p></a>'
    assert body(f"<main>{plain}</main>") == "[Up](/up)\n\nIt rises.\n"
    assert body('<main><a href="/up"><div></div>Up</a></main>') == "[Up](/up)\n"


def test_a_picture_before_the_words_of_a_heading_is_no_part_of_it() -> None:
    heading = (
        "<h1><a href='/'><img src='a.svg' alt='Logo'></a> Kites of <img src='b.svg' alt='x'></h1>"
    )
    assert body(heading) == "# Kites of x\n"


def test_a_menu_of_words_is_content() -> None:
    assert body('<main><div class="menu">Soup, then cake, <a href="x">why</a></div></main>') == (
        "Soup, then cake, [why](x)\n"
    )
    french = (
        '<section id="menu"><h2>Menu</h2><p>« Fichier », puis <a href="x">ici</a>.</p></section>'
    )
    assert body(f"<main>{french}</main>") == "## Menu\n\n« Fichier », puis [ici](x).\n"


def test_an_article_leaves_the_table_of_contents_beside_it_out() -> None:
    article = "<article><h1>Go</h1><p>All of the text of this page is here.</p></article>"
    assert body(f"<main>{article}<div><ul><li><a href='#a'>Go</a></li></ul></div></main>") == (
        "# Go\n\nAll of the text of this page is here.\n"
    )


def test_a_main_part_with_several_articles_is_all_of_it() -> None:
    assert body("<main><article><p>a</p></article><article><p>b</p></article></main>") == "a\n\nb\n"


POSTGRESQL_TABLE = """<div class="table"><p class="title"><b>Table 9.4. Operators</b></p>
<table class="table"><colgroup><col></colgroup><thead><tr><th class="func_table_entry">
<p class="func_signature">Operator</p><p>Description</p></th></tr></thead><tbody><tr>
<td class="func_table_entry"><p class="func_signature"><code>numeric</code> <code>+</code>
<code>numeric</code> → <code>numeric</code></p><p>Addition</p>
<p><code>2 + 3</code> → <code>5</code></p></td></tr></tbody>
</table></div>"""


def test_an_operator_table_keeps_signature_description_and_example_apart() -> None:
    lines = [line for line in body(f"<main>{POSTGRESQL_TABLE}</main>").split("\n") if line]
    assert lines == [
        "**Table 9.4. Operators**",
        "Operator",
        "Description",
        "`numeric` `+`",
        "`numeric` → `numeric`",
        "Addition",
        "`2 + 3` → `5`",
    ]


def test_code_in_a_cell_keeps_its_lines() -> None:
    found = body("<main><table><tr><td>Go</td><td><pre>a\n  b</pre></td></tr></table></main>")
    assert "```\na\n  b\n```" in found
    assert (
        body(
            "<main><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td><pre>x</pre></td></tr>"
            "</table></main>"
        )
        == "| A | B |\n| --- | --- |\n| 1 | `x` |\n"
    )


@pytest.mark.parametrize(
    ("title", "content", "expected"),
    [
        ("SELECT", "<h1>1. Overview</h1><h1>2. Compounds</h1>", "SELECT"),
        ("Traits - The Book", "<h2>Traits</h2><p>x</p>", "Traits"),
        ("Site | Install", "<h1>Install it</h1>", "Install it"),
        ("9.1. Operators", "<h2 class='title'>9.1. Logic</h2>", "9.1. Operators"),
        ("SELECT", "<h1>1. Overview</h1><p>x</p>", "SELECT"),
        ("Kites in wind", "<h1>Sky</h1><h2>Kites in wind</h2>", "Kites in wind"),
        ("1. Kites — Book", "<h1>1. Kites</h1><p>x</p>", "1. Kites"),
        ("Book: Kites (2.0)", "<h1>1 Kites</h1><p>x</p>", "1 Kites"),
        ("Manual: Section 2.1", "<h2>2.1 Kites</h2><h3>Up</h3>", "2.1 Kites"),
        ("Kites", "<h1>Table of Contents</h1><h2>1 Up</h2><h2>2 Down</h2><h1>Index</h1>", "Kites"),
        ("Sky: Index", "<h1>Index</h1><p>Prices.</p>", "Sky: Index"),
        ("", "<p>x</p><a aria-current='page' href='#'>Here</a>", "Here"),
        ("", "<h1>One</h1><h1>Two</h1>", "One"),
        ("Up - Sky", "<meta property='og:title' content='Up'><h2>How to rise</h2>", "Up"),
        (
            "Up - Sky",
            "<meta property='og:title' content='Sky'><meta property='og:site_name' content='Sky'>",
            "Up - Sky",
        ),
        ("", "<h1 class='section-heading'>Up</h1><h2>How</h2><h2>Why</h2>", "Up"),
        ("", "<h1 class='signature'>Up</h1><h2>How</h2><h2>Why</h2>", "Up"),
        (
            "Sky",
            "<h1><span class='name clip'>Sky</span><span>Kites for all</span></h1>",
            "Sky Kites for all",
        ),
    ],
)
def test_the_title_is_the_best_of_title_headings_and_navigation(
    title: str, content: str, expected: str
) -> None:
    assert read_html(f"<title>{title}</title><body>{content}</body>").title == expected


@pytest.mark.parametrize("tag", ["div", "blockquote", "b", "table><tr><td", "ul><li"])
def test_nesting_beyond_every_page_keeps_its_text(tag: str) -> None:
    opened = f"<{tag}>" * 700
    page = read_html(f"<main><p>before</p>{opened}deep text</main>")
    assert page.is_too_deep
    assert "before" in page.text
    assert "deep text" in page.text
    assert not read_html("<main><p>x</p></main>").is_too_deep


def test_javadoc_members_are_sections() -> None:
    page = read_html(
        "<html><head><title>Valve (sluice)</title></head><body><main><h2>Class Valve</h2>"
        '<ul class="blockList"><li class="blockList"><h3>Method Detail</h3>'
        '<a id="open()"></a><ul class="blockList"><li><h4>open</h4><p>Opens it.</p>'
        "<ul><li>plain</li></ul></li></ul></li></ul></main></body></html>"
    )
    assert "### Method Detail\n\n" in page.text
    assert "#### open\n\nOpens it.\n\n- plain" in page.text


def test_doxygen_members_have_the_anchors_of_their_links() -> None:
    page = read_html(
        "<html><body><main><h1>Init</h1><h2 class='memtitle'><span class='permalink'>"
        "<a href='#ga5d'>&#9670;&#160;</a></span>grab()</h2><p>Grabs.</p></main></body></html>"
    )
    assert page.anchors == ("", "ga5d")
    assert "## grab()\n" in page.text


def test_templates_are_the_content_of_a_page_that_has_no_other() -> None:
    template = (
        '<script id="a" type="text/x-handlebars-template"><h2 id="pumps">Pumps</h2><p>They <b>run</b>.'
        "<pre>start {{ version }}</pre></script>"
    )
    found = read_html(
        f"<html><title>Heron</title><body>{template}<div id='a-shown'></div></body></html>"
    )
    assert found.text == "## Pumps\n\nThey **run**.\n\n```\nstart {{ version }}\n```\n"
    assert (found.title, found.anchors) == ("Heron", ("pumps",))
    other = read_html(f"<main><p>Own words.</main>{template}<script>run()</script>")
    assert other.text.strip() == "Own words."
    assert not read_html("<body><script>run()</script><div></div></body>").text
    assert not read_html("<script type='text/html'>" * 4_000).text


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("<h3>Nests</h3><p>x<h4>Eggs</h4>", "Nests"),
        ("<p>Words.<h3>Nests</h3><p>x<h3>Eggs</h3>", ""),
        ("<p>Words.", ""),
    ],
)
def test_a_page_without_a_title_is_called_after_a_heading_above_all_others(
    content: str, title: str
) -> None:
    assert read_html(f"<main>{content}</main>").title == title
