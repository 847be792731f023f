"""From a save to the published version: `kbc watch` on a large knowledge base, one edited page at a time.

    python -m benchmarks.watch KB [--pages 470] [--edits 20] [--jobs 2]

KB is copied, and with --pages only its first pages are kept: 470 of the Rust RFCs (see rust-rfcs.toml) are
10,271 chunks. A cold build with an empty cache is timed; then a watcher starts on what that build left,
and a sentence is added to one page after another. The clock runs from the end of the write to the moment
at which CURRENT names another build; the next search must find the sentence. Bars: 2 s for the slowest
edit, 3 % of the cold build's CPU time for the mean of them, and at most 10 % more memory after the last
edit than after the first quarter of them.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from benchmarks.build import EDITABLE

MAX_SECONDS = 2.0
MAX_CPU_SHARE = 0.03
MAX_GROWTH = 0.10
POLL_S = 0.002
TIMEOUT_S = 300.0


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cold_build(kb: Path, out: Path, cache: Path, jobs: int) -> tuple[float, float, dict[str, Any]]:
    """Seconds, CPU seconds and the report of a build as a process of its own."""
    command = [sys.executable, "-m", "kbc", "build", str(kb), "--out", str(out), "--json"]
    command += ["--cache", str(cache), "--jobs", str(jobs)]
    began, cpu = time.perf_counter(), cpu_of_children()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - began
    if done.returncode:
        sys.exit(f"the build failed:\n{done.stderr}")
    report: dict[str, Any] = json.loads(done.stdout)
    return seconds, cpu_of_children() - cpu, report


class Watcher:
    """A running `kbc watch --json`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._measured = psutil.Process(process.pid)

    def event(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit("the watcher ended")
        told: dict[str, Any] = json.loads(line)
        return told

    def cpu(self) -> float:
        times = self._measured.cpu_times()
        return float(times.user + times.system)

    def memory(self) -> int:
        return int(self._measured.memory_info().rss)


@contextmanager
def watching(kb: Path, out: Path, cache: Path, jobs: int) -> Iterator[Watcher]:
    command = [sys.executable, "-m", "kbc", "watch", str(kb), "--out", str(out), "--json"]
    command += ["--cache", str(cache), "--jobs", str(jobs)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield Watcher(process)
    finally:
        process.terminate()
        process.wait()


def until_other(current: Path, before: str) -> float:
    """Seconds until `current` holds something else than `before`."""
    began = time.perf_counter()
    while current.read_text() == before:
        if time.perf_counter() - began > TIMEOUT_S:
            sys.exit("the edit was not published")
        time.sleep(POLL_S)
    return time.perf_counter() - began


def settled(watcher: Watcher) -> float:
    """The CPU seconds of the watcher, once it has cleaned up after its build."""
    while True:
        before = watcher.cpu()
        time.sleep(0.3)
        if watcher.cpu() - before < 0.02:
            return watcher.cpu()


def measure(
    watcher: Watcher, pages: Sequence[Path], current: Path, edits: int
) -> tuple[list[float], list[float], list[int]]:
    """Seconds from save to publication, CPU seconds and resident bytes of each edit."""
    from kb_runtime.live import LiveArtifact
    from kb_runtime.search import SearchRequest

    live = LiveArtifact(str(current.parent))
    seconds, cpu, memory = [], [], []
    for number in range(edits):
        page = pages[number * 37 % len(pages)]
        word = f"marmoset{number}"
        text = page.read_text() + f"\n\nThe {word} of this page was added.\n"
        before, used = current.read_text(), settled(watcher)
        page.write_text(text)
        seconds.append(until_other(current, before))
        with live.lease() as artifact:
            hits = artifact.searcher.search(SearchRequest(word, mode="lexical")).hits
        assert hits, f"{word} is not found"
        told = watcher.event()
        assert told["event"] == "built", told
        cpu.append(settled(watcher) - used)
        memory.append(watcher.memory())
    live.close()
    return seconds, cpu, memory


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kb", type=Path)
    parser.add_argument("--pages", type=int, help="how many pages to keep; default: all")
    parser.add_argument("--edits", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="kbc-bench-") as name:
        folder = Path(name)
        kb, out, cache = folder / "kb", folder / "out", folder / "cache"
        shutil.copytree(options.kb, kb, ignore=shutil.ignore_patterns(".git"))
        pages = sorted(path for path in kb.glob("[!.]*/**/*") if path.suffix in EDITABLE)
        for page in pages[options.pages :] if options.pages else ():
            page.unlink()
        pages = pages[: options.pages]
        cold_s, cold_cpu, cold = cold_build(kb, out, cache, options.jobs)
        with watching(kb, out, cache, options.jobs) as watcher:
            assert watcher.event()["reused"]
            current = out / cold["name"] / "CURRENT"
            # The first edit fills the watcher's memory from the cache on disk.
            first_s, first_cpu, _ = measure(watcher, pages[::-1], current, 1)
            seconds, cpu, memory = measure(watcher, pages, current, options.edits)

    print(
        f"{cold['name']}: {cold['records']:,} records, {cold['chunks']:,} chunks;"
        f" cold build {cold_s:.1f} s, {cold_cpu:.1f} s of CPU"
    )
    print(f"first edit after the start: {first_s[0]:.2f} s, {first_cpu[0]:.2f} s of CPU")
    print(
        f"{len(seconds)} edits, save to published: median {statistics.median(seconds):.2f} s,"
        f" slowest {max(seconds):.2f} s; CPU mean {statistics.mean(cpu):.2f} s;"
        f" memory {memory[0] / 1e6:.0f} MB to {memory[-1] / 1e6:.0f} MB"
    )
    start = memory[len(memory) // 4]
    bars = (
        ("slowest save to published, seconds", max(seconds), MAX_SECONDS),
        ("CPU of an edit / cold build", statistics.mean(cpu) / cold_cpu, MAX_CPU_SHARE),
        ("growth of memory", memory[-1] / start - 1, MAX_GROWTH),
    )
    missed = False
    for what, value, bar in bars:
        missed |= value > bar
        print(f"{what}: {value:.3f} (bar {bar}) {'ok' if value <= bar else 'MISSED'}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
