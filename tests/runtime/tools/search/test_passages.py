"""How much of each hit the general search shows."""

from __future__ import annotations

from typing import Any

from kb_runtime.search.snippets import Snippet
from kb_runtime.tools.search.passages import (
    FULL_SNIPPETS,
    LARGEST_SNIPPET,
    MOST_SNIPPET,
    SHORT_SNIPPET,
    SHORTEST_SNIPPET,
    passages,
)

WORDS = "A sluice is a gate that slides in a frame and so holds the water back. "


class Hit:
    """A hit whose passages are the beginning of its chunk."""

    def __init__(self, chars: int) -> None:
        text = (WORDS * (chars // len(WORDS) + 1))[:chars]
        self.chunk = {"text": text, "title": "Sluice", "start_line": 1, "end_line": 1}

    def passage(self, least: int, most: int) -> Snippet:
        return Snippet(self.chunk["text"][:most], 1, 1)


def lengths(hits: int, chars: int, addresses: str = "kb://weir/docs/sluice.md") -> list[int]:
    found: Any = [Hit(chars) for _ in range(hits)]
    return [len(shown.text) for shown in passages(found, [addresses] * hits)]


def test_the_best_hits_are_shown_whole_where_an_answer_has_room() -> None:
    found = lengths(10, 700)
    assert found[0] == 700
    assert found[1:] == sorted(found[1:], reverse=True)
    assert found[-1] == SHORT_SNIPPET


def test_few_hits_are_all_shown_whole() -> None:
    assert lengths(3, 700) == [700] * 3


def test_no_passage_is_larger_than_most_chunks() -> None:
    assert lengths(1, 3_000) == [LARGEST_SNIPPET]


def test_where_addresses_take_the_room_the_last_hits_are_shortened() -> None:
    found = lengths(10, 700, "kb://weir/docs/" + "a-long-way%2F" * 12)
    assert found[0] == MOST_SNIPPET
    assert found[-1] == SHORTEST_SNIPPET
    assert found == sorted(found, reverse=True)
    assert lengths(10, 700, "kb://weir/docs/" + "a-long-way%2F" * 40) == [
        MOST_SNIPPET,
        *[SHORT_SNIPPET] * (FULL_SNIPPETS - 1),
        *[SHORTEST_SNIPPET] * (10 - FULL_SNIPPETS),
    ]


def test_more_hits_have_more_room() -> None:
    assert lengths(40, 700)[-1] == SHORT_SNIPPET
