"""Lists the source files of a tree and the hashes of their content."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from kbc.sources.source_tree import SourceTree

Signature = tuple[int, int, int, int]
"""What a change of a file changes: time of content and of status, size, inode."""


class Snapshot:
    """The files of `tree` as the last `scan` found them; `exclude` are patterns of an ignore file."""

    def __init__(self, tree: Path, exclude: Sequence[str] = ()) -> None:
        self._tree = tree
        self._exclude = exclude
        self._known: dict[str, tuple[Signature, str]] = {}
        self._files: dict[str, str] = {}

    @property
    def files(self) -> Mapping[str, str]:
        """SHA-256 by path in the tree, of the files that belong into the index."""
        return self._files

    def scan(self) -> bool:
        """Looks at every file, reads those that changed, and tells whether any did.

        The signature is taken before a file is read: one that changes meanwhile has another one at the
        next scan. Raises `OSError` when the tree cannot be read.
        """
        selection = SourceTree(self._exclude)
        base = f"{self._tree.as_posix()}/"
        found: dict[str, tuple[Signature, str]] = {}
        for path in selection.walk(self._tree):
            name = path.as_posix().removeprefix(base)
            try:
                signature = _signature(path)
                known = self._known.get(name)
                if known is not None and known[0] == signature:
                    found[name] = known
                    continue
                data = path.read_bytes()
            except OSError:  # gone, or not ours to read
                continue
            admitted = selection.admits(path, data)
            found[name] = (signature, hashlib.sha256(data).hexdigest() if admitted else "")
        self._known = found
        files = {name: digest for name, (_, digest) in found.items() if digest}
        changed = files != self._files
        self._files = files
        return changed


def _signature(path: Path) -> Signature:
    info = path.stat(follow_symlinks=False)
    return info.st_mtime_ns, info.st_ctime_ns, info.st_size, info.st_ino
