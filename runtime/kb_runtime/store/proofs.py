"""Proofs that the files of a build were hashed on this machine: a server need not hash them again.

`kbc build` and `kbc verify` note the identity of each file that they have hashed: the device, the inode, the
size and both times of change. No change of a file leaves all of them as they were (see `integrity`), so while
they are the same, the hash holds. Notes lie in the user's cache folder and count only where nobody else could
have written them: whoever can write there can change what the user runs, too. A server only reads them.

Windows has no time of change that nobody can set, and so no proofs.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from kb_runtime.digests import sha256
from kb_runtime.errors import ArtifactError
from kb_runtime.store.integrity import one_identity, open_regular
from kb_runtime.user_cache import user_cache

Proof = list[int | str]
"""Device, inode, size, times of the last change of the content and of the status in nanoseconds, SHA-256."""
Proofs = Mapping[str, Proof]
"""By path in the build."""

_STATUS_CHANGED, _DIGEST = 4, 5
"""Places in a proof."""
_LARGEST_BYTES = 16 << 20
_SECOND_NS = 1_000_000_000
_LOOKED_AT = 16
_CAN_PROVE = hasattr(os, "geteuid") and hasattr(os, "O_NOFOLLOW")
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def read_proofs(folder: str) -> Proofs:
    """What is proved of the files of the build in `folder`; nothing where there is no note or it cannot be
    trusted."""
    note = _note(_path(folder)) if _CAN_PROVE else {}
    files = note.get("files")
    return files if isinstance(files, dict) and note.get("folder") == folder else {}


def write_proofs(folder: str, proofs: Proofs) -> None:
    """Notes the identity of each file in `folder` as it was when it was hashed, with the hash, and forgets
    some builds that are gone. Does nothing where that cannot be kept."""
    from kb_runtime.store.atomic_files import remove_all_abandoned, replace_file  # not for readers

    if not _CAN_PROVE:
        return
    folder = os.path.realpath(folder)  # as readers name it
    path = _path(folder)
    files = {relative: proof for relative, proof in proofs.items() if _is_exact(proof)}
    data = json.dumps({"folder": folder, "files": files}).encode()
    with suppress(OSError):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        remove_all_abandoned(os.path.dirname(path))
        _forget_removed(os.path.dirname(path))
        if len(data) <= _LARGEST_BYTES:
            replace_file(path, data, mode=0o600)


def still_holding(folder: str, proofs: Proofs, *, linked: bool = False) -> Proofs:
    """Those of `proofs` that are true of the files in `folder` now.

    If they were a moment ago and the files have been `linked` or unlinked under another name since, which
    changes the time of change of a file that builds share, the new time takes the place of the old one.
    """
    same = _STATUS_CHANGED if linked else _DIGEST
    found = {}
    for relative, proof in proofs.items():
        with suppress(ArtifactError):
            now = one_identity(os.path.join(folder, relative))
            if [*now[:same]] == proof[:same]:
                found[relative] = [*now, proof[_DIGEST]]
    return found


def _is_exact(proof: Proof) -> bool:
    """Whether the file system counts in less than seconds, so that it misses no change within one."""
    return bool(int(proof[_STATUS_CHANGED]) % _SECOND_NS)


def _path(folder: str) -> str:
    return os.path.join(user_cache(), "verified", f"{sha256(os.fsencode(folder)).hex()[:32]}.json")


def _note(path: str) -> Mapping[str, Any]:
    """The note at `path`; empty where there is none that this user alone can have written."""
    try:
        with open_regular(path) as file:
            own, folder = os.fstat(file.fileno()), os.stat(os.path.dirname(path))
            if not (_is_private(own) and _is_private(folder)):
                return {}
            found = json.loads(file.read(_LARGEST_BYTES))
    except (ArtifactError, OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_private(found: os.stat_result) -> bool:
    return found.st_uid == os.geteuid() and not found.st_mode & _OTHERS_WRITE


def _forget_removed(notes: str) -> None:
    import random

    with os.scandir(notes) as entries:
        paths = [entry.path for entry in entries if entry.name.endswith(".json")]
    # A few at a time: who has thousands of builds writes a note for each.
    for path in random.sample(paths, min(len(paths), _LOOKED_AT)):
        folder = _note(path).get("folder")
        if not (isinstance(folder, str) and os.path.isdir(folder)):
            with suppress(FileNotFoundError):  # another process does the same
                os.unlink(path)
