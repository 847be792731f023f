"""The listening socket of an HTTP server, opened before what answers requests is imported."""

from __future__ import annotations

import socket

from kb_runtime import log

QUEUE = 2048
"""Connections that the system keeps until a worker takes them."""


class Listener(socket.socket):
    """A listening socket whose queue stays at `QUEUE`: event loops call `listen` with the number of
    connections that they accept at once."""

    def listen(self, backlog: int = QUEUE, /) -> None:
        del backlog
        super().listen(QUEUE)


def listen(host: str, port: int) -> Listener:
    """Port 0 takes a free one. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family, backlog=QUEUE) as made:
        return Listener(fileno=made.detach())


def announce(listener: Listener, host: str, *, has_token: bool) -> None:
    """Logs the server's address, and a warning where anyone can read the knowledge base."""
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listener.getsockname()[1]}/mcp"
    log.say(f"listening on {address}", program="kbc serve", level="info", address=address)
    if not has_token and not is_loopback(host):
        log.say(
            "anyone who can reach this address can read the knowledge base; --token-file restricts that",
            program="kbc serve",
        )


def is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")
