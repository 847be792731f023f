"""`ingest_tests` without a workspace: what it reads, counts and refuses, and what a read-only server does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.catalogue.cases import CASES, STEPS, Call, client, refused


def test_a_normalised_file_is_counted_and_not_stored(call: Call, artifact: Path) -> None:
    before = {path: path.stat() for path in artifact.rglob("*")}
    found = call("ingest_tests", functional_path="normalized.json")
    assert found.structured["functional"] == {"docs_ingested": len(CASES), "steps_ingested": STEPS}
    assert "api" not in found.structured
    assert found.structured["persisted"] is False
    assert found.structured["next"] == "cp -- DATA/normalized.json KB/tests/ && kbc build KB"
    assert "DATA the server's data folder" in found.text
    assert found.text.startswith(
        f"**Ingestion check**\n\n- Functional Tests: {len(CASES)} docs, {STEPS} steps\n"
    )
    assert {path: path.stat() for path in artifact.rglob("*")} == before


def test_both_files_at_once(call: Call) -> None:
    found = call("ingest_tests", functional_path="data/sub/inner.json", api_path="api.json")
    assert found.structured["functional"] == {"docs_ingested": 1, "steps_ingested": 0}
    assert found.structured["api"] == {"docs_ingested": 1, "steps_ingested": 0}
    assert found.structured["skipped"] == 1
    assert "- API Tests: 1 docs, 0 steps" in found.text
    assert any("not a JSON object" in error for error in found.structured["errors"])
    assert any("replaced by a later one" in warning for warning in found.structured["warnings"])
    assert any("without steps" in warning for warning in found.structured["warnings"])


def test_one_file_in_both_arguments(call: Call) -> None:
    found = call("ingest_tests", functional_path="normalized.json", api_path="normalized.json")
    (told,) = (each for each in found.structured["warnings"] if "twice" in each)
    assert told.startswith(f"{len(CASES)} tests were read twice")
    assert "api_path counts: t-login" in told
    assert found.structured["next"].startswith("cp -- DATA/normalized.json KB/tests/ && kbc")


def test_an_api_export_given_as_functional_tests(call: Call) -> None:
    found = call("ingest_tests", functional_path="api.json")
    told = [each for each in found.structured["warnings"] if "API tests" in each]
    assert any("give it as api_path" in each for each in told)
    assert any('`suite = "functional"` in kb.toml' in each for each in told)
    assert all(each in found.text for each in told)
    assert "give it" not in call("ingest_tests", api_path="api.json").text


def test_an_unknown_file_comes_with_those_that_are_there(call: Call) -> None:
    error = call("ingest_tests", functional_path="normalised.json").structured["error"]
    assert error["suggestions"] == ["normalized.json"]
    error = call("ingest_tests", functional_path="zzz.csv").structured["error"]
    assert error["suggestions"][0] == "api.json"
    assert "notes.txt" not in error["suggestions"]


def test_default_files(artifact: Path, tmp_path: Path) -> None:
    (tmp_path / "functional_tests_xray.json").write_text('[{"issueKey": "A-1", "summary": "old"}]')
    ask = client(artifact, tmp_path)
    assert ask("ingest_tests").structured["functional"]["docs_ingested"] == 1
    (tmp_path / "functional_tests_normalized.json").write_text(json.dumps(CASES))
    assert ask("ingest_tests").structured["functional"]["docs_ingested"] == len(CASES)
    (tmp_path / "api_tests_xray.json").write_text('{"tests": [{"uid": "x"}]}')
    assert ask("ingest_tests").structured["api"]["docs_ingested"] == 1


def test_the_folder_goes_by_its_own_name_too(
    artifact: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exports = tmp_path / "quality" / "exports"
    exports.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    ask = client(artifact, Path("quality/exports"))
    missing = refused(ask("ingest_tests"), 404)
    assert "quality/exports/functional_tests_xray.json" in missing
    (exports / "x.json").write_text(json.dumps(CASES))
    for path in ("x.json", "quality/exports/x.json", "./quality/exports/x.json", "data/x.json"):
        found = ask("ingest_tests", functional_path=path)
        assert found.structured["functional"]["docs_ingested"] == len(CASES)
        assert found.structured["next"].startswith("cp -- quality/exports/x.json KB/tests/ &&")


def test_no_default_file_is_there(artifact: Path, tmp_path: Path) -> None:
    reply = client(artifact, tmp_path / "nowhere")("ingest_tests")
    assert "data/functional_tests_normalized.json" in refused(reply, 404)


@pytest.mark.parametrize(
    ("path", "status", "word"),
    [
        ("missing.json", 404, "missing.json"),
        ("broken.json", 400, "line 1"),
        ("empty.json", 400, "no usable test"),
        ("digits.json", 400, "too long"),
        ("nameless.json", 400, "identifier"),
        ("notes.txt", 400, ".json"),
        ("link.json", 400, "links"),
        ("folder.json", 400, "regular file"),
        ("../x.json", 400, "`..`"),
        ("sub/../../x.json", 400, "`..`"),
        ("~/x.json", 400, "`~`"),
        ("file:///etc/x.json", 400, "scheme"),
        ("C:x.json", 400, "drive"),
        ("/etc/x.json", 400, "outside"),
        ("x;rm.json", 400, "shell"),
        ("$(id).json", 400, "shell"),
        ("a\nb.json", 400, "control"),
        ("x" * 501 + ".json", 400, "500"),
    ],
)
def test_paths_that_are_refused(call: Call, path: str, status: int, word: str) -> None:
    assert word in refused(call("ingest_tests", api_path=path), status)


def test_an_absolute_path_inside_the_folder_is_read(call: Call, data: Path) -> None:
    found = call("ingest_tests", functional_path=str(data.resolve() / "api.json"))
    assert found.structured["functional"]["docs_ingested"] == 1


def test_a_file_that_is_too_large_is_not_read(
    call: Call, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb_runtime.tools.cases.ingestion.MAX_BYTES", 1)
    assert "MB" in refused(call("ingest_tests", api_path="api.json"), 400)


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        ({}, "cp -- DATA/TESTS.json KB/tests/ && kbc build KB"),
        (
            {"functional_path": "normalized.json", "api_path": "no such file.json"},
            "cp -- DATA/normalized.json KB/tests/ && cp -- 'DATA/no such file.json'"
            " 'KB/tests/api-no such file.json' && kbc build KB",
        ),
    ],
)
def test_a_read_only_server_tells_what_to_run(
    artifact: Path, data: Path, arguments: dict[str, Any], command: str
) -> None:
    reply = client(artifact, data, read_only=True)("ingest_tests", **arguments)
    assert "--read-only" in refused(reply, 403)
    assert reply.structured["error"]["kind"] == "READ_ONLY"
    assert reply.structured["error"]["details"] == {"command": command}
    assert command in reply.text


def test_a_read_only_server_refuses_bad_paths_as_ever(artifact: Path, data: Path) -> None:
    reply = client(artifact, data, read_only=True)("ingest_tests", functional_path="../x.json")
    assert "`..`" in refused(reply, 400)
