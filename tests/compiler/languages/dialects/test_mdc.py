"""Components of Nuxt Content: blocks with their labels, and components in lines with their text."""

from __future__ import annotations

import pytest

from kbc.languages.includes.expansion import expand
from kbc.languages.markdown import parse

PAGE = """\
## Props :badge[v4.3]{color="info"}

::card-group
  ::card
  ---
  title: ISR
  to: https://example.org
  ---
  Text.
  ::
::
"""
CODE = '```ts [a.ts]\n::note\n---\ntitle: x\n---\n:badge[x]{a="b"}\nstd::vector\n```'


def shown(text: str, path: str = "page.md") -> str:
    return expand(text, path, lambda _: None).text


def lines(text: str) -> list[str]:
    return [line.strip() for line in shown(text).split("\n") if line.strip()]


def test_components_are_no_headings_and_stay_out_of_them() -> None:
    assert lines(PAGE) == ["## Props", "**[ISR](https://example.org)**", "Text."]
    headings = [block for block in parse(shown(PAGE)).blocks if block.kind == "heading"]
    assert [block.title for block in headings] == ["Props"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("::note\nText.\n::", ["**Note**", "Text."]),
        ('::note{icon="i-x"}\nText.\n::', ["**Note**", "Text."]),
        ('::warning{title="Hot: x"}\nText.\n::', ["**Warning: Hot: x**", "Text."]),
        ("::prose-note\nText.\n::", ["**Note**", "Text."]),
        ("::tip[Faster]\nText.\n::", ["**Tip: Faster**", "Text."]),
        ('::callout{type="warning"}\nText.\n::', ["**Warning**", "Text."]),
        ('::tip{to="https://a.org"}\nText.\n::', ["**[Tip](https://a.org)**", "Text."]),
        ("::important\n---\nlabel: 'Keep'\nui:\n  title: no\n---\nText.\n::",
         ["**Important: Keep**", "Text."]),
        ("::tabs\n  :::tabs-item{label=\"npm\"}\n  Text.\n  :::\n::", ["**npm**", "Text."]),
        ("::tabs\n:::div\nText.\n:::\n:::note Title\nMore.\n:::\n::",
         ["Text.", "**Note: Title**", "More."]),
        ("::steps\n### One\n\n1. a\n\n    ::note\n    Text.\n    ::\n::",
         ["### One", "1. a", "**Note**", "Text."]),
        ("::hero\n#title\nThe title\n\n#body{.a}\nText.\n::", ["The title", "Text."]),
        ('::read-more{to="/a" title="A b"}\n::', ["**[A b](/a)**"]),
        ('::read-more{to="/a"}\n::', ["[Read more](/a)"]),
        ("::note\nA ``` and ``:b[c]``, :b[d].\n::", ["**Note**", "A ``` and ``:b[c]``, d."]),
        ("::note\nA ```:b[c]`` and :b[d]`.\n::", ["**Note**", "A ```c`` and d`."]),
        ('::read-more{icon="i" to="/a"}\nRead about it.\n::', ["Read about it."]),
        ('::field{name="size" type="number"}\nText.\n::', ["**size**", "Text."]),
        ('::youtube{id="x"}\n\nText.\n', ["Text."]),
        (':read-more{to="/a"}\n\nSee :read-more{to="/b (c)" title="B"}.',
         ["[Read more](/a)", "See [B](</b (c)>)."]),
        (":icon{name=\"x\"} Since :badge[v4.3]{color='a'}, :kbd[K] or `:kbd[K]`.",
         ["Since v4.3, K or `:kbd[K]`."]),
        (":a[b]\n\n### :icon{name=\"x\"} Go :badge[new]\n\n## :badge[only]", ["b", "### Go", "## only"]),
    ],
)  # fmt: skip
def test_blocks_have_labels_and_components_their_text(source: str, expected: list[str]) -> None:
    assert lines(source) == expected


def test_fenced_code_in_blocks_stays_as_it_is() -> None:
    assert CODE in shown(f"::code-group{{sync='pm'}}\n{CODE}\n::\n")
    assert lines(f"::code-group\n\n{CODE}\n\n::")[0] == "```ts [a.ts]"


@pytest.mark.parametrize(
    "text",
    [
        f"# Code\n\n{CODE}\n",
        "Selectors:\n\n::before\n\nand `::after`, std::vector and ::std::move.\n",
        "As follows::\n\n    ::note\n    ---\n    x\n\n::\n\n    code\n",
        "a :b[c]{d} :param{x: 1} in prose\n",
    ],
)
def test_colons_of_other_meanings_stay(text: str) -> None:
    assert shown(text) == text


def test_what_is_never_closed_stays_text() -> None:
    text = ":a{" * 5_000 + "\n" + ':a[b]{c="' * 5_000 + "\n"
    assert shown(text).endswith('{c="\n')
    assert lines("::note\n---\ntitle: x\n\nText.\n\n::")[0] == "**Note**"
