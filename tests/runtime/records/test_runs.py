"""Reports of test runners in JSON, and collections of requests, with content of our own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.runtime.records.test_exports import only, read

from kb_runtime.records.cases import Step


def test_playwright() -> None:
    def run(project: str, status: str, **more: Any) -> dict[str, Any]:
        return {
            "projectName": project,
            "annotations": [
                {"type": "test_key", "description": "PUMP-7"},
                {"type": "issue", "description": "PUMP-9"},
            ],
            "results": [{"status": "timedOut"}, {"status": status, **more}],
        }

    steps = [{"title": "open the page", "steps": [{"title": "press start"}]}]
    failed = {"errors": [{"message": "\x1b[31mError\x1b[39m: no hum\nat 3\nx\nat pump.ts:9"}]}
    inner = {
        "title": "start",
        "file": "pump.spec.ts",
        "specs": [
            {
                "title": "hums",
                "tags": ["smoke"],
                "file": "pump.spec.ts",
                "line": 4,
                "tests": [run("chrome", "passed", steps=steps), run("safari", "failed", **failed)],
            }
        ],
    }
    outer = {"title": "pump.spec.ts", "file": "pump.spec.ts", "specs": [], "suites": [inner]}
    case = only("run.json", {"config": {}, "suites": [outer], "errors": [], "stats": {}})
    assert (case.uid, case.title) == ("pump.spec.ts::start::hums", "hums")
    assert (case.jira_key, case.related_issues, case.tags) == ("PUMP-7", ("PUMP-9",), ("smoke",))
    assert (case.folder, case.test_path) == ("pump.spec.ts/start", "pump.spec.ts:4")
    assert (case.platforms, case.test_type) == (("chrome", "safari"), "Automated")
    assert case.expected_results == "last outcome: passed; failed (safari), Error: no hum at 3 x"
    assert [step.action for step in case.steps] == ["open the page", "press start"]


def test_a_test_of_playwright_is_one_for_all_projects() -> None:
    def spec(project: str, line: int) -> dict[str, Any]:
        test = {"projectName": project, "results": [{"status": "passed"}]}
        return {"title": "hums", "file": "pump.spec.ts", "line": line, "tests": [test]}

    suite = {"file": "pump.spec.ts", "specs": [spec("a", 1), spec("a", 9), spec("b", 1)]}
    first, second = read("run.json", {"config": {}, "suites": [suite]}).cases
    assert (first.uid, first.platforms) == ("pump.spec.ts::hums", ("a", "b"))
    assert first.expected_results == "last outcome: passed"
    assert (second.uid, second.test_path) == ("pump.spec.ts::hums #2", "pump.spec.ts:9")


def test_jest() -> None:
    report = {
        "numTotalTests": 2,
        "testResults": [
            {
                "name": "/ci/pump/src/start.test.js",
                "assertionResults": [
                    {"ancestorTitles": ["pump"], "title": "hums", "status": "passed"},
                    {
                        "ancestorTitles": ["pump"],
                        "title": "stops",
                        "status": "failed",
                        "failureMessages": ["Error: still on\n    at a\n    at b\n    at c"],
                        "location": {"line": 8, "column": 1},
                    },
                ],
            },
            {"name": "/ci/pump/src/tank/fill.test.js", "assertionResults": [{"title": "fills"}]},
        ],
    }
    hums, stops, fills = read("jest.json", report).cases
    assert (hums.uid, hums.folder) == ("start.test.js::pump::hums", "start.test.js/pump")
    assert hums.expected_results == "last outcome: passed"
    assert stops.expected_results == "last outcome: failed, Error: still on at a at b"
    assert stops.test_path == "start.test.js:8"
    assert (fills.uid, fills.folder) == ("tank/fill.test.js::fills", "tank/fill.test.js")


def test_cucumber() -> None:
    given = {"keyword": "Given ", "name": "a tank", "rows": [{"cells": ["size", "2"]}]}
    failed = {"status": "failed", "error_message": "no hum\nat pump.rb:1"}
    scenario = {
        "type": "scenario",
        "keyword": "Scenario",
        "name": "It hums",
        "line": 7,
        "tags": [{"name": "@smoke"}],
        "steps": [
            {"keyword": "Before", "hidden": True, "result": {"status": "passed"}},
            {"keyword": "When ", "name": "I press", "arguments": [{"content": "twice"}]},
            {"keyword": "Then ", "name": "it hums", "result": failed},
        ],
    }
    feature = {
        "uri": "features/pump.feature",
        "keyword": "Feature",
        "name": "Pump",
        "tags": [{"name": "@pump"}],
        "elements": [{"type": "background", "steps": [given]}, scenario, scenario],
    }
    first, second = read("cucumber.json", [feature]).cases
    assert (first.uid, second.uid) == ("pump: It hums", "pump: It hums #2")
    assert (first.title, first.folder, first.tags) == ("It hums", "Pump", ("pump", "smoke"))
    assert first.preconditions == ("Given a tank\n| size | 2 |",)
    assert first.steps == (Step(1, "When I press", "twice", ("it hums",)),)
    assert first.expected_results == "last outcome: failed, no hum at pump.rb:1"
    assert first.test_path == "features/pump.feature:7"


def test_keywords_of_another_language_are_kept() -> None:
    steps = [
        {"keyword": "Soit ", "name": "un réservoir"},
        {"keyword": "Alors ", "name": "il est plein"},
    ]
    element = {"type": "scenario", "name": "Plein", "steps": steps}
    case = only("r.json", [{"uri": "a.feature", "keyword": "F", "elements": [element]}])
    assert case.steps == (Step(1, "Soit un réservoir", "", ("il est plein",)),)


POSTMAN = {
    "info": {"name": "Pump API"},
    "item": [
        {
            "name": "Start",
            "item": [
                {
                    "id": "r1",
                    "name": "Switch on",
                    "event": [
                        {
                            "listen": "test",
                            "script": {
                                "exec": [
                                    'pm.test("Status is 200", () => {',
                                    "});",
                                    "tests['It is \\'on\\''] = on;",
                                    "const contests = ['no'];",
                                ]
                            },
                        },
                        {"listen": "prerequest", "script": {"exec": ["pm.test('no', f)"]}},
                    ],
                    "request": {
                        "method": "POST",
                        "header": [{"key": "Authorization", "value": "secret"}],
                        "body": {"mode": "raw", "raw": '{"on": true}'},
                        "url": {"raw": "{{base}}/pump"},
                        "description": "Switches it on.",
                    },
                }
            ],
        },
        {"name": "State", "request": "https://pump.example/state"},
    ],
}


def test_credentials_in_requests_of_postman_are_masked() -> None:
    body = {"mode": "urlencoded", "urlencoded": [{"key": "password", "value": "hunter2"}]}
    request = {"method": "POST", "url": "https://x.example/?access_token=hunter2", "body": body}
    collection = {"info": {"name": "X"}, "item": [{"request": request}]}
    (case,) = read("x.postman_collection.json", collection).cases
    assert "hunter2" not in repr(case)
    assert case.steps[0].action == "POST https://x.example/?access_token=***"


def test_postman() -> None:
    switch, state = read("pump.postman_collection.json", POSTMAN).cases
    assert (switch.uid, switch.folder) == ("Pump API/Start/Switch on", "Pump API/Start")
    assert (switch.test_type, switch.description) == ("API", "Switches it on.")
    expected = ("Status is 200", "It is \\'on\\'")
    assert switch.steps == (Step(1, "POST {{base}}/pump", '{"on": true}', expected),)
    assert [step.action for step in state.steps] == ["GET https://pump.example/state"]


def test_newman() -> None:
    checks = [{"assertion": "Status is 200", "error": {"message": "expected 500 to be 200"}}]
    run = {"executions": [{"item": {"id": "r1"}, "assertions": checks}]}
    switch, state = read("newman.json", {"collection": POSTMAN, "run": run}).cases
    assert switch.expected_results == "last outcome: failed, expected 500 to be 200"
    assert state.expected_results == ""


def test_mocha_and_mochawesome() -> None:
    stats = {"suites": 1, "tests": 2}
    tests = [
        {"title": "hums", "fullTitle": "pump hums", "speed": "fast", "err": {}},
        {"title": "stops", "fullTitle": "pump stops", "err": {"message": "still on"}},
        {"title": "leaks", "fullTitle": "pump leaks", "err": {}},
    ]
    found = read("mocha.json", {"stats": stats, "tests": tests}).cases
    assert [case.uid for case in found] == ["pump::hums", "pump::stops", "pump::leaks"]
    assert [case.expected_results.removeprefix("last outcome: ") for case in found] == [
        "passed",
        "failed, still on",
        "skipped",
    ]
    suite = {"title": "pump", "tests": [{"title": "hums", "state": "passed"}]}
    root = {"title": "", "file": "/e2e/pump.cy.js", "suites": [suite]}
    case = only("mochawesome.json", {"stats": stats, "results": [root]})
    assert (case.uid, case.test_path) == ("e2e/pump.cy.js::pump::hums", "e2e/pump.cy.js")


def test_ctrf() -> None:
    test = {
        "name": "hums",
        "status": "failed",
        "message": "no hum",
        "suite": "pump > start",
        "tags": ["smoke"],
        "steps": [{"name": "press start"}],
        "filePath": "pump.ts",
        "line": 3,
    }
    case = only("ctrf.json", {"results": {"tool": {"name": "x"}, "summary": {}, "tests": [test]}})
    assert (case.uid, case.test_path) == ("pump.ts::pump > start::hums", "pump.ts:3")
    assert (case.expected_results, case.tags) == ("last outcome: failed, no hum", ("smoke",))
    assert [step.action for step in case.steps] == ["press start"]


def test_go() -> None:
    def event(action: str, test: str = "", output: str = "") -> str:
        found = {"Action": action, "Package": "pump.example/pump", "Output": output}
        return json.dumps(found | ({"Test": test} if test else {}))

    lines = [
        event("start"),
        event("run", "TestStart"),
        event("run", "TestStart/cold"),
        event("output", "TestStart/cold", "=== RUN   TestStart/cold\n"),
        event("output", "TestStart/cold", "    pump_test.go:9: no hum\n"),
        event("fail", "TestStart/cold"),
        event("pass", "TestStart"),
        event("run", "TestStop"),
        event("fail"),
    ]
    start, cold, stop = read("go.json", "\n".join(lines) + "\n").cases
    assert (start.uid, start.expected_results) == (
        "pump.example/pump::TestStart",
        "last outcome: passed",
    )
    assert (cold.title, cold.folder) == ("cold", "pump.example/pump/TestStart")
    assert cold.expected_results == "last outcome: failed, pump_test.go:9: no hum"
    assert stop.expected_results == "last outcome: not ended"


def test_dart() -> None:
    def test(number: int, name: str, **more: Any) -> dict[str, Any]:
        held = {"id": number, "name": name, "suiteID": 0, "line": 7, "url": None, **more}
        return {"type": "testStart", "test": held}

    def done(number: int, result: str, **more: Any) -> dict[str, Any]:
        return {"type": "testDone", "testID": number, "result": result, "hidden": False, **more}

    events: list[Any] = [
        {"type": "start", "protocolVersion": "0.1.1"},
        [{"event": "test.startedProcess"}],
        {"type": "suite", "suite": {"id": 0, "path": "test/pump_test.dart"}},
        test(1, "loading test/pump_test.dart", line=None),
        done(1, "success", hidden=True),
        test(2, "Pump starts"),
        {"type": "error", "testID": 2, "error": "Expected: hum\n  Actual: none", "stackTrace": "x"},
        done(2, "failure", skipped=False),
        test(3, "Pump stops", url="package:flutter_test/src/widget_tester.dart"),
        done(3, "success", skipped=True),
        test(4, "Pump rests"),
    ]
    starts, stops = read("dart.json", "\n".join(map(json.dumps, events))).cases
    assert (starts.uid, starts.title) == ("test/pump_test.dart::Pump starts", "Pump starts")
    assert (starts.test_path, stops.test_path) == ("test/pump_test.dart:7", "test/pump_test.dart")
    assert starts.expected_results == "last outcome: failed, Expected: hum Actual: none"
    assert stops.expected_results == "last outcome: skipped"


@pytest.mark.parametrize(
    "content",
    [
        {"name": "Local", "values": [{"key": "base", "value": "http://localhost", "name": "base"}]},
        [{"name": "Client", "key": {"src": "./client.key"}}],
        '{"type": "start"}\n{"type": "testDone"}\n',
    ],
)
def test_what_tools_have_beside_their_tests_is_none(content: Any) -> None:
    assert not read("other.json", content).cases


@pytest.mark.parametrize(
    "report",
    [
        {"config": {}, "suites": [None, {"specs": [3, {"tests": [{"results": 1}]}]}]},
        {"testResults": [{"assertionResults": [{"failureMessages": [None]}, 4]}, 2]},
        [{"keyword": 1, "elements": [{"steps": [{"rows": 2, "arguments": [1]}]}, None]}],
        {"info": {}, "item": [{"request": {"url": 3, "body": {}}, "event": [{"listen": "test"}]}]},
        {"stats": {"suites": 1}, "results": [{"tests": [{"err": 1}]}]},
        {"results": {"tool": 1, "tests": [{"suite": {}}, None]}},
    ],
)
def test_odd_reports_raise_nothing(report: Any) -> None:
    assert read("odd.json", report).findings is not None


def test_files_of_jest_on_several_drives_have_no_folder_in_common() -> None:
    tests = [{"title": "opens", "status": "passed"}]
    files = [{"name": name, "assertionResults": tests} for name in ("/a/x.js", "C:/b/y.js")]
    found = read("report.json", json.dumps({"numTotalTests": 2, "testResults": files})).cases
    assert [case.uid.split("::")[0] for case in found] == ["a/x.js", "C:/b/y.js"]


def test_examples_of_rspec() -> None:
    def example(name: str, status: str, **more: Any) -> dict[str, Any]:
        place = {"file_path": "./spec/pump_spec.rb", "line_number": 7}
        return {"description": name, "full_description": f"Pump#start {name}", "status": status} | (
            place | more
        )

    report = {
        "version": "3.13.0",
        "examples": [
            example("hums", "failed", exception={"class": "Error", "message": "no hum"}),
            example("lights the lamp", "pending"),
        ],
    }
    hums, lights = read("rspec.json", report).cases
    assert hums.uid == "spec/pump_spec.rb::Pump#start::hums"
    assert (hums.title, hums.test_path) == ("hums", "spec/pump_spec.rb:7")
    assert hums.expected_results == "last outcome: failed, no hum"
    assert lights.expected_results == "last outcome: skipped"
