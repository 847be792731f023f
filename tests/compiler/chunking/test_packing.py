from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbc.chunking import TokenBudget, chunk
from kbc.chunking.packing import GLUED, UncutSpan, pack
from kbc.records import DocRecord


def pieces(*costs_and_cuts: tuple[int, int]) -> list[UncutSpan]:
    return [
        UncutSpan(index, index + 1, cost, cut) for index, (cost, cut) in enumerate(costs_and_cuts)
    ]


def test_what_fits_is_not_cut() -> None:
    assert pack(pieces((50, 0), (50, 0)), 100) == [(0, 2)]


def test_passages_are_of_equal_size_rather_than_full() -> None:
    assert pack(pieces(*[(10, 0)] * 12), 100) == [(0, 6), (6, 12)]


def test_the_cheapest_cut_near_the_middle_is_taken() -> None:
    costs = [(10, 60)] * 4 + [(10, 5)] + [(10, 60)] * 7
    assert pack(pieces(*costs), 100) == [(0, 4), (4, 12)]


def test_no_remnant_is_left_when_it_can_be_avoided() -> None:
    assert pack(pieces((60, 0), (35, 30), (8, 0)), 100) == [(0, 1), (1, 3)]


def test_glued_pieces_stay_together() -> None:
    assert pack(pieces((60, 0), (10, 0), (60, GLUED)), 100) == [(0, 1), (1, 3)]


@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(0, 100)), max_size=200),
    st.integers(40, 120),
)
def test_ranges_cover_all_pieces_and_fit(costs: list[tuple[int, int]], room: int) -> None:
    ranges = pack(pieces(*costs), room)
    assert [index for i, j in ranges for index in range(i, j)] == list(range(len(costs)))
    assert all(sum(cost for cost, _ in costs[i:j]) <= room for i, j in ranges)


@pytest.mark.parametrize(
    ("line", "is_label"),
    [("**Note**", True), ("__See also__:", True), ("**It may fall.**", False), ("**a** b", False)],
)
def test_a_label_in_bold_stays_with_what_it_introduces(
    line: str, is_label: bool, words_budget: TokenBudget, page: Callable[..., DocRecord]
) -> None:
    text = f"# A\n\n{'a ' * 26}end\n\n{line}\n\n{'b ' * 24}\n\n{'c ' * 24}\n"
    first, *_ = chunk(page(text), words_budget)
    assert first.text.rstrip().endswith("end" if is_label else line)
