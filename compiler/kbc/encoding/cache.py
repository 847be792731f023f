"""Vectors that were computed before, in one SQLite file, keyed by the hash of their text.

A cache may make a build faster and never anything else: whatever is wrong with its file, the build
goes on without it, or with a new one, and a note says so. Rows carry a checksum, so that a damaged
row is a miss. Several builds may use one file at once.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np

from kbc.encoding.quantize import Float32

FILE_NAME = "embeddings.sqlite3"
# 1.7 kB a row at 384 dimensions: 340 MB. The oldest rows make room for new ones.
MAX_ROWS = 200_000

_LOCK_WAIT_S = 2.0  # other builds hold the lock for milliseconds
_KEYS_PER_QUERY = 500  # below SQLite's historic limit of 999 parameters
_LAYOUT = 1
# Primary result codes that speak about the surroundings and not about the file's content.
_CIRCUMSTANCES = frozenset(
    {
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
    }
)
_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    encoder TEXT NOT NULL,
    text_sha256 BLOB NOT NULL,
    vector BLOB NOT NULL,
    checksum BLOB NOT NULL,
    UNIQUE (encoder, text_sha256)
)
"""


def text_key(text: str) -> bytes:
    """The key of a text: its SHA-256 in UTF-8."""
    return hashlib.sha256(text.encode()).digest()


class EmbeddingCache:
    """Vectors by encoder identity and text key, in `folder`. No method raises.

    `notes` says in sentences what went wrong, if anything did. A damaged file is replaced by an
    empty one; after other trouble (locked, read-only, no space) the cache is off: lookups miss and
    stores do nothing.
    """

    def __init__(self, folder: Path) -> None:
        self.notes: list[str] = []
        self._path = folder / FILE_NAME
        self._connection: sqlite3.Connection | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._connection = self._open()
        except sqlite3.Error as error:
            self._recover(error)
        except OSError as error:
            self._give_up(error)

    def get_many(self, encoder: str, keys: Iterable[bytes]) -> dict[bytes, Float32]:
        """The intact vectors float32 [d] among `keys`, by key."""
        wanted = list(dict.fromkeys(keys))
        found: dict[bytes, Float32] = {}
        try:
            for start in range(0, len(wanted), _KEYS_PER_QUERY):
                if self._connection is None:
                    break
                part = wanted[start : start + _KEYS_PER_QUERY]
                rows = self._connection.execute(
                    "SELECT text_sha256, vector, checksum FROM vectors "
                    f"WHERE encoder = ? AND text_sha256 IN ({','.join('?' * len(part))})",
                    [encoder, *part],
                )
                for key, vector, checksum in rows:
                    if checksum == _checksum(encoder, key, vector):
                        found[key] = np.frombuffer(vector, "<f4").astype(np.float32)
        except sqlite3.Error as error:
            self._recover(error)
        return found

    def put_many(self, encoder: str, vectors: Mapping[bytes, Float32]) -> None:
        """Stores vectors float32 [d] by key, in one transaction."""
        if self._connection is None or not vectors:
            return
        rows = []
        for key, vector in vectors.items():
            data = vector.astype("<f4").tobytes()
            rows.append((encoder, key, data, _checksum(encoder, key, data)))
        try:
            with self._connection as transaction:
                transaction.execute("BEGIN IMMEDIATE")
                transaction.executemany(
                    "INSERT OR REPLACE INTO vectors (encoder, text_sha256, vector, checksum) "
                    "VALUES (?, ?, ?, ?)",
                    rows,
                )
                transaction.execute(
                    "DELETE FROM vectors WHERE id <= (SELECT MAX(id) FROM vectors) - ?", [MAX_ROWS]
                )
        except sqlite3.Error as error:
            self._recover(error)

    def close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path, timeout=_LOCK_WAIT_S, isolation_level=None, check_same_thread=False
        )
        try:
            # A crash of the machine may then damage the file; a damaged cache is only a miss.
            connection.execute("PRAGMA synchronous = OFF")
            if _layout(connection) != _LAYOUT:
                with connection as transaction:
                    transaction.execute("BEGIN IMMEDIATE")
                    if _layout(connection) != _LAYOUT:  # nobody else made it meanwhile
                        transaction.execute("DROP TABLE IF EXISTS vectors")
                        transaction.execute(_SCHEMA)
                        transaction.execute(f"PRAGMA user_version = {_LAYOUT}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _recover(self, error: sqlite3.Error) -> None:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _CIRCUMSTANCES:
            self._give_up(error)
        else:
            self._start_again(error)

    def _start_again(self, error: Exception) -> None:
        """Replaces a damaged file by an empty one."""
        self.close()
        try:
            for suffix in ("", "-journal"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
            self._connection = self._open()
        except (OSError, sqlite3.Error) as second:
            self._give_up(second)
        else:
            self.notes.append(f"the embedding cache was damaged and starts empty again ({error})")

    def _give_up(self, error: Exception) -> None:
        self.close()
        self.notes.append(f"the embedding cache is not used: {error} ({self._path})")


def _layout(connection: sqlite3.Connection) -> int:
    (layout,) = connection.execute("PRAGMA user_version").fetchone()
    return int(layout)


def _checksum(encoder: str, key: bytes, vector: object) -> bytes:
    """Over what belongs together; of nothing, when damage gave the vector another type."""
    data = vector if isinstance(vector, bytes) else b""
    return hashlib.blake2b(encoder.encode() + b"\0" + key + data, digest_size=8).digest()
