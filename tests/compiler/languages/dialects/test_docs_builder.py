"""docs-builder: what its substitutions, anchors, links and directives become in Markdown pages."""

from __future__ import annotations

import re

import pytest

from kbc.languages.includes.expansion import expand
from kbc.languages.includes.files import Expansion
from kbc.languages.includes.myst.docs_builder import Docset

DOCSET = Docset(
    folder="docs",
    substitutions={"heron": "Heron Server", "stack-version": "9.2.4", "motto": "  Wade slowly! "},
    repositories=frozenset({"nest-docs"}),
)
FILES = {
    "docs/guide/_snippets/care.md": "Feed {{heron}}.\n\n## Water [water-level]\n\nSee [](../eggs.md).\n",
    "docs/guide/eggs.md": "---\nid: 1 # no title\n---\n# Eggs of {{heron}} [eggs]\n\n## Hatch!\n\nText.\n",
    "docs/guide/fish.csv": "name;weight\nroach;a|b\n",
    "docs/run.py": "wade()\n",
    "docs/guide/long.csv": f'name,"two\nlines"\n"{"x" * 140_000}",1\n',
}


def expansion(text: str) -> Expansion:
    return expand(
        text,
        "docs/guide/page.md",
        lambda name: FILES[name].encode() if name in FILES else None,
        docset=DOCSET,
    )


def expanded(text: str) -> str:
    found = expansion(text)
    assert (found.unresolved, found.external) == ({}, {})
    return re.sub(r"\n{3,}", "\n\n", found.text.strip())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("# Start {{heron}} [start]", "# Start Heron Server {#start}"),
        ("## Set up [First Time Set-up!]", "## Set up {#first-time-set-up}"),
        ("## [only]\n\n## A \\[list]", "## [only]\n\n## A \\[list]"),
        ("## {icon}`bird` Birds", "## Birds"),
        ("## `x.y` {applies_to}`stack: ga 9.1` [x-y]", "## `x.y` {#x-y}\n\nApplies to `stack: ga 9.1`"),
        ("A $$$old-id$$$place, not `$$$x$$$`.", 'A <a id="old-id"></a>place, not `$$$x$$$`.'),
        ("% Said to authors.\nText.\n\n5 % of it", "Text.\n\n5 % of it"),
        ("Use `{{heron}}` and {subs}`wade {{stack-version}}`.", "Use `{{heron}}` and `wade 9.2.4`."),
        ("```sh\na {{heron}}\n```", "```sh\na {{heron}}\n```"),
        ("```sh subs=true\na {{heron}}\n```", "```sh subs=true\na Heron Server\n```"),
        (
            "See [the *nest*](nest-docs://build/twigs.md#a), [](nest-docs://build/twigs.md).",
            "See the *nest*, twigs.",
        ),
        ("[a](vscode://x) [b](https://b.example)", "[a](vscode://x) [b](https://b.example)"),
        ("[a](/start/b.md#c) [d](/e)", "[a](../start/b.md#c) [d](/e)"),
        (
            "# Page\n\n[](eggs.md) [](eggs.md#hatch) [](#page) [](gone.md)",
            "# Page\n\n[Eggs of Heron Server](eggs.md) [Hatch!](eggs.md#hatch) [Page](#page)"
            " [gone.md](gone.md)",
        ),
        (
            "```{applies_to}\nstack: ga 9.1\ndeployment:\n  self: beta\n```",
            "Applies to `stack: ga 9.1`, `self: beta`",
        ),
        ("```yaml {applies_to}\nserverless: ga\n```", "Applies to `serverless: ga`"),
        ("New {preview}`9.1` and {applies_to}`stack: ga`.", "New `preview 9.1` and `stack: ga`."),
        (
            ":::{note}\n:applies_to: stack: ga\nWade in {{heron}}.\n:::",
            "**Note**\n\nApplies to `stack: ga`\n\nWade in Heron Server.",
        ),
        ("::::{tab-set}\n:::{tab-item} Bash\n:sync: b\nA\n:::\n::::", "**Bash**\n\nA"),
        ("::::{stepper}\n:::{step} Wade in\nA\n:::\n::::", "(wade-in)=\n\n**Wade in**\n\nA"),
        (":::{dropdown} More\n:open:\nA\n:::", "**More**\n\nA"),
        ("````{dropdown} More\n{{heron}}\n\n## B [b]\n````", "**More**\n\nHeron Server\n\n## B {#b}"),
        (":::{button}\n[Go](eggs.md)\n:::", "[Go](eggs.md)"),
        (":::{image} /img/a.png\n:alt: A heron\n:::", "![A heron](/img/a.png)"),
        (":::{versionadded} 9.1\n:::", "**Added in 9.1**"),
        (
            ":::{include} _snippets/care.md\n:::",
            "Feed Heron Server.\n\n## Water {#water-level}\n\nSee [../eggs.md](../eggs.md).",
        ),
        (":::{literalinclude} ../run.py\n:::", "```python\nwade()\n```"),
        (
            ":::{csv-include} fish.csv\n:separator: ;\n:caption: Fish\n:::",
            "**Fish**\n\n| name | weight |\n| --- | --- |\n| roach | a\\|b |",
        ),
    ],
)  # fmt: skip
def test_what_readers_see(source: str, expected: str) -> None:
    assert expanded(source) == expected


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("heron | lc", "heron server"),
        ("heron|uc", "HERON SERVER"),
        ("heron | lc | tc", "Heron Server"),
        ("heron | lc | c", "Heron server"),
        ("heron | kc", "heron-server"),
        ("heron | sc", "heron_server"),
        ("heron | cc", "heronServer"),
        ("heron | pc", "HeronServer"),
        ("motto | trim", "Wade slowly"),
        ("stack-version | M", "9"),
        ("stack-version | M.x", "9.x"),
        ("stack-version | M.M", "9.2"),
        ("stack-version | M+1", "10.0.0"),
        ("stack-version | M.M+1 | M.M", "9.3"),
        ("heron | M", None),
        ("heron | unknown", None),
        ("eagle", None),
    ],
)
def test_operators_change_a_substitution(expression: str, value: str | None) -> None:
    assert DOCSET.value(expression) == value


def test_what_no_file_of_the_tree_tells_is_counted() -> None:
    found = expansion(
        "{{eagle}}\n\n```sh subs=true\n{{eagle}}\n```\n\n:::{changelog}\n:::\n\n:::{include} gone.md\n:::\n"
    )
    assert "`eagle`" in found.text
    assert "(not included: gone.md)" in found.text
    assert found.external == {"{{ }}": 2, "{changelog}": 1}
    assert found.unresolved == {"{include}": 1}


def test_values_that_no_reader_of_tables_takes_are_shown_by_lines() -> None:
    shown = expanded(":::{csv-include} long.csv\n:::").split("\n")
    assert shown[:3] == ['| name,"two |', "| --- |", '| lines" |']
    assert len(shown) == 4


@pytest.mark.parametrize("mark", ["# a" + " " * 50_000 + "b", "# a" + "{applies_to}" * 20_000])
def test_long_headings_are_read_in_bounded_time(mark: str) -> None:
    assert expansion(mark).text == mark


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "source",
    [
        f"{'`' * 20_000}a{'b' * 20_000}",
        "{subs}" + "`" * 20_000 + "a",
        "[](#b)\n\n## c\n\n" * 10_000,
    ],
)
def test_what_repeats_is_read_in_bounded_time(source: str) -> None:
    assert expansion(source).text


def test_links_in_directives_name_headings_of_the_page() -> None:
    source = "## Hatch late [late]\n\n```{note}\nSee [](#late).\n```\n"
    assert "See [Hatch late](#late)." in expanded(source)


def test_labels_without_an_end_are_read_in_bounded_time() -> None:
    source = "[" + "![a](b) " * 5_000 + "\n" + "[" * 20_000
    assert expansion(source).text == source
