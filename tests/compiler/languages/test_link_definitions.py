"""Definitions of links that pages include."""

from __future__ import annotations

import pytest

from kbc.languages.includes.expansion import expand

LINKS = """[Heron]: https://birds.example/heron
[`nest`]: <nests.md> "Nests of herons"
 [far  Away]: /away 'Away'

[unused]: https://birds.example/unused
[also unused]: unused.md (no "link")
[^note]: A footnote.

Birds fly.
[other]: is no definition of a link
"""
KEPT = """[Heron]: https://birds.example/heron
[`nest`]: <nests.md> "Nests of herons"
 [far  Away]: /away 'Away'

[^note]: A footnote.

Birds fly.
[other]: is no definition of a link
"""
PAGE = "See [heron], [`nest`] and [the sea][far away].\n\n{{#include links.md}}\n"


def shown(page: str, links: str = LINKS) -> str:
    return expand(page, "a.md", {"links.md": links.encode()}.get).text


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_page_has_the_definitions_of_its_own_links(newline: str) -> None:
    page = PAGE.replace("\n", newline)
    assert shown(page).split(newline) == PAGE.replace("{{#include links.md}}\n", KEPT).split("\n")


def test_definitions_of_the_page_itself_stay() -> None:
    own = "[unused]: https://birds.example/unused\n"
    assert shown(f"{own}\n{{{{#include links.md}}}}\n", "A.\n\n[more]: x.md\n") == f"{own}\nA.\n"
    assert shown(own) == own
    tab = f'=== "One"\n\n    [see]: a.md\n\n    A.\n\n    {own}'
    assert own in shown(tab)


def test_definitions_in_code_stay() -> None:
    code = "```md\n[unused]: https://birds.example/unused\n```\n"
    assert shown("{{#include links.md}}\n", code) == f"{code}"
