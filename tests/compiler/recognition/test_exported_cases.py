"""Exports of test cases without a kb.toml."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.compiler.recognition.trees import page, read, recognised, write_tree

from kbc.recognition.detection import RecognitionError

TABLE = "Issue key,Summary,Action,Expected Result\nPUMP-1,Starts,Press,hums\n"
REPORT = '<testsuite name="s"><testcase classname="pump" name="starts"/></testsuite>'


def test_a_folder_of_exports_is_a_collection_of_tests(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "t", {"a/tests.csv": TABLE, "report.xml": REPORT, "notes.json": '{"a": 1}'}
    )
    inputs, _ = read(root)
    assert [(each.name, each.kind) for each in inputs.project.collections] == [("tests", "tests")]
    assert [record.id for record in inputs.records["tests"]] == ["PUMP-1", "pump::starts"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", TABLE),
        ("t.json", json.dumps([{"uid": "PUMP-1", "title": "Starts", "steps": ["Press"]}])),
        ("t.robot", "*** Test Cases ***\nPUMP-1\n    Press    start\n"),
        ("t.feature", "Feature: pump\n  @PUMP-1\n  Scenario: Starts\n    Given a tank\n"),
    ],
)
def test_a_single_export_is_a_knowledge_base(tmp_path: Path, name: str, content: str) -> None:
    inputs, _ = read(write_tree(tmp_path / "t", {name: content, "other.csv": TABLE}) / name)
    (record,) = inputs.records["tests"]
    assert record.id in ("PUMP-1", "T::PUMP-1")


@pytest.mark.parametrize("project", [{}, {"pyproject.toml": "", "src/pump.py": "x = 1\n"}])
def test_tables_of_tests_beside_pages_are_a_collection_of_their_own(
    tmp_path: Path, project: dict[str, str]
) -> None:
    pages = {f"docs/{name}.md": page(name) for name in ("one", "two", "three")}
    tables = {
        "qa/tests.csv": TABLE,
        "docs/prices.csv": "id,name\n1,red\n",
        "tests/data/export.csv": TABLE.replace("PUMP-1", "OTHER-1"),
    }
    inputs, _ = read(write_tree(tmp_path / "t", {**pages, **tables, **project}))
    of_tests = [each for each in inputs.project.collections if each.kind == "tests"]
    assert [(each.name, each.paths) for each in of_tests] == [("tests", ("qa/tests.csv",))]
    assert [record.id for record in inputs.records["tests"]] == ["PUMP-1"]
    assert len(inputs.records["docs"]) == len(pages)


CASE = "# TC-{0}: Starts {0}\n\n## Steps\n1. Press\n\n## Expected Result\nhum\n"
CASES = {f"qa/Test-Cases/{part}/{n}.md": CASE.format(n) for part in ("in", "out") for n in (1, 2)}


@pytest.mark.parametrize("project", [{}, {"pyproject.toml": "", "src/pump.py": "x = 1\n"}])
def test_pages_of_test_cases_are_tests_and_no_pages(
    tmp_path: Path, project: dict[str, str]
) -> None:
    pages = {f"qa/{name}.md": page(name) for name in ("plan", "bugs", "Test-Cases/README")}
    files = {"README.md": page("Pump"), **pages, **CASES, **project}
    inputs, diagnostics = read(write_tree(tmp_path / "t", files))
    found = {each.name: (each.kind, each.paths) for each in inputs.project.collections}
    assert found["cases"] == ("tests", ("qa/Test-Cases",))
    assert [record.id for record in inputs.records["cases"]] == [
        *("TC-1", "TC-2", "qa/Test-Cases/out/TC-1", "qa/Test-Cases/out/TC-2")
    ]
    others = [record.path for name in found for record in inputs.records[name] if name != "cases"]
    assert not CASES.keys() & {*others}
    assert {*pages} <= {*others}
    assert not [each for each in diagnostics if each.code.startswith("tests-")]


def test_pages_that_are_all_test_cases_are_one_collection(tmp_path: Path) -> None:
    found = recognised(write_tree(tmp_path / "t", CASES)).project.collections
    assert [(each.name, each.paths) for each in found] == [("cases", ("qa/Test-Cases",))]


def test_front_matter_does_not_make_a_page_of_a_test_case(tmp_path: Path) -> None:
    fields = "".join(f"field_{n}: what a tool remembers of the test\n" for n in range(20))
    cases = {name: f"---\n{fields}---\n\n{text}" for name, text in CASES.items()}
    files = {"README.md": page("Pump"), **cases}
    inputs, _ = read(write_tree(tmp_path / "t", files))
    assert len(inputs.records["cases"]) == len(CASES)
    (docs,) = (name for name in inputs.records if name != "cases")
    assert [each.path for each in inputs.records[docs]] == ["README.md"]


def test_a_page_that_says_more_than_its_test_cases_stays_a_page(tmp_path: Path) -> None:
    prose = "How pumps are tested, and what for. " * 20
    guide = f"# Plan\n\n{prose}\n\n#{CASE.format(3).replace('## ', '### ')}"
    files = {"README.md": page("Pump"), **CASES, "qa/Test-Cases/plan.md": guide}
    inputs, _ = read(write_tree(tmp_path / "t", files))
    assert "TC-3" in {record.id for record in inputs.records["cases"]}
    (docs,) = (name for name in inputs.records if name != "cases")
    assert [each.path for each in inputs.records[docs]] == ["README.md", "qa/Test-Cases/plan.md"]


def test_pages_that_repeat_the_test_cases_of_a_table_are_only_pages(tmp_path: Path) -> None:
    rows = "".join(f"TC-{n},Starts {n},Press,hum\n" for n in (1, 2, 3))
    table = "Test Case ID,Title,Steps,Expected Result\n" + rows
    both = f"# All\n\n#{CASE.format(1)}\n#{CASE.format(2)}".replace("\n## ", "\n### ")
    files = {
        "README.md": page("Pump"),
        "qa/cases.csv": table,
        "qa/test-cases/both.md": both.replace("### TC", "## TC"),
        "qa/test-cases/more.md": CASE.format(4),
        "qa/test-cases/most.md": CASE.format(5),
    }
    inputs, _ = read(write_tree(tmp_path / "t", files))
    assert [each.id for each in inputs.records["cases"]] == ["TC-4", "TC-5"]
    files |= {"qa/test-cases/more.md": CASE.format(3), "qa/test-cases/most.md": CASE.format(2)}
    inputs, _ = read(write_tree(tmp_path / "u", files))
    assert "cases" not in inputs.records
    assert [each.id for each in inputs.records["tests"]] == ["TC-1", "TC-2", "TC-3"]
    (docs,) = (name for name in inputs.records if name != "tests")
    assert {each.path for each in inputs.records[docs]} == {*files} - {"qa/cases.csv"}


@pytest.mark.parametrize(
    "files",
    [
        {
            "qa/test/guide.md": "# How to test\n\n"
            + "So. " * 99
            + "\n\n"
            + "".join(map(CASE.format, range(4)))
        },
        {name.replace("Test-Cases", "steps"): text for name, text in CASES.items()},
        {**CASES, **{f"qa/Test-Cases/more/{n}.md": page("More") for n in range(5)}},
        {**CASES, "mkdocs.yml": "site_name: QA\ndocs_dir: qa\n"},
        {"qa/test/one.md": CASE.format(1)},
    ],
)
def test_other_pages_stay_pages(tmp_path: Path, files: dict[str, str]) -> None:
    root = write_tree(tmp_path / "t", {"README.md": page("Pump"), **files})
    assert "tests" not in {each.kind for each in recognised(root).project.collections}


def test_other_data_is_no_collection_of_tests(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "t", {"a.csv": "id,name\n1,red\n", "b.json": '[{"uid": 1}]'})
    with pytest.raises(RecognitionError, match="is not a knowledge base") as caught:
        recognised(root)
    assert "exports of test cases" in caught.value.hint
    with pytest.raises(RecognitionError, match="no format") as caught:
        recognised(root / "b.json")
    assert ".csv" in caught.value.hint
    assert ".json," not in caught.value.hint.replace("openapi.json,", "").replace(
        "swagger.json,", ""
    )


def test_specifications_of_gauge_are_tests(tmp_path: Path) -> None:
    text = "# Pump {n}\n\n## Starts {n}\n* Press it\n"
    files = {f"specs/pump{n}.spec": text.format(n=n) for n in range(3)}
    files |= {"pom.xml": "<project/>\n", "src/A.java": "class A {}\n", "pump.spec": "Name: pump\n"}
    tree = write_tree(tmp_path / "pump", files)
    found = {each.name: each.paths for each in recognised(tree).project.collections}
    assert found["specs"] == ("specs",)
    records = read(tree)[0].records
    assert [each.title for each in records["specs"]] == ["Starts 0", "Starts 1", "Starts 2"]
    assert not [each.id for each in records["code"] if each.id.startswith("specs/")]
