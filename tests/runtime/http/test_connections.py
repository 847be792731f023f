"""Clients that keep connections without saying what they want, against a real server."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from tests.waiting import PATIENCE_S, until

from kb_runtime.http.connections import ConnectionLimits, bounded
from kb_runtime.http.listening import listen
from kb_runtime.http.origins import NamedHosts

HALF_A_HEADER = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
HALF_A_BODY = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nhalf"
GET = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
PATIENT = ConnectionLimits(header_s=3600, body_s=3600, write_s=3600)

Address = tuple[str, int]


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Reads the body; answers `/long` with more than a connection buffers."""
    if scope["type"] != "http":
        return
    await Request(scope, receive).body()
    size = 64 << 20 if scope["path"] == "/long" else 2
    await PlainTextResponse(b"k" * size)(scope, receive, send)


@contextmanager
def serving(limits: ConnectionLimits) -> Iterator[Address]:
    listener = listen("127.0.0.1", 0)
    config = uvicorn.Config(
        echo, http=bounded(limits), log_config=None, access_log=False, lifespan="off"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    address: Address = listener.getsockname()
    thread.start()
    try:
        yield address
    finally:
        server.force_exit = server.should_exit = True
        thread.join(PATIENCE_S)


def connect(address: Address, *said: bytes) -> socket.socket:
    made = socket.create_connection(address, timeout=PATIENCE_S)
    for data in said:
        made.sendall(data)
    return made


def read_all(connection: socket.socket) -> bytes:
    """What comes until the server closes the connection; a timeout fails the test."""
    got = b""
    try:
        while data := connection.recv(65_536):
            got += data
    except ConnectionResetError:
        pass
    return got


@pytest.mark.parametrize("said", [b"", b"P", HALF_A_HEADER, HALF_A_BODY, GET + HALF_A_HEADER])
def test_what_a_client_does_not_finish_ends_with_a_deadline(said: bytes) -> None:
    with serving(ConnectionLimits(header_s=0.2, body_s=0.2)) as address:
        with connect(address, said) as slow:
            answer = read_all(slow)
        assert answer.count(b"200 OK") == said.count(GET)


def test_bytes_that_trickle_in_do_not_move_the_deadline() -> None:
    with serving(ConnectionLimits(header_s=0.3)) as address, connect(address) as slow:
        slow.settimeout(0.02)
        with pytest.raises(ConnectionError):
            trickle(slow)


def trickle(connection: socket.socket) -> None:
    """Sends a byte every 20 ms. Raises ConnectionError when the server has enough of it."""
    for _ in range(int(PATIENCE_S / 0.02)):
        connection.send(b"P")
        try:
            if not connection.recv(1):
                raise ConnectionResetError
        except TimeoutError:
            continue


def test_an_answer_that_is_not_read_ends_with_a_deadline() -> None:
    def is_served() -> bool:
        with connect(address, GET) as other, suppress(ConnectionResetError):
            return other.recv(65_536).startswith(b"HTTP/1.1 200 OK")
        return False

    limits = ConnectionLimits(write_s=0.2, total=1, by_address=1)
    with serving(limits) as address, connect(address, GET.replace(b"/ ", b"/long ")) as lazy:
        assert lazy.recv(1)
        until(is_served, "the only connection is free again")
        assert len(read_all(lazy)) < 64 << 20


def test_a_request_is_answered_however_many_say_nothing() -> None:
    with serving(PATIENT._replace(total=20, by_address=20)) as address, ExitStack() as opened:
        slow = [opened.enter_context(connect(address, HALF_A_HEADER)) for _ in range(60)]
        with connect(address, GET) as good:
            assert good.recv(65_536).startswith(b"HTTP/1.1 200 OK")
        closed = [each for each in slow[:40] if read_all(each) == b""]
        assert len(closed) == 40  # the oldest went first


def test_a_connection_too_many_is_told_so() -> None:
    limits = PATIENT._replace(total=2, by_address=2)
    with serving(limits) as address, ExitStack() as opened:
        for _ in range(2):
            busy = opened.enter_context(connect(address, GET.replace(b"/ ", b"/long ")))
            assert busy.recv(1)
        with connect(address) as third:
            answer = read_all(third)
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 503 ")
        assert f"content-length: {len(body)}".encode() in head


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="sockets are no descriptors there")
def test_a_server_with_few_descriptors_outlives_300_half_headers(artifact: Path) -> None:
    program = [sys.executable, "-m", "kb_runtime", str(artifact), "--http", "--port", "0"]
    limited = ["sh", "-c", 'ulimit -n 200; exec "$@"', "sh", *program]
    with subprocess.Popen(limited, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as server:
        assert server.stderr is not None
        try:
            url = server.stderr.readline().decode().split("listening on ")[1].strip()
            port = int(url.rsplit(":", 1)[1].split("/")[0])
            with ExitStack() as opened:
                for _ in range(300):
                    opened.enter_context(connect(("127.0.0.1", port), HALF_A_HEADER))
                ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
                accept = {"accept": "application/json, text/event-stream"}
                answer = httpx2.post(url, json=ping, headers=accept, timeout=PATIENCE_S)
                assert answer.json()["result"] == {}
        finally:
            server.kill()


def status(**headers: str) -> int:
    """What `NamedHosts` does with a request."""
    import anyio

    sent: list[Any] = []
    lines = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "path": "/mcp", "method": "POST", "headers": lines}
    guarded: Callable[..., Any] = NamedHosts(
        echo, ["127.0.0.1", "kb.example"], ["https://a.example"]
    )

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    anyio.run(guarded, scope, receive, send)
    assert Headers(raw=sent[0]["headers"])["content-type"]
    return int(sent[0]["status"])


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:80", "KB.example:65535"])
def test_a_host_may_have_any_port(host: str) -> None:
    assert status(host=host) == 200


@pytest.mark.parametrize(
    "host",
    ["", "127.0.0.1:evil.example", "127.0.0.1:", "127.0.0.1:80 ", "kb.example.evil", "127.0.0.1:٣"],
)
def test_a_host_is_compared_whole(host: str) -> None:
    assert status(host=host) == 421


@pytest.mark.parametrize("origin", ["http://localhost:3000", "https://a.example"])
def test_allowed_origins_pass(origin: str) -> None:
    assert status(host="127.0.0.1", origin=origin) == 200


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "null",
        "http://localhost:@evil.example",
        "https://a.example:444",
        "http://localhost.evil",
    ],
)
def test_an_origin_is_compared_whole(origin: str) -> None:
    assert status(host="127.0.0.1", origin=origin) == 403
