"""Every shape of export becomes the same test cases."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_runtime.records import cases as testcases
from kb_runtime.records.cases import Case, Step, normalise, sentences, suite_of

XRAY = {
    "issueKey": "demo-5",
    "folder": "\\Regression\\Login",
    "precondition": "An account",
    "objective": "Nobody gets in twice",
    "testInfo": {
        "summary": "Log in",
        "description": "",
        "type": "manual",
        "priority": "P2",
        "labels": ["smoke", "smoke", " web "],
        "steps": [
            {"index": "3", "action": "Open", "data": "https://x", "result": "form"},
            {"index": 0, "action": "Send", "expected": ["in", "mail"]},
            {"index": 9, "data": "nothing to do"},
            "Leave",
        ],
    },
}
API = {
    "title": "Ping",
    "testCaseId": "API-1",
    "jiraKey": None,
    "priority": 1,
    "platforms": "web",
    "folderStructure": ["Service", "Ping"],
    "tags": "api",
    "preconditions": "none",
    "testSteps": [{"action": "GET /ping", "expectedResult": "200"}],
    "testData": {"host": "example.org"},
    "relatedIssues": ["demo-1", "free text"],
    "testPath": "tests/ping.py:3",
}


def cases(data: Any, suite: testcases.Suite = "functional") -> tuple[Case, ...]:
    found = normalise(data, suite, "export.json")
    assert found is not None
    return found.cases


def test_raw_functional_record() -> None:
    (case,) = cases([XRAY])
    assert (case.uid, case.jira_key, case.title, case.summary) == ("DEMO-5",) * 2 + ("Log in",) * 2
    assert (case.test_type, case.priority, case.folder) == ("Manual", "High", "Regression/Login")
    assert case.description == "Nobody gets in twice"
    assert case.tags == ("smoke", "web")
    assert case.preconditions == ("An account",)
    assert case.source == "export.json"
    assert case.steps == (
        Step(3, "Open", "https://x", ("form",)),
        Step(2, "Send", "", ("in", "mail")),
        Step(4, "Leave"),
    )
    assert case.steps[0].instruction == "Open (Data: https://x)"


def test_flattened_functional_record() -> None:
    record = {
        "issueKey": "A-1",
        "summary": "Log in",
        "labels": "x",
        "testScript": {"steps": [{"description": "Open"}]},
    }
    (case,) = cases(record)
    assert (case.uid, case.tags, case.steps) == ("A-1", ("x",), (Step(1, "Open"),))


def test_raw_api_record() -> None:
    (case,) = cases({"testSuite": {"testCases": [API]}}, "api")
    assert (case.uid, case.jira_key, case.test_case_id) == ("API-1", "", "API-1")
    assert (case.test_type, case.priority, case.folder) == ("API", "Critical", "Service/Ping")
    assert case.platforms == ("web",)
    assert case.steps == (Step(1, "GET /ping", "", ("200",)),)
    assert case.test_data == "example.org" or json.loads(case.test_data) == API["testData"]
    assert case.related_issues == ("DEMO-1", "free text")


def test_a_normalised_record_stays_what_it_is() -> None:
    record = {
        "uid": "u-1",
        "jiraKey": "DEMO-1",
        "testId": 17,
        "title": "The title",
        "summary": "The summary",
        "description": "The description",
        "testType": "Performance",
        "tags": ["b", "a"],
        "folderStructure": "A/B",
        "priority": "Low",
        "source": "elsewhere.json",
        "ingested_at": "2026-01-01T00:00:00Z",
        "steps": [{"index": 1, "action": "Go", "data": "d", "expected": ["e"]}],
    }
    (case,) = cases([record])
    assert (case.uid, case.jira_key, case.test_id) == ("u-1", "DEMO-1", 17)
    assert (case.title, case.summary, case.description) == (
        "The title",
        "The summary",
        "The description",
    )
    assert (case.test_type, case.tags, case.folder) == ("Performance", ("b", "a"), "A/B")
    assert (case.source, case.ingested_at) == ("elsewhere.json", "2026-01-01T00:00:00Z")
    assert case.steps == (Step(1, "Go", "d", ("e",)),)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda one: [one],
        lambda one: {"info": {"x": 1}, "tests": [one]},
        lambda one: {"rows": [one]},
        lambda one: {"tests": [one]},
        lambda one: {"data": [one]},
        lambda one: {"testSuite": {"testCases": [one]}},
        lambda one: {"testSuite": {"name": "x", "tests": [one]}},
        lambda one: one,
    ],
)
@pytest.mark.parametrize("record", [XRAY, API])
def test_every_wrapper(wrap: Any, record: dict[str, Any]) -> None:
    assert cases(wrap(record)) == cases([record])


@pytest.mark.parametrize("data", [None, 5, "text", True, {}])
def test_what_is_no_export(data: Any) -> None:
    assert normalise(data, "functional", "x.json") is None


def test_defaults_follow_the_suite() -> None:
    (functional,) = cases([{"uid": "a"}])
    (api,) = cases([{"uid": "a"}], "api")
    assert (functional.test_type, functional.folder) == ("Manual", "Functional Tests")
    assert (api.test_type, api.folder) == ("API", "API Tests")
    assert functional.title == "Untitled Test"
    assert functional.priority == "Medium"


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ("critical", "Critical"),
        (2, "High"),
        ("P3", "Medium"),
        (" LOW ", "Low"),
        ("Blocker", "Medium"),
        ({"name": "High"}, "High"),
        (None, "Medium"),
    ],
)
def test_priorities(given_: Any, expected: str) -> None:
    assert cases([{"uid": "a", "priority": given_}])[0].priority == expected


@pytest.mark.parametrize(
    ("record", "uid"),
    [
        ({"uid": "u", "jiraKey": "A-1"}, "u"),
        ({"jiraKey": "AB-1", "testCaseId": "c"}, "AB-1"),
        ({"testCaseId": "c", "testId": 4}, "c"),
        ({"testId": 4}, "4"),
        ({"testId": "T4"}, "T4"),
    ],
)
def test_which_identifier_is_the_uid(record: dict[str, Any], uid: str) -> None:
    assert cases([record])[0].uid == uid


def test_findings() -> None:
    found = normalise(
        [{"title": "no id"}, 7, {"uid": "a", "tags": ["x"]}, {"uid": "a", "title": "last"}],
        "functional",
        "x.json",
    )
    assert found is not None
    assert [case.title for case in found.cases] == ["last"]
    assert found.skipped == 2
    told = sentences(found.findings)
    assert "no id" in told["no-identifier"]
    assert told["not-an-object"].startswith("1 test ")
    assert told["duplicate-uid"].endswith(": a")
    assert set(told) == {"no-identifier", "not-an-object", "duplicate-uid", "no-steps", "no-tags"}


def test_many_findings_are_one_sentence() -> None:
    found = normalise([{"uid": f"u{number}"} for number in range(1200)], "api", "x.json")
    assert found is not None
    told = sentences(found.findings)["no-title"]
    assert told.startswith("1,200 tests ")
    assert told.endswith("u0, u1, u2, u3, u4 and 1195 more")


@pytest.mark.parametrize(
    ("name", "data", "suite"),
    [
        ("api_tests_xray.json", [], "api"),
        ("functional.json", [], "functional"),
        ("capital.json", [], "functional"),
        ("x.json", {"testSuite": []}, "api"),
    ],
)
def test_suite_of_a_file(name: str, data: Any, suite: str) -> None:
    assert suite_of(name, data) == suite


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["uid", "jiraKey", "title", "steps", "tags", "testInfo", "tests", "action", "index"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@pytest.mark.slow
@given(JSON)
def test_any_json_is_read_and_gives_text_that_can_be_stored(data: Any) -> None:
    found = normalise(data, "functional", "x.json")
    for case in found.cases if found else ():
        assert case.uid
        assert case.title
        case.title.encode()
        assert "\0" not in case.uid + case.title
        assert all(step.action and step.index >= 1 for step in case.steps)


@pytest.mark.parametrize(("data", "suite"), [([XRAY], "functional"), ([API], "api")])
def test_a_normalised_record_is_read_as_the_same_case(data: Any, suite: testcases.Suite) -> None:
    found = cases(data, suite)
    stored = json.loads(json.dumps([testcases.as_record(case) for case in found]))
    for again in ("functional", "api"):
        assert cases(stored, again) == found


RAW = st.fixed_dictionaries(
    {"uid": st.text(min_size=1)},
    optional={
        "title": st.text(),
        "summary": st.text(),
        "testId": st.integers() | st.text(),
        "priority": st.text(),
        "tags": st.lists(st.text()) | st.text(),
        "folder": st.text(),
        "steps": st.lists(st.text() | st.fixed_dictionaries({"action": st.text()})),
        "preconditions": st.lists(st.text()),
        "testData": st.dictionaries(st.text(), st.integers()),
    },
)


@given(st.lists(RAW, max_size=5), st.sampled_from(["functional", "api"]))
def test_what_was_normalised_once_stays_as_it_is(data: Any, suite: testcases.Suite) -> None:
    found = normalise(data, suite, "export.json")
    assert found is not None
    stored = json.loads(json.dumps([testcases.as_record(case) for case in found.cases]))
    again = normalise(stored, "functional", "tests.json")
    assert again is not None
    assert again.cases == found.cases
