"""The pipeline over real sections and a toy encoder, whose vectors count words by hash."""

from __future__ import annotations

import math
import random
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kb_runtime.errors import ArtifactError, ToolError
from kb_runtime.knowledge.artifact import Artifact, CollectionInfo
from kb_runtime.search.analysis import Analyzer
from kb_runtime.search.lexical import LexicalIndex
from kb_runtime.search.ranking.steps import STEPS
from kb_runtime.search.request import (
    CANDIDATES,
    NO_WORD_OCCURS,
    SearchHit,
    SearchRequest,
    SearchResult,
)
from kb_runtime.search.results import explain
from kb_runtime.search.searcher import Searcher
from kb_runtime.search.vectors import RowRange, VectorIndex
from kb_runtime.store.catalog import Catalog, ChunkTable
from kbc.backends.catalog import write_catalog, write_chunks
from kbc.backends.lexical import write_lexical
from kbc.backends.vectors import write_vectors
from kbc.linking.linker import Published
from kbc.records import CompiledChunk

DIMENSIONS = 64


class WordCounts:
    """An encoder under which texts are as similar as the words they share."""

    def __init__(self) -> None:
        self.encoded: list[str] = []
        self._analyzer = Analyzer()

    def encode(self, text: str) -> NDArray[np.float32]:
        self.encoded.append(text)
        vector = np.full(DIMENSIONS, 1e-6, dtype=np.float32)
        for term, _ in self._analyzer.prose(text):
            vector[zlib.crc32(term.encode()) % DIMENSIONS] += 1
        return vector / np.linalg.norm(vector)


@dataclass
class Built:
    """What the pipeline needs of an artifact, with real readers."""

    manifest: dict[str, Any]
    collections: list[CollectionInfo]
    chunks: ChunkTable
    lexical: LexicalIndex
    vectors: VectorIndex
    encoder: WordCounts | None
    catalogs: dict[str, Catalog] = field(default_factory=dict)

    def catalog(self, name: str) -> Catalog:
        return self.catalogs[name]


Records = Mapping[str, Sequence[tuple[str, Sequence[str]]]]


def chunk(collection: str, record: str, index: int, text: str) -> CompiledChunk:
    code = text.startswith("val ")
    return CompiledChunk(
        collection=collection,
        record_id=record,
        index=index,
        text=text,
        start_line=10 * index + 1,
        end_line=10 * index + text.count("\n") + 1,
        type="code" if code else "prose",
        language="quint" if code else "",
        title=record,
        identifiers=(record,),
    )


def build(folder: Path, records: Records, search: Mapping[str, Any] | None = None) -> Built:
    """`records` are chunk texts by (collection, record id); an alias of a record is `<id>Alias`."""
    rows: list[tuple[int, CompiledChunk]] = []
    infos: list[CollectionInfo] = []
    catalogs: dict[str, Catalog] = {}
    for name, entries in records.items():
        first = len(rows)
        stored = [{"id": record, "aliases": [record + "Alias"]} for record, _ in entries]
        write_catalog(folder, name, stored)
        for ordinal, (record, texts) in enumerate(entries):
            rows += [(ordinal, chunk(name, record, at, text)) for at, text in enumerate(texts)]
        infos.append(CollectionInfo(name, name, len(entries), len(rows) - first, first))
        catalogs[name] = Catalog(str(folder / "catalog"), name)
    write_chunks(folder, rows)
    chunks = [one for _, one in rows]
    write_lexical(folder / "lexical", chunks, {info.name: at for at, info in enumerate(infos)}, {})
    encoder = WordCounts()
    vectors = [encoder.encode(f"{one.title} {one.text}") for one in chunks]
    write_vectors(
        folder / "vectors",
        np.array(vectors, dtype=np.float32).reshape(-1, DIMENSIONS),
        [RowRange(info.name, info.first_row, info.chunks) for info in infos],
    )
    return Built(
        manifest={"search": dict(search or {})},
        collections=infos,
        chunks=ChunkTable(str(folder)),
        lexical=LexicalIndex(str(folder / "lexical")),
        vectors=VectorIndex(str(folder / "vectors")),
        encoder=WordCounts(),
        catalogs=catalogs,
    )


SMALL: Records = {
    "builtins": [
        ("setToMap", ["Turns a set of pairs into a map.\n"]),
        ("mapBy", ["Builds a map from a set of keys.\n", "val m = S.mapBy(x => x + 1)\n"]),
        ("and", ["True when all arguments are true.\n"]),
    ],
    "empty": [],
    "docs": [
        ("lang.md", ["Sets and maps are values.\n", "Consensus needs voting.\nLeaders vote.\n"]),
        ("mapby.md", ["A page of that name.\n"]),
        ("repl.md", ["The prompt reads expressions.\n"]),
    ],
}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(tmp_path_factory.mktemp("small"), SMALL)


Search = Callable[..., SearchResult]


@pytest.fixture
def search(small: Built) -> Search:
    return lambda query, **options: Searcher(small).search(SearchRequest(query, **options))


def rows(result: SearchResult) -> list[int]:
    return [hit.row for hit in result.hits]


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
    assert result.corrections == {"consensuss": ("consensus",)}
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


def altered(artifact: Built, **changes: Any) -> Built:
    return Built(**{**artifact.__dict__, **changes})


class Broken:
    """A section that cannot be used."""

    analyzer = Analyzer()

    def search(self, *_: object) -> None:
        raise RuntimeError("the disk is on fire")

    def encode(self, _: str) -> None:
        raise RuntimeError("the disk is on fire")


@pytest.mark.parametrize("encoder", [None, Broken()])
@pytest.mark.parametrize("options", [{}, {"mode": "semantic"}, {"alpha": 0.5}, {"alpha": 1.0}])
def test_without_an_encoder_words_answer_and_the_result_says_so(
    small: Built, encoder: Any, options: dict[str, Any]
) -> None:
    result = Searcher(altered(small, encoder=encoder)).search(SearchRequest("voting", **options))
    assert result.hits[0].row == 5
    assert result.mode == "lexical"
    assert len(result.warnings) == 1
    assert "keyword results only" in result.warnings[0]


def test_without_an_encoder_a_lexical_search_has_nothing_to_warn_of(small: Built) -> None:
    result = Searcher(altered(small, encoder=None)).search(SearchRequest("voting", mode="lexical"))
    assert result.warnings == ()


def test_without_the_lexical_side_meaning_answers_and_the_result_says_so(small: Built) -> None:
    result = Searcher(altered(small, lexical=Broken())).search(SearchRequest("voting leaders"))
    assert result.hits[0].row == 5
    assert result.mode == "semantic"
    assert "semantic results only" in result.warnings[0]


class Altered:
    """A section whose file is not what was built."""

    analyzer = Analyzer()

    def search(self, *_: object) -> None:
        raise ArtifactError("altered", "/home/me/kb/lexical/x.idx was altered.")


@pytest.mark.parametrize(("section", "expected"), [(Broken(), "failed"), (Altered(), "altered")])
@pytest.mark.parametrize("also_vectors", [False, True])
def test_why_a_side_does_not_answer_is_said_without_paths_and_raw_exceptions(
    small: Built, section: Any, expected: str, also_vectors: bool
) -> None:
    changes = {"lexical": section, **({"vectors": section} if also_vectors else {})}
    searcher = Searcher(altered(small, **changes))
    if also_vectors:
        with pytest.raises(ToolError) as caught:
            searcher.search(SearchRequest("voting"))
        text = caught.value.message
    else:
        (text,) = searcher.search(SearchRequest("voting")).warnings
    assert expected in text
    assert "disk" not in text
    assert "/home" not in text


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "lexical"])
def test_without_both_sides_search_is_unavailable(small: Built, mode: Any) -> None:
    searcher = Searcher(altered(small, lexical=Broken(), vectors=Broken()))
    with pytest.raises(ToolError) as caught:
        searcher.search(SearchRequest("voting", mode=mode))
    assert caught.value.kind == "UNAVAILABLE"


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


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Built:
    chooser = random.Random(11)
    vocabulary = [f"{a}{b}" for a in ("con", "pro", "mul", "ver") for b in ("tal", "dine", "sor")]
    docs = [
        (f"d{at}", [" ".join(chooser.choices(vocabulary, k=12)) for _ in range(3)])
        for at in range(150)
    ]
    return build(tmp_path_factory.mktemp("large"), {"docs": docs})


def test_depth_grows_with_the_limit(large: Built) -> None:
    result = Searcher(large).search(SearchRequest("contal", limit=200, mode="lexical"))
    assert len(result.hits) > CANDIDATES


def test_collapsing_still_fills_the_limit(large: Built) -> None:
    result = Searcher(large).search(SearchRequest("contal prodine", limit=40, per_record=1))
    assert len({hit.record for hit in result.hits}) == len(result.hits) == 40


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


class Contrary(WordCounts):
    """An encoder under which nothing is similar to a query."""

    def encode(self, text: str) -> NDArray[np.float32]:
        return -super().encode(text)


def test_hits_that_words_alone_found_get_a_cosine_when_asked(small: Built) -> None:
    searcher = Searcher(altered(small, encoder=Contrary()))
    without = searcher.search(SearchRequest("voting")).hits
    assert without
    assert all(hit.cosine is hit.semantic_rank is None for hit in without)
    with_cosines = searcher.search(SearchRequest("voting", cosines=True)).hits
    assert [hit.row for hit in with_cosines] == [hit.row for hit in without]
    assert all(hit.cosine is not None and hit.cosine < 0 for hit in with_cosines)


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
    assert rows(SearchResult(many[:10], "hybrid", (), 0, {})) == few
    assert [hit.score for hit in many] == sorted((hit.score for hit in many), reverse=True)
