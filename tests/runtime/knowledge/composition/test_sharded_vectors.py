"""Vectors in shards: the same rows with the same cosines as in one piece."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kb_runtime.knowledge.sharding.order import read_order
from kb_runtime.knowledge.sharding.vectors import ShardedVectors
from kb_runtime.search.vectors import Comparison, RowRange, VectorHits, VectorIndex
from kb_runtime.store.rounded_rows import COARSE_FILE
from kbc.backends.vectors import write_vectors

ROWS, DIMENSIONS, SHARDS = 4_000, 32, 16
ALL_EXACT = ROWS
RANGES = [RowRange("a", 0, 900), RowRange("b", 900, 0), RowRange("c", 900, 3_100)]
ANY = settings(max_examples=60)


def made(copies: int = 40) -> NDArray[np.float32]:
    """Vectors in groups, `copies` of them the same."""
    chance = np.random.default_rng(3)
    centres = chance.normal(size=(25, DIMENSIONS))
    vectors = centres[chance.integers(0, 25, ROWS)] + 0.7 * chance.normal(size=(ROWS, DIMENSIONS))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[chance.choice(ROWS, copies, replace=False)] = vectors[7]
    return vectors.astype(np.float32)


VECTORS = made()


class Both:
    """The same rows in one index and in shards. The last shard is empty."""

    def __init__(self, folder: Path, *, is_rounded: bool) -> None:
        owners = np.random.default_rng(4).integers(0, SHARDS - 1, ROWS).astype("<u2")
        folder.mkdir()
        (folder / "shard.u16").write_bytes(owners.tobytes())
        sizes = [int((owners == shard).sum()) for shard in range(SHARDS)]
        shards = [
            _index(folder / str(shard), VECTORS[owners == shard], is_rounded)
            for shard in range(SHARDS)
        ]
        self.whole = _index(folder / "whole", VECTORS, is_rounded)
        self.parts = ShardedVectors(shards, read_order(str(folder / "shard.u16"), sizes))

    def found(self, *arguments: Any) -> VectorHits:
        """What both find, which is the same to the last bit."""
        one = self.whole.search(*arguments, exact_rows=ALL_EXACT)
        assert self.parts.search(*arguments)[:2] == one[:2]
        return one


def _index(folder: Path, vectors: NDArray[np.float32], is_rounded: bool) -> VectorIndex:
    write_vectors(folder, vectors, [RowRange("all", 0, len(vectors))], graphs_above=ROWS)
    if not is_rounded:
        (folder / COARSE_FILE).unlink(missing_ok=True)
    return VectorIndex(str(folder))


@pytest.fixture(scope="module", params=[True, False], ids=["rounded", "not rounded"])
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Both]:
    made = Both(tmp_path_factory.mktemp("vectors") / "shards", is_rounded=request.param)
    yield made
    made.parts.close()


@ANY
@given(
    seed=st.integers(0, 1_000),
    limit=st.sampled_from([1, 2, 20, 100, 1_000, 2 * ROWS]),
    share=st.sampled_from([None, 0.0, 0.001, 0.3, 1.0]),
    ranges=st.sampled_from([RANGES, RANGES[:1], RANGES[2:], [RowRange("few", 1_234, 3)], []]),
)
def test_shards_find_what_one_index_finds(
    both: Both, seed: int, limit: int, share: float | None, ranges: list[RowRange]
) -> None:
    chance = np.random.default_rng(seed)
    query = VECTORS[seed] + 0.3 * chance.normal(size=DIMENSIONS)
    query = (query / np.linalg.norm(query)).astype(np.float32)
    mask = None if share is None else chance.random(ROWS) < share
    both.found(query, ranges, limit, mask)


def test_equal_rows_come_in_row_order(both: Both) -> None:
    hits = both.found(VECTORS[7], RANGES, 30)
    assert len(hits.rows) == 30
    assert hits.rows == sorted(hits.rows)
    assert len(set(hits.cosines)) == 1


def test_few_rows_of_all_shards_are_compared_exactly(
    both: Both, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each shard for itself would compare as many as are wanted of all."""
    taken: list[int] = []
    exactly = Comparison._exactly

    def counted(comparison: Comparison, near: Any) -> NDArray[np.float32]:
        taken.append(sum(len(rows) for _, rows in near))
        return exactly(comparison, near)

    monkeypatch.setattr(Comparison, "_exactly", counted)
    limit = 100
    assert len(both.parts.search(VECTORS[50], RANGES, limit).rows) == limit
    assert limit <= sum(taken) < 3 * limit


@pytest.mark.parametrize(
    ("query", "ranges"),
    [
        (np.zeros(DIMENSIONS, dtype=np.float32), RANGES),
        (np.full(DIMENSIONS, np.nan, dtype=np.float32), RANGES),
        (np.ones(DIMENSIONS + 1, dtype=np.float32), RANGES),
        (np.eye(DIMENSIONS, dtype=np.float32), RANGES),
        (VECTORS[0], [RowRange("beyond", ROWS - 1, 2)]),
    ],
    ids=["zero", "not a number", "too long", "several", "beyond the last row"],
)
def test_what_cannot_be_compared_is_refused(
    both: Both, query: NDArray[np.float32], ranges: list[RowRange]
) -> None:
    for index in (both.whole, both.parts):
        with pytest.raises(ValueError, match=r"vector|row range"):
            index.search(query, ranges, 3)
