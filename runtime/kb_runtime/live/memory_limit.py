"""A limit on the private memory of a child process, and whether the child is stuck at it. Linux only.

A process that has none left seldom gets as far as an error: an interpreter that cannot allocate waits for a
thread that died before it began, or unwinds the same frame again and again.
"""

from __future__ import annotations

import time
from contextlib import suppress

try:
    import resource
except ImportError:  # no limits on this system
    resource = None  # type: ignore[assignment]

_STEP_BYTES = 1 << 20
"""What Python asks the system for at once: less is as good as nothing."""
_STUCK_S = 10.0
"""What ends with an error does so sooner."""


class MemoryLimit:
    """The limit of the process `pid`: `limit_bytes` of private writable memory.

    Mapped weights and indexes do not count to it. Address space, of which ONNX Runtime and Tantivy reserve
    gigabytes, tells nothing.
    """

    def __init__(self, pid: int, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self._pid = pid
        self._full_since: float | None = None
        if resource is not None and hasattr(resource, "prlimit"):
            with suppress(OSError):
                _, most = resource.prlimit(pid, resource.RLIMIT_DATA)
                if most != resource.RLIM_INFINITY:  # what the system allows cannot be raised
                    self.limit_bytes = min(limit_bytes, most)
                resource.prlimit(pid, resource.RLIMIT_DATA, (self.limit_bytes,) * 2)

    def is_stuck(self) -> bool:
        """Whether nothing has been left for some seconds; to be asked every second or so."""
        if self.limit_bytes - self._used_bytes() >= _STEP_BYTES:
            self._full_since = None
            return False
        if self._full_since is None:
            self._full_since = time.monotonic()
        return time.monotonic() - self._full_since >= _STUCK_S

    def _used_bytes(self) -> int:
        """0 where the system does not tell."""
        try:
            with open(f"/proc/{self._pid}/status", encoding="ascii", errors="replace") as file:
                return next(
                    (int(line.split()[1]) << 10 for line in file if line.startswith("VmData:")), 0
                )
        except (OSError, ValueError, IndexError):  # it has ended
            return 0
