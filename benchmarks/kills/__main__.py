"""`kill -9` of compilers, watchers and servers at random instants: what is live, and what stays behind?

    python -m benchmarks.kills [--count 300] [--seed 1] [--only build,watch,...]

Rounds take turns in what they kill: a `kbc build`; a `kbc watch` that notices an edit; a server with a
workspace, on stdio and over HTTP; a compiler that such a server has started. The instant is random in the
whole of their work, which is for a server: to start, to swap to a version that is published meanwhile, to run
`ingest_tests`, and to index a source file that was edited. Everything is embedded. In every eighth round the
cache, or the workspace, is removed before. Afterwards, without any repair:

    serving    the live version opens, passes all checks, and holds the text of one edit and no other; the
               next server (after a compiler's death: the same one) answers from it, and has every test that
               it had acknowledged
    building   the next build succeeds and holds the last edit; the next ingestion succeeds, none is lost and
               none is there twice; the edited source file is found, and after a compiler's death the tree's
               index gets complete
    debris     beside the versions there are only CURRENT and locks, which nobody holds, nor does anybody a
               version; a workspace has what its layout names and nothing else; the cache has no unfinished
               entry; no process is left; after the last round there are no temporary files

Exit code 1 when a round fails one of these.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.kills.builds import Builds
from benchmarks.kills.servers import Servers
from kb_runtime.store.temporary_folders import LOCKED_WITHIN_S

VICTIMS = (*Builds.victims, *Servers.victims)
COLD_EVERY = 8
ABANDONED_S = LOCKED_WITHIN_S + 1  # when another process removes the folder of a killed one


@dataclass(slots=True)
class Outcome:
    """`rounds` counts by victim and by how far it was; `failures` are sentences."""

    rounds: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def run(
    folder: Path,
    count: int,
    seed: int,
    victims: Sequence[str] = VICTIMS,
    tell: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """`count` kills in an empty `folder`, of `victims` in turn; `tell` is given a line for each."""
    chance = random.Random(seed)
    arenas: list[Builds | Servers] = [
        kind(folder / kind.__name__, chance)
        for kind in (Builds, Servers)
        if set(kind.victims) & set(victims)
    ]
    outcome = Outcome()
    for number in range(count):
        victim = victims[number % len(victims)]
        arena = next(each for each in arenas if victim in each.victims)
        what, wrong = arena.round(victim, cold=number % COLD_EVERY == COLD_EVERY - 1)
        outcome.rounds[f"{victim}: {what}"] += 1
        outcome.failures += [f"round {number}, {victim}: {each}" for each in wrong]
        tell(f"round {number}: {victim}, {what}{': ' if wrong else ''}{'; '.join(wrong)}")
    left = _left(arenas)
    for _ in range(2):  # a compiler that is at work when its server is closed is killed with it
        if left:
            time.sleep(ABANDONED_S)
            left = _left(arenas)
    outcome.failures += [f"left in the temporary folder: {', '.join(left)}"] if left else []
    return outcome


def _left(arenas: Sequence[Builds | Servers]) -> list[str]:
    """What is left in the temporary folders after processes that nobody killed. They remove what killed
    ones left, unless these have made their folders within `LOCKED_WITHIN_S`."""
    return [name for arena in arenas for name in arena.temporary_files()]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(VICTIMS), help="what to kill")
    parser.add_argument("--verbose", action="store_true", help="tell each round")
    options = parser.parse_args(arguments)
    tell = (lambda line: print(line, flush=True)) if options.verbose else (lambda _: None)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kbc-bench-") as name:
        outcome = run(Path(name), options.count, options.seed, options.only.split(","), tell)
    print(f"{options.count} kills, seed {options.seed}, in {time.monotonic() - began:.0f} s")
    for what, rounds in sorted(outcome.rounds.items()):
        print(f"{what}: {rounds}")
    for failure in outcome.failures[:20]:
        print(failure)
    met = not outcome.failures
    print(f"what was wrong: {len(outcome.failures)} (bar 0) {'met' if met else 'missed'}")
    return int(not met)


if __name__ == "__main__":
    sys.exit(main())
