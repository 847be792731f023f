"""Serves the explorer by itself, on loopback."""

from __future__ import annotations

import socket
import threading
import time
import webbrowser
from collections.abc import Callable
from contextlib import suppress

import uvicorn

import kb_runtime as kr
from kb_runtime.explorer.app import build_app
from kb_runtime.explorer.visit import Explorer

HOST = "127.0.0.1"
DEFAULT_PORT = 8766
_LOOKS_S = 0.05


def serve(
    explorer: Explorer, port: int, announce: Callable[[str], None], *, open_browser: bool = True
) -> None:
    """Serves until it is interrupted. `announce` is told the address. Port 0 takes a free one. Raises
    `ArtifactError` for an artifact that cannot be opened, and `KbcError` for a port that is taken."""
    explorer.bases.state()  # opens every artifact: what is wrong is said now
    listener = _listen(port)
    address = f"http://{HOST}:{listener.getsockname()[1]}/"
    config = uvicorn.Config(
        build_app(explorer),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    announce(address)
    threading.Thread(target=warm, args=(explorer,), daemon=True).start()
    if open_browser:
        threading.Thread(target=_open_when_ready, args=(server, address), daemon=True).start()
    try:
        server.run(sockets=[listener])
    finally:
        listener.close()
        explorer.bases.close()


def warm(explorer: Explorer) -> None:
    """Searches once in each artifact: the first search loads the engines, which takes most of a second."""
    for base in explorer.bases.all:
        with suppress(kr.KbcError), base.use() as opened:
            opened.kb.search("warm up", limit=1)
            opened.kb.count_tokens("warm up")


def _open_when_ready(server: uvicorn.Server, address: str) -> None:
    while not server.started:
        time.sleep(_LOOKS_S)
    webbrowser.open(address)


def _listen(port: int) -> socket.socket:
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        raise kr.KbcError(
            "usage",
            f"cannot listen on {HOST} port {port}: {error.strerror}.",
            "Choose another port with --port, or 0 for a free one.",
            2,
        ) from None
