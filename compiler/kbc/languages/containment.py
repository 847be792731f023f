"""Runs parsers on the files of a build in a process of their own, with limits on time and memory.

A parser is native code, and nothing interrupts it here: some take time and memory for the square of a file
that is not of their language or that was made to harm, ten gigabytes for 30 kB, and a fault in one would end
the build. There is one such process for a build, a copy of the builder's from the first file that needs it,
so that it takes no time to start; only on Linux, where copies are safe. Elsewhere, outside of `contained`
and for small files of most languages everything is parsed here.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from kbc.cache.codec import pack, unpack
from kbc.diagnostics import OutOfTimeError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

SMALL_BYTES = 4096
"""What the worst parser found does with so much takes four seconds, or 230 MB."""

_FAULTY = frozenset({"perl", "typst"})
"""Languages whose parsers may not end, or end the process, on a few hundred bytes: on a quoting operator
with the delimiter `#`, on brackets in brackets."""

SECONDS = 10
SECONDS_PER_BYTE = 20e-6
"""Forty times what the slowest parser takes for source of its language; most take a thousandth."""

MEMORY_BYTES = 2 << 30
"""On top of what the build takes. A tree takes up to a hundred times its source, which has 8 MB at most."""

Result = TypeVar("Result")

_DONE, _RAISED, _NO_MEMORY = b"\0", b"\1", b"\2"


class TooComplexError(OutOfTimeError):
    """A parser takes too much time or memory for a file, or ends its process."""


@contextmanager
def contained() -> Iterator[None]:
    """While the body runs, in whatever thread, parsers run in a process of their own."""
    global _users
    with _lock:
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                _end()
                _verdicts.clear()


def run(
    function: Callable[[str, str], Result], text: str, language: str, kind: type[Result] | Any
) -> Result:
    """`function` of a text and its language: one of a module, whose result has the type `kind` and can be
    packed. Raises `TooComplexError`."""
    source = text.encode("utf-8", "surrogatepass")
    if not _is_for_process(source, language):
        return function(text, language)
    answer = _ask(function, source, language)
    return function(text, language) if answer is None else unpack(kind, answer)


def is_bounded(source: bytes, language: str, parse: Callable[[str, str], bool]) -> bool:
    """Whether a source may be parsed in this process: `parse` ends in the other one, unless a function
    has already `run` there on the same text."""
    if not _is_for_process(source, language):
        return True
    key = hash((language, source))
    if key not in _verdicts:
        with suppress(TooComplexError):
            _ask(parse, source, language)
    return _verdicts.get(key, True)


def _is_for_process(source: bytes, language: str) -> bool:
    is_small = len(source) <= SMALL_BYTES and language not in _FAULTY
    return bool(_users) and not is_small and sys.platform == "linux"


def _ask(function: Callable[[str, str], Any], source: bytes, language: str) -> bytes | None:
    """The packed result; None where the function raises, which it may do again here."""
    global _process
    key = hash((language, source))
    with _lock:
        if not _verdicts.get(key, True):
            raise TooComplexError
        if _process is None:
            _process = _Process()
        try:
            answer = _process.ask([function.__module__, function.__name__, language], source)
        except BaseException as error:
            _end()
            if isinstance(error, TooComplexError):
                _verdicts[key] = False
            raise
        _verdicts[key] = True
        return answer


def _end() -> None:
    global _process
    if _process is not None:
        _process.end()
        _process = None


class _Process:
    def __init__(self) -> None:
        from multiprocessing import Pipe

        self._connection, theirs = Pipe()
        with warnings.catch_warnings():  # about the threads of libraries, which are not used there
            warnings.simplefilter("ignore", DeprecationWarning)
            self._pid = os.fork()
        if not self._pid:
            _serve(theirs)
        theirs.close()

    def ask(self, request: list[str], source: bytes) -> bytes | None:
        try:
            for part in (pack(request), source):
                self._connection.send_bytes(part)
            answer = self._connection.recv_bytes()
        except (EOFError, OSError):  # the latter also where it ends within an answer
            raise TooComplexError from None
        if answer[:1] == _NO_MEMORY:
            raise TooComplexError
        return answer[1:] if answer[:1] == _DONE else None

    def end(self) -> None:
        self._connection.close()
        with suppress(OSError):
            os.kill(self._pid, signal.SIGKILL)
        with suppress(ChildProcessError):  # where the builder ignores the ends of its processes
            os.waitpid(self._pid, 0)


def _serve(connection: Connection) -> NoReturn:
    """The other process: answers until nobody can ask."""
    try:
        _prepare(connection.fileno())
        while True:
            module, name, language = unpack(list[str], connection.recv_bytes())
            source = connection.recv_bytes()
            connection.send_bytes(_answer(getattr(import_module(module), name), source, language))
    finally:
        os._exit(0)


def _answer(function: Callable[[str, str], Any], source: bytes, language: str) -> bytes:
    import resource

    end = time.process_time() + SECONDS + SECONDS_PER_BYTE * len(source)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    with suppress(ValueError):  # the builder's own limit is lower
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(end), hard))
    try:
        return _DONE + pack(function(source.decode("utf-8", "surrogatepass"), language))
    except MemoryError:
        return _NO_MEMORY
    except Exception:
        return _RAISED


def _prepare(used: int) -> None:
    """Keeps this process from doing what is its builder's: holding locks and files, writing, ending on
    Ctrl-C before its builder has."""
    import gc
    import resource

    global _users
    _users = 0
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    opened = [int(file.name) for file in Path("/proc/self/fd").iterdir()]
    for file in {*opened} - {0, 1, 2, used}:
        with suppress(OSError):
            os.close(file)
    gc.freeze()
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * os.sysconf("SC_PAGE_SIZE") + MEMORY_BYTES
    for limit, value in ((resource.RLIMIT_AS, most), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(limit)
        with suppress(ValueError):
            resource.setrlimit(limit, (value, hard))


_lock = Lock()
_users = 0
_process: _Process | None = None
_verdicts: dict[int, bool] = {}  # by language and source: whether it was parsed within the limits
