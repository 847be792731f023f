"""Folders that cost much to make, made once for all processes of a test session."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree

import pytest


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """The folder `name` of the session as `make` has left it, which is given the path of a folder
    that does not exist. The first process to ask calls it, others wait; tests must not change it."""
    session = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        session = session.parent
    folder, ready = session / name, session / f"{name}.ready"
    with (session / f"{name}.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not ready.exists():
            rmtree(folder, ignore_errors=True)
            make(folder)
            ready.touch()
    return folder
