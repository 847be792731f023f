"""What the words of a query tell surely comes first, whatever an encoder takes for near."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.runtime.search.searcher.toy_index import Built, WordCounts, altered, build

from kb_runtime.search.fusion import RankedRows
from kb_runtime.search.lexical import MOST_QUOTED
from kb_runtime.search.ranking.ranked import RankedCandidates, RankingTrace
from kb_runtime.search.request import SearchRequest
from kb_runtime.search.results import explain
from kb_runtime.search.searcher import Searcher


def test_what_has_a_name_that_the_encoder_does_not_know_comes_first(tmp_path: Path) -> None:
    class Misled(WordCounts):
        def encode(self, text: str) -> NDArray[np.float32]:
            is_name = text in ("SIGHUP", "hoistRope")
            return super().encode("mast and sail" if is_name else text)

    texts = {"name": "SIGHUP lights the lantern at dusk.", "near": "A mast and a sail."}
    texts |= {f"other{at}": f"Rope number {at} is tarred." for at in range(12)}
    built = build(tmp_path, {"docs": [(record, [text]) for record, text in texts.items()]})
    built.encoder = Misled()

    def records(query: str, limit: int) -> list[int]:
        found = Searcher(built).search(SearchRequest(query, limit=limit))
        scores = [hit.score for hit in found.hits]
        assert scores == sorted(scores, reverse=True)
        return [hit.record for hit in found.hits]

    assert records("SIGHUP", 2) == [0, 1]
    assert records("SIGHUP", 8)[:2] == [0, 1]
    assert 1 in records("hoistRope", 4)  # this does not occur as a whole


@pytest.mark.parametrize(
    ("query", "first"),
    [("demasted", [0, 1]), ("demast", [0, 1]), ("mast", [1, 0]), ("demasted sails", [1, 0])],
    ids=["rare", "by its stem", "known", "among others"],
)
def test_what_has_the_only_word_comes_first_if_the_encoder_knows_its_pieces_only(
    tmp_path: Path, query: str, first: list[int]
) -> None:
    class Misled(WordCounts):
        def encode(self, text: str) -> NDArray[np.float32]:
            return super().encode("mast and sail")

        def pieces(self, word: str) -> int:
            return 3 if word.startswith("demast") else 1

    texts = ["A demasted ship drifts.", "A mast and a sail."]
    texts += [f"Rope number {at} is tarred." for at in range(12)]
    built = build(tmp_path, {"docs": [(f"text{at}", [text]) for at, text in enumerate(texts)]})
    built.encoder = Misled()
    found = Searcher(built).search(SearchRequest(query, limit=8))
    assert [hit.record for hit in found.hits if hit.record < 2] == first


def test_what_has_the_only_letter_of_a_query_comes_first(tmp_path: Path) -> None:
    """An encoder that does not know a script makes nothing of its letters."""

    class Misled(WordCounts):
        def encode(self, text: str) -> NDArray[np.float32]:
            return super().encode("mast and sail")

    texts = ["用绳子打结", "A mast and a sail."]
    texts += [f"Rope number {at} is tarred." for at in range(12)]
    built = build(tmp_path, {"docs": [(f"text{at}", [text]) for at, text in enumerate(texts)]})
    built.encoder = Misled()
    found = Searcher(built).search(SearchRequest("绳", limit=8))
    assert [hit.record for hit in found.hits][:2] == [0, 1]


def test_a_copy_with_a_name_stands_for_what_does_not_have_it() -> None:
    scaled = np.array([0.9, 0.8, 0.7, 0.0, 0.0, 0.0])
    trail = RankingTrace(RankedRows.of([], []), [1, 2, 3, 4, 5, 6], scaled, [])
    ranking = RankedCandidates([1, 2, 3], [0.9, 0.8, 0.7], trail, copies={1: [4, 5], 3: [6]})
    found = ranking.with_found_first([3, 5, 6])
    assert (found.rows, found.scores) == ((5, 3, 2), (0.9, 0.7, 0.7))
    assert found.copies == {5: [4, 1], 3: [6]}
    assert found.trail is not None
    after = dict(zip(found.trail.pool, found.trail.steps[-1].after, strict=True))
    assert after[5] > after[3] >= after[2]


def test_what_was_not_ranked_follows_in_its_own_order_whatever_its_place() -> None:
    trail = RankingTrace(RankedRows.of([], []), [1, 2], np.array([0.9, 0.8]), [])
    ranked = RankedCandidates([1, 2], [0.9, 0.8], trail)
    for further in ([], [4], [5, 4]):
        rows, scores = [*ranked.rows, *further], [*ranked.scores, *(0.1 for _ in further)]
        found = ranked._replace(rows=rows, scores=scores).with_found_first([4, 5, 2])
        assert (found.rows, found.scores) == ((2, 4, 5, 1), (0.8, 0.8, 0.8, 0.8))
        assert found.trail is not None
        assert [len(found.trail.adjustments(row)) for row in found.rows] == [1, 1, 1, 0]
    assert ranked.with_found_first([7]).rows == (7, 1, 2)


@pytest.fixture
def misled(tmp_path: Path) -> Built:
    """Sixteen texts, of which an encoder takes the second for near to any query."""

    class Misled(WordCounts):
        def encode(self, text: str) -> NDArray[np.float32]:
            return super().encode("mast and sail")

    texts = [
        "The pump cannot reach its upper valve.\nAsk the harbour for a longer hose before the tide turns.",
        "A mast and a sail: the pump of the valve is behind the mast, and the tide turns the sail.",
        "val hose = pump.reach(valve, tide)(harbour)",
    ]
    texts += ["The upper-valve reach of the pump-hose is long."]
    texts += [f"Rope number {at} is tarred at the harbour before a tide." for at in range(13)]
    built = build(tmp_path, {"docs": [(f"text{at}", [text]) for at, text in enumerate(texts)]})
    built.encoder = Misled()
    return built


def first(built: Built, query: str, ranking: Sequence[str] | None = None) -> int:
    request = SearchRequest(query, limit=16, ranking=ranking, names=False)
    return Searcher(built).search(request).hits[0].record


@pytest.mark.parametrize(
    ("query", "record"),
    [
        ("a longer hose before the tide turns", 0),
        ("Error 17: “main” pump cannot reach its upper valve (after 3 s)", 0),
        ("the pump cannot reach its upper valve within 800 seconds", 0),
        ("the pump cannot reach its upper valve 7 tarred", 0),
        ("hose = pump.reach(valve, tide)", 2),
        (
            "Traceback (most recent call last):\n"
            '  File "/usr/lib/rope.py", line 17, in tar\n'
            "    tar(rope, number, harbour, mast, sail, tide, before, hose)\n"
            "RopeError: The pump cannot reach its upper valve",
            0,
        ),
        ("before the tide turns the hose for a harbour", 1),
        ("longer hose", 1),
        ("upper-valve reach of the pump-hose", 1),
        ("upper-valve reach of the pump-hose 4711", 1),
    ],
    ids=[
        "sentence",
        "message",
        "message that goes on",
        "message with a number that occurs",
        "code",
        "traceback",
        "other order",
        "too short",
        "compounds",
        "compounds with a word that occurs nowhere",
    ],
)
def test_who_is_quoted_comes_first(misled: Built, query: str, record: int) -> None:
    assert first(misled, query) == record


def test_a_usual_phrase_is_no_quotation(tmp_path: Path, misled: Built) -> None:
    assert first(misled, "tarred at the harbour before a tide") == 1
    texts = [f"Rope {at} is tarred at the harbour before a tide." for at in range(MOST_QUOTED)]
    texts += ["A mast and a sail."]
    (tmp_path / "fewer").mkdir()
    fewer = build(
        tmp_path / "fewer", {"docs": [(f"t{at}", [text]) for at, text in enumerate(texts)]}
    )
    fewer.encoder = misled.encoder
    assert first(fewer, "tarred at the harbour before a tide") != MOST_QUOTED


def test_a_quotation_is_a_part_of_the_ranking_and_is_explained(misled: Built) -> None:
    query = "a longer hose before the tide turns"
    assert first(misled, query, ranking=()) == 1
    hits = Searcher(misled).search(SearchRequest(query, limit=16, names=False)).hits
    assert dict(hits[0].adjustments)["words"] > 0
    facts = [explain(hit) for hit in hits]
    sums = [one["scaled"] + sum(one.get("adjustments", {}).values()) for one in facts]
    assert sums == sorted(sums, reverse=True)


def test_a_line_of_a_long_log_is_found_whatever_the_others_find(misled: Built) -> None:
    few = altered(misled, manifest={"search": {"candidates": 2}})
    log = "Rope 7 tarred.\nRope 9 tarred at the harbour.\nRope 11 tarred at the harbour, rope number 3.\n"
    query = log * 3 + "hose = pump.reach(valve, tide)"
    for limit in (1, 2, 16):
        hits = Searcher(few).search(SearchRequest(query, limit=limit, names=False)).hits
        assert hits[0].record == 2
        assert dict(hits[0].adjustments)["words"] > 0
    sums = [
        one.get("scaled", 0) + sum(one.get("adjustments", {}).values())
        for one in map(explain, hits)
    ]
    assert sums == sorted(sums, reverse=True)
