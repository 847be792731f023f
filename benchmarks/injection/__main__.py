"""Every file operation of every command that writes: fails, or is the last one before a kill.

    python -m benchmarks.injection [SCENARIO ...] [--kinds ENOSPC,EIO,EMFILE,MemoryError,kill]
                                   [--every 1] [--from 1]

A C library that is preloaded counts opens, writes, flushes, renames and the like below the command's
folder, of native writers as well; for number n of them, and every n, the command runs in a fresh copy. A
full disk stays full; other failures happen once. A kill in a write leaves half of it. Then:

    lost      the state is neither the one before nor the one after             must be 0
    lie       the command ended with 0, and the state is not the one after      must be 0
    defect    it ended as "a defect of kbc", or with a traceback                must be 0
    hang      it did not end                                                    must be 0
    debris    a failure left a file behind, or the next run after a kill did    must be 0
    sick      the next run did not succeed, or not with the state after         must be 0

Needs Linux and a C compiler. Exit code 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.injection.faults import KINDS
from benchmarks.injection.scenarios import SCENARIOS, Scenario, names, restore
from benchmarks.injection.shim import compile_shim
from benchmarks.injection.worker import HANG

BARS = ("lost", "lie", "defect", "hang", "debris", "sick")
DEFECT = 70


class Victims:
    """A process that forks those that suffer."""

    def __init__(self, library: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.injection.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "LD_PRELOAD": str(library),
                "PYTHONPATH": os.pathsep.join(sys.path),
                "SOURCE_DATE_EPOCH": "1700000000",
            },
        )

    def run(self, call: tuple[str, ...], folder: Path, **fault: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        order = {"call": call, "folder": str(folder), **fault}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        self._process.communicate()


class Stage:
    """A scenario's folder, as it was before, and what a run without a fault makes of it."""

    def __init__(self, scenario: Scenario, victims: Victims, scratch: Path) -> None:
        """Raises `RuntimeError` where the command does not work by itself."""
        self.scenario, self._victims = scenario, victims
        self.folder, self._kept = scratch / "stage", scratch / "kept"
        self.folder.mkdir(parents=True)
        scenario.prepare(self.folder, self._sound)
        self._kept.mkdir()
        restore(self._kept, self.folder)
        self.before, self._names = scenario.state(self.folder), names(self.folder)
        self._sound(scenario.call)
        self.after = scenario.state(self.folder)
        self._names |= names(self.folder)
        if self.before == self.after or "broken" in self.before + self.after:
            raise RuntimeError(f"{scenario.name}: {self.before!r} becomes {self.after!r}")

    def reset(self) -> None:
        restore(self.folder, self._kept)

    def _sound(self, call: tuple[str, ...]) -> None:
        done = self._victims.run(call, self.folder)
        if done["code"]:
            raise RuntimeError(f"{' '.join(call)}: {done['said']}")

    def count(self, kind: str) -> int:
        """How many operations a run has that a fault of this kind may hit."""
        self.reset()
        count: int = self._victims.run(self.scenario.call, self.folder, kind=kind, number=0)[
            "count"
        ]
        return count

    def trial(self, kind: str, number: int) -> Iterator[tuple[str, str]]:
        """The bars that a fault at operation `number` misses, each with what was seen."""
        state, call = self.scenario.state, self.scenario.call
        self.reset()
        done = self._victims.run(call, self.folder, kind=kind, number=number)
        code, said = done["code"], done["said"].strip()
        now = state(self.folder)
        if code == HANG:
            yield "hang", said
        if not self._is_known(now):
            yield "lost", f"{now} ({said[-300:]})"
        if code == 0 and now != self.after:
            yield "lie", f"{now} ({said[-300:]})"
        if code == DEFECT or "Traceback" in said or (code < 0 and kind != "kill"):
            yield "defect", f"{code}: {said[-600:]}"
        left = names(self.folder) - self._names
        resumed = self.scenario.resumed
        needless = {each for each in left if not (resumed and f"{each}/".startswith(f"{resumed}/"))}
        if needless and kind != "kill":
            yield "debris", f"{sorted(needless)} ({said[-300:]})"
        again = self._victims.run(self.scenario.again or call, self.folder, alone=True)
        now = state(self.folder)
        if now != self.after:
            yield "sick", f"{now}: {again['said'][-600:]}"
        left = names(self.folder) - self._names
        if left:
            yield "debris", str(sorted(left))

    def _is_known(self, now: str) -> bool:
        if self.scenario.by_file:
            return not now.startswith("broken")
        return now in (self.before, self.after)


def run(
    chosen: list[str], kinds: list[str], every: int, first: int = 1
) -> Iterator[tuple[str, str, int, int, Counter[str], list[str]]]:
    """Scenario, kind, operations, trials, missed bars, and what was seen, for each pair."""
    with tempfile.TemporaryDirectory(prefix="kbc-injection-") as scratch:
        victims = Victims(compile_shim(Path(scratch)))
        try:
            for name in chosen:
                stage = Stage(SCENARIOS[name], victims, Path(scratch) / name.replace(" ", "-"))
                for kind in kinds:
                    missed: Counter[str] = Counter()
                    seen = []
                    operations = stage.count(kind)
                    tried = range(first, operations + 1, every)
                    for number in tried:
                        for bar, what in stage.trial(kind, number):
                            missed[bar] += 1
                            seen.append(f"{name}, {kind} at {number}: {bar}: {what}")
                    yield name, kind, operations, len(tried), missed, seen
        finally:
            victims.close()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=", ".join(SCENARIOS))
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--every", type=int, default=1, help="of so many operations one")
    parser.add_argument("--from", dest="first", type=int, default=1, help="the first of them")
    parser.add_argument("--shown", type=int, default=3, help="misses that are shown of each")
    options = parser.parse_args(arguments)
    began = time.monotonic()
    tried = failed = 0
    print(f"{'command':18}{'fault':12}{'operations':>11}{'tried':>7}  " + "  ".join(BARS))
    for name, kind, operations, trials, missed, seen in run(
        options.scenarios or list(SCENARIOS),
        options.kinds.split(","),
        options.every,
        options.first,
    ):
        cells = "  ".join(f"{missed[bar]:{len(bar)}}" for bar in BARS)
        print(f"{name:18}{kind:12}{operations:11,}{trials:7,}  {cells}", flush=True)
        for line in seen[: options.shown]:
            print("    " + line.replace("\n", "\n      "), flush=True)
        tried += trials
        failed += bool(seen) and len({line.split(": ")[0] for line in seen})
    print(f"{tried:,} tried, {failed:,} failed, in {time.monotonic() - began:.0f} s (bar 0)")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
