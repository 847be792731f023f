"""Runs a program that reads a file, with a limit on processor time, which a busy machine does not use up."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence

from kbc.formats.document import FormatError

SECONDS = 8
"""Of the processor, where the system can limit it (Linux)."""

MAX_WAIT = 120
"""Seconds until a program is ended in any case."""


def run(
    name: str, command: Sequence[str], data: bytes, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """What the program printed for `data` on its standard input. Raises `FormatError`, which calls it `name`,
    when it was ended because it had used up its time."""
    late = FormatError(f"{name} did not read the file within {SECONDS} seconds")
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment
    ) as process:
        wait = _limited(process.pid)
        try:
            output, errors = process.communicate(data, wait)
        except subprocess.TimeoutExpired:
            process.kill()
            raise late from None
    if sys.platform == "linux":
        import signal

        if process.returncode == -signal.SIGXCPU:
            raise late
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def _limited(pid: int) -> int:
    """Limits the program's time; the seconds to wait for it."""
    if sys.platform != "linux":
        return SECONDS
    import resource

    try:
        resource.prlimit(pid, resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    except (ProcessLookupError, PermissionError):  # ended already; not allowed in this container
        return SECONDS
    return MAX_WAIT
