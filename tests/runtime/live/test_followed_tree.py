"""How often the process that follows a source tree is started again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.waiting import PATIENCE_S

from kb_runtime.live import followed_tree
from kb_runtime.live.compiler_process import CompilerError
from kb_runtime.live.followed_tree import RESTARTED_AFTER_S, FollowedTree
from kb_runtime.live.workspace import Workspace


class _Dying(FollowedTree):
    """Whose process dies each time; the tree is given up, or the server ends after so many deaths."""

    deaths = 0

    def _run_follower(self) -> Any:
        self.deaths += 1
        return None if self.deaths == 20 else CompilerError("It died.")


@pytest.mark.parametrize(
    ("steady_s", "deaths"), [(PATIENCE_S, 1 + len(RESTARTED_AFTER_S)), (0.0, 20)]
)
def test_only_deaths_that_follow_one_another_give_a_tree_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steady_s: float, deaths: int
) -> None:
    monkeypatch.setattr(followed_tree, "RESTARTED_AFTER_S", (0.0,) * len(RESTARTED_AFTER_S))
    monkeypatch.setattr(followed_tree, "STEADY_S", steady_s)
    (tmp_path / "src").mkdir()
    tree = _Dying(Workspace.open(tmp_path / "workspace"), str(tmp_path / "src"), [])
    tree.start()
    tree.join()
    assert tree.deaths == deaths
