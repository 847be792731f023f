"""What the chunks beside a candidate say about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kb_runtime.search.ranking.surroundings import REACH, SHARE, with_surroundings
from kb_runtime.search.vectors import RowRange

if TYPE_CHECKING:
    from kb_runtime.search.ports import Chunks, VectorSearcher

QUERY = np.array([1.0, 0.0], dtype=np.float32)


class _Rows:
    """Chunks and vectors of rows whose cosines to `QUERY` are given; a row's record is what follows it."""

    def __init__(
        self, records: Sequence[int], cosines: Sequence[float], answers: Sequence[int] | None
    ) -> None:
        self._records = np.array(records, dtype="<u4")
        self._answers = answers and np.array(answers, dtype="<u4")
        self._cosines = np.array(cosines, dtype=np.float32)

    def column(self, name: str) -> memoryview:
        assert name == "record"
        return memoryview(self._records)

    def answers(self) -> memoryview | None:
        return None if self._answers is None else memoryview(self._answers)

    def estimates(self, vector: Any, rows: Any) -> Any:
        assert vector is QUERY
        assert len(set(rows.tolist())) == len(rows)
        return self._cosines[rows]


def mixed(
    rows: Sequence[int],
    records: Sequence[int],
    cosines: Sequence[float],
    *collections: int,
    answers: Sequence[int] | None = None,
) -> list[float]:
    """`with_surroundings` of these rows, whose collections have so many."""
    ends = np.cumsum(collections).tolist()
    ranges = [
        RowRange(f"c{at}", end - own, own)
        for at, (own, end) in enumerate(zip(collections, ends, strict=True))
    ]
    backend = _Rows(records, cosines, answers)
    own = np.array([cosines[row] for row in rows], dtype=np.float64)
    found = with_surroundings(
        own,
        QUERY,
        np.array(rows, dtype=np.int64),
        ranges,
        cast("Chunks", backend),
        cast("VectorSearcher", backend),
    )
    return cast("list[float]", found.tolist())


def test_of_two_chunks_that_are_equally_near_the_one_among_near_ones_is_nearer() -> None:
    alone, among = mixed([1, 4], [0, 0, 0, 1, 1, 1], [0.0, 0.5, 0.0, 0.5, 0.5, 0.5], 6)
    assert alone < among == 0.5


def test_the_first_chunk_of_a_record_has_none_of_another_before_it() -> None:
    assert mixed([2], [0, 0, 1], [1.0, 1.0, 0.5], 3) == [0.5]


def test_a_chunk_of_an_answer_has_none_of_the_answers_beside_it() -> None:
    cosines, answers = [1.0, 0.5, 0.5, 1.0], [1, 2, 2, 0]
    assert mixed([1, 3], [0] * 4, cosines, 4, answers=answers) == [0.5, 1.0]


def test_records_of_two_collections_with_the_same_number_are_two() -> None:
    assert mixed([2], [0, 0, 0], [1.0, 1.0, 0.5], 2, 1) == [0.5]


def test_a_chunk_far_away_in_a_long_record_says_nothing() -> None:
    cosines = [0.5] * (REACH + 1) + [1.0] * 40
    assert mixed([0], [0] * len(cosines), cosines, len(cosines)) == [0.5]


@given(st.data())
def test_all_candidates_at_once_are_as_each_by_itself(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 25), min_size=1, max_size=6))
    records = [at for at, size in enumerate(sizes) for _ in range(size)]
    total = len(records)
    cosines = data.draw(st.lists(st.floats(-1, 1, width=32), min_size=total, max_size=total))
    rows = data.draw(st.lists(st.sampled_from(range(total)), min_size=1, unique=True))
    expected = []
    for row in rows:
        first = records.index(records[row])
        end = first + sizes[records[row]]
        around = cosines[max(first, row - REACH) : min(end, row + REACH + 1)]
        expected.append((1 - SHARE) * cosines[row] + SHARE * sum(around) / len(around))
    assert np.allclose(mixed(rows, records, cosines, total), expected)
