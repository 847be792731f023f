"""The searches: scopes, limits, typos, hits that can be followed up, and substrings."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.acceptance.quint.failures import error
from tests.documents import QUINT_DOCS

from kb_runtime.search.request import SearchRequest
from kb_runtime.text.written_json import json_text

TEMPORAL = {"always", "eventually", "next", "enabled", "weakFair", "strongFair", "orKeep"}


def hits(quint: Any, query: str, **arguments: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = quint.call(
        "quint_hybrid_search", query=query, **arguments
    ).structured["results"]
    return found


def test_several_scopes(quint: Any) -> None:
    found = quint.call(
        "quint_hybrid_search", query="state", scopes=["docs", "patterns"], limitPerScope=2
    ).structured
    assert {scope: len(results) for scope, results in found["resultsByScope"].items()} == {
        "docs": 2,
        "patterns": 2,
    }
    assert "results" not in found


@pytest.mark.parametrize("arguments", [{}, {"scopes": []}, {"scopes": None, "scope": ""}])
def test_no_scope_means_all(quint: Any, arguments: dict[str, Any]) -> None:
    found = quint.call("quint_hybrid_search", query="sets", **arguments).structured
    assert found["scopes"] == ["all"]
    assert len(found["results"]) == 10
    assert found["results"] == found["resultsByScope"]["all"]


@pytest.mark.parametrize(("k", "effective"), [(-1, 1), (500, 50), ("3", 3), (2.0, 2)])
def test_effective_number_of_results_is_shown(quint: Any, k: Any, effective: int) -> None:
    reply = quint.call("quint_hybrid_search", query="set of integers", k=k)
    assert reply.structured["k"] == effective
    assert len(reply.structured["results"]) == effective
    assert ("warnings" in reply.structured) == (k in (-1, 500))
    assert json.loads(reply.text)["k"] == effective


@pytest.mark.parametrize("max_chars", [2000, 3000, 8000])
def test_a_shortened_answer_has_the_same_results_everywhere(quint: Any, max_chars: int) -> None:
    reply = quint.call("quint_hybrid_search", query="sets and maps", k=50, max_chars=max_chars)
    found = reply.structured
    assert found["truncated"]
    assert found["results"] == found["resultsByScope"]["all"] != []
    assert json.loads(reply.text) == {
        name: value for name, value in found.items() if name != "results"
    }
    assert len(reply.text) <= max_chars


@pytest.mark.parametrize("max_chars", [1000, 1200, 1400])
def test_a_short_answer_about_several_scopes_has_whole_results(quint: Any, max_chars: int) -> None:
    scopes = ["docs", "builtins", "examples", "patterns"]
    call = {"query": "sets and maps", "scopes": scopes, "limitPerScope": 5}
    whole = quint.call("quint_hybrid_search", **call, max_chars=100_000).structured
    reply = quint.call("quint_hybrid_search", **call, max_chars=max_chars)
    assert len(reply.text) <= max_chars
    assert reply.structured["truncated"]
    assert json.loads(reply.text) == reply.structured
    found = reply.structured["resultsByScope"]
    assert list(found) == scopes
    assert found["docs"]
    for scope, results in found.items():
        assert results == whole["resultsByScope"][scope][: len(results)]


def test_unknown_scope_is_bad_input(quint: Any) -> None:
    reply = quint.call("quint_hybrid_search", query="x", scopes=["docs", "nowhere"])
    error(reply, "BAD_INPUT")
    for scope in ("all", "builtins", "docs", "examples", "guidelines", "extra", "patterns"):
        assert scope in reply.text


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"contextLines": 10, "limit": 200},
        {"max_chars": 2000},
        {"max_chars": 2000, **{f"argument_{number}_{'x' * 60}": 1 for number in range(9)}},
    ],
)
def test_lines_that_do_not_fit_are_on_the_next_page(quint: Any, more: dict[str, Any]) -> None:
    query, cursor = "temporal", None
    met: list[tuple[str, int]] = []
    while True:
        page = quint.call("quint_search_docs", query=query, cursor=cursor, **more).structured
        met += [(match["file"], match["line"]) for match in page["matches"]]
        cursor = page.get("nextCursor")
        if cursor is None:
            break
    assert len(met) == len(set(met)) == page["total"] > 10


def test_typo_finds_temporal_operators(quint: Any) -> None:
    first = hits(quint, "temporl")[:3]
    assert any(hit["source"] in TEMPORAL or "temporal" in hit["title"].casefold() for hit in first)


def test_lower_case_name_finds_the_builtin_first(quint: Any) -> None:
    assert hits(quint, "mapby", scope="builtins")[0]["source"] == "mapBy"


@pytest.mark.parametrize("query", ["Byzantine consensus", "voting protocols"])
def test_protocol_queries_find_protocol_material(quint: Any, query: str) -> None:
    for hit in hits(quint, query)[:5]:
        assert hit["id"].split(":")[0] in ("doc", "extra", "pattern", "guideline")
        path = hit["metadata"].get("path", hit["source"])
        assert path.startswith(("choreo", "posts/")), hit["id"]


def test_question_finds_how_maps_are_made_from_sets(quint: Any) -> None:
    first = {hit["source"] for hit in hits(quint, "How do I create a map from a set?")[:3]}
    assert first & {"mapBy", "setToMap"}


def test_no_hit_has_a_similarity_of_zero(quint: Any) -> None:
    with quint.artifact() as artifact:
        for query in ("Byzantine consensus", "voting protocols", "zzzz qqqq"):
            for hit in artifact.searcher.search(SearchRequest(query, limit=50)).hits:
                assert hit.cosine is None or hit.cosine > 0
                assert hit.cosine is not None or hit.lexical_rank is not None


GET = {
    "builtin": ("quint_get_builtin", "name"),
    "doc": ("quint_get_doc", "filename"),
    "extra": ("quint_get_doc", "filename"),
    "guideline": ("quint_get_doc", "filename"),
    "example": ("quint_get_example", "path"),
    "pattern": ("quint_get_pattern", "patternId"),
    "template": ("quint_get_template", "templateId"),
}


@pytest.mark.parametrize("knowledge", ["quint", "small"])
@pytest.mark.parametrize(
    "query", ["state", "map", "how are tests written", "consensus of processes", "leader", "soup"]
)
def test_every_hit_can_be_followed_up(
    knowledge: str, query: str, request: pytest.FixtureRequest
) -> None:
    client = request.getfixturevalue(knowledge)
    found = hits(client, query, k=50)
    assert found
    assert len({hit["id"] for hit in found}) == len(found)
    for hit in found:
        tool, argument = GET[hit["id"].split(":")[0]]
        assert not client.call(tool, **{argument: hit["source"]}).is_error
        assert not client.call(tool, **{argument: hit["id"]}).is_error
        assert len(hit.get("snippet", "")) <= 240
        assert len(hit.get("tags", ())) <= 10


def test_hit_id_of_a_page_reads_its_section(quint: Any) -> None:
    (hit,) = hits(quint, "temporal operators", scope="docs", k=1)
    found = quint.call("quint_get_doc", filename=hit["id"]).structured
    assert found["startLine"] == hit["metadata"]["line"]


@pytest.mark.parametrize(
    "query",
    ["Byzantine consensus", "voting protocols", "How do I create a map from a set?", "temporl"],
)
def test_ten_hits_are_small(quint: Any, query: str) -> None:
    reply = quint.call("quint_hybrid_search", query=query, k=10)
    assert reply.structured["results"] == reply.structured["resultsByScope"]["all"]
    assert len(reply.structured["results"]) == 10
    # The structure must have the list twice, the text has it once.
    assert len(json_text(reply.structured).encode()) < 9_000
    assert len(reply.text.encode()) < 4_500
    assert "resultsByScope" in json.loads(reply.text)


def test_same_call_gives_the_same_bytes(quint: Any) -> None:
    first = quint.call("quint_hybrid_search", query="how do I test an action")
    assert quint.call("quint_hybrid_search", query="how do I test an action") == first


def test_substring_search_counts_everything(quint: Any) -> None:
    found = quint.call("quint_search_docs", query="mapBy", limit=1).structured
    stored = [
        (path.relative_to(QUINT_DOCS).as_posix(), number, line.rstrip("\r"))
        for folder in ("docs", "choreo", "posts", "patterns", "guidelines")
        for path in sorted((QUINT_DOCS / folder).iterdir())
        for number, line in enumerate(path.read_bytes().decode().split("\n"), 1)
        if "mapby" in line.casefold()
    ]
    assert found["total"] == len(stored)
    (match,) = found["matches"]
    assert (match["file"], match["line"], match["content"]) == min(stored)
    assert match["context"] == match["before"] + match["after"]


def test_substring_search_without_context(quint: Any) -> None:
    found = quint.call("quint_search_docs", query="mapBy", contextLines=0).structured
    assert found["contextLines"] == 0
    assert all(match["context"] == [] for match in found["matches"])
