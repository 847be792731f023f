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
from kb_runtime.store.atomic_files import replace_file, staged_file
from kb_runtime.store.locks import OPEN_FOLDERS_MOVE, lock_within

BOM = b"\xef\xbb\xbf"
MAX_BYTES = 64 * 1024 * 1024
"""Larger files are not configurations. Claude Code keeps histories in its own: some megabytes."""

MOST_BACKUPS = 10
"""Copies of earlier contents beside a file."""

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
    for number in reversed(_numbers(snapshot)):
        with suppress(OSError), open(_numbered(snapshot, number), "rb") as file:
            yield file.read()


def _numbered(snapshot: Snapshot, number: int) -> str:
    return f"{snapshot.target}.bak-{number}"


def _numbers(snapshot: Snapshot) -> list[int]:
    """The numbers of the backups, the oldest first."""
    folder, name = os.path.split(_numbered(snapshot, 0)[:-1])
    with suppress(OSError):
        found = [each.removeprefix(name) for each in os.listdir(folder) if each.startswith(name)]
        return sorted(int(each) for each in found if each.isdecimal() and each.isascii())
    return []


def _backup(snapshot: Snapshot) -> str:
    """Keeps what the file holds now; of many backups the oldest go, but for the first, which is the file
    before the first change."""
    if snapshot.data is None:
        return ""
    numbers = _numbers(snapshot)
    if next(backups(snapshot), None) == snapshot.data:  # of a run that was killed
        return _numbered(snapshot, numbers[-1])
    path = _numbered(snapshot, numbers[-1] + 1 if numbers else 1)
    replace_file(path, snapshot.data, mode=snapshot.mode, keep_old=True)
    for number in numbers[1 : 2 - MOST_BACKUPS]:
        with suppress(OSError):
            os.unlink(_numbered(snapshot, number))
    return path


def _exchange(snapshot: Snapshot, data: bytes) -> None:
    with staged_file(snapshot.target, mode=snapshot.mode) as file:
        file.write(data)
        if snapshot.owner is not None and hasattr(os, "fchown"):
            with suppress(PermissionError):  # only root may give a file away
                os.fchown(file.fileno(), *snapshot.owner)
        _unchanged(snapshot)


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
