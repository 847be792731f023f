"""What a client waits for at the stdio server, and what a server process costs in memory.

    python -m benchmarks.stdio ARTIFACT [--spawns 21] [--queries 25] [--rounds 5]

Everything is measured through pipes, as a client sees it, and next to what it is compared with: starts
alternate with starts of a bare interpreter, searches with the three engines called in this process.
Bytecode is compiled first, into a scratch folder. Medians; of searches, the best of the rounds counts
for each query, which the machine's other work disturbs least. Exit code 1 when a bar is missed.

    private memory   pages of this process alone (USS), after the searches
    second process   its proportional share (PSS) while a first one runs on the same artifact
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
from typing import Any

import psutil

from benchmarks.search.latency import asked_anew, sample_queries
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.search.analysis import Analyzer
from kb_runtime.search.lexical import LexicalRequest
from kb_runtime.search.query import analyse
from kb_runtime.search.request import CANDIDATES
from kb_runtime.search.vectors import RowRange

MAX_START_RATIO = 3.0
MAX_FIRST_SEARCH_MS = 400.0
GOAL_FIRST_SEARCH_MS = 250.0
MAX_SEARCH_MS = 6.0
MAX_SEARCH_RATIO = 1.3
MAX_GET_MS = 0.5
MAX_PRIVATE_MB = 60.0
ROOT = Path(__file__).parents[1]
BARE = "import os; os.write(1, b'\\n')"


def process_environment(bytecode: Path, root: Path = ROOT) -> dict[str, str]:
    """The environment of a process that runs the checkout at `root`, with modules that are compiled once,
    below `bytecode`, as those of a user are."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(root / "compiler"), str(root / "runtime"))),
        "PYTHONPYCACHEPREFIX": str(bytecode),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


class Server:
    """A server process and its pipes."""

    def __init__(self, command: Sequence[str], environment: dict[str, str]) -> None:
        self._number = 0
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of a request. Raises RuntimeError when it fails."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        stdin.write(json.dumps(request).encode() + b"\n")
        stdin.flush()
        answer: dict[str, Any] = json.loads(stdout.readline())
        result: dict[str, Any] = answer.get("result", {"isError": True})
        if result.get("isError"):
            raise RuntimeError(f"{method} failed: {answer}")
        return result

    def initialize(self) -> None:
        client = {"name": "benchmark", "version": "1"}
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        self.ask("initialize", hello)

    def call(self, tool: str, **arguments: Any) -> None:
        self.ask("tools/call", {"name": tool, "arguments": arguments})

    def memory(self) -> Any:
        return psutil.Process(self.process.pid).memory_full_info()

    def close(self) -> None:
        self.process.communicate()


@contextmanager
def serving(command: Sequence[str], environment: dict[str, str]) -> Iterator[Server]:
    server = Server(command, environment)
    try:
        yield server
    finally:
        server.close()


def elapsed_ms(start: float) -> float:
    return (time.perf_counter() - start) * 1e3


def bare_start(environment: dict[str, str], python: str = sys.executable) -> float:
    """Milliseconds from spawning an interpreter to the first byte that it writes."""
    start = time.perf_counter()
    with subprocess.Popen([python, "-c", BARE], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        process.stdout.readline()
        return elapsed_ms(start)


def server_start(
    command: Sequence[str], environment: dict[str, str], tool: str
) -> tuple[float, float]:
    """Milliseconds from spawning a server to its first answer, and to its first search's answer."""
    start = time.perf_counter()
    with serving(command, environment) as server:
        server.initialize()
        initialized = elapsed_ms(start)
        server.call(tool, query="how do I begin")
        return initialized, elapsed_ms(start)


def searches(
    server: Server, artifact: Artifact, tool: str, queries: Sequence[str], rounds: int
) -> tuple[list[float], list[float]]:
    """Milliseconds of each query at the server, and of the three engines alone in this process."""
    encoder = artifact.encoder
    if encoder is None:
        raise SystemExit("The artifact has no encoder: there is no hybrid search to measure.")
    artifact.prepare()
    analyzer = Analyzer()
    ranges = [RowRange(info.name, info.first_row, info.chunks) for info in artifact.collections]
    served, engines = [float("inf")] * len(queries), [float("inf")] * len(queries)
    for round_ in range(rounds):
        for at, text in enumerate(queries):
            start = time.perf_counter()
            server.call(tool, query=asked_anew(text, round_))
            served[at] = min(served[at], elapsed_ms(start))
            query = analyse(text, analyzer)
            start = time.perf_counter()
            vector = encoder.encode(query.text)
            artifact.vectors.search(vector, ranges, CANDIDATES)
            artifact.lexical.search(LexicalRequest(query, CANDIDATES))
            engines[at] = min(engines[at], elapsed_ms(start))
    return served, engines


def gets(server: Server, artifact: Artifact, rounds: int) -> list[float]:
    """Milliseconds of looking each builtin up; empty where the artifact has none."""
    best: dict[str, float] = {}
    prefix = artifact.manifest["prefix"]
    for info in artifact.collections:
        if info.kind != "builtins":
            continue
        for name in artifact.catalog(info.name).ids() * rounds:
            start = time.perf_counter()
            server.call(f"{prefix}_get_builtin", name=name)
            best[name] = min(best.get(name, float("inf")), elapsed_ms(start))
    return list(best.values())


def row(name: str, value: float, unit: str, bar: float | None = None) -> bool:
    """Prints a line of the table; False when the bar is missed."""
    met = bar is None or value <= bar
    told = "" if bar is None else f"{'met' if met else 'missed'} (<= {bar:g})"
    print(f"| {name} | {value:.2f} {unit} | {told} |")
    return met


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("artifact")
    parser.add_argument("--spawns", type=int, default=21)
    parser.add_argument("--queries", type=int, default=25)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as bytecode, Artifact.open(options.artifact) as artifact:
        environment = process_environment(Path(bytecode))
        command = [sys.executable, "-m", "kb_runtime", options.artifact, "--tools", "all"]
        tool = f"{artifact.manifest['prefix']}_hybrid_search"
        server_start(command, environment, tool)  # compiles whatever a server imports
        bare, initialized, first = [], [], []
        for _ in range(options.spawns):
            bare.append(bare_start(environment))
            start = server_start(command, environment, tool)
            initialized.append(start[0])
            first.append(start[1])
        queries = sample_queries(artifact)[: options.queries]
        with serving(command, environment) as one:
            one.initialize()
            one.call(tool, query="warm up")
            served, engines = searches(one, artifact, tool, queries, options.rounds)
            looked_up = gets(one, artifact, options.rounds)
            alone = one.memory()
            with serving(command, environment) as two:
                two.initialize()
                for round_ in range(options.rounds):
                    for text in queries:
                        two.call(tool, query=asked_anew(text, round_))
                second = two.memory()
    print("| | median | bar |")
    print("| --- | ---: | --- |")
    row("bare interpreter start", median(bare), "ms")
    row("spawn to `initialize`", median(initialized), "ms")
    met = [
        row("... in bare starts", median(initialized) / median(bare), "times", MAX_START_RATIO),
        row("spawn to first hybrid answer", median(first), "ms", MAX_FIRST_SEARCH_MS),
        row("later hybrid search", median(served), "ms", MAX_SEARCH_MS),
    ]
    row("encode + vectors + lexical in process", median(engines), "ms")
    ratio = median(served) / median(engines)
    met.append(row("... a served search, in these", ratio, "times", MAX_SEARCH_RATIO))
    if looked_up:
        met.append(row("get a builtin", median(looked_up), "ms", MAX_GET_MS))
    met.append(row("private memory", alone.uss / 1e6, "MB", MAX_PRIVATE_MB))
    row("proportional memory, one process", alone.pss / 1e6, "MB")
    met.append(
        row("proportional memory of a second process", second.pss / 1e6, "MB", alone.pss / 1e6)
    )
    print(f"\nThe goal for the first hybrid answer is {GOAL_FIRST_SEARCH_MS:g} ms.")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
