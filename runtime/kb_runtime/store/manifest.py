"""The manifest of an artifact: found, read and checked before anything else is opened.

This module is on the path from process start to the first answer, so it imports little: `json` and a
SHA-256 without OpenSSL. Larger files are hashed with `hashlib`, which is imported when needed.
"""

from __future__ import annotations

import json
import os
import stat

from kb_runtime.digests import sha256
from kb_runtime.errors import ArtifactError
from kb_runtime.version import FORMAT_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

MANIFEST = "manifest.json"
CURRENT = "CURRENT"

BUILD_ID_LENGTH = 16
"""Hexadecimal digits of a build id, which is also the name of the build's folder."""

_UNSEALED = b"0" * 64
_SEAL_HEAD = b'"seal": "'
_SEAL_TAIL = b'"\n}\n'
_SEAL_AT = -(len(_SEAL_TAIL) + 64)

_OPENSSL_FROM = 1 << 18
"""Bytes from which OpenSSL's SHA-256 (about 4 times faster) is worth its import."""
_BLOCK = 1 << 18

_REBUILD = "Build the knowledge base again, or install it again."


def is_build_id(text: str) -> bool:
    return len(text) == BUILD_ID_LENGTH and all(char in "0123456789abcdef" for char in text)


def seal(fields: Mapping[str, Any]) -> bytes:
    """`fields` as the bytes of a manifest file, in the order given, closed by the seal.

    The seal is the SHA-256 of the whole file with the seal's own 64 digits replaced by zeros, so a
    change of any byte shows. JSON is ASCII, one value per line, and ends with a newline.
    """
    plain = {name: value for name, value in fields.items() if name != "seal"}
    text = json.dumps({**plain, "seal": _UNSEALED.decode()}, indent=1, allow_nan=False) + "\n"
    data = text.encode("ascii")
    return data[:_SEAL_AT] + sha256(data).hex().encode() + _SEAL_TAIL


class Location:
    """What a path given by a user stands for: a knowledge base with versions, or one build.

    `kb_folder` is the folder that holds CURRENT, empty when the path names one build.
    """

    __slots__ = ("_build", "kb_folder")

    def __init__(self, kb_folder: str, build: str = "") -> None:
        self.kb_folder = kb_folder
        self._build = build

    @property
    def current(self) -> str:
        """The path of CURRENT, empty when the path names one build."""
        return os.path.join(self.kb_folder, CURRENT) if self.kb_folder else ""

    def build_folder(self) -> str:
        """The build that is live now. Raises `ArtifactError` when CURRENT names none."""
        if not self.kb_folder:
            return self._build
        data = _read(self.current, limit=BUILD_ID_LENGTH + 2)
        build_id = data.removesuffix(b"\n").decode("ascii", "replace")
        if not is_build_id(build_id):
            raise ArtifactError(
                "altered",
                f"{self.current} does not hold a build id: it starts with {build_id!r}.",
                _REBUILD,
            )
        folder = os.path.join(self.kb_folder, build_id)
        if not os.path.isfile(os.path.join(folder, MANIFEST)):
            raise ArtifactError(
                "missing",
                f"{self.current} names the build {build_id}, which is not there.",
                _REBUILD,
            )
        return folder


def locate(path: str | os.PathLike[str]) -> Location:
    """Finds what `path` stands for: one build, a knowledge base, or a folder that holds just one.

    Raises `ArtifactError`: `missing` when there is nothing at `path`, `not-an-artifact` when it is
    something else or holds several knowledge bases.
    """
    given = os.fspath(path)
    try:
        folder = os.path.realpath(given)
        if not stat.S_ISDIR(os.stat(folder).st_mode):
            raise ArtifactError(
                "not-an-artifact",
                f"{given} is a file, not the folder of a compiled knowledge base.",
                "Give the folder that `kbc build` wrote.",
            )
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise ArtifactError(
            "missing",
            f"There is no compiled knowledge base at {given!r}: no such folder.",
            "Run `kbc build`, or check the path.",
        ) from None
    except OSError as error:
        raise _unreadable(given, error) from error
    if os.path.lexists(os.path.join(folder, MANIFEST)):
        return Location("", folder)
    if os.path.lexists(os.path.join(folder, CURRENT)):
        return Location(folder)
    try:
        inside = sorted(
            name
            for name in os.listdir(folder)
            if not name.startswith(".") and os.path.isfile(os.path.join(folder, name, CURRENT))
        )
    except OSError as error:
        raise _unreadable(given, error) from error
    if len(inside) == 1:
        return Location(os.path.join(folder, inside[0]))
    if inside:
        raise ArtifactError(
            "not-an-artifact",
            f"{given} holds {len(inside)} knowledge bases: {', '.join(inside)}.",
            f"Give one of them, for example {os.path.join(given, inside[0])}.",
        )
    raise ArtifactError(
        "not-an-artifact",
        f"{given} is not a compiled knowledge base: it holds neither {CURRENT} nor {MANIFEST}.",
        "Give the folder that `kbc build` wrote.",
    )


def resolve(path: str | os.PathLike[str]) -> str:
    """The folder of the build that `path` stands for now. Raises `ArtifactError`."""
    return locate(path).build_folder()


class Manifest:
    """A checked manifest. Reads like a mapping of its fields.

    `folder` is the build's folder; `files` maps each listed path (forward slashes, relative) to its
    size in bytes and its SHA-256 in hexadecimal.
    """

    __slots__ = ("_fields", "_passed", "build_id", "files", "folder")

    def __init__(self, folder: str, fields: dict[str, Any]) -> None:
        self.folder = folder
        self._fields = fields
        self._passed: set[str] = set()
        try:
            self.build_id: str = fields["build_id"]
            self.files: dict[str, tuple[int, str]] = {
                file["path"]: (file["bytes"], file["sha256"]) for file in fields["files"]
            }
            sane = (
                isinstance(self.build_id, str)
                and isinstance(fields["collections"], list)
                and all(_is_inside(path) for path in self.files)
            )
        except (KeyError, TypeError, AttributeError):
            sane = False
        if not sane:
            raise _not_a_manifest(folder)

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def get(self, name: str, default: Any = None) -> Any:
        return self._fields.get(name, default)

    def as_dict(self) -> dict[str, Any]:
        return dict(self._fields)

    def path(self, relative: str) -> str:
        """Where the listed file is on disk."""
        return os.path.join(self.folder, *relative.split("/"))

    def section(self, prefix: str) -> list[str]:
        """The listed files whose path starts with `prefix`, in the manifest's order."""
        return [path for path in self.files if path.startswith(prefix)]

    def check_sizes(self) -> None:
        """Compares the size of every listed file. Raises `ArtifactError` at the first mismatch."""
        for relative, (size, _) in self.files.items():
            path = self.path(relative)
            try:
                found = os.stat(path)
            except (FileNotFoundError, NotADirectoryError):
                raise ArtifactError(
                    "truncated", f"The artifact is incomplete: {path} is missing.", _REBUILD
                ) from None
            except OSError as error:
                raise _unreadable(path, error) from error
            if not stat.S_ISREG(found.st_mode):
                raise ArtifactError("altered", f"{path} is not a regular file.", _REBUILD)
            if found.st_size != size:
                raise ArtifactError(
                    "truncated" if found.st_size < size else "altered",
                    f"{path} has {found.st_size} bytes where its manifest says {size}.",
                    _REBUILD,
                )

    def check_file(self, relative: str) -> None:
        """Compares a listed file's SHA-256, once: a file that passed is not read again.

        Safe to call from several threads. Raises `ArtifactError` when the file differs, is not
        listed or cannot be read.
        """
        if relative in self._passed:
            return
        if relative not in self.files:
            raise ArtifactError(
                "truncated", f"The artifact in {self.folder} has no file {relative}.", _REBUILD
            )
        size, expected = self.files[relative]
        path = self.path(relative)
        if _digest(path, size) != expected:
            raise ArtifactError(
                "altered", f"{path} was altered: its SHA-256 is not the manifest's.", _REBUILD
            )
        self._passed.add(relative)

    def check_files(self, paths: Iterable[str]) -> None:
        for relative in paths:
            self.check_file(relative)

    def read(self, relative: str) -> bytes:
        """The checked content of a small file such as `tools.json`."""
        if relative not in self.files:
            self.check_file(relative)  # raises
        path = self.path(relative)
        data = _read(path, absent="truncated")
        if relative not in self._passed and sha256(data).hex() != self.files[relative][1]:
            raise ArtifactError(
                "altered", f"{path} was altered: its SHA-256 is not the manifest's.", _REBUILD
            )
        return data


def load(folder: str | os.PathLike[str]) -> Manifest:
    """Reads the manifest of the build in `folder`.

    Checks the seal first, then the format version, then that the folder is named after the build.
    Raises `ArtifactError`: `not-an-artifact`, `truncated`, `altered`, `newer-format`,
    `older-format` or `unreadable`.
    """
    folder = os.path.realpath(os.fspath(folder))
    path = os.path.join(folder, MANIFEST)
    data = _read(path)
    if data[_SEAL_AT - len(_SEAL_HEAD) : _SEAL_AT] != _SEAL_HEAD or not data.endswith(_SEAL_TAIL):
        raise _unsealed(folder, data)
    found = data[_SEAL_AT : -len(_SEAL_TAIL)]
    if sha256(data[:_SEAL_AT] + _UNSEALED + _SEAL_TAIL).hex().encode() != found:
        raise ArtifactError("altered", f"{path} was altered: its seal does not match.", _REBUILD)
    try:
        fields = json.loads(data)
        version = fields["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _not_a_manifest(folder) from None
    if not isinstance(version, int):
        raise _not_a_manifest(folder)
    if version > FORMAT_VERSION:
        raise ArtifactError(
            "newer-format",
            f"The artifact in {folder} has format {version}; this kbc reads format "
            f"{FORMAT_VERSION}.",
            "Upgrade kbc: pip install --upgrade kbc",
        )
    if version < FORMAT_VERSION:
        raise ArtifactError(
            "older-format",
            f"The artifact in {folder} has format {version}; this kbc reads format "
            f"{FORMAT_VERSION}.",
            "Build the knowledge base again with this kbc.",
        )
    if not fields.get("built_at"):
        fields["built_at"] = _file_time(path)
    manifest = Manifest(folder, fields)
    if manifest.build_id != os.path.basename(folder):
        raise ArtifactError(
            "altered",
            f"The folder {folder} holds the build {manifest.build_id}, whose name it must have.",
            f"Rename the folder to {manifest.build_id}, or build again.",
        )
    return manifest


def _file_time(path: str) -> str:
    """When the file was written, in the form of `built_at`: what a build without a clock leaves."""
    import time

    try:
        moment = time.gmtime(os.stat(path).st_mtime)
    except (OSError, ValueError, OverflowError):
        return ""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", moment)


def _is_inside(path: str) -> bool:
    """Whether a listed path stays inside the build's folder."""
    parts = path.split("/")
    return not any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts)


def _digest(path: str, size: int) -> str:
    """The SHA-256 of a file that should have `size` bytes, in hexadecimal."""
    if size < _OPENSSL_FROM:
        return sha256(_read(path, absent="truncated")).hex()
    import hashlib

    digest = hashlib.sha256()
    try:
        with open(path, "rb", buffering=0) as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except FileNotFoundError:
        raise ArtifactError("truncated", f"{path} is missing.", _REBUILD) from None
    except OSError as error:
        raise _unreadable(path, error) from error
    return digest.hexdigest()


def _read(path: str, limit: int = -1, absent: str = "missing") -> bytes:
    """The first `limit` bytes of a file, or all; `absent` is the code when it is not there."""
    try:
        # Non-blocking, for a path where someone put a pipe.
        with open(path, "rb", opener=_open_nonblocking) as file:
            return file.read(limit)
    except FileNotFoundError:
        raise ArtifactError(absent, f"{path} is missing.", _REBUILD) from None
    except OSError as error:
        raise _unreadable(path, error) from error


def _open_nonblocking(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _unsealed(folder: str, data: bytes) -> ArtifactError:
    """What to say of a manifest file that does not end with a seal."""
    if data.startswith(b'{\n "format": '):
        return ArtifactError(
            "truncated",
            f"{os.path.join(folder, MANIFEST)} does not end with a seal: it was truncated or altered.",
            _REBUILD,
        )
    return _not_a_manifest(folder)


def _not_a_manifest(folder: str) -> ArtifactError:
    return ArtifactError(
        "not-an-artifact",
        f"{os.path.join(folder, MANIFEST)} is not the manifest of a compiled knowledge base.",
        "Give the folder that `kbc build` wrote.",
    )


def _unreadable(path: str, error: OSError) -> ArtifactError:
    return ArtifactError(
        "unreadable",
        f"{path} cannot be read: {error.strerror or error}.",
        "Check the permissions of the artifact's folder.",
    )
