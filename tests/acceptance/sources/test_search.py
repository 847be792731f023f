"""`qurio_search`: order, scores, filters, limits and warnings."""

from __future__ import annotations

from typing import Any

import pytest
from tests.acceptance.served import Server, compiled
from tests.acceptance.sources.library import INVALID

from kb_runtime.knowledge.artifact import Artifact


def test_an_error_code_ranks_its_passage_first_by_keywords(library: Server) -> None:
    found = library.call("qurio_search", query="E4711", alpha=0.0)
    assert "E4711" in found["results"][0]["content"]
    assert found["alpha"] == 0.0
    for result in found["results"]:
        assert "e4711" in result["content"].casefold()


def test_alpha_is_the_share_of_meaning(library: Server) -> None:
    query = "what happens if the connection drops"
    by_meaning = library.call("qurio_search", query=query, alpha=1.0)["results"]
    assert "retries a request" in by_meaning[0]["content"]
    same = library.call("qurio_search", query=query, alpha=1)["results"]
    assert same == by_meaning
    scores = [result["score"] for result in by_meaning]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert library.call("qurio_search", query="zzyzx qqqq", alpha=0.0)["results"] == []


@pytest.mark.parametrize("alpha", [0.3, 0.5, 0.8])
def test_a_score_is_the_weighted_sum_of_both_sides(library: Server, alpha: float) -> None:
    def scores(weight: float) -> dict[tuple[str, str, int], float]:
        query = "the client retries a request"
        found = library.call("qurio_search", query=query, alpha=weight, limit=50)["results"]
        return {
            (each["sourceId"], each["url"], each["chunkIndex"]): each["score"] for each in found
        }

    keyword, vector = scores(0.0), scores(1.0)
    assert keyword.keys() != vector.keys()
    mixed = scores(alpha)
    assert mixed.keys() == keyword.keys() | vector.keys()
    for place, score in mixed.items():
        expected = alpha * vector.get(place, 0.0) + (1 - alpha) * keyword.get(place, 0.0)
        assert score == pytest.approx(expected, abs=1e-5)


def test_a_page_that_the_query_names_gets_no_better_place(library: Server) -> None:
    """At alpha 0 only keywords count, whatever address or title the query is."""
    for result in library.call("qurio_search", query="client/python.md", alpha=0)["results"]:
        assert result["score"] <= 1


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"type": "code", "language": "go"}, {("code", "go")}),
        ({"type": "CODE", "language": "golang"}, {("code", "go")}),
        ({"type": "code", "language": ["python", "Golang"]}, {("code", "go"), ("code", "py")}),
        ({"type": "cmd", "language": "shell"}, {("cmd", "bash")}),
        (
            {"type": " cmd ", "language": " ", "pageCount": [" ", None], "author": "\t"},
            {("cmd", "bash")},
        ),
        ({"language": "rust"}, set()),
    ],
)
def test_filters_by_type_and_language(
    library: Server, filters: dict[str, Any], expected: set[tuple[str, str]]
) -> None:
    found = library.call("qurio_search", query="client server call port", filters=filters)
    assert {(each["type"], each.get("language")) for each in found["results"]} == expected
    assert bool(expected) != bool(found.get("warnings"))


@pytest.mark.parametrize(
    "filters",
    [
        {"sourceId": "server"},
        {"sourceName": "A server guide"},
        {"author": "Bo"},
        {"createdAt": "2024-01-02"},
        {"title": ["Server side of HTTP", "Start"]},
        {"url": "https://example.org/server/start.html"},
    ],
)
def test_filters_on_pages_come_before_ranking(library: Server, filters: dict[str, Any]) -> None:
    """The other source holds better hits; they must not take the places."""
    for alpha in (0.0, 0.5, 1.0):
        found = library.call(
            "qurio_search", query="http client server", limit=2, alpha=alpha, filters=filters
        )
        assert found["results"]
        assert {result["sourceId"] for result in found["results"]} == {"server"}


def test_source_id_wins_over_the_filter(library: Server) -> None:
    found = library.call(
        "qurio_search", query="client", source_id="server", filters={"sourceId": "client"}
    )
    assert {result["sourceId"] for result in found["results"]} == {"server"}


@pytest.mark.parametrize("arguments", [{"source_id": "nope"}, {"filters": {"sourceId": ["nope"]}}])
def test_an_unknown_source_has_no_passages_and_the_known_ones_are_named(
    library: Server, arguments: dict[str, Any]
) -> None:
    found = library.call("qurio_search", query="client", **arguments)
    assert found["results"] == []
    (warning,) = found["warnings"]
    assert warning == 'source_id "nope" is not a source. Known sources: server, client, bare.'
    both = {"sourceId": ["nope", "server"]}
    found = library.call("qurio_search", query="client", filters=both)
    assert {result["sourceId"] for result in found["results"]} == {"server"}
    assert '"nope" is not a source' in found["warnings"][0]


def test_fenced_code_inside_prose_is_found_by_its_language(library: Server) -> None:
    found = library.call("qurio_search", query="dial", alpha=0, filters={"language": "go"})
    (result,) = found["results"]
    assert (result["type"], result["language"]) == ("code", "go")
    assert "net.Dial" in result["content"]


def test_the_text_of_a_search_can_be_followed_up(library: Server) -> None:
    text = library.text("qurio_search", query="E4711", alpha=0)
    assert text.startswith("Result 1 (Score: 1.00):\nTitle: HTTP client\nSource: Client guide\n")
    assert "\nURL: https://example.org/client/http\nType: " in text
    assert "\nSourceID: client\nContent:\n````" in text
    assert text.endswith('Use qurio_read_page(url="...") to read the full content of any result.')
    nothing = library.text("qurio_search", query="zzyzx", alpha=0)
    assert nothing == "No results found."


def test_limits(library: Server) -> None:
    found = library.call("qurio_search", query="client", limit=99)
    assert found["limit"] == 50
    assert any("limit" in warning for warning in found["warnings"])
    assert len(library.call("qurio_search", query="client", limit="1")["results"]) == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "query"),
        ({"query": "  "}, "query"),
        ({"query": "x", "alpha": 1.1}, "0.0 to 1.0"),
        ({"query": "x", "alpha": -0.1}, "0.0 to 1.0"),
        ({"query": "x", "limit": 0}, "1 to 50"),
        ({"query": "x", "limit": True}, "limit"),
        ({"query": 7}, "query"),
        ({"query": "x", "filters": {"kind": "code"}}, "createdAt"),
        ({"query": "x", "filters": {"type": 1}}, "filters.type"),
        ({"query": "x", "filters": {"pageCount": "many"}}, "filters.pageCount"),
        ({"query": "x", "filters": {"pageCount": 2.5}}, "filters.pageCount"),
        ({"query": "x", "filters": {"pageCount": float("inf")}}, "filters.pageCount"),
        ({"query": "x", "filters": {"pageCount": float("nan")}}, "filters.pageCount"),
        ({"query": "x", "filters": {"pageCount": True}}, "filters.pageCount"),
        ({"query": "x", "filters": {"sourceId": ["x"] * 101}}, "filters.sourceId has 101 values"),
        ({"query": "x", "filters": "type"}, "filters"),
    ],
)
def test_bad_arguments_are_protocol_errors(
    library: Server, arguments: dict[str, Any], told: str
) -> None:
    error = library.refused("qurio_search", **arguments)
    assert error.rpc_code == INVALID
    assert told in error.message
    assert error.data["correlationId"]


def test_without_meaning_words_answer_and_say_so(
    library: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Artifact, "encoder", None)
    keywords = library.call("qurio_search", query="E4711 certificate", alpha=0.0)
    assert "warnings" not in keywords
    for alpha in (0.3, 1.0):
        result = library.result("qurio_search", query="E4711 certificate", alpha=alpha)
        assert result["structuredContent"]["results"] == keywords["results"]
        assert "unavailable" in result["structuredContent"]["warnings"][0]
        assert result["content"][0]["text"].startswith("Note: Vector search is unavailable")


def test_passages_that_have_no_word_of_the_query_are_told_apart(library: Server) -> None:
    found = library.call("qurio_search", query="zzyzx qqqq")
    assert found["results"]
    assert "No word of the query occurs" in found["warnings"][0]
    assert "warnings" not in library.call("qurio_search", query="E4711 certificate")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Server:
    """More passages than either side of a small search looks at."""
    things = ("a mast", "the rudder", "an oar", "old rope", "the galley", "a lamp", "the hull")
    words = ("storm", "harbour", "storm harbour", "storm in the harbour, storm at sea")
    tree = {"kb.toml": '[kb]\nname = "shelf"\n'}
    for number in range(180):
        text = f"{words[number % 4]} and {things[number % 7]}, entry {number}"
        tree[f"sources/log/{number:03}.md"] = f"# Entry {number}\n\n{text}.\n"
    return compiled(tmp_path_factory.mktemp("shelf"), tree, pytestconfig)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_the_limit_changes_neither_order_nor_scores(shelf: Server, alpha: float) -> None:
    def first(limit: int) -> list[dict[str, Any]]:
        found = shelf.call("qurio_search", query="storm harbour", alpha=alpha, limit=limit)
        results: list[dict[str, Any]] = found["results"]
        return results

    all_of_them = first(50)
    for limit in (1, 3, 10):
        assert first(limit) == all_of_them[:limit]


@pytest.mark.parametrize("max_chars", [1500, 2500])
def test_a_shortened_answer_has_whole_results_and_ends_as_any(
    library: Server, max_chars: int
) -> None:
    result = library.result("qurio_search", query="client server retry", max_chars=max_chars)
    text, found = result["content"][0]["text"], result["structuredContent"]
    assert found["truncated"]
    assert len(text) <= max_chars
    assert text.count("\nURL: ") == len(found["results"]) > 0
    for each in found["results"]:
        assert each["content"] in text
    assert text.endswith('Use qurio_read_page(url="...") to read the full content of any result.')
