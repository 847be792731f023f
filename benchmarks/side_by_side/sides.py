"""What two compilers and their servers take: builds, starts, answers, memory."""

from __future__ import annotations

import os
import re
import resource
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.search.latency import asked_anew
from benchmarks.stdio import Server, elapsed_ms, serving


@dataclass(slots=True)
class Side:
    """A compiler and its server, and what was measured of them: seconds of builds, milliseconds else.

    `build` compiles; `command` starts the server, in `environment`.
    """

    name: str
    build: Callable[[], None]
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    build_s: list[float] = field(default_factory=list)
    build_cpu_s: list[float] = field(default_factory=list)
    start_ms: list[float] = field(default_factory=list)
    first_ms: list[float] = field(default_factory=list)
    call_ms: list[float] = field(default_factory=list)
    again_ms: list[float] = field(default_factory=list)
    call_cpu_ms: float = 0.0
    private_mb: float = 0.0


def measure_build(side: Side) -> None:
    """Builds once; the time of the processor is that of all processes that the build starts."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    side.build()
    side.build_s.append(time.perf_counter() - start)
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    side.build_cpu_s.append(now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime)


def measure_start(side: Side, tool: str) -> None:
    """Starts the server once, up to the answer to a first search with `tool`."""
    start = time.perf_counter()
    with serving(side.command, dict(side.environment)) as server:
        server.initialize()
        side.start_ms.append(elapsed_ms(start))
        server.call(tool, query="how do I begin")
        side.first_ms.append(elapsed_ms(start))


def measure_calls(sides: Sequence[Side], tool: str, questions: Sequence[str], rounds: int) -> None:
    """Every question `rounds` times to both servers in turn, never with the same text, and then `rounds`
    times as it was asked last; a first round warms them up."""
    with (
        serving(sides[0].command, dict(sides[0].environment)) as one,
        serving(sides[1].command, dict(sides[1].environment)) as two,
    ):
        servers = list(zip(sides, (one, two), strict=True))
        for _side, server in servers:
            server.initialize()
            for text in questions:
                server.call(tool, query=text)
        before = [cpu_s(server) for _side, server in servers]
        for round_ in range(1, rounds + 1):
            for text in questions:
                for side, server in servers:
                    start = time.perf_counter()
                    server.call(tool, query=asked_anew(text, round_))
                    side.call_ms.append(elapsed_ms(start))
        for (side, server), used in zip(servers, before, strict=True):
            side.call_cpu_ms = (cpu_s(server) - used) / len(side.call_ms) * 1e3
        for _ in range(rounds):
            for text in questions:
                for side, server in servers:
                    start = time.perf_counter()
                    server.call(tool, query=asked_anew(text, rounds))
                    side.again_ms.append(elapsed_ms(start))
        for side, server in servers:
            side.private_mb = private_mb(server)


def cpu_s(server: Server) -> float:
    """CPU seconds of all threads of a server so far."""
    tasks = Path(f"/proc/{server.process.pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def private_mb(server: Server) -> float:
    """Memory that is this process's alone and that no file backs, in MB."""
    text = Path(f"/proc/{server.process.pid}/smaps_rollup").read_text()
    found = re.search(r"^Private_Dirty: +(\d+) kB", text, re.MULTILINE)
    assert found is not None
    return int(found[1]) / 1e3


def p95(values: Sequence[float]) -> float:
    return sorted(values)[int(0.95 * len(values))]
