"""`kill -9` of compilers and watchers at random instants: what is live, and what stays behind?

    python -m benchmarks.kills [--count 300] [--seed 1] [--embed]

Each round edits a small knowledge base and kills a `kbc build`, or a `kbc watch` that notices the edit, at
a random instant of its work. Afterwards, without any repair:

    serving    the live version opens, passes all checks, and holds the text of one edit and no other
    building   the next build succeeds and holds the last edit
    debris     beside the versions there are CURRENT and the lock, which nobody holds, and the cache has
               no unfinished entry; after the last round there are no temporary files

Exit code 1 when a round fails one of these. With --embed versions have vectors, and builds take longer.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from kb_runtime.artifact import Artifact
from kb_runtime.manifest import is_build_id
from kb_runtime.verification import check
from kbc.linker import LOCK
from kbc.pipeline import BuildOptions, build

PROJECT = """\
[kb]
name = "demo"
title = "Demo"

[[collection]]
name = "pages"
kind = "docs"
paths = ["docs"]
"""
PAGES = 20
KEEP = 2
ABANDONED_S = 1.5  # when the folder of a killed process counts as abandoned, and a little more
_EDIT = re.compile(r"edit(\d+)\b")


@dataclass(slots=True)
class Outcome:
    """`published` counts rounds by whether the killed process had published; `failures` are sentences."""

    published: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


class Arena:
    """A knowledge base, its output and cache in `folder`, and the processes that are killed."""

    def __init__(self, folder: Path, chance: random.Random, *, embed: bool) -> None:
        self._folder = folder
        self._chance = chance
        self._embed = embed
        self._kb, self._out, self._cache = folder / "kb", folder / "out", folder / "cache"
        self._temporary = folder / "tmp"
        self._edits = 0
        (self._kb / "docs").mkdir(parents=True)
        self._temporary.mkdir()
        (self._kb / "kb.toml").write_text(PROJECT)
        for page in range(PAGES):
            (self._kb / "docs" / f"page{page}.md").write_text(f"# Page {page}\n\nSome text.\n")
        self.edit()
        self.rebuild()
        self._work_s = {name: self._time(name) for name in ("build", "watch")}

    def edit(self) -> None:
        """Every version holds exactly one such text."""
        self._edits += 1
        (self._kb / "docs" / "page0.md").write_text(f"# Page\n\nThis is edit{self._edits}.\n")

    def rebuild(self) -> None:
        options = BuildOptions(out=self._out, cache=self._cache, embed=self._embed, keep=KEEP)
        build(self._kb, options)

    def round(self, name: str) -> tuple[str, list[str]]:
        """One kill; gives whether the edit had been published, and what was wrong afterwards."""
        before = self._edits
        process = self._start(name)
        time.sleep(self._chance.uniform(0, self._work_s[name] * 1.1))
        process.send_signal(signal.SIGKILL)
        process.wait()
        wrong = []
        found = self._live_edits()
        allowed = {before, self._edits}
        if len(found) != 1 or not found <= allowed:
            wrong.append(f"after the kill the live version holds {found}, not one of {allowed}")
        self.rebuild()
        if self._live_edits() != {self._edits}:
            wrong.append(f"the next build holds {self._live_edits()}, not {self._edits}")
        wrong += self._debris()
        return ("published" if self._edits in found else "not yet"), wrong

    def _start(self, name: str) -> subprocess.Popen[bytes]:
        """Starts a process that is going to publish the next edit."""
        arguments = [str(self._kb), "--out", str(self._out), "--cache", str(self._cache)]
        arguments += ["--keep", str(KEEP), *([] if self._embed else ["--lexical-only"])]
        if name == "build":
            self.edit()
        process = subprocess.Popen(
            [sys.executable, "-m", "kbc", name, *arguments, "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": str(self._temporary)},
        )
        if name == "watch":
            assert process.stdout is not None
            process.stdout.readline()  # it watches
            self.edit()
        return process

    def _time(self, name: str) -> float:
        """Seconds that a process needs for an edit."""
        process = self._start(name)
        began = time.monotonic()
        assert process.stdout is not None
        if name == "build":
            process.wait()
        else:
            process.stdout.readline()
            process.kill()
            process.wait()
        return time.monotonic() - began

    def _live_edits(self) -> set[int]:
        with Artifact.open(self._out / "demo") as artifact:
            problems = check(artifact)
            if problems:
                return {-1}
            texts = [artifact.chunks[row]["text"] for row in range(len(artifact.chunks))]
        return {int(number) for text in texts for number in _EDIT.findall(text)}

    def _debris(self) -> list[str]:
        kb_folder = self._out / "demo"
        names = sorted(path.name for path in kb_folder.iterdir())
        versions = [name for name in names if is_build_id(name)]
        wrong = []
        if len(versions) > KEEP or set(names) - set(versions) != {"CURRENT", LOCK}:
            wrong.append(f"left in the output: {', '.join(names)}")
        with (kb_folder / LOCK).open("rb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                wrong.append("the lock is held")
        left = [path.name for path in self._cache.glob("graphs/.new-*")]
        return [*wrong, *([f"left in the cache: {', '.join(left)}"] if left else [])]

    def temporary_files(self) -> list[str]:
        """What is left in the temporary folder after a build that nobody killed."""
        time.sleep(ABANDONED_S)
        process = self._start("build")
        process.wait()
        return [str(path.relative_to(self._temporary)) for path in self._temporary.rglob("*")]


def run(folder: Path, count: int, seed: int, *, embed: bool = False) -> Outcome:
    """`count` kills in an empty `folder`, compilers and watchers in turn."""
    chance = random.Random(seed)
    arena = Arena(folder, chance, embed=embed)
    outcome = Outcome()
    for number in range(count):
        name = ("build", "watch")[number % 2]
        published, wrong = arena.round(name)
        outcome.published[f"{name}: {published}"] += 1
        outcome.failures += [f"round {number}, {name}: {each}" for each in wrong]
    left = arena.temporary_files()
    outcome.failures += [f"left in the temporary folder: {', '.join(left)}"] if left else []
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--embed", action="store_true")
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kbc-bench-") as name:
        outcome = run(Path(name), options.count, options.seed, embed=options.embed)
    print(f"{options.count} kills in {time.monotonic() - began:.0f} s")
    for what, rounds in sorted(outcome.published.items()):
        print(f"{what}: {rounds}")
    for failure in outcome.failures[:20]:
        print(failure)
    print(f"rounds with something wrong: {len(outcome.failures)} (bar 0)")
    return int(bool(outcome.failures))


if __name__ == "__main__":
    sys.exit(main())
