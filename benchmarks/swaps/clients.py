"""Clients of a server, over HTTP and over the stdio front end, and what they call."""

from __future__ import annotations

import json
import socket
from http.client import HTTPConnection
from typing import Any, Protocol

REVISION = "2025-11-25"
TIMEOUT_S = 60


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
