"""What several HTTP workers cost in memory, and what they bring.

    python -m benchmarks.http_workers ARTIFACT [--workers 8] [--seconds 10] [--rounds 3]

Memory is the proportional share (PSS) of all processes of the server, the parent too, after every worker
has answered searches; the bar is 1.5 times that of a server with one worker, and 40 MB for each worker.
Throughput is hybrid searches a second of 8 clients at a time, for one worker and for two, in turns; the
ratio can reach 2 only where the two workers and the clients do not share two cores. Exit code 1 when the
bar is missed.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

import psutil

from benchmarks.search_latency import sample_queries
from kb_runtime.artifact import Artifact

ROOT = Path(__file__).parents[1]
CLIENTS = 8
REQUESTS_A_CONNECTION = 10
"""Clients come back on new connections: the workers share those, not requests."""
SETTLE_S = 120
SHARED_FACTOR = 1.5
OWN_MB = 40.0
HEADERS = {
    "accept": "application/json, text/event-stream",
    "content-type": "application/json",
}


class Client:
    """Searches, over a connection of its own that is renewed now and then."""

    def __init__(self, address: str, tool: str) -> None:
        self._host = address.split("/")[2]
        self._tool = tool
        self._connection: http.client.HTTPConnection | None = None
        self._left = 0

    def search(self, query: str) -> None:
        if not self._left:
            self.close()
            self._connection = http.client.HTTPConnection(self._host, timeout=SETTLE_S)
            self._left = REQUESTS_A_CONNECTION
        assert self._connection is not None
        self._left -= 1
        params = {"name": self._tool, "arguments": {"query": query}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        self._connection.request("POST", "/mcp", json.dumps(body), HEADERS)
        result = json.loads(self._connection.getresponse().read())["result"]
        if result["isError"]:
            raise RuntimeError(f"a search failed: {result}")

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()


class Load:
    """`CLIENTS` clients that search one after the other, until they are stopped."""

    def __init__(self, address: str, tool: str, queries: Sequence[str]) -> None:
        self._answered = [0] * CLIENTS
        self._running = True
        self._threads = [
            threading.Thread(target=self._ask, args=(number, Client(address, tool), queries))
            for number in range(CLIENTS)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def answered(self) -> int:
        return sum(self._answered)

    def stop(self) -> None:
        self._running = False
        for thread in self._threads:
            thread.join()

    def _ask(self, number: int, client: Client, queries: Sequence[str]) -> None:
        texts = cycle((*queries[number:], *queries[:number]))
        while self._running:
            client.search(next(texts))
            self._answered[number] += 1
        client.close()


@contextmanager
def serving(artifact: str, workers: int) -> Iterator[tuple[psutil.Process, str]]:
    """A server process, and its address."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "runtime")}
    command = [sys.executable, "-m", "kb_runtime", artifact, "--http", "--port", "0"]
    with subprocess.Popen(
        [*command, "--workers", str(workers)], stderr=subprocess.PIPE, env=environment
    ) as process:
        assert process.stderr is not None
        yield psutil.Process(process.pid), process.stderr.readline().decode().split()[-1]
        process.terminate()
        process.communicate()


def answering(server: psutil.Process, workers: int) -> list[psutil.Process]:
    """The processes that answer."""
    return server.children() if workers > 1 else [server]


def busy(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def memory_mb(artifact: str, workers: int, tool: str, queries: Sequence[str]) -> float:
    """PSS of the whole server after every worker has worked."""
    with serving(artifact, workers) as (server, address):
        load = Load(address, tool, queries)
        until = time.monotonic() + SETTLE_S
        ready = {process.pid: busy(process) + 3 for process in answering(server, workers)}
        # Loading takes a worker 2 s of computing; who has done 3 s more has answered.
        while time.monotonic() < until and any(
            busy(process) < ready.get(process.pid, 0) for process in answering(server, workers)
        ):
            time.sleep(0.2)
        load.stop()
        every = [server, *server.children()]
        return sum(process.memory_full_info().pss for process in every) / 1e6


class Rate(NamedTuple):
    """Searches a second, and how many processors the server had for them."""

    searches: float
    processors: float

    @property
    def cpu_ms(self) -> float:
        """Of one search."""
        return self.processors / self.searches * 1e3


def throughput(artifact: str, workers: int, tool: str, queries: Sequence[str], s: float) -> Rate:
    with serving(artifact, workers) as (server, address):
        load = Load(address, tool, queries)
        while load.answered < 10 * CLIENTS * workers:  # until all have loaded their engines
            time.sleep(0.1)
        every = answering(server, workers)
        start, before = time.perf_counter(), load.answered
        computed = sum(map(busy, every))
        time.sleep(s)
        elapsed, answered = time.perf_counter() - start, load.answered - before
        computed = sum(map(busy, every)) - computed
        load.stop()
        return Rate(answered / elapsed, computed / elapsed)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("artifact")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with Artifact.open(options.artifact) as artifact:
        tool = f"{artifact.manifest['prefix']}_hybrid_search"
        queries = sample_queries(artifact)[:50]
    one = memory_mb(options.artifact, 1, tool, queries)
    several = memory_mb(options.artifact, options.workers, tool, queries)
    bar = SHARED_FACTOR * one + OWN_MB * options.workers
    print(f"PSS of 1 worker          {one:.0f} MB")
    print(f"PSS of {options.workers} workers         {several:.0f} MB, of {bar:.0f} MB allowed")
    rates: dict[int, list[Rate]] = {1: [], 2: []}
    for _ in range(options.rounds):
        for workers, found in rates.items():
            found.append(throughput(options.artifact, workers, tool, queries, options.seconds))
    middle = {workers: sorted(found)[len(found) // 2] for workers, found in rates.items()}
    for workers, rate in middle.items():
        print(
            f"{workers} worker(s)              {rate.searches:.0f} searches/s on {rate.processors:.2f}"
            f" processors, {rate.cpu_ms:.1f} ms of computing each"
        )
    ratio = middle[2].searches / middle[1].searches
    print(f"searches, 2 workers to 1 {ratio:.2f}, of {os.cpu_count()} processors in all")
    print(
        f"computing, 2 workers to 1 {middle[2].cpu_ms / middle[1].cpu_ms:.2f}; 1 scales with cores"
    )
    return int(several > bar)


if __name__ == "__main__":
    sys.exit(main())
