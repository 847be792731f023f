"""Queries that spell the name of a documented member find the section about it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.runtime.search.searcher.toy_index import Built, build, rows

from kb_runtime.search.request import SearchRequest
from kb_runtime.search.searcher import Searcher

USES = "Call get of a cache: Cache.get, Cache.get and cache get again, get get get.\n"
PAGES = {
    "docs": [
        ("guide", [USES, "Words about Cache.get, and how to get values.\n" * 3]),
        ("api", ["A cache of values.\n", "Gives a value.\n", "Gives another.\n", "Ends it.\n"]),
        ("trim", ["Cuts the ends off.\n"]),
    ]
}
MEMBERS = {
    ("api", 0): ("pkg.Cache",),
    ("api", 1): ("pkg.Cache.get",),
    ("api", 2): ("pkg.Store.get", "store.get"),
    ("api", 3): ("pkg.Store.close",),
}
CACHE, CACHE_GET, STORE_GET, CLOSE, TRIM = range(2, 7)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(tmp_path_factory.mktemp("members"), PAGES, members=MEMBERS)


@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("Cache.get", CACHE_GET),
        ("pkg.Cache.get", CACHE_GET),
        ("library.pkg.Cache.get", CACHE_GET),
        ("Cache::get", CACHE_GET),
        ("Cache#get", CACHE_GET),
        ("cache->get(key)", CACHE_GET),
        ("`Cache.get()`", CACHE_GET),
        ("store.get", STORE_GET),
        ("Store.get", STORE_GET),
        ("Cache", CACHE),
        ("close", CLOSE),
        ("api.close()", CLOSE),
        ("toolkit::trim", TRIM),
        ("toolkit.trim()", TRIM),
    ],
)
def test_the_section_about_a_member_comes_first(built: Built, query: str, row: int) -> None:
    hit = Searcher(altered_name(built)).search(SearchRequest(query)).hits[0]
    assert hit.row == row
    assert hit.exact_name


def altered_name(built: Built) -> Built:
    """The index as the knowledge base `api`, whose name may stand before a name."""
    return Built(**{**built.__dict__, "manifest": {**built.manifest, "name": "api"}})


def test_all_sections_about_a_bare_name_come_first(built: Built) -> None:
    hits = Searcher(built).search(SearchRequest("get")).hits
    assert {hit.row for hit in hits[:2]} == {CACHE_GET, STORE_GET}
    assert [hit.exact_name for hit in hits[:3]] == [True, True, False]


def test_a_name_within_a_question_raises_its_section(built: Built, tmp_path: Path) -> None:
    question = SearchRequest("what does Store#get give back")
    without = build(tmp_path, PAGES)
    ranks = [rows(Searcher(each).search(question)).index(STORE_GET) for each in (without, built)]
    assert ranks[1] < ranks[0]
    assert not any(hit.exact_name for hit in Searcher(built).search(question).hits)


def test_without_names_only_the_ranking_counts_for_members_too(built: Built) -> None:
    hits = Searcher(built).search(SearchRequest("Cache.get", names=False)).hits
    assert not any(hit.exact_name for hit in hits)


def test_names_of_files_name_no_records_behind_a_package(built: Built) -> None:
    hits = Searcher(built).search(SearchRequest("values.trim")).hits
    assert not any(hit.exact_name for hit in hits)
