"""Which of several copies is shown, and with which score."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from kb_runtime.search.ranking import paths
from kb_runtime.search.ranking.copies import copies_in


def shown(kinds: str, pairs: set[tuple[int, int]], *scores: float) -> tuple[Any, list[float]]:
    """The copies and the scores of texts that are equal in `pairs`; `kinds`: T of tests, S of source."""
    similarity = np.eye(len(scores), dtype=np.float32)
    for one, other in pairs:
        similarity[one, other] = similarity[other, one] = 1.0
    count = len(scores)
    pool = SimpleNamespace(
        rows=range(count),
        record_of=np.arange(count),
        similarity=similarity,
        asked=frozenset(),
        facts=[
            SimpleNamespace(
                kinds=frozenset({paths.TEST} if kind == "T" else ()), words=frozenset({str(place)})
            )
            for place, kind in enumerate(kinds)
        ],
    )
    facts = SimpleNamespace(
        lines=lambda rows: np.arange(len(rows)),
        same_text=lambda one, other: (min(one, other), max(one, other)) in pairs,
    )
    copies, found = copies_in(cast("Any", pool), np.array(scores), cast("Any", facts))
    return dict(copies), found.tolist()


def test_source_is_shown_with_the_best_score_of_its_copies() -> None:
    assert shown("TS", {(0, 1)}, 0.9, 0.7) == ({1: [0]}, [0.9, 0.9])
    # Two tests that are not copies of each other.
    assert shown("TTS", {(0, 2), (1, 2)}, 0.9, 0.8, 0.7) == ({2: [0, 1]}, [0.9, 0.8, 0.9])
    # A test that is a copy of the source, which is one of better source.
    assert shown("TSS", {(0, 2), (1, 2)}, 0.9, 0.8, 0.7) == ({1: [2, 0]}, [0.9, 0.9, 0.7])


def test_of_copies_of_one_kind_the_best_is_shown() -> None:
    assert shown("SST", {(0, 1), (0, 2)}, 0.9, 0.8, 0.7) == ({0: [1, 2]}, [0.9, 0.8, 0.7])
