"""The follower step by step, with real builds; what runs beside it is tested end to end."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.live.workspace import Workspace
from kbc.following import builder
from kbc.following import follower as following
from kbc.following.follower import Follower
from kbc.following.indexing import Indexing
from kbc.following.snapshot import Snapshot

FAILING = [
    *(sys.executable, "-c"),
    'print(\'{"error": {"message": "there is no model", "hint": "Install it."}}\'); exit(6)',
]


class Bench:
    """A tree, a workspace and a follower whose steps the test takes."""

    def __init__(self, folder: Path) -> None:
        self.tree = folder / "tree"
        self.tree.mkdir()
        self.workspace = Workspace.open(folder / "ws")
        self.code = self.workspace.code(str(self.tree))
        Path(self.code.folder).mkdir(parents=True)
        self.follower = self.started()

    def started(self) -> Follower:
        indexing = Indexing(self.tree, self.code, Path(self.workspace.cache))
        follower = Follower(indexing, FAILING, Path(self.workspace.root))
        follower._retry_at = float("inf")  # no process beside this one
        follower._look_at_published()
        return follower

    def write(self, **texts: str) -> None:
        for name, text in texts.items():
            (self.tree / f"{name}.py").write_text(text)

    def step(self) -> dict[str, Any]:
        self.follower._step(True, "")
        return self.code.status()

    def live(self, number: int) -> dict[str, str]:
        """The texts of the index (0) or the edits (1) that are published."""
        with Artifact.open(self.code.kb_folders[number]) as artifact:
            return {record["id"]: record["text"] for record in artifact.catalog("code")}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_the_first_step_publishes_a_draft_of_the_whole_tree(bench: Bench) -> None:
    bench.write(a="one", b="two")
    status = bench.step()
    assert bench.live(0) == {"a.py": "one", "b.py": "two"}
    assert (status["files"], status["edited"], status["vectors"]) == (2, 0, False)
    assert not Path(bench.code.kb_folders[1]).exists()


def test_what_changes_after_the_first_draft_has_read_it_is_in_the_edits(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.write(a="one", b="two")
    look = Snapshot.scan

    def look_later(snapshot: Snapshot) -> bool:
        bench.write(b="changed meanwhile")
        return look(snapshot)

    monkeypatch.setattr(Snapshot, "scan", look_later)
    status = bench.step()
    assert bench.live(0) == {"a.py": "one", "b.py": "two"}
    assert bench.live(1) == {"b.py": "changed meanwhile"}
    assert status["edited"] == 1


def test_only_edited_files_are_in_the_edits(bench: Bench) -> None:
    bench.write(a="one", b="two")
    bench.step()
    bench.write(a="changed", c="new")
    assert bench.step()["edited"] == 2
    assert bench.live(1) == {"a.py": "changed", "c.py": "new"}
    assert bench.live(0) == {"a.py": "one", "b.py": "two"}


def test_edits_never_hide_what_is_newer(bench: Bench) -> None:
    bench.write(a="one", b="two")
    bench.step()
    bench.write(a="changed")
    bench.step()
    bench.write(a="one")
    assert bench.step()["edited"] == 0
    assert bench.live(1) == {"a.py": "one"}


def test_after_a_new_index_the_edits_hold_what_was_edited_since(bench: Bench) -> None:
    bench.write(a="one", b="two")
    bench.step()
    bench.write(a="changed")
    bench.step()
    bench.follower._indexing.build(None, draft=True)
    bench.follower._look_at_published()
    bench.write(b="also changed")
    bench.step()
    assert bench.live(0)["a.py"] == "changed"
    assert bench.live(1) == {"b.py": "also changed"}


def test_a_follower_that_starts_again_publishes_what_changed_meanwhile(bench: Bench) -> None:
    bench.write(a="one", b="two")
    bench.step()
    index = bench.follower._index
    bench.write(b="changed while nobody looked")
    bench.follower = bench.started()
    bench.step()
    assert bench.live(1) == {"b.py": "changed while nobody looked"}
    assert bench.follower._index == index


def test_a_deleted_file_leaves_the_edits_of_others_alone(bench: Bench) -> None:
    bench.write(a="one", b="two")
    bench.step()
    bench.write(a="changed")
    bench.step()
    (bench.tree / "b.py").unlink()
    bench.step()
    assert bench.live(1) == {"a.py": "changed"}


def test_a_tree_without_source_files_is_told_until_there_is_one(bench: Bench) -> None:
    status = bench.step()
    assert status["state"] == "failed"
    assert "holds no source file" in status["problem"]
    bench.write(a="one")
    status = bench.step()
    assert status["problem"] == ""
    assert bench.live(0) == {"a.py": "one"}


def test_a_full_or_locked_workspace_is_told_and_what_was_live_stays(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.write(a="one")
    bench.step()

    def full(*_: Any, **__: Any) -> Any:
        raise following.PublishError("no-space", "There is no space left.", "Free some.")

    with monkeypatch.context() as patched:
        patched.setattr(Indexing, "build", full)
        bench.write(a="two")
        assert bench.step()["problem"] == "There is no space left. Free some."
    assert bench.live(0) == {"a.py": "one"}
    assert bench.step()["problem"] == ""
    assert bench.live(1) == {"a.py": "two"}


@pytest.mark.parametrize("stop", ["", "."])
def test_a_process_that_fails_is_told_with_its_sentence_and_not_at_once_repeated(
    bench: Bench, stop: str
) -> None:
    bench.write(a="one")
    script = FAILING[-1].replace("no model", f"no model{stop}")
    bench.follower._command = [*FAILING[:-1], script]
    bench.follower._retry_at = 0.0
    assert bench.step()["state"] == "indexing"
    assert bench.follower._builder is not None
    bench.follower._builder._process.wait()
    status = bench.step()
    assert status["state"] == "failed"
    assert status["problem"] == "there is no model. Install it."
    assert bench.follower._builder is None
    assert bench.live(0) == {"a.py": "one"}


def test_a_draft_of_edits_is_embedded_also_when_the_index_has_the_same_by_now(
    bench: Bench,
) -> None:
    bench.write(a="one", b="two")
    bench.step()
    bench.write(a="changed")
    bench.step()
    bench.follower._indexing.build(None, draft=False)
    bench.follower._look_at_published()
    bench.follower._retry_at = 0.0
    assert bench.step()["edited"] == 0
    assert bench.follower._builder is not None
    assert bench.follower._builder.of_edits
    assert bench.follower._indexing.noted_edited() == ["a.py"]
    bench.follower._builder.stop()


def test_the_status_is_written_when_it_is_another_one(bench: Bench) -> None:
    bench.write(a="one")
    bench.step()
    written = Path(bench.code.status_path).stat().st_mtime_ns
    bench.step()
    assert Path(bench.code.status_path).stat().st_mtime_ns == written
    assert json.loads(Path(bench.code.status_path).read_bytes())["tree"] == str(bench.tree)


def test_what_a_killed_follower_left_is_removed_by_the_next(bench: Bench) -> None:
    left = Path(f"{bench.code.status_path}.123.new")
    left.touch()
    bench.follower._remove_debris()
    assert not left.exists()


def ended(bench: Bench, script: str) -> dict[str, Any]:
    """The status after a build that ran `script` has ended."""
    bench.follower._command = [sys.executable, "-c", script]
    bench.follower._retry_at = 0.0
    bench.step()
    assert bench.follower._builder is not None
    bench.follower._builder._process.wait()
    return bench.step()


def seconds_to_retry(bench: Bench) -> float:
    return bench.follower._retry_at - time.monotonic()


def test_a_process_that_was_killed_is_started_again_soon_and_less_and_less_often(
    bench: Bench,
) -> None:
    bench.write(a="one")
    for longest in (*following.RETRIED_SOON_S, following.RETRIED_AFTER_S):
        status = ended(bench, "import os; os.kill(os.getpid(), 9)")
        assert status["state"] == "failed"
        assert status["problem"] == "The process that embeds was ended by SIGKILL."
        assert longest - 1.0 < seconds_to_retry(bench) <= longest
    status = ended(bench, "exit(0)")
    assert (status["problem"], bench.follower._failures) == ("", 0)


VANISHED = 'print(\'{"error": {"message": "the tree is gone", "hint": ""}}\'); exit(3)'


def test_what_the_files_failed_is_tried_again_when_they_have_changed(bench: Bench) -> None:
    bench.write(a="one")
    status = ended(bench, VANISHED)
    assert (status["state"], status["problem"]) == ("failed", "the tree is gone.")
    assert seconds_to_retry(bench) <= following.RETRIED_SOON_S[0]
    bench.write(a="two")
    status = bench.step()
    assert (status["state"], status["problem"]) == ("indexing", "")


def test_what_failed_because_files_changed_meanwhile_is_no_failure(bench: Bench) -> None:
    bench.write(a="one", b="two")
    bench.follower._command = [sys.executable, "-c", VANISHED]
    bench.follower._retry_at = 0.0
    bench.step()
    overtaken = bench.follower._builder
    assert overtaken is not None
    overtaken._process.wait()
    (bench.tree / "b.py").unlink()
    status = bench.step()
    assert (status["state"], status["problem"]) == ("indexing", "")
    assert bench.follower._builder not in (None, overtaken)


@pytest.mark.parametrize("hangs", [False, True])
def test_a_process_that_takes_too_long_is_ended_and_started_again_later(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, hangs: bool
) -> None:
    bench.write(a="one")
    monkeypatch.setattr(builder, "LIMIT_S", 0.9)
    monkeypatch.setattr(builder, "_STOPPING_S", 0.1)
    ignored = "signal.signal(signal.SIGTERM, signal.SIG_IGN); " if hangs else ""
    script = f"import signal, time; {ignored}print(flush=True); time.sleep(1000)"
    bench.follower._command = [sys.executable, "-c", script]
    bench.follower._retry_at = 0.0
    assert bench.step()["state"] == "indexing"
    running = bench.follower._builder
    assert running is not None
    while not running.is_overdue:
        time.sleep(0.1)
    status = bench.step()
    assert status["state"] == "failed"
    assert status["problem"].startswith("Embedding was stopped after 0.00025 hours.")
    assert running._process.returncode < 0
    assert seconds_to_retry(bench) > following.RETRIED_SOON_S[-1]
    bench.follower._command = [sys.executable, "-c", "exit(0)"]
    bench.follower._retry_at = 0.0
    assert bench.step()["state"] == "failed"  # until the next attempt has succeeded
    running = bench.follower._builder
    assert running is not None
    running._process.wait()
    assert bench.step()["problem"] == ""


def test_what_takes_a_person_to_mend_is_not_tried_again_for_an_edit(bench: Bench) -> None:
    bench.write(a="one")
    ended(bench, FAILING[-1])
    bench.write(a="two")
    assert bench.step()["problem"] == "there is no model. Install it."
    assert seconds_to_retry(bench) > following.RETRIED_SOON_S[-1]
