"""A process that answers a line with a line of JSON, and is started again when it has died."""

from __future__ import annotations

import json
import os
import re
import resource
import select
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def peak_bytes() -> int:
    """The most memory that this process has had, in bytes. `ru_maxrss` is at least that of the process
    which started it: a large one would make its workers look large."""
    status = Path("/proc/self/status")
    if status.exists() and (
        found := re.search(r"^VmHWM:\s*(\d+) kB", status.read_text(), re.MULTILINE)
    ):
        return int(found[1]) << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


class LinedWorker:
    """`ended` is how the last one ended: an exit code, negative for a signal, or "too late"."""

    def __init__(self, command: Sequence[str], timeout_s: float) -> None:
        self._command = command
        self._timeout_s = timeout_s
        self._process: subprocess.Popen[bytes] | None = None
        self.ended: int | str | None = None

    def ask(self, line: str) -> Any:
        """The answer; None where the process died or took too long."""
        process = self._process = self._process or self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
            ready, _, _ = select.select([process.stdout], [], [], self._timeout_s)
            if not ready:
                self._end("too late")
                return None
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = b""
        if answer:
            return json.loads(answer)
        self._end(None)
        return None

    def close(self) -> None:
        if self._process is not None:
            self._process.communicate()
            self._process = None

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )

    def _end(self, why: str | None) -> None:
        assert self._process is not None
        if why:
            self._process.kill()
        self._process.communicate()
        self.ended = why or self._process.returncode
        self._process = None
