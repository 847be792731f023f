from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kb_runtime.search.vectors import RowRange
from kbc.backends.vectors import GraphMemory, write_vectors


def unit(rows: int, dimensions: int = 16) -> NDArray[np.float32]:
    vectors = np.random.default_rng(rows).normal(size=(rows, dimensions))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors.astype(np.float32)


RANGES = [RowRange("builtins", 0, 30), RowRange("empty", 30, 0), RowRange("docs", 30, 70)]


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_rows_are_the_numbers_and_nothing_else(tmp_path: Path) -> None:
    vectors = unit(100)
    write_vectors(tmp_path, vectors, RANGES)
    assert (tmp_path / "rows.f32").read_bytes() == vectors.astype("<f4").tobytes()


def test_each_collection_with_rows_has_a_graph(tmp_path: Path) -> None:
    write_vectors(tmp_path, unit(100), RANGES)
    assert {path.name for path in tmp_path.iterdir()} == {
        "rows.f32",
        "builtins.usearch",
        "docs.usearch",
    }


def test_only_collections_above_a_number_of_rows_have_graphs_where_one_is_given(
    tmp_path: Path,
) -> None:
    most = max(one.rows for one in RANGES)
    write_vectors(tmp_path, unit(100), RANGES, graphs_above=most - 1)
    assert len(list(tmp_path.glob("*.usearch"))) == 1
    write_vectors(tmp_path / "none", unit(100), RANGES, graphs_above=most)
    assert list((tmp_path / "none").glob("*.usearch")) == []


def test_collections_without_a_graph_have_rounded_rows(tmp_path: Path) -> None:
    vectors = unit(100)
    write_vectors(tmp_path, vectors, RANGES, graphs_above=100)
    content = (tmp_path / "rows.i8").read_bytes()
    assert len(content) == vectors.size + 4 * len(vectors) + 4
    codes = np.frombuffer(content, dtype=np.int8, count=vectors.size).reshape(vectors.shape)
    *scales, error = np.frombuffer(content, dtype="<f4", offset=vectors.size)
    assert np.abs(codes).max(axis=1).tolist() == [127] * len(vectors)
    lost = np.linalg.norm(vectors - codes * np.array(scales)[:, None], axis=1)
    assert 0 < lost.max() <= error < 1.01 * lost.max()


class Watched(GraphMemory):
    """Notes whether a graph was there, for each that was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, bool]] = []

    def get(self, vectors: NDArray[np.float32]) -> tuple[bytes, bytes | None]:
        key, graph = super().get(vectors)
        self.found.append((len(vectors), graph is not None))
        return key, graph


def test_a_graph_of_the_last_build_is_taken_for_the_same_vectors_only(tmp_path: Path) -> None:
    memory = Watched()
    vectors = unit(100)
    write_vectors(tmp_path / "one", vectors, RANGES, memory)
    assert memory.found == [(RANGES[0].rows, False), (RANGES[2].rows, False)]
    memory.forget_unused()
    changed = vectors.copy()
    changed[0] = changed[1]
    write_vectors(tmp_path / "two", changed, RANGES, memory)
    assert memory.found[2:] == [(RANGES[0].rows, False), (RANGES[2].rows, True)]
    write_vectors(tmp_path / "clean", changed, RANGES)
    assert contents(tmp_path / "two") == contents(tmp_path / "clean")


def test_the_same_vectors_give_the_same_bytes(tmp_path: Path) -> None:
    write_vectors(tmp_path / "one", unit(100), RANGES)
    write_vectors(tmp_path / "other", unit(100), RANGES)
    assert contents(tmp_path / "one") == contents(tmp_path / "other")


def test_no_rows_give_an_empty_file(tmp_path: Path) -> None:
    write_vectors(tmp_path, unit(0), [RowRange("docs", 0, 0)])
    assert contents(tmp_path) == {"rows.f32": b""}


@pytest.mark.parametrize("value", [0.0, float("nan"), float("inf"), 2.0])
def test_a_row_that_is_no_direction_is_refused(tmp_path: Path, value: float) -> None:
    vectors = unit(100)
    vectors[42] = value
    with pytest.raises(ValueError, match="row 42"):
        write_vectors(tmp_path, vectors, RANGES)


@pytest.mark.parametrize(
    "ranges",
    [
        [RowRange("docs", 0, 99)],
        [RowRange("docs", 0, 101)],
        [RowRange("docs", 1, 99)],
        [RowRange("a", 0, 60), RowRange("b", 50, 50)],
    ],
)
def test_ranges_that_do_not_tile_the_rows_are_refused(
    tmp_path: Path, ranges: list[RowRange]
) -> None:
    with pytest.raises(ValueError, match=r"the rows of|the collections cover"):
        write_vectors(tmp_path, unit(100), ranges)


def test_other_number_types_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="float64"):
        write_vectors(tmp_path, unit(100).astype(np.float64), RANGES)
