"""Files as they were when they were hashed: what a reader maps afterwards must be the same files still.

Native readers open files by name. Between the hash and the reader somebody could put another file, or
another folder, under that name, or write into the file. Each of these changes a time of change (ctime) that
nobody can set, so a file is trusted where the identity of everything from the build's folder down to the file
is the same before it was hashed and after the reader has it.
"""

from __future__ import annotations

import os
import stat

from kb_runtime.digests import sha256, takes_openssl
from kb_runtime.errors import ArtifactError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Identity = tuple[tuple[int, ...], ...]

REBUILD = "Build the knowledge base again, or install it again."
REBUILD_WITH_THIS = "Build the knowledge base again with this kbc."

_SETTLED_NS = 20_000_000
"""Two changes within a tick of the kernel's clock (up to 10 ms) have one ctime: younger files wait."""
_ATTEMPTS = 25

_BLOCK = 1 << 16
"""What malloc takes from its heap: after larger blocks it keeps a megabyte for each thread that hashed."""
_MAX_THREADS = 4


def inconsistent(path: str) -> ArtifactError:
    """The error for a file whose parts do not fit together."""
    return ArtifactError(
        "altered", f"{path} is inconsistent with itself or with related files.", REBUILD
    )


def altered(path: str) -> ArtifactError:
    """The error for a file with other bytes than those that the manifest lists."""
    return ArtifactError(
        "altered", f"{path} was altered: its SHA-256 is not the manifest's.", REBUILD
    )


def identity(folder: str, relative: str) -> Identity:
    """What a change of the listed file, or of a folder on the way to it, changes.

    Waits until the last change is older than the clock's tick. Raises `ArtifactError`: `truncated` when it
    is missing, `altered` for anything but a regular file in folders that are no links, and for a file that
    does not come to rest.
    """
    for _ in range(_ATTEMPTS):
        found = _chain(folder, relative)
        age = _now() - max(ctime for *_, ctime in found)
        if not 0 <= age < _SETTLED_NS:  # from another machine's clock: in the future
            return found
        _wait()
    path = os.path.join(folder, relative)
    raise ArtifactError("altered", f"{path} keeps changing while it is read.", REBUILD)


def read_regular(path: str, size: int | None = None, absent: str = "missing") -> bytes:
    """The whole of a small regular file; of one that should have `size` bytes no more than a byte beyond.

    Raises `ArtifactError`, with the code `absent` when it is not there.
    """
    with open_regular(path, absent) as file:
        limit = os.fstat(file.fileno()).st_size if size is None else size
        try:
            return bytes(file.read(limit + 1))
        except OSError as error:
            raise unreadable(path, error) from error


def json_of(data: bytes, path: str, has_shape: Callable[[Any], bool]) -> Any:
    """The JSON value that is the content of the artifact's file at `path`. Raises `ArtifactError` for what is
    none or has another shape."""
    import json

    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise inconsistent(path) from None
    if not has_shape(value):
        raise inconsistent(path)
    return value


def open_regular(path: str, absent: str = "missing") -> Any:
    """The open file. Never follows a link, and never waits for a pipe or reads a device."""
    try:
        file = open(path, "rb", buffering=0, opener=_open_no_follow)  # noqa: SIM115
    except FileNotFoundError:
        raise ArtifactError(absent, f"{path} is missing.", REBUILD) from None
    except OSError as error:
        if os.path.islink(path):
            raise not_regular(path) from None
        raise unreadable(path, error) from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise not_regular(path)
    return file


def file_digest(path: str, size: int) -> str:
    """The SHA-256 of a file that should have `size` bytes, in hexadecimal; of a longer one no more than
    that and a byte is read. Raises `ArtifactError`."""
    if not takes_openssl(size):
        return sha256(read_regular(path, size, absent="truncated")).hex()
    import hashlib

    digest = hashlib.sha256()
    with open_regular(path, "truncated") as file:
        left = size + 1
        try:
            while left and (block := file.read(min(_BLOCK, left))):
                digest.update(block)
                left -= len(block)
        except OSError as error:
            raise unreadable(path, error) from error
    return digest.hexdigest()


def work_in_threads(check: Callable[[str], object], paths: list[str]) -> None:
    """Asks `check` about each of `paths`, the last first, and takes them from the list. Of what it raises
    `ArtifactError` about it will have to be asked again."""
    from contextlib import suppress
    from threading import Thread

    def work() -> None:
        while True:
            try:
                path = paths.pop()
            except IndexError:
                return
            with suppress(ArtifactError):
                check(path)

    threads = [Thread(target=work) for _ in range(min(_MAX_THREADS, os.cpu_count() or 1) - 1)]
    started = []
    with suppress(RuntimeError):  # where no thread can be started, this one works alone
        for thread in threads:
            thread.start()
            started.append(thread)
    work()
    for thread in started:
        thread.join()


def not_regular(path: str) -> ArtifactError:
    kind = "a link" if os.path.islink(path) else "not a regular file"
    return ArtifactError(
        "altered", f"{path} is {kind}; an artifact consists of regular files.", REBUILD
    )


def unreadable(path: str, error: OSError) -> ArtifactError:
    from kb_runtime.errors.shortages import shortage

    short = shortage(error)
    return ArtifactError(
        "unreadable" if short is None else short.code,
        f"{path} cannot be read: {error.strerror or error}.",
        "Check the permissions of the artifact's folder." if short is None else short.hint,
    )


def _chain(folder: str, relative: str) -> Identity:
    path = folder
    found = [one_identity(folder, is_folder=True)]
    *folders, name = relative.split("/")
    for part in folders:
        path = os.path.join(path, part)
        found.append(one_identity(path, is_folder=True))
    found.append(one_identity(os.path.join(path, name)))
    return tuple(found)


def status(path: str, *, is_folder: bool = False) -> os.stat_result:
    """The status of a regular file, or of a folder. Raises `ArtifactError` for anything else."""
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        raise ArtifactError(
            "truncated", f"The artifact is incomplete: {path} is missing.", REBUILD
        ) from None
    except OSError as error:
        raise unreadable(path, error) from error
    if not (stat.S_ISDIR if is_folder else stat.S_ISREG)(found.st_mode):
        raise not_regular(path)
    return found


def one_identity(path: str, *, is_folder: bool = False) -> tuple[int, ...]:
    """Device, inode, size and both times of change, in nanoseconds, of a regular file or a folder, whose
    size is 0. Raises `ArtifactError` for anything else."""
    found = status(path, is_folder=is_folder)
    size = 0 if is_folder else found.st_size
    return found.st_dev, found.st_ino, size, found.st_mtime_ns, found.st_ctime_ns


def _open_no_follow(path: str, flags: int) -> int:
    flags |= getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    return os.open(path, flags)


def _now() -> int:
    import time

    return time.time_ns()


def _wait() -> None:
    import time

    time.sleep(_SETTLED_NS / 1e9)
