"""Every file operation of every command that writes: fails, or is the last one before a kill.

    python -m benchmarks.injection [SCENARIO ...] [--kinds ENOSPC,EIO,EMFILE,MemoryError,kill]
                                   [--every 1] [--from 1] [--points 1|2|3] [--shared 20]

A C library that is preloaded counts opens, writes, flushes, renames and the like below the command's
folder, of native writers as well; for number n of them, and every n, the command runs in a fresh copy. A
full disk stays full; other failures happen once. A kill in a write leaves half of it. With `--points` only
the first operation of each injection point (`benchmarks.injection.points`) is tried, or the first, the last
and one in the middle, and of the points that an earlier command had too, one of `--shared`. Points that no
fault has hit, since the order of operations on several threads changes, are tried again. A state that
another fault has left before, byte for byte, is not looked at and healed again. Then:

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
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.injection.faults import KINDS
from benchmarks.injection.points import Point, occurrences, points
from benchmarks.injection.scenarios import SCENARIOS, Scenario, names, restore
from benchmarks.injection.shim import compile_shim
from benchmarks.injection.worker import HANG

BARS = ("lost", "lie", "defect", "hang", "debris", "sick")
DEFECT = 70
TRIES = 3  # to hit a point that was missed


class Victims:
    """A process that forks those that suffer. It takes seconds to start, and serves any number of runs."""

    def __init__(self) -> None:
        """Raises `RuntimeError` without a C compiler."""
        self._folder = tempfile.TemporaryDirectory(prefix="kbc-shim-")
        library = compile_shim(Path(self._folder.name))
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
        self._folder.cleanup()

    def __enter__(self) -> Victims:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


class Stage:
    """A scenario's folder, as it was before, and what a run without a fault makes of it."""

    def __init__(self, scenario: Scenario, victims: Victims, scratch: Path) -> None:
        """Raises `RuntimeError` where the command does not work by itself."""
        self.scenario, self._victims = scenario, victims
        self.folder, self._kept = scratch / "stage", scratch / "kept"
        self._trace = scratch / "trace"
        self.folder.mkdir(parents=True)
        scenario.prepare(self.folder, self._sound)
        self._kept.mkdir()
        restore(self._kept, self.folder)
        self.before, self._names = scenario.state(self.folder), names(self.folder)
        self._sound(scenario.call)
        self.after = scenario.state(self.folder)
        self._names |= names(self.folder)
        self._states: dict[str, str] = {}
        self._healed: set[str] = set()
        if self.before == self.after or "broken" in self.before + self.after:
            raise RuntimeError(f"{scenario.name}: {self.before!r} becomes {self.after!r}")

    def reset(self) -> None:
        restore(self.folder, self._kept)

    def _sound(self, call: tuple[str, ...]) -> None:
        done = self._victims.run(call, self.folder)
        if done["code"]:
            raise RuntimeError(f"{' '.join(call)}: {done['said']}")

    def count(self, kind: str) -> list[Point]:
        """The operations of a run that a fault of this kind may hit."""
        self.reset()
        self._run(kind, 0)
        return self.points()

    def points(self) -> list[Point]:
        """The operations of the last run of the command, until it was killed."""
        return points(self._trace.read_text(errors="replace").splitlines(), self.folder)

    def _run(self, kind: str, number: int) -> dict[str, Any]:
        fault = {"kind": kind, "number": number, "trace": str(self._trace)}
        return self._victims.run(self.scenario.call, self.folder, **fault)

    def trial(self, kind: str, number: int) -> Iterator[tuple[str, str]]:
        """The bars that a fault at operation `number` misses, each with what was seen."""
        self.reset()
        done = self._run(kind, number)
        code, said = done["code"], done["said"].strip()
        files = _digest(self.folder)
        if files not in self._states:
            self._states[files] = self.scenario.state(self.folder)
        now = self._states[files]
        if code == HANG:
            yield "hang", said
        pattern = self.scenario.left_out if kind == "EIO" else ""
        left_out = pattern and re.search(pattern, said)
        if now.startswith("broken") or not (left_out or self._is_known(now)):
            yield "lost", f"{now} ({said[-300:]})"
        if code == 0 and now != self.after and not left_out:
            yield "lie", f"{now} ({said[-300:]})"
        if code == DEFECT or "Traceback" in said or (code < 0 and kind != "kill"):
            yield "defect", f"{code}: {said[-600:]}"
        left = names(self.folder) - self._names
        resumed = self.scenario.resumed
        needless = {each for each in left if not (resumed and f"{each}/".startswith(f"{resumed}/"))}
        if needless and kind != "kill":
            yield "debris", f"{sorted(needless)} ({said[-300:]})"
        if files not in self._healed:
            missed = list(self._next_run())
            yield from missed
            if not missed:
                self._healed.add(files)

    def _next_run(self) -> Iterator[tuple[str, str]]:
        call = self.scenario.again or self.scenario.call
        again = self._victims.run(call, self.folder, alone=True)
        now = self.scenario.state(self.folder)
        if now != self.after:
            yield "sick", f"{now}: {again['said'][-600:]}"
        left = names(self.folder) - self._names
        if left:
            yield "debris", str(sorted(left))

    def _is_known(self, now: str) -> bool:
        if self.scenario.by_file:
            return not now.startswith("broken")
        return now in (self.before, self.after)


@dataclass
class Row:
    """What was tried of one scenario with one kind of fault. `points` are the injection points of a run
    without a fault that no earlier scenario had, `hit` those of them that a fault has hit; `seen` are the
    missed bars as sentences."""

    scenario: str
    kind: str
    operations: int
    points: int
    hit: int = 0
    tried: int = 0
    failed: int = 0
    missed: Counter[str] = field(default_factory=Counter)
    seen: list[str] = field(default_factory=list)


def _digest(folder: Path) -> str:
    """The same for folders with the same names, modes and contents."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(f"{path.relative_to(folder)}\0{path.lstat().st_mode}\0".encode())
        if path.is_file():
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def run(
    victims: Victims,
    chosen: list[str],
    kinds: list[str],
    every: int = 1,
    first: int = 1,
    most: int = 0,
    shared: int = 20,
) -> Iterator[Row]:
    """A row for each scenario and kind. Of all operations one of `every` is tried, from number `first`; with
    `most` so many of each new point, and one of `shared` points that an earlier scenario had."""
    known: dict[str, set[Point]] = {kind: set() for kind in kinds}
    with tempfile.TemporaryDirectory(prefix="kbc-injection-") as scratch:
        for name in chosen:
            stage = Stage(SCENARIOS[name], victims, Path(scratch) / name.replace(" ", "-"))
            for kind in kinds:
                found = stage.count(kind)
                new = set(found) - known[kind]
                known[kind] |= new
                row = Row(name, kind, len(found), len(new))
                numbers = list(range(1, len(found) + 1))
                if most:
                    numbers = occurrences(found, most, new)
                    numbers += occurrences(found, 1, set(found) - new)[::shared]
                _try(
                    stage,
                    row,
                    numbers[first - 1 :: every],
                    new if most and every == 1 else set(),
                    found,
                )
                yield row


def _try(
    stage: Stage, row: Row, numbers: list[int], wanted: set[Point], found: list[Point]
) -> None:
    """Injects a fault at each number, and then where `wanted` points were last seen that none has hit."""
    hit: set[Point] = set()
    latest = found

    def attempt(number: int) -> None:
        nonlocal latest
        missed = list(stage.trial(row.kind, number))
        latest = stage.points()
        hit.update(latest[number - 1 : number])
        row.tried += 1
        row.failed += bool(missed)
        for bar, what in missed:
            row.missed[bar] += 1
            row.seen.append(f"{row.scenario}, {row.kind} at {number}: {bar}: {what}")

    for number in numbers:
        attempt(number)
    for point in sorted(wanted - hit):
        for _ in range(TRIES):
            if point not in hit:
                attempt((latest if point in latest else found).index(point) + 1)
    row.hit = len(hit & wanted)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=", ".join(SCENARIOS))
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--every", type=int, default=1, help="of so many operations one")
    parser.add_argument("--from", dest="first", type=int, default=1, help="the first of them")
    parser.add_argument("--points", type=int, default=0, choices=(1, 2, 3), help="of each so many")
    parser.add_argument(
        "--shared", type=int, default=20, help="of points met before one of so many"
    )
    parser.add_argument("--shown", type=int, default=3, help="misses that are shown of each")
    options = parser.parse_args(arguments)
    began = time.monotonic()
    points = hit = tried = failed = 0
    print(
        f"{'command':18}{'fault':12}{'operations':>11}{'points':>7}{'hit':>7}{'tried':>7}  "
        + "  ".join(BARS)
    )
    with Victims() as victims:
        for row in run(
            victims,
            options.scenarios or list(SCENARIOS),
            options.kinds.split(","),
            options.every,
            options.first,
            options.points,
            options.shared,
        ):
            cells = "  ".join(f"{row.missed[bar]:{len(bar)}}" for bar in BARS)
            counts = f"{row.operations:11,}{row.points:7,}{row.hit:7,}{row.tried:7,}"
            print(f"{row.scenario:18}{row.kind:12}{counts}  {cells}", flush=True)
            for line in row.seen[: options.shown]:
                print("    " + line.replace("\n", "\n      "), flush=True)
            points, hit = points + row.points, hit + row.hit
            tried, failed = tried + row.tried, failed + row.failed
    if options.points:
        print(f"{hit:,} of {points:,} injection points hit")
    print(f"{tried:,} tried, {failed:,} failed, in {time.monotonic() - began:.0f} s (bar 0)")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
