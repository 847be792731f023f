from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.few_watches import with_few_watches
from tests.waiting import until

from kbc.following.file_changes import FileWatcher


def watching(tree: Path, ignored: Path, *, poll: bool = False) -> FileWatcher:
    return FileWatcher([tree], lambda path: path.is_relative_to(ignored), poll=poll)


def noticed(watcher: FileWatcher, change: Callable[[], Any]) -> set[str]:
    """What is reported of a change."""
    change()
    return until(lambda: watcher.wait(0.5), "the change is not noticed")


@pytest.mark.parametrize("poll", [False, True])
def test_a_change_below_the_tree_is_noticed(tmp_path: Path, poll: bool) -> None:
    file = tmp_path / "deep" / "a.py"
    file.parent.mkdir()
    watcher = watching(tmp_path, tmp_path / "ws", poll=poll)
    assert str(file) in noticed(watcher, lambda: file.write_text("one"))
    watcher.close()


@pytest.mark.parametrize("poll", [False, True])
def test_an_ignored_folder_is_not(tmp_path: Path, poll: bool) -> None:
    (tmp_path / "ws").mkdir()
    watcher = watching(tmp_path, tmp_path / "ws", poll=poll)
    (tmp_path / "ws" / "index").write_text("x")
    found = noticed(watcher, lambda: (tmp_path / "a.py").write_text("x"))
    assert str(tmp_path / "ws" / "index") not in found
    assert str(tmp_path / "a.py") in found
    watcher.close()


def test_files_of_a_folder_that_came_later_are_noticed(tmp_path: Path) -> None:
    watcher = watching(tmp_path, tmp_path / "ws")
    new = tmp_path / "new"
    assert noticed(watcher, new.mkdir)
    while watcher.wait(0.5):
        pass
    assert str(new / "a.py") in noticed(watcher, lambda: (new / "a.py").write_text("x"))
    watcher.close()


@pytest.mark.parametrize("poll", [False, True])
def test_a_tree_that_goes_away_and_comes_back_is_noticed_and_watched(
    tmp_path: Path, poll: bool
) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    watcher = watching(tree, tmp_path / "ws", poll=poll)
    assert str(tree) in noticed(watcher, lambda: tree.rename(tmp_path / "aside"))
    assert str(tree) in noticed(watcher, tree.mkdir)
    assert str(tree / "a.py") in noticed(watcher, lambda: (tree / "a.py").write_text("x"))
    assert watcher.problem == ""
    watcher.close()


LIMITED = """
import sys
from pathlib import Path
from kbc.following.file_changes import FileWatcher
from tests.waiting import PATIENCE_S, until

tree, more = Path(sys.argv[1]), sys.argv[2:]
watcher = FileWatcher([tree], lambda path: False)
if more:
    assert not watcher.problem, watcher.problem
    for name in more:
        (tree / name).mkdir()

def limited():
    watcher.wait(0.05)
    return watcher.problem

until(limited, "the limit is not noticed")
print(watcher.problem)
for name in ("one.py", "two.py"):
    (tree / name).write_text("x")
    assert str(tree / name) in watcher.wait(PATIENCE_S)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "later"),
    [
        ("max_inotify_watches 2", ()),
        ("max_inotify_instances 0", ()),
        ("max_inotify_watches 6", tuple("abcdefgh")),
    ],
)
def test_where_the_kernel_cannot_watch_files_are_polled(
    tmp_path: Path, limit: str, later: tuple[str, ...]
) -> None:
    (tmp_path / "more" / "folders").mkdir(parents=True)
    name, number = limit.split()
    before = with_few_watches(f"{number} > /proc/sys/user/{name}")
    run = subprocess.run(
        [*before, sys.executable, "-c", LIMITED, str(tmp_path), *later],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("the limit of watched folders is reached")
