"""Writes the status of a source tree's follower, even if the disk is full."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kb_runtime.live.workspace import write_whole


class StatusFile:
    """The status at a path, written where it is another one.

    Where there is no space for a new file, the old one is overwritten: its blocks are there. Where that
    cannot be either, the status is a line of JSON on stderr, which the server that started this process
    reads, until `{}` says that the file holds again.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._written: Mapping[str, Any] = {}
        self._told: Mapping[str, Any] = {}

    def say(self, status: Mapping[str, Any]) -> None:
        if status == self._written:
            return
        data = json.dumps(status).encode()
        try:
            write_whole(self._path, data)
        except OSError:
            try:
                _overwrite(self._path, data)
            except OSError:
                self._tell(status)
                return
        self._written = dict(status)
        self._tell({})

    def _tell(self, status: Mapping[str, Any]) -> None:
        if status != self._told:
            self._told = dict(status)
            print(json.dumps(status), file=sys.stderr, flush=True)


def _overwrite(path: str, data: bytes) -> None:
    """Writes over what the file holds, in one call, and so that it stays as long. Raises `OSError`."""
    with Path(path).open("r+b", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        if size == 0:  # no block is there
            raise FileNotFoundError(path)
        padded = data.ljust(size)
        if file.write(padded) != len(padded):
            raise OSError(f"{path} is cut off")
