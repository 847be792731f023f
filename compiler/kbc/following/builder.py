"""Runs the process that parses and embeds a source tree while the follower goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from kb_runtime.errors import exit_codes

LOW_PRIORITY = 10
"""A tenth of a busy core's time. At the lowest, 19, it is a hundredth: an index that took 5 s was not
there after 45 s while four other processes were computing."""

LIMIT_S = 4 * 3600.0
"""The longest that a build may take. 10,469 chunks took 201.5 s of CPU (`benchmarks.watch`), so that
100,000 take about half an hour of one core. This leaves room for chunks four times as long on a core
half as fast, and what is embedded by then is in the cache for the next build."""
_STOPPING_S = (
    5.0  # to clean up after SIGTERM, which a process that hangs in native code does not see
)


def build_command(workspace: str, tree: Path, model: Path | None = None) -> list[str]:
    """What builds the tree with vectors, as a process of its own; `--edits` its edited files."""
    return [
        *(sys.executable, "-P", "-m", "kbc", "workspace", "index", workspace),
        *("--code", str(tree), "--tied", "--json"),
        *(() if model is None else ("--model", str(model))),
    ]


class Cause(Enum):
    """What failed a build, which tells when another attempt is worth it."""

    FILES = "the files as they were"
    SIGNAL = "something that killed the process"
    TIME = "its time limit"
    SETTING = "something that a person has to mend"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a build failed, in sentences."""

    problem: str
    cause: Cause


class Builder:
    """A running build. It ends with this process, and is in its group."""

    def __init__(self, command: list[str], *, of_edits: bool) -> None:
        self.of_edits = of_edits
        # A file: a pipe would have to be emptied meanwhile.
        self._report = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=self._report, stderr=subprocess.DEVNULL
        )
        self._until = time.monotonic() + LIMIT_S
        with suppress(OSError):  # it has ended already
            os.setpriority(os.PRIO_PROCESS, self._process.pid, LOW_PRIORITY)

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    @property
    def is_overdue(self) -> bool:
        """Whether it has taken longer than it may."""
        return time.monotonic() >= self._until

    def finish(self) -> Failure | None:
        """Lets go of the process, which has ended; gives why it failed, None after success."""
        self._report.seek(0)
        told = self._report.read()
        self._release()
        code = self._process.returncode
        if not code:
            return None
        try:
            error = json.loads(told)["error"]
            problem = f"{error['message'].rstrip('.')}. {error['hint']}".strip()
        except (ValueError, KeyError, TypeError, AttributeError):
            problem = f"The process that embeds {_manner(code)}."
        if code == exit_codes.INPUT:
            return Failure(problem, Cause.FILES)
        return Failure(problem, Cause.SETTING if _signal(code) is None else Cause.SIGNAL)

    def stop(self) -> None:
        """Ends it; it removes what is unfinished, unless it hangs."""
        self._process.terminate()
        try:
            self._process.wait(_STOPPING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._release()

    def cut_short(self) -> Failure:
        """Ends it for having taken too long."""
        self.stop()
        return Failure(
            f"Embedding was stopped after {LIMIT_S / 3600:g} hours. What is embedded is kept, and the"
            " next attempt goes on from there.",
            Cause.TIME,
        )

    def _release(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._report.close()


def _signal(code: int) -> int | None:
    """The signal that ended a process with this exit code; SIGTERM, after which it cleans up, too."""
    if code < 0:
        return -code
    return signal.SIGTERM if code == 128 + signal.SIGTERM else None


def _manner(code: int) -> str:
    number = _signal(code)
    if number is None:
        return f"ended with exit code {code}"
    with suppress(ValueError):
        return f"was ended by {signal.Signals(number).name}"
    return f"was ended by signal {number}"
