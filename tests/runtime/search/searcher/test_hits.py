"""What a search finds and says about its hits: names, scopes, filters, modes, typos, unusual queries."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.runtime.search.searcher.toy_index import (
    Built,
    Contrary,
    Search,
    WordCounts,
    altered,
    build,
    chunk,
    rows,
)

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.search import candidates
from kb_runtime.search.request import (
    NO_WORD_OCCURS,
    SearchRequest,
    SearchResult,
)
from kb_runtime.search.searcher import Searcher
from kbc.backends.lexical import write_lexical
from kbc.linking.linker import Published


def test_a_hit_says_where_it_is_and_how_it_was_found(search: Search) -> None:
    result = search("voting leaders")
    hit = result.hits[0]
    assert (hit.row, hit.collection, hit.record, hit.chunk["title"]) == (5, "docs", 0, "lang.md")
    assert hit.strategy == "fused"
    assert (hit.lexical_rank, hit.semantic_rank) == (1, 1)
    assert hit.lexical_score is not None
    assert hit.cosine is not None
    assert 0 < hit.score <= 1
    assert search("voting leaders", fusion="rrf").hits[0].score == pytest.approx(2 / 61)
    assert hit.matched == ("voting", "leaders")
    assert hit.snippet.text == "Consensus needs voting.\nLeaders vote."
    assert (hit.snippet.start_line, hit.snippet.end_line) == (11, 12)
    assert (result.mode, result.warnings) == ("hybrid", ())


def test_a_snippet_shows_no_front_matter_but_all_of_yaml(tmp_path: Path) -> None:
    text = "---\nzebra: zebra\n---\nA zebra.\n"
    built = build(tmp_path, {"docs": [("a.md", [text])]})
    (hit,) = Searcher(built).search(SearchRequest("zebra")).hits
    assert (hit.snippet.text, hit.snippet.start_line) == ("A zebra.", 4)
    found = hit.reader.find(hit.chunk)
    whole = hit.reader.passage({**hit.chunk, "language": "yaml"}, found)
    assert whole.text.startswith("zebra: zebra\n---")
    later = hit.reader.passage({**hit.chunk, "start_line": 9}, found)
    assert later.text.startswith("zebra: zebra\n---")


def test_scores_never_increase_and_ranks_are_those_of_the_sides(search: Search) -> None:
    for query in ("map of a set", "mapBy", "voting", "expressions and values"):
        for options in ({}, {"alpha": 0.4}, {"mode": "lexical"}, {"mode": "semantic"}):
            hits = search(query, **options).hits
            scores = [hit.score for hit in hits]
            assert scores == sorted(scores, reverse=True)
            for hit in hits:
                found = (hit.lexical_rank is not None, hit.semantic_rank is not None)
                expected = {(True, True): "fused", (False, True): "semantic"}
                assert hit.strategy == expected.get(found, "lexical")


@pytest.mark.parametrize(
    "query", ["mapBy", "MAPBY", " mapby ", "mapByAlias", "mapBy()", "`mapBy`", "`.mapBy(x => x)`"]
)
def test_what_the_query_names_comes_first(search: Search, query: str) -> None:
    first, second = search(query).hits[:2]
    assert (first.collection, first.record, first.exact_name) == ("builtins", 1, True)
    assert not second.exact_name
    assert first.score >= second.score


def test_the_page_of_an_address_on_the_web_comes_first(tmp_path: Path) -> None:
    pages = ["guide/knots/index.md", "api/knots.md", "sails.md", "guide/ropes.md"]
    text = "The guide says how knots are tied, and knots again.\n"
    built = build(tmp_path, {"docs": [(page, [text]) for page in pages]})

    def named(query: str) -> list[int]:
        hits = Searcher(built).search(SearchRequest(query, limit=4)).hits
        return sorted(hit.record for hit in hits if hit.exact_name)

    assert named("https://rope.dev/en/guide/knots/#bowline") == [0]
    assert named("https://rope.dev/knots.html") == [0, 1]
    assert named("https://rope.dev/masts") == []
    assert named("see https://rope.dev/guide/knots/ for more") == []


def test_a_stop_word_that_is_a_name_is_found(search: Search) -> None:
    assert search("and").hits[0].row == 3


def test_a_name_in_another_scope_does_not_count(search: Search) -> None:
    hits = search("mapBy", collections=("docs",)).hits
    assert {hit.collection for hit in hits} == {"docs"}
    assert not any(hit.exact_name for hit in hits)


def test_a_name_does_not_overrule_a_filter(search: Search) -> None:
    assert rows(search("mapBy", types=("code",))) == [2]
    assert rows(search("and", types=("code",), mode="lexical")) == []


def test_scope_restricts_both_sides(search: Search) -> None:
    for mode in ("lexical", "semantic", "hybrid"):
        result = search("map of sets", collections=("docs",), mode=mode)
        assert result.hits
        assert {hit.collection for hit in result.hits} == {"docs"}


def test_filters_restrict_both_sides(search: Search) -> None:
    for mode in ("lexical", "semantic", "hybrid"):
        assert rows(search("map m mapBy", languages=("QUINT",), mode=mode)) == [2]
        assert rows(search("map m mapBy", types=("no-such-type",), mode=mode)) == []


def test_no_collections_and_empty_ones_are_searched_without_complaint(search: Search) -> None:
    assert search("map", collections=()).hits == []
    assert search("map", collections=("empty",)).hits == []
    assert len(search("map", collections=("builtins", "empty", "docs")).hits) > 2


def test_an_unknown_collection_is_refused(search: Search) -> None:
    with pytest.raises(ValueError, match="nowhere"):
        search("map", collections=("nowhere",))


def test_one_record_gets_no_more_than_its_share(search: Search) -> None:
    free = [hit.record for hit in search("mapBy set keys", collections=("builtins",)).hits]
    assert free.count(1) == 2
    shared = search("mapBy set keys", collections=("builtins",), per_record=1).hits
    assert [hit.record for hit in shared].count(1) == 1


def test_records_of_the_same_position_in_other_collections_do_not_collapse(search: Search) -> None:
    hits = search("set map", per_record=1).hits
    assert {("builtins", 0), ("docs", 0)} <= {(hit.collection, hit.record) for hit in hits}


def test_the_limit_is_respected_and_at_least_one(search: Search) -> None:
    assert len(search("map set", limit=2).hits) == 2
    assert len(search("map set", limit=0).hits) == 1


@pytest.mark.parametrize("limit", [10**12, 10**30])
def test_a_limit_beyond_all_chunks_asks_for_no_more_than_there_are(
    search: Search, small: Built, limit: int
) -> None:
    everything = search("map set", limit=len(small.chunks)).hits
    assert search("map set", limit=limit).hits == everything


def test_alpha_zero_is_by_words_alone(search: Search) -> None:
    result = search("map set", alpha=0.0)
    assert result.mode == "lexical"
    assert all(hit.lexical_rank is not None for hit in result.hits)
    assert result.hits[0].score == 1.0
    assert all(0 <= hit.score <= 1 for hit in result.hits)


def test_alpha_one_is_by_meaning_alone(search: Search) -> None:
    result = search("mapBy", alpha=1.0)
    assert result.mode == "semantic"
    assert all(hit.semantic_rank is not None for hit in result.hits)
    assert not any(hit.exact_name for hit in result.hits)


def test_alpha_between_mixes_normalised_scores(search: Search) -> None:
    result = search("voting leaders", alpha=0.5)
    assert result.mode == "hybrid"
    assert result.hits[0].score == pytest.approx(1.0)


def test_a_typo_is_corrected_and_reported(search: Search) -> None:
    result = search("consensuss", mode="lexical")
    assert rows(result) == [5]
    assert result.hits[0].matched == ("Consensus",)


@pytest.mark.parametrize(
    ("query", "encoded"),
    [
        ("about consensuss", ["about consensus"]),
        ("about konzensus", []),  # two edits: another language's word
        ("a vale", []),  # a short word may be meant as it is
    ],
)
def test_meaning_is_asked_with_typos_corrected(
    small: Built, query: str, encoded: list[str]
) -> None:
    encoder = WordCounts()
    Searcher(altered(small, encoder=encoder)).search(SearchRequest(query))
    assert encoder.encoded == [query, *encoded]  # as typed while the words are looked up


def test_a_query_is_encoded_once_for_several_scopes(small: Built) -> None:
    encoder = WordCounts()
    searcher = Searcher(altered(small, encoder=encoder))
    for collections in (("docs",), ("builtins",), None):
        searcher.search(SearchRequest("maps of sets", collections))
    assert encoder.encoded == ["maps of sets"]


def test_a_question_that_is_asked_again_later_is_encoded_once(
    small: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "_REMEMBERED_QUERIES", 100)
    encoder = WordCounts()
    searcher = Searcher(altered(small, encoder=encoder))
    questions = [f"maps and {number} sets" for number in range(100)]
    for question in questions * 2:
        searcher.search(SearchRequest(question))
    assert encoder.encoded == questions
    # Full: the next one starts anew.
    for question in ("a map", questions[0]):
        searcher.search(SearchRequest(question))
    assert encoder.encoded == [*questions, "a map", questions[0]]


def test_hits_by_meaning_alone_come_with_a_warning(search: Search) -> None:
    found = search("zqxjkv")
    assert found.hits
    assert {hit.strategy for hit in found.hits} == {"semantic"}
    assert found.warnings == (NO_WORD_OCCURS,)
    assert search("zqxjkv map").warnings == ()
    assert search("zqxjkv", mode="semantic").warnings == ()
    assert search("zqxjkv", mode="lexical").warnings == ()


def test_no_result_is_a_success(search: Search) -> None:
    result = search("qqqq zzzz", mode="lexical")
    assert (result.hits, result.warnings, result.total_candidates) == ([], (), 0)


def test_a_query_without_words_is_not_encoded(small: Built) -> None:
    encoder = WordCounts()
    for query in ("", " ", "?!", "👍", "=>"):
        Searcher(altered(small, encoder=encoder)).search(SearchRequest(query))
    assert encoder.encoded == []


def test_answers_are_the_same_every_time(small: Built) -> None:
    request = SearchRequest("set of maps and keys", limit=6)
    first = Searcher(small).search(request)
    assert all(Searcher(small).search(request) == first for _ in range(3))


def test_an_opened_artifact_is_searched(publish: Callable[..., Published]) -> None:
    entries = {"docs": [{"id": "a.md", "text": "leaders vote"}, {"id": "b.md", "text": "maps"}]}
    chunks = [chunk("docs", str(entry["id"]), 0, entry["text"]) for entry in entries["docs"]]

    def lexical(folder: Path) -> None:
        write_lexical(folder / "lexical", chunks, {"docs": 0}, {("docs", "b.md"): "kb/b.md"})

    with Artifact.open(publish(entries, more_sections=lexical).path) as artifact:
        result = artifact.searcher.search(SearchRequest("voting leader"))
        assert [(hit.collection, hit.record) for hit in result.hits] == [("docs", 0)]
        assert "no encoder" in result.warnings[0]
        assert artifact.searcher.search(SearchRequest("B.MD")).hits[0].exact_name


def test_only_hits_are_decoded(large: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[int] = []

    class Counting:
        def __getattr__(self, name: str) -> Any:
            return getattr(large.chunks, name)

        def __getitem__(self, row: int) -> dict[str, Any]:
            decoded.append(row)
            return large.chunks[row]

    Searcher(altered(large, chunks=Counting())).search(SearchRequest("contal", limit=4))
    assert len(decoded) == 4


NASTY = [
    "",
    "a",
    "the of and",
    "?!",
    "👍🏽👨‍👩‍👧",
    "שלום עולם",
    "\0",
    '"unbalanced',
    "\ud800 map",
    "map " * 2500,
    " ".join(f"t{at}erm" for at in range(4000)),
    "日本語" * 3000,
    "x" * 10_000,
]


@pytest.mark.parametrize("query", NASTY, ids=range(len(NASTY)))
@pytest.mark.parametrize("mode", ["hybrid", "lexical", "semantic"])
def test_every_query_has_an_answer(search: Search, query: str, mode: str) -> None:
    result = search(query, mode=mode)
    assert {*result.warnings} <= {NO_WORD_OCCURS}
    for hit in result.hits:
        assert math.isfinite(hit.score)
        assert hit.snippet.text in hit.chunk["text"]


@given(st.text(st.characters(), max_size=60))
def test_any_text_has_an_answer_without_duplicates(search: Search, query: str) -> None:
    result = search(query)
    assert len(set(rows(result))) == len(result.hits)
    for hit in result.hits:
        shown = " ".join(
            [hit.chunk["title"], hit.chunk["text"], *hit.chunk["identifiers"]]
        ).casefold()
        assert all(word.casefold() in shown for word in hit.matched)


def test_rows_outside_the_given_ranges_are_never_found(search: Search) -> None:
    everything = set(rows(search("map set mapBy voting page")))
    assert {0, 1, 5, 6} <= everything
    for allowed in ((range(1, 2),), (range(1), range(5, 7)), ()):
        inside = {row for one in allowed for row in one}
        for options in ({"alpha": 0.5}, {"mode": "lexical"}, {"mode": "semantic"}, {}):
            found = rows(search("map set mapBy voting page", rows=allowed, **options))
            assert set(found) == everything & inside


def test_a_search_with_many_ranges_still_fills_its_page(tmp_path: Path) -> None:
    """The engine keeps to few ranges itself; hits of many ranges are filtered as they come."""
    texts = [f"common {'common ' * (at % 7)}words {at}\n" for at in range(400)]
    searcher = Searcher(build(tmp_path, {"docs": [("page", texts)]}))
    allowed = tuple(range(at, at + 1) for at in range(5, 400, 9))
    best = [row for row in rows(ask(searcher, 400)) if row % 9 == 5]
    assert rows(ask(searcher, 20, allowed)) == best[:20]
    assert rows(ask(searcher, 400, allowed)) == best
    assert rows(ask(searcher, 20, (range(300, 310),))) == [
        row for row in rows(ask(searcher, 400)) if 300 <= row < 310
    ]


def ask(searcher: Searcher, limit: int, allowed: tuple[range, ...] | None = None) -> SearchResult:
    return searcher.search(SearchRequest("common", limit=limit, mode="lexical", rows=allowed))


def test_without_names_only_the_ranking_counts(search: Search) -> None:
    assert search("mapBy", alpha=0.0).hits[0].exact_name
    hits = search("repl.mdAlias", alpha=0.0, names=False).hits
    assert not any(hit.exact_name for hit in hits)
    assert all(hit.lexical_rank is not None for hit in hits)


def test_hits_that_words_alone_found_get_a_cosine_when_asked(small: Built) -> None:
    searcher = Searcher(altered(small, encoder=Contrary()))
    without = searcher.search(SearchRequest("voting")).hits
    assert without
    assert all(hit.cosine is hit.semantic_rank is None for hit in without)
    with_cosines = searcher.search(SearchRequest("voting", cosines=True)).hits
    assert [hit.row for hit in with_cosines] == [hit.row for hit in without]
    assert all(hit.cosine is not None and hit.cosine < 0 for hit in with_cosines)


def test_what_an_entry_and_its_page_both_show_is_one_hit(tmp_path: Path) -> None:
    records = {
        "builtins": [("drain", ["Drains the tank.\n"]), ("empty", ["Empties a lake.\n"])],
        "docs": [
            ("tanks.md", ["Drains the tank.\n", "Drains the tank.\n"]),
            ("lakes.md", ["Empties a lake.\nEmpties a lake slowly.\n"]),
        ],
    }
    searcher = Searcher(build(tmp_path, records))

    def found(query: str) -> list[tuple[str, int]]:
        request = SearchRequest(query, mode="lexical")
        return [
            (hit.chunk["title"], hit.chunk["start_line"]) for hit in searcher.search(request).hits
        ]

    assert found("drain") == [("drain", 1), ("tanks.md", 11)]
    assert found("empty") == [("empty", 1), ("lakes.md", 1)]
