"""Reads what a child process writes, so that it never waits for its reader."""

from __future__ import annotations

import os
from threading import Thread
from typing import IO

_LAST_WORDS_S = 2.0
"""How long the rest of a pipe is waited for when its process has ended: others may hold it open."""


class PipeReader:
    """Reads a pipe to its end on a thread of its own and keeps the last bytes."""

    def __init__(self, pipe: IO[bytes] | None, kept_bytes: int) -> None:
        assert pipe is not None
        self._pipe = pipe
        self._kept = bytearray()
        self._kept_bytes = kept_bytes
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()

    def text(self) -> str:
        self._thread.join(_LAST_WORDS_S)
        return self.so_far()

    def so_far(self) -> str:
        return bytes(self._kept).decode("utf-8", "replace")

    def close(self) -> None:
        self._thread.join(_LAST_WORDS_S)
        if not self._thread.is_alive():  # else a process outside of the group holds the pipe
            self._pipe.close()

    def _read(self) -> None:
        while data := os.read(self._pipe.fileno(), 65_536):
            self._kept += data
            del self._kept[: -self._kept_bytes]
