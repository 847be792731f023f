"""Bytes that were computed before, in one SQLite file, by recipe and key.

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

_LOCK_WAIT_S = 2.0  # other builds hold the lock for milliseconds
_KEYS_PER_QUERY = 500  # below SQLite's historic limit of 999 parameters
_LAYOUT = 2
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
CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    recipe TEXT NOT NULL,
    key BLOB NOT NULL,
    value BLOB NOT NULL,
    checksum BLOB NOT NULL,
    UNIQUE (recipe, key)
)
"""


class Store:
    """Values by recipe (what made them) and key (what they were made of). No method raises.

    `notes` says in sentences what went wrong, if anything did. A damaged file is replaced by an
    empty one; after other trouble (locked, read-only, no space) the store is off: lookups miss and
    values are not kept. Beyond `max_bytes` the oldest quarter makes room.
    """

    def __init__(self, path: Path, max_bytes: int) -> None:
        self.notes: list[str] = []
        self._path = path
        self._max_bytes = max_bytes
        self._connection: sqlite3.Connection | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = self._open()
        except sqlite3.Error as error:
            self._recover(error)
        except OSError as error:
            self._give_up(error)

    def get_many(self, recipe: str, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The intact values among `keys`, by key."""
        wanted = list(dict.fromkeys(keys))
        found: dict[bytes, bytes] = {}
        try:
            for start in range(0, len(wanted), _KEYS_PER_QUERY):
                if self._connection is None:
                    break
                part = wanted[start : start + _KEYS_PER_QUERY]
                rows = self._connection.execute(
                    "SELECT key, value, checksum FROM entries "
                    f"WHERE recipe = ? AND key IN ({','.join('?' * len(part))})",
                    [recipe, *part],
                )
                for key, value, checksum in rows:
                    if checksum == _checksum(recipe, key, value):
                        found[key] = value
        except sqlite3.Error as error:
            self._recover(error)
        return found

    def put_many(self, recipe: str, values: Mapping[bytes, bytes]) -> None:
        """Keeps values by key, in one transaction."""
        if self._connection is None or not values:
            return
        rows = [(recipe, key, data, _checksum(recipe, key, data)) for key, data in values.items()]
        try:
            with self._connection as transaction:
                transaction.execute("BEGIN IMMEDIATE")
                transaction.executemany(
                    "INSERT OR REPLACE INTO entries (recipe, key, value, checksum) "
                    "VALUES (?, ?, ?, ?)",
                    rows,
                )
                if _used_bytes(transaction) > self._max_bytes:
                    transaction.execute(
                        "DELETE FROM entries "
                        "WHERE id <= (SELECT (3 * MIN(id) + MAX(id)) / 4 FROM entries)"
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
                        transaction.execute("DROP TABLE IF EXISTS entries")
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
            self.notes.append(
                f"the cache {self._path.name} was damaged and starts empty again ({error})"
            )

    def _give_up(self, error: Exception) -> None:
        self.close()
        self.notes.append(f"the cache is not used: {error} ({self._path})")


def _layout(connection: sqlite3.Connection) -> int:
    (layout,) = connection.execute("PRAGMA user_version").fetchone()
    return int(layout)


def _used_bytes(connection: sqlite3.Connection) -> int:
    """The size of the file without the pages that are free again."""
    pages, free, page_bytes = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * page_bytes


def _checksum(recipe: str, key: object, value: object) -> bytes:
    """Over what belongs together; of nothing, when damage gave a part another type."""
    parts = [part if isinstance(part, bytes) else b"" for part in (key, value)]
    return hashlib.blake2b(recipe.encode() + b"\0" + b"".join(parts), digest_size=8).digest()
