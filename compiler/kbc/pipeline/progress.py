"""Reports the progress of a build to its caller, and the duration of each phase."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Phase:
    """A finished phase: wall time in seconds, and how many `unit`s it worked through."""

    name: str
    seconds: float
    count: int
    unit: str

    @property
    def rate(self) -> float:
        """Units per second; 0.0 for a phase without a count."""
        return self.count / self.seconds if self.count and self.seconds else 0.0


class Progress:
    """Listens to a build. This one is silent; the command line's draws a bar on a terminal."""

    def begin(self, name: str, total: int, unit: str) -> None:
        """A phase of `total` units begins (0: not known)."""

    def advance(self, done: int, tokens: int = 0) -> None:
        """`done` units of the running phase are finished; `tokens` of them were embedded."""

    def end(self, phase: Phase) -> None:
        """The running phase is over."""

    def close(self) -> None:
        """The build is over, in success or failure."""


class PhaseClock:
    """Times the phases of one build and keeps them in order."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.phases: list[Phase] = []

    @contextmanager
    def phase(self, name: str, total: int = 0, unit: str = "") -> Iterator[Counter]:
        """Runs the body as phase `name`; the body counts what it did on the yielded counter."""
        counter = Counter(total)
        self._progress.begin(name, total, unit)
        started = time.perf_counter()
        yield counter
        finished = Phase(name, time.perf_counter() - started, counter.count, unit)
        self._add(finished)
        self._progress.end(finished)

    def _add(self, finished: Phase) -> None:
        """Keeps a phase; one that ran before, for another shard, is the same."""
        for at, known in enumerate(self.phases):
            if known.name == finished.name:
                seconds, count = known.seconds + finished.seconds, known.count + finished.count
                self.phases[at] = replace(known, seconds=seconds, count=count)
                return
        self.phases.append(finished)


@dataclass(slots=True)
class Counter:
    count: int
