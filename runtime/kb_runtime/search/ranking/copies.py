"""Which candidates have nearly the text of another one, and stand under it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kb_runtime.search.ranking import steps

if TYPE_CHECKING:
    from kb_runtime.search.ranking.facts import Facts
    from kb_runtime.search.ranking.pool import Places, Pool
    from kb_runtime.search.ranking.steps import Scores

    Copies = Mapping[int, Sequence[int]]
    """Places of texts, each with those of nearly the same ones that stand under it."""


def copies_in(pool: Pool, scores: Scores, facts: Facts) -> tuple[Copies, Scores]:
    """Of nearly the same texts one, with the others, all as places in the pool, and the scores, of which
    that one has the best of its copies. It is the best of them, or of what is neither a test nor an example
    nor else secondary: a sample may come with a copy of what it is a sample of."""
    import numpy as np

    ones, others = _close(pool, facts)
    if not len(ones):
        return {}, scores
    order = steps.best_first(scores)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    left, right = rank[ones], rank[others]
    later, earlier = divmod(
        np.sort(np.maximum(left, right) * len(order) + np.minimum(left, right)), len(order)
    )

    def is_primary(place: int) -> bool:
        kinds = pool.facts[pool.record_of[place]].kinds
        return steps.kept(kinds - pool.asked, False) == 1.0

    copies: dict[int, list[int]] = {}
    dropped: set[int] = set()
    for one, other in zip(order[later].tolist(), order[earlier].tolist(), strict=True):
        if one in dropped or other in dropped:
            continue
        if facts.same_text(pool.rows[one], pool.rows[other]):
            if is_primary(one) and not is_primary(other):
                one, other = other, one
            dropped.add(one)
            copies.setdefault(other, []).extend([one, *copies.pop(one, ())])
    if copies:
        scores = scores.copy()
        for shown, under in copies.items():
            scores[shown] = scores[[shown, *under]].max()
    return copies, scores


def _close(pool: Pool, facts: Facts) -> tuple[Places, Places]:
    """Pairs of places whose texts may be the same, int64 [pairs] of each: very similar ones, and similar
    ones of as many lines in records called alike; without vectors all of the latter."""
    import numpy as np

    similarity = pool.similarity
    if similarity is None:  # any pair may be copies
        similarity = np.full((len(pool.rows),) * 2, steps.COPY_COSINE, dtype=np.float32)
    ones, others = np.divmod(np.flatnonzero(similarity >= steps.COPY_COSINE), len(similarity))
    once = ones < others
    ones, others = ones[once], others[once]
    if not len(ones):
        return ones, others
    close = similarity[ones, others] >= np.float64(steps.NEAR_COSINE)
    lines = facts.lines(pool.rows)
    left, right = pool.record_of[ones], pool.record_of[others]
    numbers: dict[frozenset[str], int] = {}
    named = np.array([numbers.setdefault(one.words, len(numbers)) for one in pool.facts])
    close |= (lines[ones] == lines[others]) & (left != right) & (named[left] == named[right])
    return ones[close], others[close]
