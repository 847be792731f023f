"""What to choose, from the scores of systems on sets: pure functions, with leave-one-set-out.

A table maps systems to sets to the mean of the set's own measure. Every set counts the same, however
many questions it has: what is chosen is for collections that nobody has measured.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

Table = Mapping[str, Mapping[str, float]]

# A change of a set's mean below this is none: a tenth of what one question of 50 can make.
NOTHING = 0.0005


class Choice(NamedTuple):
    """A system against the baseline: mean score and difference over sets, sets up and down, and the
    worst loss (0 or below) with its set."""

    system: str
    mean: float
    delta: float
    up: int
    down: int
    worst: float
    worst_set: str


class LeftOut(NamedTuple):
    """Leave-one-set-out among some systems: for every set the system that is best on the mean of the
    others, and what it scores on the set; the mean of these scores and of their differences."""

    mean: float
    delta: float
    worst: float
    worst_set: str
    chosen: Mapping[str, str]
    scores: Mapping[str, float]

    @property
    def choices(self) -> list[tuple[str, int]]:
        """How often each system was chosen, the most frequent first."""
        return Counter(self.chosen.values()).most_common()


def compare(table: Table, system: str, baseline: str) -> Choice:
    """How a system does against the baseline on the baseline's sets."""
    ours, theirs = table[system], table[baseline]
    deltas = {name: ours[name] - theirs[name] for name in theirs}
    worst_set = min(deltas, key=lambda name: (deltas[name], name))
    return Choice(
        system,
        _mean([ours[name] for name in theirs]),
        _mean(list(deltas.values())),
        sum(delta > NOTHING for delta in deltas.values()),
        sum(delta < -NOTHING for delta in deltas.values()),
        min(0.0, deltas[worst_set]),
        worst_set if deltas[worst_set] < 0 else "",
    )


def leave_one_out(table: Table, systems: Sequence[str], baseline: str) -> LeftOut:
    """What choosing by the mean of the other sets scores on each set. Of equal systems the earlier one
    is chosen. Raises `ValueError` with fewer than two sets."""
    sets = list(table[baseline])
    if len(sets) < 2:
        raise ValueError("leaving one set out needs two sets")
    chosen = {
        left: max(systems, key=lambda system: _rest(table[system], sets, left)) for left in sets
    }
    scores = {left: table[system][left] for left, system in chosen.items()}
    deltas = {left: scores[left] - table[baseline][left] for left in sets}
    worst_set = min(deltas, key=lambda name: (deltas[name], name))
    return LeftOut(
        _mean(list(scores.values())),
        _mean(list(deltas.values())),
        min(0.0, deltas[worst_set]),
        worst_set if deltas[worst_set] < 0 else "",
        chosen,
        scores,
    )


def _rest(scores: Mapping[str, float], sets: Sequence[str], left: str) -> float:
    # Rounded, so that the order of a sum never decides between equal systems.
    return round(_mean([scores[name] for name in sets if name != left]), 9)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
