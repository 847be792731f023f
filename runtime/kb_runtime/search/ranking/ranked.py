"""The result of ranking: the order of the candidates, and what each step contributed to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from kb_runtime.search.ranking.steps import Step

if TYPE_CHECKING:
    from kb_runtime.search.fusion import RankedRows
    from kb_runtime.search.ranking.steps import Scores


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


class StepScores(NamedTuple):
    """The scores of the pool before and after a step, float64 [pool]."""

    step: Step
    before: Scores
    after: Scores


class Trail(NamedTuple):
    """How structural ranking got from the fused order to the final one.

    `fused` is the order before the steps and `pool` are the rows that the steps ranked, whose scores
    before the first step are `scaled`, float64 [pool].
    """

    fused: RankedRows
    pool: Sequence[int]
    scaled: Scores | None
    steps: Sequence[StepScores]


class Origins:
    """Looks up how single rows got their places: asked of the rows that are shown, few of those that were
    ranked."""

    def __init__(self, trail: Trail | None) -> None:
        self._trail = trail
        if trail is not None:
            self._ranks = {row: rank for rank, row in enumerate(trail.fused.rows.tolist(), start=1)}
            self._places = {row: place for place, row in enumerate(trail.pool)}

    def fused(self, row: int) -> FusedScore | None:
        """Where a row was before the steps; None when one side alone was asked, or did not find it."""
        trail = self._trail
        if trail is None or row not in self._ranks:
            return None
        rank, place = self._ranks[row], self._places.get(row)
        scaled = None if place is None or trail.scaled is None else float(trail.scaled[place])
        return FusedScore(rank, float(trail.fused.scores[rank - 1]), scaled)

    def adjustments(self, row: int) -> tuple[Adjustment, ...]:
        """What the steps did to a row."""
        if self._trail is None or (place := self._places.get(row)) is None:
            return ()
        changes = (
            Adjustment(one.step, float(one.after[place] - one.before[place]))
            for one in self._trail.steps
        )
        return tuple(one for one in changes if one.change)


class RankedCandidates(NamedTuple):
    """Rows with their scores, best first, and how they got there (None when one side alone was asked).
    `rerank_scores` are the scores of a re-ranker by row."""

    rows: Sequence[int]
    scores: Sequence[float]
    trail: Trail | None = None
    rerank_scores: Mapping[int, float] = MappingProxyType({})
