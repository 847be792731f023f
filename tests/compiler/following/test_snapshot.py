from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from kbc.following.snapshot import Snapshot


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_scan_tells_whether_a_source_file_is_another_one(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("one")
    snapshot = Snapshot(tmp_path)
    assert snapshot.scan()
    assert snapshot.files == {"a.py": digest("one")}
    assert not snapshot.scan()
    file.write_text("two")
    assert snapshot.scan()
    assert snapshot.files == {"a.py": digest("two")}
    file.rename(tmp_path / "b.py")
    assert snapshot.scan()
    assert set(snapshot.files) == {"b.py"}
    (tmp_path / "b.py").unlink()
    assert snapshot.scan()
    assert snapshot.files == {}


def test_the_same_size_and_time_do_not_hide_a_change(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("one")
    times = file.stat().st_atime_ns, file.stat().st_mtime_ns
    snapshot = Snapshot(tmp_path)
    snapshot.scan()
    file.write_text("two")
    os.utime(file, ns=times)
    assert snapshot.scan()
    assert snapshot.files == {"a.py": digest("two")}


def test_what_is_no_source_file_is_no_change(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one")
    snapshot = Snapshot(tmp_path, exclude=["/ws/"])
    snapshot.scan()
    for name, data in {
        ".env": b"SECRET=1",
        "picture.png": b"\x89PNG",
        "node_modules/x.js": b"x",
        "ws/tests.json": b"[]",
        "binary.py": b"a\0b",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    (tmp_path / "link.py").symlink_to(tmp_path / "a.py")
    assert not snapshot.scan()
    (tmp_path / ".gitignore").write_text("a.py\n")
    assert snapshot.scan()
    assert snapshot.files == {}


def test_a_tree_that_is_gone_or_a_file_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Snapshot(tmp_path / "gone").scan()
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        Snapshot(tmp_path / "file").scan()
