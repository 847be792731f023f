"""`kbc workspace` and its folders: those that are not there are errors, and nothing is made of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kb_runtime.errors import exit_codes
from kb_runtime.live.workspace import Workspace
from kb_runtime.store.locks import open_locked
from kbc.cli.main import run


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("command", [("prune",), ("remove", "t-1")])
def test_what_takes_from_a_workspace_makes_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...], there: bool
) -> None:
    folder = tmp_path / "typo"
    if there:
        folder.mkdir()
    name, *more = command
    assert run(["workspace", name, str(folder), *more]) == exit_codes.USAGE
    assert f"there is no workspace at '{folder}'" in capsys.readouterr().err
    assert list(tmp_path.rglob("*")) == ([folder] if there else [])


@pytest.mark.parametrize("command", ["index", "follow"])
def test_a_tree_that_is_not_there_makes_no_workspace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    tree = str(tmp_path / "typo")
    given = ["workspace", command, str(tmp_path / "ws"), "--code", tree]
    assert run(given) == exit_codes.INPUT
    assert f"{tree} is not a folder" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def index(tmp_path: Path) -> Path:
    tree, folder = tmp_path / "tree", tmp_path / "ws"
    tree.mkdir(exist_ok=True)
    (tree / "main.py").write_text("def one():\n    return 1\n")
    assert run(["workspace", "index", str(folder), "--code", str(tree), "--draft"]) == 0
    return folder


def test_an_index_that_no_server_made_says_which_tree_it_is_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = index(tmp_path)
    status = Workspace.open(folder).code(str(tmp_path / "tree")).status()
    assert (status["state"], status["files"], status["vectors"]) == ("ready", 1, False)
    capsys.readouterr()
    assert run(["workspace", "prune", str(folder), "--dry-run"]) == 0
    assert f"would remove: {tmp_path / 'tree'}," in capsys.readouterr().out


def test_the_status_of_a_follower_stays(tmp_path: Path) -> None:
    code = Workspace.open(index(tmp_path)).code(str(tmp_path / "tree"))
    Path(code.status_path).write_text('{"state": "indexing"}')
    held = open_locked(code.lock_path)
    assert held is not None
    try:
        index(tmp_path)
    finally:
        os.close(held)
    assert code.status() == {"state": "indexing"}
