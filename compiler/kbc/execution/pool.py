"""The workers of a build, opened when there is the first task for them."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import UsageError
from kbc.execution.cluster import dask_workers
from kbc.execution.errors import ClusterError

if TYPE_CHECKING:
    from kbc.encoding.encoder import RemoteEncoder

THREADS, PROCESSES, DASK = "threads", "processes", "dask:"

# By name: Dask is not always installed.
_LOST = {
    "BrokenExecutor": "workers-lost",
    "CancelledError": "scheduler-lost",
    "ClosedClientError": "scheduler-lost",
    "KilledWorker": "workers-lost",
}
_HINTS = {
    "scheduler-lost": "Start it again.",
    "workers-lost": "Find out what killed them, such as a memory limit.",
}


class WorkerPool:
    """Workers in other processes, by the name of an executor; None in `submit` and `encoder` where it
    is "threads". A context manager: leaving it ends what it started.

    `notes` says in sentences which workers were refused.
    """

    def __init__(self, name: str, jobs: int, payload: Callable[[], tuple[str, bytes]]) -> None:
        """`payload` gives what workers need, and its name. Raises `UsageError` for an unknown `name`."""
        if name not in (THREADS, PROCESSES) and name.removeprefix(DASK) in ("", name):
            raise UsageError(
                f"{name!r} is not an executor; use {THREADS}, {PROCESSES} or {DASK}tcp://HOST:PORT"
            )
        self.notes: list[str] = []
        self._name = name
        self._jobs = jobs
        self._payload = payload
        self._opened: tuple[str, Executor, int] | None = None
        self._stack = ExitStack()

    @property
    def is_remote(self) -> bool:
        return self._name != THREADS

    def submit(self, phase: str, items: Sequence[Any]) -> Callable[[], list[Any]]:
        """Starts a phase over `items`: "chunks" or "terms". What it gives waits for the results."""
        from kbc.execution import worker  # imports all phases

        phases: dict[str, Callable[[str, Sequence[Any]], list[Any]]]
        phases = {"chunks": worker.chunk, "terms": worker.terms}
        name, executor, _ = self._open()
        with self.explained():
            future: Future[list[Any]] = executor.submit(phases[phase], name, items)

        def result() -> list[Any]:
            with self.explained():
                return future.result()

        return result

    def encoder(self) -> RemoteEncoder:
        from kbc.encoding.encoder import RemoteEncoder
        from kbc.execution import worker

        name, executor, width = self._open()
        return RemoteEncoder(executor, partial(worker.embed, name), width)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Makes one sentence of what the loss of workers raises."""
        try:
            yield
        except Exception as error:
            code = _lost(error)
            if not code:
                raise
            if code == "scheduler-lost":
                message = f"the scheduler at {self._name.removeprefix(DASK)} was lost"
            elif self._name == PROCESSES:
                message = "a process of --executor processes died"
            else:
                message = "workers repeatedly died in the middle of a task"
            raise ClusterError(
                code,
                message,
                f"{_HINTS[code]} What was embedded is in the cache; the next build continues from there.",
            ) from error

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._opened = None
        self._stack.close()

    def _open(self) -> tuple[str, Executor, int]:
        if self._opened is None:
            name, data = self._payload()
            if self._name == PROCESSES:
                entered = self._stack.enter_context(_processes(self._jobs, name, data)), self._jobs
            else:
                address = self._name.removeprefix(DASK)
                entered = self._stack.enter_context(dask_workers(address, name, data, self.notes))
            self._opened = name, *entered
        return self._opened


def _lost(error: Exception) -> str:
    """The code of `ClusterError` for what executors raise; "" for other errors."""
    names = (parent.__name__ for parent in type(error).__mro__)
    return next((_LOST[name] for name in names if name in _LOST), "")


@contextmanager
def _processes(jobs: int, name: str, data: bytes) -> Iterator[Executor]:
    # Not forked: the threads of libraries that are loaded do not survive that.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, context, _start, (name, data))
    try:
        with _without_interrupts():
            for _ in range(jobs):  # each starts a process, as long as none is idle
                pool.submit(os.getpid)
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Processes that are started here never get the SIGINT of Ctrl-C, which a terminal sends to all: the
    build ends them itself, and they would say where they were."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # which unblocks the signal when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(name: str, data: bytes) -> None:
    from kbc.execution import worker

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where `_without_interrupts` cannot
    Thread(target=_end_with_build, daemon=True).start()
    if refusal := worker.admit(name, data):
        raise RuntimeError(refusal)


def _end_with_build() -> None:
    """Ends a worker whose build was killed: it would wait for tasks forever, with the encoder in memory."""
    if (build := multiprocessing.parent_process()) is not None:
        build.join()
        os._exit(1)
