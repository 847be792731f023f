"""`kbc doctor` over a real artifact: what it finds wrong with installations."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.end_to_end.shipping.clients.commands import KBC, NEEDED, ask, install, problems, warnings

from kb_runtime.errors import exit_codes
from kb_runtime.store.location import resolve
from kb_runtime.store.manifest import MANIFEST, load, seal
from kb_runtime.version import FORMAT_VERSION

pytestmark = NEEDED


def test_doctor_finds_a_good_installation_good(
    built: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install(capsys, built)
    code, out, err = ask(capsys, "doctor")
    assert (code, err) == (exit_codes.OK, "no problems found\n")
    assert "protocol 2025-11-25: first answer after" in out
    assert "protocol 2026-07-28: first answer after" in out
    assert "demo_hybrid_search found" in out
    assert problems(capsys, built, "--deep") == []


def test_doctor_without_an_installation_says_what_to_do(
    built: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert problems(capsys) == []
    assert warnings(capsys) == ["No client on this machine starts a knowledge base of kbc."]
    assert warnings(capsys, built) == ["No client on this machine starts this knowledge base."]


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["gone", "not-executable", "no-interpreter", "relative"])
def test_doctor_sees_a_command_that_cannot_run(
    built: Path, home: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, damage: str
) -> None:
    file = install(capsys, built)
    script = tmp_path / "venv" / "kbc"
    script.parent.mkdir()
    if damage != "gone":
        script.write_text("#!/gone/bin/python3\n")
        script.chmod(0o644 if damage == "not-executable" else 0o755)
    command = "kbc" if damage == "relative" else str(script)
    file.write_text(file.read_text().replace(str(KBC), command))
    expected = {
        "gone": f"{script} does not exist; was its environment removed?",
        "not-executable": f"{script} is not executable.",
        "no-interpreter": f"{script} needs /gone/bin/python3, which no longer exists.",
        "relative": "kbc cannot be started: No such file or directory. (protocol: handshake)",
    }
    assert problems(capsys) == [expected[damage]]
    if damage == "relative":
        assert warnings(capsys) == ["kbc is not an absolute path."]
    assert ask(capsys, "install", built, "--client", "cursor")[0] == exit_codes.OK
    assert problems(capsys) == []


def test_doctor_sees_an_artifact_that_is_gone_cut_altered_or_newer(
    artifact: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install(capsys, artifact)
    folder = Path(resolve(artifact))
    chunks = folder / "catalog" / "chunks.bin"
    chunks.chmod(0o644)
    data = chunks.read_bytes()
    chunks.write_bytes(data[:-1])
    (problem,) = problems(capsys)
    assert problem.startswith(f"{chunks} has {len(data) - 1} bytes")
    chunks.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    assert any("was altered" in problem for problem in problems(capsys, "--deep"))
    chunks.write_bytes(data)
    assert problems(capsys, "--deep") == []
    manifest = folder / MANIFEST
    manifest.chmod(0o644)
    fields = load(folder).as_dict()
    manifest.write_bytes(seal({**fields, "format": FORMAT_VERSION + 1}))
    (problem,) = problems(capsys)
    assert (
        f"has format {FORMAT_VERSION + 1}; this kbc reads formats 1 to {FORMAT_VERSION}" in problem
    )
    shutil.rmtree(artifact)
    (problem,) = problems(capsys)
    assert problem.startswith("There is no compiled knowledge base")
    assert problems(capsys, artifact) == [problem]  # of the artifact alone, whatever clients start


def test_doctor_sees_configurations_that_clients_cannot_read(
    built: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install(capsys, built)
    (home / ".codex" / "config.toml").write_text("a = 1\na = 2\n")
    (home / ".claude.json").write_text('{"mcpServers": {"demo": {}, "demo": {}}}')
    told = problems(capsys)
    assert f"{home}/.claude.json has 'demo' twice, on lines 1 and 1." in told
    assert any(each.startswith(f"{home}/.codex/config.toml is not valid TOML") for each in told)


def test_doctor_reads_the_users_file_once_in_the_home_folder(
    built: Path,
    home: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(capsys, built)
    monkeypatch.chdir(home)
    assert warnings(capsys) == []
    assert problems(capsys) == []


@pytest.mark.slow
def test_doctor_warns_of_doubles_and_of_what_is_switched_off(
    built: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = install(capsys, built)
    assert ask(capsys, "install", built, "--client", "cursor", "--name", "two")[0] == exit_codes.OK
    assert warnings(capsys) == ["demo starts the same server: every tool is offered twice."]
    options = ("--scope", "project", "--", "--tools", "compact")
    assert ask(capsys, "install", built, "--client", "cursor", *options)[0] == exit_codes.OK
    told = warnings(capsys)
    assert any(f"{file} has another server of this name; in this project" in each for each in told)
    shutil.rmtree(".cursor")
    file.write_text(file.read_text().replace('"command"', '"disabled": true,\n"command"', 1))
    assert "The server is disabled." in warnings(capsys)
    assert problems(capsys) == []


def test_doctor_sees_a_missing_dependency(built: Path, home: Path, tmp_path: Path) -> None:
    described = tmp_path / "site" / "kb_compiler-9.dist-info"
    described.mkdir(parents=True)
    (described / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: kb-compiler\nVersion: 9\n"
        "Requires-Dist: click>=8\nRequires-Dist: no-such-library>=1\n"
        "Requires-Dist: not-asked-for; extra == 'compiler'\n"
    )
    ran = subprocess.run(
        [KBC, "doctor"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        check=False,
    )
    assert ran.returncode == exit_codes.BROKEN
    assert "The dependency no-such-library is not installed." in ran.stdout
    assert "not-asked-for" not in ran.stdout


def test_a_command_that_a_project_names_is_never_started(
    built: Path, home: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    program = tmp_path / "handbook-kb"
    program.write_text("#!/bin/sh\necho started > ${0%/*}/started\n")
    program.chmod(0o755)
    entry = {"command": str(program), "args": ["serve"], "env": {"BROWSER": "anything"}}
    Path(".mcp.json").write_text(json.dumps({"mcpServers": {"docs": entry}}))
    assert problems(capsys) == []
    assert warnings(capsys) == [
        f"not started, because a file of a project may name any command: {program} serve"
    ]
    options = ("--client", "claude-code", "--scope", "project")
    code, out, _ = ask(capsys, "install", built, *options)
    assert code == exit_codes.OK
    assert "started as a client starts it" in out
    assert not (tmp_path / "started").exists()


def test_control_characters_of_a_project_are_shown_as_escapes(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = {"command": "/bin/sh-kb", "args": ["\x1b[2J"]}
    Path(".mcp.json").write_text(json.dumps({"mcpServers": {"x\x1b]0;owned\x07": entry}}))
    out = ask(capsys, "doctor")[1]
    assert "x\\x1b]0;owned\\x07 in " in out
    assert "\x1b]" not in out
