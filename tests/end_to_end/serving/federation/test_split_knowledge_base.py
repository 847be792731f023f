"""A knowledge base in two halves has the same answers as the whole."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from tests.end_to_end.serving.federation.library import (
    MODES,
    PAGES,
    PROPERTY,
    QUERIES,
    WORDS,
    Library,
    pages,
    settings_of,
)

from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.federation.federation import Federation
from kb_runtime.knowledge.interface import Knowledge
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.search.request import SearchRequest


@pytest.fixture(scope="module")
def whole(library: Library) -> Iterator[Artifact]:
    with Artifact.open(library.build("whole", pages())) as artifact:
        yield artifact


@pytest.fixture(scope="module")
def halves(library: Library) -> Iterator[Federation]:
    texts = list(pages().items())
    with (
        Artifact.open(library.build("even", dict(texts[::2]))) as even,
        Artifact.open(library.build("odd", dict(texts[1::2]))) as odd,
        Federation([even, odd]) as both,
    ):
        yield both


def found(knowledge: Knowledge, request: SearchRequest) -> list[tuple[Any, ...]]:
    """What a search finds, in order: the record, the lines and the score."""
    return [
        (
            knowledge.catalog(hit.collection).id(hit.record),
            hit.chunk["start_line"],
            hit.score,
            hit.strategy,
            hit.snippet.text,
        )
        for hit in knowledge.searcher.search(request).hits
    ]


@PROPERTY
@given(words=QUERIES, mode=MODES)
def test_a_federation_of_one_answers_exactly_as_that_one(
    whole: Artifact, words: list[str], mode: Any
) -> None:
    request = SearchRequest(" ".join(words), limit=10, mode=mode)
    with Federation([whole]) as alone:
        assert found(alone, request) == found(whole, request)
        assert alone.build_id == whole.build_id
        assert alone.collections[0].name == "docs"


@PROPERTY
@given(words=QUERIES, mode=MODES)
def test_a_split_knowledge_base_finds_the_same_chunks_as_the_whole(
    whole: Artifact, halves: Federation, words: list[str], mode: Any
) -> None:
    request = SearchRequest(" ".join(words), limit=4 * PAGES, mode=mode)
    expected = {one[:2] for one in found(whole, request)}
    assert {one[:2] for one in found(halves, request)} == expected


@PROPERTY
@given(words=QUERIES)
def test_the_cosines_of_a_split_knowledge_base_are_those_of_the_whole(
    whole: Artifact, halves: Federation, words: list[str]
) -> None:
    request = SearchRequest(" ".join(words), limit=8, mode="semantic")
    expected = [one[2] for one in found(whole, request)]
    assert [one[2] for one in found(halves, request)] == pytest.approx(expected, abs=1e-5)


def test_the_best_hit_of_a_split_knowledge_base_is_mostly_that_of_the_whole(
    whole: Artifact, halves: Federation
) -> None:
    """Statistics of words are shared, so that scores compare; only field lengths are each part's."""
    shuffled = random.Random(1)
    queries = [" ".join(shuffled.sample(WORDS, 3)) for _ in range(60)]
    same = 0
    for query in queries:
        request = SearchRequest(query, limit=1, mode="lexical")
        same += found(whole, request)[0][:2] == found(halves, request)[0][:2]
    assert same >= 55


def test_collections_of_one_name_get_that_of_their_knowledge_base(halves: Federation) -> None:
    assert [info.name for info in halves.collections] == ["even.docs", "odd.docs"]
    assert halves.manifest["scopes"]["all"] == ["even.docs", "odd.docs"]
    assert halves.manifest["name"] == "even+odd"
    record = halves.catalog("odd.docs")[0]
    assert record["collection"] == "odd.docs"
    assert halves.address("odd.docs", record["id"]) == "kb://odd/docs/docs/page01.md"
    assert halves.addressed("odd", "docs") == ["odd.docs"]
    assert halves.addressed("odd", "even.docs") == []


def test_each_part_weighs_its_own_collections(library: Library) -> None:
    texts = {"docs/a.md": "# Keel\n\nThe keel of the hull.\n"}
    more = {
        "docs/a.md": "# Keel\n\nThe hull has a keel of oak, which is replaced every twenty years.\n"
    }
    light = {"kb.toml": settings_of("light") + "[search.weights]\ndocs = 0.1\n", **more}
    with (
        Artifact.open(library.build("heavy", texts)) as heavy,
        Artifact.open(library.build("light", light)) as other,
    ):
        for parts in ([heavy, other], [other, heavy]):
            with Federation(parts) as both:
                assert both.manifest["search"]["weights"] == {"light.docs": 0.1}
                first, second = both.searcher.search(SearchRequest("keel hull")).hits
                assert (first.collection, second.collection) == ("heavy.docs", "light.docs")


def test_a_word_that_only_one_part_knows_is_no_typo_in_the_other(library: Library) -> None:
    left = {"docs/a.md": "# Sails\n\nThe mainsail is set first.\n"}
    right = {"docs/b.md": "# Rails\n\nThe mainrail and the mainsial are painted.\n"}
    with (
        Artifact.open(library.build("left", left)) as first,
        Artifact.open(library.build("right", right)) as second,
    ):
        request = SearchRequest("mainsail", mode="lexical")
        assert found(second, request), "alone, the nearest word is taken for it"
        with Federation([first, second]) as both:
            result = both.searcher.search(request)
            assert [hit.collection for hit in result.hits] == ["left.docs"]


def test_two_knowledge_bases_of_one_name_are_refused(library: Library) -> None:
    page = {"docs/a.md": "# A\n\nOne.\n"}
    first, second = library.build("twin", page), library.build("twin", page, place="other twin")
    with pytest.raises(ArtifactError, match="both the knowledge base 'twin'") as caught:
        LiveArtifact(first, second)
    assert caught.value.code == "same-name"


def test_a_part_without_vectors_takes_part_by_words(library: Library, whole: Artifact) -> None:
    page = {"docs/parrot.md": "# The parrot\n\nA parrot sits on the mast.\n"}
    with (
        Artifact.open(library.build("mute", page, embed=False)) as mute,
        Federation([whole, mute]) as both,
    ):
        hits = both.searcher.search(SearchRequest("parrot on the mast", limit=5)).hits
        assert hits[0].collection == "mute.docs"
        assert hits[0].strategy == "lexical"
        others = {hit.strategy for hit in hits[1:]}
        assert "fused" in others
        assert "lexical" not in others
