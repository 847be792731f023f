"""Ranking measures, of one ranking and of many: pure functions, as trec_eval defines them where it does.

A ranking is a sequence of names, best first, each at most once; `gains` maps the relevant names to
their grades, above 0. Every measure is in 0..1, and 0 if nothing relevant was found.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

Name = TypeVar("Name", bound=Hashable)

# 2,000 draws leave the ends of a 95 % interval uncertain by about a tenth of its width.
BOOTSTRAP_DRAWS = 2000
CONFIDENCE = 0.95


class Interval(NamedTuple):
    """A mean with the ends of its bootstrap interval."""

    mean: float
    low: float
    high: float


def ndcg(ranking: Sequence[Name], gains: Mapping[Name, float], k: int = 10) -> float:
    """Normalised discounted cumulative gain at `k`: linear gains, discount 1 / log2(rank + 1).

    The ideal ranking is over all of `gains`, found or not.
    """
    ideal = _discounted(sorted((gain for gain in gains.values() if gain > 0), reverse=True)[:k])
    if not ideal:
        return 0.0
    return _discounted([gains.get(name, 0.0) for name in ranking[:k]]) / ideal


def reciprocal_rank(
    ranking: Sequence[Hashable], relevant: Collection[Hashable], k: int = 10
) -> float:
    """1 / rank of the first relevant name among the first `k`."""
    for rank, name in enumerate(ranking[:k], start=1):
        if name in relevant:
            return 1.0 / rank
    return 0.0


def success(ranking: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """1 when one of the first `k` is relevant."""
    return float(any(name in relevant for name in ranking[:k]))


def recall(ranking: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """The share of the relevant names that is among the first `k`."""
    if not relevant:
        return 0.0
    return sum(name in relevant for name in ranking[:k]) / len(relevant)


def mean(values: Sequence[float]) -> float:
    """0 of nothing."""
    return math.fsum(values) / len(values) if values else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` (0..1) of the values do not exceed; 0 of nothing."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def bootstrap(values: Sequence[float]) -> Interval:
    """The mean and its percentile bootstrap interval, the same for the same values."""
    if not values:
        return Interval(0.0, 0.0, 0.0)
    chance = random.Random(0)
    count = len(values)
    means = sorted(
        math.fsum(chance.choices(values, k=count)) / count for _ in range(BOOTSTRAP_DRAWS)
    )
    tail = (1.0 - CONFIDENCE) / 2.0
    last = len(means) - 1
    return Interval(mean(values), means[round(tail * last)], means[round((1.0 - tail) * last)])


def chance(differences: Sequence[float]) -> float:
    """The p-value of a paired permutation test, two-sided: how often signs drawn at random give a mean
    difference at least as far from 0. 1 where nothing differs."""
    some = [each for each in differences if each]
    if not some:
        return 1.0
    drawn = random.Random(0)
    bound = abs(math.fsum(some)) - 1e-12
    as_far = sum(
        abs(math.fsum(each if drawn.random() < 0.5 else -each for each in some)) >= bound
        for _ in range(BOOTSTRAP_DRAWS)
    )
    return (as_far + 1) / (BOOTSTRAP_DRAWS + 1)


def _discounted(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1) if gain)
