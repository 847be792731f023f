"""Vectors that were computed before, in one SQLite file, keyed by the hash of their text.

A cache may make a build faster and never anything else: whatever is wrong with its file, the build
goes on without it, or with a new one, and a note says so. Rows carry a checksum, so that a damaged
row is a miss. Several builds may use one file at once.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path

import numpy as np

from kbc.encoding.quantize import Float32

FILE_NAME = "embeddings.sqlite3"
# 1.7 kB a row at 384 dimensions: 340 MB. The oldest rows make room for new ones.
MAX_ROWS = 200_000

_LOCK_WAIT_S = 2.0  # other builds hold the lock for milliseconds
_KEYS_PER_QUERY = 500  # below SQLite's historic limit of 999 parameters
_LAYOUT = 1
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

    `notes` says in sentences what went wrong, if anything did; after trouble the cache is off:
    lookups miss and stores do nothing.
    """

    def __init__(self, folder: Path) -> None:
        self.notes: list[str] = []
        self._path = folder / FILE_NAME
        self._connection: sqlite3.Connection | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._connection = self._open()
        except sqlite3.OperationalError as error:
            self._connection = self._open_read_only()
            if self._connection is None:
                self._give_up(error)
        except sqlite3.DatabaseError as error:
            self._start_again(error)
        except OSError as error:
            self._give_up(error)

    def get_many(
        self, encoder: str, keys: Iterable[bytes], dimensions: int
    ) -> dict[bytes, Float32]:
        """The intact vectors float32 [dimensions] among `keys`, by key."""
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
                    if len(vector) == 4 * dimensions and checksum == _checksum(
                        encoder, key, vector
                    ):
                        found[key] = np.frombuffer(vector, "<f4").astype(np.float32)
        except sqlite3.OperationalError as error:
            self._give_up(error)
        except (sqlite3.DatabaseError, TypeError) as error:  # TypeError: a cell of a foreign type
            self._start_again(error)
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
        except sqlite3.OperationalError as error:
            self._give_up(error)
        except sqlite3.DatabaseError as error:
            self._start_again(error)

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
            with closing(connection.execute("PRAGMA user_version")) as cursor:
                (layout,) = cursor.fetchone()
            if layout != _LAYOUT:
                # A new file has layout 0 and nothing to drop.
                connection.execute("DROP TABLE IF EXISTS vectors")
                connection.execute(_SCHEMA)
                connection.execute(f"PRAGMA user_version = {_LAYOUT}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _open_read_only(self) -> sqlite3.Connection | None:
        """A complete cache in a folder that cannot be written is still worth reading."""
        connection = None
        try:
            connection = sqlite3.connect(
                f"{self._path.resolve().as_uri()}?immutable=1",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
            )
            if connection.execute("PRAGMA user_version").fetchone() == (_LAYOUT,):
                return connection
        except sqlite3.Error:
            pass
        if connection is not None:
            connection.close()
        return None

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


def _checksum(encoder: str, key: bytes, vector: bytes) -> bytes:
    return hashlib.blake2b(encoder.encode() + b"\0" + key + vector, digest_size=8).digest()
