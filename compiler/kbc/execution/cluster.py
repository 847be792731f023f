"""The workers of a Dask cluster as an executor; see docs/scaling.md.

Dask restarts what a lost worker was doing elsewhere. Its own configuration says how to connect: TLS,
timeouts, retries.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from kb_runtime.version import install_hint
from kbc.errors import MissingDependencyError
from kbc.execution.errors import ClusterError

EXTRA_COMMAND = install_hint("dask")
CONNECT_S = 10
_FIRST_WORKER_S = 60  # a worker process takes some 5 s to start

Workers = tuple[Executor, int]
"""An executor, and how many tasks it runs at once."""


@contextmanager
def dask_workers(address: str, name: str, payload: bytes, notes: list[str]) -> Iterator[Workers]:
    """The workers at the scheduler `address` (or in its scheduler file) that `payload` admits.

    `notes` gets a sentence about each that is refused. Raises `ClusterError` if none is left, and
    `MissingDependencyError` without Dask.
    """
    try:
        import cloudpickle
        from distributed import Client

        from kbc.execution import admission
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            f"the executor dask:{address} needs Dask, whose package {error.name!r} is not installed",
            EXTRA_COMMAND,
        ) from error
    cloudpickle.register_pickle_by_value(admission)
    where = {"address": address} if "://" in address else {"scheduler_file": _file(address)}
    with _silent():
        try:
            connect: Any = Client
            client: Any = connect(**where, timeout=CONNECT_S, set_as_default=False, name="kbc")
        except Exception as error:  # without the certificates of TLS it is a TypeError
            raise ClusterError(
                "scheduler-unreachable",
                f"no Dask scheduler answers at {address}",
                "Start one with `dask scheduler`, or check its address and certificates."
                f" Dask says: {error}",
            ) from error
        try:
            width = _admitted(client, address, admission.Admission(name, payload), notes)
            yield client.get_executor(resources={name: 1}, pure=False), width
        finally:
            with suppress(Exception):  # the scheduler may be gone
                client.unregister_worker_plugin(name)
            client.close(timeout=CONNECT_S)


def _file(path: str) -> str:
    """The scheduler file at `path`, which may come a little later than the build. Raises `ClusterError`.

    Dask itself waits for it without end, also for a name that is no file (`HOST:8786`).
    """
    end = time.monotonic() + CONNECT_S
    while not Path(path).is_file():
        if time.monotonic() >= end:
            raise ClusterError(
                "scheduler-unreachable",
                f"there is no scheduler file {path!r}",
                "`dask scheduler --scheduler-file FILE` writes one; an address begins with tcp:// or tls://.",
            )
        time.sleep(0.05)
    return path


def _admitted(client: Any, address: str, admission: Any, notes: list[str]) -> int:
    """Asks all workers for proof; the number of threads of those that gave it."""
    from kbc.execution.admission import refusal

    reasons: dict[str, Any] = {}
    while not reasons:  # the only worker may be lost before it has answered
        try:
            client.wait_for_workers(1, timeout=_FIRST_WORKER_S)
        except TimeoutError as error:
            raise ClusterError(
                "no-workers",
                f"the Dask scheduler at {address} has no worker",
                f"Start some: dask worker {address}",
            ) from error
        client.register_plugin(admission, name=admission.name)
        reasons = client.run(refusal, admission.name, on_error="return")
    refused = [
        f"the worker {worker} is refused: {reason}"
        for worker, reason in sorted(reasons.items())
        if reason
    ]
    if len(refused) == len(reasons):
        raise ClusterError(
            "workers-refused",
            "; ".join(refused),
            "Workers need the kbc and the libraries of the machine that builds, and CPUs of its kind.",
        )
    notes += refused
    threads = client.nthreads()
    return sum(threads.get(worker, 1) for worker, reason in reasons.items() if not reason)


@contextmanager
def _silent() -> Iterator[None]:
    """Says nothing of what the build itself says in a sentence: that the scheduler is gone."""
    loggers = [logging.getLogger(f"distributed{name}") for name in ("", ".client", ".core")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
