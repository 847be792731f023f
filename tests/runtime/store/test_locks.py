"""Locks of files, between two descriptors as between two processes; and without `fcntl`, as on Windows."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kb_runtime.store.locks import is_locked, lock_within, open_locked, try_lock, try_share


def opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT)


def test_a_lock_has_one_holder_until_that_closes_its_file(tmp_path: Path) -> None:
    one, other = opened(tmp_path / ".lock"), opened(tmp_path / ".lock")
    assert try_lock(one)
    assert not try_lock(other)
    assert not try_share(other)
    assert not lock_within(other, 0)
    os.close(one)
    assert lock_within(other, 0)
    os.close(other)


def test_a_shared_lock_has_many_holders_and_keeps_out_the_exclusive_one(tmp_path: Path) -> None:
    one, other, writer = (opened(tmp_path / "file") for _ in range(3))
    assert try_share(one)
    assert try_share(other)
    assert not try_lock(writer)
    assert not is_locked(tmp_path / "file")
    os.close(one)
    os.close(other)
    assert try_lock(writer)
    assert is_locked(tmp_path / "file")
    os.close(writer)
    assert not is_locked(tmp_path / "file")
    assert not is_locked(tmp_path / "missing")


def test_a_lock_file_is_made_and_locked_once(tmp_path: Path) -> None:
    held = open_locked(tmp_path / ".lock")
    assert held is not None
    assert open_locked(tmp_path / ".lock") is None
    os.close(held)
    again = open_locked(tmp_path / ".lock", wait_s=60.0)
    assert again is not None
    os.close(again)


@pytest.mark.parametrize("lock", [try_lock, try_share, lambda each: lock_within(each, 0)])
def test_what_cannot_be_locked_is_an_error(tmp_path: Path, lock: Callable[[int], bool]) -> None:
    descriptor = opened(tmp_path / ".lock")
    os.close(descriptor)
    with pytest.raises(OSError, match="Bad file descriptor"):
        lock(descriptor)


WITHOUT_FCNTL = """
import os, pkgutil, sys
from pathlib import Path
import filelock, watchfiles, mcp, uvicorn, onnxruntime  # others may need it here, we may not
sys.modules["fcntl"] = None
import kb_runtime, kbc
for package in (kb_runtime, kbc):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        # Dask has locks of its own, by msvcrt where there is no fcntl; here there is neither.
        if not module.name.endswith(("__main__", "execution.admission", "execution.cluster")):
            __import__(module.name)

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.store.locks import is_locked, open_locked
from kbc.linking import retention
from kbc.linking.errors import PublishError
from kbc.linking.linker import Staging
from kbc.pipeline.build import BuildOptions, build

root = Path(sys.argv[1])
held = open_locked(root / ".lock")
assert held is not None and is_locked(root / ".lock") and open_locked(root / ".lock") is None
os.close(held)
assert not is_locked(root / ".lock")

(root / "docs").mkdir()
(root / "docs" / "page.md").write_text("# Page\\n\\nText.\\n")
(root / "kb.toml").write_text('[kb]\\nname = "demo"\\n')
report = build(root, BuildOptions(out=root / "out", embed=False))
with Artifact.open(root / "out" / "demo") as artifact:
    artifact.prepare()
with Staging(root / "out", "demo", report.build_id):
    try:
        Staging(root / "out", "demo", report.build_id, wait_s=0).__enter__()
    except PublishError as error:
        assert error.code == "locked"
    else:
        raise AssertionError("two builds write to one output")
assert retention.remove_build(report.path)
assert not report.path.exists()
"""


@pytest.mark.slow
def test_without_fcntl_everything_is_imported_built_opened_locked_and_removed(
    tmp_path: Path,
) -> None:
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_FCNTL, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
