"""The follower of a source tree, run on a thread of the test, with real drafts and real compilers."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.end_to_end.processes import with_argument
from tests.end_to_end.sealed import namespaces
from tests.waiting import PATIENCE_S, until

from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.unindexed.scanned_tree import ScannedTree
from kb_runtime.live.workspace import Workspace
from kb_runtime.store.locks import open_locked
from kb_runtime.store.manifest import CURRENT, LISTING
from kbc.following import follower as module
from kbc.following.follower import Follower
from kbc.following.source_index import SourceIndex

Status = dict[str, Any]
NOT_PUBLISHED = ("missing", "not-an-artifact")


class Bench:
    """A tree, a workspace, and a follower on a thread."""

    def __init__(self, folder: Path) -> None:
        self.tree = folder / "tree"
        self.tree.mkdir()
        self.workspace = Workspace.open(folder / "ws")
        self.code = self.workspace.code(str(self.tree))
        self.index = SourceIndex(self.tree, self.code, Path(self.workspace.cache))
        self.failing = self._failing(folder)
        self.embedding = [
            *("workspace", "index", self.workspace.root, "--code", str(self.tree)),
            *("--exit-with-parent", "--json"),
        ]
        other = folder / "other"
        other.mkdir()
        # What the follower appends for the first build is the prefix here.
        self.endless = [
            *("workspace", "follow", str(folder / "endless"), "--code", str(other)),
            "--prefix",
        ]
        self._follower: Follower | None = None
        self._thread: Thread | None = None

    def _failing(self, folder: Path) -> list[str]:
        """A command that no repetition makes succeed."""
        unusable = folder / "unusable"
        unusable.mkdir()
        (unusable / "workspace.json").write_text('{"format": 99}')
        return ["workspace", "index", str(unusable), "--code", str(self.tree), "--json"]

    def start(self, command: list[str] | None = None, limit_s: float = 600.0) -> None:
        self._follower = Follower(
            self.index,
            self.failing if command is None else command,
            Path(self.workspace.root),
            limit_s=limit_s,
        )
        self._thread = Thread(target=self._follower.run)
        self._thread.start()

    def stop(self) -> None:
        if self._follower is not None and self._thread is not None:
            self._follower.stop()
            self._thread.join()

    def write(self, **texts: str) -> None:
        for name, text in texts.items():
            (self.tree / f"{name}.py").write_text(text)

    def until(self, accepts: Callable[[Status], bool]) -> Status:
        """The first status that is as wanted."""

        def wanted() -> Status | None:
            status = self.code.status()
            return status if status and accepts(status) else None

        found = until(wanted, lambda: f"the last status is {self.code.status()}")
        assert found is not None
        return found

    def until_live(self, number: int, texts: dict[str, str] | None) -> None:
        until(lambda: self.live(number) == texts, lambda: f"live is {self.live(number)}")

    def live(self, number: int) -> dict[str, str] | None:
        """The texts of the index (0) or the overlay (1); None where none is published."""
        kb_folder = self.code.kb_folders[number]
        try:
            with Artifact.open(kb_folder) as artifact:
                return {record["id"]: record["text"] for record in artifact.catalog("code")}
        except ArtifactError as error:
            if error.code in NOT_PUBLISHED or not Path(kb_folder, CURRENT).exists():
                return None  # withdrawn, maybe while it was opened
            raise


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.stop()


def is_ready(status: Status) -> bool:
    return bool(status["vectors"]) and status["state"] == "ready"


def test_a_draft_of_the_whole_tree_is_published_first(bench: Bench) -> None:
    bench.write(a="one", b="two")
    bench.start()
    status = bench.until(lambda found: found["files"] == 2)
    bench.until_live(0, {"a.py": "one", "b.py": "two"})
    assert (status["edited"], status["vectors"]) == (0, False)
    assert status["tree"] == str(bench.tree)
    assert bench.live(1) is None


def test_an_edit_is_listed_while_the_first_draft_is_made(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.write(a="one = 1\n")
    build, listing = SourceIndex.build, Path(bench.code.kb_folders[0], LISTING)

    def scanned() -> list[str] | None:
        if not listing.exists():
            return None
        tree = ScannedTree(str(listing), "code", "code_kb", {})
        return [record["text"] for record in tree.catalog("code")]

    def edited_meanwhile(index: SourceIndex, *, draft: bool, parsed: bool = False) -> Any:
        bench.write(a="one = 2\n", b="two = 2\n")
        until(lambda: scanned() == ["one = 2\n", "two = 2\n"], lambda: f"listed: {scanned()}")
        return build(index, draft=draft, parsed=parsed)

    monkeypatch.setattr(SourceIndex, "build", edited_meanwhile)
    bench.start()
    bench.until_live(0, {"a.py": "one = 2\n", "b.py": "two = 2\n"})
    until(lambda: not listing.exists(), lambda: "the list is still there")


def test_the_overlay_holds_the_files_that_differ_from_the_index(bench: Bench) -> None:
    bench.write(a="one", b="two")
    bench.start()
    bench.until(lambda found: found["files"] == 2)
    bench.write(a="changed", c="new")
    bench.until_live(1, {"a.py": "changed", "c.py": "new"})
    bench.until(lambda found: found["edited"] == 2)
    assert bench.live(0) == {"a.py": "one", "b.py": "two"}
    (bench.tree / "b.py").unlink()
    bench.until(lambda found: found["files"] == 2)
    assert bench.live(1) == {"a.py": "changed", "c.py": "new"}
    bench.write(a="one")
    bench.until_live(1, {"c.py": "new"})
    (bench.tree / "c.py").unlink()
    bench.until_live(1, None)


def test_what_changes_while_it_is_read_is_published_in_the_end(bench: Bench) -> None:
    chance = random.Random(7)
    bench.write(**{f"file{number}": "before" for number in range(40)})
    bench.start()
    overlays = []

    def has_been_published_in_between() -> bool:
        bench.write(**{f"file{chance.randrange(40)}": f"text {chance.random()}"})
        live = bench.live(1)
        if live not in overlays:
            overlays.append(live)
        return len(overlays) > 3

    until(has_been_published_in_between, lambda: f"{len(overlays)} overlays while files change")
    wanted = {path.name: path.read_text() for path in bench.tree.iterdir()}
    until(
        lambda: {**(bench.live(0) or {}), **(bench.live(1) or {})} == wanted,
        "what is published is not what the files hold",
    )


def test_a_follower_that_starts_again_publishes_what_changed_meanwhile(bench: Bench) -> None:
    bench.write(a="one", b="two")
    bench.start()
    bench.until(lambda found: found["files"] == 2)
    bench.stop()
    left = Path(bench.code.status_path).with_name(".status.json.123.new")
    left.touch()
    before = Path(bench.code.kb_folders[0], CURRENT).read_text()
    bench.write(b="changed while nobody looked")
    bench.start()
    bench.until_live(1, {"b.py": "changed while nobody looked"})
    assert Path(bench.code.kb_folders[0], CURRENT).read_text() == before
    assert not left.exists()


@pytest.mark.slow
def test_edits_are_embedded_and_the_overlay_is_withdrawn(bench: Bench) -> None:
    bench.write(a="def one(): pass", b="def two(): pass")
    bench.start(bench.embedding)
    bench.until(is_ready)
    bench.write(a="def changed(): pass")
    bench.until_live(1, {"a.py": "def changed(): pass"})
    (bench.tree / "b.py").unlink()
    bench.until_live(0, {"a.py": "def changed(): pass"})
    bench.until(lambda found: is_ready(found) and found["files"] == 1)
    bench.until_live(1, None)


def test_an_overlay_whose_withdrawal_failed_half_way_is_removed_by_the_next_follower(
    bench: Bench,
) -> None:
    bench.write(a="one")
    bench.start()
    bench.until(lambda found: found["files"] == 1)
    bench.stop()
    index, edits = map(Path, bench.code.kb_folders)
    left = edits / "0123456789abcdef"
    shutil.copytree(index / (index / CURRENT).read_text().strip(), left)
    bench.start()
    until(lambda: not left.exists(), lambda: f"{left} is still there")


def test_a_tree_without_source_files_is_a_problem_until_there_is_one(bench: Bench) -> None:
    bench.start()
    status = bench.until(lambda found: found["state"] == "failed")
    assert "contains no source file" in status["problem"]
    bench.write(a="one")
    bench.until_live(0, {"a.py": "one"})
    bench.until(lambda found: "contains no source file" not in found["problem"])


def test_a_tree_that_goes_away_is_a_problem_until_it_is_back(bench: Bench, tmp_path: Path) -> None:
    bench.write(a="one")
    bench.start()
    bench.until_live(0, {"a.py": "one"})
    bench.tree.rename(tmp_path / "aside")
    bench.until(lambda found: "No such file" in found["problem"])
    bench.tree.mkdir()
    bench.write(a="one", b="another folder")
    bench.until_live(1, {"b.py": "another folder"})
    bench.write(b="and edited")
    bench.until_live(1, {"b.py": "and edited"})


def test_a_workspace_that_cannot_be_written_is_a_problem_and_what_was_live_stays(
    bench: Bench,
) -> None:
    bench.write(a="one")
    bench.start()
    bench.until_live(0, {"a.py": "one"})
    edits = Path(bench.code.edits)
    edits.write_text("a file where the folder should be")
    bench.write(a="two")
    status = bench.until(lambda found: str(edits) in found["problem"])
    assert status["state"] == "failed"
    assert bench.live(0) == {"a.py": "one"}
    edits.unlink()
    bench.until_live(1, {"a.py": "two"})
    bench.until(lambda found: str(edits) not in found["problem"])


@pytest.mark.slow
def test_a_build_that_fails_is_repeated_until_it_succeeds(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RETRY_S", (0.1, 0.2))
    bench.write(a="def one(): pass")
    bench.start()
    status = bench.until(lambda found: found["state"] == "failed")
    assert "has format 99; this kbc uses format 1." in status["problem"]
    assert bench.live(0) == {"a.py": "def one(): pass"}
    unusable = Path(bench.failing[2])
    (unusable / "workspace.json").write_text('{"format": 1}')
    bench.until(lambda found: found["state"] == "indexing")
    bench.stop()


@pytest.mark.slow
def test_a_build_that_was_killed_is_started_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RETRY_S", (0.5, 1.0))
    bench.write(a="def one(): pass")
    bench.start(bench.embedding)
    embedding, *_ = until(
        lambda: with_argument(str(bench.tree), below=os.getpid()), "a process embeds the tree"
    )
    os.kill(embedding, signal.SIGKILL)
    status = bench.until(lambda found: found["state"] == "failed")
    assert status["problem"] == "The compiler was ended by SIGKILL."
    bench.until(is_ready)


def test_a_build_that_takes_too_long_is_ended(bench: Bench) -> None:
    bench.write(a="one")
    bench.start(bench.endless, limit_s=0.9)
    status = bench.until(lambda found: found["state"] == "failed")
    assert status["problem"].startswith("Embedding was stopped after 0.00025 hours.")
    assert with_argument(bench.endless[2], below=os.getpid()) == []


def test_only_one_follower_works_at_a_time(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    attempts: list[int | None] = []

    def counted(path: str, wait_s: float = 0.0) -> int | None:
        attempts.append(open_locked(path, wait_s))
        return attempts[-1]

    monkeypatch.setattr(module, "open_locked", counted)
    bench.write(a="one")
    Path(bench.code.folder).mkdir(parents=True)
    held = open_locked(bench.code.lock_path)
    assert held is not None
    bench.start()
    until(lambda: attempts, "an attempt to take the lock")
    assert attempts[0] is None
    assert bench.code.status() == {}
    os.close(held)
    bench.until_live(0, {"a.py": "one"})


FULL = ("unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=400k none "$0" && exec "$@"')
"""Runs what comes after a folder's path with little space in that folder."""
FOLLOWING = """
import json, sys, threading, time
from pathlib import Path
from kb_runtime.live.workspace import Workspace
from kbc.following.follower import Follower
from kbc.following.source_index import SourceIndex

tree = Path(sys.argv[1])
workspace = Workspace.open(sys.argv[2])
code = workspace.code(str(tree))
index = SourceIndex(tree, code, Path(workspace.cache))
follower = Follower(index, ["--version"], Path(workspace.root), report=True)
thread = threading.Thread(target=follower.run)
thread.start()
while not Path(code.status_path).exists() or code.status()["files"] != 1:
    time.sleep(0.02)
with open(Path(workspace.root, "fill"), "wb", buffering=0) as fill:
    try:
        while True:
            fill.write(b"x" * 4096)
    except OSError:
        pass
(tree / "a.py").write_text("two")
while code.status():
    time.sleep(0.02)
Path(workspace.root, "fill").unlink()
while "two" not in json.dumps(index.published_edits() and "two"):
    time.sleep(0.02)
follower.stop()
thread.join()
"""


@pytest.mark.slow
@namespaces
def test_a_full_disk_is_reported_to_the_server_and_leaves_no_outdated_status(
    tmp_path: Path,
) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.py").write_text("one")
    (tmp_path / "ws").mkdir()
    run = subprocess.run(
        [
            *(*FULL, str(tmp_path / "ws"), sys.executable, "-c", FOLLOWING),
            *(str(tmp_path / "tree"), str(tmp_path / "ws")),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert run.returncode == 0, run.stderr
    statuses = [json.loads(line) for line in run.stderr.splitlines()]
    problems = [status["problem"] for status in statuses]
    assert any("no space left" in problem.lower() for problem in problems)
    assert "no space left" not in problems[-1].lower()
