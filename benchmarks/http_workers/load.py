"""Many clients of an HTTP server in one thread, which cost little beside the server.

Requests are bytes that were made before; of a response no more is read than its length and whether the
search failed. A client asks again as soon as it is answered, and comes back on a new connection now and
then: workers share connections, not requests.
"""

from __future__ import annotations

import json
import re
import selectors
import socket
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle

from benchmarks.search.latency import asked_anew

REQUESTS_A_CONNECTION = 10
DISTINCT = 1_000
ANSWER_S = 120
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


def search_requests(address: str, tool: str, queries: Sequence[str]) -> list[bytes]:
    """A search for each query, as an HTTP request to `address`; and as many more, each in another form, as
    a server cannot remember."""
    return [
        _request(address, tool, asked_anew(query, round_))
        for round_ in range(-(-DISTINCT // len(queries)))
        for query in queries
    ]


def _request(address: str, tool: str, query: str) -> bytes:
    params = {"name": tool, "arguments": {"query": query}}
    body = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    ).encode()
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: {address.split('/')[2]}\r\nContent-Type: application/json\r\n"
        f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class _Connection:
    """One client: what it has received of the response that it waits for, and how often it still asks."""

    def __init__(self, place: tuple[str, int], request: bytes) -> None:
        self.socket = socket.create_connection(place, timeout=ANSWER_S)
        self.left = REQUESTS_A_CONNECTION
        self._received = bytearray()
        self.ask(request)

    def ask(self, request: bytes) -> None:
        self._received.clear()
        self.left -= 1
        self.socket.sendall(request)

    def is_answered(self) -> bool:
        """Reads what has come. Raises RuntimeError for anything but a search that succeeded."""
        data = self.socket.recv(1 << 18)
        self._received += data
        head = self._received.find(b"\r\n\r\n")
        if not data or (head >= 0 and not self._received.startswith(b"HTTP/1.1 200 ")):
            raise RuntimeError(f"the server answered {bytes(self._received[:300])!r}")
        length = _LENGTH.search(self._received, 0, max(head, 0))
        if length is None or len(self._received) < head + 4 + int(length[1]):
            return False
        if b'"isError":true' in self._received:
            raise RuntimeError(f"a search failed: {bytes(self._received[head:])!r}")
        return True


class Load:
    """`clients` clients, each of which waits for the answer to one request at any time."""

    def __init__(self, address: str, requests: Sequence[bytes], clients: int) -> None:
        host, _, port = address.split("/")[2].rpartition(":")
        self._place = (host, int(port))
        self._requests: Iterator[bytes] = cycle(requests)
        self._waiting = selectors.DefaultSelector()
        for _ in range(clients):
            self._connect()

    def run(self, until: Callable[[int], bool]) -> int:
        """Goes on until `until`, which is given how many searches were answered in this call, holds."""
        answered = 0
        while not until(answered):
            ready = self._waiting.select(timeout=ANSWER_S)
            if not ready:
                raise RuntimeError(f"nothing was answered for {ANSWER_S} s")
            for key, _ in ready:
                connection: _Connection = key.data
                if connection.is_answered():
                    answered += 1
                    self._again(connection)
        return answered

    def close(self) -> None:
        for key in list(self._waiting.get_map().values()):
            key.data.socket.close()
        self._waiting.close()

    def _again(self, connection: _Connection) -> None:
        if connection.left:
            connection.ask(next(self._requests))
            return
        self._waiting.unregister(connection.socket)
        connection.socket.close()
        self._connect()

    def _connect(self) -> None:
        connection = _Connection(self._place, next(self._requests))
        self._waiting.register(connection.socket, selectors.EVENT_READ, connection)
