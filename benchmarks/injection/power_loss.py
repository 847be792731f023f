"""A power loss at every point of a build: is the last version, or the new one, always there and whole?

    python -m benchmarks.injection.power_loss [--more 1] [--heal-every 20] [--most 2000] [--seed 1]

One build that replaces another is recorded: each write, flush, new name, rename and removal, of native
writers as well. Then, for every point of it, the states are made that a disk may be in if power fails
there: everything arrived; nothing that was not flushed; names without data, or with half of it; and
`--more` random choices of what arrived, in any order. Where these would be more than `--most` states, points
are left out at equal distances; the last one, and each that renames, never. Of each state that is new:

    broken     what is live does not open, does not verify, or is neither the old version nor the new one
    sick       the next build, tried in one of `--heal-every` states, does not end with the new version

Both must be 0. Needs Linux and a C compiler.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.injection import shim
from benchmarks.injection.__main__ import Stage, Victims
from benchmarks.injection.crash_states import SYSTEMATIC, Disk, digest, recorded, write_out
from benchmarks.injection.scenarios import SCENARIOS


@dataclass
class Lost:
    """What was tried, and what was wrong as sentences."""

    steps: int = 0
    states: int = 0
    healed: int = 0
    broken: list[str] = field(default_factory=list)
    sick: list[str] = field(default_factory=list)


def run(
    victims: Victims,
    scratch: Path,
    more: int,
    heal_every: int,
    seed: int,
    most: int,
    scenario: str = "build",
) -> Lost:
    """`scratch` is an empty folder."""
    stage, chance = Stage(SCENARIOS[scenario], victims, scratch / "s"), random.Random(seed)
    log = stage.folder.parent / "log"
    stage.reset()
    disk = Disk(stage.folder)
    victims.run(stage.scenario.call, stage.folder, log=str(log))
    lost, seen = Lost(), set()
    steps = list(recorded(log.read_bytes()))
    stride = -(-len(steps) * (SYSTEMATIC + more) // most)
    for step in steps:
        disk.take(step)
        lost.steps += 1
        if lost.steps % stride and step.kind != shim.RENAME and lost.steps < len(steps):
            continue
        for state in disk.states(chance, more):
            if (found := digest(state)) in seen:
                continue
            seen.add(found)
            lost.states += 1
            if lost.states % 100 == 0:
                print(
                    f"{lost.states:,} states, step {lost.steps:,} of {len(steps):,}",
                    file=sys.stderr,
                )
            shutil.rmtree(stage.folder)
            stage.folder.mkdir()
            write_out(state, stage.folder)
            now = stage.scenario.state(stage.folder)
            where = f"after step {lost.steps} ({step.kind} {Path(step.path).name})"
            if now not in (stage.before, stage.after):
                lost.broken.append(f"{where}: {now}")
            if lost.states % heal_every == 0:
                lost.healed += 1
                done = victims.run(stage.scenario.call, stage.folder)
                if (now := stage.scenario.state(stage.folder)) != stage.after:
                    lost.sick.append(f"{where}: {now}: {done['said'][-300:]}")
    return lost


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--more", type=int, default=1, help="random states at each point")
    parser.add_argument("--heal-every", type=int, default=20, help="of so many states one")
    parser.add_argument("--most", type=int, default=2000, help="states, roughly")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kbc-power-") as name, Victims() as victims:
        bounds = options.more, options.heal_every, options.seed, options.most
        lost = run(victims, Path(name), *bounds)
    print(f"{lost.steps:,} steps, {lost.states:,} states, {lost.healed:,} built again,")
    print(f"in {time.monotonic() - began:.0f} s: {len(lost.broken)} broken, {len(lost.sick)} sick")
    for line in (*lost.broken[:5], *lost.sick[:5]):
        print(f"  {line}")
    return int(bool(lost.broken or lost.sick))


if __name__ == "__main__":
    sys.exit(main())
