"""An hour of mixed calls on both transports, with a new version every ten seconds: does anything grow?

    python -m benchmarks.soak [--minutes 60] [--clients 4] [--every 10] [--transport http,stdio]
                              [--beside ARTIFACT]

One server answers over HTTP, another one over stdio's front end; `--clients` clients each call tools,
resources and lists in turn, with a pause between calls, while a small knowledge base is edited and
published; `--beside` is served with it, and stays as it is. After each publication memory (private:
USS), descriptors and threads of both servers are taken.

    errors, mixed, backwards    as in `benchmarks.swaps`                              must be 0
    slope                       of a line through the samples after the first quarter, in which a server
                                warms up: no more than 5 MB, descriptors or threads an hour, or in all a
                                twentieth of the first of these samples, whichever is more

Latency is p50, p99 and maximum of a call, seen by the client. Exit code 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, fields
from pathlib import Path
from statistics import linear_regression, quantiles
from typing import Any

import psutil

from benchmarks.swaps.clients import Client
from benchmarks.swaps.outcome import Outcome, State, state_of
from benchmarks.swaps.servers import server
from benchmarks.swaps.traffic import Author, Traffic

PAUSE_S = 0.05
TRANSPORTS = ("http", "stdio")
WARM_UP = 4  # the first of so many parts of the samples
MOST_AN_HOUR = 5.0
MOST_SHARE = 20


class Timed:
    """A client that pauses after each call and remembers how long the call took."""

    def __init__(self, client: Client, seconds: list[float]) -> None:
        self._client = client
        self._seconds = seconds

    @property
    def told(self) -> int:
        return self._client.told

    def call(self, method: str, params: dict[str, Any]) -> Any:
        began = time.perf_counter()
        answer = self._client.call(method, params)
        self._seconds.append(time.perf_counter() - began)
        time.sleep(PAUSE_S)
        return answer

    def close(self) -> None:
        self._client.close()


@dataclass
class Soaked:
    """What one server did: samples with their times in hours, and seconds of each call."""

    outcome: Outcome
    hours: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def slopes(self) -> dict[str, tuple[float, float]]:
        """By what is measured: its first settled sample, and its growth by hour."""
        start = len(self.hours) // WARM_UP
        hours, states = self.hours[start:], self.outcome.states[start:]
        found = {}
        for name in (one.name for one in fields(State) if one.name != "maps"):
            values = [float(getattr(state, name)) for state in states]
            found[name] = values[0], linear_regression(hours, values).slope
        return found

    def missed(self) -> list[str]:
        bars = [name for name in ("errors", "mixed", "backwards") if getattr(self.outcome, name)]
        span = self.hours[-1] - self.hours[len(self.hours) // WARM_UP]
        for name, (first, slope) in self.slopes().items():
            if slope * span > max(MOST_AN_HOUR * span, first / MOST_SHARE):
                bars.append(name)
        return bars


def run(
    minutes: float,
    clients: int,
    every_s: float,
    scratch: Path,
    beside: Sequence[Path] = (),
    transports: Sequence[str] = TRANSPORTS,
) -> dict[str, Soaked]:
    """By transport; `scratch` is an empty folder."""
    author = Author(scratch / "swaps", embed=True)
    folder = author.publish()
    swaps = max(8, int(minutes * 60 / every_s))
    soaked = {transport: Soaked(Outcome(swaps)) for transport in transports}
    with ExitStack() as servers:
        watched: dict[str, psutil.Process] = {}
        traffics: list[Traffic] = []
        for transport, one in soaked.items():
            process, connect = servers.enter_context(server(transport, [folder, *beside], scratch))
            watched[transport] = psutil.Process(process.pid)
            made: Sequence[Any] = [Timed(connect(), one.seconds) for _ in range(clients)]
            traffics.append(Traffic(list(made), author, one.outcome))
        began = time.monotonic()
        try:
            for number in range(1, swaps + 1):
                _wait_until(began + number * every_s)
                author.publish()
                for transport, one in soaked.items():
                    one.hours.append((time.monotonic() - began) / 3600)
                    one.outcome.states.append(state_of(watched[transport]))
        finally:
            for traffic in traffics:
                traffic.stop()
    return soaked


def _wait_until(moment: float) -> None:
    threading.Event().wait(max(0.0, moment - time.monotonic()))


def report(soaked: dict[str, Soaked]) -> list[str]:
    lines = []
    for transport, one in soaked.items():
        cuts = quantiles(one.seconds, n=100)
        lines.append(
            f"{transport}: {one.outcome.calls:,} calls, {one.outcome.swaps:,} swaps;"
            f" p50 {cuts[49] * 1000:.1f} ms, p99 {cuts[98] * 1000:.1f} ms,"
            f" max {max(one.seconds) * 1000:.0f} ms; errors {len(one.outcome.errors)},"
            f" mixed {len(one.outcome.mixed)}, backwards {one.outcome.backwards}"
        )
        for name, (first, slope) in one.slopes().items():
            last = getattr(one.outcome.states[-1], name)
            lines.append(f"    {name}: {first:.1f} to {last:.1f}, slope {slope:+.1f} an hour")
        lines += [f"    {each}" for each in (*one.outcome.errors[:3], *one.outcome.mixed[:3])]
    return lines


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=4, help="on each transport")
    parser.add_argument("--every", type=float, default=10.0, help="seconds between versions")
    parser.add_argument("--transport", default=",".join(TRANSPORTS))
    parser.add_argument("--beside", action="append", default=[], type=Path, metavar="ARTIFACT")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="kbc-bench-") as name:
        transports = options.transport.split(",")
        scratch = Path(name)
        soaked = run(
            options.minutes, options.clients, options.every, scratch, options.beside, transports
        )
    print("\n".join(report(soaked)))
    missed = [f"{transport} {bar}" for transport, one in soaked.items() for bar in one.missed()]
    print(f"missed: {', '.join(missed)}" if missed else "all bars were met")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
