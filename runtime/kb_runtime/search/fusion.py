"""Fuses two rankings of rows to one: pure functions over arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kb_runtime.text.languages import ENGLISH, IN_LATIN, UNKNOWN_IN_LATIN

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]
    Scores = NDArray[np.float64]
    Mask = NDArray[np.bool_]

# Below this a list's scores are all the same for our purposes, and say nothing about order.
_NO_SPREAD = 1e-9

# Cormack, Clarke and Büttcher (SIGIR 2009); on nine public collections 10, 20 and 60 differ by 0.007.
RRF_K = 60


# How much each side counts in `balanced`, chosen on the sets of benchmarks/wide with each left out in turn.
# The best matches by words are often right, but a few words of a question are in every long text, and these
# would outvote an answer in other words. So words count by a power of their score, and meaning has more
# weight.


class SideWeights(NamedTuple):
    """`words` is the power of the scores by words, `meaning` the weight of the cosines."""

    words: int
    meaning: float


SQUARED = SideWeights(2, 2.0)
# What an encoder makes of words that it was not trained on is worth less. In Latin letters it reads
# syllables, of which it knows some; other letters come to it one by one.
READ_IN_SYLLABLES, READ_IN_LETTERS = SideWeights(1, 0.7), SideWeights(1, 0.5)


def side_weights(
    language: str, known: Sequence[str] = (ENGLISH,), answers: float = 0.0
) -> SideWeights:
    """How much each side counts for a question in a language, where the encoder knows the languages `known`;
    none: whoever chose the encoder chose it for the language of the pages. `answers` is the share of the
    nearest candidates that are answers in a list of questions, whose readers ask in other words."""
    if language in known or not known:
        return SQUARED._replace(meaning=SQUARED.meaning * (1.0 + answers))
    is_latin = language in IN_LATIN or language == UNKNOWN_IN_LATIN
    return READ_IN_SYLLABLES if is_latin else READ_IN_LETTERS


class RankedRows(NamedTuple):
    """Rows int64 [n], each once, with their scores float64 [n], best first."""

    rows: Rows
    scores: Scores

    @classmethod
    def of(cls, rows: Sequence[int], scores: Sequence[float]) -> RankedRows:
        import numpy as np

        return cls(np.array(rows, dtype=np.int64), np.array(scores, dtype=np.float64))

    @classmethod
    def ordered(cls, rows: Rows, scores: Scores) -> RankedRows:
        """The rows by their scores, ties by row."""
        import numpy as np

        order = np.lexsort((rows, -scores))
        return cls(rows[order], scores[order])

    def first(self, count: int) -> RankedRows:
        return RankedRows(self.rows[:count], self.scores[:count])

    def behind(self, count: int) -> RankedRows:
        return RankedRows(self.rows[count:], self.scores[count:])

    def only(self, chosen: Mask) -> RankedRows:
        """Those with a true value in `chosen`, bool [n]."""
        return RankedRows(self.rows[chosen], self.scores[chosen])

    def ordered_in_tiers(self, count: int) -> RankedRows:
        """The first `count` by their scores, and behind them the others, with at most the last of theirs."""
        import numpy as np

        head = RankedRows.ordered(self.rows[:count], self.scores[:count])
        tail = RankedRows.ordered(self.rows[count:], self.scores[count:])
        if not len(tail.rows):
            return head
        return RankedRows(
            np.concatenate([head.rows, tail.rows]),
            np.concatenate([head.scores, np.minimum(tail.scores, head.scores[-1])]),
        )

    def followed_by(self, others: RankedRows, share: float) -> RankedRows:
        """These and then `others`, whose scores are multiplied by `share`."""
        import numpy as np

        return RankedRows(
            np.concatenate([self.rows, others.rows]),
            np.concatenate([self.scores, share * others.scores]),
        )


def rrf(rankings: Sequence[RankedRows], k: int = RRF_K) -> RankedRows:
    """Reciprocal rank fusion: a row scores the sum of 1 / (k + rank) over the rankings that have it.

    Ranks count from 1. Best first, ties by row.
    """
    import numpy as np

    shares = [1.0 / (k + np.arange(1, len(one.rows) + 1)) for one in rankings]
    return _summed([one.rows for one in rankings], shares)


def mix(semantic: RankedRows, lexical: RankedRows, alpha: float) -> RankedRows:
    """Convex combination: alpha x semantic + (1 - alpha) x lexical, in 0..1.

    Each side's scores are normalised to 0..1; a row that a side lacks has 0 there. At alpha 0 rows
    without a lexical score are left out, at alpha 1 those without a semantic one.
    """
    weighted = [
        (one, weight) for one, weight in ((semantic, alpha), (lexical, 1.0 - alpha)) if weight > 0
    ]
    return _summed(
        [one.rows for one, _ in weighted],
        [weight * to_unit_range(one.scores) for one, weight in weighted],
    )


def balanced(
    rows: Rows, cosines: Scores, bm25: Scores, best: float, weights: SideWeights
) -> RankedRows:
    """Adds cosine and BM25 (as a power of its share of `best`, the best one), each weighted by how its
    spread compares with the other's, in 0..1.

    All arrays are [n]. A row that the lexical searcher did not find has what its last hit has at most. The
    order is that of a sum of z-scores: the side that tells the candidates apart by less is not drowned,
    whatever the scale of its scores. docs/ranking.md compares it with fixed weights and ranks. With `best`
    0, which means that nothing was found by words, cosines decide alone.
    """
    import numpy as np

    if best <= 0:
        return RankedRows.ordered(rows, np.clip(cosines, 0.0, 1.0))
    shares = (bm25 / best) ** weights.words
    lexical_spread, semantic_spread = weights.meaning * _spread(shares), _spread(cosines)
    alpha = 0.5
    if lexical_spread + semantic_spread > _NO_SPREAD:
        alpha = lexical_spread / (lexical_spread + semantic_spread)
    scores = alpha * cosines + (1.0 - alpha) * shares
    if scores.min() < 0.0 or scores.max() > 1.0:
        scores = scores.clip(0.0, 1.0)
    return RankedRows.ordered(rows, scores)


def balanced_in_two_tiers(
    rows: Rows,
    cosines: Scores,
    bm25: Scores,
    found: Sequence[int],
    nearest: int,
    depth: int,
    weights: SideWeights = SQUARED,
) -> RankedRows:
    """`balanced` for the first `depth` candidates of each side; behind them the others.

    `rows`, `cosines` and `bm25` are [n], all candidates: first the `nearest` ones that the vector searcher
    found, in its order. `found` are the places of those that the lexical searcher found, in its order. A
    spread over all candidates would let a larger page move the first hits.
    """
    import numpy as np

    first = found[:depth]
    best = float(bm25[first[0]]) if first else 0.0
    # The others are not found by words as far as these candidates go, and at best as good as their last.
    known = bm25
    if len(first) == depth:
        known = np.full(len(rows), bm25[first[-1]])
        known[first] = bm25[first]
    if len(found) <= depth and nearest <= depth:
        return balanced(rows, cosines, known, best, weights)
    front = np.zeros(len(rows), dtype=np.bool_)
    front[: min(depth, nearest)] = True
    front[first] = True
    behind = ~front
    head = balanced(rows[front], cosines[front], known[front], best, weights)
    best = float(bm25[behind].max(initial=0.0))
    tail = balanced(rows[behind], cosines[behind], bm25[behind], best, weights)
    return head.followed_by(tail, float(head.scores[-1]))


def lexical_in_two_tiers(lexical: RankedRows, depth: int) -> RankedRows:
    """BM25 as a share of the best one, where there is nothing to balance it with."""
    front, behind = lexical.first(depth), lexical.behind(depth)
    if len(front.rows):
        front = RankedRows(front.rows, front.scores / front.scores[0])
    if not len(behind.rows):
        return front
    shares = RankedRows(behind.rows, behind.scores / behind.scores[0])
    return front.followed_by(shares, float(front.scores[-1]))


def in_two_tiers(
    fuse: Callable[[RankedRows, RankedRows], RankedRows],
    semantic: RankedRows,
    lexical: RankedRows,
    depth: int,
) -> RankedRows:
    """The first `depth` candidates of each side, fused; behind them the others, fused among themselves.

    A larger page brings more candidates, which must not move the first ones.
    """
    front = fuse(semantic.first(depth), lexical.first(depth))
    if len(semantic.rows) <= depth and len(lexical.rows) <= depth:
        return front
    behind = fuse(
        semantic.only(~is_among(semantic.rows, front.rows)),
        lexical.only(~is_among(lexical.rows, front.rows)),
    )
    best = float(behind.scores.max(initial=0.0))
    least = float(front.scores[-1]) if len(front.rows) else 1.0
    return front.followed_by(behind, min(1.0, least / best) if best > 0 else 1.0)


def places_of(rows: Sequence[int]) -> dict[int, int]:
    """Where each of the rows, which are different, is among them."""
    return dict(zip(rows, range(len(rows)), strict=True))


def is_among(rows: Rows, others: Rows) -> Mask:
    """Which of `rows`, int64 [n], are also in `others`, int64 [m]: bool [n].

    `numpy.isin` loads masked arrays for the first question, 12 ms and 1 MB that nothing else here needs.
    """
    import numpy as np

    if not len(others):
        return np.zeros(len(rows), dtype=np.bool_)
    ordered = np.sort(others)
    found: Mask = ordered[np.searchsorted(ordered[:-1], rows)] == rows
    return found


def with_estimated_cosines(cosines: Scores, bm25: Scores, absent: Mask) -> Scores:
    """`cosines` with a value for the candidates `absent`, which have no vector and the cosine 0 in it.

    All arrays are [n]; `bm25` is 0 for what the lexical searcher did not find. The values are estimated from
    BM25: a candidate that is so many standard deviations above the mean by words is as many above it by
    meaning. Means and deviations are those of the other candidates.
    """
    import numpy as np

    known, scores = cosines[~absent], bm25[~absent]
    if not len(known):
        return cosines
    spread = _spread(scores)
    slope = _spread(known) / spread if spread > _NO_SPREAD else 0.0
    return np.where(absent, _mean(known) + slope * (bm25 - _mean(scores)), cosines)


def _mean(values: Scores) -> float:
    return math.fsum(values.tolist()) / len(values)


def _spread(values: Scores) -> float:
    """The standard deviation. Sums are exact, so that it does not depend on the order of the candidates."""
    deviations = values - _mean(values)
    return math.sqrt(math.fsum((deviations * deviations).tolist()) / len(values))


def to_unit_range(scores: Scores) -> Scores:
    """Min-max over the scores; where all are equal, all are 1."""
    import numpy as np

    if not len(scores):
        return scores
    low, high = scores.min(), scores.max()
    return np.ones(len(scores)) if high == low else (scores - low) / (high - low)


def _summed(rows: Sequence[Rows], scores: Sequence[Scores]) -> RankedRows:
    """Each row with the sum of its scores, best first."""
    import numpy as np

    if not rows:
        return RankedRows.of([], [])
    distinct, places = np.unique(np.concatenate(rows), return_inverse=True)
    return RankedRows.ordered(
        distinct, np.bincount(places, np.concatenate(scores), len(distinct)).astype(np.float64)
    )
