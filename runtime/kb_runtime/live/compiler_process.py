"""Runs the compiler as a separate process; the runtime itself never compiles.

The process leads a process group of its own, and holds the reading end of a pipe whose other end only
the server has. However the server ends, the kernel then ends the group: `kbc.following.tied` arms that.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from threading import Thread
from typing import IO, Any

from kb_runtime.errors import SingleCodeError, exit_codes

try:
    import resource
except ImportError:  # no limits on this system
    resource = None  # type: ignore[assignment]

TIED = "--tied"
"""The option that ties the compiler to its stdin."""

MEMORY_BYTES = 3 << 30
"""Private memory of a compiler: embedding takes 0.4 GB, what it maps (weights, indexes) not counted;
the index of a large tree under construction takes the rest. See `benchmarks.workspace`."""

_STOPPING_S = 2.0  # to clean up after SIGTERM
_KEPT_BYTES = 16_384  # of stderr, the end
_MAX_REPORT_BYTES = 32 << 20


class CompilerError(SingleCodeError):
    """The compiler did not do what it was asked; what was published before still is.

    `diagnostics` are those of the build, in lines.
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
        _limit_memory(self._process.pid, memory_bytes)
        self._report = _Reader(self._process.stdout, _MAX_REPORT_BYTES)
        self._complaints = _Reader(self._process.stderr, _KEPT_BYTES)

    def send(self, line: bytes) -> None:
        """Writes one line to its stdin, which stays open: its end would be the process's."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended, and its exit code tells why
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Whether it has ended within `timeout_s` seconds (None: waits for the end)."""
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def report(self) -> dict[str, Any]:
        """What it printed as JSON, once it has ended. Raises `CompilerError` where it failed."""
        code = self._process.returncode
        told = self._json()
        if code == exit_codes.OK and told is not None:
            return told
        error = (told or {}).get("error")
        if not isinstance(error, dict):
            raise CompilerError(_death(code, self._complaints.text()))
        message = f"{str(error.get('message', '')).rstrip('.')}."
        hint = str(error.get("hint", ""))
        if code == exit_codes.EXTRA:
            raise CompilerMissingError(message, hint)
        raise CompilerError(message, hint, _lines((told or {}).get("diagnostics", ())))

    def last_object(self) -> dict[str, Any]:
        """The last line of its stderr, so far, that is an object in JSON; empty where none is."""
        for line in reversed(self._complaints.so_far().splitlines()):
            with suppress(ValueError):
                told = json.loads(line)
                if isinstance(told, dict):
                    return told
        return {}

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def stop(self) -> None:
        """Ends it and all it started: asked first, so that it removes what is unfinished."""
        for deadly in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, deadly)
            if self.wait(_STOPPING_S):
                break
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        self._report.close()
        self._complaints.close()

    def __enter__(self) -> CompilerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _json(self) -> dict[str, Any] | None:
        try:
            told = json.loads(self._report.text())
        except ValueError:
            return None
        return told if isinstance(told, dict) else None


def compile_with(arguments: list[str], line: bytes, timeout_s: float) -> dict[str, Any]:
    """Runs the compiler to its end and gives its report; `line` is what it reads from stdin.

    Raises `CompilerError`, also when it takes longer than `timeout_s` seconds.
    """
    with CompilerProcess(arguments) as process:
        process.send(line)
        if not process.wait(timeout_s):
            raise CompilerError(
                f"The compiler was stopped after {timeout_s:g} seconds.",
                "What it embedded is kept: repeat the call to go on from there.",
            )
        return process.report()


class _Reader:
    """Reads a pipe to its end on a thread of its own and keeps the last bytes."""

    def __init__(self, pipe: IO[bytes] | None, kept_bytes: int) -> None:
        assert pipe is not None
        self._pipe = pipe
        self._kept = bytearray()
        self._kept_bytes = kept_bytes
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()

    def text(self) -> str:
        self._thread.join(_STOPPING_S)
        return self.so_far()

    def so_far(self) -> str:
        return bytes(self._kept).decode("utf-8", "replace")

    def close(self) -> None:
        self._thread.join(_STOPPING_S)
        if not self._thread.is_alive():  # else somebody outside of the group holds the pipe
            self._pipe.close()

    def _read(self) -> None:
        while data := os.read(self._pipe.fileno(), 65_536):
            self._kept += data
            del self._kept[: -self._kept_bytes]


def _limit_memory(pid: int, memory_bytes: int) -> None:
    """Limits the private writable memory, which mapped weights and indexes do not count to: address
    space, of which ONNX Runtime and Tantivy reserve gigabytes, tells nothing. Linux only."""
    if resource is not None and hasattr(resource, "prlimit"):
        with suppress(OSError):
            resource.prlimit(pid, resource.RLIMIT_DATA, (memory_bytes, memory_bytes))


def _death(code: int, complaints: str) -> str:
    """What to say of a compiler that said nothing itself."""
    how = f"with exit code {code}"
    if code < 0:
        with suppress(ValueError):
            how = f"by {signal.Signals(-code).name}"
    last = complaints.strip().rpartition("\n")[2]
    return f"The compiler ended {how}{f': {last}' if last else '.'}"


def _lines(diagnostics: Any) -> tuple[str, ...]:
    """Errors and warnings of a build as `path:line: message`."""
    lines = []
    for found in diagnostics if isinstance(diagnostics, list) else ():
        if found.get("severity") == "note":
            continue
        place = ":".join(str(found[name]) for name in ("path", "line") if found.get(name))
        lines.append(f"{place}: {found.get('message', '')}" if place else found.get("message", ""))
    return tuple(lines)
