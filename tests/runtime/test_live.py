from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from kb_runtime import live as live_module
from kb_runtime.errors import ArtifactError
from kb_runtime.live import LiveArtifact
from kbc.linker import Published

Publish = Callable[..., Published]


def entries(text: str) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    return {"docs": [{"id": "page", "text": text}]}


def text_of(live: LiveArtifact) -> str:
    with live.lease() as artifact:
        return str(artifact.catalog("docs")[0]["text"])


def test_the_next_call_sees_a_new_version(publish: Publish) -> None:
    kb = publish(entries("one")).path.parent
    live = LiveArtifact(kb)
    assert text_of(live) == "one"
    publish(entries("two"))
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
    monkeypatch.setattr(
        live_module.Artifact, "close", lambda self: closed.append(self.build_id), raising=True
    )
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
    kb = publish(entries("one")).path.parent
    live = LiveArtifact(kb)
    (kb / "CURRENT").write_text("f" * 16 + "\n")
    for _ in range(3):
        assert text_of(live) == "one"
    complaint = capsys.readouterr().err
    assert complaint.count("\n") == 1
    assert "ffffffffffffffff, which is not there" in complaint
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
