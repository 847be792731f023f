"""Passages: which hits of a file become one, and how long that may get."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kb_runtime.tools.code.passages import (
    MAX_CONTENT_CHARS,
    TEST_FACTOR,
    Passage,
    group_hits,
    score_passages,
)


class _Chunks(list[dict[str, Any]]):
    def rows_of(self, record: int, rows: range) -> range:
        return rows


def _file(sizes: list[int]) -> Any:
    """A session over one file that is one definition, in chunks of so many code points."""
    trail = ["long.py", "run"]
    chunks = _Chunks({"text": "x" * size, "breadcrumb": trail, "symbol": "run"} for size in sizes)
    info = SimpleNamespace(rows=range(len(sizes)))
    artifact = SimpleNamespace(chunks=chunks, collection=lambda name: info)
    return SimpleNamespace(artifact=artifact)


def _grouped(session: Any, rows: list[int], joined: int = 40, *, widen: bool) -> list[range]:
    chunks = session.artifact.chunks
    hits: list[Any] = [
        SimpleNamespace(row=row, record=0, collection="code", chunk=chunks[row]) for row in rows
    ]
    return [one.rows for one in group_hits(session, hits, joined, widen)]


@pytest.mark.parametrize("widen", [False, True])
@pytest.mark.parametrize(
    "rows", [[9, 4, 6], [0, 9, 5], [5, 4, 6], [*range(10)], [*range(10)][::-1]]
)
def test_no_passage_is_longer_than_what_is_shown_of_it(rows: list[int], widen: bool) -> None:
    session = _file([1500] * 10)
    passages = _grouped(session, rows, widen=widen)
    shown = [row for passage in passages for row in passage]
    assert len(shown) == len(set(shown))  # nothing twice
    for passage in passages:
        assert (
            sum(len(session.artifact.chunks[row]["text"]) for row in passage) <= MAX_CONTENT_CHARS
        )
    assert rows[0] in passages[0]


def test_neighbours_are_one_passage_while_they_fit() -> None:
    assert _grouped(_file([1000] * 6), [2, 1, 4, 3], widen=False) == [range(1, 5)]
    assert _grouped(_file([1000] * 6), [2, 1, 4, 3, 0], widen=False) == [range(1, 5), range(1)]


def test_a_definition_ends_where_another_passage_begins() -> None:
    assert _grouped(_file([1500] * 6), [5, 3], widen=True) == [range(4, 6), range(2, 4)]


def test_a_hit_that_is_shown_already_is_no_passage_of_its_own() -> None:
    assert _grouped(_file([1000] * 3), [1, 0, 2], widen=True) == [range(3)]
    assert _grouped(_file([1000] * 3), [1, 0, 2], 1, widen=True) == [range(3)]


def test_tests_count_less_unless_the_query_wants_to_see_some() -> None:
    session: Any = SimpleNamespace(
        artifact=SimpleNamespace(
            catalog=lambda name: SimpleNamespace(id=lambda record: "tests/test_lamp.py")
        )
    )
    hit: Any = SimpleNamespace(
        collection="code", record=0, exact_name=False, matched=(), chunk={}, cosine=1.0
    )

    def score(query: str) -> float:
        ((_, found),) = score_passages(session, query, [Passage(range(1), 1, [hit])])
        return found

    assert score("the object under test") == TEST_FACTOR * score("tests for a lamp")
