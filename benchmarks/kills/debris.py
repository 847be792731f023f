"""What killed processes may leave behind: unfinished files, locks, surplus versions, processes."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

import psutil

from kb_runtime.live.workspace import FORMAT_FILE, STATUS_FILE
from kb_runtime.store.locks import try_lock
from kb_runtime.store.manifest import CURRENT, MANIFEST, is_build_id
from kbc.encoding.graph_cache import FOLDER as GRAPHS
from kbc.encoding.graph_cache import UNFINISHED
from kbc.linking.retention import LOCK

PATIENCE_S = 60.0
_TREE_FILES = {LOCK, STATUS_FILE, "index", "edits"}
_TESTS_FILES = {LOCK, "index", "kb"}


def in_temporary_folder(folder: Path) -> list[str]:
    """The names of all below `folder`, but for files with which Python itself tries whether a temporary
    folder can be written, when `tempfile` is first used: a kill in that instant leaves one."""
    return [path.name for path in folder.rglob("*") if not _is_trial(path)]


def _is_trial(path: Path) -> bool:
    return len(path.name) == 8 and path.is_file() and path.read_bytes() in (b"", b"blat")


def is_locked(path: Path) -> bool:
    """Whether a process holds a lock of a file, a shared one, too."""
    with path.open("rb") as file:
        return not try_lock(file.fileno())


def in_output(kb_folder: Path, keep: int, *, is_live: bool = True) -> list[str]:
    """What is wrong with the folder of a knowledge base that nobody builds or serves, as sentences:
    more than `keep` versions, locks, anything but versions, the lock and CURRENT, which only an overlay
    that was withdrawn may lack."""
    names = sorted(path.name for path in kb_folder.iterdir())
    versions = [name for name in names if is_build_id(name)]
    wrong = []
    wanted = {CURRENT, LOCK} if is_live or CURRENT in names else {LOCK}
    if len(versions) > keep or set(names) - set(versions) != wanted:
        wrong.append(f"left in {kb_folder.name}: {', '.join(names)}")
    locks = [kb_folder / LOCK, *(kb_folder / name / MANIFEST for name in versions)]
    return [*wrong, *(f"still locked: {path}" for path in locks if is_locked(path))]


def in_cache(cache: Path) -> list[str]:
    left = [path.name for path in (cache / GRAPHS).glob(f"{UNFINISHED}*")]
    return [f"left in the cache: {', '.join(left)}"] if left else []


def in_workspace(root: Path, keep: int) -> list[str]:
    """What is wrong with a workspace that no server has: beside what its layout names there is
    something, a lock is held, or an artifact has more than `keep` versions."""
    tests, trees = root / "tests", sorted((root / "code").iterdir())
    wrong = _surplus(root, {FORMAT_FILE, "cache", "tests", "code"})
    wrong += _surplus(tests, _TESTS_FILES)
    wrong += _surplus(tests / "kb", {"kb.toml", "tests"})
    wrong += in_output(tests / "index" / "tests", keep)
    for tree in trees:
        wrong += _surplus(tree, _TREE_FILES)
        for name in ("index", "edits"):
            if (tree / name).exists():
                wrong += in_output(tree / name / "code", keep, is_live=name == "index")
    locks = [folder / LOCK for folder in (tests, *trees)]
    wrong += [f"still locked: {path}" for path in locks if is_locked(path)]
    return wrong + in_cache(root / "cache")


def still_running(processes: Iterable[psutil.Process]) -> list[str]:
    """Which of the processes have not ended within a minute."""
    deadline = time.monotonic() + PATIENCE_S
    left = list(processes)
    while left and time.monotonic() < deadline:
        left = [each for each in left if _runs(each)]
        time.sleep(0.02)
    return [f"still running: process {each.pid}" for each in left]


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _surplus(folder: Path, known: set[str]) -> list[str]:
    left = sorted({path.name for path in folder.iterdir()} - known)
    return [f"left in {folder.name}: {', '.join(left)}"] if left else []
