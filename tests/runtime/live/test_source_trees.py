from __future__ import annotations

from pathlib import Path

import pytest

from kb_runtime.errors import UsageError
from kb_runtime.live import source_trees
from kb_runtime.live.working_tree import WorkingTrees
from kb_runtime.user_cache import user_cache


def project(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir() if name.endswith(".git") else path.write_text("")
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work" / "app" / "src"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return folder


def test_a_dot_is_the_repository_around_it(inside: Path) -> None:
    root = project(inside.parent.parent, ".git", "app/package.json")
    assert source_trees.tree_of(".") == str(root)


def test_without_a_repository_a_dot_is_the_nearest_project(inside: Path) -> None:
    root = project(inside.parent, "pyproject.toml")
    project(inside.parent.parent, "Makefile")
    assert source_trees.tree_of("./") == str(root)


def test_a_folder_that_is_named_stands_for_itself(inside: Path) -> None:
    project(inside.parent, ".git")
    assert source_trees.tree_of(str(inside)) == str(inside.resolve())


def test_a_home_folder_is_no_project(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(inside))
    with pytest.raises(UsageError, match="is your home folder: name the folder of a project"):
        source_trees.trees_of([str(inside)])


def test_several_trees_are_told_apart_by_their_names(tmp_path: Path) -> None:
    for name in ("a/api/src", "b/api/src", "c"):
        project(tmp_path / name)
    given = [str(tmp_path / name) for name in ("a/api/src", "b/api/src")]
    assert list(source_trees.trees_of(given).values()) == ["a/api/src", "b/api/src"]
    assert list(source_trees.trees_of([given[0], str(tmp_path / "c")]).values()) == ["src", "c"]
    assert list(source_trees.trees_of(given[:1]).values()) == [""]
    assert source_trees.trees_of([]) == {}


@pytest.mark.parametrize(("second", "message"), [("a", "given twice"), ("a/b", "overlap")])
def test_a_file_belongs_to_one_tree(tmp_path: Path, second: str, message: str) -> None:
    project(tmp_path / "a" / "b")
    with pytest.raises(UsageError, match=message):
        source_trees.trees_of([str(tmp_path / "a"), str(tmp_path / second)])


def test_the_cache_is_where_it_is_for_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    from kbc.cli.environment import default_cache

    for name, value in (("KBC_CACHE", "/one"), ("XDG_CACHE_HOME", "/two"), ("HOME", "/three")):
        for each in ("KBC_CACHE", "XDG_CACHE_HOME"):
            monkeypatch.delenv(each, raising=False)
        monkeypatch.setenv(name, value)
        assert user_cache() == str(default_cache())
        assert user_cache().startswith(value)


def test_records_are_compared_with_the_tree_that_they_are_of(tmp_path: Path) -> None:
    from hashlib import sha256

    records = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(name)
        records.append(
            {
                "id": f"{name}/a.py",
                "workspace": str((tmp_path / name).resolve()),
                "size": 3,
                "sha256": sha256(name.encode()).hexdigest(),
            }
        )
    trees = WorkingTrees({str(tmp_path / name): name for name in ("one", "two")})
    assert [trees.state(record) for record in records] == ["current", "current"]
    (tmp_path / "two" / "a.py").write_text("new")
    assert [trees.state(record) for record in records] == ["current", "changed"]
    assert trees.text(records[1]) == "new"
    (tmp_path / "two" / "a.py").unlink()
    assert trees.state(records[1]) == "missing"
    assert trees.state({**records[1], "workspace": "/elsewhere"}) == "current"
