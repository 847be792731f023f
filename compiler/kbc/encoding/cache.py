"""The embedding cache, keyed by the hash of the text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from kbc.cache.store import Store
from kbc.encoding.quantize import Float32

FILE_NAME = "vectors.sqlite3"
# 200,000 vectors of 384 dimensions; a larger knowledge base raises it.
MAX_BYTES = 400 << 20


def text_key(text: str) -> bytes:
    """The key of a text: its SHA-256 in UTF-8."""
    return hashlib.sha256(text.encode()).digest()


class VectorMemory:
    """The vectors of the last build, in the memory of a process that builds again and again."""

    def __init__(self) -> None:
        self._encoder = ""
        self._vectors: dict[bytes, Float32] = {}

    def get_many(self, encoder: str, keys: Iterable[bytes]) -> dict[bytes, Float32]:
        """The vectors float32 [d] among `keys`, by key."""
        if encoder != self._encoder:
            return {}
        return {key: self._vectors[key] for key in keys if key in self._vectors}

    def replace(self, encoder: str, vectors: Mapping[bytes, Float32]) -> None:
        """Holds these vectors and no others."""
        self._encoder, self._vectors = encoder, dict(vectors)


class EmbeddingCache:
    """Vectors by encoder identity and text key, in `folder`. No method raises: see `Store`, whose
    `notes` these are. `resident` is asked before the folder; with None for `folder` there is only it."""

    def __init__(self, folder: Path | None, resident: VectorMemory | None = None) -> None:
        self._store = Store(folder and folder / FILE_NAME, MAX_BYTES)
        self._resident = resident
        self.notes = self._store.notes

    def get_many(self, encoder: str, keys: Iterable[bytes]) -> dict[bytes, Float32]:
        """The intact vectors float32 [d] among `keys`, by key."""
        wanted = list(keys)
        found = {} if self._resident is None else self._resident.get_many(encoder, wanted)
        self._store.keep(encoder, list(found))
        stored = self._store.get_many(encoder, [key for key in wanted if key not in found])
        for key, value in stored.items():
            found[key] = np.frombuffer(value, "<f4").astype(np.float32)
        return found

    def put_many(self, encoder: str, vectors: Mapping[bytes, Float32]) -> None:
        """Stores vectors float32 [d] by key, in one transaction."""
        if self._store.is_on:
            self._store.put_many(
                encoder, {key: vector.astype("<f4").tobytes() for key, vector in vectors.items()}
            )

    def reserve(self, size_bytes: int) -> None:
        """See `Store.reserve`."""
        self._store.reserve(size_bytes)

    def close(self) -> None:
        self._store.close()

    def keep_in_memory(self, encoder: str, vectors: Mapping[bytes, Float32]) -> None:
        """`vectors` are all of a build: the next one in this process finds these in memory."""
        if self._resident is not None:
            self._resident.replace(encoder, vectors)
