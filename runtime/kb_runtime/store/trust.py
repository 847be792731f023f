"""Rollback protection of signed artifacts: remembers, between starts, what was accepted under a key.

Whoever can write to the folder of an artifact can put an older build back, or another knowledge base that
the same key has signed. Both are refused where something else was accepted before: for each folder the name
of the knowledge base and the serial number of its newest signature are kept.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kb_runtime import log
from kb_runtime.errors import ArtifactError
from kb_runtime.store.atomic_files import replace_file
from kb_runtime.store.locks import open_locked
from kb_runtime.store.signature import check_signature, key_id

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    from kb_runtime.store.manifest import Manifest

_MAX_BYTES = 1 << 20
_LOCK_WAIT_S = 10.0


class TrustedKey:
    """Accepts builds that are signed by a key, and none that is older than what it accepted before."""

    def __init__(self, key: Ed25519PublicKey, *, allow_rollback: bool = False) -> None:
        self._key = key
        self._id = key_id(key)
        self._allow_rollback = allow_rollback
        self._not_written: dict[str, tuple[str, int]] = {}  # for this process alone

    def check(self, manifest: Manifest, data: bytes) -> None:
        """Raises `ArtifactError`: `unsigned`, `bad-signature`; `other-artifact` where another knowledge
        base was accepted in this folder before; `rollback` for an older build."""
        serial = check_signature(manifest, data, self._key)
        with _locked():  # several servers start at once, and each must keep what the others accept
            self._accept(manifest, serial)

    def _accept(self, manifest: Manifest, serial: int) -> None:
        place = f"{self._id} {os.path.dirname(manifest.folder)}"
        accepted = _read() | self._not_written
        name, newest = accepted.get(place, (manifest["name"], serial))
        if name != manifest["name"]:
            raise ArtifactError(
                "other-artifact",
                f"{manifest.folder} is the knowledge base {manifest['name']!r}, where {name!r} was served"
                f" under the key {self._id} before.",
                f"If that is meant, remove its line from {_path()}.",
            )
        if serial < newest and not self._allow_rollback:
            raise ArtifactError(
                "rollback",
                f"{manifest.folder} was signed before a build that was served from there:"
                f" serial number {serial} after {newest}.",
                "Install the newer build, or start with --allow-rollback.",
            )
        if accepted.get(place) != (name, serial):
            is_written = _write({**accepted, place: (name, serial)})
            self._not_written = {} if is_written else {**self._not_written, place: (name, serial)}


def _path() -> str:
    """The file in the user's folder for state: not in the cache, which may be emptied."""
    if state := os.environ.get("XDG_STATE_HOME"):
        folder = state
    elif sys.platform == "win32":
        folder = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~")
    else:
        folder = os.path.expanduser("~/.local/state")
    return os.path.join(folder, "kbc", "accepted.json")


@contextmanager
def _locked() -> Iterator[None]:
    """Holds the lock of the file, or nothing where there can be no lock: reading and writing say why."""
    lock = None
    try:
        os.makedirs(os.path.dirname(_path()), mode=0o700, exist_ok=True)
        lock = open_locked(f"{_path()}.lock", _LOCK_WAIT_S)
    except OSError:
        pass
    try:
        yield
    finally:
        if lock is not None:
            os.close(lock)


def _read() -> dict[str, tuple[str, int]]:
    """What was accepted; nothing where the file is missing or damaged."""
    try:
        with open(_path(), "rb") as file:
            found: dict[str, Any] = json.loads(file.read(_MAX_BYTES))
        return {place: (str(name), int(serial)) for place, (name, serial) in found.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        log.say(f"{_path()} cannot be read: {error}; an older build would not be noticed")
        return {}


def _write(accepted: dict[str, tuple[str, int]]) -> bool:
    """Whether it could be written; a message says why not."""
    path = _path()
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        replace_file(path, json.dumps(accepted, indent=1).encode(), mode=0o600)
    except OSError as error:
        log.say(
            f"{path} cannot be written: {error.strerror};"
            " after a restart an older build would not be noticed"
        )
        return False
    return True
