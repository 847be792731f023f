"""Links of FORD, YARD and quartodoc by the names of what a program defines."""

from __future__ import annotations

import pytest

from kbc.languages.includes.expansion import expand


def shown(text: str) -> str:
    return expand(text, "guide/a.md", lambda path: None).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`x =` [[heron(module):fly(function)]] `(y)`", "`x =` `fly` `(y)`"),
        ("[[heron(module)]] and [[heron:operator(+)(interface)]]", "`heron` and `operator(+)`"),
        ("[[Some note]], [[a(b)]], `[[fly(function)]]`", "[[Some note]], [[a(b)]], `[[fly(function)]]`"),
        ("{file:docs/nest.md#eggs The nest} {file:LICENSE}",
         "[The nest](../docs/nest.md#eggs) [LICENSE](../LICENSE)"),
        ("[`fly()`](`heron.fly`), [](`~heron.Nest`), [](`heron.fly`) and `[x](`y`)`",
         "`fly()`, `Nest`, `heron.fly` and `[x](`y`)`"),
        ("# @title The nest\n\n## Eggs\n", "# The nest\n\n## Eggs\n"),
        ("# @title The nest\n\n# The nest\n", "# The nest\n"),
        ("{Heron::Nest#fly?} of {Heron::Nest the nest}, {Heron#fly}",
         "`Heron::Nest#fly?` of the nest, `Heron#fly`"),
        ("# Nest {#Nest} {Heron} {Heron.fly} `{Heron::Nest}`",
         "# Nest {#Nest} {Heron} {Heron.fly} `{Heron::Nest}`"),
    ],
)  # fmt: skip
def test_links_are_shown_as_names_or_titles(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_code_is_as_it_is_written() -> None:
    text = "```\n[[fly(function)]] {Heron::Nest}\n```\n"
    assert shown(text) == text
