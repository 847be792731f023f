"""The metrics that Prometheus scrapes from `/metrics`.

Workers share a folder of mapped files, one set per place, and any of them answers for all. A worker that
replaces a dead one continues its counts, so counters never decrease.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from kb_runtime.mcp.observation import CALL, Observation

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Where prometheus-client looks for the workers' folder, when it is imported and later."""

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Upper bounds of the histogram: a lookup takes under 1 ms, a search some, a cold one up to 0.4 s."""


class Metrics:
    """The metrics of one process. Thread-safe."""

    def __init__(self, place: int = 0, folder: str = "") -> None:
        """With `folder`, which all workers share, this is the worker at `place`."""
        if folder:
            # Temporary folders are cleaned up by age: a worker without one could never start.
            os.makedirs(folder, mode=0o700, exist_ok=True)
            os.environ[FOLDER_VARIABLE] = folder
        import prometheus_client as prometheus
        from prometheus_client import values

        if folder:
            # Files are named after the place instead of the process: there are never more of them.
            values.ValueClass = values.MultiProcessValue(lambda: place)  # type: ignore[no-untyped-call]
        self._folder = folder
        self._registry = registry = prometheus.CollectorRegistry()
        self._calls = prometheus.Counter(
            "kbc_calls", "Tool calls by outcome.", ("tool", "outcome"), registry=registry
        )
        self._seconds = prometheus.Histogram(
            "kbc_call_seconds",
            "Duration of a tool call in the server.",
            ("tool",),
            buckets=SECONDS,
            registry=registry,
        )
        self._responses = prometheus.Counter(
            "kbc_http_responses", "HTTP responses by status.", ("status",), registry=registry
        )
        self._swaps = prometheus.Counter(
            "kbc_swaps", "Switches of a worker to a new version.", registry=registry
        )
        self._open = prometheus.Gauge(
            "kbc_http_requests_open",
            "HTTP requests in progress.",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self._builds = prometheus.Gauge(
            "kbc_build_info",
            "Workers that serve this build of the knowledge base.",
            ("name", "version", "build"),
            registry=registry,
            multiprocess_mode="livesum",
        )
        self._served: tuple[str, str, str] | None = None

    def observe(self, seen: Observation) -> None:
        if seen.method == CALL:
            self._calls.labels(seen.tool, seen.outcome).inc()
            self._seconds.labels(seen.tool).observe(seen.seconds)

    def request_begins(self) -> None:
        self._open.inc()

    def request_ends(self, status: int) -> None:
        """`status` is 0 for a request whose client left before it was answered."""
        self._open.dec()
        if status:
            self._responses.labels(str(status)).inc()

    def serves(self, name: str, version: str, build: str) -> None:
        """What is served from now on; the second time and later this was a swap."""
        if self._served is not None:
            self._builds.labels(*self._served).set(0)
            self._swaps.inc()
        self._served = (name, version, build)
        self._builds.labels(*self._served).set(1)

    def text(self) -> tuple[bytes, str]:
        """The metrics of all workers in Prometheus' text format, and its content type."""
        from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

        return generate_latest(self._collected()), CONTENT_TYPE_LATEST

    def _collected(self) -> CollectorRegistry:
        if not self._folder:
            return self._registry
        from prometheus_client import CollectorRegistry
        from prometheus_client.multiprocess import MultiProcessCollector

        together = CollectorRegistry()
        MultiProcessCollector(together, self._folder)  # type: ignore[no-untyped-call]
        return together


def forget_gauges(folder: str, place: int) -> None:
    """Removes the gauges of the worker at `place`, which has ended. Its counters stay. A folder that is
    gone, as temporary ones may be, has none: that is no reason to end the server."""
    with suppress(OSError):
        for name in os.listdir(folder):
            if name.startswith("gauge_") and name.endswith(f"_{place}.db"):
                os.remove(os.path.join(folder, name))
