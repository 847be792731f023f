"""Results of phases in the memory of a process that builds the same knowledge base again and again.

Decoding the store on disk takes longer than everything that one edited page requires; a watcher has the
results decoded already. Results that the last good build did not use are dropped, so that a thousand
edits take no more memory than one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

# Of results as bytes; as objects they take three times that. The results of 10,000 chunks take 80 MB.
MAX_BYTES = 512 << 20
# Builds that fail never forget, so entries may pile up while an author mends an error.
_MOST_GROWTH = 2


class _MemoryEntry(NamedTuple):
    result: Any
    size: int


class PhaseMemory:
    """Results by phase and key, those of the last good build and of what came after it.

    Results are handed out as they are: nobody changes them.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._entries: dict[tuple[str, bytes], _MemoryEntry] = {}
        self._asked: set[tuple[str, bytes]] = set()
        self._kept = 0  # entries after the last complete build
        self.size = 0

    def get(self, phase: str, key: bytes) -> Any:
        """The result, or None: no phase has None for a result."""
        entry = self._entries.get((phase, key))
        if entry is None:
            return None
        self._asked.add((phase, key))
        return entry.result

    def put(self, phase: str, key: bytes, result: Any, size: int) -> None:
        """Keeps a result of `size` bytes in the place of an earlier one, if there is room."""
        before = self._entries.pop((phase, key), None)
        self.size -= before.size if before is not None else 0
        if self.size + size > self._max_bytes:
            return
        self._entries[phase, key] = _MemoryEntry(result, size)
        self._asked.add((phase, key))
        self.size += size

    def evict_unused(self, *, complete: bool) -> None:
        """Ends a build. After one that was `complete`, what it did not ask for goes."""
        if complete or len(self._entries) > _MOST_GROWTH * self._kept:
            for name in self._entries.keys() - self._asked:
                self.size -= self._entries.pop(name).size
        self._asked.clear()
        if complete:
            self._kept = len(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
