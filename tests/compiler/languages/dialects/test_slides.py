from __future__ import annotations

import pytest

from kbc.languages.includes.dialects.slides import without_settings


@pytest.mark.parametrize(
    ("settings", "left"),
    [
        ("layout: center\nclass: dark\n---\n", "\n\n\n"),
        ("src: ./more.md\nclicks:\n  - 2\n---\n", "\n\n\n\n"),
        ("class: pic\nname: hull\n\n", "\n\n\n"),
        ("\ntemplate: hull\n\n", "\n\n\n"),
        ("Author: Ann\nlayout: center\n\n", None),
        ("Author: Ann\nStatus: done\n---\n", None),
        ("name: hull\n\n", None),
        ("It is the layout:\n\n", None),
    ],
)
def test_settings_of_slides_are_no_text(settings: str, left: str | None) -> None:
    page = f"---\nlayout: cover\n---\n\n# Boats\n\n---\n{settings}## Hull\n"
    expected = settings if left is None else left
    changed = page.replace(settings, expected)
    assert without_settings(page) == changed
    assert without_settings(page.replace("\n", "\r\n")) == changed.replace("\n", "\r\n")


@pytest.mark.parametrize(
    "text",
    [
        "\n---\nlayout: page\n---\n# Boats\n",
        "---\ntitle: Boats\n---\nlayout: page\n",
        "# Boats\n\n```yaml\n---\nlayout: center\n---\n```\n",
    ],
)
def test_front_matter_and_code_stay(text: str) -> None:
    assert without_settings(text) == text


def test_settings_below_code_are_found_whatever_ends_a_line() -> None:
    page = "# Boats\n\n```yaml\nlayout: center\n```\n\n---\n{}---\n## Hull\n"
    for end in ("\n", "\r\n"):
        text = page.format("layout: center\n").replace("\n", end)
        assert without_settings(text) == page.format("\n").replace("---\n##", "\n##").replace(
            "\n", end
        )
