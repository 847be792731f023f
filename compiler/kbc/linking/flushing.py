"""Flushes files and folders to disk (fsync) before they are published."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from kb_runtime.errors.shortages import threads_that_fit

_FLUSHES = 8  # at once


def flush_tree(folder: Path) -> None:
    """Flushes everything below `folder`. Raises `OSError`."""
    with flushing_tree(folder):
        pass


@contextmanager
def flushing_tree(folder: Path) -> Iterator[None]:
    """Flushes everything below `folder` while the body runs, which must not write there. A flush waits for
    the disk, which serves several at once. Raises `OSError`."""
    paths = [*folder.rglob("*"), folder]
    flushed: list[Future[None]] = []
    with ThreadPoolExecutor(threads_that_fit(_FLUSHES)) as threads:
        with suppress(RuntimeError):  # where no more threads can be started, this one does the rest
            for path in paths:
                flushed.append(threads.submit(flush, path))
        yield
        for path in paths[len(flushed) :]:
            flush(path)
        for each in flushed:
            each.result()  # an error of a thread is raised here


def flush(path: Path) -> None:
    """Flushes a file's or a folder's content to disk. Windows flushes no folder, and no file that is
    open for reading only. Raises `OSError`."""
    if os.name == "nt" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
