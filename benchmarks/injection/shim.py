"""The preloaded library: compiled once for a run, armed in the process that is to suffer."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

OPEN, CREATE, WRITE, SYNC, RENAME, MKDIR, UNLINK, LINK = (1 << bit for bit in range(8))
ALL = 255
KILL = -1


def compiler() -> str | None:
    return shutil.which("cc") or shutil.which("gcc")


def compile_shim(folder: Path) -> Path:
    """The library, in `folder`. Raises `RuntimeError` without a C compiler."""
    command = compiler()
    if command is None:
        raise RuntimeError("a C compiler is needed")
    library = folder / "shim.so"
    source = Path(__file__).with_name("shim.c")
    subprocess.run(
        [command, "-O1", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl", "-lpthread"],
        check=True,
    )
    return library


class Shim:
    """The library in a process that was started with it."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None)

    def arm(
        self,
        folder: str,
        fails: int,
        number: int,
        kinds: int,
        *,
        stays: bool = False,
        log: int = -1,
        trace: int = -1,
    ) -> None:
        """From now on operations of `kinds` below `folder` are counted. Number `number` fails with the
        error number `fails`, or the process is killed there (KILL); with `stays` later ones fail, too.
        All that changes files is recorded to the descriptor `log`, and each operation that is counted as a
        line to `trace`: its thread, its kind and its paths, with tabs between them."""
        self._library.kbc_arm(folder.encode(), fails, number, kinds, int(stays), log, trace)

    def disarm(self) -> int:
        """The operations that were counted."""
        count: int = self._library.kbc_disarm()
        return count
