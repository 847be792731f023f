"""The supported clients: where each of them keeps its servers, and in which format.

To add a client, add a row. Paths and keys are those of the clients' own documentation.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from kb_runtime.clients.json_text import JsonText
from kb_runtime.clients.machine import Machine
from kb_runtime.clients.toml_text import TomlText

Scope = Literal["user", "project"]
Paths = Callable[[Machine], Sequence[str]]
Format = JsonText | TomlText

JSON = JsonText("mcpServers", comments=False)
JSONC = JsonText("mcpServers", comments=True)


def _plain(argv: Sequence[str]) -> dict[str, Any]:
    return {"command": argv[0], "args": list(argv[1:])}


def _typed(argv: Sequence[str]) -> dict[str, Any]:
    return {"type": "stdio", **_plain(argv)}


def _all_tools(argv: Sequence[str]) -> dict[str, Any]:
    return {"type": "local", **_plain(argv), "tools": ["*"]}


def _one_list(argv: Sequence[str]) -> dict[str, Any]:
    return {"type": "local", "command": list(argv), "enabled": True}


@dataclass(frozen=True, slots=True)
class Client:
    """`user` and `project` are the files to look for, the first one that exists counts, else the first
    named is made; those of a project are relative to its folder. `fields` makes an entry of a command
    line. The client is on a machine when one of `traces` exists or one of `programs` is on the PATH.
    `instructions` are the files that it reads as standing instructions."""

    id: str
    title: str
    format: Format
    fields: Callable[[Sequence[str]], dict[str, Any]]
    user: Paths
    traces: Paths
    programs: tuple[str, ...] = ()
    project: tuple[str, ...] = ()
    user_instructions: Paths | None = None
    project_instructions: str = "AGENTS.md"
    notes: Mapping[str, str] = field(default_factory=dict)
    """By scope, what a person has to do besides; one sentence."""

    @property
    def scopes(self) -> tuple[Scope, ...]:
        return ("user", "project") if self.project else ("user",)

    def path(self, machine: Machine, scope: Scope, project: str) -> str:
        named = self.user(machine)
        if scope == "project":
            named = [machine.join(project, each) for each in self.project]
        return next((each for each in named if os.path.lexists(each)), named[0])

    def instructions(self, machine: Machine, scope: Scope, project: str) -> str:
        """The file with standing instructions, empty for a client without one."""
        if scope == "project":
            name = self.project_instructions
            return machine.join(project, name) if name else ""
        return self.user_instructions(machine)[0] if self.user_instructions else ""

    def is_detected(self, machine: Machine) -> bool:
        return any(os.path.exists(trace) for trace in self.traces(machine)) or any(
            machine.has_program(name) for name in self.programs
        )


def _home(*paths: str) -> Paths:
    return lambda machine: [machine.in_home_folder(path) for path in paths]


def _xdg(*paths: str) -> Paths:
    return lambda machine: [machine.xdg_config(path) for path in paths]


def _data(*paths: str) -> Paths:
    return lambda machine: [machine.application_data(path) for path in paths]


def _own(variable: str, default: str, *paths: str) -> Paths:
    """Below the folder that a client's own variable names."""
    return lambda machine: [machine.in_folder_of(variable, default, path) for path in paths]


def _in_own_folder(id: str, title: str, file: str, instructions: str = "") -> Client:
    """A client with the folder `.id` at home and in projects, in which `file` has its servers, and a file of
    instructions of its own, if any."""
    return Client(
        id,
        title,
        JSONC,
        _plain,
        user=_home(f".{id}/{file}"),
        traces=_home(f".{id}"),
        programs=(id,),
        project=(f".{id}/{file}",),
        user_instructions=_home(f".{id}/{instructions}") if instructions else None,
        project_instructions=instructions or "AGENTS.md",
    )


_CLINE = "Code/User/globalStorage/saoudrizwan.claude-dev"

ROWS = (
    Client(
        "claude-code",
        "Claude Code",
        JSON,
        _typed,
        user=_own("CLAUDE_CONFIG_DIR", "", ".claude.json"),
        traces=lambda machine: [
            machine.in_folder_of("CLAUDE_CONFIG_DIR", "", ".claude.json"),
            machine.in_folder_of("CLAUDE_CONFIG_DIR", ".claude", ""),
        ],
        programs=("claude",),
        project=(".mcp.json",),
        user_instructions=_own("CLAUDE_CONFIG_DIR", ".claude", "CLAUDE.md"),
        project_instructions="CLAUDE.md",
    ),
    Client(
        "claude-desktop",
        "Claude Desktop",
        JSON,
        _plain,
        user=_data("Claude/claude_desktop_config.json"),
        traces=_data("Claude"),
        project_instructions="",
        notes={"user": "Quit Claude Desktop and start it again."},
    ),
    _in_own_folder("cursor", "Cursor", "mcp.json"),
    Client(
        "vscode",
        "VS Code (GitHub Copilot)",
        JsonText("servers", comments=True),
        _typed,
        user=_data("Code/User/mcp.json"),
        traces=_data("Code/User"),
        programs=("code",),
        project=(".vscode/mcp.json",),
    ),
    Client(
        "copilot",
        "GitHub Copilot CLI",
        JSON,
        _all_tools,
        user=_own("COPILOT_HOME", ".copilot", "mcp-config.json"),
        traces=_own("COPILOT_HOME", ".copilot", ""),
        programs=("copilot",),
    ),
    Client(
        "codex",
        "Codex",
        TomlText("mcp_servers"),
        _plain,
        user=_own("CODEX_HOME", ".codex", "config.toml"),
        traces=_own("CODEX_HOME", ".codex", ""),
        programs=("codex",),
        project=(".codex/config.toml",),
        user_instructions=_own("CODEX_HOME", ".codex", "AGENTS.md"),
        notes={"project": "Codex reads this file only when it trusts the project."},
    ),
    _in_own_folder("gemini", "Gemini CLI", "settings.json", "GEMINI.md"),
    _in_own_folder("qwen", "Qwen Code", "settings.json", "QWEN.md"),
    Client(
        "opencode",
        "opencode",
        JsonText("mcp", comments=True),
        _one_list,
        user=_xdg("opencode/opencode.json", "opencode/opencode.jsonc"),
        traces=_xdg("opencode"),
        programs=("opencode",),
        project=("opencode.json", "opencode.jsonc"),
        user_instructions=_xdg("opencode/AGENTS.md"),
    ),
    Client(
        "kilo",
        "Kilo Code",
        JsonText("mcp", comments=True),
        _one_list,
        user=_xdg("kilo/kilo.jsonc", "kilo/kilo.json"),
        traces=_xdg("kilo"),
        programs=("kilo",),
        project=(".kilo/kilo.jsonc", ".kilo/kilo.json", "kilo.jsonc", "kilo.json"),
    ),
    Client(
        "windsurf",
        "Windsurf",
        JSONC,
        _plain,
        user=_home(".codeium/windsurf/mcp_config.json"),
        traces=_home(".codeium/windsurf"),
        programs=("windsurf",),
    ),
    _in_own_folder("kiro", "Kiro", "settings/mcp.json"),
    Client(
        "zed",
        "Zed",
        JsonText("context_servers", comments=True),
        _plain,
        user=lambda machine: [
            machine.application_data("Zed/settings.json")
            if machine.platform == "windows"
            else machine.xdg_config("zed/settings.json")
        ],
        traces=lambda machine: [
            machine.application_data("Zed")
            if machine.platform == "windows"
            else machine.xdg_config("zed")
        ],
        programs=("zed", "zeditor"),
        project=(".zed/settings.json",),
    ),
    Client(
        "cline",
        "Cline (VS Code)",
        JSON,
        _plain,
        user=_data(f"{_CLINE}/settings/cline_mcp_settings.json"),
        traces=_data(_CLINE),
    ),
    Client(
        "cline-cli",
        "Cline CLI",
        JSON,
        _plain,
        user=lambda machine: [
            machine.environment.get("CLINE_MCP_SETTINGS_PATH")
            or machine.in_home_folder(".cline/data/settings/cline_mcp_settings.json")
        ],
        traces=_home(".cline"),
        programs=("cline",),
    ),
)

CLIENTS: Mapping[str, Client] = {client.id: client for client in ROWS}
