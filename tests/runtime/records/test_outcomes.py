"""How tests ended, in the same words for every runner, and tests that a report has several times."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.runtime.records.test_exports import read

from kb_runtime.records.outcomes import called


def outcomes(name: str, content: Any) -> dict[str, str]:
    text = content if isinstance(content, str) else json.dumps(content)
    found = read(name, text).cases
    return {case.uid: case.expected_results.removeprefix("last outcome: ") for case in found}


@pytest.mark.parametrize(
    ("stated", "told"),
    [
        *(("PASS", "passed"), ("Error", "failed"), ("NotExecuted", "skipped"), ("other", "other")),
        *(("timedOut", "failed, timed out"), ("Aborted", "failed, aborted"), (None, "")),
        ("NotRunnable", "failed, not runnable"),
    ],
)
def test_words_of_runners_have_one_name(stated: str | None, told: str) -> None:
    assert called(stated) == told


def test_rows_of_one_name_are_different_tests_of_junit() -> None:
    row = '<testcase classname="pump" name="starts">{}</testcase>'
    text = "".join(map(row.format, ("", '<failure message="no hum"/>', "<skipped/>")))
    assert outcomes("report.xml", f"<testsuite>{text}</testsuite>") == {
        "pump::starts": "passed",
        "pump::starts #2": "failed, no hum",
        "pump::starts #3": "skipped",
    }


def test_blanks_do_not_tell_tests_apart_and_nothing_is_no_name() -> None:
    rows = "".join(f'<testcase name="{name}"/>' for name in ("a b", "a  b", "", ""))
    found = read("report.xml", f"<testsuite>{rows}</testsuite>")
    assert [case.uid for case in found.cases] == ["a b", "a b #2"]
    assert [each.code for each in found.findings][:2] == ["no-identifier"] * 2


def test_what_passes_when_it_runs_again_is_one_flaky_test() -> None:
    run = '<testcase classname="pump" name="{}">{}</testcase>'
    failed = '<failure message="no hum"/>'
    again = (
        run.format("starts", failed) + run.format("starts", "<error/>") + run.format("starts", "")
    )
    never = run.format("stops", failed) * 2
    maven = run.format("leaks", '<flakyFailure message="a drop">at Pump</flakyFailure>')
    assert outcomes("report.xml", f"<testsuite>{again}{never}{maven}</testsuite>") == {
        "pump::starts": "passed, flaky, no hum",
        "pump::stops": "failed, no hum",
        "pump::stops #2": "failed, no hum",
        "pump::leaks": "passed, flaky, a drop",
    }


def _playwright() -> dict[str, Any]:
    runs = [{"status": "failed", "errors": [{"message": "no hum"}]}, {"status": "passed"}]
    late = [{"status": "timedOut", "errors": [{"message": "30 s"}]}]
    tests = [
        {"projectName": "firefox", "status": "flaky", "results": runs},
        {"projectName": "webkit", "status": "unexpected", "results": late},
    ]
    spec = {"title": "starts", "file": "pump.ts", "tests": tests}
    return {"config": {}, "suites": [{"title": "pump.ts", "file": "pump.ts", "specs": [spec]}]}


def _jest() -> dict[str, Any]:
    tests = [
        {"title": "starts", "status": "passed", "retryReasons": ["no hum"], "failureMessages": []},
        {"title": "stops", "status": "pending"},
    ]
    return {"numTotalTests": 2, "testResults": [{"name": "pump.js", "assertionResults": tests}]}


def _ctrf() -> dict[str, Any]:
    tests = [
        {"name": "starts", "status": "passed", "flaky": True, "retries": 2},
        {"name": "stops", "status": "failed", "flaky": True, "message": "still on"},
    ]
    return {"results": {"tool": {"name": "vitest"}, "tests": tests}}


def _allure() -> dict[str, Any]:
    details = {"flaky": True, "message": "no hum"}
    names = {"uuid": "1", "name": "starts", "fullName": "pump.starts", "labels": []}
    return {**names, "status": "passed", "statusDetails": details}


@pytest.mark.parametrize(
    ("report", "told"),
    [
        (_playwright(), ["passed, flaky; failed, timed out (webkit), 30 s"]),
        (_jest(), ["passed, flaky, no hum", "skipped"]),
        (_ctrf(), ["passed, flaky", "failed, still on"]),
        (_allure(), ["passed, flaky"]),
        (
            {
                "stats": {"suites": 1},
                "tests": [{"title": "a", "fullTitle": "b a", "speed": "slow", "currentRetry": 1}],
            },
            ["passed, flaky"],
        ),
    ],
)
def test_flaky_tests_are_called_so(report: Any, told: list[str]) -> None:
    assert list(outcomes("report.json", report).values()) == told


def test_results_that_are_imported_into_xray_have_outcomes() -> None:
    tests = [
        {"testKey": "HER-7", "status": "FAIL", "comment": "no hum"},
        {"testKey": "HER-8", "status": "PASSED"},
    ]
    assert outcomes("results.json", {"info": {"project": "HER"}, "tests": tests}) == {
        "HER-7": "failed, no hum",
        "HER-8": "passed",
    }
