"""Messages of Cucumber: what was run, and how it ended."""

from __future__ import annotations

import json
from typing import Any

from tests.runtime.records.test_exports import read

from kb_runtime.records.cases import Case, Step

FEATURE = {
    "uri": "features/pump.feature",
    "feature": {
        "name": "Pump",
        "children": [
            {
                "background": {
                    "id": "b",
                    "steps": [{"id": "b1", "keyword": "Angenommen ", "text": "ein Tank"}],
                }
            },
            {
                "rule": {
                    "name": "Cold",
                    "children": [
                        {
                            "scenario": {
                                "id": "s",
                                "location": {"line": 9},
                                "description": "  Slowly.\n",
                                "steps": [
                                    {"id": "s1", "keyword": "Wenn ", "text": "er <n> Grad hat"},
                                    {"id": "s2", "keyword": "Dann ", "text": "läuft er"},
                                ],
                            }
                        }
                    ],
                }
            },
        ],
    },
}


def pickle(number: int, degrees: str) -> dict[str, Any]:
    rows = [{"cells": [{"value": "a"}, {"value": "b"}]}]
    return {
        "id": f"p{number}",
        "uri": "features/pump.feature",
        "name": "Starts",
        "astNodeIds": ["s", f"row{number}"],
        "tags": [{"name": "@slow"}, {"name": "@PUMP-7"}],
        "steps": [
            {"text": "ein Tank", "astNodeIds": ["b1"]},
            {
                "text": f"er {degrees} Grad hat",
                "astNodeIds": ["s1"],
                "argument": {"dataTable": {"rows": rows}},
            },
            {"text": "läuft er", "astNodeIds": ["s2"]},
        ],
    }


def run(number: int, attempt: int, *results: dict[str, Any]) -> list[dict[str, Any]]:
    start = f"start{number}.{attempt}"
    stated = {"id": start, "attempt": attempt, "testCaseId": f"c{number}"}
    steps = [
        {"testStepFinished": {"testCaseStartedId": start, "testStepResult": result}}
        for result in results
    ]
    return [{"testCaseStarted": stated}, *steps, {"testCaseFinished": {"testCaseStartedId": start}}]


PASSED: dict[str, Any] = {"status": "PASSED", "duration": {"seconds": 1}}
FAILED = {"status": "FAILED", "message": "too cold\n  at pump.rb:3"}


def cases(*messages: dict[str, Any]) -> tuple[Case, ...]:
    every = [{"meta": {}}, {"gherkinDocument": FEATURE}, *messages]
    return read("messages.ndjson", "\n".join(map(json.dumps, every))).cases


def test_scenarios_are_told_with_their_steps_and_last_outcomes() -> None:
    first, second = cases(
        {"pickle": pickle(1, "3")},
        {"pickle": pickle(2, "9")},
        {"testCase": {"id": "c1", "pickleId": "p1"}},
        {"testCase": {"id": "c2", "pickleId": "p2"}},
        *run(1, 0, PASSED, FAILED, {"status": "SKIPPED"}),
        *run(2, 0, FAILED),
        *run(2, 1, PASSED, PASSED),
    )
    assert (first.uid, second.uid) == ("pump: Starts", "pump: Starts #2")
    assert (first.jira_key, first.tags) == ("PUMP-7", ("slow", "PUMP-7"))
    assert (first.folder, first.test_path) == ("Pump/Cold", "features/pump.feature:9")
    assert first.preconditions == ("Angenommen ein Tank",)
    assert first.steps == (Step(1, "Wenn er 3 Grad hat", "| a | b |", ("läuft er",)),)
    assert first.description == "Slowly."
    assert first.expected_results.startswith("last outcome: failed, too cold")
    assert second.expected_results == "last outcome: passed, flaky"


def test_a_scenario_that_did_not_run_has_no_outcome() -> None:
    (case,) = cases({"pickle": pickle(1, "3")})
    assert case.expected_results == ""


def test_values_of_other_types_are_none() -> None:
    (case,) = cases({"pickle": {"astNodeIds": 5, "name": "Starts", "steps": [{"astNodeIds": 7}]}})
    assert (case.uid, case.steps) == (": Starts", ())
