"""Removes from a workspace the indexes of source trees that no process follows or reads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kb_runtime.live.workspace import CODE, CodeFolder, Workspace
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
        removable = retention.remove_unused(folder, retention.locks_below(folder), dry_run=dry_run)
        found.append(PrunedTree(folder, tree, size, not removable))
    return found
