"""The tools over test cases, where the tests came in through `ingest_tests` and lie in a workspace."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.catalogue.cases import CASES, FILTERS, REVISION, Call, Reply, refused
from tests.answer_schemas import check_structure

from kb_runtime.live.living_workspace import LivingWorkspace
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.live.workspace import Workspace
from kb_runtime.mcp.dispatch import Dispatcher
from kbc.pipeline.build import BuildOptions, build

INGESTED = CASES[:4]
STEPS = 7
KEPT = (
    "uid",
    "jiraKey",
    "testCaseId",
    "title",
    "summary",
    "description",
    "testType",
    "priority",
    "tags",
    "platforms",
    "folderStructure",
    "relatedIssues",
    "testPath",
    "preconditions",
    "steps",
    "source",
    "ingested_at",
)
"""The fields of a test that an ingestion of its own record must leave as they are."""


class Server:
    """A server with a workspace, over an artifact that has one page and no tests."""

    def __init__(self, shipped: Path, folder: Path) -> None:
        self.shipped = shipped
        self.data = folder / "data"
        self.data.mkdir()
        workspace = LivingWorkspace(Workspace.open(folder / "ws"))
        self.live = LiveArtifact(shipped, workspaces=workspace.kb_folders)
        workspace.serve_with(self.live)
        self._dispatcher = Dispatcher(self.live, data_folder=str(self.data), workspace=workspace)
        listed = self._dispatcher.handle("tools/list", {}, REVISION)["tools"]
        self._tools = {tool["name"]: tool for tool in listed}

    def call(self, tool: str, /, **arguments: Any) -> Reply:
        params = {"name": tool, "arguments": arguments}
        result = self._dispatcher.handle("tools/call", params, REVISION)
        check_structure(self._tools[tool], result["structuredContent"])
        (content,) = result["content"]
        return Reply(content["text"], result["structuredContent"], result["isError"])

    def put(self, name: str, tests: Any) -> str:
        (self.data / name).write_text(json.dumps(tests))
        return name

    def records(self) -> dict[str, dict[str, Any]]:
        """The tests with a key, in full, by uid."""
        keys = ("DEMO-10", "DEMO-11", "API-900", "DEMO-12")
        found = [self.call("get_test_by_jira", jira_key=key).structured for key in keys]
        return {each["uid"]: each for each in found}


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[Server]:
    """The fixture has been ingested. The artifact is compared at the end, after all that tests did."""
    assert pytestconfig.cache is not None
    folder = tmp_path_factory.mktemp("ingested")
    (folder / "kb" / "docs").mkdir(parents=True)
    (folder / "kb" / "docs" / "page.md").write_text("# A page\n\nIt says something.\n")
    (folder / "kb" / "kb.toml").write_text('[kb]\nname = "small"\n')
    options = BuildOptions(out=folder / "out", cache=Path(pytestconfig.cache.mkdir("kbc")))
    shipped = build(folder / "kb", options).path.parent
    before = content(shipped)
    server = Server(shipped, folder)
    stored = server.call("ingest_tests", functional_path=server.put("fixture.json", INGESTED))
    assert stored.structured["functional"] == {"docs_ingested": 4, "steps_ingested": STEPS}
    assert stored.structured["persisted"] is True
    yield server
    server.live.close()
    assert content(shipped) == before


@pytest.fixture(scope="module")
def call(server: Server) -> Call:
    return server.call


@pytest.mark.parametrize("query", ["user can't log in", 'a<b & "c"', "drop table view"])
def test_no_text_is_refused(call: Call, query: str) -> None:
    assert not call("search_tests", query=query).is_error


def test_words_of_a_title_find_it_first(call: Call) -> None:
    assert call("search_tests", query="delete account").uids[0] == "t-delete"


def test_a_step_finds_its_test_and_is_named(call: Call) -> None:
    found = call("search_tests", query="wrong password three times", filters={"tags": ["web"]})
    assert found.uids == ["t-login"]
    assert 2 in found.structured["results"][0]["matchedSteps"]
    assert "2" in found.structured["results"][0]["matched_steps"].split(",")


@pytest.mark.parametrize(
    ("filters", "uids"),
    [
        ({"priority": "high"}, {"t-login"}),
        ({"priority": "High"}, {"t-login"}),
        ({"relatedIssues": ["demo-7"]}, {"t-login"}),
        ({"testPath": "tests/api/*"}, {"t-login"}),
        ({"testPath": "*test_login.py"}, {"t-login"}),
        ({"testPath": "auth/test"}, {"t-login"}),
        ({"folderStructure": ["API Tests/Auth"]}, {"t-login"}),
        ({"tags": None, "priority": "", "platforms": []}, {each["uid"] for each in INGESTED}),
    ],
)
def test_filters(call: Call, filters: dict[str, Any], uids: set[str]) -> None:
    found = call("search_tests", query="account authors limit password", filters=filters)
    assert set(found.uids) == uids


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"query": "x", "filters": {"priority": "Urgent"}}, ["Critical", "High", "Medium", "Low"]),
        ({"query": "x", "filters": {"foo": 1}}, list(FILTERS)),
        ({"query": "x" * 1_001}, ["1000"]),
    ],
)
def test_what_a_search_refuses(call: Call, arguments: dict[str, Any], words: list[str]) -> None:
    message = refused(call("search_tests", **arguments), 400)
    assert all(word in message for word in words)


def test_a_test_in_full(call: Call) -> None:
    found = call("get_test_by_jira", jira_key="demo-10")
    assert found.structured["uid"] == "t-login"
    assert [step["index"] for step in found.structured["steps"]] == [1, 2, 3, 4]
    position = -1
    for text in (
        "1. Open the sign-in page",
        "form shown",
        "2. Enter a wrong password three times",
        "account locked, mail sent",
        "3. Wait fifteen minutes",
        "the lock is gone",
        "4. Enter the right one",
    ):
        assert (position := found.text.index(text, position + 1))


def test_a_case_id_is_taken_with_a_note(call: Call) -> None:
    found = call("get_test_by_jira", jira_key="API-900")
    assert found.structured["uid"] == "t-nokey"
    assert any("API-900" in warning for warning in found.structured["warnings"])
    assert "N/A" in found.text


@pytest.mark.parametrize(("key", "status"), [("DEMO-99", 404), ("no key", 400)])
def test_keys_that_are_refused(call: Call, key: str, status: int) -> None:
    assert refused(call("get_test_by_jira", jira_key=key), status)


@pytest.mark.parametrize("scope", ["docs", "steps", "all"])
def test_similar_tests(call: Call, scope: str) -> None:
    found = call("find_similar_tests", jira_key="DEMO-11", top_k=100, scope=scope)
    assert not found.is_error
    assert "t-delete" not in found.uids
    scores = [each["score"] for each in found.structured["results"]]
    assert scores
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_health_counts_what_was_ingested(call: Call) -> None:
    found = call("check_health")
    assert found.structured["status"] == "HEALTHY"
    collections = found.structured["qdrant"]["collections"]
    assert (collections["test_docs"], collections["test_steps"]) == (len(INGESTED), STEPS)
    assert f"- test_docs: {len(INGESTED)} points" in found.text
    assert f"- test_steps: {STEPS} points" in found.text
    for name in ("provider", "model"):
        value = found.structured["embedder"][name]
        assert f"- {name.title()}: {value}" in found.text


def test_what_was_ingested_is_what_the_file_says(server: Server) -> None:
    records = server.records()
    for case in INGESTED:
        record = records[case["uid"]]
        for name in ("title", "tags"):
            assert record[name] == case[name]
        assert record.get("folderStructure") == case.get("folderStructure", "Functional Tests")
        assert record["testType"] == case.get("testType", "Manual")
        assert record["priority"] == case.get("priority", "Medium")


@pytest.mark.slow
@pytest.mark.parametrize("argument", ["functional_path", "api_path"])
def test_records_that_are_ingested_again_stay_as_they_are(server: Server, argument: str) -> None:
    """The normalised record of a test is a valid input, whichever kind of file it is said to be."""
    before = server.records()
    normalised = [{name: each[name] for name in KEPT if name in each} for each in before.values()]
    name = server.put("again.json", normalised)
    stored = server.call("ingest_tests", **{argument: name})
    suite = argument.removesuffix("_path")
    assert stored.structured[suite] == {"docs_ingested": 4, "steps_ingested": STEPS}
    assert "0 tests added, 0 replaced, 4 unchanged" in stored.text
    assert server.records() == before


@pytest.mark.slow
def test_an_edited_test_replaces_the_one_of_its_uid_and_no_other(server: Server) -> None:
    before = server.records()
    edited = {**INGESTED[1], "title": "Delete an account for good", "tags": ["account", "gdpr"]}
    server.call("ingest_tests", functional_path=server.put("edited.json", [edited]))
    try:
        after = server.records()
        assert after["t-delete"]["title"] == "Delete an account for good"
        assert after["t-delete"]["tags"] == ["account", "gdpr"]
        assert after["t-delete"]["steps"] == before["t-delete"]["steps"]
        assert {**after, "t-delete": None} == {**before, "t-delete": None}
        assert server.call("search_tests", query="gdpr").uids[0] == "t-delete"
        assert server.call("check_health").structured["tests"] == len(INGESTED)
    finally:
        server.call("ingest_tests", functional_path=server.put("back.json", [INGESTED[1]]))


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("missing.json", 404),
        ("../fixture.json", 400),
        ("~/fixture.json", 400),
        ("https://example.org/fixture.json", 400),
        ("a;b.json", 400),
        ("fixture.txt", 400),
        ("broken.json", 400),
        ("empty.json", 400),
        ("link.json", 400),
    ],
)
def test_files_that_are_refused_add_nothing(server: Server, path: str, status: int) -> None:
    (server.data / "broken.json").write_text("[{")
    (server.data / "empty.json").write_text("[]")
    link = server.data / "link.json"
    if not link.is_symlink():
        link.symlink_to(server.data / "fixture.json")
    before = server.live.build_id
    assert refused(server.call("ingest_tests", functional_path=path), status)
    assert server.live.build_id == before
