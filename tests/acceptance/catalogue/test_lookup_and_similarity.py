"""`get_test_by_jira` and `find_similar_tests`: tests by their keys, and tests like a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.catalogue.cases import (
    CASES,
    Call,
    client,
    compiled,
    compiled_twice,
    refused,
)

from kb_runtime.store.manifest import load as load_manifest


@pytest.mark.parametrize("key", ["demo-10", " DEMO-10 "])
def test_a_test_in_full(call: Call, key: str) -> None:
    found = call("get_test_by_jira", jira_key=key)
    expected = CASES[0]
    kept = ("uid", "title", "jiraKey", "priority", "tags", "platforms", "description", "testType")
    more = ("folderStructure", "relatedIssues", "testPath", "source", "ingested_at")
    for field in (*kept, *more):
        assert found.structured[field] == expected[field]
    assert found.structured["summary"] == expected["summary"].strip()
    assert found.structured["steps"] == expected["steps"]
    assert expected["summary"].strip() in found.text
    assert "**Steps (4):**" in found.text
    assert (
        "2. Enter a wrong password three times\n   Expected: account locked, mail sent\n"
        in found.text
    )
    assert found.text.endswith("4. Enter the right one (Data: s3cret)")


def test_the_text_of_a_test_has_all_that_its_fields_have(tmp_path: Path) -> None:
    case = {
        **CASES[0],
        "preconditions": ["An account", "Mail works"],
        "testData": "user=ann",
        "expectedResults": "last outcome: failed: no mail",
    }
    folder = compiled(tmp_path, [case], tmp_path / "cache", embed=False)
    found = client(folder, tmp_path)("get_test_by_jira", jira_key="DEMO-10")
    for shown in (
        "- Type: API\n",
        "- Folder: API Tests/Auth/Login\n",
        "- Test Path: tests/api/auth/test_login.py:12\n",
        "- Related Issues: DEMO-7\n",
        "**Description:**\nCovers the lock after wrong passwords.\n",
        "**Preconditions:**\n- An account\n- Mail works\n",
        "**Test Data:**\nuser=ann\n",
        "**Expected Results:**\nlast outcome: failed: no mail\n",
    ):
        assert shown in found.text


def test_a_case_id_is_taken_with_a_note(call: Call) -> None:
    found = call("get_test_by_jira", jira_key="API-900")
    assert found.structured["uid"] == "t-nokey"
    assert found.structured["matchedBy"] == "testCaseId"
    assert "jiraKey" not in found.structured
    assert "- JIRA Key: N/A" in found.text
    assert "testCaseId" in found.structured["warnings"][0]


def test_ingestion_time_is_that_of_the_build_unless_the_input_has_one(
    call: Call, artifact: Path
) -> None:
    built_at = load_manifest(artifact)["built_at"]
    found = call("get_test_by_jira", jira_key="DEMO-11")
    assert found.structured["ingested_at"] == built_at


def test_tests_that_share_a_key_are_listed(call: Call) -> None:
    found = call("get_test_by_jira", jira_key="DEMO-12")
    assert found.structured["uid"] == "t-authors"
    assert found.structured["others"] == ["t-twin"]
    assert "t-twin" in found.text


def test_a_test_that_two_collections_hold_is_told_with_its_addresses(tmp_path: Path) -> None:
    call = client(compiled_twice(tmp_path, CASES), tmp_path)
    for given, field in (("t-delete", "uid"), ("DEMO-11", "key"), ("API-900", "testCaseId")):
        found = call("get_test_by_jira", jira_key=given)
        (other,) = found.structured["others"]
        assert other == f"kb://catalogue/two/{found.structured['uid']}"
        name = given.upper()
        assert f"{name} is also the {field} of other tests: {other}" in found.text
        assert call("get_test_by_jira", jira_key=other).structured["uid"] == other.split("/")[-1]
        similar = call("find_similar_tests", jira_key=given).uids
        assert found.structured["uid"] not in similar


@pytest.mark.parametrize(
    "key", ["nonsense", "D-1", "DEMO-0", "DEMO-01", "DEMO-123456789", "DEMO 10", "1DEMO-1", "../x"]
)
def test_malformed_keys(call: Call, key: str) -> None:
    reply = call("get_test_by_jira", jira_key=key)
    assert "invalid JIRA key format" in refused(reply, 400)


@pytest.mark.parametrize(
    ("given", "uid"), [("t-login", "t-login"), ("T-NoKey", "t-nokey"), ("api-900", "t-nokey")]
)
def test_any_identifier_of_a_test_is_taken(call: Call, given: str, uid: str) -> None:
    found = call("get_test_by_jira", jira_key=given)
    assert found.structured["uid"] == uid
    assert found.structured["matchedBy"] in ("uid", "testCaseId")
    assert given in found.structured["warnings"][0]


def test_every_search_result_shows_what_the_next_tool_takes(call: Call) -> None:
    for result in call("search_tests", query="login account limit authors").structured["results"]:
        uid = result["test"]["uid"]
        assert call("get_test_by_jira", jira_key=uid).structured["uid"] == uid
        assert call("find_similar_tests", jira_key=uid).structured["reference"]["uid"] == uid


def test_an_unknown_key_comes_with_close_ones(call: Call) -> None:
    reply = call("get_test_by_jira", jira_key="DEMO-19")
    assert "DEMO-19" in refused(reply, 404)
    assert reply.structured["error"]["suggestions"] == ["DEMO-10", "DEMO-11", "DEMO-12"]


@pytest.mark.parametrize("tool", ["get_test_by_jira", "find_similar_tests"])
def test_a_title_instead_of_a_key_comes_with_the_uid(call: Call, tool: str) -> None:
    error = call(tool, jira_key="Delete account & confirm").structured["error"]
    assert error["suggestions"][0] == "t-delete"


@pytest.mark.parametrize("scope", ["docs", "steps", "all", None])
@pytest.mark.parametrize("key", ["DEMO-11", "demo-11", "t-delete"])
def test_similar_tests(call: Call, scope: str | None, key: str) -> None:
    found = call("find_similar_tests", jira_key=key, top_k=100, scope=scope)
    assert found.uids
    assert "t-delete" not in found.uids
    scores = [result["score"] for result in found.structured["results"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert found.text.startswith("**Tests similar to DEMO-11:**\n\n1. **")
    assert f"   - Similarity Score: {scores[0]:.3f}\n   - Tags: " in found.text
    assert found.structured["reference"]["uid"] == "t-delete"


def test_the_most_similar_test_comes_first(call: Call) -> None:
    assert call("find_similar_tests", jira_key="t-twin").uids[0] == "t-authors"


def test_a_test_without_steps_can_be_compared_by_steps(call: Call) -> None:
    found = call("find_similar_tests", jira_key="t-authors", scope="steps")
    assert not found.is_error
    assert "t-twin" not in found.uids  # it has no steps either
    assert "Note: this test has no steps" in found.text
    assert "has no steps" not in call("find_similar_tests", jira_key="t-authors").text


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ({"jira_key": "DEMO-99"}, 404, ["DEMO-99"]),
        ({"jira_key": "DEMO-11", "scope": "titles"}, 400, ["docs", "steps", "all"]),
        ({"jira_key": "DEMO-11", "top_k": 0}, 400, ["top_k"]),
        ({"scope": "all"}, 400, ["jira_key"]),
    ],
)
def test_what_similarity_refuses(
    call: Call, arguments: dict[str, Any], status: int, words: list[str]
) -> None:
    message = refused(call("find_similar_tests", **arguments), status)
    assert all(word in message for word in words)


def test_nothing_similar_is_a_success(
    tmp_path: Path, pytestconfig: pytest.Config, data: Path
) -> None:
    assert pytestconfig.cache is not None
    folder = compiled(tmp_path, CASES[:1], Path(pytestconfig.cache.mkdir("kbc")))
    found = client(folder, data)("find_similar_tests", jira_key="DEMO-10")
    assert (found.text, found.uids) == ("No similar tests found.", [])


@pytest.mark.parametrize("uid", ["t-case", "T-Case", "T-CASE"])
def test_uids_may_differ_only_in_case(tmp_path: Path, uid: str) -> None:
    cases = [{"uid": each, "title": each} for each in ("t-case", "T-CASE", "T-Case")]
    ask = client(compiled(tmp_path, cases, tmp_path / "cache", embed=False), tmp_path)
    assert ask("get_test_by_jira", jira_key=uid).structured["uid"] == uid
    assert ask("find_similar_tests", jira_key=uid).structured["reference"]["uid"] == uid
    assert ask("search_tests", query=uid).uids[0] == uid
