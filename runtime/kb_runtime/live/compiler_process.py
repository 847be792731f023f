"""Runs the compiler as a child process: the runtime itself never compiles.

The child leads a process group of its own. Its stdin is a pipe whose other end only this process has, so
that the child ends when this process ends in whatever way: see `kbc.following.parent_death`.
"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

from kb_runtime.errors import SingleCodeError, exit_codes
from kb_runtime.live.memory_limit import MemoryLimit
from kb_runtime.live.pipes import PipeReader

EXIT_WITH_PARENT = "--exit-with-parent"
"""The option that makes the compiler end when its stdin is closed."""

MEMORY_BYTES = 3 << 30
"""Private memory of a compiler: embedding takes 0.4 GB, what it maps (weights, indexes) not counted;
the index of a large tree under construction takes the rest. See `benchmarks.workspace`."""

_LOOK_S = 1.0  # between two looks at its memory
_STOPPING_S = 2.0  # to clean up after SIGTERM
_KEPT_BYTES = 16_384  # of stderr, the end
_NO_REASON = ("{", "note: run with ")  # how a status and the advice after a panic begin
_MAX_REPORT_BYTES = 32 << 20


class CompilerError(SingleCodeError):
    """The compiler failed, and what was published before stays live.

    `diagnostics` are the build's, one a line.
    """

    code = "compiler"
    exit_code = exit_codes.OUTPUT

    def __init__(self, message: str, hint: str = "", diagnostics: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint)
        self.diagnostics = diagnostics


class CompilerMissingError(CompilerError):
    """The compiler's dependencies are not installed; the hint is the command that installs them."""

    code = "compiler-missing"
    exit_code = exit_codes.EXTRA


class CompilerProcess:
    """A running compiler. A context manager: leaving it ends the process and all it started."""

    def __init__(self, arguments: list[str], memory_bytes: int = MEMORY_BYTES) -> None:
        """Starts `kbc` with `arguments`. Raises `CompilerError`."""
        try:
            self._process = subprocess.Popen(
                # -P: a module in the server's folder is not taken for one of the compiler's.
                [sys.executable, "-P", "-m", "kbc", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                process_group=0,
            )
        except OSError as error:
            raise CompilerError(f"The compiler cannot be started: {error.strerror}.") from error
        self._memory = MemoryLimit(self._process.pid, memory_bytes)
        self._is_out_of_memory = False
        self._report = PipeReader(self._process.stdout, _MAX_REPORT_BYTES)
        self._errors = PipeReader(self._process.stderr, _KEPT_BYTES)

    def send(self, line: bytes) -> None:
        """Writes one line to its stdin, which stays open: the compiler ends when it is closed."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended, and its exit code says why
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Whether it has ended within `timeout_s` seconds (None: waits for the end). One that is stuck at
        its limit of memory is ended."""
        deadline = math.inf if timeout_s is None else time.monotonic() + timeout_s
        while True:
            remaining = deadline - time.monotonic()
            try:
                self._process.wait(max(0.0, min(remaining, _LOOK_S)))
                return True
            except subprocess.TimeoutExpired:
                if self._memory.is_stuck():
                    self._is_out_of_memory = True
                    with suppress(ProcessLookupError, PermissionError):
                        self._signal(force=True)
                    self._process.wait()
                    return True
                if remaining <= _LOOK_S:
                    return False

    def report(self) -> dict[str, Any]:
        """What it printed as JSON, once it has ended. Raises `CompilerError` where it failed."""
        if self._is_out_of_memory:
            raise CompilerError(
                f"The compiler needs more than the {self._memory.limit_bytes >> 20:,} MB of memory that"
                " it may use."
            )
        code = self._process.returncode
        report = _object(self._report.text())
        if code == exit_codes.OK and report is not None:
            return report
        error = (report or {}).get("error")
        if not isinstance(error, dict):
            raise CompilerError(_ending(code, self._errors.text()))
        message = f"{str(error.get('message', '')).rstrip('.')}."
        hint = str(error.get("hint", ""))
        if code == exit_codes.EXTRA:
            raise CompilerMissingError(message, hint)
        raise CompilerError(message, hint, _lines((report or {}).get("diagnostics", ())))

    def last_status(self) -> dict[str, Any]:
        """The last JSON object among the lines of its stderr so far; empty where there is none."""
        said = self._errors.text() if self.has_ended else self._errors.so_far()
        for line in reversed(said.splitlines()):
            if (status := _object(line)) is not None:
                return status
        return {}

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def stop(self) -> None:
        """Ends it and all it started: with SIGTERM first, after which it removes unfinished files."""
        for force in (False, True):
            with suppress(ProcessLookupError, PermissionError):
                self._signal(force=force)
            if self.wait(_STOPPING_S):
                break
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        self._report.close()
        self._errors.close()

    def __enter__(self) -> CompilerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _signal(self, *, force: bool) -> None:
        if hasattr(os, "killpg"):
            os.killpg(self._process.pid, signal.SIGKILL if force else signal.SIGTERM)
        else:  # Windows has no process groups: what the child started ends with its own stdin
            self._process.kill()


def compile_with(arguments: list[str], line: bytes, timeout_s: float) -> dict[str, Any]:
    """Runs the compiler to its end and gives its report; `line` is what it reads from stdin.

    Raises `CompilerError`, also when it takes longer than `timeout_s` seconds.
    """
    with CompilerProcess(arguments) as process:
        process.send(line)
        if not process.wait(timeout_s):
            raise CompilerError(
                f"The compiler was stopped after {timeout_s:g} seconds.",
                "Finished embeddings are kept: repeat the call to continue.",
            )
        return process.report()


def _ending(code: int, errors: str) -> str:
    """A sentence about a compiler that reported nothing itself."""
    number = -code if code < 0 else code - 128 if code == 128 + signal.SIGTERM else 0
    manner = f"ended with exit code {code}"
    if number:
        with suppress(ValueError):
            manner = f"was ended by {signal.Signals(number).name}"
    lines = [
        line for line in errors.splitlines() if line.strip() and not line.startswith(_NO_REASON)
    ]
    return f"The compiler {manner}{f': {lines[-1]}' if lines else '.'}"


def _object(text: str) -> dict[str, Any] | None:
    """The JSON object that a text is: libraries print what they like."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _lines(diagnostics: Any) -> tuple[str, ...]:
    """Errors and warnings of a build as `path:line: message`."""
    lines = []
    for found in diagnostics if isinstance(diagnostics, list) else ():
        if not isinstance(found, dict) or found.get("severity") == "note":
            continue
        place = ":".join(str(found[name]) for name in ("path", "line") if found.get(name))
        lines.append(
            f"{place}: {found.get('message', '')}" if place else str(found.get("message", ""))
        )
    return tuple(lines)
