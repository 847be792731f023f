"""Numbers that are written as text."""

from __future__ import annotations

from typing import Any

import pytest

from kb_runtime.text.json_types import integer, number


@pytest.mark.parametrize(
    ("value", "expected"),
    [(5, 5), ("5", 5), (" 5.0 ", 5.0), ("5.", 5.0), (".5", 0.5), ("-1e3", -1000.0), ("+7", 7)]
    + [(each, None) for each in ("", ".", "5x", "1e", "0x10", "1_000", True, None, [])],
)
def test_a_number_is_one_or_says_one(value: Any, expected: float | None) -> None:
    assert number(value) == expected


def test_what_is_whole_is_an_integer() -> None:
    assert [integer(each) for each in (5, "5.0", "5.5", "five")] == [5, 5, None, None]


def test_a_million_digits_and_a_letter_are_read_once() -> None:
    assert number("1" * 1_000_000 + "x") is None
