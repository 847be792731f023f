"""Test cases become records whose text is the case as Markdown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kbc.backends.facets import facets
from kbc.diagnostics import Diagnostics
from kbc.frontends import cases
from kbc.frontends.cases import step_text
from kbc.pipeline.reading import read_inputs
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import TestRecord

CASE = {
    "uid": "u-1",
    "jiraKey": "DEMO-1",
    "title": "Log in",
    "summary": "With an account.",
    "tags": ["Smoke", "smoke"],
    "platforms": ["Web"],
    "folderStructure": "A/B",
    "relatedIssues": ["demo-2"],
    "testPath": "tests/login.py:4",
    "preconditions": ["an account", "a browser"],
    "steps": [{"action": "Open", "data": "now", "expected": ["form", "logo"]}, "Send"],
}


def read(
    *contents: Any, options: dict[str, Any] | None = None, names: tuple[str, ...] = ()
) -> tuple[list[TestRecord], Diagnostics]:
    diagnostics = Diagnostics()
    collection = Collection("tests", "tests", ("tests",), options=options or {}, line=3)
    files = [
        SourceFile(
            f"tests/{names[at] if names else f'{at}.json'}",
            (content if isinstance(content, str) else json.dumps(content)).encode(),
            "tests",
        )
        for at, content in enumerate(contents)
    ]
    records = cases.read(collection, files, diagnostics)
    return [record for record in records if isinstance(record, TestRecord)], diagnostics


def codes(diagnostics: Diagnostics) -> dict[str, str]:
    return {found.code: found.severity.label for found in diagnostics}


def test_a_record() -> None:
    (record,), diagnostics = read([CASE])
    assert not len(diagnostics)
    assert (record.id, record.title, record.jira_key) == ("u-1", "Log in", "DEMO-1")
    assert (record.source, record.path) == ("0.json", "tests/0.json")
    assert record.text == (
        "# Log in\n\nWith an account.\n\nType: Manual\nPriority: Medium\nTags: Smoke, smoke\n"
        "Platforms: Web\nFolder: A/B\nRelated: DEMO-2\nPath: tests/login.py:4\n"
        "Preconditions: an account; a browser\n"
        "\n1. Open (Data: now)\n   Expected: form\n   Expected: logo\n"
        "\n2. Send\n"
    )
    assert record.step_chars == tuple(len(step_text(step)) for step in record.steps)


def test_facets_of_a_record() -> None:
    (record,), _ = read([CASE])
    assert {facet.term for facet in facets(record)} == {
        "tag:smoke",
        "platform:web",
        "folder:a",
        "folder:a/b",
        "issue:DEMO-2",
        "priority:medium",
        "testtype:manual",
        "testpath:tests/login.py:4",
        "key:DEMO-1",
        "steps:2",
    }


def test_the_later_of_two_files_wins() -> None:
    records, diagnostics = read([CASE], [{**CASE, "title": "Later"}])
    assert [record.title for record in records] == ["Later"]
    assert codes(diagnostics) == {"test-duplicate": "warning"}


def test_of_results_of_allure_the_one_that_ended_last_counts() -> None:
    def result(status: str, stop: int) -> dict[str, Any]:
        steps = [{"name": "Press", "status": status, "stop": stop - 1}]
        names = {"uuid": str(stop), "name": "starts", "fullName": "pump.starts", "labels": []}
        return {**names, "status": status, "start": 1, "stop": stop, "steps": steps}

    runs = [result("passed", 900), result("failed", 700), result("failed", 800)]
    records, _ = read(*runs, names=tuple(f"{name}-result.json" for name in "abc"))
    assert [record.expected_results for record in records] == ["last outcome: passed"]


def test_an_identifier_counts_within_its_table() -> None:
    tables = [f"ID,Title\n{rows}" for rows in ("1,Starts\n2,Stops\n", "1,Fills\n2,stops\n")]
    records, diagnostics = read(*tables, names=("pump.csv", "tank.csv"))
    assert [(record.id, record.title) for record in records] == [
        ("1", "Starts"),
        ("tests/tank: 1", "Fills"),
        ("2", "stops"),
    ]
    (replaced,) = (each.message for each in diagnostics if each.code == "test-duplicate")
    assert replaced.startswith("tests that earlier files also contain: 1;")


@pytest.mark.parametrize(
    ("content", "code", "severity"),
    [
        ("[1,", "tests-unreadable", "warning"),
        ([], "tests-none", "warning"),
        ("5", "tests-none", "warning"),
        ([CASE, {"title": "x"}], "test-skipped", "warning"),
        ([CASE, 5], "test-skipped", "warning"),
        ([CASE, CASE], "test-duplicate", "warning"),
        ([{**CASE, "title": "", "summary": None}], "test-no-title", "warning"),
        ([{**CASE, "steps": []}], "test-no-steps", "note"),
        ([{**CASE, "tags": None}], "test-no-tags", "note"),
    ],
)
def test_what_is_reported(content: Any, code: str, severity: str) -> None:
    _, diagnostics = read(content)
    assert codes(diagnostics) == {code: severity}


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("report.xml", "<testsuites tests='0'><testsuite name='a'/></testsuites>", "tests-none"),
        ("later.feature", "Feature: Later\n", "tests-none"),
        ("empty.feature", "", "tests-unreadable"),
        ("keywords.robot", "*** Keywords ***\nPress\n    Log    x\n", "tests-none"),
        ("tlh.robot", "Language: tlh\n*** perbogh ***\n", "tests-unreadable"),
        ("tlh.feature", "# language: tlh\nperbogh: a\n", "tests-unreadable"),
        ("broken.xml", "<testsuites>\n<testsuite>", "tests-unreadable"),
        ("pom.xml", "<project><name>a</name></project>", "tests-none"),
        ("package.json", '{"name": "a", "version": "1.0.0"}', "tests-none"),
        ("stock.csv", "colour;price\nred;2\n", "tests-none"),
    ],
)
def test_a_file_without_tests_stops_no_build(name: str, text: str, code: str) -> None:
    records, diagnostics = read([CASE], text, names=("cases.json", name))
    assert [record.title for record in records] == [CASE["title"]]
    assert codes(diagnostics) == {code: "warning"}


def test_a_page_beside_tests_is_no_finding() -> None:
    records, diagnostics = read([CASE], "# Tests\n\nRun them.\n", names=("a.json", "README.md"))
    assert (len(records), codes(diagnostics)) == (1, {})
    assert codes(read("# Tests\n", names=("README.md",))[1]) == {"tests-none": "warning"}


def test_what_is_not_read_of_tables_is_reported() -> None:
    header = "ID,Title,Action,Tags,Colour\n"
    tables = (f"{header}C1,Starts,Press,a,red,blue\n", f"{header}C2,Stops,Pull,a,red\n")
    _, diagnostics = read(*tables, names=("a.csv", "b.csv"))
    assert codes(diagnostics) == {"test-row-too-long": "warning", "test-column-not-read": "note"}


def test_files_without_tests_are_one_warning() -> None:
    _, diagnostics = read(
        CASE, {"a": 1}, {"b": 1}, [], {}, names=tuple(f"{n}.json" for n in range(5))
    )
    (found,) = diagnostics
    assert found.message.endswith("left out: 4 (tests/1.json, tests/2.json, tests/3.json, ...)")


def test_every_file_is_accounted_for(tmp_path: Path) -> None:
    contents = {"a": [CASE], "b": [CASE], "c": {"version": 1}, "d": "["}
    (tmp_path / "tests").mkdir()
    (tmp_path / "kb.toml").write_text('[kb]\nname = "x"\n')
    for name, content in contents.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (tmp_path / "tests" / f"{name}.json").write_text(text)
    diagnostics = Diagnostics()
    found = read_inputs(tmp_path, diagnostics)
    assert found is not None
    assert not diagnostics.errors
    assert [(each.outcome, each.reason) for each in found.accounting if "tests/" in each.path] == [
        ("left out", "no test of its own"),
        ("read", ""),
        ("left out", "no test of its own"),
        ("not readable", "tests-unreadable"),
    ]


def test_what_many_files_have_is_one_finding_each() -> None:
    plain = [{"uid": f"u{n}", "title": "T"} for n in range(5)]
    _, diagnostics = read(plain, plain, [{"uid": "v", "title": "T"}])
    found = {each.code: each.message for each in diagnostics}
    assert len(found) == len(diagnostics) == 3
    assert found["test-duplicate"] == (
        "tests that earlier files also contain: 5; those of this file are kept:"
        " 'u0' (in tests/0.json), 'u1' (in tests/0.json), 'u2' (in tests/0.json) and 2 more"
    )
    assert found["test-no-tags"].startswith("11 tests without tags: u0, ")
    assert found["test-no-tags"].endswith("(in 3 files)")


def test_a_broken_report_is_named_with_its_place() -> None:
    _, diagnostics = read("<testsuites>\n  <testsuite></testsuites>", names=("a.xml",))
    (found,) = diagnostics
    assert (found.path, found.line, found.column) == ("tests/a.xml", 2, 16)
    assert found.message == "not valid XML: mismatched tag; the file was left out"


@pytest.mark.parametrize(
    ("name", "message"),
    [("a.json", "the file is empty"), ("a.xlsx", "it is damaged, or not a spreadsheet")],
)
def test_a_file_that_is_damaged_as_a_whole_has_no_place(name: str, message: str) -> None:
    _, diagnostics = read("\n", names=(name,))
    (found,) = diagnostics
    assert found.message.endswith(f"{message}; the file was left out")
    assert (found.line, found.hint) == (
        None,
        "Export it again or exclude it from the collection's paths.",
    )


def test_scenarios_of_different_files_are_different_tests() -> None:
    text = "Feature: Pump\n@PUMP-1\nScenario: Starts\nWhen I press\nScenario: Stops\nWhen I pull\n"
    names = ("a/pump.feature", "b/pump.feature")
    records, diagnostics = read(text, text, names=names)
    assert [record.id for record in records] == [
        *("PUMP-1", "pump: Stops"),
        *("tests/b/pump: Starts", "tests/b/pump: Stops"),
    ]
    assert [record.jira_key for record in records] == ["PUMP-1", "", "PUMP-1", ""]
    assert records[3].test_path == "tests/b/pump.feature:5"
    assert "test-duplicate" not in codes(diagnostics)


def test_an_identifier_on_a_page_counts_within_the_page() -> None:
    page = "# {}\n## TC-1: {}\n**Steps**\n1. Press.\n**Expected**\nA hum.\n"
    texts = [page.format(name, name) for name in ("Pump", "Tank", "Valve")]
    names = ("a/pump.md", "a/tank.md", "a/valve.md")
    records, diagnostics = read(*texts, names=names)
    assert [(record.id, record.title) for record in records] == [
        ("TC-1", "Pump"),
        ("tests/a/TC-1", "Tank"),
        ("tests/a/valve: TC-1", "Valve"),
    ]
    assert "test-duplicate" not in codes(diagnostics)


def test_suites_of_robot_framework_in_different_files_have_tests_of_their_own() -> None:
    text = "*** Test Cases ***\nStarts\n    [Tags]    PUMP-1\n    Press\n"
    records, diagnostics = read(text, text, names=("a/pump.robot", "b/pump.robot"))
    assert [record.id for record in records] == ["Pump::Starts", "tests/b/Pump::Starts"]
    assert [record.jira_key for record in records] == ["PUMP-1", "PUMP-1"]
    assert "test-duplicate" not in codes(diagnostics)


def test_the_suite_is_told_by_the_name_or_by_the_project() -> None:
    plain = [{"uid": "u", "title": "t", "tags": ["x"], "steps": ["go"]}]
    (by_name,), _ = read(plain, names=("api_tests.json",))
    (by_option,), _ = read(plain, options={"suite": "api"})
    (by_default,), _ = read(plain)
    assert [each.test_type for each in (by_name, by_option, by_default)] == ["API", "API", "Manual"]


def test_an_unknown_suite() -> None:
    _, diagnostics = read([CASE], options={"suite": "manual"})
    assert codes(diagnostics) == {"tests-unknown-suite": "error"}
