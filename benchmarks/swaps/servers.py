"""A server process of either transport, and the one that has many stdio conversations at once."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.swaps.clients import HttpClient, StdioClient
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp.dispatch import Dispatcher

ROOT = Path(__file__).parents[2]


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
