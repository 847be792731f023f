"""Liquid in pages of Jekyll, lists of attributes, and code behind HTML."""

from __future__ import annotations

import re

import pytest

from kbc.languages.includes.expansion import expand
from kbc.languages.includes.files import Expansion, Surroundings
from kbc.languages.includes.templates.liquid import Liquid
from kbc.project.sites.generators import AttributeStyle

FILES = {
    "docs/_includes/hint.md": "Mind the {{ include.what }}.\n",
    "docs/guide/part.md": "---\na: 1\n---\nA part.\n",
    "docs/_data/nests.yml": "size: {largest: 30}\nkinds: [a, b]\n",
    "docs/_data/eggs/colours.json": '{"most": "blue"}',
}
SITE = Liquid(
    folder="docs",
    includes="docs/_includes",
    data="docs/_data",
    values={"title": "Heron", "baseurl": "/h", "draft": True},
    page={"version": 3, "author": {"name": "Ada"}},
)


def expanded(text: str, liquid: Liquid | None = SITE) -> Expansion:
    def read(path: str) -> bytes | None:
        return FILES[path].encode() if path in FILES else None

    around = Surroundings(attributes="kramdown" if liquid else "")
    return expand(text, "docs/guide/page.md", read, around, liquid=liquid)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "{{ site.title }} {{ page.version }} by {{ page.author.name | upcase }}",
            "Heron 3 by Ada",
        ),
        (
            "{{ site.data.nests.size.largest }} cm, {{ site.data.eggs.colours.most }}"
            "\n```\n{{ site.data.eggs.colours.most }}\n```",
            "30 cm, blue\n```\nblue\n```",
        ),
        ("[a]({{ '/a/' | relative_url }}) {{ \"{{\" }}", "[a](/a/) {{"),
        ("{% raw %}`{{ x }} {% if %}`{% endraw %}", "`{{ x }} {% if %}`"),
        ("{% highlight ruby linenos %}\nputs 1\n{% endhighlight %}", "```ruby\nputs 1\n```"),
        ("```\n{% raw %}\n{{ x }}\n{% endraw %}\n```", "```\n\n{{ x }}\n\n```"),
        ("```sh\nget {{site.title}}-{{ page.version }} {{ x }}\n```", "```sh\nget Heron-3 {{ x }}\n```"),
        ("{% raw %}\n```\n{{ site.title }}\n```\n{% endraw %}", "```\n{{ site.title }}\n```"),
        ("```\n{% raw %}{{ site.title }}{% endraw %} {{ site.title }}\n```",
         "```\n{{ site.title }} Heron\n```"),
        ("```sh\nget {{ x }} {{ site.title }}", "```sh\nget {{ x }} Heron"),  # to the end of the page
        ('{% include hint.md what="step" %}', "Mind the step."),
        ("{% include_relative part.md %}", "A part."),
        ("[b]({% link _docs/b.md %})", "[b](../_docs/b.md)"),
        ("[b]({% link {{site.title}}/v{{ page.version }}.md %})", "[b](../Heron/v3.md)"),
        ("{% if site.draft %}Draft{% else %}Done{% endif %}", "DraftDone"),
        ('See {% internal_link "the nest", "/birds/nest#eggs" %}.', "See [the nest](/birds/nest#eggs)."),
        ("See {% linkto 'birds/nest.html' 'the nest' %}.", "See [the nest](birds/nest.html)."),
        ('{% photo "/img/nest.png" "A nest" %}', "A nest"),
        (
            "{% tabs log %}\n{% tab log Ruby 3 %}\nputs 1\n{% endtab %}\n{% endtabs %}",
            "**Ruby 3**\n\nputs 1",
        ),
        (
            "{% tabs log class=x %}\n{% tab 'Ruby 2 and 3' for=log %}\nputs 1\n{% endtab %}\n{% endtabs %}",
            "**Ruby 2 and 3**\n\nputs 1",
        ),
        (
            "{% tabs log %}\n{% tab macOS for=log %}\nputs 1\n{% endtab %}\n{% endtabs %}",
            "**macOS**\n\nputs 1",
        ),
        ("{% comment %}no{% comment %}x{% endcomment %}{% endcomment %}Yes", "Yes"),
        ("* TOC\n{:toc}\n\nText.\n{: .lead }", "Text."),
        ("{: .warning }\n> Hot.", "**Warning**\n\n> Hot."),
        ("Text.\n{: #id }", "Text.\n{: #id }"),
    ],
)  # fmt: skip
def test_tags_become_their_text(source: str, expected: str) -> None:
    found = expanded(source)
    assert re.sub(r"\n{3,}", "\n\n", found.text.strip()) == expected
    assert (found.unresolved, found.external) == ({}, {})


def test_what_the_site_computes_is_counted_and_leaves_no_tag() -> None:
    found = expanded(
        "A{% for x in site.data %}{{ x.name }}{% endfor %}B {{ data | sort }}{% plugin a %}"
        "{{ site.data.nests.kinds }}{{ site.data.gone.at }}{{ site.data.nests }}"
        '{% asset "a", "b" %}{% include theme.html %}'
    )
    assert found.text == "AB "
    assert found.external == {
        "{% for %}": 1, "{{ }}": 4, "{% plugin %}": 1, "{% asset %}": 1,
        "{% include theme.html %}": 1,
    }  # fmt: skip


def test_pages_of_other_generators_keep_such_text() -> None:
    source = "{{ site.title }} {% if x %}\n{: .lead }"
    assert expanded(source, None).text == source


GOLDMARK: AttributeStyle = "goldmark"
KRAMDOWN: AttributeStyle = "kramdown"
PANDOC: AttributeStyle = "pandoc"
PYTHON: AttributeStyle = "python-markdown"


def shown(text: str, style: AttributeStyle) -> str:
    return expand(text, "a.md", lambda path: None, Surroundings(attributes=style)).text


@pytest.mark.parametrize(
    ("text", "style", "expected"),
    [
        ("[Go](x.md){ .button .wide }\n", PYTHON, "[Go](x.md)\n"),
        ("[Go](x.md){: .button target=_blank }\n", PYTHON, "[Go](x.md)\n"),
        (":heron:{ .red } and *this*{.big}\n", PYTHON, ":heron: and *this*\n"),
        ("A boat.\n{ .caption }\n", PYTHON, "A boat.\n"),
        ("| a |\n|---|\n| b |\n{.wide .dark width=80}\n", GOLDMARK, "| a |\n|---|\n| b |\n"),
        ("# A\n\n{.x}\n\n{ list }\nText {.x}\n{#id .x}\n", GOLDMARK, None),
        ("A boat.\n{: .caption }\n", PYTHON, "A boat.\n"),
        ("[Go](x.md){: .button }\n", KRAMDOWN, "[Go](x.md)\n"),
        ("[Go](x.md){ .button }\n{ .x }\n", KRAMDOWN, "[Go](x.md){ .button }\n{ .x }\n"),
        ("> ### A *note* {: .info .x}\n> Text.\n", KRAMDOWN, "> ### A *note*\n> Text.\n"),
        (
            "## A title {: .info}\n\n{: .col-2}\n\nText.\n",
            KRAMDOWN,
            "## A title {: .info}\n\n\nText.\n",
        ),
        (
            "## 3.4 *new*\n{: #v3-4 .x}\n\n- Fast.\n",
            KRAMDOWN,
            "## 3.4 *new* {#v3-4}\n\n\n- Fast.\n",
        ),
        ("Text.\n{: #v3-4}\n", KRAMDOWN, None),
        ("> #### {: .info}\n> Text.\n", KRAMDOWN, "> #### \n> Text.\n"),
        ("Text.\n{:.wide.note}\n", KRAMDOWN, "Text.\n"),
        ("[Go](x.md){ .button }\n", "", "[Go](x.md){ .button }\n"),
        (
            "A [key]{.kbd .x} [Go](x){.b} `x`{.r} ![A](a.png){width=5%}.\n",
            PANDOC,
            "A key [Go](x) `x` ![A](a.png).\n",
        ),
        ("A [key]{#key}, `[a]{.b}`, \\[a]{.b}, [a\\]{.b}, [a]{b}\n", PANDOC, None),
        ("Write `[Go](x.md){ .button }` for one.\n", PYTHON, None),
        ("```\n[Go](x.md){ .button }\n```\n", PYTHON, None),
        ("## Title { .x }\n\n[here](x.md){ #here }\n", PYTHON, None),
        ("f(x){ .5 } and {a: b} and (x){y}\n", PYTHON, None),
    ],
)
def test_lists_of_attributes_are_no_text(
    text: str, style: AttributeStyle, expected: str | None
) -> None:
    assert shown(text, style) == (text if expected is None else expected)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("text", "style"),
    [
        ("{:the_name_of_an_atom_of_elixir_that_goes_on, 1}\n", KRAMDOWN),
        ("{ " + "a=a" * 40 + '"}\n', PYTHON),
        ("> # " + " " * 100_000 + "{x\n", KRAMDOWN),
    ],
)
def test_what_is_nearly_a_list_of_attributes_is_read_in_bounded_time(
    text: str, style: AttributeStyle
) -> None:
    assert shown(text + "\n[a](b){: .c}\n", style) == text + "\n[a](b)\n"


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("text", "style"), [("`a`{:.b} ", KRAMDOWN), ("[`a`]{.b} ", PANDOC)])
def test_many_lists_of_attributes_on_a_line_are_left_out_in_bounded_time(
    text: str, style: AttributeStyle
) -> None:
    assert shown(text * 50_000 + "\n", style) == "`a` " * 50_000 + "\n"


@pytest.mark.parametrize("style", [KRAMDOWN, PYTHON])
def test_a_fence_behind_an_end_tag_is_code(style: AttributeStyle) -> None:
    text = "<div>\n*x*\n</div>\n```html\n<b>x</b>\n\n## y\n```\n\n## After\n"
    assert shown(text, style) == text.replace("</div>\n", "</div>\n\n")
    inside = "```html\n</div>\n```\n"
    assert shown(inside, style) == inside


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (
            "{% capture rest %}\n1. Run:\n\n    ```sh\n    go {{ x }}\n    ```\n{% endcapture %}\n"
            "A {{ site.title }}.\n{{ rest }}\nB\n{{ rest | strip }}",
            "A Heron.\n\n1. Run:\n\n    ```sh\n    go {{ x }}\n    ```\n\n"
            "B\n\n1. Run:\n\n    ```sh\n    go {{ x }}\n    ```",
        ),
        (
            '{% assign step = "one" %}Step {{ step }}, {% include hint.md what=step %}',
            "Step one, Mind the one.",
        ),
        (
            "{% capture a %}{{ page.version }}{% endcapture %}{% capture b %}v{{ a }}{% endcapture %}"
            "{{b}}",
            "v3",
        ),
        ("{% quote %}\n```sh\ngo\n```\n{% endquote %}", "> ```sh\n> go\n> ```"),
    ],
)
def test_what_a_page_captures_or_assigns_is_shown_where_it_is_named(
    source: str, shown: str
) -> None:
    found = expanded(source)
    assert (found.text.strip(), found.external) == (shown, {})


def test_what_is_captured_is_shown_within_bounds() -> None:
    text = "{% capture x %}" + "ab " * 100_000 + "{% endcapture %}" + "{{ x }}\n" * 100
    found = expanded(text)
    assert len(found.text) < 3_000_000
    assert found.external["{{ }}"] > 90
