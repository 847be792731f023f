"""Removes from a workspace the indexes of source trees that no process follows or reads."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from kb_runtime.live.workspace import CODE, LOCK, CodeFolder, Workspace
from kb_runtime.store.locks import OPEN_FOLDERS_MOVE, try_lock
from kb_runtime.store.manifest import MANIFEST
from kbc.linking import retention

_UNKNOWN = "a tree without a name"


@dataclass(frozen=True, slots=True)
class PrunedTree:
    """The folder of one tree. `tree` is the path of the tree itself; `bytes` are those on disk.
    `in_use`: a process follows, builds or reads it, so it stays."""

    folder: Path
    tree: str
    bytes: int
    in_use: bool


def prune(workspace: Workspace, *, dry_run: bool = False) -> list[PrunedTree]:
    """Removes the folders of all trees that no process uses, and says what it found, by folder.

    What is removed is built again when a server follows the tree again. Raises `OSError`.
    """
    code = Path(workspace.root, CODE)
    if not code.is_dir():
        return []
    found = []
    if not dry_run:
        retention.remove_debris(code)
    for folder in sorted(path for path in code.iterdir() if path.is_dir()):
        if folder.name.startswith(retention.TEMPORARY):
            continue
        tree = str(CodeFolder(str(folder)).status().get("tree", _UNKNOWN))
        size = sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())
        with ExitStack() as locks:
            in_use = not _locked(folder, locks)
            if not in_use and not dry_run:
                if not OPEN_FOLDERS_MOVE:
                    locks.close()
                # In one step, under its locks: the next process finds nothing and begins anew.
                aside = retention.temporary(code, f"old-{folder.name}")
                folder.rename(aside)
                retention.delete(aside)
        found.append(PrunedTree(folder, tree, size, in_use))
    return found


def _locked(folder: Path, locks: ExitStack) -> bool:
    """Takes the locks of the follower, of builds under way and of readers; False where one is held."""
    for pattern in (LOCK, MANIFEST):
        for path in folder.rglob(pattern):
            try:
                descriptor = os.open(path, os.O_RDONLY)
            except FileNotFoundError:  # a build that has just been removed
                continue
            locks.callback(os.close, descriptor)
            try:
                if not try_lock(descriptor):
                    return False
            except OSError:  # a file system without locks
                return False
    return True
