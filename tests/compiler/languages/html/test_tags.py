"""Tags of HTML in pages of Markdown: layout goes, what has a meaning becomes Markdown."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbc.languages.html.tags import without_html_tags


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<details>\n<summary>More <b>kites</b></summary>\n\nText\n\n</details>\n",
         "\n**More kites**\n\nText\n\n\n"),
        ("<details>\n<summary>More</summary>\nText\n</details>\n", "\n**More**\n\nText\n\n"),
        ("<details><summary>More</summary>Text</details>\n", "**More**\n\nText\n"),
        ("> <details>\n> <summary>More</summary>\n> Text\n> </details>\n",
         "> \n> **More**\n>\n> Text\n> \n"),
        ("<details>\n<summary>Why\n```\nup\n```\n</summary><br><b>\n\nText\n</b></details>\n",
         "\n**Why**\n```\nup\n```\n\n\nText\n\n"),
        ("<summary>\n```\nup\n```\n</summary>\nText\n", "\n```\nup\n```\n\nText\n"),
        ("> <summary>Mend:\n> - a\n> - b</summary>Text\n", "> **Mend:**\n> - a\n> - b\n> Text\n"),
        ("<details><summary>More</summary><br>\nText</details>\n", "**More**\n\nText\n"),
        ("<b>\nText\n```\nup\n```\n</b>\n", "\nText\n```\nup\n```\n\n"),
        ('<div class="card">\n    <div>one</div><div>two</div>\n        <p>three\n</div>\n',
         "\none two\nthree\n\n"),
        ("1. a\n\n   <div>\n       b\n   </div>\n", "1. a\n\n   \n   b\n   \n"),
        ("Fly <b>high</b>, <i>far</i>, <del>low</del>.\n", "Fly **high**, *far*, ~~low~~.\n"),
        ('A <abbr title="Low-weight kite">LWK</abbr>, an <abbr title="kite">old kite</abbr>.\n',
         "A LWK (Low-weight kite), an old kite.\n"),
        ("<kbd>Ctrl</kbd>+<kbd>Z</kbd> or <code>Nest&lt;T&gt;</code>\n", "`Ctrl`+`Z` or `Nest<T>`\n"),
        ('<a href="https://kite.example">the <b>kite</b></a>\n', "[the **kite**](https://kite.example)\n"),
        ('<img src="logo.svg" id="logo" />\n', '<a id="logo"></a>![](logo.svg)\n'),
        ('<a href="u">\n  <img src="logo.svg" alt="Logo">\n</a>\n', "\n[![Logo](logo.svg)](u)\n\n"),
        ("<a href=#wind title='no id=x'>kite</a>, <img src=logo.svg alt=Logo>\n",
         "[kite](#wind), ![Logo](logo.svg)\n"),
        ('<a :href="at(x)">kite</a> <a href="a b">c</a>\n', "kite [c](<a b>)\n"),
        ('<iframe width="5" src="https://v.example/x" title="A flight"></iframe>\n',
         "[A flight](https://v.example/x)\n"),
        ("2<sup>32</sup> kites, x<sup>n+1</sup>, the 4<sup>th</sup>, H<sub>2</sub>O, k<sub>i</sub>\n",
         "2^32 kites, x^(n+1), the 4th, H2O, k_i\n"),
        ("<code>5·2<sup>depth</sup> + k<sub>i</sub></code>\n", "`5·2^depth + k_i`\n"),
        ('| <i class="fa fa-check fa-lg"></i> | <code>a &vert; b</code><br>c |\n',
         "| check | `a \\| b` c |\n"),
        ('# <img src="k.svg" alt="Logo"> Kite <a href="u"><img src="b.svg" alt="built"></a>\n\n'
         '## <img src="k.svg" alt="Wind">\n', "#  Kite \n\n## ![Wind](k.svg)\n"),
        ("e<sup>a</sup> of the 2<sup>e</sup>\n", "e^a of the 2e\n"),
        ("&nbsp;&nbsp;&nbsp;&nbsp;Fly&nbsp;<b>up</b>&nbsp;now\n", "Fly **up** now\n"),
        ("Write `<pre>`.\n\n<div>\n    <div>\n        up\n    </div>\n</div>\n",
         "Write `<pre>`.\n\n\n\nup\n\n\n"),
        ('<i class="fa fa-check"></i> Done\n', " Done\n"),
        ('<svg viewBox="0 0 1 1"><text>kite</text></svg>A kite\n', "A kite\n"),
        ('<div id="wind">\nblows\n</div>\n', '<a id="wind"></a>\nblows\n\n'),
        ('<fly-pane mode="x">\nup\n</fly-pane>\n', "\nup\n\n"),
        ('a\n\n<pre><code class="language-js">\nlet a = 1 &lt; 2;\n\n<b>fly</b>()\n</code></pre>\n\nb\n',
         "a\n\n```js\nlet a = 1 < 2;\n\nfly()\n```\n\nb\n"),
        ("<pre>one<br>two</pre>\n", "```\none\ntwo\n```\n"),
        ("One&nbsp;kite &mdash; &quot;high&#8221; &lt;T&gt; &amp;amp; `&mdash;` &bogus;\n",
         'One kite — "high” &lt;T&gt; &amp;amp; `&mdash;` &bogus;\n'),
        ("Kites &amp; wind, R&amp;D, A&amp;&amp;B, &amp;\n", "Kites & wind, R&amp;D, A&&amp;B, &\n"),
        ("a\r\n<div>\r\nb\r\n</div>\r\n", "a\r\n\r\nb\r\n\r\n"),
    ],
)  # fmt: skip
def test_tags_go_or_become_markdown(source: str, expected: str) -> None:
    assert without_html_tags(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "```html\n<div>a</div>\n```\n",
        "Text\n\n    <div>\n      a\n    </div>\n",
        "Write `<div>` or \\<div> there.\n",
        "<!-- <div>a</div> -->\n",
        "Replace <your-name>, <source> and <section>; a List<b> of Map<K, List<a>>.\n",
        "Copy <source file> to <object file>, and <my-kite goes here>.\n",
        "Call it with &region; and &notify; there.\n",
        '<a name="wind"></a>\n## Wind\n',
        '<span id="wind"></span>\n',
        "- <pre>a</pre>\n",
        "<context-param>a</context-param>\n",
        '---\ntitle: "<b>a</b>"\n---\n',
    ],
)
def test_code_comments_places_and_placeholders_stay(source: str) -> None:
    assert without_html_tags(source) == source


WORDS = st.lists(
    st.sampled_from(
        ["<div>", "</div>", "<b>", "</b>", '<a href="x">', "</a>", "<summary>", "</summary>", "<code>",
         "</code>", "<sup>", "</sup>", "<pre>", "</pre>", "\n", "\n\n", "\n    ", "- ", "> ", "`", "```\n",
         "|", "<!--", "-->", "&lt;", "alpha", "beta", "gamma", " ", "<br>"]
    ),
    max_size=40,
)  # fmt: skip


@given(WORDS)
def test_no_word_is_lost_and_lines_do_not_become_fewer(parts: list[str]) -> None:
    source = "".join(parts)
    shown = without_html_tags(source)
    words = re.compile("alpha|beta|gamma")
    assert Counter(words.findall(shown)) == Counter(words.findall(source))
    assert shown.count("\n") >= source.count("\n")
