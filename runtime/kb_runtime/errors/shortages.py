"""Names what a machine is short of: descriptors, memory, space. None of these is a defect of kbc.

Native libraries say some of it in words only, so an exception's text counts where it has no number.
"""

from __future__ import annotations

import errno
import os

from kb_runtime.errors import SingleCodeError, exit_codes

NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

FILE_SIZES = (
    "the limit of file sizes is reached",
    "Raise it (`ulimit -f`), or choose a file system that takes larger files.",
)
"""What is wrong where a file may not grow further, however much space there is, and what to do."""

_THREADS = -1  # no number of the system
_THREAD_ADDRESSES = 256 << 20
"""Bytes: of its stack and of the allocator's arena for it, for which glibc takes 128 MB at once, and as
much for what else the process does meanwhile."""

_SHORT: dict[int, tuple[str, str]] = {
    errno.EMFILE: (
        "this process has no file descriptor left",
        "Raise its limit of open files (`ulimit -n`).",
    ),
    errno.ENFILE: ("the machine has no file descriptor left", "Close other programs."),
    errno.ENOMEM: ("there is not enough memory", "Close other programs, or allow more memory."),
    _THREADS: (
        "no more threads can be started",
        "Allow more memory, or more processes (`ulimit -u`).",
    ),
    errno.EROFS: ("the file system is read-only", "Choose another folder."),
    **dict.fromkeys(NO_SPACE, ("there is no space left", "Free some space.")),
    errno.EFBIG: FILE_SIZES,
}
_OF_DISKS = frozenset(_SHORT[number][0] for number in (errno.EROFS, *NO_SPACE))
_RAISED = {
    errno.ENOMEM: "Raise the limit of this process's address space (`ulimit -v`).",
    _THREADS: "Raise the limit of this process's address space (`ulimit -v`), or of processes (`ulimit -u`).",
}
"""What to do about shortages that a limit of the address space explains, where there is one."""
_WORDS = {os.strerror(number): number for number in _SHORT if number != _THREADS} | {
    "bad_alloc": errno.ENOMEM,
    "failed to map segment": errno.ENOMEM,  # of the dynamic linker
    "can't start new thread": _THREADS,
    "ThreadPoolBuildError": _THREADS,
    "Failed to spawn": _THREADS,
    # Of a library that has started a thread: what cannot be locked has a number, and is no shortage.
    "Resource temporarily unavailable": _THREADS,
    "PyObject pointer is null": errno.ENOMEM,  # a panic: Python gave no memory
}


class ShortageError(SingleCodeError):
    """The machine, or what this process may have of it, is used up.

    The exit code is that of an output that cannot be written where a disk is full or read-only.
    """

    code = "shortage"
    exit_code = exit_codes.SHORTAGE

    def __init__(self, message: str, hint: str = "", kind: str = "") -> None:
        """`kind` says what is used up, and names no file."""
        super().__init__(message, hint)
        self.kind = kind
        if kind in _OF_DISKS:
            self.exit_code = exit_codes.OUTPUT


def shortage(error: BaseException) -> ShortageError | None:
    """The expected error for an exception that means a shortage, or was raised from one that does; None
    for any other."""
    number = _number(error)
    if number is None:
        return None if error.__cause__ is None else shortage(error.__cause__)
    kind, hint = _SHORT[number]
    what = kind
    if isinstance(error, OSError) and error.strerror and error.strerror not in _WORDS:
        what = error.strerror  # of `with_space`
    name = getattr(error, "filename", None)
    where = f"{os.fsdecode(name)}: " if isinstance(name, (str, bytes, os.PathLike)) else ""
    if number in _RAISED and (limit := _address_space_limit()) is not None:
        what += f" with {limit >> 20} MB of address space"
        hint = _RAISED[number]
    return ShortageError(where + what, hint, kind)


def raise_shortage(error: OSError, path: str | os.PathLike[str] = "") -> None:
    """Raises `ShortageError`, which names the file at `path`, where the error means a shortage: the file is
    not to blame then, and what leaves it out would be wrong until it changes."""
    named = OSError(error.errno, error.strerror, os.fspath(path)) if path else error
    if short := shortage(named):
        raise short from error


def require_address_space(needed: int, what: str) -> None:
    """Raises `ShortageError` where a limit (`ulimit -v`) leaves this process less than `needed` bytes of
    addresses for `what`. Native libraries end the process when they get no memory; they raise nothing."""
    left = _address_space_left()
    if left is not None and left < needed:
        kind, _ = _SHORT[errno.ENOMEM]
        said = f"{kind}: {what} needs at least {needed >> 20} MB of address space, {left >> 20} MB are left"
        raise ShortageError(said, _RAISED[errno.ENOMEM], kind)


def threads_that_fit(most: int) -> int:
    """How many of `most` threads may be started beside other work: one, where a limit (`ulimit -v`) leaves
    addresses for no more."""
    left = _address_space_left()
    return most if left is None else max(1, min(most, left // _THREAD_ADDRESSES))


def _address_space_left() -> int | None:
    """Bytes; None where there is no limit, or no telling how much is used."""
    limit = _address_space_limit()
    if limit is None:
        return None
    try:
        with open("/proc/self/statm", "rb") as pages:  # Linux only
            used = int(pages.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return None
    return max(limit - used, 0)


def _address_space_limit() -> int | None:
    """Bytes; None where there is no limit."""
    try:
        import resource  # not on Windows
    except ImportError:
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit


def _number(error: BaseException) -> int | None:
    if isinstance(error, MemoryError):
        return errno.ENOMEM
    number = getattr(error, "errno", None)
    if isinstance(error, OSError) and number is not None:
        return number if number in _SHORT else None
    said = str(error)
    return next((number for words, number in _WORDS.items() if words in said), None)


def with_space(error: OSError, path: str, needed: int) -> OSError:
    """An error of writing the file at `path` that names it, and where there is no space for it, how many
    bytes are needed and how many are free."""
    if error.errno is None:
        return error
    said = error.strerror or os.strerror(error.errno)
    if error.errno in NO_SPACE:
        said, _ = _SHORT[error.errno]
        if needed > 1:  # the first byte of a file whose size is not known found no room
            said += f": {needed:,} bytes are needed"
            said += _free(path) if error.errno == errno.ENOSPC else ""  # not a quota, or a limit
    return OSError(error.errno, said, path)


def _free(path: str) -> str:
    try:
        found = os.statvfs(os.path.dirname(path) or ".")
    except (AttributeError, OSError):  # Windows; a folder that has gone
        return ""
    return f", {found.f_bavail * found.f_frsize:,} are free"
