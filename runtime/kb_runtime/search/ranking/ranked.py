"""The result of ranking: the order of the candidates, and what each step contributed to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from kb_runtime.search.ranking.steps import Step


class Adjustment(NamedTuple):
    """What a step did to the score of a candidate; scores before steps are in 0..1."""

    step: Step
    change: float


class FusedScore(NamedTuple):
    """Where a candidate was before the steps: its rank from 1, its score, and that score on the scale
    of the steps (None for what they do not rank)."""

    rank: int
    score: float
    scaled: float | None


class RankedCandidates(NamedTuple):
    """Rows with scores, best first; and what became of them on the way there.

    `places` gives the place of a row of the pool in the lists `scaled`, its score before the steps, and
    `trail`, what each step did to it. `fused` is the order before the steps. `rerank_scores` are the
    scores of a re-ranker by row.
    """

    ranked: list[tuple[int, float]]
    places: Mapping[int, int]
    trail: Sequence[tuple[Step, Sequence[float]]]
    fused: Sequence[tuple[int, float]]
    scaled: Sequence[float] = ()
    rerank_scores: Mapping[int, float] = MappingProxyType({})

    def fused_scores(self) -> dict[int, FusedScore]:
        """Where each row was before the steps."""
        return {
            row: FusedScore(
                rank, score, None if (at := self.places.get(row)) is None else self.scaled[at]
            )
            for rank, (row, score) in enumerate(self.fused, start=1)
        }

    def adjustments(self, row: int) -> tuple[Adjustment, ...]:
        """What was done to a row: asked of the rows that are shown, few of those that were ranked."""
        at = self.places.get(row)
        if at is None:
            return ()
        return tuple(Adjustment(step, changes[at]) for step, changes in self.trail if changes[at])
