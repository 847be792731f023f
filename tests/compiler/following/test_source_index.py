from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from kbc.diagnostics import Diagnostics
from kbc.following.source_files import SourceFiles, TreeError
from kbc.following.source_index import read_tree
from kbc.records import CodeRecord


def write(tree: Path, *names: str) -> Path:
    for name in names:
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"def {path.stem}():\n    pass\n")
    return tree


def ids(tree: Path, only: set[str] | None = None) -> list[str]:
    found = read_tree(tree, Diagnostics(), only=only)
    return [record.id for record in found.records["code"]]


def test_records_are_named_by_their_path_in_the_tree(tmp_path: Path) -> None:
    tree = write(tmp_path, "a.py", "pkg/b.py", "node_modules/c.py")
    (tree / ".gitignore").write_text("d.py\n")
    write(tree, "d.py")
    assert ids(tree) == ["a.py", "pkg/b.py"]
    record = read_tree(tree, Diagnostics()).records["code"][0]
    assert isinstance(record, CodeRecord)
    assert record.workspace == tree.as_posix()
    assert [found.name for found in record.definitions] == ["a"]


def test_only_named_files_are_read(tmp_path: Path) -> None:
    tree = write(tmp_path, "a.py", "pkg/b.py")
    assert ids(tree, {"pkg/b.py", "gone.py"}) == ["pkg/b.py"]


def test_definitions_can_be_left_out(tmp_path: Path) -> None:
    tree = write(tmp_path, "a.py")
    (record,) = read_tree(tree, Diagnostics(), with_definitions=False).records["code"]
    assert isinstance(record, CodeRecord)
    assert record.definitions == ()


def test_a_tree_that_is_gone_or_a_file_or_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    for name, said in {
        "gone": "cannot be read: No such file",
        "file": "cannot be read: Not a directory",
        "empty": "contains no source file",
    }.items():
        with pytest.raises(TreeError, match=said):
            read_tree(tmp_path / name, Diagnostics())


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_scan_returns_whether_source_files_changed(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("one")
    files = SourceFiles(tmp_path)
    assert files.scan()
    assert files.digests == {"a.py": digest("one")}
    assert not files.scan()
    file.write_text("two")
    assert files.scan()
    assert files.digests == {"a.py": digest("two")}
    file.rename(tmp_path / "b.py")
    assert files.scan()
    assert set(files.digests) == {"b.py"}
    (tmp_path / "b.py").unlink()
    assert files.scan()
    assert files.digests == {}


def test_the_same_size_and_time_do_not_hide_a_change(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("one")
    times = file.stat().st_atime_ns, file.stat().st_mtime_ns
    files = SourceFiles(tmp_path)
    files.scan()
    file.write_text("two")
    os.utime(file, ns=times)
    assert files.scan()
    assert files.digests == {"a.py": digest("two")}


def test_other_files_are_no_change(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one")
    files = SourceFiles(tmp_path, exclude=["/ws/"])
    files.scan()
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
    assert not files.scan()
    (tmp_path / ".gitignore").write_text("a.py\n")
    assert files.scan()
    assert files.digests == {}


def test_a_missing_tree_or_a_file_cannot_be_scanned(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        SourceFiles(tmp_path / "gone").scan()
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        SourceFiles(tmp_path / "file").scan()
