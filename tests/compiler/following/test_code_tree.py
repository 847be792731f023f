from __future__ import annotations

from pathlib import Path

import pytest

from kbc.diagnostics import Diagnostics
from kbc.following.code_tree import TreeError, read_tree
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
        "empty": "holds no source file",
    }.items():
        with pytest.raises(TreeError, match=said):
            read_tree(tmp_path / name, Diagnostics())
