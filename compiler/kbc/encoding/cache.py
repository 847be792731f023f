"""Vectors that were computed before, keyed by the hash of their text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from kbc.encoding.quantize import Float32
from kbc.store import Store

FILE_NAME = "vectors.sqlite3"
MAX_BYTES = 400 << 20  # 200,000 vectors of 384 dimensions


def text_key(text: str) -> bytes:
    """The key of a text: its SHA-256 in UTF-8."""
    return hashlib.sha256(text.encode()).digest()


class EmbeddingCache:
    """Vectors by encoder identity and text key, in `folder`. No method raises: see `Store`, whose
    `notes` these are."""

    def __init__(self, folder: Path) -> None:
        self._store = Store(folder / FILE_NAME, MAX_BYTES)
        self.notes = self._store.notes

    def get_many(self, encoder: str, keys: Iterable[bytes]) -> dict[bytes, Float32]:
        """The intact vectors float32 [d] among `keys`, by key."""
        return {
            key: np.frombuffer(value, "<f4").astype(np.float32)
            for key, value in self._store.get_many(encoder, keys).items()
        }

    def put_many(self, encoder: str, vectors: Mapping[bytes, Float32]) -> None:
        """Stores vectors float32 [d] by key, in one transaction."""
        self._store.put_many(
            encoder, {key: vector.astype("<f4").tobytes() for key, vector in vectors.items()}
        )

    def close(self) -> None:
        self._store.close()
