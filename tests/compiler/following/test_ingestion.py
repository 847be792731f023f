from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.examination.verification import verify
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.live.workspace import Workspace
from kb_runtime.records.cases import Case, normalise
from kb_runtime.store.location import resolve
from kb_runtime.store.locks import try_lock
from kbc.errors import InputError
from kbc.following import ingestion
from kbc.following.ingestion import IngestionReport, ingest, remove
from kbc.linking.errors import PublishError
from kbc.pipeline.build import BuildOptions, build


def case(uid: str, title: str = "Log in", **more: Any) -> Case:
    found = normalise([{"uid": uid, "title": title, "tags": ["a"], **more}], "functional", "x.json")
    assert found is not None
    return found.cases[0]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "ws")


def add(workspace: Workspace, *cases: Case) -> IngestionReport:
    return ingest(workspace, cases, jobs=1)


def titles(workspace: Workspace) -> dict[str, str]:
    """What is live, by uid."""
    with Artifact.open(workspace.tests.kb_folder) as artifact:
        catalog = artifact.catalog("tests")
        return {record["uid"]: record["title"] for record in catalog}


def files(workspace: Workspace) -> set[str]:
    root = Path(workspace.tests.folder)
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_a_test_replaces_the_one_of_its_uid_and_others_stay(workspace: Workspace) -> None:
    first = add(workspace, case("T-1"), case("T-2"))
    assert (first.tests, first.added, first.replaced) == (2, 2, 0)
    second = add(workspace, case("T-2", "Log out"), case("T-3", "Pay"))
    assert (second.tests, second.added, second.replaced) == (3, 1, 1)
    assert second.build_id != first.build_id
    assert titles(workspace) == {"T-1": "Log in", "T-2": "Log out", "T-3": "Pay"}
    assert verify(workspace.tests.kb_folder).ok


@pytest.mark.slow
def test_of_two_tests_with_one_uid_the_last_counts(workspace: Workspace) -> None:
    report = add(workspace, case("T-1"), case("T-1", "Log out"))
    assert (report.tests, report.added, report.replaced, report.unchanged) == (1, 1, 0, 0)
    assert titles(workspace) == {"T-1": "Log out"}


@pytest.mark.slow
def test_only_what_is_new_is_embedded(workspace: Workspace) -> None:
    assert add(workspace, *(case(f"T-{n}", f"Title {n}") for n in range(5))).embedded == 5
    assert add(workspace, case("T-6", "Another title")).embedded == 1


@pytest.mark.slow
def test_the_same_tests_again_are_the_same_build(workspace: Workspace) -> None:
    first = add(workspace, case("T-1"), case("T-2"))
    again = add(workspace, case("T-1"), case("T-2"))
    assert again.unchanged == 2
    assert again.build_id == first.build_id


def test_a_test_gets_the_time_of_its_ingestion_unless_it_has_one(workspace: Workspace) -> None:
    given = "2020-02-02T02:02:02Z"
    add(workspace, case("T-1"), case("T-2", ingested_at=given))
    with Artifact.open(workspace.tests.kb_folder) as artifact:
        times = {each["uid"]: each["ingested_at"] for each in artifact.catalog("tests")}
    assert times["T-2"] == given
    assert times["T-1"] > "2026"


@pytest.mark.slow
def test_a_failed_build_changes_nothing(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = add(workspace, case("T-1")).build_id
    before = files(workspace)

    def failing(*_: Any, **__: Any) -> Any:
        raise PublishError("no-space", "There is no space left.")

    monkeypatch.setattr(ingestion, "build", failing)
    with pytest.raises(PublishError):
        add(workspace, case("T-2"))
    assert files(workspace) == before
    assert Path(resolve(workspace.tests.kb_folder)).name == live


@pytest.mark.slow
def test_tests_that_are_live_are_kept_when_nothing_more_can_be_written(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(workspace, case("T-1"))
    real = ingestion.build

    def filling(*arguments: Any) -> Any:
        report = real(*arguments)
        monkeypatch.setattr(ingestion, "replace_file", failing)
        return report

    def failing(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(ingestion, "build", filling)
        add(workspace, case("T-2"))
    assert set(titles(workspace)) == {"T-1", "T-2"}
    assert not Path(workspace.tests.folder, "pending").exists()


@pytest.mark.slow
def test_tests_survive_a_power_loss_once_they_are_live(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(workspace.tests.folder)
    flushed: set[int] = set()
    real, fsync = ingestion.build, os.fsync

    def noting(descriptor: int) -> None:
        flushed.add(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    def building(pending: Path, options: BuildOptions) -> Any:
        made = [root, pending, *pending.rglob("*")]
        assert {path.stat().st_ino for path in made} <= flushed
        flushed.clear()
        return real(pending, options)

    monkeypatch.setattr(os, "fsync", noting)
    monkeypatch.setattr(ingestion, "build", building)
    add(workspace, case("T-1"))
    assert {path.stat().st_ino for path in (root, root / "kb", root / "kb/tests")} <= flushed


@pytest.mark.slow
@pytest.mark.parametrize("published", [False, True])
def test_an_ingestion_that_was_cut_short_is_settled_by_the_next(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, published: bool
) -> None:
    add(workspace, case("T-1"))
    with monkeypatch.context() as patched:
        patched.setattr(ingestion, "build", dying_build(published))
        pid = os.fork()
        if not pid:
            add(workspace, case("T-2"))
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
    assert Path(workspace.tests.folder, "pending").exists()
    add(workspace, case("T-3"))
    assert set(titles(workspace)) == {"T-1", "T-3"} | ({"T-2"} if published else set())
    assert not Path(workspace.tests.folder, "pending").exists()


def dying_build(published: bool) -> Callable[..., None]:
    """A build that ends the process like `kill -9`, after it has published or before it begins."""
    build = ingestion.build

    def dying(*arguments: Any) -> None:
        if published:
            build(*arguments)
        os._exit(9)

    return dying


@pytest.mark.slow
def test_a_damaged_store_is_refused_and_kept(workspace: Workspace) -> None:
    add(workspace, case("T-1"))
    store = Path(workspace.tests.folder, "kb", "tests", "tests.json")
    store.write_text("[{")
    with pytest.raises(PublishError, match="is damaged"):
        add(workspace, case("T-2"))
    assert store.read_text() == "[{"
    assert set(titles(workspace)) == {"T-1"}


@pytest.mark.slow
def test_a_second_ingestion_waits_and_says_for_what(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(workspace, case("T-1"))
    monkeypatch.setattr(ingestion, "LOCK_WAIT_S", 0.0)
    with Path(workspace.tests.folder, ".lock").open() as lock:
        assert try_lock(lock.fileno())
        with pytest.raises(PublishError, match=r"Another ingestion into .* did not finish"):
            add(workspace, case("T-2"))
    assert add(workspace, case("T-2")).tests == 2


@pytest.mark.slow
def test_the_generated_knowledge_base_can_be_built_by_itself(
    workspace: Workspace, tmp_path: Path
) -> None:
    live = add(workspace, case("T-1")).build_id
    root = Path(workspace.tests.folder, "kb")
    report = build(root, ingestion.BuildOptions(out=tmp_path / "out"))
    assert report.build_id == live
    (stored,) = json.loads((root / "tests" / "tests.json").read_bytes())
    assert stored["uid"] == "T-1"


@pytest.mark.slow
def test_what_a_killed_ingestion_left_is_removed_by_the_next(workspace: Workspace) -> None:
    add(workspace, case("T-1"))
    before = files(workspace)
    pending = Path(workspace.tests.folder, "pending")
    pending.mkdir()
    (pending / ".kb.toml.123.new").touch()
    add(workspace, case("T-1"))
    assert files(workspace) == before


@pytest.mark.slow
def test_tests_are_removed_by_any_identifier(workspace: Workspace) -> None:
    ingest(workspace, named("t-1", "t-2", "t-3"), 1)
    report = remove(workspace, ["T-2"], 1)
    assert (report.tests, report.removed) == (2, 1)
    assert stored_uids(workspace) == ["t-1", "t-3"]
    with pytest.raises(InputError, match="'t-2'"):
        remove(workspace, ["t-1", "t-2"], 1)
    assert stored_uids(workspace) == ["t-1", "t-3"]


@pytest.mark.slow
def test_without_tests_nothing_is_live_and_the_next_ingestion_starts_anew(
    workspace: Workspace,
) -> None:
    ingest(workspace, named("t-1"), 1)
    report = remove(workspace, ["t-1"], 1)
    assert (report.tests, report.build_id) == (0, "")
    with pytest.raises(ArtifactError):
        resolve(workspace.tests.kb_folder)
    assert ingest(workspace, named("t-2"), 1).tests == 1
    assert stored_uids(workspace) == ["t-2"]


@pytest.mark.slow
def test_what_a_source_no_longer_has_is_removed_when_it_is_synchronised(
    workspace: Workspace,
) -> None:
    ingest(workspace, named("a-1", "a-2", source="a.json"), 1)
    ingest(workspace, named("b-1", source="b.json"), 1)
    assert ingest(workspace, named("a-2", source="a.json"), 1).removed == 0
    report = ingest(workspace, named("a-2", "a-3", source="a.json"), 1, sync=True)
    assert (report.added, report.unchanged, report.removed, report.tests) == (1, 1, 1, 3)
    assert stored_uids(workspace) == ["a-2", "b-1", "a-3"]


def named(*uids: str, source: str = "a.json") -> list[Case]:
    return [case(uid, f"Test {uid}", source=source) for uid in uids]


def stored_uids(workspace: Workspace) -> list[str]:
    path = Path(workspace.tests.folder, "kb", "tests", "tests.json")
    return [each["uid"] for each in json.loads(path.read_text())]


@pytest.mark.slow
def test_a_running_server_follows_removals_to_the_last_test(
    workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "kb" / "docs").mkdir(parents=True)
    (tmp_path / "kb" / "docs" / "a.md").write_text("# A\n\nText.\n")
    (tmp_path / "kb" / "kb.toml").write_text('[kb]\nname = "demo"\n')
    shipped = build(tmp_path / "kb", BuildOptions(out=tmp_path / "out", embed=False))
    ingest(workspace, named("t-1", "t-2"), 1)
    live = LiveArtifact(shipped.path.parent, workspaces=[workspace.tests.kb_folder])

    def tests_seen() -> int:
        with live.lease() as knowledge:
            return sum(info.records for info in knowledge.collections if info.kind == "tests")

    assert tests_seen() == 2
    remove(workspace, ["t-1"], 1)
    assert tests_seen() == 1
    remove(workspace, ["t-2"], 1)
    assert tests_seen() == 0
    ingest(workspace, named("t-3"), 1)
    assert tests_seen() == 1
    live.close()
