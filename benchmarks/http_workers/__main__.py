"""What several HTTP workers cost in memory, and what they bring.

    python -m benchmarks.http_workers ARTIFACT [--workers 8] [--seconds 10] [--rounds 3]

Memory is the proportional share (PSS) of all processes of the server, the parent too, after every worker
has answered searches; the bar is 1.5 times that of a server with one worker, and 40 MB for each worker.

Throughput is hybrid searches a second, for 1, 2, 4 ... workers up to as many as processors, and for
`--workers`, in turns. The clients are one thread that computes next to nothing; what they and other
programs took of the processors is shown, because the workers could not have it. So two figures tell how it
scales: searches a second against those of one worker, and what a search costs the server in computing,
which does not grow where workers do not wait for each other. Exit code 1 when the bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

import psutil

from benchmarks.http_workers.load import Load, search_requests
from benchmarks.search.latency import sample_queries
from kb_runtime.knowledge.artifact import Artifact

ROOT = Path(__file__).parents[2]
CLIENTS_A_WORKER = 4
WARMING = 20
"""Searches of each client before anything is measured: workers load their engines when first asked."""
SETTLE_S = 120
SHARED_FACTOR = 1.5
OWN_MB = 40.0
PROCESSORS = (
    len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
)


class Serving(NamedTuple):
    process: psutil.Process
    address: str
    log: Path


@contextmanager
def serving(artifact: str, workers: int) -> Iterator[Serving]:
    """A server with `workers` workers, its address, and its log, in which each answer has a line."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "runtime")}
    command = [
        sys.executable,
        "-m",
        "kb_runtime",
        artifact,
        "--tools",
        "all",
        "--http",
        "--port",
        "0",
    ]
    with tempfile.TemporaryDirectory(prefix="kbc-http-") as folder:
        log = Path(folder, "log")
        with log.open("wb") as stderr:
            process = subprocess.Popen(
                [*command, "--workers", str(workers), "--log", "json"],
                stderr=stderr,
                env=environment,
            )
        try:
            while b"\n" not in log.read_bytes():
                if process.poll() is not None:
                    raise RuntimeError(f"the server ended with {process.returncode}")
                time.sleep(0.05)
            address = json.loads(log.read_bytes().splitlines()[0])["address"]
            yield Serving(psutil.Process(process.pid), address, log)
        finally:
            process.terminate()
            process.wait()


def answering(server: psutil.Process, workers: int) -> list[psutil.Process]:
    """The processes that answer."""
    return server.children() if workers > 1 else [server]


def have_answered(log: Path) -> set[int]:
    """The processes that have answered a search."""
    lines = log.read_bytes().split(b"\n")[:-1]
    return {told["pid"] for told in map(json.loads, lines) if "outcome" in told}


def memory_mb(artifact: str, workers: int, tool: str, queries: Sequence[str]) -> float:
    """PSS of the whole server after every worker has answered. Raises RuntimeError when one never does."""
    with serving(artifact, workers) as (server, address, log):
        load = Load(address, search_requests(address, tool, queries), CLIENTS_A_WORKER * workers)
        until = time.monotonic() + SETTLE_S
        clients = CLIENTS_A_WORKER * workers
        while len(have_answered(log)) < workers:
            if time.monotonic() > until:
                raise RuntimeError(f"not all workers have answered within {SETTLE_S} s")
            load.run(lambda answered: answered >= clients)
        load.run(lambda answered: answered >= WARMING * clients)
        every = [server, *server.children()]
        pss = sum(process.memory_full_info().pss for process in every) / 1e6
        load.close()
        return pss


class Rate(NamedTuple):
    """Searches a second, and how many processors the server, the clients and other programs had."""

    searches: float
    server: float
    clients: float
    others: float

    @property
    def cpu_ms(self) -> float:
        """Of computing in the server, for one search."""
        return self.server / self.searches * 1e3


class _Clock(NamedTuple):
    """Seconds: of the clock, and of computing."""

    wall: float
    server: float
    clients: float
    machine: float

    @classmethod
    def read(cls, servers: Sequence[psutil.Process]) -> _Clock:
        computed = [process.cpu_times() for process in servers]
        own, whole = os.times(), psutil.cpu_times()
        return cls(
            time.perf_counter(),
            sum(each.user + each.system for each in computed),
            own.user + own.system,
            sum(whole) - whole.idle - getattr(whole, "iowait", 0.0),
        )


def throughput(artifact: str, workers: int, tool: str, queries: Sequence[str], s: float) -> Rate:
    clients = CLIENTS_A_WORKER * workers
    with serving(artifact, workers) as (server, address, _):
        load = Load(address, search_requests(address, tool, queries), clients)
        load.run(lambda answered: answered >= WARMING * clients)
        every = answering(server, workers)
        before = _Clock.read(every)
        answered = load.run(lambda _: time.perf_counter() - before.wall >= s)
        after = _Clock.read(every)
        load.close()
    wall, served, asked, machine = (late - early for late, early in zip(after, before, strict=True))
    others = max(0.0, machine - served - asked)
    return Rate(answered / wall, served / wall, asked / wall, others / wall)


def middle(rates: Sequence[Rate]) -> Rate:
    return Rate(*(median(values) for values in zip(*rates, strict=True)))


def steps(workers: int) -> list[int]:
    """1, 2, 4 ... up to the number of processors, and `workers`."""
    powers = {1 << exponent for exponent in range(PROCESSORS.bit_length())}
    return sorted({1, *(each for each in powers if each <= PROCESSORS), workers})


def show_throughput(rates: dict[int, Rate]) -> None:
    one = rates[1]
    print(f"\nOn {PROCESSORS} processors, {CLIENTS_A_WORKER} clients for each worker:\n")
    print(
        "| workers | searches/s | to 1 worker | CPU ms each | processors: server | clients | others |"
    )
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for workers, rate in rates.items():
        print(
            f"| {workers} | {rate.searches:.0f} | {rate.searches / one.searches:.2f}"
            f" | {rate.cpu_ms:.1f} | {rate.server:.2f} | {rate.clients:.2f} | {rate.others:.2f} |"
        )
    best = max(rates, key=lambda workers: rates[workers].searches)
    grown, had = rates[best].searches / one.searches, rates[best].server / one.server
    print(
        f"\n{best} workers answered {grown:.2f} times what 1 did, on {had:.2f} times its processors"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("artifact")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    with Artifact.open(options.artifact) as artifact:
        tool = f"{artifact.manifest['prefix']}_hybrid_search"
        queries = sample_queries(artifact)[:50]
    one = memory_mb(options.artifact, 1, tool, queries)
    several = memory_mb(options.artifact, options.workers, tool, queries)
    bar = SHARED_FACTOR * one + OWN_MB * options.workers
    print(f"PSS of 1 worker   {one:.0f} MB")
    print(f"PSS of {options.workers} workers  {several:.0f} MB, of {bar:.0f} MB allowed")
    found: dict[int, list[Rate]] = {workers: [] for workers in steps(options.workers)}
    for _ in range(options.rounds):
        for workers, rates in found.items():
            rates.append(throughput(options.artifact, workers, tool, queries, options.seconds))
    show_throughput({workers: middle(rates) for workers, rates in found.items()})
    return int(several > bar)


if __name__ == "__main__":
    sys.exit(main())
