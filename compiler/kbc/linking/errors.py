"""What can keep a build from being published, as errors that say what to do."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Collection
from pathlib import Path

from kb_runtime.errors import KbcError, exit_codes
from kb_runtime.errors.shortages import FILE_SIZES, NO_SPACE
from kb_runtime.text.tables import size

_UNWRITABLE = frozenset(
    {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EISDIR}
)


class PublishError(KbcError):
    """Nothing was published, and what was live still is.

    Codes: `no-space`, `unwritable`, `locked`, `self-check`, `io`, `not-reproducible`.
    """

    exit_code = exit_codes.OUTPUT


class OvertakenError(PublishError):
    """Another build went live first, which a draft must not replace."""

    def __init__(self, kb_folder: Path) -> None:
        super().__init__("locked", f"Another build published {kb_folder} first.")


class DamagedShardsError(PublishError):
    """The files of the shards `ids`, taken from earlier builds, are not those that these builds had."""

    def __init__(self, defect: str, ids: Collection[str]) -> None:
        super().__init__(
            "self-check",
            f"The build failed its self-check: {defect}",
            "What was live still is. Shards of an earlier build are damaged: remove it, and build again.",
        )
        self.ids = ids


def translated(error: Exception, kb_folder: Path, temporary: Path) -> PublishError:
    """The `PublishError` that explains why `kb_folder` cannot be written; `temporary` has what was."""
    if isinstance(error, OSError) and error.errno == errno.EFBIG:
        fact, hint = FILE_SIZES
        return PublishError(
            "no-space", f"Writing {kb_folder} failed: {fact}.", f"What was live still is. {hint}"
        )
    if _is_no_space(error, temporary):
        return PublishError(
            "no-space",
            f"There is no space left for {kb_folder}{_needed(temporary)}.",
            "What was live still is. Free some space, or choose another output folder.",
        )
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    if isinstance(error, OSError) and error.errno in _UNWRITABLE:
        return PublishError(
            "unwritable",
            f"{kb_folder} cannot be written: {reason}.",
            "What was live still is. Choose another output folder, or change its permissions.",
        )
    return PublishError("io", f"Writing {kb_folder} failed: {reason}.")


def is_of_output(error: Exception, kb_folder: Path, temporary: Path) -> bool:
    """Whether writing failed, for want of space or of a file below the output, and not reading an input."""
    if isinstance(error, PublishError):
        return False
    return _is_no_space(error, temporary) or _is_below(error, kb_folder.absolute())


def _is_no_space(error: Exception, temporary: Path) -> bool:
    """Whether a write failed for want of space. Native writers say it in words only, and a short write of
    numpy has no error number."""
    if isinstance(error, OSError) and error.errno in NO_SPACE:
        return True
    if os.strerror(errno.ENOSPC) in str(error):
        return True
    if isinstance(error, OSError) and error.errno is None:
        try:
            return shutil.disk_usage(temporary).free < 1 << 20
        except OSError:
            return False
    return False


def _is_below(error: Exception, folder: Path) -> bool:
    """Whether the file that failed is below `folder`."""
    if not isinstance(error, OSError):
        return False
    return any(
        isinstance(name, (str, os.PathLike)) and Path(name).absolute().is_relative_to(folder)
        for name in (error.filename, error.filename2)
    )


def _needed(temporary: Path) -> str:
    """How much the build needs, as far as it got: what found room, and what is free still."""
    try:
        free = shutil.disk_usage(temporary).free
        files = [path for path in temporary.rglob("*") if path.is_file()]
        least = free + sum(path.stat().st_size for path in files)
    except OSError:
        return ""
    return f": the build needs more than {size(least)}" if least else ""
