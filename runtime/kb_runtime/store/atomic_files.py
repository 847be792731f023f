"""Files that appear whole or not at all: written beside their place, flushed to the disk, then renamed.

Who writes holds a lock on the staged file, which goes with its process: the next writer of the same file
removes what killed ones left.
"""

from __future__ import annotations

import errno
import os
from _thread import get_ident
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from kb_runtime.store.locks import is_at, try_lock

STAGED_SUFFIX = ".new"

_ATTEMPTS = 5


def replace_file(
    path: str | os.PathLike[str], data: bytes, *, mode: int | None = None, keep_old: bool = False
) -> None:
    """Puts a file of these bytes in the place of `path`. Raises `OSError`, and then `path` is as it was.

    `mode` are its permissions (None: those that the umask leaves). With `keep_old` a file that is there
    already stays, and `FileExistsError` is raised.
    """
    with staged_file(path, mode=mode, keep_old=keep_old, size=len(data)) as file:
        file.write(data)


def replace_text(path: str | os.PathLike[str], text: str) -> None:
    """Puts `text`, with LF, in the place of a file that its author edits: its permissions stay, its line ends
    where all are CRLF, and a symbolic link to it. Raises `OSError`, and then the file is as it was."""
    target = os.path.realpath(path)
    mode = None
    if os.path.exists(target):
        mode = os.stat(target).st_mode & 0o777
        with open(target, "rb") as file:
            before = file.read()
        if 0 < before.count(b"\n") == before.count(b"\r\n"):
            text = text.replace("\n", "\r\n")
    replace_file(target, text.encode(), mode=mode)


@contextmanager
def output_file(path: str | os.PathLike[str], *, size: int = 0) -> Iterator[BinaryIO]:
    """`staged_file` at a place that a user names: where a link such as `/dev/stdout` leads, in folders that
    are made for it. A pipe or a device there is written to as it is, and not replaced."""
    if is_stream(path):
        with open(path, "wb") as file:
            yield file
        return
    target = os.path.realpath(path)
    if os.path.isdir(target):  # before the work that writes it
        raise IsADirectoryError(errno.EISDIR, "Is a folder; name a file in it", os.fspath(path))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with staged_file(target, size=size) as file:
        yield file


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether a pipe or a device is at `path`, or where its links lead."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


@contextmanager
def staged_file(
    path: str | os.PathLike[str],
    *,
    mode: int | None = None,
    keep_old: bool = False,
    size: int = 0,
) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of `path` when the block ends without an error.

    `size` is how many bytes it will have, where that is known; an error for want of space says so.
    """
    target = os.fspath(path)
    remove_abandoned(target)
    staged, file = _create(target, mode)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if mode is not None:
                os.chmod(staged, mode)  # the umask has taken bits away
            if keep_old:
                os.link(staged, target)
            elif os.name != "nt":  # while the lock is held
                os.replace(staged, target)
        if os.name == "nt" and not keep_old:
            os.replace(staged, target)  # Windows renames no open file
    except OSError as error:
        if error.filename is None:  # of a write
            from kb_runtime.errors.shortages import with_space

            raise with_space(error, target, size or os.path.getsize(staged) + 1) from error
        _name_target(error, staged, target)
        raise
    finally:
        with suppress(FileNotFoundError):
            os.unlink(staged)


def _name_target(error: OSError, staged: str, target: str) -> None:
    """Has an error name the file that was asked for, in place of the staged one that nobody knows."""
    if error.filename == staged:
        error.filename, error.filename2 = target, None


def remove_abandoned(path: str | os.PathLike[str]) -> None:
    """Removes what killed writers of `path` left. What cannot be removed stays."""
    folder, name = os.path.split(os.fspath(path))
    _remove_abandoned(folder, f".{name}.")


def remove_all_abandoned(folder: str) -> None:
    """Removes what killed writers of any file in `folder`, which is kbc's own, left."""
    _remove_abandoned(folder, ".")


def _remove_abandoned(folder: str, prefix: str) -> None:
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return
    for name in names:
        if name.startswith(prefix) and name.endswith(STAGED_SUFFIX):
            with suppress(OSError):
                _remove_if_free(os.path.join(folder, name))


def is_staged(name: str, of: str) -> bool:
    """Whether a file's name is that of a staged file for the name `of`."""
    return name.startswith(f".{of}.") and name.endswith(STAGED_SUFFIX)


def _remove_if_free(path: str) -> None:
    descriptor = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    try:
        free = try_lock(descriptor)
        if free and os.name != "nt":
            os.unlink(path)
    finally:
        os.close(descriptor)
    if free and os.name == "nt":
        os.unlink(path)


def _create(target: str, mode: int | None) -> tuple[str, BinaryIO]:
    folder, name = os.path.split(target)
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    staged = f".{name}.{os.getpid()}-{get_ident() & 0xFFFFFF:x}{STAGED_SUFFIX}"
    staged = os.path.join(folder, staged)
    for _ in range(_ATTEMPTS):
        try:
            descriptor = os.open(staged, flags, 0o666 if mode is None else mode)
        except OSError as error:
            _name_target(error, staged, target)
            raise
        try:
            with suppress(OSError):  # a file system without locks
                try_lock(descriptor)
            if is_at(descriptor, staged):
                return staged, os.fdopen(descriptor, "wb")
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # another writer took it for abandoned before it was locked
    raise FileNotFoundError(f"{staged} is removed repeatedly")
