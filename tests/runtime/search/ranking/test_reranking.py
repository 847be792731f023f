from __future__ import annotations

import importlib.metadata
from typing import Any

import numpy as np
import pytest

from kb_runtime.search.analysis import Analyzer
from kb_runtime.search.fusion import RankedRows
from kb_runtime.search.query import analyse
from kb_runtime.search.ranking.ranked import RankedCandidates, RankingTrace
from kb_runtime.search.ranking.reranking import (
    RERANKERS,
    RerankerError,
    RerankStage,
    in_its_order,
    load,
    raised,
)


def by_length(query: str, texts: list[str]) -> list[float]:
    return [float(len(text)) for text in texts]


def test_a_reranker_is_found_by_its_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = importlib.metadata.EntryPoint("length", f"{__name__}:by_length", RERANKERS)

    def entry_points(group: str, name: str) -> list[Any]:
        return [entry] if (group, name) == (RERANKERS, "length") else []

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    monkeypatch.setattr(importlib.metadata.EntryPoint, "load", lambda self: by_length)
    assert load("length")("q", ["ab", "c"]) == [2.0, 1.0]
    with pytest.raises(RerankerError, match="'other'"):
        load("other")


def ranked(*scores: float) -> RankedCandidates:
    rows = list(range(10, 10 + len(scores)))
    values = np.array(scores)
    fused = RankedRows(np.array(rows), values)
    return RankedCandidates(rows, scores, RankingTrace(fused, (), None, ()))


def applied(stage: RerankStage, ranking: RankedCandidates) -> RankedCandidates:
    return stage.apply(analyse("q", Analyzer()), ranking, str)


def test_a_named_rerankers_order_is_the_final_one_and_equal_candidates_stay() -> None:
    stage = RerankStage(lambda: lambda query, texts: [1.0, 3.0, 3.0], 3, in_its_order)
    found = applied(stage, ranked(0.9, 0.5, 0.4, 0.1))
    assert found.rows == [11, 12, 10, 13]
    assert list(found.scores) == pytest.approx([0.9, 0.5, 0.4, 0.1])
    assert found.rerank_scores == {10: 1.0, 11: 3.0, 12: 3.0}


@pytest.mark.parametrize(("change", "first"), [(in_its_order, 11), (raised, 10)])
def test_what_is_explained_adds_up_to_the_order(change: Any, first: int) -> None:
    stage = RerankStage(lambda: lambda query, texts: [-9.0, 99.0, 1.0, -999.0], 4, change)
    found = applied(stage, ranked(0.9, 0.7, 0.6, 0.2, 0.1))
    assert found.trail is not None
    sums = []
    for row in found.rows[:4]:
        fused = found.trail.fused_score(row)
        assert fused is not None
        assert fused.scaled is not None
        sums.append(fused.scaled + sum(one.change for one in found.trail.adjustments(row)))
    assert sums == sorted(sums, reverse=True)
    assert list(found.scores) == sorted(found.scores, reverse=True)
    assert [0.2 + 0.7 * each for each in sums] == pytest.approx(list(found.scores[:4]))
    assert found.rows[0] == first
    assert found.rows[4] == 14


def test_a_cross_encoder_raises_what_is_relevant_and_lowers_nothing() -> None:
    own = np.array([0.9, 0.8, 0.5])
    assert raised(own, np.array([-40.0, 40.0, 0.0])) == pytest.approx([0.9, 0.88, 0.54])
    assert raised(own, np.array([40.0, 40.0, 40.0])) == pytest.approx(own + 0.08)
    assert raised(np.array([0.7]), np.array([3.0])) == pytest.approx([0.7])


def test_of_two_with_the_same_score_the_rerankers_first_leads() -> None:
    stage = RerankStage(lambda: lambda query, texts: [1.0, 2.0, 0.0], 3, raised)
    assert applied(stage, ranked(0.5, 0.5, 0.5, 0.1)).rows == [11, 10, 12, 13]


@pytest.mark.parametrize("scores", [[float("nan")], [1.0, 2.0]])
def test_unusable_scores_are_refused(scores: list[float]) -> None:
    with pytest.raises(RerankerError, match="it gave"):
        applied(RerankStage(lambda: lambda query, texts: scores, 1, in_its_order), ranked(0.5, 0.4))
