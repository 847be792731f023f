from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.few_watches import with_few_watches
from tests.waiting import until

from kbc.following import changes
from kbc.following.changes import Changes


def watching(tree: Path, ignored: Path) -> Changes:
    """Changes that are being watched: the first one is not missed."""
    found = Changes(tree, ignored)
    heard(found, lambda: (tree / "warm-up").write_text(str(time.monotonic())))
    return found


def heard(found: Changes, change: Callable[[], Any]) -> bool:
    """Whether a change that is made again and again is heard of."""

    def changed() -> bool:
        change()
        return found.wait(0.5)

    return until(changed, "a change is heard of")


@pytest.fixture(autouse=True)
def _no_rescan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "RESCAN_S", 1_000.0)


def test_a_change_below_the_tree_is_heard_of(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    found = watching(tmp_path, tmp_path / "ws")
    found.wait(1.0)
    assert heard(found, lambda: (tmp_path / "deep" / "a.py").write_text(str(time.monotonic())))


def test_what_is_ignored_is_not(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    found = watching(tmp_path, tmp_path / "ws")
    while found.wait(1.0):  # what is left of the warming up
        pass
    (tmp_path / "ws" / "index").write_text("x")
    assert not found.wait(1.0)


LIMITED = """
import sys
from pathlib import Path
from tests.waiting import PATIENCE_S, until

from kbc.following import changes

tree, more = Path(sys.argv[1]), sys.argv[2:]
changes.RESCAN_S = 1_000.0  # so that it is polling that finds what changed
changes.POLL_S = 0.2
found = changes.Changes(tree, tree / "ws")
if more:
    assert found.wait(PATIENCE_S)  # the kernel watches
    assert not found.problem, found.problem
    for name in more:
        (tree / name).mkdir()
print(until(lambda: found.problem, "the limit is told"))
for _ in range(3):
    assert found.wait(PATIENCE_S)
"""


@pytest.mark.parametrize(
    ("limit", "later"),
    [
        ("max_inotify_watches 2", ()),
        ("max_inotify_instances 0", ()),
        ("max_inotify_watches 6", tuple("abcdefgh")),
    ],
)
def test_where_the_kernel_does_not_tell_something_may_have_changed_every_few_seconds(
    tmp_path: Path, limit: str, later: tuple[str, ...]
) -> None:
    (tmp_path / "more" / "folders").mkdir(parents=True)
    name, number = limit.split()
    before = with_few_watches(f"{number} > /proc/sys/user/{name}")
    told = subprocess.run(
        [*before, sys.executable, "-c", LIMITED, str(tmp_path), *later],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    assert "the kernel does not tell of changes: the limit of watched folders" in told.stdout


def test_a_tree_that_comes_back_is_listened_to_again(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    found = watching(tree, tmp_path / "ws")
    tree.rename(tmp_path / "aside")
    found.renew()
    time.sleep(1.5)  # asked for meanwhile, and not there
    tree.mkdir()
    assert heard(found, lambda: (tree / "a.py").write_text(str(time.monotonic())))
    assert found.problem == ""
