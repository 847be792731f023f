from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from tests.descriptors import open_below
from tests.small_artifact import publish_small
from tests.waiting import PATIENCE_S

from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.live.versions import LiveArtifact
from kbc.linking.linker import Published

Publish = Callable[..., Published]


def entries(text: str) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    return {"docs": [{"id": "page", "text": text}]}


def text_of(live: LiveArtifact) -> str:
    with live.lease() as artifact:
        return str(artifact.catalog("docs")[0]["text"])


def opening_slowly(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Event]:
    """Has artifacts opened only after the second event; the first tells that one is about to be."""
    begun, go_on, opened = threading.Event(), threading.Event(), Artifact.open_location

    def slowly(*arguments: Any) -> Artifact:
        begun.set()
        assert go_on.wait(PATIENCE_S)
        return opened(*arguments)

    monkeypatch.setattr(Artifact, "open_location", slowly)
    return begun, go_on


def test_the_next_call_sees_a_new_version(publish: Publish) -> None:
    kb = publish(entries("one")).path.parent
    live = LiveArtifact(kb)
    assert text_of(live) == "one"
    publish(entries("two"))
    assert text_of(live) == "two"
    live.close()


def test_a_call_waits_for_the_version_that_nobody_called_for(
    publish: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server's own thread looks for new versions, maybe right before the next call."""
    live = LiveArtifact(publish(entries("one")).path.parent)
    publish(entries("two"))
    begun, go_on = opening_slowly(monkeypatch)
    follower = threading.Thread(target=live.follow)
    follower.start()
    assert begun.wait(PATIENCE_S)
    threading.Timer(0.2, go_on.set).start()
    assert text_of(live) == "two"
    follower.join()
    live.close()


def test_calls_go_on_with_the_old_version_while_one_of_them_opens_the_new_one(
    publish: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = LiveArtifact(publish(entries("one")).path.parent)
    publish(entries("two"))
    begun, go_on = opening_slowly(monkeypatch)
    first = threading.Thread(target=text_of, args=(live,))
    first.start()
    assert begun.wait(PATIENCE_S)
    assert text_of(live) == "one"
    go_on.set()
    first.join()
    assert text_of(live) == "two"
    live.close()


def test_a_call_in_flight_finishes_on_its_version(publish: Publish) -> None:
    live = LiveArtifact(publish(entries("one")).path.parent)
    with live.lease() as old:
        publish(entries("two"))
        assert text_of(live) == "two"
        assert old.catalog("docs")[0]["text"] == "one"
        assert old.build_id != live.build_id
    live.close()


def test_a_replaced_version_is_closed_when_its_last_call_ends(
    publish: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []
    monkeypatch.setattr(Artifact, "close", lambda self: closed.append(self.build_id), raising=True)
    first = publish(entries("one"))
    live = LiveArtifact(first.path.parent)
    closed.clear()
    with live.lease():
        with live.lease():
            publish(entries("two"))
            closed.clear()
            with live.lease() as new:
                assert new.build_id != first.build_id
        assert closed == []
    assert closed == [first.build_id]


def test_what_was_served_alone_stays_open_when_a_workspace_appears_beside_it(
    publish: Publish, tmp_path: Path
) -> None:
    kb = publish(entries("one")).path.parent
    workspace = tmp_path / "workspace"
    live = LiveArtifact(kb, workspaces=[workspace])
    alone = live.lease()
    alone.__enter__()
    copytree(kb, workspace)
    with live.lease() as both:
        catalogs = [both.catalog(info.name) for info in both.collections]
        alone.__exit__()
        assert [catalog[0]["text"] for catalog in catalogs] == ["one", "one"]
    live.close()


def test_an_unchanged_current_costs_one_stat(
    publish: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = LiveArtifact(publish().path.parent)
    stats: list[object] = []
    stat = os.stat
    monkeypatch.setattr(os, "stat", lambda path: stats.append(path) or stat(path))
    monkeypatch.setattr(os, "open", None)
    with live.lease():
        pass
    assert len(stats) == 1
    monkeypatch.undo()
    live.close()


def test_a_single_build_is_served_for_good(publish: Publish) -> None:
    live = LiveArtifact(publish(entries("one")).path)
    publish(entries("two"))
    assert text_of(live) == "one"
    live.close()


def test_a_broken_new_version_leaves_the_old_one_serving_and_says_so_once(
    publish: Publish, capsys: pytest.CaptureFixture[str]
) -> None:
    build = publish(entries("one")).path
    kb = build.parent
    live = LiveArtifact(kb)
    (kb / "CURRENT").write_text("f" * 16 + "\n")
    for _ in range(3):
        assert text_of(live) == "one"
    complaint = capsys.readouterr().err
    assert complaint.count("\n") == 1
    assert "ffffffffffffffff, which does not exist" in complaint
    assert f"name one that is there: {build.name}" in complaint
    publish(entries("two"))
    assert text_of(live) == "two"
    live.close()


def test_a_damaged_new_version_is_not_swapped_in(
    publish: Publish, capsys: pytest.CaptureFixture[str]
) -> None:
    first = publish(entries("one"))
    live = LiveArtifact(first.path.parent)
    second = publish(entries("two"))
    os.truncate(second.path / "tools.json", 1)
    assert text_of(live) == "one"
    assert "tools.json has 1 bytes" in capsys.readouterr().err
    live.close()


def test_a_version_whose_files_arrive_after_current_is_served_when_they_are_there(
    publish: Publish, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live = LiveArtifact(publish(entries("one")).path.parent)
    second = publish(entries("two"))
    second.path.rename(tmp_path / "on its way")
    for _ in range(3):
        live.follow()
    assert text_of(live) == "one"
    assert capsys.readouterr().err.count("still serving") == 1
    (tmp_path / "on its way").rename(second.path)
    live.follow()
    assert text_of(live) == "two"
    live.close()


@pytest.mark.parametrize("short", [MemoryError(), OSError(errno.EMFILE, "Too many open files")])
def test_a_version_that_a_shortage_kept_from_opening_is_served_later(
    publish: Publish,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    short: Exception,
) -> None:
    live = LiveArtifact(publish(entries("one")).path.parent)
    publish(entries("two"))

    def fail(*_: object) -> None:
        raise short

    with monkeypatch.context() as patched:
        patched.setattr("kb_runtime.knowledge.artifact.load", fail)
        for _ in range(3):
            live.follow()
        assert text_of(live) == "one"
    assert capsys.readouterr().err.count("still serving") == 1
    live.follow()
    assert text_of(live) == "two"
    live.close()


def test_a_vanished_knowledge_base_is_served_on(
    publish: Publish, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kb = publish(entries("one")).path.parent
    live = LiveArtifact(kb)
    assert text_of(live) == "one"
    kb.rename(tmp_path / "moved")
    assert text_of(live) == "one"
    assert "still serving" in capsys.readouterr().err
    live.close()


def test_there_must_be_a_version_at_first(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError):
        LiveArtifact(tmp_path)


@pytest.mark.slow
def test_threads_always_read_whole_versions_while_versions_change(
    publish: Publish, capsys: pytest.CaptureFixture[str]
) -> None:
    live = LiveArtifact(publish(entries("version 0")).path.parent)
    stop = threading.Event()
    failures: list[BaseException] = []
    seen: set[str] = set()

    def read() -> None:
        try:
            last = 0
            while not stop.is_set():
                with live.lease() as artifact:
                    text = artifact.catalog("docs")[0]["text"]
                    chunk = artifact.chunks[0]["text"]
                assert text == chunk
                seen.add(text)
                number = int(text.split()[1])
                assert number >= last
                last = number
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    for number in range(1, 25):
        publish(entries(f"version {number}"), keep=2)
    stop.set()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(seen) > 1
    assert text_of(live) == "version 24"
    assert capsys.readouterr().err == ""
    live.close()


# Several locations


def named(out: Path, name: str, text: str) -> Path:
    return publish_small(out / name, entries(text), name=name).path.parent


def texts_of(live: LiveArtifact) -> list[str]:
    with live.lease() as knowledge:
        return [
            knowledge.catalog(info.name)[0]["text"]
            for info in knowledge.collections
            if info.records
        ]


def test_one_location_is_served_as_the_artifact_itself(publish: Publish) -> None:
    live = LiveArtifact(publish(entries("one")).path.parent)
    with live.lease() as artifact:
        assert isinstance(artifact, Artifact)
    live.close()


def test_each_location_swaps_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    close = Artifact.close

    def closing(self: Artifact) -> None:
        closed.append(self.manifest["name"])
        close(self)

    monkeypatch.setattr(Artifact, "close", closing)
    live = LiveArtifact(named(tmp_path, "a", "a1"), named(tmp_path, "b", "b1"))
    swaps: list[str] = []
    live.on_swap(lambda: swaps.append(live.build_id))
    assert texts_of(live) == ["a1", "b1"]
    with live.lease() as old:
        named(tmp_path, "b", "b2")
        closed.clear()  # the linker opens what it publishes
        assert texts_of(live) == ["a1", "b2"]
        assert old.catalog("b.docs")[0]["text"] == "b1"
        with live.lease() as new:
            assert new.parts[0] is old.parts[0]
        assert closed == []
    assert closed == ["b"]
    named(tmp_path, "a", "a2")
    live.follow()
    assert texts_of(live) == ["a2", "b2"]
    assert len(swaps) == 2
    closed.clear()
    live.close()
    assert sorted(closed) == ["a", "b"]


def test_a_swap_to_the_name_of_another_is_refused_and_the_old_one_serves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live = LiveArtifact(named(tmp_path, "a", "a1"), named(tmp_path, "b", "b1"))
    publish_small(tmp_path / "b", entries("b2"), name="a")
    assert texts_of(live) == ["a1", "b1"]
    assert texts_of(live) == ["a1", "b1"]
    assert capsys.readouterr().err.count("both the knowledge base 'a'") == 1
    named(tmp_path, "b", "b3")
    assert texts_of(live) == ["a1", "b3"]
    live.close()


def test_a_version_opened_beside_one_that_is_refused_is_closed_and_served_later(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live = LiveArtifact(named(tmp_path, "a", "a1"), named(tmp_path, "b", "b1"))
    named(tmp_path, "a", "a2")
    publish_small(tmp_path / "b", entries("b2"), name="a")
    before = open_below(tmp_path)
    for _ in range(3):
        live.follow()
    assert open_below(tmp_path) == before
    assert texts_of(live) == ["a1", "b1"]
    assert capsys.readouterr().err.count("both the knowledge base 'a'") == 1
    named(tmp_path, "b", "b3")
    assert texts_of(live) == ["a2", "b3"]
    live.close()


def test_a_workspace_appears_when_it_has_a_version(tmp_path: Path) -> None:
    live = LiveArtifact(named(tmp_path, "a", "a1"), workspaces=[tmp_path / "w" / "small"])
    assert live.can_change
    assert texts_of(live) == ["a1"]
    named(tmp_path, "w", "w1")
    assert texts_of(live) == ["a1", "w1"]
    live.close()


def test_a_workspace_that_cannot_be_opened_does_not_keep_a_server_from_serving(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "w" / "small").mkdir(parents=True)
    (tmp_path / "w" / "small" / "CURRENT").write_text("nonsense\n")
    live = LiveArtifact(named(tmp_path, "a", "a1"), workspaces=[tmp_path / "w" / "small"])
    assert texts_of(live) == ["a1"]
    assert "serving without the workspace" in capsys.readouterr().err
    assert live.workspace_problems == ["altered"]
    named(tmp_path, "w", "w1")
    assert texts_of(live) == ["a1", "w1"]
    assert live.workspace_problems == []
    live.close()


def test_nothing_stays_open_when_one_of_several_cannot_be_opened(tmp_path: Path) -> None:
    first = named(tmp_path, "a", "a1")
    before = open_below(tmp_path)
    with pytest.raises(ArtifactError):
        LiveArtifact(first, tmp_path / "nothing")
    with pytest.raises(ArtifactError):
        LiveArtifact(first, first)
    assert open_below(tmp_path) == before
