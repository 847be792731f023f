"""The result of ranking: the order of the candidates, and what each step contributed to it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from kb_runtime.search.fusion import is_among, to_unit_range

if TYPE_CHECKING:
    from kb_runtime.search.fusion import RankedRows
    from kb_runtime.search.ranking.steps import Scores, Step

    Change = Callable[[Scores], Scores]

    Changed = Step | Literal["reranker", "words"]
    """A step, the re-ranker after them, or that what has the words of the query themselves comes first."""


def divided(
    fused: RankedRows, named: Sequence[int], members: Sequence[int]
) -> tuple[RankedRows, RankedRows]:
    """The candidates that are ranked by structure, those at the places `members`, and the others. The rows
    `named` are among the former in any case, at least with the score of the last one."""
    import numpy as np

    if not named and isinstance(members, range):
        return fused.first(len(members)), fused.behind(len(members))
    chosen = np.zeros(len(fused.rows), dtype=np.bool_)
    chosen[list(members)] = True
    last = fused.scores[chosen][-1]
    chosen |= is_among(fused.rows, np.array(named, dtype=np.int64))
    pool, rest = fused.only(chosen), fused.only(~chosen)
    return pool._replace(scores=pool.scores.clip(min=last)), rest._replace(
        scores=rest.scores.clip(max=last)
    )


class Adjustment(NamedTuple):
    """What changed the score of a candidate, and by how much; scores before steps are in 0..1."""

    step: Changed
    change: float


class FusedScore(NamedTuple):
    """Where a candidate was before the steps: its rank from 1, its score, and that score on the scale
    of the steps (None for what they do not rank)."""

    rank: int
    score: float
    scaled: float | None


class StepScores(NamedTuple):
    """The scores of the pool before and after a step, float64 [pool]."""

    step: Changed
    before: Scores
    after: Scores


class RankingTrace(NamedTuple):
    """How structural ranking got from the fused order to the final one.

    `fused` is the order before the steps and `pool` are the rows that the steps ranked, whose scores
    before the first step are `scaled`, float64 [pool]. Its methods look rows up one by one: they are for
    the few rows whose place somebody wants explained.
    """

    fused: RankedRows
    pool: Sequence[int]
    scaled: Scores | None
    steps: Sequence[StepScores]

    def fused_score(self, row: int) -> FusedScore | None:
        """Where a row was before the steps; None for a row that no side found."""
        rows = self.fused.rows.tolist()
        if row not in rows:
            return None
        at = rows.index(row)
        scaled = None
        if self.scaled is not None and row in self.pool:
            scaled = float(self.scaled[self.pool.index(row)])
        return FusedScore(at + 1, float(self.fused.scores[at]), scaled)

    def reranked(self, rows: Sequence[int], scores: Scores, change: Change) -> RankingTrace:
        """The trail with a further step, in which a re-ranker changes the scores of `rows`. Where no step
        has ranked them their scores are `scores`, float64 [rows], on the scale of the steps."""
        trail = self
        if trail.scaled is None:
            trail = self._replace(pool=rows, scaled=to_unit_range(scores))
            assert trail.scaled is not None
        before = trail.steps[-1].after if trail.steps else trail.scaled
        places = [trail.pool.index(row) for row in rows]
        after = before.copy()
        after[places] = change(before[places])
        return trail._replace(steps=[*trail.steps, StepScores("reranker", before, after)])

    def with_first(self, first: Collection[int], others: Collection[int]) -> RankingTrace:
        """The trail with a further step, in which `first` rise above `others`; those that no step has ranked
        do so from 0."""
        if self.scaled is None:
            return self
        trail = self._with_unranked([row for row in first if row not in self.pool])
        assert trail.scaled is not None
        before = trail.steps[-1].after if trail.steps else trail.scaled
        lowest = min(before[at] for at, row in enumerate(trail.pool) if row in first)
        highest = max(
            (before[at] for at, row in enumerate(trail.pool) if row in others), default=0.0
        )
        after = before.copy()
        after[[row in first for row in trail.pool]] += max(0.0, highest - lowest)
        return trail._replace(steps=[*trail.steps, StepScores("words", before, after)])

    def _with_unranked(self, rows: Sequence[int]) -> RankingTrace:
        """The trail with further rows, which have 0 before and after each step."""
        import numpy as np

        def padded(scores: Scores) -> Scores:
            return np.append(scores, np.zeros(len(rows)))

        steps = [StepScores(one.step, padded(one.before), padded(one.after)) for one in self.steps]
        scaled = None if self.scaled is None else padded(self.scaled)
        return self._replace(pool=[*self.pool, *rows], scaled=scaled, steps=steps)

    def adjustments(self, row: int) -> tuple[Adjustment, ...]:
        """What the steps did to a row."""
        if row not in self.pool:
            return ()
        at = self.pool.index(row)
        changes = (
            Adjustment(one.step, float(one.after[at] - one.before[at])) for one in self.steps
        )
        return tuple(one for one in changes if one.change)


class RankedCandidates(NamedTuple):
    """Rows with their scores, best first, and how they got there (None when one side alone was asked).
    `rerank_scores` are the scores of a re-ranker by row. `copies` are rows that are not ranked, because
    their text is nearly that of the row that they stand under."""

    rows: Sequence[int]
    scores: Sequence[float]
    trail: RankingTrace | None = None
    rerank_scores: Mapping[int, float] = MappingProxyType({})
    copies: Mapping[int, Sequence[int]] = MappingProxyType({})

    def with_found_first(self, found: Sequence[int]) -> RankedCandidates:
        """The ranking with the rows that are not `found` behind the others, with at most their last score. A
        copy that is `found` stands for a row that is not. What the steps did not rank follows what they did
        in the order of `found`, as its place, if any, depends on how many candidates were asked for."""
        if not found:
            return self
        meant = {*found}
        copies = {
            row: copy
            for row, each in self.copies.items()
            for copy in reversed(each)
            if copy in meant
        }
        ranking = self.with_named_copies_first([copies[row] for row in copies if row not in meant])
        ranked = list(zip(ranking.rows, ranking.scores, strict=True))
        trail = ranking.trail
        was_ranked = meant.intersection(trail.pool if trail and trail.pool else ranking.rows)
        first = [each for each in ranked if each[0] in was_ranked]
        hidden = {row for each in ranking.copies.values() for row in each}
        last = first[-1][1] if first else max(ranking.scores, default=1.0)
        known = was_ranked | hidden
        first += [(row, last) for row in found if row not in known]
        if not first:
            return self
        behind = [(row, min(score, last)) for row, score in ranked if row not in meant]
        if trail is not None:
            trail = trail.with_first({row for row, _ in first}, {row for row, _ in behind})
        rows, scores = zip(*first, *behind, strict=True)
        return ranking._replace(rows=rows, scores=scores, trail=trail)

    def with_named_copies_first(self, named: Sequence[int]) -> RankedCandidates:
        """The ranking with each row of `named` that is a copy in the place of the row it stands under."""
        leaders = {copy: row for row, each in self.copies.items() for copy in each}
        swapped = {leaders[row]: row for row in named if row in leaders}
        if not swapped:
            return self
        copies = {
            swapped.get(row, row): [row if copy == swapped.get(row) else copy for copy in each]
            for row, each in self.copies.items()
        }
        places = swapped | {copy: row for row, copy in swapped.items()}
        trail = self.trail
        if trail is not None:  # what explains the place explains it for the copy
            trail = trail._replace(pool=[places.get(row, row) for row in trail.pool])
        rows = [swapped.get(row, row) for row in self.rows]
        return self._replace(rows=rows, trail=trail, copies=copies)
