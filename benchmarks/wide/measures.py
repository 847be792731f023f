"""How well a list of hits answers a question: pure functions of the targets that each hit answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.wide.sets import Protocol

PAGE = 10
MEASURES = ("ndcg@10", "mrr@10", "success@1", "success@3", "success@10")


def ranks(hits: Sequence[tuple[int, Sequence[int]]], protocol: Protocol) -> Iterator[Sequence[int]]:
    """Place by place the targets that are answered there. A hit is the number of its record and the
    targets that it answers; the protocol says whether a record that was seen takes another place."""
    seen: set[int] = set()
    for record, answered in hits:
        if protocol == "records" and record in seen:
            continue
        seen.add(record)
        yield answered


def measure(
    hits: Sequence[tuple[int, Sequence[int]]], gains: Sequence[float], protocol: Protocol
) -> dict[str, float]:
    """All measures of a question's first ten places, `gains` being those of its targets.

    A target counts where it is first answered, and a place for the best target that is new there; the
    ideal list has all targets, found or not. Of binary gains this is what semble's scorer computes.
    """
    places = list(ranks(hits, protocol))[:PAGE]
    seen: set[int] = set()
    gained = []
    for answered in places:
        new = [target for target in answered if target not in seen]
        gained.append(max((gains[target] for target in new), default=0.0))
        seen.update(answered)
    ideal = _discounted(sorted(gains, reverse=True)[:PAGE])
    first = next((place for place, answered in enumerate(places, start=1) if answered), 0)
    return {
        "ndcg@10": _discounted(gained) / ideal if ideal else 0.0,
        "mrr@10": 1.0 / first if first else 0.0,
        **{f"success@{depth}": float(0 < first <= depth) for depth in (1, 3, 10)},
    }


def means(scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of every measure over questions; 0 of none."""
    count = max(1, len(scores))
    return {name: math.fsum(one[name] for one in scores) / count for name in MEASURES}


def _discounted(gained: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(place + 1) for place, gain in enumerate(gained, start=1))
