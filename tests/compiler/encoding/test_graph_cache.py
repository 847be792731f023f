from __future__ import annotations

import dataclasses
import os
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kb_runtime.store import temporary_folders
from kb_runtime.store.locks import try_lock
from kbc.encoding import graph
from kbc.encoding.graph_cache import Graph, read_graph
from kbc.encoding.model import Model, resolve_model
from kbc.encoding.variants import Variant

MakeModel = Callable[..., Path]


@pytest.fixture
def model(make_model: MakeModel) -> Model:
    return resolve_model(make_model())


def read(model: Model, cache: Path | None) -> Graph:
    return read_graph(model, "fp32", cache)


def entry_of(cache: Path) -> Path:
    (entry,) = (path for path in (cache / "graphs").iterdir() if path.is_dir())
    return entry


def forbid_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> None:
        raise AssertionError("the graph was written anew")

    monkeypatch.setattr(graph, "write_graph", refuse)


def test_graph_is_taken_from_the_cache_with_the_same_bytes(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = read(model, tmp_path / "cache")
    forbid_writing(monkeypatch)
    assert read(model, tmp_path / "cache") == first


def test_threads_that_want_the_same_graph_write_it_once(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[Path] = []
    write_graph = graph.write_graph

    def slowly(model: Model, variant: Variant, folder: Path) -> None:
        written.append(folder)
        write_graph(model, variant, folder)
        time.sleep(0.2)  # the other threads look meanwhile

    monkeypatch.setattr(graph, "write_graph", slowly)
    with ThreadPoolExecutor(3) as threads:
        found = list(threads.map(lambda _: read(model, tmp_path / "cache"), range(3)))
    assert len(written) == 1
    assert found == [found[0]] * 3


def test_a_graph_that_was_read_can_be_written_and_read_again(model: Model, tmp_path: Path) -> None:
    graph = read(model, None)
    folder = tmp_path / "written"
    folder.mkdir()
    graph.write(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["model.bin", "model.onnx"]
    assert Graph.read(folder) == graph


def test_model_with_other_settings_is_not_confused(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(model, tmp_path / "cache")
    forbid_writing(monkeypatch)
    layers = (
        dataclasses.replace(model.layers, heads=2),
        dataclasses.replace(model.layers, epsilon=1e-5),
    )
    for changed in ({"pooling": "cls"}, *({"layers": each} for each in layers)):
        with pytest.raises(AssertionError, match="anew"):
            read(dataclasses.replace(model, **changed), tmp_path / "cache")


@pytest.mark.parametrize("damaged", ["model.onnx", "model.bin", "sha256.json"])
@pytest.mark.parametrize("damage", [b"", b"other", b"[]", None])
def test_damaged_entry_is_written_anew(
    damaged: str, damage: bytes | None, model: Model, tmp_path: Path
) -> None:
    first = read(model, tmp_path / "cache")
    entry = entry_of(tmp_path / "cache")
    if damage is None:
        (entry / damaged).unlink()
    else:
        (entry / damaged).write_bytes(damage)
    assert read(model, tmp_path / "cache") == first
    assert (entry / "model.bin").read_bytes() == first.weights


def test_cache_that_cannot_be_written_fails_nothing(model: Model, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    assert read(model, tmp_path / "file" / "cache") == read(model, None)


def test_what_a_killed_build_left_goes_with_the_next_graph(model: Model, tmp_path: Path) -> None:
    left = tmp_path / "cache" / "graphs" / ".new-killed"
    left.mkdir(parents=True)
    (left / "model.bin").write_bytes(b"half")
    read(model, tmp_path / "cache")
    assert not left.exists()
    assert entry_of(tmp_path / "cache").name[0] != "."


def test_while_another_build_writes_graphs_the_cache_is_left_alone(
    model: Model, tmp_path: Path
) -> None:
    graphs = tmp_path / "cache" / "graphs"
    theirs = graphs / ".new-theirs"
    theirs.mkdir(parents=True)
    with (graphs / ".lock").open("w") as lock:
        assert try_lock(lock.fileno())
        assert read(model, tmp_path / "cache") == read(model, None)
    assert theirs.is_dir()
    assert not list(graphs.glob("[!.]*"))


def test_the_temporary_folder_of_a_killed_build_is_removed_by_one_without_a_cache(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(temporary_folders, "LOCKED_WITHIN_S", 0.0)
    (tmp_path / "kbc-graph-killed").mkdir()
    (tmp_path / "kbc-graph-killed" / "model.onnx").touch()
    (tmp_path / "kbc-graph-living").mkdir()
    held = os.open(tmp_path / "kbc-graph-living", os.O_RDONLY)
    assert try_lock(held)
    read(model, None)
    os.close(held)
    assert [path.name for path in tmp_path.glob("kbc-graph-*")] == ["kbc-graph-living"]
