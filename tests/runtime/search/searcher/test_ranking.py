"""The order of hits: settings, weights, fusion, explanations, depth and re-rankers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.runtime.search.searcher.toy_index import Built, altered, build, rows

from kb_runtime.search.ranking.steps import STEPS
from kb_runtime.search.request import (
    CANDIDATES,
    SearchHit,
    SearchRequest,
    SearchResult,
)
from kb_runtime.search.results import explain
from kb_runtime.search.searcher import Searcher


def test_settings_of_the_manifest_are_used(small: Built) -> None:
    settings_ = {"fusion": "rrf", "rrf_k": 1, "boosts": {"title": 0.0, "identifiers": 0.0}}
    bodiless = {"boosts": {"title": 0.0, "identifiers": 0.0, "body": 0.0}}
    result = Searcher(altered(small, manifest={"search": settings_})).search(
        SearchRequest("voting leaders")
    )
    assert result.hits[0].score == pytest.approx(2 / 2)
    lexical = Searcher(altered(small, manifest={"search": bodiless})).search(
        SearchRequest("mapby", mode="lexical", collections=("docs",))
    )
    assert lexical.hits == []


def test_the_manifest_can_choose_mixing_and_a_request_overrules_it(small: Built) -> None:
    searcher = Searcher(altered(small, manifest={"search": {"alpha": 0.5}}))
    assert searcher.search(SearchRequest("voting leaders")).hits[0].score == pytest.approx(1.0)
    assert searcher.search(SearchRequest("voting leaders", alpha=0.0)).mode == "lexical"


def test_depth_grows_with_the_limit(large: Built) -> None:
    result = Searcher(large).search(SearchRequest("contal", limit=200, mode="lexical"))
    assert len(result.hits) > CANDIDATES


def test_the_cosine_of_a_chunk_does_not_depend_on_how_many_are_asked_for(tmp_path: Path) -> None:
    text = "Leaders vote for a value by quorum, and followers wait for the tide.\n"
    pages = [(f"{number}.md", [text]) for number in range(40)]
    retriever = Searcher(build(tmp_path, {"docs": pages}))._retriever
    scope = retriever.scope(SearchRequest(""))
    found: dict[int, set[float]] = {}
    for depth in range(1, 40):
        matrix = retriever.matrix(retriever.find("leaders of the tide", scope, depth, "hybrid"))
        assert matrix is not None
        for row, cosine in zip(matrix.rows.tolist(), matrix.cosines.tolist(), strict=True):
            found.setdefault(row, set()).add(cosine)
    assert all(len(cosines) == 1 for cosines in found.values())


def test_collapsing_still_fills_the_limit(large: Built) -> None:
    result = Searcher(large).search(SearchRequest("contal prodine", limit=40, per_record=1))
    assert len({hit.record for hit in result.hits}) == len(result.hits) == 40


def test_the_weight_of_a_collection_moves_its_chunks(small: Built) -> None:
    def best(weights: Mapping[str, float]) -> list[str]:
        searcher = Searcher(altered(small, manifest={"search": {"weights": weights}}))
        return [hit.collection for hit in searcher.search(SearchRequest("map of sets")).hits]

    first, *_ = plain = best({})
    assert len({*plain}) > 1
    assert best({first: 0.01})[0] != first
    assert best(dict.fromkeys(plain, 1.0)) == plain


def test_programs_give_way_to_what_explains_unless_they_are_asked_for(tmp_path: Path) -> None:
    text = "Voting by quorum: leaders vote for a value.\n"
    built = build(
        tmp_path,
        {
            "examples": [("vote.qnt", [text]), ("other.qnt", ["A bank with accounts.\n"])],
            "docs": [("voting.md", ["Leaders vote.\n", "Quorum of leaders and a value.\n"])],
        },
    )

    def first(query: str, **search: Any) -> SearchHit:
        searcher = Searcher(altered(built, manifest={"search": search}))
        return searcher.search(SearchRequest(query, names=False)).hits[0]

    assert first("leaders vote for a value").collection == "docs"
    assert first("program where leaders vote for a value").collection == "examples"
    assert first("leaders vote for a value", weights={"examples": 1.0}).collection == "examples"
    only_programs = Searcher(built).search(
        SearchRequest("leaders vote for a value", collections=("examples",))
    )
    assert "weights" not in {step for hit in only_programs.hits for step, _ in hit.adjustments}


@pytest.mark.parametrize(("page", "gives_way"), [("CHANGELOG.md", False), ("docs/voting.md", True)])
def test_programs_do_not_give_way_to_a_change_log(
    tmp_path: Path, page: str, gives_way: bool
) -> None:
    source = [("vote.c", ["Leaders vote.\n", "A quorum of leaders and a value.\n"])]
    built = build(tmp_path, {"code": source, "docs": [(page, ["Leaders vote for a value.\n"])]})
    hits = Searcher(built).search(SearchRequest("leaders vote for a value", names=False)).hits
    assert ("weights" in {step for hit in hits for step, _ in hit.adjustments}) is gives_way


def test_posts_give_way_to_other_pages_unless_they_are_asked_for(tmp_path: Path) -> None:
    entries = [
        ("blog/2026/vote.md", ["Leaders vote for a value by quorum.\n"]),
        ("guide/voting.md", ["A quorum of leaders is what votes for values.\n"]),
        ("a.md", ["A bank votes.\n"]),
        ("b.md", ["A quorum.\n"]),
    ]
    searcher = Searcher(build(tmp_path, {"docs": entries}))

    def first(query: str) -> int:
        return searcher.search(SearchRequest(query, names=False)).hits[0].record

    assert first("how does a quorum vote") == 1
    assert first("post: how does a quorum vote") == 0


def test_test_cases_give_way_to_everything_unless_they_are_asked_for(tmp_path: Path) -> None:
    text = "Voting by quorum: leaders vote for a value.\n"
    built = build(
        tmp_path,
        {
            "tests": [("leaders vote", [text]), ("other", ["A bank with accounts.\n"])],
            "examples": [("vote.qnt", ["Leaders vote: a quorum.\n"])],
            "docs": [("voting.md", ["Leaders vote.\n", "Quorum of leaders and a value.\n"])],
        },
    )

    def first(query: str, *collections: str) -> str:
        request = SearchRequest(query, collections=collections or None, names=False)
        return Searcher(built).search(request).hits[0].collection

    assert first("leaders vote for a value") == "docs"
    assert first("leaders vote for a value", "tests", "examples") == "examples"
    assert first("test that leaders vote for a value", "tests", "docs") == "tests"
    assert first("leaders vote for a value", "tests") == "tests"


def test_steps_can_be_switched_off_by_the_manifest_and_by_a_request(small: Built) -> None:
    manifest = {"search": {"ranking": {step: step == "neighbours" for step in STEPS}}}
    hits = Searcher(altered(small, manifest=manifest)).search(SearchRequest("map of sets")).hits
    assert {step for hit in hits for step, _ in hit.adjustments} <= {"neighbours"}
    plain = Searcher(small).search(SearchRequest("map of sets", ranking=())).hits
    assert not any(hit.adjustments for hit in plain)


def test_an_explanation_adds_up_to_the_order(large: Built) -> None:
    found = Searcher(large).search(
        SearchRequest("contract balance transfer", limit=60, names=False)
    )
    facts = [explain(hit) for hit in found.hits]
    ranked = [one for one in facts if "scaled" in one]
    assert len(ranked) > 10
    sums = [one["scaled"] + sum(one.get("adjustments", {}).values()) for one in ranked]
    assert all(after <= before + 0.001 for before, after in pairwise(sums))  # all are rounded
    before = sorted(ranked, key=lambda one: one["fusedRank"])
    assert len({one["fusedRank"] for one in before}) == len(before)
    assert [one["fused"] for one in before] == sorted(
        (one["fused"] for one in before), reverse=True
    )


def test_one_side_alone_is_not_fused(small: Built) -> None:
    hits = Searcher(small).search(SearchRequest("map of sets", mode="lexical")).hits
    assert hits
    assert not any({"fused", "fusedRank", "scaled"} & explain(hit).keys() for hit in hits)


def test_a_larger_page_begins_with_the_smaller_one(large: Built) -> None:
    searcher = Searcher(large)
    few = searcher.search(SearchRequest("contract balance transfer", limit=5)).hits
    many = searcher.search(SearchRequest("contract balance transfer", limit=60)).hits
    assert [hit.row for hit in many[:5]] == [hit.row for hit in few]


def test_a_reranker_orders_the_first_hits(small: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    searcher = Searcher(altered(small, manifest={"search": {"reranker": "shortest"}}))
    monkeypatch.setattr(
        "kb_runtime.search.ranking.reranking.load",
        lambda name: lambda query, texts: [-len(t) for t in texts],
    )
    result = searcher.search(SearchRequest("voting leaders", names=False))
    lengths = [len(hit.chunk["text"]) for hit in result.hits]
    assert lengths == sorted(lengths)
    assert [explain(hit)["reranker"] for hit in result.hits] == [-length for length in lengths]
    assert not result.warnings


def test_a_missing_reranker_is_a_warning(small: Built) -> None:
    searcher = Searcher(altered(small, manifest={"search": {"reranker": "absent"}}))
    result = searcher.search(SearchRequest("voting leaders"))
    assert result.hits == Searcher(small).search(SearchRequest("voting leaders")).hits
    assert "absent" in result.warnings[0]


def test_a_failing_reranker_is_a_warning_that_tells_nothing_of_it(
    small: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(query: str, texts: list[str]) -> list[float]:
        raise RuntimeError("no weights at /opt/secret")

    searcher = Searcher(altered(small, manifest={"search": {"reranker": "broken"}}))
    monkeypatch.setattr("kb_runtime.search.ranking.reranking.load", lambda name: fail)
    result = searcher.search(SearchRequest("voting leaders"))
    assert result.hits == Searcher(small).search(SearchRequest("voting leaders")).hits
    assert result.warnings == ("The re-ranker is unavailable (it failed): results without it.",)


@pytest.mark.parametrize("options", [{"fusion": "rrf"}, {"alpha": 0.3}, {}])
def test_more_candidates_do_not_move_the_first_hits(large: Built, options: dict[str, Any]) -> None:
    searcher = Searcher(large)
    query = "contal protal multal vertal"
    few = rows(searcher.search(SearchRequest(query, limit=10, **options)))
    many = searcher.search(SearchRequest(query, limit=200, **options)).hits
    assert rows(SearchResult(many[:10], "hybrid", (), 0)) == few
    assert [hit.score for hit in many] == sorted((hit.score for hit in many), reverse=True)


def test_meaning_counts_more_where_the_candidates_are_answers(tmp_path: Path) -> None:
    texts = ["A mast and a sail and a rope.", "A mast.", *(f"Rope {at}." for at in range(8))]
    by_words = []
    for answers in (False, True):
        place = tmp_path / str(answers)
        place.mkdir()
        docs = [(f"text{at}", [text]) for at, text in enumerate(texts)]
        built = build(place, {"docs": docs}, answers=answers)
        best = Searcher(built).search(SearchRequest("mast sail rope")).hits[0]
        assert best.row == 0
        assert best.cosine is not None
        by_words.append(best.score - best.cosine)
    assert 0 < by_words[1] < by_words[0]


def test_candidates_near_to_others_gain_nothing_where_all_are_answers(tmp_path: Path) -> None:
    texts = [f"Sets and maps, number {at}.\n" for at in range(4)] + ["Consensus needs voting.\n"]
    moved = []
    for answers in (False, True):
        place = tmp_path / str(answers)
        place.mkdir()
        built = build(place, {"docs": [("faq.md", texts)]}, answers=answers)
        found = Searcher(built).search(SearchRequest("maps and sets by number"))
        moved.append({step for hit in found.hits for step, _ in hit.adjustments})
    assert {"feedback", "neighbours"} & moved[0]
    assert not {"feedback", "neighbours"} & moved[1]
