"""Files that plugins of MkDocs and Python-Markdown include."""

from __future__ import annotations

import pytest

from kbc.languages.includes.expansion import expand
from kbc.languages.includes.files import Expansion, Surroundings

FILES = {
    "docs/parts/tide.md": b"# Tide\n\n<!--start-->\nIt turns.\n<!--end-->\n\nMore.\n",
    "docs/parts/all.txt": b"plain # text\n",
}


def expanded(text: str) -> Expansion:
    return expand(text, "docs/guide/page.md", FILES.get)


def test_a_part_of_a_page_is_included_between_marks_and_with_deeper_headings() -> None:
    part = '{% include-markdown "../parts/tide.md" start="<!--start-->" end="<!--end-->" %}\n'
    assert expanded(part).text == "It turns.\n"
    whole = "{%\n   include-markdown 'parts/tide.md'\n   heading-offset=2\n%}\n"
    assert expanded(whole).text.startswith("### Tide\n")
    assert expanded(f"- A\n\n    {part}").text == "- A\n\n    It turns.\n"


def test_comments_in_code_of_a_part_are_no_headings() -> None:
    files = {"docs/a.md": b"# A\n\n```sh\n# run\n```\n"}
    found = expand('{% include-markdown "a.md" heading-offset=1 %}\n', "docs/page.md", files.get)
    assert found.text == "## A\n\n```sh\n# run\n```\n"


def test_other_files_are_included_as_they_are() -> None:
    assert expanded('{% include "../parts/all.txt" %}\n').text == "plain # text\n"
    assert expanded("{!parts/all.txt!}\n").text == "plain # text\n"


def test_what_is_not_there_is_counted_for_the_plugin_only() -> None:
    found = expanded('{% include-markdown "none.md" %}\n')
    assert found.text == "(not included: none.md)\n"
    assert found.unresolved == {"{% include-markdown %}": 1}
    for text in ('{% include "none.html" %}\n', "{!none.md!}\n"):
        assert expanded(text) == Expansion(text, {})


def test_directives_in_code_stay_as_they_are() -> None:
    text = '```\n{% include-markdown "parts/all.txt" %}\n```\n'
    assert expanded(text).text == text


CODE = "call open()\ncall shut()\nend\n"


@pytest.mark.parametrize(
    ("directive", "shown"),
    [
        ("{!code/gate.f90!}", "call open()\ncall shut()\nend"),
        ("  {!> ../../code/gate.f90 !}", "  call open()\n  call shut()\n  end"),
        ("{!code/gate.f90!lines=1 3-3}", "call open()\nend"),
        ("{! code/gate.f90 [ln:2-] !}", "call shut()\nend"),
        ("{!code/none.f90!}", "{!code/none.f90!}"),
    ],
)
def test_files_between_braces_and_exclamation_marks_are_filled_in_in_code(
    directive: str, shown: str
) -> None:
    found = expand(
        f"```fortran\n{directive}\n```\n",
        "docs/guide/page.md",
        {"code/gate.f90": CODE.encode()}.get,
    )
    assert found.text == f"```fortran\n{shown}\n```\n"
    example = f"```md\n{directive}\n```\n"
    assert (
        expand(example, "docs/guide/page.md", {"code/gate.f90": CODE.encode()}.get).text == example
    )


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("## :material-check: On a page\n", "## On a page\n"),
        ("A :simple-mkdocs: badge, :octicons-tag-24:{ .big } new.\n", "A badge, new.\n"),
        ("[:octicons-arrow-right-24:&nbsp; Start](a.md){ .md-button }\n", "[Start](a.md)\n"),
        ("| Sluice | :material-check: |\n", "| Sluice | :material-check: |\n"),
        ("`:material-check:` at 12:30-x:\n", "`:material-check:` at 12:30-x:\n"),
        ("```\n:material-check:\n```\n", "```\n:material-check:\n```\n"),
    ],
)
def test_icons_show_no_text_outside_of_tables_and_code(source: str, shown: str) -> None:
    found = expand(source, "docs/a.md", FILES.get, Surroundings(attributes="python-markdown"))
    assert found.text == shown
    assert expand(source, "docs/a.md", FILES.get).text == source
