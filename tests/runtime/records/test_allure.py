"""Results of Allure."""

from __future__ import annotations

from typing import Any

import pytest

from kb_runtime.records.cases import Case, normalise

RESULT = {
    "uuid": "a-1",
    "historyId": "b-2",
    "testCaseId": "c-3",
    "fullName": "pump.test_start#test_starts",
    "name": "The pump starts",
    "status": "broken",
    "statusDetails": {"message": "TimeoutError:\n  no flow", "trace": "..."},
    "description": "A cold pump.",
    "steps": [
        {
            "name": "Press start",
            "parameters": [{"name": "times", "value": "2"}],
            "steps": [{"name": "Hold the button"}],
        },
        {"name": "Measure the flow", "status": "failed"},
    ],
    "labels": [
        {"name": "tag", "value": "smoke"},
        {"name": "severity", "value": "blocker"},
        {"name": "suite", "value": "test_start"},
        {"name": "epic", "value": "Pump"},
        {"name": "story", "value": "Cold start"},
        {"name": "host", "value": "h"},
    ],
    "links": [
        {"type": "tms", "name": "PUMP-9", "url": "https://a.example/PUMP-9"},
        {"type": "issue", "name": "PUMP-3", "url": "https://a.example/PUMP-3"},
    ],
    "parameters": [{"name": "fluid", "value": "'oil'"}, {"name": "seed", "excluded": True}],
}


def case(data: Any) -> Case:
    found = normalise(data, "functional", "a-result.json")
    assert found is not None
    (only,) = found.cases
    return only


def test_a_result_is_a_test_with_its_labels_links_and_steps() -> None:
    found = case(RESULT)
    assert (found.uid, found.title) == (
        "pump.test_start#test_starts [fluid='oil']",
        "The pump starts",
    )
    assert (found.jira_key, found.test_case_id, found.related_issues) == ("PUMP-9", "", ("PUMP-3",))
    assert (found.test_type, found.priority, found.tags) == ("Automated", "Critical", ("smoke",))
    assert (found.folder, found.test_data) == ("Pump/Cold start", "fluid='oil'")
    assert found.expected_results == "last outcome: failed, TimeoutError: no flow"
    assert [(step.index, step.action, step.data) for step in found.steps] == [
        (1, "Press start", "times=2"),
        (2, "Hold the button", ""),
        (3, "Measure the flow", ""),
    ]


def test_a_result_may_say_little() -> None:
    bare = {"uuid": "a", "historyId": "b", "name": "Stops", "status": "passed", "labels": []}
    found = case([bare])
    assert (found.uid, found.jira_key, found.priority) == ("Stops", "", "Medium")
    assert (found.folder, found.expected_results) == ("Functional Tests", "last outcome: passed")
    managed = case({**bare, "links": [{"type": "tms", "name": "PUMP-T9"}], "steps": None})
    assert (managed.uid, managed.jira_key, managed.test_case_id) == ("Stops", "", "PUMP-T9")


@pytest.mark.parametrize("data", [{"uuid": "a", "children": ["a-1"], "befores": []}])
def test_what_is_set_up_around_tests_is_none(data: Any) -> None:
    found = normalise(data, "functional", "a-container.json")
    assert found is not None
    assert (found.cases, found.findings) == ((), ())


def test_a_result_of_an_old_adapter_is_called_as_its_test() -> None:
    result = {"uuid": "a", "name": "starts", "status": "passed", "labels": [], "stop": 1}
    found = normalise(result, "functional", "a-result.json")
    assert found is not None
    assert [(case.uid, case.expected_results) for case in found.cases] == [
        ("starts", "last outcome: passed")
    ]
