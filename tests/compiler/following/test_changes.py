from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kbc.following import changes
from kbc.following.changes import Changes

PATIENCE_S = 20.0


def watching(tree: Path, ignored: Path) -> Changes:
    """Changes that are being watched: the first one is not missed."""
    found = Changes(tree, ignored)
    heard(found, lambda: (tree / "warm-up").write_text(str(time.monotonic())))
    return found


def heard(found: Changes, change: Callable[[], Any]) -> bool:
    """Whether a change that is made again and again is heard of."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        change()
        if found.wait(0.5):
            return True
    return False


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


def test_without_notifications_something_may_have_changed_every_few_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any, **__: Any) -> Any:
        raise OSError("OS file watch limit reached.")

    monkeypatch.setattr("watchfiles.watch", refused)
    monkeypatch.setattr(changes, "POLL_S", 0.1)
    found = Changes(tmp_path, tmp_path / "ws")
    deadline = time.monotonic() + PATIENCE_S
    while not found.problem and time.monotonic() < deadline:
        time.sleep(0.01)
    assert found.wait(PATIENCE_S)
    assert "does not notify of them (OS file watch limit reached.)" in found.problem
