"""Selects the builds of a knowledge base that stay on disk, and removes the others and debris.

All functions here expect their caller to hold the build lock of the knowledge base, but for `remove_unused`,
which takes it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

from kb_runtime.store.locks import OPEN_FOLDERS_MOVE, try_lock
from kb_runtime.store.manifest import BILL, MANIFEST, is_build_id

LOCK = ".lock"
"""The file in a knowledge base's folder that its builder holds locked; it has no content. Its time is that
of the end of the last build."""

TEMPORARY = ".tmp-"
"""How the name of everything unfinished starts, below the folder of a knowledge base."""


def temporary(kb_folder: Path, label: str) -> Path:
    """A name that no other build uses, for something unfinished; nothing is created."""
    return kb_folder / f"{TEMPORARY}{label}-{os.getpid()}-{secrets.token_hex(4)}"


def remove_debris(kb_folder: Path) -> None:
    """Removes what killed builds left behind, in a second attempt where memory is short for a moment."""
    try:
        _remove_debris(kb_folder)
    except MemoryError:
        _remove_debris(kb_folder)


def _remove_debris(kb_folder: Path) -> None:
    for path in kb_folder.iterdir():
        if path.name.startswith(TEMPORARY):
            delete(path)


def prune(kb_folder: Path, current: str, keep: int) -> list[str]:
    """Removes the oldest builds until `keep` are left; gives the build ids removed, oldest first.

    The current build and builds that a reader has open stay, however old they are. Age is the
    modification time of the manifest, or of the folder of a build that became live once more later.
    """
    builds = sorted(
        (path for path in kb_folder.iterdir() if is_build_id(path.name) and path.is_dir()),
        key=lambda path: (path.name == current, published_ns(path), path.name),
    )
    surplus = builds[: max(0, len(builds) - max(1, keep))]
    return [path.name for path in surplus if path.name != current and remove_build(path)]


def remove_drafts(live: Path) -> None:
    """Removes the drafts beside the build `live`, also one that a build left that was interrupted."""
    for path in live.parent.iterdir():
        if path != live and is_build_id(path.name) and not (path / BILL).exists():
            remove_build(path)


def remove_builds(kb_folder: Path) -> None:
    """Removes all builds that no reader has open, the current one, too."""
    for path in kb_folder.iterdir() if kb_folder.is_dir() else ():
        if is_build_id(path.name):
            remove_build(path)


def remove_build(folder: Path) -> bool:
    """Removes a build unless a reader has it open; False when it stays.

    The folder disappears under its name at once, then its content is deleted.
    """
    manifest = None
    with contextlib.suppress(OSError):  # without a manifest no reader can have opened it
        # On Windows the rename below fails while a reader, or this process, has a file open.
        manifest = os.open(folder / MANIFEST, os.O_RDONLY) if OPEN_FOLDERS_MOVE else None
    try:
        if manifest is not None and not try_lock(manifest):
            return False
        aside = _set_aside(folder)
    except OSError:  # open in a reader on Windows, or on a file system without locks
        return False
    finally:
        if manifest is not None:
            os.close(manifest)
    delete(aside)
    return True


def locks_below(folder: Path) -> list[Path]:
    """The files that builders, followers and readers of what is anywhere below `folder` hold locked."""
    return [path for name in (LOCK, MANIFEST) for path in folder.rglob(name)]


def remove_unused(
    folder: Path, locks: Iterable[Path], *, idle_s: float = 0.0, dry_run: bool = False
) -> bool:
    """Removes a folder unless a process holds one of the files `locks`, or one of them was touched within
    `idle_s` seconds; False when it stays. Raises `OSError`.

    The folder disappears under its name at once, under its locks: the next process begins anew.
    """
    with contextlib.ExitStack() as held:
        for path in locks:
            try:
                descriptor = os.open(path, os.O_RDONLY)
            except FileNotFoundError:  # a build that has just been removed
                continue
            held.callback(os.close, descriptor)
            try:
                if not try_lock(descriptor):
                    return False
            except OSError:  # a file system without locks
                return False
            if abs(time.time() - os.fstat(descriptor).st_mtime) < idle_s:
                return False
        if dry_run:
            return True
        if not OPEN_FOLDERS_MOVE:
            held.close()
        aside = _set_aside(folder)
        delete(aside)
    return True


def replace_build(folder: Path, new: Path) -> None:
    """Puts the build in `new` where a damaged one is; readers of the old one keep their maps."""
    old = _set_aside(folder)
    new.rename(folder)
    delete(old)


def _set_aside(folder: Path) -> Path:
    aside = temporary(folder.parent, f"old-{folder.name}")
    folder.rename(aside)
    return aside


def delete(path: Path) -> None:
    """Deletes a file or a tree; what cannot be deleted is left to the next build. A brief shortage, of
    memory for example, is over at the second try."""
    for _ in range(2):
        with contextlib.suppress(OSError, MemoryError):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        if not os.path.lexists(path):
            return


def published_ns(folder: Path) -> int:
    """When a build became live last, in nanoseconds; 0 where that cannot be read."""
    try:
        return max(one.stat().st_mtime_ns for one in (folder / MANIFEST, folder))
    except OSError:
        return 0
