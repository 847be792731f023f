"""A process that has imported the compiler, and forks one that runs a command for each line on stdin.

A line is a JSON object: `call` (the name of a function in `benchmarks.injection.commands` and its arguments),
`folder`, and the fault: `kind`, `number`. The answer has `code` (negative: a signal), `count` and `said`.
With `log` and `trace`, names of files, operations are recorded there (`benchmarks.injection.shim`).
With `alone` no other process is at work, and what a killed one left counts as abandoned at once.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
import threading
import time
from contextlib import suppress
from typing import Any

from benchmarks.injection import commands
from benchmarks.injection.faults import COUNT, FAULTS, MEMORY
from benchmarks.injection.shim import Shim
from kb_runtime.store import temporary_folders

TIMEOUT_S = 120.0
HANG = 1000


# Removals need no memory to speak of; the names of variables are none of files.
_SPARED = ("os.remove", "os.rmdir", "os.putenv", "os.unsetenv")


class _Memory:
    """Raises MemoryError at an operation on files below a folder, of those that Python audits."""

    def __init__(self, folder: str, number: int, trace: int) -> None:
        self._folder, self._number, self._trace = folder, number, trace
        self.count = 0

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in _SPARED or not (event == "open" or event.startswith("os.")):
            return
        name = arguments[0] if arguments else None
        if isinstance(name, (bytes, os.PathLike)):
            name = os.fsdecode(name)
        if isinstance(name, str) and not name.startswith("/"):
            name = f"{self._folder}/{name}"
        if isinstance(name, str) and name.startswith(self._folder):
            self.count += 1
            if self._trace >= 0:
                thread = threading.get_native_id()
                os.write(self._trace, os.fsencode(f"{thread}\t{event}\t{name}\t\n"))
            if self.count == self._number:
                raise MemoryError


def _suffer(order: dict[str, Any], result: int, log: int, trace: int) -> int:
    """Runs in the forked process; gives its exit code."""
    fault, shim = FAULTS[order["kind"]], Shim()
    folder = order["folder"]
    memory = _Memory(folder, order["number"], trace) if order["kind"] == MEMORY else None
    os.environ["HOME"] = f"{folder}/home"
    os.chdir(folder)
    if order.get("alone"):
        temporary_folders.LOCKED_WITHIN_S = 0.0
    name, *arguments = order["call"]
    known = set(sys.modules)
    if name in commands.BEFORE:
        commands.BEFORE[name](*arguments)
    if memory is not None:
        sys.addaudithook(memory)
    else:
        shim.arm(
            *(folder, fault.error, order["number"], fault.kinds),
            stays=fault.stays,
            log=log,
            trace=trace,
        )
    try:
        code: int = getattr(commands, name)(*arguments)
    finally:
        counted = shim.disarm()
        if memory is not None:
            memory.count, counted = -1, memory.count
    os.write(result, json.dumps([counted, sorted(set(sys.modules) - known)]).encode())
    return code


def _one(order: dict[str, Any]) -> dict[str, Any]:
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as said:
        log, trace = _recording(order.get("log")), _recording(order.get("trace"))
        child = os.fork()
        if not child:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # orders are none of its business
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            code = 70
            try:
                code = _suffer(order, writing, log, trace)
            except BaseException:
                import traceback

                traceback.print_exc()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        os.close(writing)
        for recording in (log, trace):
            if recording >= 0:
                os.close(recording)
        code = _waited(child)
        counted, imported = json.loads(os.read(reading, 1 << 16) or "[0, []]")
        os.close(reading)
        said.seek(0)
        text = said.read().decode(errors="replace")
    if not order["number"]:
        _import(imported)
    return {"code": code, "count": counted, "said": text[-2000:]}


def _import(names: list[str]) -> None:
    """Spares the next process what this one has imported."""
    for name in names:
        if not name.startswith("lance"):  # it starts threads
            with suppress(Exception):
                importlib.import_module(name)


def _recording(path: str | None) -> int:
    return -1 if path is None else os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)


def _waited(child: int) -> int:
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return HANG


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    commands.import_all()
    for line in sys.stdin:
        order = json.loads(line)
        answers.write(json.dumps(_one({"kind": COUNT, "number": 0, **order})) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
