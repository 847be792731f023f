from __future__ import annotations

import threading
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.fresh_python import printed_by

from kb_runtime.errors import ArtifactError
from kb_runtime.search.vectors import MIN_COSINE, Bound, Comparison, RowRange, VectorIndex
from kb_runtime.store.rounded_rows import RoundedQuery
from kbc.backends.vectors import write_vectors

DIMENSIONS = 24
RANGES = [
    RowRange("a", 0, 300),
    RowRange("b", 300, 0),
    RowRange("c", 300, 500),
    RowRange("d", 800, 200),
]
ALL_EXACT = 10_000
ALL_GRAPHS = 10


def clustered(rows: int) -> NDArray[np.float32]:
    random = np.random.default_rng(5)
    centres = random.normal(size=(40, DIMENSIONS))
    vectors = centres[random.integers(0, 40, rows)] + 0.4 * random.normal(size=(rows, DIMENSIONS))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors.astype(np.float32)


VECTORS = clustered(1000)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> VectorIndex:
    folder = tmp_path_factory.mktemp("vectors")
    write_vectors(folder, VECTORS, RANGES)
    return VectorIndex(str(folder))


def brute_force(query: NDArray[np.float32], rows: list[int], limit: int) -> list[tuple[int, float]]:
    cosines = {row: float(VECTORS[row] @ query) for row in rows}
    best = sorted(cosines, key=lambda row: (-cosines[row], row))
    return [(row, cosines[row]) for row in best if cosines[row] > MIN_COSINE][:limit]


@pytest.mark.parametrize("exact_rows", [ALL_EXACT, ALL_GRAPHS])
@pytest.mark.parametrize("limit", [1, 7, 60])
def test_the_nearest_rows_are_found_best_first(
    index: VectorIndex, exact_rows: int, limit: int
) -> None:
    for row in (0, 299, 300, 999):
        expected = brute_force(VECTORS[row], list(range(1000)), limit)
        hits = index.search(VECTORS[row], RANGES, limit, exact_rows=exact_rows)
        assert hits.rows == [row for row, _ in expected]
        assert hits.cosines == pytest.approx([cosine for _, cosine in expected], abs=1e-5)


@pytest.mark.parametrize("exact_rows", [ALL_EXACT, ALL_GRAPHS])
def test_only_the_given_ranges_are_searched(index: VectorIndex, exact_rows: int) -> None:
    hits = index.search(VECTORS[5], [RANGES[2]], 20, exact_rows=exact_rows)
    assert hits.rows == [row for row, _ in brute_force(VECTORS[5], list(range(300, 800)), 20)]


@pytest.mark.parametrize("exact_rows", [ALL_EXACT, 150, ALL_GRAPHS])
def test_a_filter_comes_before_the_ranking(index: VectorIndex, exact_rows: int) -> None:
    mask = np.zeros(1000, dtype=np.bool_)
    mask[::3] = True
    hits = index.search(VECTORS[1], RANGES, 10, mask, exact_rows)
    assert hits.rows == [row for row, _ in brute_force(VECTORS[1], list(range(0, 1000, 3)), 10)]


def test_a_filter_that_leaves_nothing_finds_nothing(index: VectorIndex) -> None:
    mask = np.zeros(1000, dtype=np.bool_)
    for exact_rows in (ALL_EXACT, ALL_GRAPHS):
        assert index.search(VECTORS[1], RANGES, 10, mask, exact_rows).rows == []


def test_rows_without_similarity_are_no_candidates(tmp_path: Path) -> None:
    axes = np.eye(DIMENSIONS, dtype=np.float32)
    write_vectors(tmp_path, axes, [RowRange("a", 0, DIMENSIONS)])
    assert VectorIndex(str(tmp_path)).search(axes[3], [RowRange("a", 0, DIMENSIONS)], 10).rows == [
        3
    ]


def test_equal_rows_come_in_row_order_whatever_the_limit(tmp_path: Path) -> None:
    same = np.repeat(VECTORS[:1], 50, axis=0)
    write_vectors(tmp_path, same, [RowRange("a", 0, 50)])
    index = VectorIndex(str(tmp_path))
    for limit in (1, 3, 49, 50, 80):
        found = index.search(VECTORS[0], [RowRange("a", 0, 50)], limit).rows
        assert found == list(range(min(limit, 50)))


def test_a_limit_below_one_counts_as_one(index: VectorIndex) -> None:
    assert len(index.search(VECTORS[0], RANGES, 0).rows) == 1


def test_no_ranges_and_no_rows_find_nothing(index: VectorIndex, tmp_path: Path) -> None:
    assert index.search(VECTORS[0], [], 5).rows == []
    write_vectors(tmp_path, VECTORS[:0], [RowRange("a", 0, 0)])
    assert VectorIndex(str(tmp_path)).search(VECTORS[0], [RowRange("a", 0, 0)], 5).rows == []


@pytest.mark.parametrize(
    "vector",
    [
        np.full(DIMENSIONS, np.nan, dtype=np.float32),
        np.zeros(DIMENSIONS, dtype=np.float32),
        np.ones(DIMENSIONS - 1, dtype=np.float32),
    ],
)
def test_a_query_that_is_no_direction_is_refused(
    index: VectorIndex, vector: NDArray[np.float32]
) -> None:
    with pytest.raises(ValueError, match=r"zero or not finite|does not fit"):
        index.search(vector, RANGES, 5)


def test_a_range_behind_the_last_row_is_refused(index: VectorIndex) -> None:
    with pytest.raises(ValueError, match="1000 rows"):
        index.search(VECTORS[0], [RowRange("a", 900, 101)], 5)


def test_threads_get_the_answers_of_one(index: VectorIndex) -> None:
    expected = [
        index.search(VECTORS[row], RANGES, 5, exact_rows=ALL_GRAPHS).rows for row in range(60)
    ]
    wrong: list[int] = []

    def work(limits: range) -> None:
        for row in limits:
            if index.search(VECTORS[row], RANGES, 5, exact_rows=ALL_GRAPHS).rows != expected[row]:
                wrong.append(row)

    threads = [threading.Thread(target=work, args=(range(start, 60, 4),)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.fixture(scope="module")
def rounded(tmp_path_factory: pytest.TempPathFactory) -> VectorIndex:
    folder = tmp_path_factory.mktemp("rounded")
    write_vectors(folder, VECTORS, RANGES, graphs_above=ALL_EXACT)
    return VectorIndex(str(folder))


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 120),
    st.sampled_from([RANGES, RANGES[:1], RANGES[2:], [RANGES[0], RANGES[3]]]),
    st.none() | st.integers(1, 50),
)
def test_rounded_rows_find_what_all_rows_find(
    index: VectorIndex,
    rounded: VectorIndex,
    seed: int,
    limit: int,
    ranges: list[RowRange],
    every: int | None,
) -> None:
    random = np.random.default_rng(seed)
    vector = VECTORS[seed % 1000] + random.uniform(0, 1) * random.normal(size=DIMENSIONS)
    vector = (vector / np.linalg.norm(vector)).astype(np.float32)
    mask = None if every is None else np.arange(1000) % every == 0
    found = rounded.search(vector, ranges, limit, mask)
    assert found[:2] == index.search(vector, ranges, limit, mask)[:2]
    assert (found.estimates is not None) == (ranges == RANGES and mask is None)
    if found.estimates is not None:
        everywhere = np.arange(len(VECTORS))
        assert np.array_equal(found.estimates, rounded.estimates(vector, everywhere))


def test_rounded_rows_find_all_of_many_alike(tmp_path: Path) -> None:
    alike = np.repeat(VECTORS[:2], 300, axis=0)
    write_vectors(tmp_path, alike, [RowRange("a", 0, 600)], graphs_above=600)
    found = VectorIndex(str(tmp_path)).search(VECTORS[1], [RowRange("a", 0, 600)], 400)
    assert found.rows[:300] == list(range(300, 600))
    assert found.cosines[:300] == [found.cosines[0]] * 300


@pytest.mark.parametrize("rows", [range(1), range(2), range(3), range(7), range(3, 300)])
def test_a_row_has_the_same_cosine_whatever_it_is_compared_with(
    index: VectorIndex, rows: range
) -> None:
    everywhere = index.search(VECTORS[5], RANGES, 1000)
    cosines = dict(zip(everywhere.rows, everywhere.cosines, strict=True))
    found = index.search(VECTORS[5], [RowRange("a", rows.start, len(rows))], 1000)
    assert found.cosines == [cosines[row] for row in found.rows]


def test_rounded_rows_of_other_rows_are_refused(tmp_path: Path) -> None:
    write_vectors(tmp_path, VECTORS, RANGES, graphs_above=ALL_EXACT)
    (tmp_path / "rows.i8").write_bytes((tmp_path / "rows.i8").read_bytes()[:-8])
    with pytest.raises(ArtifactError, match="rows beside it"):
        VectorIndex(str(tmp_path))


def test_a_wrongly_rounded_row_is_named(tmp_path: Path, rounded: VectorIndex) -> None:
    assert rounded.first_misrounded() is None
    write_vectors(tmp_path, VECTORS, RANGES, graphs_above=ALL_EXACT)
    content = bytearray((tmp_path / "rows.i8").read_bytes())
    content[42 * DIMENSIONS] ^= 0x40
    (tmp_path / "rows.i8").write_bytes(content)
    assert VectorIndex(str(tmp_path)).first_misrounded() == 42


def test_missing_rows_are_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError) as caught:
        VectorIndex(str(tmp_path))
    assert caught.value.code == "truncated"


@pytest.mark.parametrize("content", [b"", b"not a graph at all" * 20])
def test_a_damaged_graph_is_one_clear_error(tmp_path: Path, content: bytes) -> None:
    write_vectors(tmp_path, VECTORS, RANGES)
    (tmp_path / "c.usearch").write_bytes(content)
    with pytest.raises(ArtifactError) as caught:
        VectorIndex(str(tmp_path)).search(VECTORS[0], RANGES, 5, exact_rows=ALL_GRAPHS)
    assert caught.value.code == "altered"


def test_a_graph_of_another_collection_is_refused(tmp_path: Path) -> None:
    write_vectors(tmp_path, VECTORS, RANGES)
    (tmp_path / "d.usearch").replace(tmp_path / "c.usearch")
    with pytest.raises(ArtifactError, match="does not begin with"):
        VectorIndex(str(tmp_path)).search(VECTORS[0], [RANGES[2]], 5, exact_rows=ALL_GRAPHS)


def test_an_exact_search_does_not_import_usearch(tmp_path: Path) -> None:
    write_vectors(tmp_path, VECTORS, RANGES)
    code = (
        "import sys, numpy; from kb_runtime.search.vectors import *;"
        f"v = VectorIndex({str(tmp_path)!r}); q = v.vector(3, {DIMENSIONS});"
        "print(v.search(q, [RowRange('a', 0, 1000)], 1).rows, 'usearch' in sys.modules)"
    )
    assert printed_by(code) == "[3] False"


def test_the_cosines_are_copied_once_where_nothing_bounds_them_yet() -> None:
    cosines = np.random.default_rng(1).uniform(0.2, 0.9, 100_000).astype(np.float32)
    comparison = Comparison(VECTORS[0], RoundedQuery.of(VECTORS[0]), Bound(50))
    comparison.candidates(cosines[:100].copy(), 0.0, None)  # numpy has loaded what it needs
    comparison = Comparison(VECTORS[0], RoundedQuery.of(VECTORS[0]), Bound(50))
    tracemalloc.start()
    found = comparison.candidates(cosines, 0.0, None)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sorted(cosines[found]) == sorted(cosines)[-50:]
    assert most < 1.5 * cosines.nbytes


def test_what_is_near_outlives_the_index(tmp_path: Path) -> None:
    write_vectors(tmp_path, VECTORS, RANGES)
    closed = VectorIndex(str(tmp_path))
    expected = closed.search(VECTORS[7], RANGES, 10)
    comparison = Comparison(VECTORS[7], RoundedQuery.of(VECTORS[7]), Bound(10))
    closed.compare(comparison, [one for one in RANGES if one.rows], None, ALL_EXACT)
    closed.close()
    assert comparison.nearest()[:2] == expected[:2]
