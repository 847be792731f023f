"""Processes that others have started, by id."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import psutil
from tests.waiting import until


def descendants(pid: int) -> list[int]:
    """Processes started by a process, and by those."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
            if parent == pid:
                found += [int(entry.name), *descendants(int(entry.name))]
    return found


def with_argument(argument: str, *, below: int) -> list[int]:
    """Processes below another that have an argument in their command line, those that were there first
    first. One that is just being started has the command line of who starts it."""
    found = []
    for each in psutil.Process(below).children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # it has ended meanwhile
            if argument in each.cmdline():
                found.append((each.create_time(), each.pid))
    return [pid for _, pid in sorted(found)]


def wait_until_gone(pids: list[int]) -> None:
    until(lambda: not any(map(is_running, pids)), f"the end of {pids}")


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
