"""What the five tools over test cases promise, call by call, on a compiled catalogue."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.answer_schemas import check_structure

from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp import calls
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.store.manifest import load as load_manifest
from kb_runtime.tools.registry import TOOLS
from kb_runtime.tools.session import Session
from kbc.pipeline.build import BuildOptions, build

REVISION = "2025-11-25"
FILTERS = (
    "tags",
    "priority",
    "platforms",
    "folderStructure",
    "testType",
    "relatedIssues",
    "testPath",
)
CASES: list[dict[str, Any]] = [
    {
        "uid": "t-login",
        "jiraKey": "DEMO-10",
        "title": "User can log in",
        "summary": "Sign in with a valid account. " + "It matters. " * 30,
        "description": "Covers the lock after wrong passwords.",
        "testType": "API",
        "priority": "High",
        "tags": ["login", "Web"],
        "platforms": ["iOS", "Web"],
        "folderStructure": "API Tests/Auth/Login",
        "relatedIssues": ["DEMO-7"],
        "testPath": "tests/api/auth/test_login.py:12",
        "source": "exported.json",
        "ingested_at": "2026-01-02T03:04:05Z",
        "steps": [
            {"index": 1, "action": "Open the sign-in page", "expected": ["form shown"]},
            {
                "index": 2,
                "action": "Enter a wrong password three times",
                "expected": ["account locked", "mail sent"],
            },
            {"index": 3, "action": "Wait fifteen minutes", "expected": ["the lock is gone"]},
            {"index": 4, "action": "Enter the right one", "data": "s3cret", "expected": []},
        ],
    },
    {
        "uid": "t-delete",
        "jiraKey": "DEMO-11",
        "title": "Delete account & confirm",
        "priority": "Medium",
        "tags": ["account"],
        "steps": ["Press delete", "Confirm the mail"],
    },
    {
        "uid": "t-nokey",
        "testCaseId": "API-900",
        "title": "Rate limit is told",
        "tags": ["limits"],
        "steps": [{"action": "Send a hundred requests", "result": "429"}],
    },
    {
        "uid": "t-authors",
        "jiraKey": "DEMO-12",
        "title": "List the authors of a book",
        "folderStructure": "API Tests/Authors",
        "tags": ["books"],
        "priority": "Low",
    },
    {"uid": "t-twin", "jiraKey": "DEMO-12", "title": "Sort the authors", "tags": ["books"]},
]
STEPS = 7


class Reply(NamedTuple):
    text: str
    structured: dict[str, Any]
    is_error: bool

    @property
    def uids(self) -> list[str]:
        return [result["test"]["uid"] for result in self.structured["results"]]


Call = Callable[..., Reply]


def client(folder: Path, data: Path, *, read_only: bool = False) -> Call:
    """Calls tools through the dispatch core; a successful answer must fit its output schema."""
    live = LiveArtifact(folder)
    dispatcher = Dispatcher(live, data_folder=str(data), read_only=read_only)
    listed = dispatcher.handle("tools/list", {}, REVISION)["tools"]
    tools = {tool["name"]: tool for tool in listed}

    def call(tool: str, /, **arguments: Any) -> Reply:
        params = {"name": tool, "arguments": arguments}
        result = dispatcher.handle("tools/call", params, REVISION)
        json.dumps(result)  # nothing but JSON goes over the wire
        (content,) = result["content"]
        check_structure(tools[tool], result["structuredContent"])
        return Reply(content["text"], result["structuredContent"], result["isError"])

    return call


def compiled(folder: Path, cases: list[dict[str, Any]], cache: Path, *, embed: bool = True) -> Path:
    (folder / "kb" / "tests").mkdir(parents=True)
    (folder / "kb" / "kb.toml").write_text('[kb]\nname = "catalogue"\n')
    (folder / "kb" / "tests" / "functional.json").write_text(json.dumps(cases))
    options = BuildOptions(out=folder / "out", cache=cache, embed=embed)
    return build(folder / "kb", options).path


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    return compiled(tmp_path_factory.mktemp("catalogue"), CASES, cache)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The server's data folder, with an export of each shape that matters here."""
    folder = tmp_path_factory.mktemp("data")
    raw = {"testSuite": {"testCases": [{"title": "Ping", "testCaseId": "API-1", "tags": ["a"]}]}}
    files = {
        "normalized.json": json.dumps(CASES),
        "api.json": json.dumps(raw),
        "broken.json": '[{"uid": 1,]',
        "empty.json": "[]",
        "digits.json": '[{"uid": "x", "testId": ' + "9" * 5000 + "}]",
        "nameless.json": '[{"title": "No identifier"}]',
        "notes.txt": "[]",
        "sub/inner.json": json.dumps({"rows": [{"uid": "x"}, 5, {"uid": "x", "title": "again"}]}),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "link.json").symlink_to(folder / "normalized.json")
    (folder / "folder.json").mkdir()
    return folder


@pytest.fixture(scope="module")
def call(artifact: Path, data: Path) -> Call:
    ask = client(artifact, data)
    ask("search_tests", query="loads the encoder, which another fixture takes away from others")
    return ask


@pytest.fixture
def call_without_encoder(
    call: Call, artifact: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> Call:
    """The same server when its encoder cannot be loaded."""
    del call  # has loaded its own by now

    def unloadable(*_: Any) -> None:
        raise OSError("no such library: /opt/secret/libonnx.so")

    monkeypatch.setattr("kb_runtime.search.encoder.QueryEncoder.__init__", unloadable)
    return client(artifact, data)


def refused(reply: Reply, status: int) -> str:
    """The message of a flagged error with its status."""
    assert reply.is_error
    assert reply.text.startswith(f"API Error ({status}): ")
    assert reply.structured["error"]["status"] == status
    message: str = reply.structured["error"]["message"]
    assert message in reply.text
    return message


# search_tests


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


def test_matched_steps_without_an_encoder(call_without_encoder: Call) -> None:
    found = call_without_encoder(
        "search_tests", query="wrong password three times", filters={"tags": ["web"]}
    )
    assert found.uids == ["t-login"]
    assert found.structured["results"][0]["matched_steps"] == "2"
    assert any("keyword results only" in warning for warning in found.structured["warnings"])


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


# get_test_by_jira


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


# find_similar_tests


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


# check_health


def test_health(call: Call, artifact: Path) -> None:
    found = call("check_health")
    assert found.structured["status"] == "HEALTHY"
    assert found.structured["qdrant"]["status"] == "connected"
    collections = found.structured["qdrant"]["collections"]
    assert (collections["test_docs"], collections["test_steps"]) == (len(CASES), STEPS)
    assert found.structured["buildId"] == artifact.name
    assert found.structured["stale"] is False
    assert found.structured["byPriority"] == {"High": 1, "Low": 1, "Medium": 3}
    assert found.structured["byTestType"] == {"API": 1, "Manual": 4}
    assert f"- test_docs: {len(CASES)} points\n- test_steps: {STEPS} points\n" in found.text
    embedder = found.structured["embedder"]
    assert embedder["model"]
    assert f"- Provider: {embedder['provider']}\n- Model: {embedder['model']}" in found.text


def test_health_without_a_usable_encoder(call_without_encoder: Call) -> None:
    found = call_without_encoder("check_health")
    assert found.structured["status"] == "DEGRADED"
    assert "secret" not in found.text
    assert not found.is_error


def test_an_index_without_vectors_on_purpose_is_healthy(
    tmp_path: Path, pytestconfig: pytest.Config, data: Path
) -> None:
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    cases = [{**case, "steps": case.get("steps") or ["Look"]} for case in CASES[:2]]
    ask = client(compiled(tmp_path, cases, cache, embed=False), data)
    found = ask("check_health")
    assert found.structured["status"] == "HEALTHY"
    assert found.structured["embedder"] == {"provider": "none", "model": "none"}
    assert "problems" not in found.structured
    similar = ask("find_similar_tests", jira_key="DEMO-11")
    assert similar.uids == ["t-login"]
    assert "keyword only" in similar.structured["warnings"][0]


def test_a_build_that_another_has_followed_is_stale(
    tmp_path: Path, pytestconfig: pytest.Config, data: Path
) -> None:
    assert pytestconfig.cache is not None
    folder = compiled(tmp_path, CASES[:2], Path(pytestconfig.cache.mkdir("kbc")), embed=False)
    ask = client(folder, data)  # serves this build, whatever is published beside it
    assert ask("check_health").structured["stale"] is False
    (folder.parent / "CURRENT").write_text("0123456789abcdef\n")
    found = ask("check_health").structured
    assert (found["stale"], found["status"]) == (True, "DEGRADED")
    assert "a newer build is published" in found["problems"][0]


def test_health_is_good_again_after_the_cause_of_a_warning_is_gone(
    tmp_path: Path, pytestconfig: pytest.Config, data: Path
) -> None:
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    twice = [*CASES[:2], {**CASES[0], "title": "The same again"}]
    ask = client(compiled(tmp_path, twice, cache, embed=False).parent, data)
    found = ask("check_health").structured
    assert found["status"] == "DEGRADED"
    assert "warnings about tests" in found["problems"][0]
    export = tmp_path / "kb" / "tests" / "functional.json"
    export.write_text(json.dumps(CASES[:2]))
    build(tmp_path / "kb", BuildOptions(out=tmp_path / "out", cache=cache, embed=False))
    again = ask("check_health").structured
    assert again["status"] == "HEALTHY"
    assert "problems" not in again
    assert again["buildId"] != found["buildId"]


@pytest.mark.parametrize("name", ["catalog/tests.facets", "catalog/tests.bin"])
def test_health_of_a_damaged_index(
    tmp_path: Path, pytestconfig: pytest.Config, data: Path, name: str
) -> None:
    assert pytestconfig.cache is not None
    folder = compiled(tmp_path, CASES[:2], Path(pytestconfig.cache.mkdir("kbc")))
    ask = client(folder, data)
    content = bytearray((folder / name).read_bytes())
    content[-3] ^= 1
    (folder / name).write_bytes(content)
    found = ask("check_health")
    assert not found.is_error
    assert found.structured["status"] == "UNHEALTHY"
    assert found.structured["qdrant"]["status"] == "disconnected"
    assert str(folder) not in found.text
    refused(ask("search_tests", query="log in", filters={"tags": "web"}), 503)


# ingest_tests


def test_a_normalised_file_is_counted_and_not_stored(call: Call, artifact: Path) -> None:
    before = {path: path.stat() for path in artifact.rglob("*")}
    found = call("ingest_tests", functional_path="normalized.json")
    assert found.structured["functional"] == {"docs_ingested": len(CASES), "steps_ingested": STEPS}
    assert "api" not in found.structured
    assert found.structured["persisted"] is False
    assert found.structured["next"] == "cp -- DATA/normalized.json KB/tests/ && kbc build KB"
    assert "DATA the server's data folder" in found.text
    assert found.text.startswith(
        f"**Ingestion check**\n\n- Functional Tests: {len(CASES)} docs, {STEPS} steps\n"
    )
    assert {path: path.stat() for path in artifact.rglob("*")} == before


def test_both_files_at_once(call: Call) -> None:
    found = call("ingest_tests", functional_path="data/sub/inner.json", api_path="api.json")
    assert found.structured["functional"] == {"docs_ingested": 1, "steps_ingested": 0}
    assert found.structured["api"] == {"docs_ingested": 1, "steps_ingested": 0}
    assert found.structured["skipped"] == 1
    assert "- API Tests: 1 docs, 0 steps" in found.text
    assert any("no JSON object" in error for error in found.structured["errors"])
    assert any("replaced by a later one" in warning for warning in found.structured["warnings"])
    assert any("without steps" in warning for warning in found.structured["warnings"])


def test_one_file_in_both_arguments(call: Call) -> None:
    found = call("ingest_tests", functional_path="normalized.json", api_path="normalized.json")
    (told,) = (each for each in found.structured["warnings"] if "twice" in each)
    assert told.startswith(f"{len(CASES)} tests were read twice")
    assert "api_path counts: t-login" in told
    assert found.structured["next"].startswith("cp -- DATA/normalized.json KB/tests/ && kbc")


def test_an_api_export_given_as_functional_tests(call: Call) -> None:
    found = call("ingest_tests", functional_path="api.json")
    told = [each for each in found.structured["warnings"] if "API tests" in each]
    assert any("give it as api_path" in each for each in told)
    assert any('`suite = "functional"` in kb.toml' in each for each in told)
    assert all(each in found.text for each in told)
    assert "give it" not in call("ingest_tests", api_path="api.json").text


def test_default_files(artifact: Path, tmp_path: Path) -> None:
    (tmp_path / "functional_tests_xray.json").write_text('[{"issueKey": "A-1", "summary": "old"}]')
    ask = client(artifact, tmp_path)
    assert ask("ingest_tests").structured["functional"]["docs_ingested"] == 1
    (tmp_path / "functional_tests_normalized.json").write_text(json.dumps(CASES))
    assert ask("ingest_tests").structured["functional"]["docs_ingested"] == len(CASES)
    (tmp_path / "api_tests_xray.json").write_text('{"tests": [{"uid": "x"}]}')
    assert ask("ingest_tests").structured["api"]["docs_ingested"] == 1


def test_the_folder_goes_by_its_own_name_too(
    artifact: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exports = tmp_path / "quality" / "exports"
    exports.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    ask = client(artifact, Path("quality/exports"))
    missing = refused(ask("ingest_tests"), 404)
    assert "quality/exports/functional_tests_xray.json" in missing
    (exports / "x.json").write_text(json.dumps(CASES))
    for path in ("x.json", "quality/exports/x.json", "./quality/exports/x.json", "data/x.json"):
        found = ask("ingest_tests", functional_path=path)
        assert found.structured["functional"]["docs_ingested"] == len(CASES)
        assert found.structured["next"].startswith("cp -- quality/exports/x.json KB/tests/ &&")


def test_no_default_file_is_there(artifact: Path, tmp_path: Path) -> None:
    reply = client(artifact, tmp_path / "nowhere")("ingest_tests")
    assert "data/functional_tests_normalized.json" in refused(reply, 404)


@pytest.mark.parametrize(
    ("path", "status", "word"),
    [
        ("missing.json", 404, "missing.json"),
        ("broken.json", 400, "line 1"),
        ("empty.json", 400, "no usable test"),
        ("digits.json", 400, "too long"),
        ("nameless.json", 400, "identifier"),
        ("notes.txt", 400, ".json"),
        ("link.json", 400, "links"),
        ("folder.json", 400, "regular file"),
        ("../x.json", 400, "`..`"),
        ("sub/../../x.json", 400, "`..`"),
        ("~/x.json", 400, "`~`"),
        ("file:///etc/x.json", 400, "scheme"),
        ("C:x.json", 400, "drive"),
        ("/etc/x.json", 400, "outside"),
        ("x;rm.json", 400, "shell"),
        ("$(id).json", 400, "shell"),
        ("a\nb.json", 400, "control"),
        ("x" * 501 + ".json", 400, "500"),
    ],
)
def test_paths_that_are_refused(call: Call, path: str, status: int, word: str) -> None:
    assert word in refused(call("ingest_tests", api_path=path), status)


def test_an_absolute_path_inside_the_folder_is_read(call: Call, data: Path) -> None:
    found = call("ingest_tests", functional_path=str(data.resolve() / "api.json"))
    assert found.structured["functional"]["docs_ingested"] == 1


def test_a_file_that_is_too_large_is_not_read(
    call: Call, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb_runtime.tools.cases.ingestion.MAX_BYTES", 1)
    assert "MB" in refused(call("ingest_tests", api_path="api.json"), 400)


# All five

ARGUMENTS: Mapping[str, dict[str, Any]] = {
    "search_tests": {"query": "log in"},
    "find_similar_tests": {"jira_key": "DEMO-11"},
    "get_test_by_jira": {"jira_key": "DEMO-11"},
    "check_health": {},
    "ingest_tests": {"api_path": "api.json"},
}


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        ({}, "cp -- DATA/TESTS.json KB/tests/ && kbc build KB"),
        (
            {"functional_path": "normalized.json", "api_path": "no such file.json"},
            "cp -- DATA/normalized.json KB/tests/ && cp -- 'DATA/no such file.json'"
            " 'KB/tests/api-no such file.json' && kbc build KB",
        ),
    ],
)
def test_a_read_only_server_tells_what_to_run(
    artifact: Path, data: Path, arguments: dict[str, Any], command: str
) -> None:
    reply = client(artifact, data, read_only=True)("ingest_tests", **arguments)
    assert "--read-only" in refused(reply, 403)
    assert reply.structured["error"]["kind"] == "READ_ONLY"
    assert reply.structured["error"]["details"] == {"command": command}
    assert command in reply.text


def test_a_read_only_server_refuses_bad_paths_as_ever(artifact: Path, data: Path) -> None:
    reply = client(artifact, data, read_only=True)("ingest_tests", functional_path="../x.json")
    assert "`..`" in refused(reply, 400)


def test_every_tool_of_the_family_is_offered_and_covered(call: Call) -> None:
    assert {tool.name for tool in TOOLS if tool.family == "tests"} == set(ARGUMENTS)


@pytest.mark.parametrize("tool", ARGUMENTS)
def test_a_defect_leaks_nothing(
    artifact: Path, data: Path, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = client(artifact, data)

    class Broken:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(f"secret at /opt/private: {name}")

    def session(*_: Any) -> Session:
        return Broken()  # type: ignore[return-value]

    monkeypatch.setattr(calls, "Session", session)
    reply = ask(tool, **ARGUMENTS[tool])
    refused(reply, 500)
    assert "secret" not in json.dumps(reply.structured) + reply.text
    assert "/opt" not in reply.text
