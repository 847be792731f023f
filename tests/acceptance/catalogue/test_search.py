"""`search_tests`: keys, words, steps, filters and scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.catalogue.cases import FILTERS, Call, client, compiled, refused

from kb_runtime.text.tables import count_of


@pytest.mark.parametrize(
    "query", ["user can't log in", 'a<b & "c"', "drop table view", "???", "in", "日本語", "delete"]
)
def test_no_text_is_refused(call: Call, query: str) -> None:
    assert not call("search_tests", query=query).is_error


def test_words_of_a_title_find_it_first(call: Call) -> None:
    assert call("search_tests", query="delete account").uids[0] == "t-delete"


@pytest.mark.parametrize("query", ["DEMO-12", "demo-12"])
def test_a_key_finds_its_tests_first(call: Call, query: str) -> None:
    found = call("search_tests", query=query)
    assert found.uids[:2] == ["t-authors", "t-twin"]
    assert [result["score"] for result in found.structured["results"][:2]] == [1, 1]


@pytest.mark.parametrize(("query", "uid"), [("t-nokey", "t-nokey"), ("API-900", "t-nokey")])
def test_a_uid_or_case_id_finds_its_test_first(call: Call, query: str, uid: str) -> None:
    assert call("search_tests", query=query).uids[0] == uid


def test_a_key_that_the_filters_exclude_is_not_forced_in(call: Call) -> None:
    assert "t-authors" not in call("search_tests", query="DEMO-12", filters={"tags": "login"}).uids


def test_matched_steps_with_an_encoder(call: Call) -> None:
    found = call("search_tests", query="wrong password three times", filters={"tags": ["web"]})
    assert found.uids == ["t-login"]
    (result,) = found.structured["results"]
    assert 2 in result["matchedSteps"]
    assert result["matched_steps"] == ",".join(map(str, result["matchedSteps"]))
    assert f"- Matched Steps: {result['matched_steps']}" in found.text


def test_a_title_with_the_words_of_the_query_makes_no_step_match(call: Call) -> None:
    found = call("search_tests", query="user can log in").structured["results"][0]
    assert found["test"]["title"] == "User can log in"
    assert "matchedSteps" not in found


def test_matched_steps_without_an_encoder(call_without_encoder: Call) -> None:
    found = call_without_encoder(
        "search_tests", query="wrong password three times", filters={"tags": ["web"]}
    )
    assert found.uids == ["t-login"]
    assert found.structured["results"][0]["matched_steps"] == "2"
    assert any("keyword search only" in warning for warning in found.structured["warnings"])


def test_a_step_alone_finds_its_test(call: Call) -> None:
    assert call("search_tests", query="a hundred requests").uids[0] == "t-nokey"


def test_the_text_of_a_hit(call: Call) -> None:
    text = call("search_tests", query="log in", top_k=1).text
    lines = text.splitlines()
    assert lines[:4] == [
        "**1. User can log in**",
        "- UID: t-login",
        "- Priority: High",
        "- Tags: login, Web",
    ]
    summary = lines[-1].removeprefix("- Summary: ")
    assert summary.endswith("...")
    assert len(summary) == 203


def test_a_summary_ends_with_a_whole_character(tmp_path: Path) -> None:
    family = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
    case = {"uid": "t-1", "title": "Family", "summary": "x" * 198 + family}
    folder = compiled(tmp_path, [case], tmp_path / "cache", embed=False)
    text = client(folder, tmp_path)("search_tests", query="family").text
    assert f"- Summary: {'x' * 198}...\n" in text


def test_scores_fall_from_at_most_one(call: Call) -> None:
    found = call("search_tests", query="log in to an account").structured
    scores = [result["score"] for result in found["results"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert found["total"] == len(scores)
    assert set(found["results"][0]["test"]) == {
        "uid",
        "title",
        "priority",
        "tags",
        "summary",
        "jiraKey",
        "platforms",
        "testType",
        "folderStructure",
    }


@pytest.mark.parametrize(
    ("filters", "uids"),
    [
        ({"tags": ["web"]}, {"t-login"}),
        ({"tags": ["LOGIN", "account"]}, {"t-login", "t-delete"}),
        ({"tags": "login"}, {"t-login"}),
        ({"priority": "high"}, {"t-login"}),
        ({"priority": ["High", "low"]}, {"t-login", "t-authors"}),
        ({"platforms": ["ios", "roku"]}, {"t-login"}),
        ({"folderStructure": ["api tests/auth"]}, {"t-login"}),
        ({"folderStructure": "/API Tests/"}, {"t-login", "t-authors"}),
        ({"folderStructure": "API Tests/Aut"}, set()),
        ({"testType": "api"}, {"t-login"}),
        ({"testType": "nonsense"}, set()),
        ({"relatedIssues": ["demo-7"]}, {"t-login"}),
        ({"testPath": "tests/api/*"}, {"t-login"}),
        ({"testPath": "*test_login.py"}, {"t-login"}),
        ({"testPath": "*test_login.py:12"}, {"t-login"}),
        ({"testPath": "auth/test"}, {"t-login"}),
        ({"testPath": "api/*"}, set()),
        ({"testPath": "tests/*/test_[k-m]?gin*"}, {"t-login"}),
        ({"tags": ["web"], "priority": "High", "testPath": "login"}, {"t-login"}),
        ({"tags": ["web"], "priority": "Low"}, set()),
    ],
)
def test_filters(
    call: Call, call_without_encoder: Call, filters: dict[str, Any], uids: set[str]
) -> None:
    query = "log in, delete an account, list authors, told limits"
    for ask in (call, call_without_encoder):
        found = ask("search_tests", query=query, filters=filters)
        assert set(found.uids) == uids
        if not uids:
            assert found.text.startswith("No tests found matching your query.")
            assert found.structured["warnings"]


def test_filters_as_they_apply_are_told(call: Call) -> None:
    filters = {
        "priority": "HIGH",
        "relatedIssues": "demo-7",
        "tags": ["web", "web"],
        "testPath": "",
    }
    applied = call("search_tests", query="log in", filters=filters).structured["filters"]
    assert applied == {"priority": "High", "relatedIssues": ["DEMO-7"], "tags": ["web"]}


@pytest.mark.parametrize("value", [None, "", [], [""], "  "])
@pytest.mark.parametrize("name", FILTERS)
def test_empty_filters_equal_none(call: Call, name: str, value: Any) -> None:
    plain = call("search_tests", query="log in")
    assert call("search_tests", query="log in", filters={name: value}) == plain


def test_a_value_near_a_mistyped_one_is_told(call: Call) -> None:
    found = call("search_tests", query="log in", filters={"tags": "acount"})
    assert '"account"' in found.structured["warnings"][0]


def test_a_filter_that_is_like_no_value_is_told_some_of_the_values(call: Call) -> None:
    filters = {"priority": ["Critical", "High"], "testType": "Unit", "tags": "zzz"}
    told = call("search_tests", query="login", filters=filters).structured["warnings"]
    assert any(each.startswith('no test has tags "zzz"; there is "') for each in told)
    assert not any("priority" in each for each in told)
    of_type = next(each for each in told if "testType" in each)
    assert of_type.startswith('no test has testType "Unit"; there is "')


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, ["query"]),
        ({"query": "  "}, ["query"]),
        ({"query": "x" * 1001}, ["1000"]),
        ({"query": 5}, ["query"]),
        ({"query": "x", "top_k": 0}, ["top_k", "1", "100"]),
        ({"query": "x", "top_k": True}, ["top_k"]),
        ({"query": "x", "filters": ["tags"]}, ["filters"]),
        ({"query": "x", "filters": {"foo": 1}}, ["foo", *FILTERS]),
        ({"query": "x", "filters": {"priority": "Urgent"}}, ["Critical", "High", "Medium", "Low"]),
        ({"query": "x", "filters": {"tags": {"a": 1}}}, ["tags"]),
        ({"query": "x", "filters": {"tags": ["x" * 101]}}, ["100"]),
        ({"query": "x", "filters": {"testPath": "x" * 501}}, ["500"]),
        ({"query": "x", "filters": {"tags": ["x"] * 51}}, ["50"]),
    ],
)
def test_what_a_search_refuses(call: Call, arguments: dict[str, Any], words: list[str]) -> None:
    message = refused(call("search_tests", **arguments), 400)
    assert all(word in message for word in words)


def test_more_results_than_allowed_are_clamped_and_told(call: Call) -> None:
    found = call("search_tests", query="log in", top_k=500)
    assert found.structured["top_k"] == 100
    assert "100" in found.structured["warnings"][0]
    assert "500" in found.text


@pytest.fixture(scope="module")
def crowd(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config, data: Path
) -> Call:
    """More tests about one thing, and more steps of each, than a short list looks at."""
    assert pytestconfig.cache is not None
    steps = ("Open the map", "Drop the anchor", "Count the anchors on board", "Weigh the anchor")
    cases = [
        {"uid": f"t-{number}", "title": f"Anchor {number}", "steps": list(steps[: number % 5])}
        for number in range(150)
    ]
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    return client(compiled(tmp_path_factory.mktemp("crowd"), cases, cache), data)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_tests", {"query": "drop the anchor"}),
        ("find_similar_tests", {"jira_key": "t-8"}),
        ("find_similar_tests", {"jira_key": "t-8", "scope": "docs"}),
        ("find_similar_tests", {"jira_key": "t-8", "scope": "steps"}),
    ],
)
def test_how_many_are_asked_for_changes_neither_order_nor_total(
    crowd: Call, tool: str, arguments: dict[str, Any]
) -> None:
    most = crowd(tool, **arguments, top_k=100).structured
    for top_k in (1, 20, 60):
        fewer = crowd(tool, **arguments, top_k=top_k).structured
        assert fewer["total"] == most["total"] >= len(most["results"]) == 100
        assert fewer["results"] == most["results"][:top_k]


def test_the_same_question_has_the_same_answer(call: Call) -> None:
    assert call("search_tests", query="log in") == call("search_tests", query="log in")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_tests", {"query": "authors of a book, wrong password, delete account"}),
        ("find_similar_tests", {"jira_key": "DEMO-12"}),
    ],
)
def test_a_shortened_answer_has_whole_tests(
    call: Call, tool: str, arguments: dict[str, Any]
) -> None:
    whole = call(tool, **arguments).structured["results"]
    assert len(whole) == 4
    noise = {f"argument_{number}_{'x' * 80}": 1 for number in range(4)}
    reply = call(tool, **arguments, **noise, max_chars=1000)
    kept = len(reply.structured["results"])
    assert reply.structured["truncated"]
    assert reply.structured["results"] == whole[:kept]
    assert len(reply.text) <= 1000
    assert reply.text.count("- UID:") == kept
    assert f"Only {count_of(kept, 'test')} could be shown" in reply.text


def test_a_search_that_finds_nothing_says_what_to_try(call_without_encoder: Call) -> None:
    found = call_without_encoder("search_tests", query="zzyzx")
    assert found.text.startswith("No tests found matching your query.")
    assert "use other words" in found.structured["warnings"]
    found = call_without_encoder("search_tests", query="zzyzx", filters={"tags": "web"})
    assert "leave some of them out" in found.structured["warnings"][-1]
