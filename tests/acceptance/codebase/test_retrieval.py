"""`codebase_retrieval`: what is found, in which order, with which evidence, and what is refused."""

from __future__ import annotations

import gc
import json
import tracemalloc
from itertools import pairwise
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.acceptance.codebase.shop import FILES, TIMING, ask, files, without_time
from tests.acceptance.conftest import Client

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.tools.code import retrieval
from kb_runtime.tools.code.passages import MAX_CONTENT_CHARS, MAX_PER_FILE
from kb_runtime.tools.code.retrieval import PREVIEW_CHARS


def test_the_text_is_the_structure_as_indented_json(shop: Client) -> None:
    reply = shop.call("codebase_retrieval", query="user authentication", unknown=1)
    assert json.loads(reply.text) == reply.structured
    assert reply.text.startswith('{\n  "results": [\n    {\n      "file": ')
    assert "unknown" in reply.structured["warnings"][0]


def test_a_result_has_every_field(shop: Client) -> None:
    query = "where is the function that handles user authentication"
    first = ask(shop, query)["results"][0]
    assert set(first) == {"file", "content", "score", "lines", "reason"}
    assert first["file"] == "shop/auth/login.py"
    assert 0 < first["score"] <= 1
    assert first["reason"].startswith(f'Semantic match for: "{query}"')


def test_content_is_what_stands_on_the_lines(shop: Client) -> None:
    for query in ("authentication", "cart items", "warehouse step", "how is it deployed"):
        for result in ask(shop, query)["results"]:
            start, end = map(int, result["lines"].split("-"))
            lines = FILES[f"code/{result['file']}"].split("\n")
            assert "\n".join(lines[start - 1 : end]).startswith(result["content"])
            assert result["content"].count("\n") == end - start


@pytest.mark.parametrize("max_chars", [1000, 1500, 3000, 6000])
@pytest.mark.parametrize("query", ["warehouse step", "a lamp with a switch", "login"])
def test_a_shortened_answer_says_what_it_has(shop: Client, query: str, max_chars: int) -> None:
    reply = shop.call("codebase_retrieval", query=query, top_k=50, max_chars=max_chars)
    found = reply.structured
    assert json.loads(reply.text) == found
    assert len(reply.text) <= max_chars
    assert found["truncated"]
    assert found["metadata"]["totalResults"] == len(found["results"]) > 0
    for result in found["results"]:
        start, end = map(int, result["lines"].split("-"))
        assert result["content"].count("\n") == end - start
        lines = FILES[f"code/{result['file']}"].split("\n")
        assert "\n".join(lines[start - 1 : end]).startswith(result["content"])


def test_what_a_compact_answer_leaves_out_does_not_cut_it(shop: Client) -> None:
    wide = {"top_k": 50, "profile": "rich", "response_version": "v2", "max_chars": 1_000_000}
    found = ask(shop, "warehouse step", **wide, include_paths=["*.py"])
    with_content = sum(len(result["content"]) for result in found["results"])
    assert with_content > 10 * PREVIEW_CHARS
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(retrieval, "MAX_ANSWER_CHARS", with_content // 2)
        assert len(ask(shop, "warehouse step", **wide)["results"]) < len(found["results"])
        compact = ask(shop, "warehouse step", **wide, compact=True)
    assert len(compact["results"]) >= len(found["results"])


@pytest.mark.parametrize(
    ("query", "file"),
    [
        ("Where is the function that handles user authentication?", "shop/auth/login.py"),
        ("What tests are there for the login functionality?", "shop/tests/test_login.py"),
        ("How is the database connected to the application?", "shop/db/connection.py"),
        ("connect_database", "shop/db/connection.py"),
        ("connectDatabase", "shop/db/connection.py"),
        ("FormatPrice", "web/src/money.go"),
        ("put something into the basket", "web/src/cart.ts"),
        ("shop/auth/login.py", "shop/auth/login.py"),
    ],
)
def test_known_items_are_found(shop: Client, query: str, file: str) -> None:
    assert file in files(ask(shop, query, top_k=2))


def test_reasons_hold_the_evidence(shop: Client) -> None:
    (result,) = ask(shop, "connect_database", top_k=1)["results"]
    assert "function connect_database" in result["reason"]
    assert "has connect_database" in result["reason"]
    (result,) = ask(shop, "which problems with what a visitor typed", top_k=1)["results"]
    assert "of LoginForm" in result["reason"] or "LoginForm" in result["reason"]
    (result,) = ask(shop, "web/src/cart.ts", top_k=1)["results"]
    assert "path" in result["reason"]
    assert result["score"] == 1


def test_scores_fall_and_do_not_depend_on_top_k(shop: Client) -> None:
    for query in ("authentication", "step", "user password lamp"):
        many = ask(shop, query, top_k=20)["results"]
        scores = [result["score"] for result in many]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)
        assert ask(shop, query, top_k=3)["results"] == many[:3]


def test_scores_of_different_queries_compare(shop: Client) -> None:
    good = ask(shop, "check a user's password against the stored hash", top_k=1)["results"][0]
    poor = ask(shop, "gravitational waves of merging neutron stars", top_k=1)["results"]
    assert good["score"] > 0.6
    assert all(result["score"] < 0.4 for result in poor)


def test_top_k_is_respected(shop: Client) -> None:
    for top_k in (1, 2, 50):
        answer = ask(shop, "function", top_k=top_k)
        assert len(answer["results"]) <= top_k
        assert answer["metadata"]["totalResults"] == len(answer["results"])
    assert len(ask(shop, "login", top_k="2")["results"]) == 2
    assert len(ask(shop, "login", top_k=2.0)["results"]) == 2
    assert ask(shop, "login", top_k=None) is not None


def test_tests_come_after_the_code_unless_they_are_asked_for(shop: Client) -> None:
    def score(query: str) -> float:
        results = ask(shop, query, include_paths=["shop/tests/"], top_k=1)["results"]
        return float(results[0]["score"])

    assert files(ask(shop, "check the password of a user"))[0] == "shop/auth/login.py"
    assert (
        files(ask(shop, "tests that a wrong password is refused"))[0] == "shop/tests/test_login.py"
    )
    assert score("wrong password refused") < score("wrong password refused tests")


def test_one_file_does_not_crowd_out_the_others(shop: Client) -> None:
    found = files(ask(shop, "warehouse step of an order and the lamp catalogue", top_k=20))
    assert max(found.count(file) for file in found) <= MAX_PER_FILE
    assert len(set(found)) > 1


def test_neighbouring_passages_are_one_result(shop: Client) -> None:
    results = ask(shop, "warehouse step", top_k=50)["results"]
    ranges = sorted(
        tuple(map(int, result["lines"].split("-")))
        for result in results
        if result["file"] == "shop/warehouse.py"
    )
    assert ranges
    assert all(before[1] < after[0] for before, after in pairwise(ranges))
    assert all(len(result["content"]) <= MAX_CONTENT_CHARS for result in results)


def test_metadata_names_workspace_and_time_of_the_build(shop: Client) -> None:
    metadata = ask(shop, "login")["metadata"]
    assert metadata["workspace"] == "code"
    assert metadata["lastIndexed"].endswith("Z")
    assert metadata[TIMING] >= 0
    assert metadata["query_mode"] == "hybrid"
    assert metadata["indexStatus"] == {
        "status": "ready",
        "fileCount": 11,
        "comparedWithDisk": False,
    }
    assert "isStale" not in metadata["indexStatus"]


def test_the_same_call_gives_the_same_answer(shop: Client) -> None:
    first = ask(shop, "login form", profile="rich", response_version="v2")
    second = ask(shop, "login form", profile="rich", response_version="v2")
    assert without_time(first) == without_time(second)


def test_nothing_found_is_a_success_that_helps(shop: Client) -> None:
    reply = shop.call("codebase_retrieval", query="login", include_paths=["no/such/**"])
    assert not reply.is_error
    assert reply.structured["results"] == []
    assert reply.structured["metadata"]["totalResults"] == 0
    assert "include_paths" in reply.structured["warnings"][0]


@pytest.mark.parametrize("query", [None, "", "  \n", 5, ["x"], {}, True])
def test_a_query_must_be_a_non_empty_string(shop: Client, query: Any) -> None:
    reply = shop.call("codebase_retrieval", query=query)
    assert reply.is_error
    assert reply.structured["error"]["kind"] == "BAD_INPUT"
    assert reply.text.startswith("Error: Invalid query")
    assert "non-empty string" in reply.text


def test_a_call_without_arguments_lacks_its_query(shop: Client) -> None:
    reply = shop.call_with("codebase_retrieval", {})
    assert reply.is_error
    assert "Invalid query" in reply.text


def test_a_query_may_have_a_thousand_characters(shop: Client) -> None:
    assert not shop.call("codebase_retrieval", query="x" * 1000).is_error
    assert not shop.call("codebase_retrieval", query=" " + "é" * 1000 + " ").is_error
    reply = shop.call("codebase_retrieval", query="x" * 1001)
    assert reply.is_error
    assert "Query too long" in reply.text
    assert "1000" in reply.text


@pytest.mark.parametrize("top_k", [0, -1, 51, 5.5, "many", True, [], float("nan")])
def test_top_k_outside_its_range_is_refused(shop: Client, top_k: Any) -> None:
    reply = shop.call("codebase_retrieval", query="login", top_k=top_k)
    assert reply.is_error
    assert reply.text.startswith("Error: Invalid top_k")
    assert "1 to 50" in reply.text


@pytest.mark.parametrize(
    "query", ['it\'s a "test"; DROP TABLE x --', "delete *", "a AND (b", "%s{}"]
)
def test_no_query_is_refused_for_what_it_says(shop: Client, query: str) -> None:
    assert ask(shop, query)["metadata"]["totalResults"] >= 0


def test_paths_are_filtered_before_ranking(shop: Client) -> None:
    assert set(files(ask(shop, "login", include_paths=["*.go"]))) == {"web/src/money.go"}
    inside = files(ask(shop, "login", include_paths=["shop/auth/"]))
    assert set(inside) == {"shop/auth/login.py"}
    without = ask(
        shop, "login", include_paths="shop", exclude_paths=["**/test_*.py", "./shop\\auth"]
    )
    assert "shop/tests/test_login.py" not in files(without)
    assert "shop/auth/login.py" not in files(without)
    assert without["metadata"]["filtersApplied"] == [
        "include shop",
        "exclude **/test_*.py",
        "exclude shop/auth",
    ]


def test_a_filter_does_not_change_a_score(shop: Client) -> None:
    everywhere = ask(shop, "connect the database", top_k=50)["results"]
    scores = {(result["file"], result["lines"]): result["score"] for result in everywhere}
    for result in ask(shop, "connect the database", include_paths=["shop/db/**"])["results"]:
        assert scores[result["file"], result["lines"]] == result["score"]


@pytest.mark.parametrize("field", ["include_paths", "exclude_paths"])
@pytest.mark.parametrize("value", [["/etc/*"], ["../x"], ["a/../../b"], ["C:\\x"], [1], 5, {}])
def test_bad_path_filters_are_refused_by_name(shop: Client, field: str, value: Any) -> None:
    reply = shop.call("codebase_retrieval", query="login", **{field: value})
    assert reply.is_error
    assert reply.structured["error"]["kind"] == "BAD_INPUT"
    assert field in reply.text


def test_the_second_version_explains_each_result(shop: Client) -> None:
    answer = ask(shop, "problems of the LoginForm", response_version="v2", top_k=1)
    (result,) = answer["results"]
    assert result["trace"]["source_stage"] in ("lexical", "semantic", "fused")
    assert result["trace"]["match_type"] in ("path", "definition", "text")
    assert result["explainability"]["language"] == "python"
    assert result["explainability"]["symbolName"]
    assert result["explainability"]["matchedTerms"]
    assert answer["metadata"]["totalCandidates"] >= 1
    assert "trace" not in ask(shop, "LoginForm", response_version="v7")["results"][0]


def test_a_compact_result_has_a_preview(shop: Client) -> None:
    for result in ask(shop, "login", response_version="v2", compact=True)["results"]:
        assert "content" not in result
        assert 0 < len(result["preview"]) <= 240
    ignored = ask(shop, "login", compact=True)
    assert "content" in ignored["results"][0]
    assert "v2" in ignored["warnings"][0]


def test_a_rich_answer_shows_whole_definitions(shop: Client) -> None:
    (narrow,) = ask(shop, "item lamp of colour 35", include_paths=["lamps.py"], top_k=1)["results"]
    (wide,) = ask(
        shop, "item lamp of colour 35", include_paths=["lamps.py"], top_k=1, profile="rich"
    )["results"]
    assert "def catalogue" in wide["content"]
    assert len(wide["content"]) >= len(narrow["content"])
    assert shop.call("codebase_retrieval", query="x", profile="frugal").is_error


def test_ignored_and_secret_files_are_not_in_the_index(shop: Client) -> None:
    for query in ("hidden_function", "SECRET_TOKEN hunter2"):
        reply = shop.call("codebase_retrieval", query=query, top_k=50)
        assert "hunter2" not in reply.text.replace(query, "")
        assert "ignored/x.py" not in reply.text
    assert shop.call("get_file", path="web/.env").is_error


def test_the_schema_wants_a_query_and_tells_the_bounds(shop: Client) -> None:
    schema = shop.tools["codebase_retrieval"]["inputSchema"]
    assert schema["required"] == ["query"]
    top_k = schema["properties"]["top_k"]
    assert (top_k["default"], top_k["minimum"], top_k["maximum"]) == (10, 1, 50)
    Draft202012Validator.check_schema(schema)


def test_the_description_says_when_to_use_the_tool(shop: Client) -> None:
    description = shop.tools["codebase_retrieval"]["description"]
    for phrase in (
        "primary tool for code search",
        "first choice",
        "natural language",
        "all languages",
        "nothing of version control",
        "high-level understanding",
        "in ONE call",
        "user authentication",
        "tests are there for the login",
        "database connected",
        "constructor",
        "all references",
        "use grep",
        "get_file",
        "error messages",
        "Before every edit",
        "When in doubt, use this tool first",
        "lastIndexed",
    ):
        assert phrase in description, phrase
    for untrue in ("proprietary", "world", "real-time", "best-in-class"):
        assert untrue not in description.casefold()


def test_without_meaning_words_answer_and_say_so(
    shop: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("no library at /opt/secret")

    monkeypatch.setattr("kb_runtime.search.encoder.QueryEncoder.encode", fail)
    found = shop.call("codebase_retrieval", query="warehouse").structured
    assert found["results"]
    assert found["metadata"]["query_mode"] == "keyword"
    assert "Vector search is unavailable" in found["warnings"][0]
    assert "secret" not in json.dumps(found)


def test_a_search_that_fails_is_an_error_and_not_empty(
    shop: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("no library at /opt/secret")

    monkeypatch.setattr("kb_runtime.search.encoder.QueryEncoder.encode", fail)
    monkeypatch.setattr("kb_runtime.search.lexical.LexicalIndex.search", fail)
    reply = shop.call("codebase_retrieval", query="warehouse")
    assert reply.is_error
    assert reply.structured["error"]["kind"] == "UNAVAILABLE"
    assert reply.text.startswith("Error: Search is unavailable")
    assert "secret" not in reply.text


def test_a_provoked_failure_leaks_nothing(shop: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("secret detail in /root/place")

    monkeypatch.setattr("kb_runtime.search.searcher.Searcher.search", fail)
    monkeypatch.setattr(Artifact, "catalog", fail)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("codebase_retrieval", {"query": "x"}),
        ("get_file", {"path": "shop/warehouse.py"}),
    ]
    for tool, arguments in calls:
        reply = shop.call(tool, **arguments)
        assert reply.is_error
        assert reply.structured["error"]["kind"] == "INTERNAL"
        assert "secret" not in reply.text + json.dumps(reply.structured)


@pytest.mark.slow
def test_repeated_calls_do_not_grow_memory(shop: Client) -> None:
    def calls() -> None:
        for number in range(30):
            shop.call("codebase_retrieval", query=f"warehouse step {number}")

    calls()
    gc.collect()
    tracemalloc.start()
    try:
        calls()
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        calls()
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 100_000
