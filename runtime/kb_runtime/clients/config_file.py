"""Reads and atomically replaces configuration files, with a backup, through symbolic links.

The client may write the file at any time, so it is compared with what was read right before it is
replaced. Writers of this program exclude each other with a lock on the folder.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from kb_runtime.clients.errors import ChangedError, ConfigError
from kb_runtime.store.locks import OPEN_FOLDERS_MOVE, lock_within

BOM = b"\xef\xbb\xbf"
MAX_BYTES = 64 * 1024 * 1024
"""Larger files are not configurations. Claude Code keeps histories in its own: some megabytes."""

_LOCK_WAIT_S = 30.0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A file as it was read: `path` as named, `target` behind links, `data` None for no file, which
    has no `mode` and no `owner` either."""

    path: str
    target: str
    data: bytes | None
    mode: int | None = None
    owner: tuple[int, int] | None = None

    def text(self) -> str:
        """Raises ConfigError."""
        data = (self.data or b"").removeprefix(BOM)
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise ConfigError(
                f"{self.path} is not UTF-8: line {line} holds the byte 0x{data[error.start]:02x}.",
                "Save it as UTF-8; the file was not changed.",
            ) from None

    def encode(self, text: str) -> bytes:
        """The bytes of another text of this file, with its byte order mark. Raises ConfigError."""
        mark = BOM if (self.data or b"").startswith(BOM) else b""
        try:
            return mark + text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ConfigError(
                f"{error.object!r} cannot be written to {self.path}: it is not valid Unicode.",
                "Move the knowledge base to a path that is valid Unicode.",
            ) from None


def read(path: str) -> Snapshot:
    """Raises ConfigError for anything but a regular file, or no file."""
    try:
        target = os.path.realpath(path)
        found = os.stat(target)
        if not stat.S_ISREG(found.st_mode):
            raise ConfigError(f"{path} is not a regular file.", "The file was not changed.")
        if found.st_size > MAX_BYTES:
            raise ConfigError(f"{path} has {found.st_size} bytes, too many for a configuration.")
        with open(target, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return Snapshot(path, target, None)
    except (OSError, ValueError) as error:
        raise _refused(path, "read", error) from error
    return Snapshot(path, target, data, stat.S_IMODE(found.st_mode), (found.st_uid, found.st_gid))


def replace(snapshot: Snapshot, data: bytes | None) -> str:
    """Puts `data` in the place of what was read; None removes the file.

    Gives the path of the backup, empty when there was nothing to back up. Raises ConfigError, and then
    the file is as it was; ChangedError when another program has written it meanwhile.
    """
    folder = os.path.dirname(snapshot.target)
    try:
        if data is not None:
            os.makedirs(folder, exist_ok=True)
        with _locked(folder):
            _unchanged(snapshot)
            if snapshot.data is not None and not os.access(snapshot.target, os.W_OK):
                raise PermissionError(0, "it is read-only")
            backup = _backup(snapshot)
            if data is None:
                os.unlink(snapshot.target)
            else:
                _exchange(snapshot, data)
            return backup
    except OSError as error:
        raise _refused(snapshot.path, "written", error) from error


def backups(snapshot: Snapshot) -> Iterator[bytes]:
    """The contents of the backups of a file, the newest first. What cannot be read is left out."""
    number = 1
    while os.path.lexists(_numbered(snapshot, number)):
        number += 1
    for each in range(number - 1, 0, -1):
        with suppress(OSError), open(_numbered(snapshot, each), "rb") as file:
            yield file.read()


def _numbered(snapshot: Snapshot, number: int) -> str:
    return f"{snapshot.target}.bak-{number}"


def _backup(snapshot: Snapshot) -> str:
    if snapshot.data is None:
        return ""
    number = 1
    while True:
        path = _numbered(snapshot, number)
        try:
            _write_new(path, snapshot.data, snapshot.mode)
        except FileExistsError:
            number += 1
        else:
            return path


def _exchange(snapshot: Snapshot, data: bytes) -> None:
    folder, name = os.path.split(snapshot.target)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.new")
    try:
        _write_new(temporary, data, snapshot.mode)
        if snapshot.owner is not None and hasattr(os, "chown"):
            with suppress(PermissionError):  # only root may give a file away
                os.chown(temporary, *snapshot.owner)
        _unchanged(snapshot)
        os.replace(temporary, snapshot.target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _write_new(path: str, data: bytes, mode: int | None) -> None:
    """A new file of these bytes, on the disk when this returns."""
    descriptor = os.open(
        path,
        os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0),
        0o666 if mode is None else mode,
    )
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(path, mode)  # the umask has taken bits away
    except BaseException:
        os.unlink(path)
        raise


def _unchanged(snapshot: Snapshot) -> None:
    if read(snapshot.path).data != snapshot.data:
        raise ChangedError(
            f"{snapshot.path} was changed by another program while it was being edited.",
            "Close the client and run the command again; the other program's change is kept.",
        )


@contextmanager
def _locked(folder: str) -> Iterator[None]:
    # Windows locks no folders: there the comparison alone has to do.
    if not OPEN_FOLDERS_MOVE or not os.path.isdir(folder):
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        if not lock_within(descriptor, _LOCK_WAIT_S):
            raise OSError(errno.EBUSY, "another kbc command is writing in its folder")
        yield
    finally:
        os.close(descriptor)


def _refused(path: str, what: str, error: OSError | ValueError) -> ConfigError:
    reason = getattr(error, "strerror", None) or str(error)
    return ConfigError(f"{path} cannot be {what}: {reason}.", "The file was not changed.")
