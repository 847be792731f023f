"""Lists of attributes and extensions of kramdown, which Jekyll's pages have."""

import pytest

from kbc.languages.includes.expansion import expand
from kbc.languages.includes.files import Surroundings


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("Mind the heron\non the nest.\n{: .note }\n", "**Note**\n\nMind the heron\non the nest.\n"),
        ("{: .warning }\nMind it.\n", "**Warning**\n\nMind it.\n"),
        ("1. One\n\n   Mind it.\n   {: .tip}\n", "1. One\n\n   **Tip**\n\n   Mind it.\n"),
        ("- One\n- Two\n{: .note}\n", "- One\n- Two\n"),
        ("# ![Bird](b.png){: .icon} Herons {: #h}\n", "# ![Bird](b.png) Herons {: #h}\n"),
        ("Press {::nomarkdown}<b>x</b>{:/} or `{:/}`.\n", "Press <b>x</b> or `{:/}`.\n"),
        ("A {::comment}no{:/comment}{::options toc_levels=\"1..2\" /}b\n", "A b\n"),
        ("A\n\n{::comment}\nno\n{:/comment}\n\nB\n", "A\n\n\n\n\n\nB\n"),
        ("```\n{::comment}\n{: .x}\n```\n", "```\n{::comment}\n{: .x}\n```\n"),
    ],
)  # fmt: skip
def test_lists_and_extensions_show_what_the_page_shows(source: str, shown: str) -> None:
    assert expand(source, "a.md", {}.get, Surroundings(attributes="kramdown")).text == shown
