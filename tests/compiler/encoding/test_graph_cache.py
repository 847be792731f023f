from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from kbc.encoding import graph
from kbc.encoding.graph_cache import write_cached_graph
from kbc.encoding.model import Model, resolve_model

MakeModel = Callable[..., Path]


@pytest.fixture
def model(make_model: MakeModel) -> Model:
    return resolve_model(make_model())


def write(model: Model, folder: Path, cache: Path | None) -> dict[str, bytes]:
    folder.mkdir()
    write_cached_graph(model, "fp32", folder, cache)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def forbid_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> None:
        raise AssertionError("the graph was written anew")

    monkeypatch.setattr(graph, "write_graph", refuse)


def test_graph_is_taken_from_the_cache_with_the_same_bytes(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = write(model, tmp_path / "first", tmp_path / "cache")
    forbid_writing(monkeypatch)
    assert write(model, tmp_path / "second", tmp_path / "cache") == first


def test_model_with_other_settings_is_not_confused(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(model, tmp_path / "first", tmp_path / "cache")
    forbid_writing(monkeypatch)
    for change in ({"heads": 2}, {"pooling": "cls"}, {"layer_norm_epsilon": 1e-5}):
        other = dataclasses.replace(model, **change)
        with pytest.raises(AssertionError, match="anew"):
            write(other, tmp_path / str(change), tmp_path / "cache")


@pytest.mark.parametrize("damaged", ["model.onnx", "model.bin", "sha256.json"])
@pytest.mark.parametrize("damage", [b"", b"other", None])
def test_damaged_entry_is_written_anew(
    damaged: str, damage: bytes | None, model: Model, tmp_path: Path
) -> None:
    first = write(model, tmp_path / "first", tmp_path / "cache")
    (entry,) = (tmp_path / "cache" / "graphs").iterdir()
    if damage is None:
        (entry / damaged).unlink()
    else:
        (entry / damaged).write_bytes(damage)
    assert write(model, tmp_path / "second", tmp_path / "cache") == first
    assert (entry / "model.bin").read_bytes() == first["model.bin"]


def test_cache_that_cannot_be_written_fails_nothing(model: Model, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    found = write(model, tmp_path / "first", tmp_path / "file" / "cache")
    assert found == write(model, tmp_path / "second", None)


def test_writing_anew_in_place_of_links_leaves_the_files_of_the_entry_alone(
    model: Model, tmp_path: Path
) -> None:
    first = write(model, tmp_path / "first", tmp_path / "cache")
    (entry,) = (tmp_path / "cache" / "graphs").iterdir()
    (entry / "model.bin").write_bytes(b"damaged")
    mapped = (entry / "model.onnx").open("rb")  # by another build
    (tmp_path / "second").mkdir()
    write_cached_graph(model, "fp32", tmp_path / "second", tmp_path / "cache", link=True)
    assert {path.name: path.read_bytes() for path in (tmp_path / "second").iterdir()} == first
    with mapped:
        assert mapped.read() == first["model.onnx"]


def test_a_linked_graph_stays_when_the_cache_is_deleted(model: Model, tmp_path: Path) -> None:
    first = write(model, tmp_path / "first", tmp_path / "cache")
    (tmp_path / "second").mkdir()
    write_cached_graph(model, "fp32", tmp_path / "second", tmp_path / "cache", link=True)
    shutil.rmtree(tmp_path / "cache")
    assert {path.name: path.read_bytes() for path in (tmp_path / "second").iterdir()} == first
