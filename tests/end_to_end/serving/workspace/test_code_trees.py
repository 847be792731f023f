"""A source tree beside a server: edits are found, and a tree that is gone or cannot be watched is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.changing_folders import found_below
from tests.end_to_end.processes import (
    descendants,
    is_running,
    wait_until_gone,
    with_argument,
)
from tests.end_to_end.serving.workspace.files import TREE, Serve
from tests.end_to_end.talk import first_file
from tests.few_watches import with_few_watches
from tests.waiting import until

from kb_runtime.errors import exit_codes
from kb_runtime.live.workspace import Workspace


@pytest.mark.slow
def test_an_edited_file_is_found_and_its_meaning_soon_after(
    pages: Path, serve: Serve, tree: Path
) -> None:
    talk = serve(pages, "--code", str(tree))
    query = "call something again when it fails"
    first = talk.until(lambda facts: bool(facts["results"]), "codebase_retrieval", query=query)
    assert first_file(first) == "src/retry.py"
    ready = talk.until(
        lambda facts: facts["metadata"]["query_mode"] == "hybrid",
        "codebase_retrieval",
        query=query,
    )
    assert first_file(ready) == "src/retry.py"
    assert ready["metadata"]["indexStatus"]["embedding"] == "complete"
    assert ready["metadata"]["workspace"] == str(tree)

    (tree / "src" / "retry.py").write_text("def breaker():\n    '''Opens a circuit.'''\n")
    (tree / "src" / "lamp.go").write_text("package lamp\n\nfunc Ignite() {}\n")
    changed = talk.until(
        lambda facts: "Opens a circuit" in json.dumps(facts["results"]),
        "codebase_retrieval",
        query="opens a circuit breaker",
    )
    assert first_file(changed) == "src/retry.py"
    assert "stale" not in changed["results"][0]
    found = talk.until(
        lambda facts: first_file(facts) == "src/lamp.go", "codebase_retrieval", query="Ignite"
    )
    assert found["results"][0]["lines"] == "1-3"
    assert "breaker" in talk.facts("get_file", path="src/retry.py")["content"]
    after = talk.facts("codebase_retrieval", query="with_retries")
    assert not any("with_retries" in found["content"] for found in after["results"])

    (tree / "src" / "queue.rs").unlink()
    for_deleted = talk.facts("codebase_retrieval", query="ring queue drops the oldest entry")
    assert "src/queue.rs" not in [found["file"] for found in for_deleted["results"]]


@pytest.mark.slow
def test_files_that_changed_while_no_server_ran_are_found_after_the_start(
    pages: Path, serve: Serve, tree: Path
) -> None:
    first = serve(pages, "--code", str(tree))
    first.until(
        lambda facts: facts["metadata"]["indexStatus"].get("embedding") == "complete",
        "codebase_retrieval",
        query="queue",
    )
    first.process.kill()
    first.process.wait()
    (tree / "src" / "new.py").write_text("def reef_the_mainsail():\n    pass\n")
    talk = serve(pages, "--code", str(tree))
    talk.until(
        lambda facts: first_file(facts) == "src/new.py",
        "codebase_retrieval",
        query="reef the mainsail",
    )


@pytest.mark.slow
def test_what_a_dead_follower_said_last_is_not_told(
    pages: Path, serve: Serve, tree: Path, tmp_path: Path
) -> None:
    first = serve(pages, "--code", str(tree))
    first.until(
        lambda facts: facts["metadata"]["indexStatus"]["status"] == "ready",
        "codebase_retrieval",
        query="queue",
    )
    assert first.process.stdin is not None
    first.process.stdin.close()
    first.process.wait()
    code = Workspace.open(tmp_path / "ws").code(str(tree))
    until(lambda: not code.is_followed(), "the follower to end")
    said = {**code.status(), "state": "failed", "problem": "the one that is dead had one"}
    Path(code.status_path).write_text(json.dumps(said))
    seen = []

    def is_ready(facts: dict[str, Any]) -> bool:
        seen.append(facts)
        return bool(facts["metadata"]["indexStatus"]["status"] == "ready")

    serve(pages, "--code", str(tree)).until(is_ready, "codebase_retrieval", query="queue")
    assert "the one that is dead" not in json.dumps(seen)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("killed", ["server", "compiler"])
def test_what_is_killed_leaves_no_process_and_no_debris(
    pages: Path, serve: Serve, tree: Path, tmp_path: Path, killed: str
) -> None:
    talk = serve(pages, "--code", str(tree))
    talk.until(lambda facts: bool(facts["results"]), "codebase_retrieval", query="queue")
    started = descendants(talk.process.pid)
    assert started
    if killed == "server":
        talk.process.kill()
        talk.process.wait()
        wait_until_gone(started)
        talk = serve(pages, "--code", str(tree))
    else:
        for pid in started[:1]:
            os.kill(pid, signal.SIGKILL)
        wait_until_gone(started)
    (tree / "src" / "after.py").write_text("def after_the_storm():\n    pass\n")
    talk.until(
        lambda facts: (
            first_file(facts) == "src/after.py"
            and facts["metadata"]["indexStatus"]["status"] == "ready"
        ),
        "codebase_retrieval",
        query="after the storm",
    )
    # It may be told that it is ready until its process says that it works again.
    until(lambda: not found_below(tmp_path / "ws", ".tmp-*"), "debris")
    rest = descendants(talk.process.pid)
    talk.process.stdin.close()  # type: ignore[union-attr]
    talk.process.wait()
    wait_until_gone(rest)


@pytest.mark.slow
def test_the_workspace_may_lie_in_the_tree(pages: Path, serve: Serve, tree: Path) -> None:
    talk = serve(pages, "--code", str(tree), workspace=tree / ".kbc")
    talk("ingest_tests", functional_path="new.json")
    ready = talk.until(
        lambda facts: facts["metadata"]["indexStatus"]["status"] == "ready",
        "codebase_retrieval",
        query="lantern",
    )
    assert ready["metadata"]["indexStatus"]["fileCount"] == len(TREE)


@pytest.mark.slow
def test_a_tree_that_becomes_a_file_is_told_and_followed_again_when_it_is_back(
    pages: Path, serve: Serve, tree: Path
) -> None:
    talk = serve(pages, "--code", str(tree))
    talk.until(lambda facts: bool(facts["results"]), "codebase_retrieval", query="queue")
    aside = tree.rename(tree.with_name("aside"))
    tree.write_text("")
    broken = talk.until(
        lambda facts: facts["metadata"]["indexStatus"]["status"] == "failed",
        "codebase_retrieval",
        query="queue",
    )
    assert "Not a directory" in broken["metadata"]["indexStatus"]["problem"]
    assert any("not kept up to date" in warning for warning in broken["warnings"])
    tree.unlink()
    aside.rename(tree)
    (tree / "src" / "back.py").write_text("def back_again():\n    pass\n")
    talk.until(
        lambda facts: (
            first_file(facts) == "src/back.py"
            and facts["metadata"]["indexStatus"]["status"] == "ready"
        ),
        "codebase_retrieval",
        query="back again",
    )


@pytest.mark.slow
@pytest.mark.parametrize("instead", ["nothing", "file"])
def test_a_tree_that_goes_away_while_it_is_embedded_is_ready_soon_after_it_is_back(
    pages: Path, serve: Serve, tree: Path, instead: str
) -> None:
    talk = serve(pages, "--code", str(tree))
    talk.until(
        lambda facts: facts["metadata"]["indexStatus"]["status"] == "indexing",
        "codebase_retrieval",
        query="queue",
    )
    embedding, *_ = until(
        lambda: with_argument("index", below=talk.process.pid), "a process embeds the tree"
    )
    aside = tree.rename(tree.with_name("aside"))
    if instead == "file":
        tree.write_text("")
    broken = talk.until(
        lambda facts: facts["metadata"]["indexStatus"]["status"] == "failed",
        "codebase_retrieval",
        query="queue",
    )
    assert "defect" not in broken["metadata"]["indexStatus"]["problem"]
    until(lambda: not is_running(embedding), "the process that embeds has met it, too")
    tree.unlink(missing_ok=True)
    aside.rename(tree)
    # In one answer the status may be newer than the version.
    talk.until(
        lambda facts: (
            facts["metadata"]["indexStatus"]["status"] == "ready"
            and facts["metadata"]["indexStatus"]["embedding"] == "complete"
        ),
        "codebase_retrieval",
        query="queue",
    )


@pytest.mark.parametrize("there", [None, "file", "empty"])
def test_a_tree_that_cannot_be_indexed_is_one_sentence_for_who_runs_the_command(
    tmp_path: Path, environment: dict[str, str], there: str | None
) -> None:
    tree = tmp_path / "tree"
    if there == "file":
        tree.write_text("")
    elif there == "empty":
        tree.mkdir()
    run = subprocess.run(
        [
            *(sys.executable, "-m", "kbc", "workspace", "index", str(tmp_path / "ws")),
            *("--code", str(tree)),
        ],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == exit_codes.INPUT
    assert run.stderr.startswith(f"kbc: {tree} ")
    assert run.stderr.count("\n") == 1


@pytest.mark.slow
def test_where_the_kernel_watches_too_few_folders_edits_are_found_and_it_is_told(
    pages: Path, serve: Serve, tree: Path
) -> None:
    before = with_few_watches("2 > /proc/sys/user/max_inotify_watches")
    (tree / "src" / "deep").mkdir()
    talk = serve(pages, "--code", str(tree), before=before)
    ready = talk.until(
        lambda facts: facts["metadata"]["indexStatus"]["status"] == "ready",
        "codebase_retrieval",
        query="queue",
    )
    notice = ready["metadata"]["indexStatus"]["notice"]
    assert notice.startswith("files are compared every 2 s, because the kernel cannot watch them: ")
    assert "the limit of watched folders is reached" in notice
    (tree / "src" / "deep" / "new.py").write_text("def reef_the_mainsail():\n    pass\n")
    talk.until(
        lambda facts: first_file(facts) == "src/deep/new.py",
        "codebase_retrieval",
        query="reef the mainsail",
    )
