"""Fuses ranked lists: pure functions from lists of (row, score), best first, to one such list."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence

Ranked = Sequence[tuple[int, float]]

# Below this a list's scores are all the same for our purposes, and say nothing about order.
_NO_SPREAD = 1e-9

# Cormack, Clarke and Büttcher (SIGIR 2009); on nine public collections 10, 20 and 60 differ by 0.007.
RRF_K = 60


def rrf(lists: Sequence[Ranked], k: int = RRF_K) -> list[tuple[int, float]]:
    """Reciprocal rank fusion: a row scores the sum of 1 / (k + rank) over the lists that have it.

    Ranks count from 1. Best first, ties by row. A row must occur once in a list.
    """
    scores: dict[int, float] = {}
    for ranked in lists:
        for rank, (row, _) in enumerate(ranked, start=1):
            scores[row] = scores.get(row, 0.0) + 1.0 / (k + rank)
    return _sorted(scores)


def mix(semantic: Ranked, lexical: Ranked, alpha: float) -> list[tuple[int, float]]:
    """Convex combination: alpha x semantic + (1 - alpha) x lexical, in 0..1.

    Each list's scores are normalised to 0..1 over the list; a row that a list lacks has 0 there. At
    alpha 0 rows without a lexical score are left out, at alpha 1 those without a semantic one.
    """
    scores: dict[int, float] = {}
    for ranked, weight in ((semantic, alpha), (lexical, 1.0 - alpha)):
        if weight > 0:
            for row, score in _normalised(ranked):
                scores[row] = scores.get(row, 0.0) + weight * score
    return _sorted(scores)


def balanced(semantic: Ranked, lexical: Ranked, floor: float = 0.0) -> list[tuple[int, float]]:
    """Adds cosine and BM25 (as a share of its best), each weighted so that both spread alike, in 0..1.

    `semantic` must have the cosine of every row, wherever it ranks; a row that `lexical` lacks counts
    as `floor` there, which is at most its last score. The order is that of the sum of z-scores: the
    side that tells the candidates apart by less is not drowned, whatever the scale of its scores, and
    no weight is fitted. docs/search.md compares it with fixed weights and ranks. With an empty side
    the other decides alone.
    """
    if not lexical:
        return _sorted({row: min(max(cosine, 0.0), 1.0) for row, cosine in semantic})
    best = lexical[0][1]
    if best <= 0 or not semantic:
        return _sorted({row: score / best if best > 0 else 0.0 for row, score in lexical})
    by_words = dict(lexical)
    words = [by_words.get(row, floor) / best for row, _ in semantic]
    meaning = [cosine for _, cosine in semantic]
    in_words, in_meaning = _spread(words), _spread(meaning)
    alpha = 0.5
    if in_words + in_meaning > _NO_SPREAD:
        alpha = in_words / (in_words + in_meaning)
    return _sorted(
        {
            row: min(max(alpha * cosine + (1.0 - alpha) * word, 0.0), 1.0)
            for (row, cosine), word in zip(semantic, words, strict=True)
        }
    )


def in_two_tiers(
    fuse: Callable[[Ranked, Ranked], list[tuple[int, float]]],
    semantic: Ranked,
    lexical: Ranked,
    depth: int,
) -> list[tuple[int, float]]:
    """The first `depth` candidates of each side, fused; behind them the others, fused among themselves.

    A larger page brings more candidates, which must not move the first ones.
    """
    head = fuse(semantic[:depth], lexical[:depth])
    fused = {row for row, _ in head}
    tail = fuse(*([one for one in side if one[0] not in fused] for side in (semantic, lexical)))
    best = max((score for _, score in tail), default=0.0)
    least = head[-1][1] if head else 1.0
    share = min(1.0, least / best) if best > 0 else 1.0
    return [*head, *((row, share * score) for row, score in tail)]


def balanced_in_two_tiers(
    cosines: Ranked, lexical: Ranked, nearest: Collection[int], depth: int
) -> list[tuple[int, float]]:
    """`balanced` for the first `depth` of `lexical` with the rows `nearest`; behind them the others.

    `cosines` has the cosine of every row. A spread over all candidates would let a larger page move
    the first hits.
    """
    first = lexical[:depth]
    floor = first[-1][1] if len(first) == depth else 0.0
    among = {*nearest, *(row for row, _ in first)}
    head = balanced([one for one in cosines if one[0] in among], first, floor)
    others = [one for one in cosines if one[0] not in among]
    tail = balanced(others, [one for one in lexical[depth:] if one[0] not in among])
    least = head[-1][1] if head else 1.0
    return [*head, *((row, least * score) for row, score in tail if row not in among)]


def with_estimated_cosines(
    semantic: Ranked, lexical: Ranked, absent: Collection[int]
) -> list[tuple[int, float]]:
    """`semantic` with a cosine for the rows `absent`, which have no vector and the cosine 0 in it.

    They are estimated from BM25: a row that is so many standard deviations above the mean by words is as
    many above it by meaning. Means and deviations are those of the other rows.
    """
    by_words = dict(lexical)
    known = [(cosine, by_words.get(row, 0.0)) for row, cosine in semantic if row not in absent]
    if not known:
        return list(semantic)
    cosines, words = [cosine for cosine, _ in known], [word for _, word in known]
    mean, usual = math.fsum(cosines) / len(known), math.fsum(words) / len(known)
    in_words = _spread(words)
    slope = _spread(cosines) / in_words if in_words > _NO_SPREAD else 0.0
    return [
        (row, mean + slope * (by_words.get(row, 0.0) - usual) if row in absent else cosine)
        for row, cosine in semantic
    ]


def _spread(values: Sequence[float]) -> float:
    """The standard deviation."""
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))


def _normalised(ranked: Ranked) -> list[tuple[int, float]]:
    """Min-max over the list; where all scores are equal, all are 1."""
    if not ranked:
        return []
    values = [score for _, score in ranked]
    low, high = min(values), max(values)
    if high == low:
        return [(row, 1.0) for row, _ in ranked]
    return [(row, (score - low) / (high - low)) for row, score in ranked]


def _sorted(scores: dict[int, float]) -> list[tuple[int, float]]:
    rows = sorted(scores)
    rows.sort(key=scores.__getitem__, reverse=True)  # stable: equal scores stay in row order
    return [(row, scores[row]) for row in rows]
