"""Where every client keeps its servers, on the three platforms."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from kb_runtime.clients.machine import Machine, Platform
from kb_runtime.clients.table import CLIENTS, JsonText, Scope

LINUX = Machine("linux", "/home/me", {})
MACOS = Machine("macos", "/Users/me", {})
WINDOWS = Machine("windows", "C:\\Users\\me", {"APPDATA": "C:\\Users\\me\\AppData\\Roaming"})

SUPPORT = "/Users/me/Library/Application Support"
ROAMING = "C:\\Users\\me\\AppData\\Roaming"
CLINE = "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"

IN_HOME = {
    "claude-code": ".claude.json",
    "cursor": ".cursor/mcp.json",
    "copilot": ".copilot/mcp-config.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "qwen": ".qwen/settings.json",
    "opencode": ".config/opencode/opencode.json",
    "kilo": ".config/kilo/kilo.jsonc",
    "windsurf": ".codeium/windsurf/mcp_config.json",
    "kiro": ".kiro/settings/mcp.json",
    "cline-cli": ".cline/data/settings/cline_mcp_settings.json",
}
"""The clients that keep their servers at the same place below the home folder everywhere."""

ELSEWHERE = {
    ("claude-desktop", "linux"): "/home/me/.config/Claude/claude_desktop_config.json",
    ("claude-desktop", "macos"): f"{SUPPORT}/Claude/claude_desktop_config.json",
    ("claude-desktop", "windows"): f"{ROAMING}\\Claude\\claude_desktop_config.json",
    ("vscode", "linux"): "/home/me/.config/Code/User/mcp.json",
    ("vscode", "macos"): f"{SUPPORT}/Code/User/mcp.json",
    ("vscode", "windows"): f"{ROAMING}\\Code\\User\\mcp.json",
    ("zed", "linux"): "/home/me/.config/zed/settings.json",
    ("zed", "macos"): "/Users/me/.config/zed/settings.json",
    ("zed", "windows"): f"{ROAMING}\\Zed\\settings.json",
    ("cline", "linux"): f"/home/me/.config/{CLINE}",
    ("cline", "macos"): f"{SUPPORT}/{CLINE}",
    ("cline", "windows"): ROAMING + "\\" + CLINE.replace("/", "\\"),
}

IN_PROJECT = {
    "claude-code": ".mcp.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".vscode/mcp.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "qwen": ".qwen/settings.json",
    "opencode": "opencode.json",
    "kilo": ".kilo/kilo.jsonc",
    "kiro": ".kiro/settings/mcp.json",
    "zed": ".zed/settings.json",
}


def test_the_tables_of_this_test_name_every_client() -> None:
    assert set(IN_HOME) | {name for name, _ in ELSEWHERE} == set(CLIENTS)


@pytest.mark.parametrize("machine", [LINUX, MACOS, WINDOWS], ids=lambda each: each.platform)
@pytest.mark.parametrize("name", CLIENTS)
def test_the_users_file(machine: Machine, name: str) -> None:
    path = CLIENTS[name].path(machine, "user", "")
    if name in IN_HOME:
        assert path == machine.in_home_folder(IN_HOME[name])
        assert path.startswith(machine.home)
    else:
        assert path == ELSEWHERE[name, machine.platform]


@pytest.mark.parametrize("name", CLIENTS)
def test_the_projects_file(name: str) -> None:
    client = CLIENTS[name]
    assert ("project" in client.scopes) is (name in IN_PROJECT)
    if name in IN_PROJECT:
        assert client.path(LINUX, "project", "/work/app") == f"/work/app/{IN_PROJECT[name]}"
        found = client.path(WINDOWS, "project", "D:\\app")
        assert found == "D:\\app\\" + IN_PROJECT[name].replace("/", "\\")


@pytest.mark.parametrize(
    ("name", "variable", "path"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", "/elsewhere/.claude.json"),
        ("codex", "CODEX_HOME", "/elsewhere/config.toml"),
        ("copilot", "COPILOT_HOME", "/elsewhere/mcp-config.json"),
        ("opencode", "XDG_CONFIG_HOME", "/elsewhere/opencode/opencode.json"),
        ("vscode", "XDG_CONFIG_HOME", "/elsewhere/Code/User/mcp.json"),
        ("zed", "XDG_CONFIG_HOME", "/elsewhere/zed/settings.json"),
    ],
)
def test_variables_move_a_file(name: str, variable: str, path: str) -> None:
    client = CLIENTS[name]
    moved = Machine("linux", "/home/me", {variable: "/elsewhere"})
    assert client.path(moved, "user", "") == path
    ignored = Machine("linux", "/home/me", {variable: "not/absolute"})
    assert client.path(ignored, "user", "") == client.path(LINUX, "user", "")


def test_windows_without_appdata_has_the_usual_folder() -> None:
    bare = Machine("windows", "C:\\Users\\me", {})
    client = CLIENTS["claude-desktop"]
    assert client.path(bare, "user", "") == client.path(WINDOWS, "user", "")


def test_the_file_that_exists_is_taken(tmp_path: Path) -> None:
    machine = Machine("linux", str(tmp_path), {})
    folder = tmp_path / ".config" / "opencode"
    folder.mkdir(parents=True)
    assert CLIENTS["opencode"].path(machine, "user", "") == str(folder / "opencode.json")
    (folder / "opencode.jsonc").touch()
    assert CLIENTS["opencode"].path(machine, "user", "") == str(folder / "opencode.jsonc")


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_is_detected_by_its_folder(tmp_path: Path, name: str) -> None:
    platforms: tuple[Platform, ...] = ("linux", "macos")
    for platform in platforms:
        home = tmp_path / platform
        machine = Machine(platform, str(home), {})
        client = CLIENTS[name]
        assert not client.is_detected(machine)
        Path(client.traces(machine)[-1]).mkdir(parents=True)
        assert client.is_detected(machine)


@pytest.mark.parametrize("name", [each for each in CLIENTS if CLIENTS[each].programs])
def test_a_client_is_detected_by_its_program(tmp_path: Path, name: str) -> None:
    (tmp_path / "bin").mkdir()
    machine = Machine("linux", str(tmp_path / "home"), {"PATH": f"/none::{tmp_path}/bin"})
    program = tmp_path / "bin" / CLIENTS[name].programs[-1]
    program.touch()
    assert not CLIENTS[name].is_detected(machine), "it cannot be executed"
    program.chmod(0o755)
    assert CLIENTS[name].is_detected(machine)


@pytest.mark.parametrize("name", CLIENTS)
def test_an_entry_is_valid_and_starts_the_command(name: str) -> None:
    from kb_runtime.clients.server import launch_of

    client = CLIENTS[name]
    argv = ("/opt/kb/bin/kbc", "serve", "/data/quint")
    text = client.format.render("quint", client.fields(argv))
    whole = json.loads(text) if isinstance(client.format, JsonText) else tomllib.loads(text)
    assert list(whole) == [client.format.container]
    assert launch_of(whole[client.format.container]["quint"]).argv == argv


def test_shapes_that_differ_from_the_usual_one() -> None:
    argv = ("/kbc", "serve", "/a")
    usual = {"command": "/kbc", "args": ["serve", "/a"]}
    shapes = {name: client.fields(argv) for name, client in CLIENTS.items()}
    assert shapes.pop("opencode") == {
        "type": "local",
        "command": ["/kbc", "serve", "/a"],
        "enabled": True,
    }
    assert shapes.pop("kilo")["command"] == ["/kbc", "serve", "/a"]
    assert shapes.pop("claude-code") == {"type": "stdio", **usual}
    assert shapes.pop("vscode") == {"type": "stdio", **usual}
    assert shapes.pop("copilot") == {"type": "local", **usual, "tools": ["*"]}
    assert all(shape == usual for shape in shapes.values())


def test_instructions_have_a_file_in_a_project_for_every_agent() -> None:
    scopes: tuple[Scope, ...] = ("user", "project")
    for client in CLIENTS.values():
        for scope in scopes:
            path = client.instructions(LINUX, scope, "/work/app")
            assert not path or path.endswith(".md")
    assert CLIENTS["claude-code"].instructions(LINUX, "project", "/p") == "/p/CLAUDE.md"
    assert CLIENTS["gemini"].instructions(LINUX, "user", "") == "/home/me/.gemini/GEMINI.md"
    assert CLIENTS["claude-desktop"].instructions(LINUX, "project", "/p") == ""
