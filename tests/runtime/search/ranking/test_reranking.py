from __future__ import annotations

import importlib.metadata
from typing import Any

import pytest

from kb_runtime.search.ranking.reranking import RERANKERS, RerankerError, load, reordered


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


def test_rows_are_ordered_by_their_scores_and_equal_ones_stay_in_order() -> None:
    assert reordered([4, 7, 2], [1.0, 3.0, 3.0]) == [7, 2, 4]


def test_a_score_that_is_no_number_is_refused() -> None:
    with pytest.raises(RerankerError, match="not a number"):
        reordered([1], [float("nan")])
