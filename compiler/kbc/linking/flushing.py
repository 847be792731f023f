"""Flushes files and folders to disk (fsync) before they are published."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

_FLUSHES = 8  # at once


def flush_tree(folder: Path) -> None:
    """Flushes everything below `folder`. Raises `OSError`."""
    with flushing_tree(folder):
        pass


@contextmanager
def flushing_tree(folder: Path) -> Iterator[None]:
    """Flushes everything below `folder` while the body runs, which must not write there. A flush waits for
    the disk, which serves several at once. Raises `OSError`."""
    with ThreadPoolExecutor(_FLUSHES) as threads:
        flushed = threads.map(flush, [*folder.rglob("*"), folder])
        yield
        for _ in flushed:
            pass  # an error of a thread is raised here


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
