"""Two replicas behind a proxy move to a new artifact under load: no request fails.

The steps are those of scripts/deploy/kubernetes.yaml: a new replica is ready before an old one leaves the
service, and the old one serves until then and finishes what it has begun.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.end_to_end.serving.test_http import address_of
from tests.waiting import PATIENCE_S, until

from kbc.pipeline.build import BuildOptions, build

CLIENTS = 4
FEWEST_CALLS = 40
"""Calls before the first replica is replaced, between the two, and after the second."""
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {
        "name": "farm_search",
        "arguments": {"query": "release"},
    },
}
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}


class Replica:
    def __init__(self, artifact: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kb_runtime", str(artifact), "--http", "--port", "0"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        address = urlsplit(address_of(self.process))
        assert address.hostname is not None
        assert address.port is not None
        self.host, self.port = address.hostname, address.port

    def is_ready(self) -> bool:
        """As a kubelet asks: by the pod's address, which is no loopback one."""
        connection = HTTPConnection(self.host, self.port, timeout=PATIENCE_S)
        try:
            connection.request("GET", "/healthz", headers={"Host": f"10.1.2.3:{self.port}"})
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def stop(self) -> int:
        self.process.terminate()
        code = self.process.wait(PATIENCE_S)
        assert self.process.stderr is not None
        self.process.stderr.close()
        return code


class Service:
    """What a service does: requests go to the ready replicas in turn."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ready: list[Replica] = []
        self._in_flight: Counter[Replica] = Counter()
        self._turn = 0

    def add(self, replica: Replica) -> None:
        until(replica.is_ready, "the replica to become ready")
        with self._lock:
            self._ready.append(replica)

    def remove(self, replica: Replica) -> None:
        """Sends no more requests to it, and waits as preStop does: those that are on their way arrive."""
        with self._lock:
            self._ready.remove(replica)
        until(lambda: not self._in_flight[replica], "requests to be answered")

    @contextmanager
    def next(self) -> Iterator[Replica]:
        """The replica for a request that takes as long as the context."""
        with self._lock:
            self._turn += 1
            replica = self._ready[self._turn % len(self._ready)]
            self._in_flight[replica] += 1
        try:
            yield replica
        finally:
            with self._lock:
                self._in_flight[replica] -= 1


@contextmanager
def proxy(service: Service) -> Iterator[int]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with service.next() as replica:
                backend = HTTPConnection(replica.host, replica.port, timeout=PATIENCE_S)
                try:
                    backend.request("POST", self.path, body, HEADERS)
                    answer = backend.getresponse()
                    status, data = answer.status, answer.read()
                except OSError as error:
                    status, data = 502, str(error).encode()
                finally:
                    backend.close()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


class Load:
    """Clients that call without a pause. `answers` are the versions that answered, in order."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._run) for _ in range(CLIENTS)]
        self.answers: list[str] = []
        self.failures: list[Any] = []

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def wait_for_more(self) -> None:
        wanted = len(self.answers) + FEWEST_CALLS
        until(lambda: len(self.answers) >= wanted or self.failures, "the load to go on")

    def _run(self) -> None:
        while not self._stopped.is_set() and not self.failures:
            connection = HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)
            try:
                connection.request("POST", "/mcp", json.dumps(CALL), HEADERS)
                answer = connection.getresponse()
                data = answer.read()
                if answer.status != 200:
                    self.failures.append((answer.status, data))
                    continue
                (hit, *_) = json.loads(data)["result"]["structuredContent"]["hits"]
                self.answers.append(hit["snippet"].rpartition(" ")[2].strip("."))
            except (OSError, ValueError, KeyError) as error:
                self.failures.append(error)
            finally:
                connection.close()


def artifact(folder: Path, release: str) -> Path:
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "news.md").write_text(f"# News\n\nThis is release {release}.\n")
    (folder / "kb.toml").write_text('[kb]\nname = "farm"\n')
    options = BuildOptions(out=folder / "out", cache=folder / "cache", embed=False)
    return build(folder, options).path.parent


@pytest.fixture
def replicas() -> Iterator[ExitStack]:
    with ExitStack() as started:
        yield started


@pytest.mark.slow
def test_two_replicas_roll_to_a_new_artifact_without_a_failed_request(
    tmp_path: Path, replicas: ExitStack
) -> None:
    old, new = artifact(tmp_path / "one", "one"), artifact(tmp_path / "two", "two")

    def start(path: Path) -> Replica:
        replica = Replica(path)
        replicas.callback(replica.process.kill)
        return replica

    service = Service()
    running = [start(old), start(old)]
    for replica in running:
        service.add(replica)
    with proxy(service) as port, Load(port) as load:
        load.wait_for_more()
        assert load.failures == []
        assert set(load.answers) == {"one"}
        for replica in running:
            service.add(start(new))
            service.remove(replica)
            assert replica.stop() == 0
            load.wait_for_more()
            assert load.failures == []
        done = len(load.answers)
        load.wait_for_more()
    assert load.failures == []
    assert set(load.answers) == {"one", "two"}
    assert set(load.answers[done:]) == {"two"}
