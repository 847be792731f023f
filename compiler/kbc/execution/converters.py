"""Processes that convert files ahead of the build, which converts meanwhile itself.

They are started where the files that are left would take long. A build takes files from the front, its
processes from the back; where none can be started, or one dies, the build does everything itself.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from kbc.cache.phases import spreading

if TYPE_CHECKING:
    import subprocess

    from kbc.formats import ConversionRequest

WORTH_S = 2.0
"""Seconds of a processor to be saved by each process, which takes half of one to start."""

_SAMPLE = 0.1
"""The part of `WORTH_S` that is measured before the rest is estimated."""

_WINDOW_BYTES = 64 << 10
_WINDOW_FILES = 8
_SERVE = (
    "import sys; sys.path[:] = {!r}; from kbc.execution.conversion_worker import serve; serve()"
)

Convert = Callable[["ConversionRequest"], Any]
IsCurrent = Callable[["ConversionRequest", Any], bool]


@dataclass(slots=True)
class _Window:
    """Files that are converted together. `is_reached`: the build has asked for one of them."""

    requests: Sequence[ConversionRequest]
    size_bytes: int
    future: Future[list[Any]] | None = None
    is_reached: bool = False


class Converters:
    """Up to `jobs` - 1 processes. A context manager: leaving it ends them."""

    def __init__(self, jobs: int, worth_s: float = WORTH_S) -> None:
        self._most = jobs - 1 if sys.executable and not getattr(sys, "frozen", False) else 0
        self._worth_s = worth_s
        self._waiting: list[_Window] = []  # in the order in which processes would take them
        self._threads: ThreadPoolExecutor | None = None
        self._local = threading.local()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._is_lost = False
        self._frames = 0
        self._seconds, self._bytes = 0.0, 0  # of what was converted here
        self._loaded: set[str] = (
            set()
        )  # modules of formats: the first file of one takes their import

    def spread(
        self, requests: Sequence[ConversionRequest], compute: Convert, is_current: IsCurrent
    ) -> list[Callable[[], Any]]:
        """What gives the result of each, to be called in order; see `kbc.cache.phases.Spread`."""
        can_share = self._most > 0 and len(requests) > 1
        windows = list(_windows([each for each in requests if not each.shows_headers]))
        if can_share and self._threads is not None:
            self._submit(windows[::-1])
        elif can_share:
            self._waiting = [each for each in self._waiting if not each.is_reached]
            self._waiting += windows[::-1]
        places = {
            id(request): (window, place)
            for window in windows
            for place, request in enumerate(window.requests)
        }

        def result(request: ConversionRequest) -> Any:
            found = self._received(*places[id(request)]) if id(request) in places else None
            if found is not None and is_current(request, found):
                return found
            return self._here(request, compute)

        return [partial(result, request) for request in requests]

    def _received(self, window: _Window, place: int) -> Any:
        """What a process has of a file; None where the build converts it itself."""
        window.is_reached = True
        if window.future is None or window.future.cancel():
            return None
        try:
            return window.future.result()[place]
        except Exception:  # the process is lost, or has nothing that can be sent
            return None

    def _here(self, request: ConversionRequest, compute: Convert) -> Any:
        started, self._frames = _processor_s(), frames_left()
        found = compute(request)
        module = request.chosen.module
        if module in self._loaded:
            self._seconds += _processor_s() - started
            self._bytes += len(request.data)
        self._loaded.add(module)
        if self._threads is None and self._seconds >= self._worth_s * _SAMPLE:
            self._start_if_worth()
        return found

    def _start_if_worth(self) -> None:
        left = sum(each.size_bytes for each in self._waiting if not each.is_reached)
        expected_s = left * self._seconds / max(self._bytes, 1)
        if not left or expected_s < self._worth_s:
            return
        count = min(self._most, int(expected_s / self._worth_s) if self._worth_s else self._most)
        self._threads = ThreadPoolExecutor(count, "kbc-convert")
        self._submit([each for each in self._waiting if not each.is_reached])
        self._waiting.clear()

    def _submit(self, windows: Sequence[_Window]) -> None:
        assert self._threads is not None
        for window in windows if not self._is_lost else ():
            try:
                window.future = self._threads.submit(self._converted, window.requests)
            except RuntimeError:  # no more threads can be started
                self._is_lost = True
                break

    def _converted(self, requests: Sequence[ConversionRequest]) -> list[Any]:
        """The conversions of files by the process of this thread; None for what that cannot say."""
        if self._is_lost:
            raise EOFError
        try:
            process = self._process()
            assert process.stdin is not None
            assert process.stdout is not None
            first = requests[0]
            shared = first.labels, first.doxygen.stated if first.doxygen is not None else None
            is_known = self._local.shared is shared[0]
            self._local.shared = shared[0]
            plain = [replace(each, labels=None, doxygen=None) for each in requests]
            message = pickle.dumps((None if is_known else shared, self._frames, plain))
            process.stdin.write(message)
            process.stdin.flush()
            found: list[Any] = pickle.load(process.stdout)
            return found
        except BaseException:
            self._is_lost = True
            raise

    def _process(self) -> subprocess.Popen[bytes]:
        import subprocess  # which small builds do without

        found: subprocess.Popen[bytes] | None = getattr(self._local, "process", None)
        if found is None:
            # Not by multiprocessing, which runs the main module of a program once more.
            found = subprocess.Popen(
                [sys.executable, "-c", _SERVE.format(sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self._local.process, self._local.shared = found, self
            self._processes.append(found)
        return found

    def __enter__(self) -> Converters:
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._threads is None:
            return
        self._is_lost = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._processes:
            process.kill()
        self._threads.shutdown()
        for process in self._processes:
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):  # closing flushes what the process did not take
                    if pipe is not None:
                        pipe.close()
            process.wait()
        self._threads, self._processes = None, []


@contextmanager
def converting(jobs: int) -> Iterator[None]:
    """While the body runs, other processes help with files that are converted, `jobs` in all."""
    with Converters(min(jobs, _processors()), WORTH_S) as found, spreading("convert", found.spread):
        yield


def _processors() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processor_s() -> float:
    """The time of a processor that this thread and programs that it ran have taken."""
    times = os.times()
    return time.thread_time() + times.children_user + times.children_system


def _windows(requests: Sequence[ConversionRequest]) -> Iterator[_Window]:
    found: list[ConversionRequest] = []
    size_bytes = 0
    for request in requests:
        found.append(request)
        size_bytes += len(request.data)
        if size_bytes >= _WINDOW_BYTES or len(found) == _WINDOW_FILES:
            yield _Window(found, size_bytes)
            found, size_bytes = [], 0
    if found:
        yield _Window(found, size_bytes)


def frames_left() -> int:
    """How many calls the caller of this may nest before a `RecursionError`."""
    depth, frame = 0, sys._getframe(1)
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    return sys.getrecursionlimit() - depth
