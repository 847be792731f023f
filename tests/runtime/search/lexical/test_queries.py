"""Queries by words: scores, phrases, typos, filters and limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.runtime.search.lexical.chunks import ANALYZER, chunk, filler, search

from kb_runtime.search import lexical_plan
from kb_runtime.search.analysis import Analyzer
from kb_runtime.search.lexical import (
    LexicalIndex,
    LexicalRequest,
)
from kb_runtime.search.lexical_engine import rarity
from kb_runtime.search.lexical_schema import DEFAULT_BOOSTS
from kb_runtime.search.query import analyse
from kb_runtime.search.spelling import Correction
from kb_runtime.store.facets import RowFilter
from kbc.backends.lexical import write_lexical
from kbc.records import CompiledChunk

Build = Callable[[Sequence[CompiledChunk]], LexicalIndex]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    def make(chunks: Sequence[CompiledChunk]) -> LexicalIndex:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        write_lexical(folder, chunks, {"docs": 0, "examples": 1, "posts": 2}, {})
        return LexicalIndex(str(folder))

    return make


def test_scores_descend_and_ties_come_in_row_order(build: Build) -> None:
    hits = search(build([chunk("other text"), *[chunk("same words here")] * 5]), "same words")
    assert hits.rows == [1, 2, 3, 4, 5]
    assert hits.scores == sorted(hits.scores, reverse=True)


def test_a_title_counts_beside_the_text(build: Build) -> None:
    mention = "a leader is elected"
    index = build([chunk(mention), chunk(mention, title="Doc › Leader")])
    assert search(index, "leader").rows == [1, 0]


def test_a_definition_counts_more_than_a_use(build: Build) -> None:
    use = chunk("x = mapBy(s)\ny = mapBy(t)\n", type="code")
    definition = chunk("builds a map\n", identifiers=("mapBy",))
    assert search(build([use, definition]), "mapBy").rows[0] == 1


def test_a_name_is_found_by_another_word_for_what_it_does(build: Build) -> None:
    definition = chunk("what is in one and not in the other", identifiers=("exclude",))
    index = build([chunk("to exclude what is old"), definition, *filler(20)])
    assert search(index, "removes").rows == [1], "what a text says stands for itself"


def test_a_name_is_found_by_its_words_of_which_some_say_nothing(build: Build) -> None:
    names = (chunk("of a list", identifiers=(name,)) for name in ("loop", "no_loop", "noLoopAll"))
    index = build([*names, *filler(20)])
    assert search(index, "no loop").rows[0] == 1
    assert search(index, "there is no loop in it").rows[0] == 0, "no words of a sentence"


def test_a_name_itself_counts_more_than_another_word_for_it(build: Build) -> None:
    named = (chunk(f"of a list {name}", identifiers=(name,)) for name in ("exclude", "remove"))
    assert search(build([*named, *filler(20)]), "remove").rows == [1, 0]


def test_words_that_mean_the_same_have_other_words_for_them_once(build: Build) -> None:
    names = ("exclude", "remove", "delete")
    index = build([*(chunk("of a list", identifiers=(name,)) for name in names), *filler(20)])
    one, both = (search(index, query) for query in ("remove", "remove or delete"))
    assert (one.rows, both.rows) == ([0, 2, 1], [0, 1, 2])
    assert both.scores == [one.scores[0], one.scores[2], one.scores[2]]


def test_a_part_of_many_names_is_not_found_by_another_word(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexical_plan, "MOST_NAMED", 2)
    names = ("exclude", "dropOld", "dropNew", "dropAll")
    index = build([*(chunk("of a list", identifiers=(name,)) for name in names), *filler(20)])
    assert search(index, "remove").rows == [0]


def test_names_in_other_words_count_until_the_words_are_everywhere(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexical_plan, "MAX_POSTINGS", 2)
    index = build([chunk("sets", identifiers=("exclude",)), *[chunk("remove it")] * 3])
    assert search(index, "remove").rows == [1, 2, 3]


def test_only_questions_in_english_have_other_words_for_names(build: Build) -> None:
    german = Analyzer(("de",))
    assert not any(term.synonyms for term in analyse("filter", german).terms)
    assert any(term.synonyms for term in analyse("filter", ANALYZER).terms)


def test_stemming_joins_word_forms(build: Build) -> None:
    assert search(build([chunk("invariants of temporal operators")]), "operator invariant").rows


def test_a_word_repeated_in_the_query_counts_twice(build: Build) -> None:
    index = build([chunk("leader x"), chunk("vote x")])
    assert search(index, "leader vote vote").rows == [1, 0]


def test_neighbours_count_until_their_words_are_everywhere(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Phrases keep the engine from passing over chunks that cannot be among the best."""
    index = build([chunk("leader of the vote"), chunk("the leader vote of all"), *filler(20)])
    assert search(index, "leader vote").rows.index(1) < search(index, "leader vote").rows.index(0)
    request = LexicalRequest(analyse("leader vote", ANALYZER), 10)
    planned = lexical_plan.plan(request.query, request.weights, index, ANALYZER)
    assert planned.phrases
    assert planned.present
    monkeypatch.setattr(lexical_plan, "MAX_POSTINGS", 2)
    without = lexical_plan.plan(request.query, request.weights, index, ANALYZER)
    assert (without.phrases, without.present, without.terms) == ([], {}, planned.terms)
    assert search(index, '"leader vote"').rows[0] == 1, "what was quoted still counts"


def test_a_text_with_more_of_the_words_beats_one_that_repeats_one(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Both words are as rare as each other; the text that has both is four times as long as the usual one.
    repeats = chunk("quorum " * 12 + "of all")
    has_both = chunk("the quorum waits " + "for what comes " * 40 + "then a lease")
    index = build([repeats, chunk("one lease"), has_both, *filler(20)])
    hits = search(index, "quorum lease", limit=30)
    assert hits.rows.index(2) < hits.rows.index(0)
    with monkeypatch.context() as patched:
        patched.setattr(lexical_plan, "PRESENCE", 0.0)
        plain = search(index, "quorum lease", limit=30)
    assert plain.rows.index(0) < plain.rows.index(2)
    gained = dict(zip(hits.rows, hits.scores, strict=True))
    before = dict(zip(plain.rows, plain.scores, strict=True))
    rarities = [
        rarity(index.documents, index.frequency("body", index.analyzer.stem(word)))
        for word in ("quorum", "lease")
    ]
    share = lexical_plan.PRESENCE * DEFAULT_BOOSTS["body"]
    assert gained[0] - before[0] == pytest.approx(share * rarities[0], rel=1e-4)
    assert gained[2] - before[2] == pytest.approx(share * sum(rarities), rel=1e-4)


def test_a_quoted_phrase_beats_the_same_words_apart(build: Build) -> None:
    index = build(
        [chunk("checker of a model and model of a checker"), chunk("a model checker was here too")]
    )
    assert search(index, '"model checker"').rows == [1, 0]


@pytest.mark.parametrize(
    "query",
    [
        "no nests were found but eggs have been laid",
        "Error: no nests were found but eggs have been laid.",
        'heron said: "no nests were found but eggs have been laid"',
    ],
)
def test_a_pasted_message_finds_the_text_that_has_it(build: Build, query: str) -> None:
    usual = [chunk(f"laid {n} eggs; found the nests; error; heron said") for n in range(50)]
    apart = chunk("found nests, eggs laid; laid eggs, found nests; heron error, heron said")
    rest = "and much else about birds " * 30
    verbatim = chunk(f"{rest} no nests were found but eggs have been laid")
    index = build([*usual, apart, verbatim])
    assert search(index, query).rows[0] == 51
    assert search(index, "the eggs, laid and found in nests, of a heron").rows[0] != 51


def test_parts_of_one_name_are_no_pasted_message(build: Build) -> None:
    index = build([chunk("egg nest count"), *[chunk("count of an egg in the nest")] * 4])
    query = analyse("egg_nest_count", ANALYZER)
    assert lexical_plan.plan(query, DEFAULT_BOOSTS, index, ANALYZER).phrases == []


@pytest.mark.parametrize("query", ["neighbours", "the neighbor", "neighbouring"])
def test_british_and_american_spellings_find_each_other(build: Build, query: str) -> None:
    british, american = [chunk("its neighbours")] * 3, [chunk("its neighbor")] * 3
    assert sorted(search(build([*filler(50), *british, *american]), query).rows) == [*range(50, 56)]


def test_a_phrase_matches_across_spellings_of_identifiers(build: Build) -> None:
    index = build([chunk("server and http"), chunk("an HTTPServer there")])
    assert search(index, '"http server"').rows[0] == 1


def test_boosts_can_be_changed(build: Build) -> None:
    index = build([chunk("leader"), chunk("nothing", tags=("leader",))])
    assert search(index, "leader").rows == [0, 1]
    assert search(index, "leader", boosts={"tags": 9.0}).rows == [1, 0]


@pytest.mark.parametrize(
    ("filters", "rows"),
    [
        ({}, [0, 1, 2, 3]),
        ({"collections": [1]}, [2, 3]),
        ({"collections": [0, 1]}, [0, 1, 2, 3]),
        ({"collections": [2]}, []),
        ({"collections": []}, []),
        ({"types": ["CODE"]}, [1, 3]),
        ({"types": ["code"], "collections": [1]}, [3]),
        ({"languages": ["Rust", "go"]}, [1, 3]),
        ({"languages": ["go"], "types": ["prose"]}, []),
    ],
)
def test_filters_restrict_what_is_found(
    build: Build, filters: dict[str, Any], rows: list[int]
) -> None:
    index = build(
        [
            chunk("leader"),
            chunk("leader", type="code", language="go"),
            chunk("leader", collection="examples"),
            chunk("leader", collection="examples", type="code", language="rust"),
        ]
    )
    assert sorted(search(index, "leader", **filters).rows) == rows


def test_filters_do_not_change_scores_and_still_fill_the_limit(build: Build) -> None:
    chunks = [*filler(200), *[chunk("leader vote", collection="posts")] * 5]
    index = build(chunks)
    free = dict(zip(*search_all(index, "leader vote"), strict=True))
    restricted = search(index, "leader vote", limit=5, collections=[2])
    assert restricted.rows == [200, 201, 202, 203, 204]
    assert restricted.scores == pytest.approx([free[row] for row in restricted.rows])


def search_all(index: LexicalIndex, query: str) -> tuple[list[int], list[float]]:
    hits = search(index, query, limit=index.documents)
    return hits.rows, hits.scores


def test_an_unknown_part_of_a_compound_is_corrected(build: Build) -> None:
    chunks = [chunk("Handling of errors.\n"), chunk("Something else.\n")]
    hits = search(build(chunks), "error-handlng")
    assert hits.corrections == {"handlng": ("handling",)}
    assert hits.scores[0] > search(build(chunks), "error-xxxxxxx").scores[0]


def test_an_unknown_word_is_corrected(build: Build) -> None:
    index = build([*filler(50), chunk("temporal operators talk about time")])
    hits = search(index, "temporl")
    assert hits.rows == [50]
    assert hits.corrections == {"temporl": ("temporal",)}


def test_an_unfinished_word_is_completed(build: Build) -> None:
    hits = search(build([*filler(50), chunk("an invariant")]), "invar")
    assert hits.rows == [50]


def test_a_known_word_is_searched_as_it_is(build: Build) -> None:
    chunks = [*filler(50), *[chunk("leaders")] * 3, *[chunk("loader")] * 3]
    assert search(build(chunks), "loader").corrections == {}


def test_a_very_rare_word_may_be_a_typo_of_a_frequent_one(build: Build) -> None:
    chunks = [chunk("a consensis slipped in"), *[chunk("consensus of nodes")] * 20]
    hits = search(build(chunks), "consensis")
    assert hits.rows[0] == 0
    assert len(hits.rows) == 10


def test_short_unknown_words_are_not_expanded(build: Build) -> None:
    assert search(build([chunk("maps and sets")]), "mpa st").rows == []


def test_a_word_of_one_letter_is_found_where_others_follow(build: Build) -> None:
    """Runs without spaces are indexed by pairs: `绳` is no term of its own there."""
    texts = ["如何打结", "用绳子打结", "用绳打结"]
    assert sorted(search(build([*map(chunk, texts)]), "绳").rows) == [1, 2]
    assert search(build([*map(chunk, texts), chunk("绳")]), "绳").rows == [3]


def test_the_limit_is_respected_and_at_least_one(build: Build) -> None:
    index = build(filler(40))
    assert len(search(index, "state machine", limit=7).rows) == 7
    assert len(search(index, "state machine", limit=0).rows) == 1


def test_of_too_many_words_the_rarest_are_searched(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexical_plan, "MAX_TERMS", 2)
    index = build([*filler(100), chunk("zebra yak")])
    assert search(index, "state machine value zebra network yak", limit=1).rows == [100]
    assert len(search(index, "zebra yak state machine").rows) == 1


def test_a_query_of_many_unknown_words_is_not_taken_for_typos(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = build(filler(60))
    looked_up: list[str] = []

    def nothing_near(_: object, term: str, limit: int) -> list[Correction]:
        looked_up.append(term)
        return []

    monkeypatch.setattr(lexical_plan, "nearest_words", nothing_near)
    search(index, " ".join(f"unheard{number}of" for number in range(50)))
    assert len(looked_up) == lexical_plan.MAX_LOOKED_UP


NASTY = [
    "",
    " ",
    "a",
    "?",
    "the of and",
    "!!! ??? ...",
    '"unbalanced AND (field:x OR [1 TO *',
    "*",
    "title:leader",
    "leader~9^99",
    "👍🏽 👨‍👩‍👧",
    "שָׁלוֹם עולם",
    "\0",
    "leader\0vote",
    "\ud800",
    "\udfff leader",
    "leader " * 1400,
    " ".join(f"term{number}zz" for number in range(3000)),
    "x" * 10_000,
    "a.b." * 2500,
    "日本語" * 3000,
]


@pytest.mark.parametrize("query", NASTY, ids=range(len(NASTY)))
def test_no_query_is_an_error(build: Build, query: str) -> None:
    hits = search(build(filler(60)), query)
    assert len(hits.rows) == len(hits.scores) <= 10
    assert all(score > 0 for score in hits.scores)


def test_a_mask_keeps_to_its_rows_before_the_limit(build: Build) -> None:
    chunks = [
        chunk(f"leader {'vote ' * (number % 7)}", record_id=f"r{number}") for number in range(90)
    ]
    index = build(chunks)
    mask = np.zeros(len(chunks), dtype=np.bool_)
    mask[60:63] = True
    everything = search(index, "leader vote", 90)
    expected = [row for row in everything.rows if mask[row]]
    assert search(index, "leader vote", 3, rows=RowFilter((), mask)).rows == expected
    assert search(index, "leader vote", 9, rows=RowFilter((), mask)).rows == expected


def test_terms_of_a_filter_are_alternatives_within_a_group(tmp_path: Path) -> None:
    chunks = [chunk("leader", record_id=f"r{number}") for number in range(4)]
    facets = {("docs", f"r{number}"): [f"tag:{number}", "kind:x"] for number in range(3)}
    write_lexical(tmp_path / "index", chunks, {"docs": 0}, {}, facets)
    index = LexicalIndex(str(tmp_path / "index"))
    mask = np.ones(4, dtype=np.bool_)
    groups = (("tag:0", "tag:2", "tag:9"), ("kind:x",))
    assert search(index, "leader", rows=RowFilter(groups, mask)).rows == [0, 2]


def test_query_syntax_of_the_engine_means_nothing(build: Build) -> None:
    index = build(filler(60))
    assert search(index, "*").rows == []
    assert search(index, "zzz OR *:*").rows == []


def test_words_side_by_side_count_more_than_words_apart(build: Build) -> None:
    apart = "a leader of the party; later in the year an election was lost"
    close = "a party of the year; later in the a leader election was lost"
    index = build([chunk(apart), chunk(close)])
    assert search(index, "leader election").rows == [1, 0]
