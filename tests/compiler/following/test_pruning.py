"""Source trees leave a workspace when nobody uses them, and never before."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kb_runtime.errors import exit_codes
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.live.workspace import CodeFolder, Workspace
from kb_runtime.store.atomic_files import replace_file
from kb_runtime.store.location import resolve
from kb_runtime.store.locks import try_lock
from kbc.cli.main import run
from kbc.following.pruning import prune
from kbc.following.source_index import SourceIndex

Index = Callable[[str], CodeFolder]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "ws")


@pytest.fixture
def index(workspace: Workspace, tmp_path: Path) -> Index:
    """`index(name)`: the folder of a tree of that name, indexed as a follower leaves it."""

    def make(name: str) -> CodeFolder:
        tree = tmp_path / name
        tree.mkdir()
        (tree / "main.py").write_text(f"def {name}():\n    return 1\n")
        folder = workspace.code(str(tree))
        SourceIndex(tree, folder, Path(workspace.cache)).build(draft=True)
        Path(folder.folder, ".lock").touch()
        replace_file(folder.status_path, json.dumps({"tree": str(tree)}).encode())
        return folder

    return make


def names(workspace: Workspace) -> list[str]:
    return sorted(path.name for path in Path(workspace.root, "code").iterdir())


def test_a_tree_that_nobody_uses_goes_and_others_stay(
    workspace: Workspace, index: Index, tmp_path: Path
) -> None:
    followed, read, built, _ = map(index, ("followed", "read", "built", "unused"))
    Path(workspace.root, "code", ".tmp-old-1").mkdir()  # of a pruning that was killed
    with (
        Path(followed.folder, ".lock").open("a") as follower,
        Artifact.open(resolve(read.kb_folders[0])) as opened,
        Path(built.kb_folders[0], ".lock").open("a") as builder,
    ):
        assert try_lock(follower.fileno())
        assert try_lock(builder.fileno())
        found = {each.tree: each for each in prune(workspace)}
        stay = sorted(Path(each.folder).name for each in (followed, read, built))
        assert names(workspace) == stay
        assert len(opened.catalog(opened.collections[0].name)) == 1
    assert {tree for tree, each in found.items() if not each.in_use} == {str(tmp_path / "unused")}
    assert found[str(tmp_path / "unused")].bytes > 0
    prune(workspace)
    assert names(workspace) == []
    assert prune(workspace) == []


def test_a_tree_is_indexed_again_when_it_is_wanted_again(
    workspace: Workspace, index: Index, tmp_path: Path
) -> None:
    folder = index("again")
    prune(workspace)
    assert not Path(folder.folder).exists()
    SourceIndex(tmp_path / "again", folder, Path(workspace.cache)).build(draft=True)
    with Artifact.open(resolve(folder.kb_folders[0])) as opened:
        assert len(opened.catalog(opened.collections[0].name)) == 1


def test_the_command_says_what_it_removes(
    workspace: Workspace, index: Index, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["workspace", "prune", workspace.root]) == exit_codes.OK
    assert capsys.readouterr().out == "no source tree is indexed here\n"
    folder = index("one")
    assert run(["workspace", "prune", workspace.root, "--dry-run"]) == exit_codes.OK
    assert capsys.readouterr().out.startswith(f"would remove: {tmp_path / 'one'}, ")
    assert Path(folder.folder).exists()
    assert run(["workspace", "prune", workspace.root, "--json"]) == exit_codes.OK
    (told,) = json.loads(capsys.readouterr().out)["trees"]
    assert (told["tree"], told["removed"]) == (str(tmp_path / "one"), True)
    assert not Path(folder.folder).exists()
