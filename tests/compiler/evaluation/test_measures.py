"""Against values worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbc.evaluation import measures


def test_ndcg_of_one_right_name_at_rank_two() -> None:
    assert measures.ndcg(["x", "a"], {"a": 1.0}) == pytest.approx(1 / math.log2(3))


def test_ndcg_weighs_grades_against_the_ideal_order() -> None:
    # found: grade 1 at rank 1, grade 3 at rank 3; ideal: 3, 2, 1 at ranks 1, 2, 3
    found = 1 / math.log2(2) + 3 / math.log2(4)
    ideal = 3 / math.log2(2) + 2 / math.log2(3) + 1 / math.log2(4)
    gains = {"a": 1.0, "b": 2.0, "c": 3.0}
    assert measures.ndcg(["a", "x", "c"], gains) == pytest.approx(found / ideal)


def test_ndcg_ignores_what_is_below_k() -> None:
    assert measures.ndcg(["x"] * 10 + ["a"], {"a": 1.0}, k=10) == 0.0


def test_ndcg_without_relevant_names_is_zero() -> None:
    assert measures.ndcg(["a"], {}) == 0.0
    assert measures.ndcg(["a"], {"a": 0.0}) == 0.0


def test_reciprocal_rank_is_that_of_the_first_right_name() -> None:
    assert measures.reciprocal_rank(["x", "y", "a", "b"], {"a", "b"}) == pytest.approx(1 / 3)
    assert measures.reciprocal_rank(["x"] * 10 + ["a"], {"a"}) == 0.0


def test_success_and_recall_at_k() -> None:
    ranking = ["x", "a", "y", "b"]
    assert [measures.success(ranking, {"a", "b"}, k) for k in (1, 2)] == [0.0, 1.0]
    assert [measures.recall(ranking, {"a", "b", "c"}, k) for k in (1, 2, 4)] == pytest.approx(
        [0, 1 / 3, 2 / 3]
    )


def test_percentiles_are_values_of_the_list() -> None:
    values = [5.0, 1.0, 4.0, 2.0, 3.0]
    assert [measures.percentile(values, share) for share in (0.0, 0.5, 0.95, 1.0)] == [1, 3, 5, 5]
    assert measures.percentile([], 0.5) == 0.0


def test_the_interval_of_equal_values_has_no_width() -> None:
    assert measures.bootstrap([0.5] * 20) == (0.5, 0.5, 0.5)
    assert measures.bootstrap([]) == (0.0, 0.0, 0.0)


def test_the_interval_narrows_with_more_values() -> None:
    few, many = measures.bootstrap([0.0, 1.0] * 10), measures.bootstrap([0.0, 1.0] * 250)
    assert many.high - many.low < few.high - few.low
    # Of 500 coin flips 95 % have a share within 1.96 standard errors of one half.
    assert many.high - many.low == pytest.approx(2 * 1.96 * math.sqrt(0.25 / 500), rel=0.15)


names = st.lists(st.integers(0, 30), unique=True, max_size=30)


@given(names, st.dictionaries(st.integers(0, 30), st.floats(0.5, 5), min_size=1, max_size=10))
def test_every_measure_is_between_zero_and_one(ranking: list[int], gains: dict[int, float]) -> None:
    assert 0 <= measures.ndcg(ranking, gains) <= 1 + 1e-9
    assert 0 <= measures.reciprocal_rank(ranking, gains) <= 1
    assert 0 <= measures.recall(ranking, gains, 10) <= 1


@given(st.dictionaries(st.integers(0, 30), st.floats(0.5, 5), min_size=1, max_size=10))
def test_the_ideal_ranking_scores_one(gains: dict[int, float]) -> None:
    ideal = sorted(gains, key=lambda name: -gains[name])
    assert measures.ndcg(ideal, gains) == pytest.approx(1.0)


def test_a_difference_in_all_questions_is_no_chance_and_one_that_cancels_out_is() -> None:
    assert measures.chance([0.5] * 20) < 0.01
    assert measures.chance([0.5, -0.5] * 10) == 1.0
    assert measures.chance([]) == measures.chance([0.0] * 5) == 1.0
    assert measures.chance([1.0, 0.0, 0.0]) > 0.9  # a question alone shows nothing
