"""Which bars of the ranking are met."""

from __future__ import annotations

import pytest
from benchmarks.quality.bars import (
    BM25,
    FIXED_FUSION,
    MINI_LM,
    Bar,
    code_bars,
    print_bars,
    question_bars,
    text_bars,
)

GOOD = {
    "words only": dict(BM25),
    "meaning only": dict(MINI_LM),
    "final": {name: value * 1.031 for name, value in FIXED_FUSION.items()},
}


def missed(means: dict[str, dict[str, float]]) -> list[str]:
    return [bar.what for bar in text_bars(means) if not bar.met]


def test_reference_figures_meet_the_bars() -> None:
    assert len(text_bars(GOOD)) == 10
    assert missed(GOOD) == []


@pytest.mark.parametrize(
    ("system", "factor", "what"),
    [
        ("words only", 0.999, "text, cranfield, words at least BM25"),
        ("meaning only", 0.989, "text, cranfield, meaning within 1 % of MiniLM"),
        ("final", 0.85, "text, cranfield, final at least the better side"),
    ],
)
def test_each_side_of_each_collection_has_its_bar(system: str, factor: float, what: str) -> None:
    worse = {**GOOD[system], "cranfield": GOOD[system]["cranfield"] * factor}
    assert what in missed({**GOOD, system: worse})


def test_the_mean_has_a_bar_where_all_collections_were_measured() -> None:
    lower = {name: value * 1.02 for name, value in FIXED_FUSION.items()}
    assert missed({**GOOD, "final": lower}) == ["text, mean, final 3 % above the best fixed fusion"]
    part = {system: {"cranfield": scores["cranfield"]} for system, scores in GOOD.items()}
    assert len(text_bars(part)) == 3
    assert missed(part) == []


def test_a_collection_without_reference_figures_needs_the_better_side_only() -> None:
    means = {"words only": {"own": 0.4}, "meaning only": {"own": 0.5}, "final": {"own": 0.49}}
    assert missed(means) == ["text, own, final at least the better side"]


def test_code_and_questions_have_fixed_bars() -> None:
    assert [bar.met for bar in code_bars({"all": 0.85, "symbol": 0.95, "semantic": 0.1})] == [
        True,
        False,
    ]
    bars = question_bars({"questions MRR@10": 0.9, "questions success@3": 0.9})
    assert [bar.met for bar in bars] == [True, False]


def test_every_bar_is_printed_with_its_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_bars([Bar("one", 0.5, 0.5)])
    assert "met    one: 0.5000, bar 0.5000" in capsys.readouterr().out
    assert not print_bars([Bar("one", 0.5, 0.5), Bar("two", 0.4, 0.5)])
    out = capsys.readouterr().out
    assert "MISSED two: 0.4000, bar 0.5000" in out
    assert "1 of 2 bars missed" in out
