"""`kbc install` over a real artifact, with the command that installing has written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.installed import Environment, wheel_of
from tests.end_to_end.knowledge import write_knowledge
from tests.end_to_end.shipping.clients.commands import DETECTED, KBC, NEEDED, ask, install, problems
from tests.waiting import PATIENCE_S

from kb_runtime.clients.table import CLIENTS
from kb_runtime.errors import exit_codes
from kb_runtime.store.location import resolve
from kbc.pipeline.build import BuildOptions, build
from kbc.shipping.signing import generate, sign

pytestmark = NEEDED


def alter(path: Path) -> None:
    """Changes one bit in the middle."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.chmod(0o644)
    path.write_bytes(data)


def converse(argv: list[str], home: Path) -> list[dict[str, Any]]:
    """What a server answers to a client that starts it with next to nothing."""
    requests = [
        {
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        },
        {"method": "notifications/initialized"},
        {
            "id": 2,
            "method": "tools/call",
            "params": {"name": "demo_hybrid_search", "arguments": {"query": "light a lantern"}},
        },
    ]
    lines = [json.dumps({"jsonrpc": "2.0", **request}) for request in requests]
    ran = subprocess.run(
        argv,
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        cwd="/",
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        timeout=PATIENCE_S,
        check=True,
    )
    return [json.loads(line) for line in ran.stdout.splitlines()]


def test_what_is_installed_answers_a_search_from_the_written_command(
    built: Path, home: Path, tmp_path: Path
) -> None:
    installed = subprocess.run(
        [KBC, "install", os.path.relpath(built), "--all-detected"],
        capture_output=True,
        text=True,
        check=True,
    )
    for name in DETECTED:
        assert f"{CLIENTS[name].title}: added demo to {home}" in installed.stdout
    assert "started as a client starts it: protocol 2025-11-25" in installed.stdout
    claude = json.loads((home / ".claude.json").read_text())["mcpServers"]["demo"]
    assert claude == {"type": "stdio", "command": str(KBC), "args": ["serve", str(built)]}
    codex = tomllib.loads((home / ".codex" / "config.toml").read_text())["mcp_servers"]["demo"]
    opencode = json.loads((home / ".config" / "opencode" / "opencode.json").read_text())
    for argv in (
        [claude["command"], *claude["args"]],
        [codex["command"], *codex["args"]],
        opencode["mcp"]["demo"]["command"],
    ):
        opened, found = converse(argv, home)
        assert opened["result"]["serverInfo"]["name"] == "demo"
        assert found["result"]["structuredContent"]["results"][0]["title"] == "Lanterns"


@pytest.mark.slow
def test_a_packaged_knowledge_base_installs_its_own_command(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    """Also after it moved."""
    wheel = wheel_of(built, tmp_path / "dist")
    for folder in ("one", "two"):
        environment = Environment(tmp_path / folder)
        environment.folder = home  # its commands run there
        environment.install(wheel)
        done = environment.run("demo-kb", "install", "--client", "cursor,codex")
        assert done.returncode == exit_codes.OK, done.stderr
        assert "started as a client starts it" in done.stdout
        entry = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]["demo"]
        command = str(tmp_path / folder / environment.bin.name / "demo-kb")
        assert entry == {"command": command, "args": []}
        assert converse([command], home)[1]["result"]["structuredContent"]["results"]
        told = environment.run("demo-kb", "doctor")
        assert told.returncode == exit_codes.OK, told.stdout
    shutil.rmtree(tmp_path / "two")
    gone = f"{command} does not exist; was its environment removed?"
    assert problems(capsys) == [gone] * 2
    assert f"{tmp_path}/one" not in (home / ".codex" / "config.toml").read_text()


@pytest.mark.slow
def test_a_packaged_knowledge_base_is_installed_with_options_of_the_server(
    built: Path, tmp_path: Path, home: Path
) -> None:
    """Another name and another entry of its own do not hide them from `doctor`."""
    environment = Environment(tmp_path / "venv")
    environment.folder = home  # its commands run there
    environment.install(wheel_of(built, tmp_path / "dist"))
    (home / "model").mkdir()
    install = ("demo-kb", "install", "--client", "cursor")
    options = ("--tools", "compact", "--workspace=own", "--model", "model")
    done = environment.run(*install, "--name", "k", "--", *options)
    assert done.returncode == exit_codes.OK, done.stderr
    assert "started as a client starts it" in done.stdout
    file = home / ".cursor" / "mcp.json"
    entry = json.loads(file.read_text())["mcpServers"]["k"]
    command = str(environment.bin / "demo-kb")
    written = ["serve", "--tools", "compact", f"--workspace={home}/own", "--model", f"{home}/model"]
    assert entry == {"command": command, "args": written}
    assert converse([command, *written], home)[0]["result"]["serverInfo"]["name"] == "demo"
    told = environment.run("demo-kb", "doctor")
    assert told.returncode == exit_codes.OK, told.stdout
    assert f"Cursor, k in {file}: protocol" in told.stdout
    for wrong in (["--http"], ["--tools", "nope"], ["--what"], ["--model", "model"]):
        done = environment.run(*install, "--", *wrong)
        assert done.returncode == exit_codes.USAGE
        assert done.stderr.startswith("demo-kb: ") or "Usage: demo-kb install" in done.stderr
        assert "Traceback" not in done.stderr
    assert list(json.loads(file.read_text())["mcpServers"]) == ["k"]


@pytest.mark.slow
def test_a_packaged_knowledge_base_is_installed_together_with_another(
    built: Path, tmp_path: Path, home: Path
) -> None:
    write_knowledge(home / "kb")
    settings = home / "kb" / "kb.toml"
    settings.write_text(settings.read_text().replace('name = "demo"', 'name = "more"'))
    other = build(home / "kb", BuildOptions(out=home / "out", cache=None)).path.parent
    environment = Environment(tmp_path / "venv")
    environment.folder = home  # its commands run there
    environment.install(wheel_of(built, tmp_path / "dist"))
    done = environment.run("demo-kb", "install", "out/more", "--client", "cursor")
    assert done.returncode == exit_codes.OK, done.stderr
    servers = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]
    assert {name: entry["args"] for name, entry in servers.items()} == {
        "demo-more": ["serve", str(other)]
    }


def test_installing_again_changes_nothing_and_uninstalling_leaves_nothing(
    built: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("install", built, "--all-detected", "--instructions", "--json")
    first = json.loads(ask(capsys, *arguments)[1])
    assert {change["action"] for change in first["changes"]} == {"add"}
    assert first["start"]["ok"]
    assert first["start"]["tools"] > 5
    assert "The MCP server `demo`" in (home / ".codex" / "AGENTS.md").read_text()
    again = json.loads(ask(capsys, *arguments)[1])
    assert {change["action"] for change in again["changes"]} == {"keep"}
    assert not any("backup" in change for change in again["changes"])
    assert problems(capsys, built) == []
    code, _, _ = ask(capsys, "install", "--uninstall", "--name", "demo", "--all-detected")
    assert code == exit_codes.OK
    left = [path.name for path in home.rglob("*") if path.is_file() and ".cache" not in path.parts]
    assert all(".bak-" in name for name in left)


def test_a_project_gets_files_of_its_own(
    built: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, _ = ask(
        capsys,
        "install",
        built,
        "--client",
        "claude-code,vscode",
        "--scope",
        "project",
        "--name",
        "k",
    )
    assert code == exit_codes.OK
    assert json.loads(Path(".mcp.json").read_text())["mcpServers"]["k"]["args"][0] == "serve"
    assert json.loads(Path(".vscode/mcp.json").read_text())["servers"]["k"]["type"] == "stdio"
    assert not (home / ".claude.json").exists()


def test_options_of_the_server_are_written_with_absolute_paths(
    built: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("src", "records", "model"):
        Path(name).mkdir()
    generate(Path("release"), None)
    signed = Path(shutil.copytree(built, "signed")).absolute()
    sign(signed, Path("release"), None)
    options = ("--tools", "compact", "--code", "src", "--key=release.pub", "--data=records")
    options += ("--workspace", "own", "--model", "model")
    code, _, err = ask(capsys, "install", signed, "--client", "cursor", "--", *options)
    assert code == exit_codes.OK, err
    entry = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]["demo"]
    here = Path.cwd()
    written = ["--tools", "compact", "--code", f"{here}/src", f"--key={here}/release.pub"]
    written += [f"--data={here}/records", "--workspace", f"{here}/own", "--model", f"{here}/model"]
    assert entry["args"] == ["serve", str(signed), *written]
    for wrong in (["--http"], ["--tools", "nope"], ["--what"]):
        code, _, err = ask(capsys, "install", built, "--client", "cursor", "--", *wrong)
        assert code == exit_codes.USAGE
        assert "Traceback" not in err


def test_printing_and_trying_write_nothing(
    built: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = ask(capsys, "install", built, "--print")
    assert code == exit_codes.OK
    assert all(f"{name}: " in out for name in CLIENTS)
    assert "[mcp_servers.demo]" in out
    code, out, _ = ask(capsys, "install", built, "--client", "cursor,codex", "--dry-run")
    assert code == exit_codes.OK
    assert "Cursor: would have added demo" in out
    assert f'+args = ["serve", "{built}"]' in out
    assert not any(path.is_file() for path in home.rglob("*"))


def test_clients_have_to_be_named(
    built: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = ask(capsys, "install", built)
    assert code == exit_codes.USAGE
    assert f"--client {','.join(DETECTED)}" in err
    code, _, err = ask(capsys, "install", built, "--client", "emacs")
    assert code == exit_codes.USAGE
    assert "unknown client 'emacs'; known clients: claude-code, " in err
    code, out, _ = ask(capsys, "install", "--client", "list")
    assert code == exit_codes.OK
    assert [line.split()[0] for line in out.splitlines()[1:]] == list(CLIENTS)
    shutil.rmtree(home)
    code, _, err = ask(capsys, "install", built, "--all-detected")
    assert code == exit_codes.NOT_FOUND
    assert "no client was found on this machine" in err


@pytest.mark.parametrize("name", ["", "a b", "é", "x" * 65, "-n\n"])
def test_a_name_that_clients_refuse_is_refused(
    built: Path, home: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    code, _, err = ask(capsys, "install", built, "--client", "cursor", "--name", name)
    assert code == exit_codes.USAGE
    assert "--name must be" in err


def test_one_broken_configuration_does_not_keep_the_others(
    built: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / ".cursor" / "mcp.json").write_text('{"mcpServers": {')
    code, out, err = ask(capsys, "install", built, "--client", "cursor,codex")
    assert code == exit_codes.OUTPUT
    assert "Codex: added demo" in out
    assert f"Cursor: {home}/.cursor/mcp.json is not valid JSON: line 1, column 17" in err
    assert (home / ".cursor" / "mcp.json").read_text() == '{"mcpServers": {'


def test_another_server_of_the_name_is_said_and_kept(
    built: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = home / ".cursor" / "mcp.json"
    file.write_text('{"mcpServers": {"demo": {"url": "https://example.org/mcp"}}}')
    before = file.read_bytes()
    code, _, err = ask(capsys, "install", built, "--client", "cursor")
    assert code == exit_codes.OUTPUT
    assert "another server named 'demo': https://example.org/mcp" in err
    assert problems(capsys, built) == [
        "Another server has the name 'demo': https://example.org/mcp."
    ]
    assert file.read_bytes() == before
    assert ask(capsys, "install", built, "--client", "cursor", "--force")[0] == exit_codes.OK
    assert problems(capsys, built) == []


def test_installing_at_the_same_time_keeps_every_server(built: Path, home: Path) -> None:
    names = ["a", "b", "c"]
    running = [
        subprocess.Popen([KBC, "install", built, "--client", "cursor", "--name", name])
        for name in names
    ]
    assert [process.wait() for process in running] == [exit_codes.OK] * len(names)
    servers = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]
    assert sorted(servers) == names


def test_a_server_can_be_taken_out_when_its_artifact_is_gone(
    artifact: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = install(capsys, artifact)
    shutil.rmtree(artifact)
    code, _, _ = ask(capsys, "install", artifact, "--client", "cursor", "--uninstall")
    assert code == exit_codes.ARTIFACT, "its name is in the artifact"
    arguments = ("--client", "cursor", "--uninstall", "--name", "demo")
    assert ask(capsys, "install", artifact, *arguments)[0] == exit_codes.OK
    assert not file.exists()


def test_what_is_no_artifact_is_refused_before_anything_is_written(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = ask(capsys, "install", tmp_path / "nothing", "--client", "cursor")
    assert code == exit_codes.ARTIFACT
    assert "There is no compiled knowledge base" in err
    assert not (home / ".cursor" / "mcp.json").exists()


def test_a_server_that_does_not_work_is_said_with_the_way_back(
    artifact: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(resolve(artifact))
    (words,) = folder.glob("lexical/*.store")
    alter(words)
    code, out, err = ask(capsys, "install", artifact, "--client", "cursor")
    assert "Cursor: added demo" in out
    assert code == exit_codes.BROKEN
    assert "the server does not work: Keyword search is unavailable" in err
    assert "--uninstall" in err
    assert problems(capsys)[0].startswith("Keyword search is unavailable")
    alter(folder / "catalog" / "chunks.bin")
    code, _, err = ask(capsys, "install", artifact, "--client", "cursor")
    assert code == exit_codes.BROKEN
    assert "the server does not work: demo_hybrid_search fails: Error: The knowledge base" in err


def test_a_knowledge_base_that_was_built_without_vectors_works_with_a_note(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_knowledge(tmp_path / "kb")
    options = BuildOptions(out=tmp_path / "out", cache=None, embed=False)
    artifact = build(tmp_path / "kb", options).path.parent
    code, out, err = ask(capsys, "install", artifact, "--client", "cursor")
    assert (code, err) == (exit_codes.OK, "")
    note = "Vector search is unavailable (the knowledge base has no encoder): keyword search only."
    assert f" ms. Note: {note}\n" in out
    started = json.loads(ask(capsys, "install", artifact, "--client", "cursor", "--json")[1])
    assert (started["start"]["ok"], started["start"]["note"]) == (True, note)
    code, out, _ = ask(capsys, "doctor", artifact)
    assert code == exit_codes.OK
    assert out.count(f"Note: {note}\n") == 2, "in both eras"
    (words,) = Path(resolve(artifact)).glob("lexical/*.store")
    alter(words)
    assert ask(capsys, "install", artifact, "--client", "cursor")[0] == exit_codes.BROKEN
