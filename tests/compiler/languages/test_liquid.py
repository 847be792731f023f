"""Liquid and kramdown's attributes in pages of Jekyll."""

from __future__ import annotations

import re

import pytest

from kbc.languages.includes import Expansion, Liquid, expand

FILES = {
    "docs/_includes/hint.md": "Mind the {{ include.what }}.\n",
    "docs/guide/part.md": "---\na: 1\n---\nA part.\n",
}
SITE = Liquid(
    folder="docs",
    includes="docs/_includes",
    values={"title": "Heron", "baseurl": "/h", "draft": True},
    page={"version": 3, "author": {"name": "Ada"}},
)


def expanded(text: str, liquid: Liquid | None = SITE) -> Expansion:
    def read(path: str) -> bytes | None:
        return FILES[path].encode() if path in FILES else None

    return expand(text, "docs/guide/page.md", read, liquid=liquid)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "{{ site.title }} {{ page.version }} by {{ page.author.name | upcase }}",
            "Heron 3 by Ada",
        ),
        ("[a]({{ '/a/' | relative_url }}) {{ \"{{\" }}", "[a](/a/) {{"),
        ("{% raw %}`{{ x }} {% if %}`{% endraw %}", "`{{ x }} {% if %}`"),
        ("{% highlight ruby linenos %}\nputs 1\n{% endhighlight %}", "```ruby\nputs 1\n```"),
        ("```\n{% raw %}\n{{ x }}\n{% endraw %}\n```", "```\n\n{{ x }}\n\n```"),
        ('{% include hint.md what="step" %}', "Mind the step."),
        ("{% include_relative part.md %}", "A part."),
        ("[b]({% link _docs/b.md %})", "[b](../_docs/b.md)"),
        ("{% if site.draft %}Draft{% else %}Done{% endif %}", "DraftDone"),
        ("{% comment %}no{% comment %}x{% endcomment %}{% endcomment %}Yes", "Yes"),
        ("* TOC\n{:toc}\n\nText.\n{: .lead }", "Text."),
        ("{: .warning }\n> Hot.", "**Warning**\n\n> Hot."),
        ("Text.\n{: #id }", "Text.\n{: #id }"),
    ],
)
def test_tags_become_their_text(source: str, expected: str) -> None:
    found = expanded(source)
    assert re.sub(r"\n{3,}", "\n\n", found.text.strip()) == expected
    assert (found.unresolved, found.external) == ({}, {})


def test_what_the_site_computes_is_counted_and_leaves_no_tag() -> None:
    found = expanded(
        "A{% for x in site.data %}{{ x.name }}{% endfor %}B {{ data | sort }}{% plugin a %}"
        "{% include theme.html %}"
    )
    assert found.text == "AB "
    assert found.external == {
        "{% for %}": 1, "{{ }}": 1, "{% plugin %}": 1, "{% include theme.html %}": 1,
    }  # fmt: skip


def test_pages_of_other_generators_keep_such_text() -> None:
    source = "{{ site.title }} {% if x %}\n{: .lead }"
    assert expanded(source, None).text == source
