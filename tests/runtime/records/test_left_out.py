"""What of an export does not become a test case, in each shape of export."""

from __future__ import annotations

from typing import Any

import pytest
from tests.runtime.records.test_exports import only, read

from kb_runtime.records.cases import SKIPPING, Step, sentences

PAGE = {
    "data": {
        "getTests": {
            "total": 3,
            "results": [
                {"issueId": "1", "jira": {"key": "PUMP-1", "summary": "Starts"}},
                None,
                {"jira": {"summary": "Nameless"}, "steps": [{"action": "Look"}]},
                {"issueId": "3", "jira": {"key": "PUMP-1", "summary": "Starts again"}},
            ],
        }
    }
}
ISSUES = {
    "issues": [
        {"key": "PUMP-1", "fields": {"summary": "Starts", "issuetype": {"name": "Test"}}},
        {"key": "PUMP-2", "fields": {"summary": "Leak", "issuetype": {"name": "Bug"}}},
        {"fields": {"summary": "Nameless"}},
        "PUMP-3",
        {"key": "PUMP-1", "fields": {"summary": "Starts again"}},
    ]
}
RAIL = {
    "cases": [
        {"id": 1, "title": "Starts", "section_id": 1},
        {"title": "Nameless", "custom_steps_separated": [{"content": "Look"}]},
        7,
        {"id": 1, "title": "Starts again", "section_id": 1},
    ]
}
SCALE = {
    "values": [
        {"key": "PUMP-T1", "name": "Starts", "testScript": {"steps": []}},
        {"name": "Nameless", "testScript": {"steps": []}},
        None,
        {"key": "PUMP-T1", "name": "Starts again"},
    ]
}
TABLE = "id,title,labels\nC1,Starts,a\n,Nameless,b\nC1,Starts again,c\nC2,Stops,d\nC2,Stops again,e\n,,f\n"
REPORT = """<testsuites><testsuite name="pump">
<testcase classname="t" name="starts"/><testcase classname="t"/><testcase classname="t" name="starts"/>
</testsuite></testsuites>"""
SCENARIOS = """Feature: Pump
  Scenario: Starts
    When I press start
  Scenario:
    When I look
  Scenario: Starts
    When I press it again
"""
RUN = {
    "tests": [
        {"nodeid": "t.py::starts", "outcome": "passed"},
        {"outcome": "error"},
        "t.py::stops",
        {"nodeid": "t.py::starts", "outcome": "failed"},
    ]
}


@pytest.mark.parametrize(
    ("name", "content", "records", "kept", "left_out"),
    [
        ("x.json", PAGE, 4, 1, ["not-an-object", "no-identifier", "duplicate-uid"]),
        (
            "jira.json",
            ISSUES,
            5,
            1,
            ["not-a-test", "no-identifier", "not-an-object", "duplicate-uid"],
        ),
        ("testrail.json", RAIL, 4, 1, ["no-identifier", "not-an-object", "duplicate-uid"]),
        ("zephyr.json", SCALE, 4, 1, ["no-identifier", "not-an-object", "duplicate-uid"]),
        (
            "t.csv",
            TABLE,
            6,
            2,
            ["no-identifier", "no-identifier", "duplicate-uid", "duplicate-uid"],
        ),
        ("report.xml", REPORT, 3, 2, ["no-identifier"]),
        ("pump.feature", SCENARIOS, 3, 3, []),
        ("run.json", RUN, 4, 1, ["no-identifier", "not-an-object", "duplicate-uid"]),
    ],
)
def test_every_record_that_is_left_out_is_counted_with_its_reason(
    name: str, content: Any, records: int, kept: int, left_out: list[str]
) -> None:
    found = read(name, content)
    reasons = [each.code for each in found.findings if each.code in {*SKIPPING, "duplicate-uid"}]
    assert sorted(reasons) == sorted(left_out)
    assert len(found.cases) == kept
    assert kept + len(reasons) == records
    assert found.skipped == sum(reason in SKIPPING for reason in reasons)
    told = sentences(found.findings)
    assert all(told[code].startswith(f"{reasons.count(code):,} test") for code in reasons)


def test_pages_of_an_api_in_one_list_are_read_one_after_another() -> None:
    pages = [
        {"offset": 0, "cases": [{"id": 1, "title": "Starts", "section_id": 4}]},
        {"offset": 1, "cases": [{"id": 2, "title": "Stops", "section_id": 4}, None]},
        {"sections": [{"id": 4, "name": "Pump"}]},
    ]
    found = read("testrail.json", pages)
    assert [(case.uid, case.folder) for case in found.cases] == [("C1", "Pump"), ("C2", "Pump")]
    assert found.skipped == 1
    assert len(read("xray.json", [PAGE, PAGE]).findings) > len(read("xray.json", PAGE).findings)
    # What looks like a page and says what it is called is a record.
    assert only("x.json", [{"uid": "u", "title": "T", "results": ["passed"]}]).title == "T"


def test_a_row_of_csv_without_an_action_goes_on_with_the_expectations() -> None:
    text = "id,title,action,expected\nC1,Starts,Press,hums\n,,,lamp is green\nC2,Stops,Pull,off\n"
    first, second = read("t.csv", text).cases
    assert first.steps == (Step(1, "Press", "", ("hums", "lamp is green")),)
    assert second.steps == (Step(1, "Pull", "", ("off",)),)


def test_what_a_step_without_an_action_says_is_not_left_out_silently() -> None:
    said, blank = {"expected": ["It hums"]}, {"action": " ", "expected": []}
    found = read(
        "a.json",
        [{"uid": "P-1", "steps": [said, {"action": "Press"}]}, {"uid": "P-2", "steps": [blank]}],
    )
    assert [case.steps for case in found.cases] == [(Step(2, "Press"),), ()]
    assert sentences(found.findings)["step-without-action"] == (
        "1 test with steps that have no action, which were left out: P-1"
    )
