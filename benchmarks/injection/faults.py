"""The faults that operations suffer."""

from __future__ import annotations

import errno
from typing import NamedTuple

from benchmarks.injection import shim


class Fault(NamedTuple):
    """`error` is an error number, `shim.KILL`, or 0; `kinds` are the operations that count."""

    error: int
    kinds: int = shim.ALL
    stays: bool = False


_WRITES = shim.ALL & ~shim.OPEN & ~shim.UNLINK
COUNT, MEMORY = "count", "MemoryError"
FAULTS = {
    "ENOSPC": Fault(errno.ENOSPC, _WRITES, stays=True),
    "EIO": Fault(errno.EIO, shim.ALL & ~shim.UNLINK),
    "EMFILE": Fault(errno.EMFILE, shim.OPEN | shim.CREATE),
    MEMORY: Fault(0),
    "kill": Fault(shim.KILL),
    COUNT: Fault(0),
}
KINDS = tuple(kind for kind in FAULTS if kind != COUNT)
