"""The source files of a tree as they are now, and their list, with which a server answers before an index.

Imports little: a server's first answer waits for the list.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from kb_runtime.errors import SingleCodeError, exit_codes
from kb_runtime.store.atomic_files import replace_file
from kb_runtime.store.listing import FileListing, ListedFile, listing_bytes
from kb_runtime.store.manifest import CURRENT, LISTING
from kbc.languages.fences import unparsed_type
from kbc.languages.suffixes import language_of_source
from kbc.project.signature import Signature, signature
from kbc.sources.source_tree import SourceTree

_HEAD_BYTES = 16_384
"""In which the first line of a script names its interpreter."""


class _KnownFile(NamedTuple):
    """A file when it was read; `digest` is "" of one that does not belong into the index."""

    signature: Signature
    digest: str
    language: str


class TreeError(SingleCodeError):
    """The source tree cannot be indexed."""

    code = "source-tree"
    exit_code = exit_codes.INPUT


class SourceFiles:
    """The source files of `tree` as the last `scan` found them; `exclude` are ignore patterns."""

    def __init__(self, tree: Path, exclude: Sequence[str] = ()) -> None:
        self._tree = tree
        self._exclude = exclude
        self._known: dict[str, _KnownFile] = {}
        self.digests: Mapping[str, str] = {}
        """SHA-256 by path in the tree, of the files that belong into the index."""

    def forget(self) -> None:
        """Has the next `scan` read every file."""
        self._known = {}

    def scan(self) -> bool:
        """Looks at every file, reads those that changed, and returns whether `digests` changed.

        The signature is taken before a file is read: one that changes meanwhile has another one at the
        next scan. Raises `OSError` when the tree cannot be read.
        """
        selection = SourceTree(self._exclude)
        base = f"{self._tree.as_posix()}/"
        found: dict[str, _KnownFile] = {}
        for path in selection.walk(self._tree):
            full = path.as_posix()
            name = full.removeprefix(base)
            with suppress(OSError):  # gone, or not ours to read
                now = signature(os.lstat(full))  # of thousands of files
                if name in self._known and self._known[name].signature == now:
                    found[name] = self._known[name]
                    continue
                data = path.read_bytes()
                admitted = selection.admits(path, data)
                head = data[:_HEAD_BYTES].decode("utf-8-sig", "replace") if admitted else ""
                language = language_of_source(name, head)
                digest = hashlib.sha256(data).hexdigest() if admitted else ""
                found[name] = _KnownFile(now, digest, language)
        self._known = found
        digests = {name: file.digest for name, file in found.items() if file.digest}
        changed = digests != self.digests
        self.digests = digests
        return changed

    def list_for(self, kb_folder: Path, prefix: str) -> None:
        """Writes the list of the last scan into `kb_folder` if no version is there yet. Raises `OSError`."""
        if (kb_folder / CURRENT).exists():
            return
        listed = [
            ListedFile(name, digest, language, unparsed_type(language))
            for name, digest in self.digests.items()
            for language in (self._known[name].language,)
        ]
        kb_folder.mkdir(parents=True, exist_ok=True)
        content = listing_bytes(FileListing(self._tree.as_posix(), prefix, listed))
        replace_file(str(kb_folder / LISTING), content)
