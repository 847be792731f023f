"""A hub of models on this machine, which speaks the part of the protocol that downloads use."""

from __future__ import annotations

import hashlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from kbc.encoding.pinned import PINNED_NAME, REVISION


@dataclass
class Hub:
    """`altered` files have one byte changed. Of `cut`, by file, so many answers end in the middle; `ranges`
    are the ranges that were asked for, `requests` all requests."""

    folder: Path
    url: str = ""
    altered: set[str] = field(default_factory=set)
    cut: dict[str, int] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    ranges: list[str] = field(default_factory=list)

    def content(self, name: str) -> bytes | None:
        path = self.folder / name
        if not path.is_file():
            return None
        data = path.read_bytes()
        if name in self.altered:
            data = data[:-1] + bytes([data[-1] ^ 1])
        return data


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    prefix = f"/{PINNED_NAME}/resolve/{REVISION}/"

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def _answer(self, *, with_body: bool) -> None:
            hub.requests.append(f"{self.command} {self.path}")
            path = urlsplit(
                self.path
            ).path  # a client that takes it for a proxy sends the whole URL
            name = path.removeprefix(prefix)
            data = hub.content(name) if path != name else None
            if data is None:
                self.send_response(404)
                self.send_header("X-Error-Code", "EntryNotFound")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            asked = self.headers.get("Range", "")
            first = int(asked.removeprefix("bytes=").partition("-")[0]) if asked else 0
            self.send_response(206 if asked else 200)
            if asked:
                hub.ranges.append(asked)
                self.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
            self.send_header("Content-Length", str(len(data) - first))
            self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()}"')
            self.send_header("X-Repo-Commit", REVISION)
            self.send_header("Accept-Ranges", "bytes")
            self.end_headers()
            if not with_body:
                return
            if hub.cut.get(name, 0) > 0:
                hub.cut[name] -= 1
                self.wfile.write(data[first : first + (len(data) - first) // 2])
                self.wfile.flush()
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True
                return
            self.wfile.write(data[first:])

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients that leave
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
