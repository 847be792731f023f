"""`kbc workspace ingest` and `remove`: what is stored, what goes, and what is said about it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from kb_runtime.errors import exit_codes
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.live.workspace import Workspace
from kbc.cli.main import run

CASES = [
    {"uid": "t-1", "jiraKey": "PUMP-1", "title": "Starts", "tags": ["a"], "steps": ["Press"]},
    {"uid": "t-2", "testCaseId": "C2", "title": "Stops", "tags": ["a"], "steps": ["Pull"]},
    {"uid": "t-3", "title": "Fills", "tags": ["a"], "steps": ["Open"]},
]


@pytest.fixture
def export(tmp_path: Path) -> Path:
    return tmp_path / "pump.json"


def command(tmp_path: Path, *arguments: str) -> int:
    return run(["workspace", arguments[0], str(tmp_path / "ws"), *arguments[1:], "--jobs", "1"])


def live(tmp_path: Path) -> set[str]:
    kb_folder = Workspace.open(tmp_path / "ws").tests.kb_folder
    with Artifact.open(kb_folder) as artifact:
        return {record["uid"] for record in artifact.catalog("tests")}


def ingest(tmp_path: Path, export: Path, cases: list[Any], *options: str) -> int:
    export.write_text(json.dumps(cases))
    return command(tmp_path, "ingest", str(export), *options)


@pytest.mark.slow
def test_tests_are_removed_by_any_identifier(
    tmp_path: Path, export: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ingest(tmp_path, export, CASES) == 0
    assert live(tmp_path) == {"t-1", "t-2", "t-3"}
    assert command(tmp_path, "remove", "pump-1", "c2") == 0
    assert "2 tests removed; build" in capsys.readouterr().out
    assert live(tmp_path) == {"t-3"}
    assert command(tmp_path, "remove", "t-9") != 0
    assert "'t-9'" in capsys.readouterr().err
    assert live(tmp_path) == {"t-3"}
    assert command(tmp_path, "remove", "t-3") == 0
    assert "none is left" in capsys.readouterr().out


@pytest.mark.slow
def test_what_an_export_no_longer_has_goes_with_sync_and_stays_without(
    tmp_path: Path, export: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ingest(tmp_path, export, CASES) == 0
    assert ingest(tmp_path, export, CASES[:1]) == 0
    assert live(tmp_path) == {"t-1", "t-2", "t-3"}
    capsys.readouterr()
    assert ingest(tmp_path, export, CASES[:1], "--sync") == 0
    assert "1 unchanged, 2 removed; build" in capsys.readouterr().out
    assert live(tmp_path) == {"t-1"}


@pytest.mark.slow
def test_records_that_are_left_out_are_told_with_their_reasons(
    tmp_path: Path, export: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [*CASES, {"title": "Nameless"}, 7, {**CASES[0], "title": "Starts again"}]
    assert ingest(tmp_path, export, records) == 0
    told = capsys.readouterr()
    assert [line.removeprefix(f"{export}: ") for line in told.err.splitlines()] == [
        "1 test without an identifier (uid, jiraKey or testCaseId), skipped: Nameless",
        "1 test not a JSON object, skipped: 7",
        "1 test replaced by a later one of the same uid: t-1",
    ]
    assert ingest(tmp_path, export, records, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["tests"], report["skipped"], len(report["left_out"])) == (3, 2, 3)


@pytest.mark.slow
def test_tests_of_a_file_that_a_later_one_replaces_are_told(
    tmp_path: Path, export: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    earlier = tmp_path / "earlier.json"
    earlier.write_text(json.dumps([{**CASES[0], "title": "Starts slowly"}, CASES[2]]))
    export.write_text(json.dumps(CASES[:2]))
    assert command(tmp_path, "ingest", str(earlier), str(export)) == 0
    told = capsys.readouterr()
    assert told.err == f"{earlier}: 1 test replaced by a later one of the same uid: t-1\n"
    assert live(tmp_path) == {"t-1", "t-2", "t-3"}


def test_a_closed_stdin_holds_no_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert command(tmp_path, "ingest", "-") == exit_codes.INPUT
    assert "-: the file is empty\n  hint: Export it again" in capsys.readouterr().err


def test_a_file_without_tests_is_refused_with_what_a_test_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other.json").write_text('{"colour": "red"}')
    assert command(tmp_path, "ingest", str(tmp_path / "other.json")) == exit_codes.INPUT
    assert "contains no test case\n  hint: In an export a test has a uid" in capsys.readouterr().err
