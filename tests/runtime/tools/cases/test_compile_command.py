"""What copies exports of tests into a knowledge base is a command that can be run as it stands."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from tests.waiting import PATIENCE_S

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.tools.cases.compile_command import CompileCommand, compile_command
from kb_runtime.tools.session import Session
from kbc.diagnostics import Diagnostics
from kbc.pipeline.build import BuildOptions, build
from kbc.pipeline.checking import read_checked
from kbc.records import TestRecord

BUILD = " && kbc build KB"


def case(uid: str) -> str:
    return json.dumps([{"uid": uid, "title": f"Test {uid}", "steps": ["Go"], "tags": ["a"]}])


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def asked(folder: Path, paths: str, data: str, *files: tuple[str, str]) -> CompileCommand:
    """The command for a knowledge base in `folder`/KB whose tests are at `paths`."""
    table = f'[[collection]]\nname = "cases"\nkind = "tests"\npaths = {paths}\n'
    write(folder / "KB", {"kb.toml": f'[kb]\nname = "demo"\n{table if paths else ""}'})
    path = build(folder / "KB", BuildOptions(out=folder / "out", embed=False)).path
    session = Session(Artifact.open(path), {}, data_folder=data)
    return compile_command(session, files)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("paths", "existing"),
    [
        ("", "tests/old.json"),
        ('["quality/cases"]', "quality/cases/old.json"),
        ('["quality/*.json"]', "quality/old.json"),
        ('["quality/**/*.json"]', "quality/deep/old.json"),
        ('["old.json", "more cases/"]', "old.json"),
        ('["."]', "old.json"),
    ],
)
def test_what_it_copies_is_in_the_next_build(tmp_path: Path, paths: str, existing: str) -> None:
    write(tmp_path / "KB", {existing: case("OLD-1"), "more cases/other.json": case("OTHER-1")})
    exports = {"x.json": case("NEW-1"), "sub/x.json": case("NEW-2"), "a b.json": case("NEW-3")}
    write(tmp_path / "exports", exports)
    found = asked(
        tmp_path,
        paths,
        "./exports/",
        ("functional", "x.json"),
        ("api", "sub/x.json"),
        ("functional", "a b.json"),
    )
    assert found.command.endswith(BUILD)
    copy = found.command.removesuffix(BUILD)
    subprocess.run(["sh", "-c", copy], cwd=tmp_path, check=True, timeout=PATIENCE_S)
    diagnostics = Diagnostics()
    inputs = read_checked(tmp_path / "KB", diagnostics, False)
    assert inputs is not None
    (records,) = inputs.records.values()
    uids = {record.id: record for record in records}
    assert {"OLD-1", "NEW-1", "NEW-2", "NEW-3"} <= uids.keys()
    assert isinstance(uids["NEW-2"], TestRecord)
    assert uids["NEW-2"].test_type == "API"
    assert found.notes == ()


def test_a_collection_that_lists_its_files_has_to_be_told(tmp_path: Path) -> None:
    write(tmp_path / "KB", {"old.json": case("OLD-1")})
    found = asked(tmp_path, '["old.json"]', "data", ("functional", "new.json"))
    assert found.command == "cp -- data/new.json KB/ && kbc build KB"
    (note,) = found.notes
    assert "The collection cases" in note
    assert "`paths`" in note


def test_a_file_that_would_be_replaced_is_named(tmp_path: Path) -> None:
    write(tmp_path / "KB", {"tests/old.json": case("OLD-1")})
    found = asked(tmp_path, "", "data", ("functional", "sub/old.json"))
    assert found.notes == ("It replaces KB/tests/old.json of the knowledge base.",)


def test_where_the_server_runs_is_not_told(tmp_path: Path) -> None:
    write(tmp_path / "KB", {"tests/old.json": case("OLD-1")})
    found = asked(tmp_path, "", str(tmp_path / "secret"), ("functional", "x.json"))
    assert found.command == "cp -- DATA/x.json KB/tests/ && kbc build KB"
    assert found.placeholders == "KB is the folder of kb.toml and DATA the server's data folder"
