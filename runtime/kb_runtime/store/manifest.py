"""The manifest of an artifact: read and checked before anything else is opened.

This module is on the path from process start to the first answer, so it imports little: `json` and a
SHA-256 that imports OpenSSL for large inputs only.
"""

from __future__ import annotations

import json
import os

from kb_runtime.digests import sha256
from kb_runtime.errors import ArtifactError
from kb_runtime.store.integrity import (
    REBUILD,
    REBUILD_WITH_THIS,
    altered,
    file_digest,
    identity,
    json_of,
    read_regular,
    status,
    work_in_threads,
)
from kb_runtime.store.manifest_schema import is_input_list, problem
from kb_runtime.version import DISTRIBUTION, FORMAT_VERSION, UNSHARDED_FORMAT_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, TypeVar

    from kb_runtime.store.integrity import Identity
    from kb_runtime.store.proofs import Proof, Proofs

    T = TypeVar("T")
    Check = Callable[["Manifest", bytes], object]
    """Refuses a build by raising `ArtifactError`, given its manifest and the bytes it was read from."""

MANIFEST = "manifest.json"
CURRENT = "CURRENT"
LISTING = "files.json"
"""Beside CURRENT, of a source tree that has no version yet; see `kb_runtime.store.listing`."""
INPUTS = "inputs.json"
"""The compiled files. Apart from the manifest, which every server reads at start and few ask for them."""
BILL = "sbom.cdx.json"
"""The bill of materials, which no reader needs and a draft does not have."""

BUILD_ID_LENGTH = 16
"""Hexadecimal digits of a build id, which is also the name of the build's folder."""

_UNSEALED = b"0" * 64
_SEAL_HEAD = b'"seal": "'
_SEAL_TAIL = b'"\n}\n'
_SEAL_AT = -(len(_SEAL_TAIL) + 64)

# Files of so many bytes together are hashed in several threads, which takes two cores half of the time.
_THREADED_BYTES = 8 << 20
_OPENINGS = 3

_NOT_INSIDE = frozenset({"", ".", ".."})


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


class ManifestFields:
    """The fields of a manifest, or of several merged into one; see `docs/format.md`."""

    __slots__ = ("_fields",)

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

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


class Manifest(ManifestFields):
    """A checked manifest.

    `folder` is the build's folder; `files` maps each listed path (forward slashes, relative) to its
    size in bytes and its SHA-256 in hexadecimal.
    """

    def __init__(self, folder: str, fields: dict[str, Any]) -> None:
        super().__init__(fields)
        self.folder = folder
        self._passed: dict[str, Identity] = {}
        self._proofs: Proofs | None = None  # not read yet
        wrong = problem(fields)
        if wrong:
            raise _not_a_manifest(folder, wrong)
        self.build_id: str = fields["build_id"]
        self.files: dict[str, tuple[int, str]] = {
            file["path"]: (file["bytes"], file["sha256"]) for file in fields["files"]
        }
        if not all(map(_is_inside, self.files)):
            raise _not_a_manifest(folder, "it lists a file outside of the build")

    @property
    def is_draft(self) -> bool:
        """Whether it is the keyword-only version that a first build publishes before it embeds."""
        return self.get("encoder") is None and BILL not in self.files

    def inputs(self) -> list[dict[str, Any]]:
        """The compiled files: maps with `path`, `bytes` and `sha256`. Raises `ArtifactError`."""
        earlier = self._fields.get("inputs")  # where artifacts of format 1 had them at first
        if earlier is None:
            earlier = json_of(self.read(INPUTS), self.path(INPUTS), is_input_list)
        return list(earlier)

    def path(self, relative: str) -> str:
        """Where the listed file is on disk."""
        return os.sep.join((self.folder, *relative.split("/")))

    def section(self, prefix: str) -> list[str]:
        """The listed files whose path starts with `prefix`, in the manifest's order."""
        return [path for path in self.files if path.startswith(prefix)]

    def check_sizes(self) -> None:
        """Compares the size of every listed file. Raises `ArtifactError` at the first mismatch."""
        for relative, (size, _) in self.files.items():
            path = self.path(relative)
            found = status(path)
            if found.st_size != size:
                raise ArtifactError(
                    "truncated" if found.st_size < size else "altered",
                    f"{path} has {found.st_size} bytes where its manifest says {size}.",
                    REBUILD,
                )

    def check_file(self, relative: str) -> None:
        """Compares a listed file's SHA-256, once: a file that passed is not read again until it changes,
        nor is one that is proved (see `proofs`).

        Safe to call from several threads. Raises `ArtifactError` when the file differs, is not
        listed or cannot be read.
        """
        if relative not in self.files:
            raise ArtifactError(
                "truncated", f"The artifact in {self.folder} has no file {relative}.", REBUILD
            )
        found = identity(self.folder, relative)
        if self._passed.get(relative) == found:
            return
        size, expected = self.files[relative]
        path = self.path(relative)
        if not self._is_proved(relative, found) and file_digest(path, size) != expected:
            raise altered(path)
        self._passed[relative] = found

    def trust(self, proofs: Proofs) -> None:
        """Has files hashed here and now but for those that are still as `proofs` say."""
        self._proofs = proofs

    def proved(self, paths: Iterable[str]) -> Proofs:
        """Those listed files that are proved, as they are now. Raises `ArtifactError`."""
        found = {path: identity(self.folder, path) for path in paths if path in self.files}
        return {
            path: self._proof(path, at) for path, at in found.items() if self._is_proved(path, at)
        }

    def prove(self, folder: str = "") -> Proofs:
        """Notes for other processes of this user which files passed, unless that was known of all of them;
        gives that. `folder` is where the build is if it was moved since."""
        from kb_runtime.store.proofs import write_proofs

        proofs = {path: self._proof(path, found) for path, found in self._passed.items()}
        if folder or not all(self._is_proved(*each) for each in self._passed.items()):
            write_proofs(folder or self.folder, proofs)
        return proofs

    def _proof(self, relative: str, found: Identity) -> Proof:
        return [*found[-1], self.files[relative][1]]

    def _is_proved(self, relative: str, found: Identity) -> bool:
        if self._proofs is None:
            from kb_runtime.store.proofs import read_proofs

            self._proofs = read_proofs(self.folder)
        return self._proofs.get(relative) == self._proof(relative, found)

    def check_files(self, paths: Iterable[str]) -> None:
        """As `check_file`, of several: large ones in several threads. Raises the error of the first that is
        wrong."""
        paths = tuple(paths)
        size = {
            path: self.files.get(path, (0, ""))[0] for path in paths if path not in self._passed
        }
        if sum(size.values()) >= _THREADED_BYTES:
            work_in_threads(self.check_file, sorted(size, key=size.__getitem__))
        for relative in paths:
            self.check_file(relative)

    def open_checked(self, paths: Iterable[str], read: Callable[[], T]) -> T:
        """What `read` makes of listed files, which it opens by name: the files that were hashed, and no
        others that came in their place meanwhile. Raises `ArtifactError`, whatever `read` made of files
        that changed.

        A file that changed is hashed and read again: builds share files, and where one is removed each of
        them has a name less, which is a change, too.
        """
        paths = tuple(paths)
        for _ in range(_OPENINGS):
            self.check_files(paths)
            try:
                found = read()
            except Exception:
                if not (changed := self._changed(paths)):
                    raise
            else:
                if not (changed := self._changed(paths)):
                    return found
        raise ArtifactError(
            "altered", f"{self.path(changed)} was changed while it was being opened.", REBUILD
        )

    def _changed(self, paths: Iterable[str]) -> str:
        """The first of the files that is not as it was when it passed; empty where there is none."""
        for path in paths:
            if identity(self.folder, path) != self._passed[path]:
                return path
        return ""

    def read(self, relative: str) -> bytes:
        """The checked content of a small file such as `tools.json`."""
        if relative not in self.files:
            self.check_file(relative)  # raises
        size, expected = self.files[relative]
        path = self.path(relative)
        data = read_regular(path, size, absent="truncated")
        if sha256(data).hex() != expected:
            raise altered(path)
        return data


_READ = f"formats {UNSHARDED_FORMAT_VERSION} to {FORMAT_VERSION}"


def load(folder: str | os.PathLike[str], check: Check | None = None) -> Manifest:
    """Reads the manifest of the build in `folder`, once.

    Checks the seal first, then the format version, then that the folder is named after the build; `check`
    is asked last, about the same bytes. Raises `ArtifactError`: `not-an-artifact`, `truncated`, `altered`,
    `newer-format`, `older-format`, `unreadable`, and what `check` raises.
    """
    folder = os.path.realpath(os.fspath(folder))
    path = os.path.join(folder, MANIFEST)
    data = read_regular(path)
    if data[_SEAL_AT - len(_SEAL_HEAD) : _SEAL_AT] != _SEAL_HEAD or not data.endswith(_SEAL_TAIL):
        raise _unsealed(folder, data)
    found = data[_SEAL_AT : -len(_SEAL_TAIL)]
    if sha256(data[:_SEAL_AT] + _UNSEALED + _SEAL_TAIL).hex().encode() != found:
        raise ArtifactError("altered", f"{path} was altered: its seal does not match.", REBUILD)
    try:
        fields = json.loads(data)
        version = fields["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _not_a_manifest(folder) from None
    if not isinstance(version, int):
        raise _not_a_manifest(folder)
    if not UNSHARDED_FORMAT_VERSION <= version <= FORMAT_VERSION:
        is_newer = version > FORMAT_VERSION
        raise ArtifactError(
            "newer-format" if is_newer else "older-format",
            f"The artifact in {folder} has format {version}; this kbc reads {_READ}.",
            f"Upgrade kbc: pip install --upgrade {DISTRIBUTION}" if is_newer else REBUILD_WITH_THIS,
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
    if check is not None:
        manifest.trust({})
        check(manifest, data)
    return manifest


def _file_time(path: str) -> str:
    """When the file was written, in the form of `built_at`: what a build without a clock leaves."""
    import time

    try:
        timestamp = time.gmtime(os.stat(path).st_mtime)
    except (OSError, ValueError, OverflowError):
        return ""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", timestamp)


def _is_inside(path: str) -> bool:
    """Whether a listed path stays inside the build's folder."""
    return _NOT_INSIDE.isdisjoint(path.split("/")) and "\\" not in path and "\0" not in path


def _unsealed(folder: str, data: bytes) -> ArtifactError:
    """What to say of a manifest file that does not end with a seal."""
    if data.startswith(b'{\n "format": '):
        return ArtifactError(
            "truncated",
            f"{os.path.join(folder, MANIFEST)} does not end with a seal: it was truncated or altered.",
            REBUILD,
        )
    return _not_a_manifest(folder)


def _not_a_manifest(folder: str, why: str = "") -> ArtifactError:
    path = os.path.join(folder, MANIFEST)
    return ArtifactError(
        "not-an-artifact",
        f"{path} is not the manifest of a compiled knowledge base{': ' if why else ''}{why}.",
        "Give the folder that `kbc build` wrote.",
    )
