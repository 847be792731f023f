"""Writes zip files whose bytes depend on their content alone, atomically."""

from __future__ import annotations

import hashlib
import io
import stat
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from kb_runtime.store.atomic_files import staged_file

EARLIEST = 315_532_800
"""1980-01-01 in seconds since 1970: the first moment that a zip file can name."""

LEVEL = 9
_BLOCK = 1 << 18
_MODE = stat.S_IFREG | 0o644
_UNIX = 3


@dataclass(frozen=True, slots=True)
class Written:
    """A file of an archive: `size` bytes, `packed` bytes in the archive. `digest` is its SHA-256."""

    path: str
    size: int
    packed: int
    digest: bytes


class Archive:
    """Writes a zip file in the order of `add`; leaving the block without an error makes it appear.

    Every entry has the mode 644 and the time `timestamp` (seconds since 1970, UTC), so the same entries
    give the same bytes with the same zlib.
    """

    def __init__(self, path: Path, timestamp: int) -> None:
        self.path = path
        self.written: list[Written] = []
        self._time = time.gmtime(max(timestamp, EARLIEST))[:6]

    def __enter__(self) -> Self:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._staged = staged_file(self.path)
        self._zip = zipfile.ZipFile(
            self._staged.__enter__(), "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL
        )
        return self

    def add(self, path: str, content: bytes | Path) -> Written:
        """Adds a file: bytes, or what the file at a path holds."""
        info = zipfile.ZipInfo(path, self._time)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.create_system = _UNIX
        info.external_attr = _MODE << 16
        source = io.BytesIO(content) if isinstance(content, bytes) else content.open("rb")
        digest = hashlib.sha256()
        with source:
            info.file_size = source.seek(0, io.SEEK_END)  # decides on the form for large files
            source.seek(0)
            with self._zip.open(info, "w") as target:
                while block := source.read(_BLOCK):
                    digest.update(block)
                    target.write(block)
        written = Written(path, info.file_size, info.compress_size, digest.digest())
        self.written.append(written)
        return written

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self._zip.close()
        except (OSError, ValueError) as failure:  # after an error it is closed to be dropped
            self._staged.__exit__(type(failure), failure, failure.__traceback__)
            if error is None:
                raise
        else:
            self._staged.__exit__(kind, error, traceback)
