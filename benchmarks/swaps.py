"""Clients that never pause while what they ask is published again and again.

    python -m benchmarks.swaps [--swaps 200] [--clients 20] [--transport http,stdio,alone] [--kbs 1]

A small knowledge base, of which every page carries the number of its version, is built and published
`--swaps` times while one server answers `--clients` clients, over HTTP or over as many conversations of
the stdio front end. With `--kbs 2` another knowledge base, which stays as it is, is served with it.

    errors       answers that are errors, of the protocol or of a tool
    mixed        answers with the numbers of two versions
    backwards    answers older than one that the same client had before
    late         answers to calls made after a publication returned that still show the version before;
                 the first call after it opens the new version, and others go on with the old one
                 meanwhile, so there may be some, for the time that opening takes (`latest` in ms)

`alone` is one process that swaps between three versions five times as often, calls every tool after each
swap and collects garbage before it looks at its memory: what it still grows by is a leak.

Memory (private: USS), descriptors, maps and threads of the server are taken after each swap, but for the
first tenth, in which it warms up; the median of the last third is compared with that of the first, because a
version that is being opened or closed at the moment is no growth. Exit code 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from http.client import HTTPConnection
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any, Protocol

import psutil

from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.store.manifest import CURRENT
from kbc.pipeline.build import BuildOptions, build
from kbc.pipeline.resident import Engines, Resident

ROOT = Path(__file__).parents[1]
PAGES = 8
REVISION = "2025-11-25"
TIMEOUT_S = 60
# An allocator keeps what it has once had, and takes memory by pieces of some megabytes: growth below the
# larger of these is not told from that.
MAX_GROWTH = 0.15
MAX_GROWTH_MB = 20
# A server need not have opened all sections of the version of the moment: so many files, or this share.
MAX_MORE_OPEN = 16
MAX_OPEN_SHARE = 0.10
MAX_LATE_MS = 250.0
_NUMBER = re.compile(r"release(\d+)x")
_SHARED = ("docs", "notes")


@dataclass
class State:
    """What the server's process holds, or the medians of that."""

    memory_mb: float
    descriptors: float
    maps: float
    threads: float

    @classmethod
    def middle(cls, states: Sequence[State]) -> State:
        return cls(*(median(getattr(each, one.name) for each in states) for one in fields(cls)))


@dataclass
class Outcome:
    """What clients saw, and what the server's process held in the course of the swaps."""

    swaps: int
    calls: int = 0
    errors: list[str] = field(default_factory=list)
    mixed: list[str] = field(default_factory=list)
    backwards: int = 0
    late: int = 0
    latest_ms: float = 0.0
    told: int = 0
    versions_seen: set[int] = field(default_factory=set)
    states: list[State] = field(default_factory=list)

    @property
    def early(self) -> State:
        """In the first third."""
        return State.middle(self.states[: self._third])

    @property
    def final(self) -> State:
        """In the last third."""
        return State.middle(self.states[-self._third :])

    @property
    def _third(self) -> int:
        return max(1, len(self.states) // 3)

    @property
    def missed(self) -> list[str]:
        """The bars that were missed."""
        missed = [name for name in ("errors", "mixed", "backwards") if getattr(self, name)]
        if self.latest_ms > MAX_LATE_MS:
            missed.append("late")
        return [*missed, *self.grown]

    @property
    def grown(self) -> list[str]:
        """What the server's process holds more of than at the beginning."""
        early, final = self.early, self.final
        allowed_mb = max(MAX_GROWTH_MB, early.memory_mb * MAX_GROWTH)
        grown = ["memory"] if final.memory_mb > early.memory_mb + allowed_mb else []
        for name in ("descriptors", "maps", "threads"):
            before = getattr(early, name)
            if getattr(final, name) > before + max(MAX_MORE_OPEN, before * MAX_OPEN_SHARE):
                grown.append(name)
        return grown


class Author:
    """Publishes versions of a knowledge base, whose number every text carries."""

    def __init__(self, folder: Path, *, embed: bool) -> None:
        self._root = folder
        self._embed = embed
        self._resident = Resident(Engines())
        self.published = 0
        self.published_at = 0.0
        (folder / "kb" / "docs").mkdir(parents=True)
        (folder / "kb" / "kb.toml").write_text(
            '[kb]\nname = "swaps"\ntitle = "Swaps"\nversion = "1"\nprefix = "swaps"\n'
        )

    def publish(self) -> Path:
        """The folder of the knowledge base, after another version of it was published."""
        number = self.published + 1
        for page in range(PAGES):
            (self._root / "kb" / "docs" / f"page{page}.md").write_text(
                f"# Page {page} of release{number}x\n\nThe lantern of release{number}x burns.\n\n"
                f"## Oil\n\nFill release{number}x with oil number {page * number}.\n"
            )
        options = BuildOptions(out=self._root / "out", embed=self._embed)
        path = build(self._root / "kb", options, None, self._resident).path
        self.published, self.published_at = number, time.perf_counter()
        return path.parent


class Client(Protocol):
    told: int

    def call(self, method: str, params: dict[str, Any]) -> Any:
        """The answer to one request, as JSON values."""

    def close(self) -> None: ...


class HttpClient:
    told = 0

    def __init__(self, port: int, timeout_s: float = TIMEOUT_S) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=timeout_s)

    def call(self, method: str, params: dict[str, Any]) -> Any:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        headers = {
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            "mcp-protocol-version": REVISION,
        }
        self._connection.request("POST", "/mcp", body, headers)
        return json.loads(self._connection.getresponse().read())

    def close(self) -> None:
        self._connection.close()


class StdioClient:
    """One conversation with the stdio front end, which is told of changed lists."""

    def __init__(self, path: str) -> None:
        self.told = 0
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(TIMEOUT_S)
        self._socket.connect(path)
        self._lines = self._socket.makefile("rwb")
        hello = {
            "protocolVersion": REVISION,
            "capabilities": {},
            "clientInfo": {"name": "swaps", "version": "1"},
        }
        self.call("initialize", hello)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, method: str, params: dict[str, Any]) -> Any:
        self._send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        while True:
            message = json.loads(self._lines.readline())
            if "id" in message:
                return message
            self.told += 1

    def close(self) -> None:
        self._lines.close()
        self._socket.close()

    def _send(self, message: dict[str, Any]) -> None:
        self._lines.write(json.dumps(message).encode() + b"\n")
        self._lines.flush()


def _tool(name: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    return "tools/call", {"name": f"swaps_{name}", "arguments": arguments}


CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    _tool("hybrid_search", query="lantern oil", k=8),
    _tool("get_doc", filename="page3.md"),
    _tool("list_docs"),
    _tool("search_docs", query="burns"),
    ("resources/list", {}),
    _tool("hybrid_search", query="how is it lit", k=3),
    _tool("doc_outline", path="page5.md"),
    ("tools/list", {}),
)


class Traffic:
    """Clients that call without pause until they are stopped."""

    def __init__(self, clients: list[Client], author: Author, outcome: Outcome) -> None:
        self._author = author
        self._outcome = outcome
        self._guard = threading.Lock()
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(each,)) for each in clients]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def _run(self, client: Client) -> None:
        newest = 0
        for method, params in cycle(CALLS):
            if self._stopped.is_set():
                break
            expected, since = self._author.published, self._author.published_at
            begun = time.perf_counter()
            try:
                answer = client.call(method, params)
            except Exception as error:
                answer = {"error": f"{type(error).__name__}: {error}"}
            newest = self._judge(f"{method} {params}", answer, expected, begun - since, newest)
        with self._guard:
            self._outcome.told += client.told
        client.close()

    def _judge(self, what: str, answer: Any, expected: int, age_s: float, newest: int) -> int:
        """Counts an answer; gives the newest version that its client has seen."""
        text = json.dumps(answer)
        numbers = {int(number) for number in _NUMBER.findall(text)}
        with self._guard:
            out = self._outcome
            out.calls += 1
            out.versions_seen |= numbers
            if "error" in answer or answer["result"].get("isError"):
                out.errors.append(f"{what}: {text[:300]}")
            elif len(numbers) > 1:
                out.mixed.append(f"{what}: {sorted(numbers)}")
            elif numbers:
                (number,) = numbers
                out.backwards += number < newest
                if number < expected:
                    out.late += 1
                    out.latest_ms = max(out.latest_ms, age_s * 1000)
                newest = max(newest, number)
        return newest


def state_of(process: psutil.Process) -> State:
    return State(
        memory_mb=process.memory_full_info().uss / 1e6,
        descriptors=process.num_fds(),
        maps=len(process.memory_maps(grouped=False)),
        threads=process.num_threads(),
    )


@contextmanager
def server(transport: str, folders: list[Path], scratch: Path) -> Iterator[tuple[Any, Any]]:
    """A server process, and what makes a client of it."""
    paths = [str(folder) for folder in folders]
    if transport == "http":
        command = [
            sys.executable,
            "-m",
            "kb_runtime",
            *paths,
            "--tools",
            "all",
            "--http",
            "--port",
            "0",
        ]
    else:
        command = [sys.executable, "-m", "benchmarks.swaps", "--serve", str(scratch / "s"), *paths]
    with subprocess.Popen(command, stderr=subprocess.PIPE, cwd=ROOT, text=True) as process:
        assert process.stderr is not None
        try:
            line = ""
            while "listening on" not in line:
                line = process.stderr.readline()
                if not line:
                    raise RuntimeError("the server did not start")
            echo = threading.Thread(
                target=lambda: [sys.stderr.write(each) for each in process.stderr or ()]
            )
            echo.start()
            if transport == "http":
                port = int(line.rpartition(":")[2].partition("/")[0])
                yield process, lambda: HttpClient(port)
            else:
                yield process, lambda: StdioClient(str(scratch / "s"))
        finally:
            process.terminate()
            process.wait()
            echo.join()


def run(
    transport: str, *, swaps: int, clients: int, scratch: Path, embed: bool = True, kbs: int = 1
) -> Outcome:
    """One run; `scratch` is an empty folder."""
    author = Author(scratch / "swaps", embed=embed)
    folders = [author.publish()]
    if kbs > 1:
        folders.append(_other(scratch / "other", embed))
    outcome = Outcome(swaps)
    with server(transport, folders, scratch) as (process, connect):
        watched = psutil.Process(process.pid)
        traffic = Traffic([connect() for _ in range(clients)], author, outcome)
        try:
            for number in range(1, swaps + 1):
                author.publish()
                if number > swaps // 10:
                    outcome.states.append(state_of(watched))
        finally:
            traffic.stop()
    return outcome


def run_alone(swaps: int, scratch: Path) -> Outcome:
    """Swaps in this process, which nothing else disturbs; see the module's text."""
    author = Author(scratch / "swaps", embed=True)
    folder = author.publish()
    versions = [(folder / CURRENT).read_text()]
    for _ in range(2):
        author.publish()
        versions.append((folder / CURRENT).read_text())
    del author  # and the engines of its builds
    live = LiveArtifact(folder)
    dispatcher = Dispatcher(live)
    outcome = Outcome(5 * swaps)
    for number in range(1, outcome.swaps + 1):
        (scratch / "next").write_text(versions[number % 3])
        (scratch / "next").replace(folder / CURRENT)
        for method, params in CALLS:
            answer = {"result": dispatcher.handle(method, params, REVISION)}
            outcome.calls += 1
            seen = {int(each) for each in _NUMBER.findall(json.dumps(answer))}
            outcome.versions_seen |= seen
            if len(seen) > 1:
                outcome.mixed.append(f"{method} {params}: {sorted(seen)}")
        if number in (outcome.swaps // 10, outcome.swaps):
            time.sleep(1)  # the engine's threads of the last versions need a moment to end
            gc.collect()
            outcome.states.append(state_of(psutil.Process()))
    live.close()
    return outcome


def _other(folder: Path, embed: bool) -> Path:
    """A knowledge base that stays as it is."""
    (folder / "kb" / "docs").mkdir(parents=True)
    (folder / "kb" / "kb.toml").write_text('[kb]\nname = "other"\ntitle = "Other"\nversion = "1"\n')
    for name in _SHARED:
        text = f"# {name}\n\nA lamp needs oil, and a match.\n"
        (folder / "kb" / "docs" / f"{name}.md").write_text(text)
    return build(folder / "kb", BuildOptions(out=folder / "out", embed=embed)).path.parent


def serve(path: str, folders: list[str]) -> None:
    """As many conversations of the stdio front end as come to the Unix socket `path`."""
    from kb_runtime.mcp.changes import Changes
    from kb_runtime.mcp.connection import Connection
    from kb_runtime.mcp.prefetch import Prefetcher
    from kb_runtime.mcp.stdio import StdioServer

    live = LiveArtifact(*folders)
    dispatcher = Dispatcher(live)
    changes = Changes(live, dispatcher)
    Prefetcher(live).start()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        print("listening on", path, file=sys.stderr, flush=True)
        while True:
            conversation, _ = listener.accept()
            number = conversation.detach()
            one = StdioServer(Connection(dispatcher.handle, lambda: changes), lambda: None)
            changes.listen(one.tell)
            # Input and output are two descriptors, as those of a client are: each is polled for itself.
            ends = number, os.dup(number)
            threading.Thread(target=one.serve, args=ends, daemon=True).start()


def report(transport: str, outcome: Outcome) -> None:
    early, final = outcome.early, outcome.final
    print(f"{transport}: {outcome.swaps} swaps, {outcome.calls} calls")
    print(f"  versions seen   {len(outcome.versions_seen)}")
    print(f"  errors          {len(outcome.errors)}")
    print(f"  mixed           {len(outcome.mixed)}")
    print(f"  backwards       {outcome.backwards}")
    print(f"  late            {outcome.late} (latest {outcome.latest_ms:.0f} ms)")
    print(f"  notifications   {outcome.told}")
    print(f"  memory          {early.memory_mb:.1f} -> {final.memory_mb:.1f} MB")
    for name in ("descriptors", "maps", "threads"):
        print(f"  {name:<15} {getattr(early, name):g} -> {getattr(final, name):g}")
    for example in (outcome.errors + outcome.mixed)[:3]:
        print(f"  {example}")
    print(f"  missed          {', '.join(outcome.missed) or 'nothing'}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--swaps", type=int, default=200)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--transport", default="http,stdio,alone")
    parser.add_argument("--kbs", type=int, default=1)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("folders", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, options.folders)
        return 0
    missed = False
    for transport in options.transport.split(","):
        with tempfile.TemporaryDirectory(prefix="kbc-swaps-") as name:
            if transport == "alone":
                outcome = run_alone(options.swaps, Path(name))
            else:
                outcome = run(
                    transport,
                    swaps=options.swaps,
                    clients=options.clients,
                    scratch=Path(name),
                    kbs=options.kbs,
                )
        report(transport, outcome)
        missed = missed or bool(outcome.missed)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
