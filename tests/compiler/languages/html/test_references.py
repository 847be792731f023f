"""References of programs as their generators write them in HTML: signatures, code, titles, anchors."""

from __future__ import annotations

import pytest

from kbc.languages.html.page import read_html


def text(markup: str) -> str:
    return read_html(f"<main>{markup}</main>").text


def test_doxygen() -> None:
    lines = "".join(
        f'<div class="line"><a name="l{n}"></a><span class="lineno">{n:5}</span>&#160;{code}</div>\n'
        for n, code in enumerate(["int fly(void)", "{", "  <a>up</a>();", "}"], start=1)
    )
    page = read_html(
        '<title>Kites: Strings</title><body><div class="navpath">a</div><div class="headertitle">'
        '<div class="title">Strings</div></div><div id="content"><table><tr class="heading"><td>'
        '<h2><a name="funcs"></a>\nFunctions</h2></td></tr><tr><td>int</td><td>fly</td></tr>'
        "<tr><td>&#160;</td></tr></table>"
        '<h2><span class="permalink"><a href="#a1">&#9670;&nbsp;</a></span>fly()</h2>'
        '<div class="memproto"><table><tr><td><table class="memname"><tr><td>int fly</td><td>(</td>'
        '<td>int&#160;</td><td>high</td><td>)</td></tr></table></td><td><span class="mlabel">static'
        f'</span></td></tr></table></div><div class="fragment">{lines}'
        '<div class="ttc"><div>a hint</div></div></div></div>'
    )
    assert page.text == (
        "## Functions\n\n|  |  |\n| --- | --- |\n| int | fly |\n\n## fly()\n\n"
        "```\nint fly(int high)\n```\n\nstatic\n\n"
        "```\nint fly(void)\n{\n  up();\n}\n```\n"
    )
    assert page.anchors == ("funcs", "a1")
    titled = read_html(
        '<title>Kites: Strings</title><div class="headertitle"><div class="title">Strings</div></div>'
        "<h1>One</h1><p>x"
    )
    assert (titled.title, titled.text[:9]) == ("Strings", "# Strings")
    assert not read_html('<body class="SRPage"><div class="SRStatus">Loading...</div>').text


def test_javadoc_and_dokka() -> None:
    assert text(
        '<section id="up()"><h3>up</h3><div class="member-signature"><span>public</span>&nbsp;<a'
        ' href="S.html" title="class in kites">S</a>&nbsp;<span>up</span>()</div></section>'
    ) == ("### up\n\n```java\npublic S up()\n```\n")
    assert text(
        '<div class="copy-popup-wrapper"><span>Link copied</span></div><div class="symbol monospace">'
        'fun <a href="up.html">up</a>()</div><p>Rises.</p><div class="footer">made by</div>'
    ) == ("```\nfun up()\n```\n\nRises.\n")


def test_members_of_dokka_are_called_after_their_class() -> None:
    page = '<main data-page-type="member" pageIds="sky::org.sky/{}/up/#/x"><h1><span>up</span></h1></main>'
    assert read_html(page.format("Kite")).title == "Kite.up"
    assert read_html(page.format("")).title == "up"


def test_what_doxygen_shows_around_its_text_is_left_out() -> None:
    page = read_html(
        '<title>Kites: Kite Class Reference</title><div id="top"><div id="titlearea">Kites 2.0</div></div>'
        '<div class="header"><div class="summary"><a href="#pub">Public Types</a> | <a href="m.html">List of'
        ' all members</a></div><div class="headertitle"><div class="title">Kite Class Reference<span'
        ' class="mlabels">abstract</span><div class="ingroups"><a href="g.html">Sky</a></div></div></div>'
        '</div><div class="contents"><p>Flies. <a href="#details">More...</a></p><div class="dynheader">'
        "Inheritance diagram</div></div>"
    )
    assert (page.title, page.text) == (
        "Kite Class Reference",
        "# Kite Class Reference\n\nFlies.\n",
    )


def test_pages_of_others_with_names_of_these_classes_lose_nothing() -> None:
    assert (
        text(
            '<main><div class="header"><h1>Kites</h1><p class="summary">What flies.</p></div><p>By Ann<span'
            ' class="sep"></span> in May</p><div class="summary-table"><h2>Kinds</h2><div'
            ' class="table-header">Name</div><div>Delta</div></div></main>'
        )
        == "# Kites\n\nWhat flies.\n\nBy Ann in May\n\n## Kinds\n\nName\n\nDelta\n"
    )


def test_summaries_of_javadoc_are_tables() -> None:
    assert text(
        '<div class="summary-table two-column-summary"><div class="table-header col-first">Method</div>'
        '<div class="table-header col-last">Description</div><div class="col-first"><code>up&#8203;(int'
        ' h)</code></div><div class="col-last">&nbsp;</div><div class="col-first"><code>down()</code></div>'
        '<div class="col-last">Lands.</div></div>'
    ) == ("| Method | Description |\n| --- | --- |\n| `up(int h)` |  |\n| `down()` | Lands. |\n")
    older = read_html(
        '<title>Kite (Sky API)</title><div class="topNav"><ul><li>Package</li></ul></div><h2>Class Kite</h2>'
        '<table><caption><a href="javascript:show(2);">All Methods</a></caption><tr><th>Method</th></tr>'
        "<tbody><tr><th>up</th></tr><tr><td>down</td></tr></tbody></table>"
    )
    assert older.title == "Class Kite"
    assert older.text.endswith("All Methods\n\n| Method |\n| --- |\n| up |\n| down |\n")


def test_haddock_and_gi_docgen() -> None:
    page = read_html(
        '<title>Data.Kite</title><div id="module-header"><p class="caption">Data.Kite</p></div>'
        "<h1>Documentation</h1><p>Flies."
    )
    assert (page.title, page.text) == (
        "Data.Kite",
        "# Data.Kite\n\n# Documentation\n\nFlies.\n",
    )
    page = read_html(
        '<section class="content"><header><h1><a href="index.html">Sky</a><span class="sep"></span>up</h1>'
        '</header><h4>Description <a class="srclink" href="s.c">[src]</a></h4><table><tr><td>Yours.</td>'
        "</tr></table></section>"
    )
    assert (page.title, page.text) == (
        "Sky.up",
        "# [Sky](index.html).up\n\n#### Description\n\nYours.\n",
    )


def test_rustdoc() -> None:
    page = read_html(
        '<main><details><summary class="hideme">Expand</summary><p>A kite.</p></details><details>'
        '<summary><section id="method.up"><span>1.2.0 <a class="src" href="s.html">Source</a></span>'
        '<h4>pub fn <a href="#method.up">up</a>()</h4></section></summary><p>Rises.</p></details>'
        '<a href="#">&#9432;</a></main>'
    )
    assert page.text == "A kite.\n\n#### pub fn up()\n\n1.2.0\n\nRises.\n"
    assert page.anchors == ("method.up",)
    shared = '<details><a class="src" href="https://std.example/any.rs">Source</a>Any</details>'
    page = read_html(
        '<main><section id="impl-Kite"><h3 class="code-header">impl <a href="k.html">Kite</a>'
        '<a class="tooltip" href="#">i</a></h3></section>'
        f'<h2>Blanket Implementations</h2><div id="blanket-implementations-list">{shared}</div></main>'
    )
    assert (page.text, page.anchors) == ("### impl Kite\n", ("impl-Kite",))


def test_a_heading_stays_behind_the_paragraphs_of_its_section() -> None:
    assert text("<section><p>First.</p><h2>Then</h2></section>") == "First.\n\n## Then\n"


def test_sphinx() -> None:
    assert text(
        '<dl><dt class="sig">up(high)<a class="reference"><span class="viewcode-link">[source]</span>'
        '</a></dt><dd><dl><dt><strong>high</strong><span class="classifier">float</span></dt></dl>'
    ) == ("`up(high)`\n\n**high** : float\n")


@pytest.mark.parametrize("line", ["---", "====="])
def test_a_line_of_text_makes_no_heading_of_the_one_above(line: str) -> None:
    assert text(f"<p>Words\n{line}\nmore") == f"Words\n\\{line}\nmore\n"
    assert text(f"<pre>Words\n{line}</pre>") == f"```\nWords\n{line}\n```\n"


def test_names_of_typedoc_stand_apart_from_what_is_before_them() -> None:
    page = '<main><h3 id="a"><code class="tsd-tag">Optional</code><span>name</span></h3></main>'
    aside = '<div class="col-sidebar"><div><h3>On This Page</h3></div></div>'
    assert text(page + aside) == "### `Optional` name\n"


def test_typedoc() -> None:
    page = read_html(
        '<title>fly | Sky</title><div class="col-content"><ul class="tsd-breadcrumb"><li>fly</li></ul>'
        '<h1>Function fly<code class="tsd-tag">Const</code></h1><div class="tsd-signature">'
        '<span>fly</span>(<br/>&nbsp;&nbsp;&nbsp;&nbsp;<span>high</span>: <a href="h.html">High</a>'
        ',<br/>): void<a href="#fly" class="tsd-anchor-icon"><svg></svg></a></div><p>Flies.</p></div>'
        '<div class="tsd-navigation settings"><h3>Settings</h3><p>Member Visibility</p></div>'
    )
    assert (page.title, page.text) == (
        "Function fly Const",
        "# Function fly `Const`\n\n```typescript\nfly(\n    high: High,\n): void\n```\n\nFlies.\n",
    )


def test_ways_to_other_pages_of_linuxdoc_and_publican() -> None:
    ways = '<a href="a-2.html">Next</a>\nPrevious\n<a href="a.html#toc1">Contents</a>\n'
    page = read_html(
        f"<body>{ways}<hr>\n<h2>1. Kites</h2><p>Fly.</p>Go <a href='x.html'>home</a>.<hr>{ways}</body>"
    )
    assert page.text == "---\n\n## 1. Kites\n\nFly.\n\nGo [home](x.html).\n\n---\n"
    assert text(
        '<p>Fly.</p><ul class="docnav"><li><a href="b.html"><b>Next</b>2. Sails</a></ul>'
    ) == ("Fly.\n")


def test_exports_of_confluence() -> None:
    assert text(
        '<div class="page-metadata">Created by Ann</div><div class="toc-macro"><a href="#a">A</a></div>'
        '<h1 id="a">A</h1><pre data-syntaxhighlighter-params="brush: bash; gutter: false">fly</pre>'
        '<pre data-syntaxhighlighter-params="brush: text; gutter: false">up</pre>'
        '<div class="expand-control">Click here to expand...</div><p>Lands.</p>'
    ) == ("# A\n\n```bash\nfly\n```\n\n```\nup\n```\n\nLands.\n")


def test_pdoc() -> None:
    source = '<div class="pdoc-code codehilite"><pre>def up(self): ...</pre></div>'
    label = '<label class="view-source-button" for="x"><span>View Source</span></label>'
    page = read_html(
        f'<main><section class="module-info"><h1 class="modulename">\nsky</h1>{label}{source}</section>'
        f'<section id="Kite"><input id="x"><div class="attr class"><div class="decorator">@final</div>\n'
        f' <span class="def">class</span>\n <span class="name">Kite</span>: {label}</div>'
        f'<a class="headerlink" href="#Kite"></a>{source}<div class="docstring"><p>A kite.</p></div>'
        '<div id="Kite.up" class="classattr"><div class="attr function"><span class="def">def</span>\n'
        '<span class="name">up</span><span class="signature pdoc-code">(self, high: '
        f'<a href="#H">H</a>):</span></div>{source}<div class="docstring"><p>Rises:</p>'
        '<div class="pdoc-code codehilite"><pre>kite.up(2)</pre></div></div></div></section></main>'
    )
    assert page.text == (
        "# sky\n\n## Kite\n\n```python\n@final\nclass Kite:\n```\n\nA kite.\n\n"
        "### Kite.up\n\n```python\ndef up(self, high: H):\n```\n\nRises:\n\n```\nkite.up(2)\n```\n"
    )
    assert page.anchors == ("", "Kite", "Kite.up")


def test_jsdoc() -> None:
    page = read_html(
        '<title>JSDoc: Class: Kite</title><div id="main"><h1>Class: Kite</h1><section>'
        "<header><h2>Kite</h2><p>Flies.</p></header><article><h4>"
        "<span class='type-signature'>(static) </span>up<span class='signature'>(by"
        "<span class='signature-attributes'>opt</span>)</span></h4><p>Rises.</p>"
        "<dl class='details'><dt class='tag-source'>Source:</dt><dd class='tag-source'><a href='k.js.html'>"
        "k.js</a></dd></dl><pre class='prettyprint source linenums'><code>up()</code></pre></article>"
        "</section></div>"
    )
    assert page.title == "Class: Kite"
    assert page.text == (
        "# Class: Kite\n\n## Kite\n\nFlies.\n\n#### (static) up(by opt)\n\nRises.\n\n```\nup()\n```\n"
    )


def test_yard() -> None:
    page = read_html(
        '<div id="menu"><a href="_index.html">Index</a> &raquo; <span>Class of all Kites</span></div>'
        '<div id="content"><h1>Kite</h1><h2>Methods <small><a href="#" class="summary_toggle">collapse</a>'
        "</small></h2><ul><li><span>by</span> &mdash; <div class='inline'><p>how much</p></div></li></ul>"
        "<table class='source_code'><tr><td><pre class='lines'>\n\n7\n8</pre></td><td><pre class='code'>"
        "<span class='info file'># File 'kite.rb', line 7</span>\n\ndef up\nend</pre></td></tr></table></div>"
    )
    assert page.text == (
        "# Kite\n\n## Methods\n\n- by — how much\n\n```\n# File 'kite.rb', line 7\n\ndef up\nend\n```\n"
    )


def test_exdoc() -> None:
    page = read_html(
        "<title>Sky.Kite — sky v1.0.0</title><main><div><h1><span>Sky.Kite</span> <small class='app-vsn'>(sky"
        " v1.0.0)</small></h1></div><section id='functions'><h1 class='section-heading'>Functions</h1><div>"
        "<section class='detail' id='up/1'><div><a href='#up/1'><i></i></a><div><h1 class='signature'>up(by)"
        "</h1></div></div><section><h2 id='up/1-examples'>Examples</h2><pre><code class='makeup elixir'>up(1)"
        "</code></pre></section></section></div></section></main>"
    )
    assert page.title == "Sky.Kite"
    assert page.anchors == ("", "functions", "up/1", "up/1-examples")
    assert page.text == (
        "# Sky.Kite\n\n## Functions\n\n### up(by)\n\n#### Examples\n\n```elixir\nup(1)\n```\n"
    )


def test_jazzy() -> None:
    page = read_html(
        "<article><section><h1>Kite</h1><a href='#/Air'><h3>Air</h3></a><ul><li class='item'><div><code>"
        "<a name='/s:up'></a><a class='token' href='#/s:up'>up(by:)</a></code></div><section><p>Rises.</p>"
        "<h4>Declaration</h4><p>Swift</p></section></li></ul></section>"
        "<section id='footer'><p>Generated.</p></section></article>"
    )
    assert (
        page.text == "# Kite\n\n### Air\n\n### `up(by:)`\n\nRises.\n\n#### Declaration\n\nSwift\n"
    )
    assert page.anchors[2:] == ("/s:up", "")
