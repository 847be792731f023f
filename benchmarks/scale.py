"""How cost grows with a knowledge base: building, editing, starting and answering, at several sizes.

    python -m benchmarks.scale [1000 10000 100000] [--shard-chunks N] [--keep FOLDER]

Pages are made up by `benchmarks.made_up`: words follow Zipf's law, a section is a chunk of a hundred tokens.
The build is that of the command line but for the embedding: vectors are drawn, see
`benchmarks.encoders.drawn_vectors`, so that encoding, which is linear, does not hide the rest. Queries are
embedded by the model. A server is asked over stdio. `exponent` is that of the growth from the size before: 0
is constant, 1 linear. CPU times are those of the process, the mean of all queries; private memory leaves out
what is mapped from files. Exit code 1 when a bar is missed at a size that it is for.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import psutil

from benchmarks.made_up import write_pages
from benchmarks.search.latency import asked_anew
from benchmarks.stdio import (
    ROOT,
    Server,
    bare_start,
    elapsed_ms,
    process_environment,
    serving,
)
from kb_runtime.knowledge.artifact import Artifact

SIZES = (1_000, 10_000, 100_000)
CHUNKS_PER_PAGE = 22
STARTS = 5
QUERIES = 60
EDITED_WORD = "marmosetx"
COMMON = "value name list file page line word field state event table order".split()  # noqa: SIM905
"""Among the hundred most frequent words of the pages, and no stop words."""

BARS: Mapping[str, tuple[int, float]] = {
    "edit s": (100_000, 5.0),
    "build MB": (1_000_000, 3_000.0),
    "initialize ms": (1_000_000, 60.0),
    "hybrid p95 ms": (1_000_000, 30.0),
    "common p95 ms": (1_000_000, 60.0),
    "server MB": (1_000_000, 150.0),
}
"""By measure: up to which number of chunks the bar holds, and the most that may be measured."""


def built(kb: Path, out: Path, cache: Path) -> dict[str, Any]:
    """`kbc build`, with drawn vectors and no draft: its report, and what it took in all."""
    command = [sys.executable, "-m", "benchmarks.encoders.drawn_vectors", "build", str(kb)]
    command += ["--out", str(out), "--cache", str(cache)]
    command += ["--offline", "--no-draft", "--keep", "1", "--json"]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT)
    assert process.stdout is not None
    with ThreadPoolExecutor(1) as threads:
        peak = threads.submit(peak_mb, process.pid)
        told: dict[str, Any] = json.load(process.stdout)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"the build ended with {process.returncode}")
    return told | {
        "seconds": time.perf_counter() - began,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "peak_mb": peak.result(),
        "phases": {phase["name"]: round(phase["seconds"], 2) for phase in told["phases"]},
    }


def peak_mb(pid: int) -> float:
    """The most memory that a process has had by its end, in MB. (`ru_maxrss` is at least what this process
    had when it started the other.)"""
    peak = 0.0
    while found := re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text()):
        peak = int(found[1]) * 1024 / 1e6
        time.sleep(0.1)
    return peak


def sampled(artifact: Artifact, count: int) -> list[str]:
    """Questions of some words of a chunk each."""
    chance = random.Random(5)
    rows = chance.choices(range(len(artifact.chunks)), k=count)
    found = []
    for row in rows:
        words = artifact.chunks[row]["text"].replace(".", "").split()
        start = chance.randrange(max(1, len(words) - 6))
        found.append(" ".join(words[start : start + 6]))
    return found


def answers(server: Server, tool: str, queries: Sequence[str]) -> tuple[list[float], float]:
    """Milliseconds of each query, the better of two rounds, and the mean CPU time."""
    best = [math.inf] * len(queries)
    before = cpu_seconds(server)
    for round_ in range(2):
        for at, query in enumerate(queries):
            begun = time.perf_counter()
            server.call(tool, query=asked_anew(query, round_))
            best[at] = min(best[at], elapsed_ms(begun))
    return best, (cpu_seconds(server) - before) * 1e3 / (2 * len(queries))


def cpu_seconds(server: Server) -> float:
    times = psutil.Process(server.process.pid).cpu_times()
    return float(times.user + times.system)


def private_mb(server: Server) -> float:
    """Megabytes that no other process could share: what is mapped from files does not count."""
    rollup = Path(f"/proc/{server.process.pid}/smaps_rollup").read_text()
    fields = dict(line.split(":", 1) for line in rollup.splitlines()[1:])
    return int(fields["Private_Dirty"].split()[0]) * 1024 / 1e6


def common_queries(count: int) -> list[str]:
    chance = random.Random(3)
    return [" ".join(chance.sample(COMMON, len(COMMON))) for _ in range(count)]


def served(kb_folder: Path, environment: dict[str, str], edit: Any) -> dict[str, float]:
    """What a server takes; `edit` changes a page, builds again, and gives the seconds of that."""
    with Artifact.open(kb_folder) as artifact:
        tool = f"{artifact.manifest['prefix']}_hybrid_search"
        queries = sampled(artifact, QUERIES)
    command = [sys.executable, "-m", "kb_runtime", str(kb_folder), "--tools", "all"]
    bare, starts, firsts = [], [], []
    for _ in range(STARTS):
        bare.append(bare_start(environment))
        begun = time.perf_counter()
        with serving(command, environment) as server:
            server.initialize()
            starts.append(elapsed_ms(begun))
            server.call(tool, query="how do I begin")
            firsts.append(elapsed_ms(begun))
    with serving(command, environment) as server:
        server.initialize()
        hybrid, hybrid_cpu = answers(server, tool, queries)
        common, common_cpu = answers(server, tool, common_queries(QUERIES // 3))
        memory, resident = private_mb(server), server.memory().rss / 1e6
        seconds = edit()
        begun = time.perf_counter()
        call = {"name": tool, "arguments": {"query": EDITED_WORD}}
        found = server.ask("tools/call", call)
        if EDITED_WORD not in json.dumps(found):
            raise SystemExit("the edit is not found")
        seconds += time.perf_counter() - begun
    return {
        "bare start ms": median(bare),
        "initialize ms": median(starts),
        "first ms": median(firsts),
        "hybrid p50 ms": median(hybrid),
        "hybrid p95 ms": quantiles(hybrid, n=20)[-1],
        "hybrid CPU ms": hybrid_cpu,
        "common p95 ms": quantiles(common, n=20)[-1],
        "common CPU ms": common_cpu,
        "server MB": memory,
        "server RSS MB": resident,
        "edit s": seconds,
    }


def measured(size: int, folder: Path, shard_chunks: int | None) -> dict[str, float]:
    """All measures of a knowledge base of about `size` chunks below `folder`."""
    kb, out, cache = folder / "kb", folder / "out", folder / "cache"
    pages = write_pages(kb, "made-up", max(1, size // CHUNKS_PER_PAGE))
    if shard_chunks:
        with (kb / "kb.toml").open("a") as file:
            file.write(f"\n[build]\nshard_chunks = {shard_chunks}\n")
    cold = built(kb, out, cache)
    print(f"{size:,}: {cold['phases']}", file=sys.stderr, flush=True)
    edited = {}

    def edit() -> float:
        page = pages[len(pages) // 2]
        page.write_text(f"{page.read_text()}\n\nThe {EDITED_WORD} of this page was added.\n")
        begun = time.perf_counter()
        edited.update(built(kb, out, cache))
        return time.perf_counter() - begun

    environment = process_environment(folder / "bytecode")
    found = served(out / "made-up", environment, edit)
    print(f"{size:,}, edit: {edited['phases']}", file=sys.stderr, flush=True)
    return {
        "chunks": cold["chunks"],
        "build s": cold["seconds"],
        "build CPU s": cold["cpu_s"],
        "build MB": cold["peak_mb"],
        "artifact MB": cold["size_bytes"] / 1e6,
        **found,
        "edit CPU s": edited["cpu_s"],
    }


def report(tables: Sequence[Mapping[str, float]]) -> bool:
    """Prints the growth table; whether every bar was met at the sizes that it is for."""
    sizes = " | exponent | ".join(f"{table['chunks']:,.0f}" for table in tables)
    print(f"| | {sizes} | bar |")
    print(f"| --- |{' ---: |' * (2 * len(tables) - 1)} --- |")
    all_met = True
    for name in tables[0]:
        if name == "chunks":
            continue
        cells = []
        for at, table in enumerate(tables):
            if at:
                before = tables[at - 1]
                grown = math.log(table["chunks"] / before["chunks"])
                cells.append(f"{math.log(table[name] / before[name]) / grown:.2f}")
            cells.append(f"{table[name]:,.1f}")
        bar = ""
        if name in BARS:
            most_chunks, most = BARS[name]
            held = [table[name] for table in tables if table["chunks"] <= 1.1 * most_chunks]
            met = all(value <= most for value in held)
            all_met &= met
            bar = f"{'met' if met else 'missed'} (<= {most:g} up to {most_chunks:,})"
        print(f"| {name} | {' | '.join(cells)} | {bar} |")
    return all_met


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sizes", type=int, nargs="*", default=SIZES, help="chunks of each base")
    parser.add_argument("--shard-chunks", type=int, help="of kb.toml; default: that of kbc")
    parser.add_argument("--keep", type=Path, help="a folder where the bases stay")
    options = parser.parse_args(arguments)
    tables = []
    for size in sorted(options.sizes):
        with tempfile.TemporaryDirectory(prefix="kbc-scale-") as scratch:
            folder = options.keep / str(size) if options.keep else Path(scratch)
            tables.append(measured(size, folder, options.shard_chunks))
    return 0 if report(tables) else 1


if __name__ == "__main__":
    sys.exit(main())
