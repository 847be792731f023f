from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_runtime.search.fusion import balanced, mix, rrf, with_estimated_cosines


def test_rrf_sums_reciprocal_ranks() -> None:
    fused = dict(rrf([[(7, 9.0), (3, 1.0)], [(3, 0.5)]], k=60))
    assert fused == {3: pytest.approx(1 / 62 + 1 / 61), 7: pytest.approx(1 / 61)}


def test_rrf_breaks_ties_by_row() -> None:
    assert [row for row, _ in rrf([[(9, 1.0)], [(2, 1.0)]])] == [2, 9]


def test_rrf_of_nothing_is_nothing() -> None:
    assert rrf([[], []]) == []


def test_mix_normalises_each_list() -> None:
    mixed = mix([(1, 0.9), (2, 0.5), (3, 0.1)], [(2, 40.0), (4, 20.0)], alpha=0.5)
    assert [row for row, _ in mixed] == [2, 1, 3, 4]
    assert [score for _, score in mixed] == pytest.approx([0.75, 0.5, 0.0, 0.0])


def test_alpha_zero_has_no_row_without_a_lexical_score() -> None:
    assert [row for row, _ in mix([(1, 0.9)], [(2, 3.0)], alpha=0.0)] == [2]


def test_alpha_one_has_no_row_without_a_semantic_score() -> None:
    assert [row for row, _ in mix([(1, 0.9)], [(2, 3.0)], alpha=1.0)] == [1]


def test_equal_scores_normalise_to_one() -> None:
    assert mix([], [(2, 3.0), (5, 3.0)], alpha=0.0) == [(2, 1.0), (5, 1.0)]


ranked = st.dictionaries(st.integers(0, 50), st.floats(-5, 50), max_size=20).map(
    lambda scores: sorted(scores.items(), key=lambda item: (-item[1], item[0]))
)


@given(ranked, ranked, st.floats(0, 1))
def test_mixed_scores_stay_in_the_unit_interval_and_descend(
    semantic: list[tuple[int, float]], lexical: list[tuple[int, float]], alpha: float
) -> None:
    scores = [score for _, score in mix(semantic, lexical, alpha)]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 + 1e-9 for score in scores)


@given(ranked, ranked)
def test_rrf_ranks_a_row_found_by_both_above_its_place_in_either(
    one: list[tuple[int, float]], other: list[tuple[int, float]]
) -> None:
    fused = dict(rrf([one, other]))
    assert set(fused) == {row for row, _ in one} | {row for row, _ in other}
    for alone in (dict(rrf([one])), dict(rrf([other]))):
        assert all(fused[row] >= score for row, score in alone.items())


def test_balanced_sides_have_equal_say_whatever_their_scales() -> None:
    # Words say 1 before 2 by as much of their spread as meaning says 2 before 1: a tie, by row.
    fused = balanced([(1, 0.30), (2, 0.31)], [(1, 40.0), (2, 20.0)])
    assert [row for row, _ in fused] == [1, 2]
    assert fused[0][1] == pytest.approx(fused[1][1])


def test_a_row_without_words_counts_as_the_floor() -> None:
    fused = dict(balanced([(1, 0.5), (2, 0.5), (3, 0.5)], [(1, 10.0), (2, 4.0)], floor=4.0))
    assert fused[3] == pytest.approx(fused[2])


def test_balanced_with_an_empty_side_is_the_other() -> None:
    assert balanced([(4, 0.25), (9, 0.5)], []) == [(9, 0.5), (4, 0.25)]
    assert balanced([], [(9, 8.0), (4, 2.0)]) == [(9, 1.0), (4, 0.25)]


@given(ranked, ranked)
def test_balanced_scores_stay_in_the_unit_interval_and_descend(
    semantic: list[tuple[int, float]], lexical: list[tuple[int, float]]
) -> None:
    positive = [(row, max(score, 0.0)) for row, score in lexical]
    scores = [score for _, score in balanced(semantic, positive)]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_words_stand_for_the_meaning_of_what_has_no_vector() -> None:
    semantic = [(1, 0.8), (2, 0.6), (3, 0.4), (7, 0.0), (8, 0.0)]
    lexical = [(7, 4.0), (1, 3.0), (2, 2.0), (3, 1.0)]
    found = dict(with_estimated_cosines(semantic, lexical, {7, 8}))
    assert {row: found[row] for row in (1, 2, 3)} == {1: 0.8, 2: 0.6, 3: 0.4}
    assert found[7] == pytest.approx(1.0)  # as far above the mean of the others as by words
    assert found[8] == pytest.approx(0.2)


def test_nothing_is_with_estimated_cosines_without_an_example() -> None:
    assert with_estimated_cosines([(7, 0.0)], [(7, 4.0)], {7}) == [(7, 0.0)]
    alike = dict(with_estimated_cosines([(1, 0.8), (2, 0.6), (7, 0.0)], [(7, 4.0)], {7}))
    assert alike[7] == pytest.approx(0.7)
