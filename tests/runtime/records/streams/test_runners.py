"""Reports of runners of compiled languages, and of LivingDoc."""

from __future__ import annotations

import json

from tests.runtime.records.test_exports import read


def told(name: str, text: str) -> list[tuple[str, str, str]]:
    """Uid, folder and outcome of each test."""
    return [(each.uid, each.folder, each.expected_results) for each in read(name, text).cases]


def test_googletest() -> None:
    def test(name: str, **more: object) -> dict[str, object]:
        return {"name": name, "status": "RUN", "result": "COMPLETED", "classname": "Pump", **more}

    tests = [
        test("Starts", file="pump_test.cc", line=7),
        test("Stops", failures=[{"failure": "pump_test.cc:9\nExpected: 1", "type": ""}]),
        test("Waits", status="NOTRUN", result="SUPPRESSED"),
        test("Hums/0", value_param="3", result="SKIPPED"),
    ]
    report = json.dumps({"tests": 4, "testsuites": [{"name": "Pump", "testsuite": tests}]})
    assert told("report.json", report) == [
        ("Pump::Starts", "Pump", "last outcome: passed"),
        ("Pump::Stops", "Pump", "last outcome: failed, pump_test.cc:9 Expected: 1"),
        ("Pump::Waits", "Pump", "last outcome: skipped"),
        ("Pump::Hums/0", "Pump", "last outcome: skipped"),
    ]
    first, *_, last = read("report.json", report).cases
    assert (first.test_path, last.test_data) == ("pump_test.cc:7", "3")


def test_the_runner_of_rust() -> None:
    events = [
        {"type": "suite", "event": "started", "test_count": 3},
        {"type": "test", "event": "started", "name": "tank::fills"},
        {"type": "test", "name": "tank::fills", "event": "ok"},
        {"type": "test", "name": "tank::drains", "event": "failed", "stdout": "panicked at 'dry'"},
        {"type": "test", "name": "waits", "event": "ignored"},
        {"type": "suite", "event": "failed", "passed": 1},
    ]
    text = "\n".join(map(json.dumps, events))
    assert told("report.json", text) == [
        ("tank::fills", "tank", "last outcome: passed"),
        ("tank::drains", "tank", "last outcome: failed, panicked at 'dry'"),
        ("waits", "Functional Tests", "last outcome: skipped"),
    ]


def test_scenarios_of_livingdoc_have_the_outcomes_of_all_rows() -> None:
    def result(status: str, *arguments: str, error: str | None = None) -> dict[str, object]:
        steps = [{"Status": status, "Error": error}]
        place = {"FeatureFolderPath": "Features", "FeatureTitle": "Pump", "ScenarioTitle": "Starts"}
        return {**place, "ScenarioArguments": arguments, "Status": status, "StepResults": steps}

    results = [result("OK", "1"), result("TestError", "2", error="no hum")]
    text = json.dumps({"ExecutionResults": results, "Nodes": []})
    assert told("TestExecution.json", text) == [
        ("Pump: Starts", "Features/Pump", "last outcome: passed; failed (2), no hum"),
    ]
