"""Stores computed bytes in one SQLite file, by recipe and key.

A cache may make a build faster and never anything else: whatever is wrong with its file, the build
goes on without it, or with a new one, and a note says so. Rows carry a checksum, so that a damaged
row is a miss. Several builds may use one file at once.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

LOCK_WAIT_S = 60.0
"""Other builds hold the lock for milliseconds, and where they make room in a full file for up to ten seconds
on a busy machine. Whoever has it for longer has stopped."""
_KEYS_PER_QUERY = 500  # below SQLite's historic limit of 999 parameters
_LAYOUT = 2
# The last use of a row is written again after this long: every build uses nearly every row.
_USE_GRAIN_S = 24 * 3600
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
DAMAGE = (sqlite3.Error, UnicodeDecodeError)
"""What a damaged file raises: messages of the engine quote damaged names, which need not be UTF-8."""
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
# Apart from the entries, because changing a row writes all of it.
_USES_SCHEMA = "CREATE TABLE IF NOT EXISTS uses (id INTEGER PRIMARY KEY, used INTEGER NOT NULL)"
_WITH_USE = "entries LEFT JOIN uses ON uses.id = entries.id"


class StoredRow(NamedTuple):
    """A row without its content. `used` is when it was last used, to the day, in seconds since 1970;
    0 when nobody knows."""

    row: int
    recipe: str
    size: int
    used: int


class Store:
    """Values by recipe (what made them) and key (what they were made of). No method raises.

    `notes` says in sentences what went wrong, if anything did. A damaged file is replaced by an
    empty one; after other trouble (locked, read-only, no space) the store is off: lookups miss and
    values are not kept. Beyond `max_bytes` the quarter that nobody used for longest makes room, but nothing
    that was asked for or stored since this was opened: a build larger than the limit raises it.
    """

    def __init__(self, path: Path | None, max_bytes: int) -> None:
        """With None for `path` the store is off from the start."""
        self.notes: list[str] = []
        self._path = path or Path()
        self._max_bytes = max_bytes
        self._connection: sqlite3.Connection | None = None
        self._used: list[int] = []  # rows whose use is to be written
        self._in_use: list[tuple[str, Sequence[bytes]]] = []  # recipes with keys that must stay
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = self._open()
        except DAMAGE as error:
            self._recover(error)
        except OSError as error:
            self._give_up(error)

    @property
    def is_on(self) -> bool:
        """Whether anything is kept."""
        return self._connection is not None

    def reserve(self, size_bytes: int) -> None:
        """Raises the limit to `size_bytes`, for who will not ask for everything that must stay."""
        self._max_bytes = max(self._max_bytes, size_bytes)

    def get_many(self, recipe: str, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The intact values among `keys`, by key."""
        wanted = list(dict.fromkeys(keys))
        self.keep(recipe, wanted)
        found: dict[bytes, bytes] = {}
        now = int(time.time())
        try:
            for start in range(0, len(wanted), _KEYS_PER_QUERY):
                if self._connection is None:
                    break
                part = wanted[start : start + _KEYS_PER_QUERY]
                rows = self._connection.execute(
                    f"SELECT key, value, checksum, entries.id, used FROM {_WITH_USE} "
                    f"WHERE recipe = ? AND key IN ({','.join('?' * len(part))})",
                    [recipe, *part],
                )
                for key, value, checksum, row, used in rows:
                    if checksum == _checksum(recipe, key, value):
                        found[key] = value
                        # One in the future is of a clock that has gone back since.
                        if not (isinstance(used, int) and now - _USE_GRAIN_S <= used <= now):
                            self._used.append(row)
        except DAMAGE as error:
            self._recover(error)
        return found

    def keep(self, recipe: str, keys: Sequence[bytes]) -> None:
        """Says that values are in use which their user has from elsewhere: they make no room for others."""
        if keys and self._connection is not None:
            self._in_use.append((recipe, keys))

    def put_many(self, recipe: str, values: Mapping[bytes, bytes]) -> None:
        """Keeps values by key, in one transaction."""
        if self._connection is None or not values:
            return
        self.keep(recipe, list(values))
        now = int(time.time())
        rows = [(recipe, key, data, _checksum(recipe, key, data)) for key, data in values.items()]
        try:
            with self._connection as transaction:
                transaction.execute("BEGIN IMMEDIATE")
                transaction.executemany(
                    "INSERT OR REPLACE INTO entries (recipe, key, value, checksum) "
                    "VALUES (?, ?, ?, ?)",
                    rows,
                )
                transaction.executemany(
                    "INSERT OR REPLACE INTO uses "
                    "SELECT id, ? FROM entries WHERE recipe = ? AND key = ?",
                    [(now, recipe, key) for key in values],
                )
                if _used_bytes(transaction) > self._max_bytes:
                    self._make_room(transaction)
        except DAMAGE as error:
            self._recover(error)

    def close(self) -> None:
        if self._connection is not None:
            with suppress(*DAMAGE):
                self._write_use(self._connection)
            with suppress(*DAMAGE):
                self._connection.close()
            self._connection = None
        self._used.clear()
        self._in_use.clear()

    def _make_room(self, transaction: sqlite3.Connection) -> None:
        """Removes the least recently used quarter, of what is not in use."""
        transaction.execute("CREATE TEMP TABLE IF NOT EXISTS in_use (id INTEGER PRIMARY KEY)")
        for recipe, keys in self._in_use:
            transaction.executemany(
                "INSERT OR IGNORE INTO in_use SELECT id FROM entries WHERE recipe = ? AND key = ?",
                ((recipe, key) for key in keys),
            )
        self._in_use.clear()  # the table has them
        transaction.execute(
            f"DELETE FROM entries WHERE id IN (SELECT entries.id FROM {_WITH_USE} "
            "WHERE entries.id NOT IN (SELECT id FROM in_use) "
            "ORDER BY MIN(used, ?), entries.id LIMIT (SELECT COUNT(*) / 4 + 1 FROM entries))",
            [int(time.time())],
        )
        # What is in use may be more than the limit: look again when it has grown by a quarter.
        self._max_bytes = max(self._max_bytes, _used_bytes(transaction) * 5 // 4)

    def _write_use(self, connection: sqlite3.Connection) -> None:
        """Says of the rows that were read that they are in use."""
        if not self._used:
            return
        now = int(time.time())
        with connection as transaction:
            transaction.execute("BEGIN IMMEDIATE")
            transaction.executemany(
                "INSERT OR REPLACE INTO uses VALUES (?, ?)", [(row, now) for row in self._used]
            )

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path, timeout=LOCK_WAIT_S, isolation_level=None, check_same_thread=False
        )
        try:
            connection.text_factory = bytes  # what damage calls text need not be any
            # A crash of the machine may then damage the file; a damaged cache is only a miss.
            connection.execute("PRAGMA synchronous = OFF")
            if _layout(connection) != _LAYOUT or not _has_uses(connection):
                with connection as transaction:
                    transaction.execute("BEGIN IMMEDIATE")
                    if _layout(connection) != _LAYOUT:  # nobody else made it meanwhile
                        transaction.execute("DROP TABLE IF EXISTS entries")
                        transaction.execute("DROP TABLE IF EXISTS uses")
                        transaction.execute(_SCHEMA)
                        transaction.execute(f"PRAGMA user_version = {_LAYOUT}")
                    transaction.execute(_USES_SCHEMA)
        except BaseException:
            connection.close()
            raise
        return connection

    def _recover(self, error: Exception) -> None:
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
        except (OSError, *DAMAGE) as second:
            self._give_up(second)
        else:
            self.notes.append(
                f"the cache {self._path.name} was damaged and has been emptied ({error})"
            )

    def _give_up(self, error: Exception) -> None:
        self.close()
        reason: object = error
        if isinstance(error, OSError) and error.strerror:
            reason = error.strerror
        elif getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
            reason = f"another process has kept it locked for {LOCK_WAIT_S:g} seconds"
        self.notes.append(f"the cache {self._path} is not used: {reason}")


def stored_rows(path: Path) -> list[StoredRow]:
    """All rows of a store, without reading their content. Raises `DAMAGE` for a file that is no store
    or damaged; an absent one has no rows."""
    if not path.exists():
        return []
    with closing(_connect_only(path, "ro")) as connection:
        connection.text_factory = bytes
        source, used = (_WITH_USE, "used") if _has_uses(connection) else ("entries", "0")
        return [
            StoredRow(row, bytes(recipe).decode(errors="replace"), size or 0, _number(when))
            for row, recipe, size, when in connection.execute(
                f"SELECT entries.id, recipe, length(value), {used} FROM {source}"
            )
        ]


def remove_rows(path: Path, rows: Sequence[int]) -> bool:
    """Removes rows by number; gives whether the file could be made smaller, too, which takes the whole
    file for a moment. Raises `DAMAGE`, with nothing removed when others use the store."""
    with closing(_connect_only(path, "rw")) as connection:
        with connection as transaction:
            transaction.execute("BEGIN IMMEDIATE")
            transaction.execute(_USES_SCHEMA)
            for table in ("entries", "uses"):
                transaction.executemany(
                    f"DELETE FROM {table} WHERE id = ?", [(row,) for row in rows]
                )
        try:
            connection.execute("VACUUM")
        except sqlite3.OperationalError:  # in use, or no space for a second one
            return False
    return True


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _connect_only(path: Path, mode: str) -> sqlite3.Connection:
    """A connection to a file that exists; `mode` is ro or rw."""
    address = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(address, uri=True, timeout=LOCK_WAIT_S, isolation_level=None)


def _has_uses(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("PRAGMA table_info(uses)").fetchall())


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
