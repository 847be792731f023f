"""What is said of the answers to labelled questions."""

from __future__ import annotations

import pytest

from kbc.evaluation.answers import Answered, Evaluation, below, compare, read_bound, render
from kbc.evaluation.questions import EvaluationError


def answered(query: str, rank: int | None, value: float) -> Answered:
    measures = dict.fromkeys(
        ("ndcg@10", "mrr@10", "success@1", "success@3", "success@10", "recall@100"), value
    )
    return Answered(query, measures, rank, ("doc:a.md",))


def test_a_bound_names_a_measure_and_a_share() -> None:
    assert read_bound("success@3=0.95") == ("success@3", 0.95)
    for text in ("success@3", "success@3=2", "speed=0.5", "mrr@10=high"):
        with pytest.raises(EvaluationError, match="MEASURE=NUMBER"):
            read_bound(text)


def test_measures_below_their_bounds_are_named() -> None:
    found = Evaluation([answered("a", 1, 1.0), answered("b", None, 0.0)], [1.0], [10])
    assert below(found, {"mrr@10": 0.6, "success@3": 0.5}) == ["mrr@10 is 0.5000, below 0.6"]


def test_moved_questions_are_listed_with_the_losses_first() -> None:
    old = Evaluation([answered("a", 1, 1), answered("b", 5, 0), answered("c", 2, 0)], [], [])
    new = Evaluation([answered("a", None, 0), answered("b", 1, 1), answered("c", 2, 0)], [], [])
    assert compare(old, new) == [("a", 1, None), ("b", 5, 1)]


def test_the_report_shows_late_answers_and_advice() -> None:
    found = Evaluation([answered("far off", 7, 0.25)], [2.0], [30])
    text = render(found, [("far off", 2, 7)], {"unreached": ["doc:b.md"]})
    assert "   7  far off" in text
    assert "   2 -> 7" in text
    assert "unreached: 1\n  doc:b.md" in text
