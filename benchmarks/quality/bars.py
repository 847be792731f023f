"""The bars of `benchmarks.quality`: what the ranking must reach, and whether it does.

The reference figures were measured on the same collections with other programs: two implementations of BM25
with their best settings on each collection (repeated words counted, stop words, a field for titles, split
identifiers), the same encoder in its official weights, and fixed mixes of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kbc.evaluation import measures

BM25: Mapping[str, float] = {"claude-docs": 0.7116, "codebase-chunks": 0.7086, "cranfield": 0.3650}
MINI_LM: Mapping[str, float] = {
    "claude-docs": 0.6838,
    "codebase-chunks": 0.5830,
    "cranfield": 0.3736,
}
FIXED_FUSION: Mapping[str, float] = {
    "claude-docs": 0.782,
    "codebase-chunks": 0.745,
    "cranfield": 0.410,
}
"""nDCG@10. The mix is min-max at alpha 0.5 with identifiers split."""
ENCODER_LOSS = 0.01
FUSION_GAIN = 0.03
CODE: Mapping[str, float] = {"all": 0.85, "symbol": 0.96}
QUESTIONS: Mapping[str, float] = {"MRR@10": 0.88, "success@3": 0.95}

Means = Mapping[str, Mapping[str, float]]
"""System -> column -> mean."""


class Bar(NamedTuple):
    what: str
    value: float
    bound: float

    @property
    def met(self) -> bool:
        return self.value >= self.bound

    def __str__(self) -> str:
        verdict = "met" if self.met else "MISSED"
        return f"{verdict:<7}{self.what}: {self.value:.4f}, bar {self.bound:.4f}"


def text_bars(means: Means) -> list[Bar]:
    """Those of the collections that were measured; the one for the mean needs all three."""
    sides = ("words only", "meaning only")
    bars = []
    for name in means["final"]:
        words, meaning = (means[side][name] for side in sides)
        if name in BM25:
            bars.append(Bar(f"text, {name}, words at least BM25", words, BM25[name]))
        if name in MINI_LM:
            least = MINI_LM[name] * (1 - ENCODER_LOSS)
            bars.append(Bar(f"text, {name}, meaning within 1 % of MiniLM", meaning, least))
        final = means["final"][name]
        bars.append(
            Bar(f"text, {name}, final at least the better side", final, max(words, meaning))
        )
    if means["final"].keys() >= FIXED_FUSION.keys():
        best = measures.mean(list(FIXED_FUSION.values())) * (1 + FUSION_GAIN)
        value = measures.mean([means["final"][name] for name in FIXED_FUSION])
        bars.append(Bar("text, mean, final 3 % above the best fixed fusion", value, best))
    return bars


def code_bars(final: Mapping[str, float]) -> list[Bar]:
    """`final` gives the mean over repositories of each column."""
    return [Bar(f"code, {name}, final", final[name], bound) for name, bound in CODE.items()]


def question_bars(final: Mapping[str, float]) -> list[Bar]:
    """`final` gives the means of the columns, which are `<file> <measure>`."""
    return [
        Bar(f"questions, {column}, final", value, QUESTIONS[column.rpartition(" ")[2]])
        for column, value in final.items()
    ]


def print_bars(bars: Iterable[Bar]) -> bool:
    """Prints each bar with whether it was met; gives whether all were."""
    judged = list(bars)
    print("\nBars\n")
    for bar in judged:
        print(bar)
    missed = sum(not bar.met for bar in judged)
    print(f"\n{missed} of {len(judged)} bars missed" if missed else f"\nall {len(judged)} bars met")
    return not missed
