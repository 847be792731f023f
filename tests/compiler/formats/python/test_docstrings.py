"""The text of docstrings: what reStructuredText in them becomes."""

from __future__ import annotations

from kbc.formats import commonmark
from kbc.formats.python import docstrings


def markdown(text: str) -> str:
    return "\n".join(commonmark.blocks(docstrings.prose(text)))


def test_references_are_links_and_footnotes_keep_their_numbers() -> None:
    text = (
        "See `tall  reeds`_, `the lake <https://lake.example>`_, Wiki_, `gone`_ and snake_case_ [1]_.\n\n"
        "Code ``x`_`` stays.\n\n"
        ".. _tall reeds: https://reeds.example\n.. _Wiki: https://wiki.example\n\n"
        ".. [1] A. Heron, *Reeds*,\n   of 2020.\n.. [2] `More <https://more.example>`_\n"
    )
    assert markdown(text) == (
        "See [tall  reeds](<https://reeds.example>), [the lake](<https://lake.example>), "
        "[Wiki](<https://wiki.example>), gone and snake_case_ [1].\n\n"
        "Code `x`_` stays.\n\n"
        "[1] A. Heron, *Reeds*,\nof 2020.\n\n[2] [More](<https://more.example>)"
    )


def test_lists_and_tables_stay_what_they_are() -> None:
    text = (
        "Sizes:\n\n- small,\n  or less\n- large\n\n#. first\n#. second\n\n-1 is all.\n\n"
        "=== ===\na   b\n=== ===\n1   2\n=== ===\n"
    )
    assert markdown(text) == (
        "Sizes:\n\n- small,\n  or less\n- large\n\n1. first\n1. second\n\n-1 is all.\n\n"
        "```\n=== ===\na   b\n=== ===\n1   2\n=== ===\n```"
    )


def test_text_behind_a_directive_goes_on_in_the_lines_below_it() -> None:
    text = (
        ".. note:: Nests of the `grey\n    heron <h>`_ are high,\n    and large.\n\n    Look up.\n\n"
        ".. versionadded:: 2.1 Finds nests\n   in reeds.\n\n.. tip:: Wait.\n\n    Then look.\n"
    )
    assert markdown(text) == (
        "**Note**\n\nNests of the [grey\nheron](<h>) are high,\nand large.\n\nLook up.\n\n"
        "*Added in version 2.1:* Finds nests in reeds.\n\n**Tip**\n\nWait.\n\nThen look."
    )
