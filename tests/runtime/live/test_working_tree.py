"""Comparing what was indexed with what is on disk now."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path
from typing import Any

import pytest

from kb_runtime.live.working_tree import WorkingTree, WorkingTrees

TEXT = "def load():\n    return 1\n"


def record(id: str = "src/a.py", text: str = TEXT) -> dict[str, Any]:
    data = text.encode()
    return {"id": id, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "tree/src").mkdir(parents=True)
    (tmp_path / "tree/src/a.py").write_text(TEXT)
    return tmp_path / "tree"


def test_an_untouched_file_is_current_whatever_its_time(root: Path) -> None:
    tree = WorkingTree(str(root))
    assert tree.state(record()) == "current"
    os.utime(root / "src/a.py", (1, 1))
    assert tree.state(record()) == "current"
    assert tree.text(record()) == TEXT


def test_a_change_of_the_same_size_is_seen(root: Path) -> None:
    tree = WorkingTree(str(root))
    assert tree.state(record()) == "current"
    (root / "src/a.py").write_text(TEXT.replace("1", "2"))
    os.utime(root / "src/a.py", (2, 2))
    assert tree.state(record()) == "changed"


def test_a_change_that_keeps_size_and_time_is_seen(root: Path) -> None:
    tree, path = WorkingTree(str(root)), root / "src/a.py"
    os.utime(path, (2, 2))
    assert tree.state(record()) == "current"
    time.sleep(0.02)  # more than a tick of the kernel's clock
    path.write_text(TEXT.replace("1", "2"))
    os.utime(path, (2, 2))
    assert tree.state(record()) == "changed"


def test_a_change_of_size_is_seen(root: Path) -> None:
    (root / "src/a.py").write_text(TEXT + "\n")
    assert WorkingTree(str(root)).state(record()) == "changed"


def test_a_file_that_is_gone_or_no_file_is_missing(root: Path) -> None:
    tree = WorkingTree(str(root))
    (root / "src/a.py").unlink()
    assert (tree.state(record()), tree.text(record())) == ("missing", None)
    (root / "src/a.py").mkdir()
    assert tree.state(record()) == "missing"


@pytest.mark.parametrize("id", ["../secret.txt", "link/secret.txt", "/etc/hostname"])
def test_nothing_outside_the_tree_is_looked_at(root: Path, id: str) -> None:
    (root.parent / "secret.txt").write_text(TEXT)
    (root / "link").symlink_to(root.parent)
    tree = WorkingTree(str(root))
    assert (tree.state(record(id)), tree.text(record(id))) == ("missing", None)


def test_a_file_that_is_no_text_any_more_has_no_text(root: Path) -> None:
    (root / "src/a.py").write_bytes(b"\xff\xfe")
    assert WorkingTree(str(root)).text(record()) is None


def test_a_folder_that_does_not_exist_is_not_reachable(root: Path) -> None:
    assert WorkingTree(str(root)).is_reachable
    assert not WorkingTree(str(root / "nowhere")).is_reachable


def test_a_file_of_the_tree_has_the_id_of_its_record(root: Path) -> None:
    (root.parent / "link").symlink_to(root)
    tree = WorkingTree(str(root.parent / "link"), "app")
    assert tree.id_of(str(root / "src/../src/a.py")) == "app/src/a.py"
    assert tree.id_of(str(root.parent / "link/src/a.py")) == "app/src/a.py"
    for outside in (str(root.parent / "secret.txt"), str(root) + "2/a.py", "src/a.py", str(root)):
        assert tree.id_of(outside) == ""
    trees = WorkingTrees({str(root): "", str(root.parent / "other"): "other"})
    assert trees.id_of(str(root / "src/a.py")) == "src/a.py"
    assert trees.id_of(str(root.parent / "other/b.py")) == "other/b.py"
    assert trees.id_of("/nowhere") == ""
