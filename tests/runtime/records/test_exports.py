"""Exports of test management tools, in their own shapes with content of our own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kb_runtime.records.case_files import CaseFileError, parse
from kb_runtime.records.cases import Case, Normalised, Step, normalise, sentences, suite_of
from kb_runtime.records.exports import MOST_FOLDERS


def read(name: str, content: Any) -> Normalised:
    text = content if isinstance(content, str) else json.dumps(content)
    parsed = parse(name, text.encode())
    found = normalise(parsed, suite_of(name, parsed), name)
    assert found is not None
    return found


def only(name: str, content: Any) -> Case:
    (case,) = read(name, content).cases
    return case


def test_xray_graphql() -> None:
    case = only(
        "xray.json",
        {
            "data": {
                "getTests": {
                    "total": 1,
                    "results": [
                        {
                            "issueId": "10042",
                            "testType": {"name": "Manual"},
                            "folder": {"path": "/Pump/Start"},
                            "preconditions": {"results": [{"jira": {"summary": "Tank is full"}}]},
                            "jira": {
                                "key": "PUMP-7",
                                "summary": "Pump starts",
                                "labels": ["smoke"],
                                "priority": {"name": "High"},
                            },
                            "steps": [
                                {
                                    "id": "a",
                                    "action": "Press start",
                                    "data": "once",
                                    "result": "hums",
                                }
                            ],
                        }
                    ],
                }
            }
        },
    )
    assert (case.uid, case.jira_key, case.test_case_id) == ("PUMP-7", "PUMP-7", "10042")
    assert (case.title, case.priority, case.tags, case.folder) == (
        "Pump starts",
        "High",
        ("smoke",),
        "Pump/Start",
    )
    assert case.preconditions == ("Tank is full",)
    assert case.steps == (Step(1, "Press start", "once", ("hums",)),)


def test_results_of_xray_have_the_key_of_their_test() -> None:
    steps = [{"action": "Press start", "data": "once", "result": "hums"}]
    info = {"summary": "Pump starts", "type": "Manual", "labels": ["smoke"], "steps": steps}
    run = {"testKey": "PUMP-7", "status": "PASSED", "testInfo": info}
    case = only("xray.json", {"info": {"summary": "Execution"}, "tests": [run]})
    assert (case.uid, case.jira_key, case.title) == ("PUMP-7", "PUMP-7", "Pump starts")
    assert case.steps == (Step(1, "Press start", "once", ("hums",)),)


def test_xray_cucumber_tests_have_steps() -> None:
    test = {
        "issueId": "1",
        "jira": {"key": "PUMP-8", "summary": "S"},
        "gherkin": "Given a tank\nWhen it leaks\nThen an alarm rings\nAnd it is logged",
    }
    case = only("x.json", {"data": {"getTests": {"results": [test]}}})
    assert [(step.action, step.expected) for step in case.steps] == [
        ("Given a tank", ()),
        ("When it leaks", ("an alarm rings", "it is logged")),
    ]


def test_jira_issues() -> None:
    description = {
        "type": "doc",
        "content": [
            {
                "type": "paragraph",
                "content": [{"type": "text", "text": "Checks "}, {"type": "text", "text": "it."}],
            },
            {"type": "paragraph", "content": [{"type": "text", "text": "Twice."}]},
        ],
    }
    fields = {
        "summary": "Valve closes",
        "description": description,
        "issuetype": {"name": "Test"},
        "priority": {"name": "Critical"},
        "labels": ["valve"],
        "components": [{"name": "Web"}],
        "issuelinks": [{"outwardIssue": {"key": "PUMP-1"}}],
        "customfield_10001": 7,
        "customfield_10020": {
            "steps": [
                {
                    "index": 1,
                    "fields": {"Action": "Turn", "Data": "left", "Expected Result": "shut"},
                }
            ]
        },
    }
    story = {"summary": "As a user", "issuetype": {"name": "Story"}}
    plan = {"summary": "Release 2", "issuetype": {"name": "Test Plan"}}
    found = read(
        "jira.json",
        {
            "issues": [
                {"key": "PUMP-9", "fields": fields},
                {"key": "PUMP-1", "fields": story},
                {"key": "PUMP-2", "fields": plan},
            ]
        },
    )
    (case,) = found.cases
    assert (case.uid, case.priority, case.platforms) == ("PUMP-9", "Critical", ("Web",))
    assert case.description == "Checks it.\nTwice."
    assert case.related_issues == ("PUMP-1",)
    assert case.steps == (Step(1, "Turn", "left", ("shut",)),)
    assert found.skipped == 2
    assert sentences(found.findings)["not-a-test"] == (
        "2 tests of another issue type, skipped: PUMP-1 (Story), PUMP-2 (Test Plan)"
    )


def test_testrail() -> None:
    export = {
        "sections": [
            {"id": 1, "name": "Pump", "parent_id": None},
            {"id": 2, "name": "Start", "parent_id": 1},
        ],
        "cases": [
            {
                "id": 100777,
                "title": "Starts cold",
                "section_id": 2,
                "priority_id": 4,
                "refs": "PUMP-1, PUMP-2",
                "custom_preconds": "Below zero",
                "custom_steps_separated": [
                    {"content": "Press start", "expected": "It hums", "additional_info": "gloves"}
                ],
            },
            {
                "id": 5,
                "title": "Old",
                "section_id": 9,
                "custom_steps": "Press",
                "custom_expected": "On",
            },
        ],
    }
    separated, old = read("testrail.json", export).cases
    assert (separated.uid, separated.test_case_id) == ("C100777", "C100777")
    assert (separated.folder, separated.priority) == ("Pump/Start", "Critical")
    assert separated.related_issues == ("PUMP-1", "PUMP-2")
    assert separated.steps == (Step(1, "Press start", "gloves", ("It hums",)),)
    assert old.steps == (Step(1, "Press", "", ("On",)),)


def test_sections_that_are_their_own_parents_end() -> None:
    sections = [{"id": 1, "name": "A", "parent_id": 2}, {"id": 2, "name": "B", "parent_id": 1}]
    case = only(
        "t.json", {"sections": sections, "cases": [{"id": 1, "title": "T", "section_id": 1}]}
    )
    assert case.folder == "B/A"


def test_zephyr() -> None:
    case = only(
        "zephyr.json",
        {
            "values": [
                {
                    "key": "PUMP-T12",
                    "name": "Stops",
                    "objective": "Stops at once",
                    "precondition": "Runs",
                    "priority": {"name": "Low"},
                    "labels": ["stop"],
                    "folder": {"name": "Pump"},
                    "testScript": {
                        "type": "STEP_BY_STEP",
                        "steps": [
                            {
                                "inline": {
                                    "description": "Pull",
                                    "testData": "rope",
                                    "expectedResult": "off",
                                }
                            }
                        ],
                    },
                }
            ]
        },
    )
    assert (case.uid, case.title, case.description) == ("PUMP-T12", "Stops", "Stops at once")
    assert (case.priority, case.folder, case.preconditions) == ("Low", "Pump", ("Runs",))
    assert case.steps == (Step(1, "Pull", "rope", ("off",)),)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_csv_with_a_row_for_each_step(separator: str) -> None:
    rows = [
        [
            "Issue key",
            "Summary",
            "Labels",
            "Labels",
            "Priority",
            "Action",
            "Data",
            "Expected Result",
        ],
        ["PUMP-3", "Fills", "a", "b", "High", '"Open\nit"', "5 l", "full"],
        ["", "", "", "", "", "Close it", "", "shut"],
        ["PUMP-4", "Drains", "", "", "", "Open", "", ""],
        ["", "Nameless", "", "", "", "Look", "", ""],
    ]
    found = read("tests.csv", "\ufeff" + "\r\n".join(separator.join(row) for row in rows))
    first, second = found.cases
    assert (first.uid, first.title, first.tags, first.priority) == (
        "PUMP-3",
        "Fills",
        ("a", "b"),
        "High",
    )
    assert first.steps == (
        Step(1, "Open\nit", "5 l", ("full",)),
        Step(2, "Close it", "", ("shut",)),
    )
    assert [step.action for step in second.steps] == ["Open"]
    assert sentences(found.findings)["no-identifier"].endswith("skipped: Nameless")


@pytest.mark.parametrize(
    "record",
    [
        {"id": 1, "title": "T", "section_id": [1]},
        {"id": 1, "title": "T", "section_id": 1, "priority_id": {}},
        {"key": "A-1", "fields": {"summary": "T", "components": 7}},
        {"nodeid": 7, "title": "T", "keywords": 1.5},
    ],
)
def test_fields_of_other_types_are_left_out(record: dict[str, Any]) -> None:
    sections = [{"id": 1, "name": "A", "parent_id": []}, {"id": []}]
    assert len(read("t.json", {"sections": sections, "cases": [record]}).cases) == 1


def test_a_section_may_be_on_another_page_than_the_one_above_it() -> None:
    pages = [
        {"offset": 0, "sections": [{"id": 1, "name": "A"}]},
        {"offset": 1, "sections": [{"id": 2, "name": "B", "parent_id": 1}]},
        {"cases": [{"id": 1, "title": "T", "section_id": 2}]},
    ]
    assert only("t.json", pages).folder == "A/B"


def test_folders_have_so_many_levels_at_most() -> None:
    sections = [{"id": at, "name": f"S{at}", "parent_id": at - 1} for at in range(1, 2_001)]
    cases = [{"id": at, "title": "T", "section_id": at} for at in (2, MOST_FOLDERS, 2_000)]
    short, long, deep = read("t.json", {"sections": sections, "cases": cases}).cases
    assert short.folder == "S1/S2"
    assert long.folder == "/".join(f"S{at}" for at in range(1, MOST_FOLDERS + 1))
    assert deep.folder.startswith("…/S1938/")
    assert deep.folder.endswith("/S2000")
    stated = only("t.json", {"uid": "1", "title": "T", "folder": "a/" * 2_000})
    assert stated.folder == "a/" * (MOST_FOLDERS - 1) + " ".join("a" * (2_001 - MOST_FOLDERS))


def test_csv_as_testrail_writes_it() -> None:
    text = (
        '"ID","Title","Section Hierarchy","Priority","Steps (Step)","Steps (Expected Result)","References"\n'
        '"C7","Warms up","Pump > Cold","Medium","Wait","Warm","PUMP-1"\n'
        '"C7","Warms up","Pump > Cold","Medium","Touch","Hot",""\n'
    )
    case = only("testrail.csv", text)
    assert (case.uid, case.folder) == ("C7", "Pump/Cold")
    assert [step.action for step in case.steps] == ["Wait", "Touch"]


def test_csv_of_testrail_with_both_kinds_of_steps() -> None:
    text = (
        "ID,Title,Steps,Expected Result,Steps (Step),Steps (Expected Result)\n"
        'C7,Warms up,"1. Wait 2. Touch",,Wait,Warm\n,,,,Touch,Hot\nC8,Cools down,Leave it,Cold,,\n'
    )
    warms, cools = read("testrail.csv", text).cases
    assert [(step.action, step.expected) for step in warms.steps] == [
        ("Wait", ("Warm",)),
        ("Touch", ("Hot",)),
    ]
    assert [(step.action, step.expected) for step in cools.steps] == [("Leave it", ("Cold",))]


def test_csv_as_zephyr_scale_writes_it() -> None:
    script = "Test Script (Step-by-Step) - "
    text = (
        f"Key,Name,Folder,Coverage (Issues),{script}Step,{script}Test Data,{script}Expected Result,"
        "Test Script (Plain Text)\n"
        "PUMP-T1,Warms up,/Pump/Cold,PUMP-1,Wait,5 min,Warm,\n,,,,Touch,,Hot,\n"
        "PUMP-T2,Cools down,/Pump,,,,,Leave it\n"
    )
    warms, cools = read("zephyr.csv", text).cases
    assert (warms.folder, warms.related_issues) == ("Pump/Cold", ("PUMP-1",))
    assert [(step.action, step.data, step.expected) for step in warms.steps] == [
        ("Wait", "5 min", ("Warm",)),
        ("Touch", "", ("Hot",)),
    ]
    assert [step.action for step in cools.steps] == ["Leave it"]


def test_csv_of_jira_with_fields_that_others_added() -> None:
    text = (
        "Issue key,Summary,Custom field (Test Type),Custom field (Test Repository Path)\n"
        "PUMP-3,Warms up,Automated,/Pump/Cold\n"
    )
    case = only("jira.csv", text)
    assert (case.test_type, case.folder) == ("Automated", "Pump/Cold")


JUNIT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pump">
  <testcase classname="tests.test_pump" name="test_start" file="tests/test_pump.py" line="12" time="0.1"/>
  <testcase classname="tests.test_pump" name="test_stop">
    <properties><property name="test_key" value="PUMP-5"/>
    <property name="tags" value="slow, stop"/></properties>
    <failure message="still on">trace</failure>
  </testcase>
  <testcase/>
</testsuite></testsuites>
"""


def test_junit_xml() -> None:
    found = read("report.xml", JUNIT)
    start, stop = found.cases
    assert start.uid == "tests.test_pump::test_start"
    assert (start.test_type, start.folder) == ("Automated", "pump/tests/test_pump")
    assert start.test_path == "tests/test_pump.py:12"
    assert start.expected_results == "last outcome: passed"
    assert (stop.jira_key, stop.tags) == ("PUMP-5", ("slow", "stop"))
    assert stop.expected_results == "last outcome: failed, still on"
    assert found.skipped == 1


def test_pytest_json_report() -> None:
    case = only(
        "report.json",
        {
            "exitcode": 1,
            "summary": {"failed": 1},
            "tests": [
                {
                    "nodeid": "tests/unit/test_pump.py::TestPump::test_start[cold]",
                    "lineno": 11,
                    "outcome": "failed",
                    "keywords": [
                        "test_start[cold]",
                        "cold",
                        "slow",
                        "TestPump",
                        "test_pump.py",
                        "tests",
                        "",
                    ],
                    "call": {"crash": {"message": "assert 1 == 2"}},
                }
            ],
        },
    )
    assert case.uid == "tests/unit/test_pump.py::TestPump::test_start[cold]"
    assert (case.folder, case.test_path) == ("tests/unit", "tests/unit/test_pump.py:12")
    assert case.tags == ("slow",)
    assert case.expected_results == "last outcome: failed, assert 1 == 2"


@pytest.mark.parametrize(
    ("name", "content", "line", "word"),
    [
        ("a.json", "{\n1", 2, "JSON"),
        ("a.csv", "", 1, "header"),
        ("a.csv", "Colour,Size\nred,1\n", 1, "Colour, Size"),
        ("a.csv", 'id,title\n1,"open\n', 2, "CSV"),
        ("a.xml", "<testsuites>\n<x", 2, "XML"),
        ("a.xml", "<html/>", 1, "<html>"),
        ("a.xml", '<!DOCTYPE x [<!ENTITY a "b">]><testsuites>&a;</testsuites>', 0, "document type"),
        ("a.feature", "nothing\n", 1, "Feature"),
        ("a.feature", "# language: tlh\nperbogh: P\n", 1, "'tlh'"),
    ],
)
def test_what_cannot_be_parsed_says_where(name: str, content: str, line: int, word: str) -> None:
    with pytest.raises(CaseFileError) as caught:
        parse(name, content.encode())
    assert word in caught.value.message
    assert caught.value.line == line
