"""`kill -9` of `kbc build` and `kbc watch` at a random instant of their work."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.kills import debris
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.examination.verification import check
from kbc.pipeline.build import BuildOptions, build
from kbc.pipeline.resident import Engines, Resident

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
EDIT = re.compile(r"edit(\d+)\b")


class EditedKb:
    """A small knowledge base below `folder`, its output, cache and temporary folder. Every version
    holds the number of exactly one edit."""

    def __init__(self, folder: Path) -> None:
        self._engines = Engines()  # loads the model once for all builds of this process
        self.root, self.out, self.cache = folder / "kb", folder / "out", folder / "cache"
        self.temporary = folder / "tmp"
        self.edits = 0
        (self.root / "docs").mkdir(parents=True)
        self.temporary.mkdir()
        (self.root / "kb.toml").write_text(PROJECT)
        for page in range(PAGES):
            (self.root / "docs" / f"page{page}.md").write_text(f"# Page {page}\n\nSome text.\n")
        self.edit()
        self.rebuild()

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "TMPDIR": str(self.temporary)}

    @property
    def kb_folder(self) -> Path:
        return self.out / "demo"

    def edit(self) -> None:
        self.edits += 1
        (self.root / "docs" / "page0.md").write_text(f"# Page\n\nThis is edit{self.edits}.\n")

    def rebuild(self) -> None:
        options = BuildOptions(out=self.out, cache=self.cache, keep=KEEP)
        build(self.root, options, None, Resident(self._engines))

    def start(self, name: str) -> subprocess.Popen[bytes]:
        """A `kbc build` or `kbc watch`."""
        options = ["--out", str(self.out), "--cache", str(self.cache), "--keep", str(KEEP)]
        return subprocess.Popen(
            [sys.executable, "-m", "kbc", name, str(self.root), *options, "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self.environment,
        )

    def live_edits(self) -> set[int]:
        """The numbers in the live version; -1 for one that does not pass all checks."""
        with Artifact.open(self.kb_folder) as artifact:
            if check(artifact):
                return {-1}
            texts = [artifact.chunks[row]["text"] for row in range(len(artifact.chunks))]
        return {int(number) for text in texts for number in EDIT.findall(text)}


class Builds:
    """Rounds with a compiler as victim. `victims` are their names."""

    victims = ("build", "watch")

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self._chance = chance
        self._kb = EditedKb(folder)
        self._work_s: dict[tuple[str, bool], float] = {}

    def round(self, victim: str, *, cold: bool) -> tuple[str, list[str]]:
        """One kill; gives whether the edit had been published, and what was wrong afterwards. `cold`
        removes the cache first."""
        kb = self._kb
        if (victim, cold) not in self._work_s:
            self._work_s[victim, cold] = self._time(victim, cold=cold)
        before = kb.edits
        with self._started(victim, cold=cold) as process:
            time.sleep(self._chance.uniform(0, self._work_s[victim, cold] * 1.1))
            process.send_signal(signal.SIGKILL)
        wrong = []
        found = kb.live_edits()
        allowed = {before, kb.edits}
        if len(found) != 1 or not found <= allowed:
            wrong.append(f"after the kill the live version holds {found}, not one of {allowed}")
        kb.rebuild()
        if kb.live_edits() != {kb.edits}:
            wrong.append(f"the next build holds {kb.live_edits()}, not {kb.edits}")
        wrong += debris.in_output(kb.kb_folder, KEEP) + debris.in_cache(kb.cache)
        return ("published" if kb.edits in found else "not yet"), wrong

    def temporary_files(self) -> list[str]:
        """What is left in the temporary folder after a build that nobody killed."""
        self._kb.edit()
        with self._kb.start("build") as process:
            process.communicate()
        return debris.in_temporary_folder(self._kb.temporary)

    def _started(self, victim: str, *, cold: bool) -> subprocess.Popen[bytes]:
        """A process that is going to publish the next edit, `cold` without a cache."""
        if cold:
            shutil.rmtree(self._kb.cache)
        if victim == "build":
            self._kb.edit()
        process = self._kb.start(victim)
        if victim == "watch":
            _line(process)  # it watches
            self._kb.edit()
        return process

    def _time(self, victim: str, *, cold: bool) -> float:
        """Seconds that a process needs for an edit."""
        with self._started(victim, cold=cold) as process:
            began = time.monotonic()
            _line(process)
            seconds = time.monotonic() - began
            process.kill()
        return seconds


def _line(process: subprocess.Popen[bytes]) -> Any:
    assert process.stdout is not None
    return process.stdout.readline()
