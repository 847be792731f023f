"""Extracts archives of documentation into the cache: zip, wheel, tar, sdist, npm tarball.

Members are regular files and folders below the target, or nothing: names that lead out of it, links and
devices are refused, and so is an archive that grows beyond the bounds when it is unpacked.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import tarfile
import tempfile
import unicodedata
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import IO

from kb_runtime.errors import SingleCodeError, exit_codes
from kb_runtime.errors.shortages import shortage
from kb_runtime.store.locks import is_at, try_share
from kb_runtime.store.temporary_folders import locked_folder, remove_abandoned

_ZIP_ENDINGS = (".zip", ".whl", ".jar")
_TAR_ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".crate")
ENDINGS = (*_ZIP_ENDINGS, *_TAR_ENDINGS)
MAX_BYTES = 2 * 1024**3
MAX_MEMBERS = 200_000
_BLOCK = 1 << 20
FOLDER = "archives"
"""The folder of the cache with an entry for each archive that was unpacked."""
LISTING = "files.json"
"""Beside the content: the SHA-256 of each file by its path. Its time is that of the last use, and who uses
the content holds it locked."""
UNFINISHED = ".new-"
"""How the name of an entry under construction starts."""
# RuntimeError is what zipfile raises for an encrypted member, NotImplementedError for an unknown packing.
_DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
)


class ArchiveError(SingleCodeError):
    """The archive cannot be used."""

    code = "archive-unusable"
    exit_code = exit_codes.INPUT


def is_archive(path: Path) -> bool:
    """Whether the file is an archive, by its name."""
    return path.name.lower().endswith(ENDINGS)


def extracted(path: Path, cache: Path) -> Path:
    """The folder with the content of the archive, below `cache`, unpacked unless it is there already as it
    was written: programs remove old files from caches.

    The folder is that of the archive's single top-level folder, where it has one. It stays until this process
    ends, or gives it up with `release`. Raises `ArchiveError`, and `OSError` for want of space or
    descriptors.
    """
    # Entries with 32 digits may lack files: they were written in place.
    target = cache / FOLDER / _sha256(path)[:40]
    content = target / "content"
    if not _hold(target):
        _unpack(path, target)
        _hold(target)
    inside = [entry for entry in content.iterdir() if entry.name != "pax_global_header"]
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else content


_held: dict[Path, int] = {}
"""Descriptors of the locked listings of what this process uses."""


def _hold(target: Path) -> bool:
    """Whether an unpacked archive is there as it was written; nobody removes it then while this process
    lives."""
    listing = target / LISTING
    try:
        lock = os.open(listing, os.O_RDONLY)
    except OSError:
        return False
    with suppress(OSError):  # a file system without locks
        try_share(lock)
    if not (is_at(lock, listing) and _is_whole(target)):
        os.close(lock)
        return False
    with suppress(OSError):  # a cache that may only be read
        os.utime(listing)
    if (before := _held.pop(target, None)) is not None:
        os.close(before)
    _held[target] = lock
    return True


def release(cache: Path) -> None:
    """Gives up what this process has unpacked below `cache`, which it is about to remove."""
    for target in [each for each in _held if each.is_relative_to(cache)]:
        os.close(_held.pop(target))


def _unpack(path: Path, target: Path) -> None:
    """Makes the folder `target` in one step: other processes may unpack the same archive."""
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_abandoned(str(target.parent), UNFINISHED)
    unfinished = tempfile.TemporaryDirectory(
        prefix=UNFINISHED, dir=target.parent, ignore_cleanup_errors=True
    )
    with unfinished as folder, locked_folder(folder):
        staged = Path(folder) / target.name
        (staged / "content").mkdir(parents=True)
        try:
            listing = _extract(path, staged / "content")
        except _DAMAGE as error:
            if shortage(error) is not None:
                raise
            reason = str(error).partition("\n")[0].rstrip(":")  # tarfile goes on for lines
            if isinstance(error, OSError) and error.strerror:
                reason = error.strerror  # the path is one of the cache
            raise ArchiveError(
                f"{path.name!r} cannot be unpacked: {reason}",
                "It may be cut off: copy it again, or unpack it and name the folder.",
            ) from error
        (staged / LISTING).write_text(json.dumps(listing), encoding="utf-8")
        try:
            if target.exists() and not _is_whole(target):
                target.rename(Path(folder) / "damaged")
            staged.rename(target)
        except OSError:
            if not target.exists():  # else another process has been faster
                raise


def _is_whole(target: Path) -> bool:
    """Whether an unpacked archive is there with the files that it had, and no others."""
    try:
        listing = json.loads((target / LISTING).read_bytes())
        content = target / "content"
        found = [each for each in content.rglob("*") if not each.is_dir()]
        return bool(
            len(found) == len(listing)
            and all(
                listing.get(each.relative_to(content).as_posix()) == _sha256(each) for each in found
            )
        )
    except (OSError, ValueError, AttributeError):
        return False


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _extract(path: Path, target: Path) -> dict[str, str]:
    """The SHA-256 of each file that was written, by its path below `target`."""
    budget = _ExtractionBudget(path.name)
    found: dict[str, str] = {}

    def write(stream: IO[bytes], name: str) -> None:
        place = _place(target, name, path)
        found[place.relative_to(target).as_posix()] = _write(stream, place, name, budget)

    is_named_zip = path.name.lower().endswith(_ZIP_ENDINGS)
    if zipfile.is_zipfile(path) or (is_named_zip and not tarfile.is_tarfile(path)):
        with zipfile.ZipFile(path) as archive:
            files = [info for info in archive.infolist() if not _is_folder_or_link(info)]
            # What the archive says of itself is refused before anything is written.
            stated = _ExtractionBudget(path.name)
            stated.count(len(files))
            stated.spend(sum(info.file_size for info in files))
            for info in files:
                with archive.open(info) as stream:
                    write(stream, info.filename)
        return found
    with tarfile.open(path) as tar:
        for member in tar:
            content = tar.extractfile(member) if member.isreg() else None
            if content is not None:
                with content:
                    write(content, member.name)
            else:  # millions of folders take minutes, too
                budget.count(1)
    return found


def _is_folder_or_link(info: zipfile.ZipInfo) -> bool:
    return info.filename.endswith("/") or (info.external_attr >> 16) & 0o170000 == 0o120000


def _place(target: Path, name: str, archive: Path) -> Path:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    unsafe = not parts or parts[0] == "/" or ".." in parts or "\0" in name or ":" in parts[0]
    if unsafe:
        raise ArchiveError(
            f"{archive.name!r} contains {name!r}, which would be written outside its folder",
            "Do not use this archive.",
        )
    return target.joinpath(*parts)


class _ExtractionBudget:
    """What may still be written, and the names of what was."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._bytes = MAX_BYTES
        self._members = MAX_MEMBERS
        self._written: dict[str, str] = {}

    def member(self, name: str, place: Path) -> None:
        folded = unicodedata.normalize("NFC", name.casefold())
        earlier = self._written.setdefault(folded, name)
        if earlier != name and place.exists():
            raise ArchiveError(
                f"{self._name!r} holds {earlier!r} and {name!r}, which are one file on this file system",
                "Unpack it on a case-sensitive file system.",
            )
        self.count(1)

    def count(self, members: int) -> None:
        """Raises `ArchiveError` where these are more than an archive may hold."""
        self._members -= members
        if self._members < 0:
            raise ArchiveError(
                f"{self._name!r} holds more than {MAX_MEMBERS:,} files or folders",
                "Unpack only what you need.",
            )

    def spend(self, size: int) -> None:
        self._bytes -= size
        if self._bytes < 0:
            raise ArchiveError(
                f"{self._name!r} has more than {MAX_BYTES:,} bytes unpacked",
                "Unpack only what you need.",
            )


def _write(stream: IO[bytes], place: Path, name: str, budget: _ExtractionBudget) -> str:
    """The SHA-256 of what was written."""
    budget.member(name, place)
    place.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with open(place, "wb") as out:
        while block := stream.read(_BLOCK):
            budget.spend(len(block))
            digest.update(block)
            out.write(block)
    os.utime(place, (0, 0))
    return digest.hexdigest()
