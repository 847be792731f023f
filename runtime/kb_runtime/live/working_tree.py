"""Compares indexed files with the folder where they are edited.

An artifact contains files as they were when it was built. Where its source tree is available, answers
are compared with it, so that stale text is never presented as current.
"""

from __future__ import annotations

import os

from kb_runtime.digests import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    State = Literal["current", "changed", "missing"]

MAX_BYTES = 16 * 1024 * 1024
"""A file that has grown beyond this is not read again: it is not what was indexed."""


class WorkingTree:
    """A tree on disk; safe to use from several threads.

    Only paths that an artifact holds are looked at, below `root`, and never through a link that leads
    out of it.
    """

    def __init__(self, root: str, prefix: str = "") -> None:
        """The ids of its records begin with `prefix` and a slash, where there is one."""
        self._root = os.path.realpath(root)
        self._names = [os.path.join(each, "") for each in (self._root, os.path.abspath(root))]
        self._prefix = f"{prefix}/" if prefix else ""
        self._current: dict[str, tuple[int | str, ...]] = {}

    @property
    def is_reachable(self) -> bool:
        return os.path.isdir(self._root)

    def id_of(self, path: str) -> str:
        """The id that the record of a file has by its absolute path; "" for one outside the tree. Nothing is
        looked at on disk."""
        file = os.path.normpath(path)
        for root in self._names:
            if file.startswith(root):
                return self._prefix + file[len(root) :].replace(os.sep, "/")
        return ""

    def state(self, record: Mapping[str, Any]) -> State:
        """Whether the file of a `code` record is still what was indexed, by its size and its hash.

        A file that was found unchanged is not read again while its inode, its size and its times stay the
        same; nothing that writes to it can set the time of its last change (ctime).
        """
        path = self._path(record["id"])
        try:
            info = os.stat(path) if path else None
        except OSError:
            info = None
        if info is None:
            return "missing"
        if info.st_size != record.get("size", 0):
            return "changed"
        known = (info.st_ino, info.st_mtime_ns, info.st_ctime_ns, record["sha256"])
        if self._current.get(path) == known:
            return "current"
        data = self._read(path)
        if data is None:
            return "missing"
        if sha256(data).hex() != record["sha256"]:
            return "changed"
        self._current[path] = known
        return "current"

    def text(self, record: Mapping[str, Any]) -> str | None:
        """The file as it is now; None when it is gone or no UTF-8 text."""
        path = self._path(record["id"])
        data = self._read(path) if path else None
        try:
            return None if data is None else data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return None

    def _path(self, relative: str) -> str:
        """Where a file lies; "" for a path that leads out of the tree."""
        path = os.path.realpath(os.path.join(self._root, relative.removeprefix(self._prefix)))
        inside = os.path.commonpath((self._root, path)) == self._root
        return path if inside and os.path.isfile(path) else ""

    def _read(self, path: str) -> bytes | None:
        try:
            with open(path, "rb") as file:
                data = file.read(MAX_BYTES + 1)
        except OSError:
            return None
        return data if len(data) <= MAX_BYTES else None


class WorkingTrees:
    """Several trees that have indexes of their own, like one; records say which they are of, and those of
    none are taken for current."""

    def __init__(self, trees: Mapping[str, str]) -> None:
        """`trees` are folders with the prefix of their records' ids."""
        self._trees = {
            os.path.realpath(root): WorkingTree(root, prefix) for root, prefix in trees.items()
        }

    @property
    def is_reachable(self) -> bool:
        return any(tree.is_reachable for tree in self._trees.values())

    def state(self, record: Mapping[str, Any]) -> State:
        tree = self._trees.get(record.get("workspace", ""))
        return "current" if tree is None else tree.state(record)

    def text(self, record: Mapping[str, Any]) -> str | None:
        tree = self._trees.get(record.get("workspace", ""))
        return None if tree is None else tree.text(record)

    def id_of(self, path: str) -> str:
        return next(filter(None, (tree.id_of(path) for tree in self._trees.values())), "")
