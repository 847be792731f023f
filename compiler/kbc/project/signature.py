"""Detects that a file has changed from its times, size and inode, without reading it."""

from __future__ import annotations

import os
import stat

Signature = tuple[int, int, int, int]
"""Time of content, time of status, size, inode. The kernel sets the time of status at every write and
nobody else can, so that an edit which keeps size and time of content is seen, too."""


def signature(info: os.stat_result) -> Signature:
    return info.st_mtime_ns, info.st_ctime_ns, info.st_size, info.st_ino


def signature_at(path: str | os.PathLike[str]) -> Signature | None:
    """The signature of what is at `path`, links followed; None where nothing is. That of a folder does not
    depend on what is in it."""
    try:
        info = os.stat(path)  # noqa: PTH116 # of thousands of files, every second
    except (OSError, ValueError):
        return None
    return (0, 0, 0, info.st_ino) if stat.S_ISDIR(info.st_mode) else signature(info)
