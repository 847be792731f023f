"""What clients saw in the course of the swaps, what the server's process held, and the bars for both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from statistics import median

import psutil

# An allocator keeps what it has once had, and takes memory by pieces of some megabytes: growth below the
# larger of these is not told from that.
MAX_GROWTH = 0.15
MAX_GROWTH_MB = 20
# A server need not have opened all sections of the version of the moment: so many files, or this share.
MAX_MORE_OPEN = 16
MAX_OPEN_SHARE = 0.10
MAX_LATE_MS = 250.0


@dataclass
class State:
    """What the server's process holds, or the medians of that."""

    memory_mb: float
    descriptors: float
    maps: float
    threads: float

    @classmethod
    def middle(cls, states: Sequence[State]) -> State:
        return cls(*(median(getattr(each, one.name) for each in states) for one in fields(cls)))


@dataclass
class Outcome:
    """What clients saw, and what the server's process held in the course of the swaps."""

    swaps: int
    calls: int = 0
    errors: list[str] = field(default_factory=list)
    mixed: list[str] = field(default_factory=list)
    backwards: int = 0
    late: int = 0
    latest_ms: float = 0.0
    told: int = 0
    versions_seen: set[int] = field(default_factory=set)
    states: list[State] = field(default_factory=list)

    @property
    def early(self) -> State:
        """In the first third."""
        return State.middle(self.states[: self._third])

    @property
    def final(self) -> State:
        """In the last third."""
        return State.middle(self.states[-self._third :])

    @property
    def _third(self) -> int:
        return max(1, len(self.states) // 3)

    @property
    def missed(self) -> list[str]:
        """The bars that were missed."""
        missed = [name for name in ("errors", "mixed", "backwards") if getattr(self, name)]
        if self.latest_ms > MAX_LATE_MS:
            missed.append("late")
        return [*missed, *self.grown]

    @property
    def grown(self) -> list[str]:
        """What the server's process holds more of than at the beginning."""
        early, final = self.early, self.final
        allowed_mb = max(MAX_GROWTH_MB, early.memory_mb * MAX_GROWTH)
        grown = ["memory"] if final.memory_mb > early.memory_mb + allowed_mb else []
        for name in ("descriptors", "maps", "threads"):
            before = getattr(early, name)
            if getattr(final, name) > before + max(MAX_MORE_OPEN, before * MAX_OPEN_SHARE):
                grown.append(name)
        return grown


def state_of(process: psutil.Process) -> State:
    return State(
        memory_mb=process.memory_full_info().uss / 1e6,
        descriptors=process.num_fds(),
        maps=len(process.memory_maps(grouped=False)),
        threads=process.num_threads(),
    )
