from __future__ import annotations

import json
from pathlib import Path

from kb_runtime.live.living_workspace import LivingWorkspace
from kb_runtime.live.workspace import Workspace
from kb_runtime.start.empty_answers import awaiting_trees
from kb_runtime.store.locks import try_lock
from kb_runtime.tools.code import index as code_index
from kb_runtime.tools.code.answers import IndexStatus
from kb_runtime.tools.session import Session


def test_the_status_is_that_of_the_process_that_follows_and_of_no_dead_one(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "ws")
    code = workspace.code(str(tmp_path))
    Path(code.folder).mkdir(parents=True)
    Path(code.status_path).write_text(json.dumps({"state": "failed", "problem": "no space"}))
    living = LivingWorkspace(workspace, str(tmp_path))
    with Path(code.lock_path).open("w") as lock:
        assert try_lock(lock.fileno())
        assert living.code_status() == {"state": "failed", "problem": "no space"}
    assert living.code_status() == {"state": "starting"}


def test_an_index_of_an_earlier_time_is_not_called_the_first() -> None:
    session = Session(awaiting_trees(["tree"]), {})
    status: IndexStatus = {"status": "starting", "fileCount": 0, "comparedWithDisk": False}
    (first,) = code_index.warnings(session, status)
    (later,) = code_index.warnings(session, {**status, "fileCount": 2})
    assert first.startswith("the first index of the source files is being built")
    assert later.startswith("the index is from an earlier run")
