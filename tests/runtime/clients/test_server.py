"""Entries of all shapes are read, and those that start this program are known."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from kb_runtime.clients.machine import Machine
from kb_runtime.clients.server import (
    artifacts_of,
    is_temporary,
    launch_of,
    query_argument,
    search_tool,
)


@pytest.mark.parametrize(
    ("entry", "argv"),
    [
        ({"command": "npx", "args": ["-y", "x"]}, ("npx", "-y", "x")),
        ({"command": "npx"}, ("npx",)),
        ({"command": ["npx", "-y"]}, ("npx", "-y")),
        ({"command": {"path": "npx", "args": ["-y"]}}, ("npx", "-y")),
        ({"url": "https://x"}, ()),
        ({"command": 3}, ()),
        ({"command": "npx", "args": [1]}, ()),
        ({"command": []}, ()),
        (None, ()),
        ("npx", ()),
    ],
)
def test_the_command_of_an_entry(entry: Any, argv: tuple[str, ...]) -> None:
    assert launch_of(entry).argv == argv


def test_the_rest_of_an_entry() -> None:
    launch = launch_of({"command": "x", "env": {"A": "1", "B": 2}, "disabled": True})
    assert (launch.environment, launch.is_enabled) == ({"A": "1"}, False)
    assert launch_of({"command": ["x"], "environment": {"A": "1"}}).environment == {"A": "1"}
    assert not launch_of({"command": ["x"], "enabled": False}).is_enabled
    assert str(launch_of({"url": "https://x/mcp"})) == "https://x/mcp"
    assert str(launch_of({"command": "a b", "args": ["c"]})) == "'a b' c"
    assert str(launch_of({})) == "nothing that can be started"


@pytest.mark.parametrize(
    ("argv", "artifacts"),
    [
        (["/v/bin/kbc", "serve", "/data/quint"], ("/data/quint",)),
        (["/v/bin/kbc", "serve", "/a", "/b", "--tools", "compact"], ("/a", "/b")),
        (["C:\\v\\Scripts\\kbc.exe", "serve", "C:\\data"], ("C:\\data",)),
        (["/v/bin/python3.12", "-m", "kbc", "serve", "/data"], ("/data",)),
        (["/v/bin/python", "-m", "kb_runtime", "/data"], ("/data",)),
        (["/v/bin/quint-kb"], ()),
        (["/v/bin/quint-kb", "serve", "--tools", "compact"], ()),
        (["/v/bin/python", "-m", "quint_kb"], ()),
        (["/v/bin/kbc", "search", "/data"], None),
        (["/v/bin/kbc", "serve"], None),
        (["/v/bin/kbc", "serve", "/data", "--what"], None),
        (["npx", "-y", "kbc"], None),
        (["python", "-m", "http.server"], None),
        (["/bin/-kb"], None),
        ([], None),
    ],
)
def test_the_artifacts_that_a_command_serves(
    argv: list[str], artifacts: tuple[str, ...] | None
) -> None:
    assert artifacts_of(argv) == artifacts


def test_an_environment_of_uvx_is_temporary() -> None:
    assert is_temporary("/home/me/.cache/uv/archive-v0/Zx1/bin/quint-kb")
    assert is_temporary("C:\\Users\\me\\AppData\\Local\\uv\\cache\\archive-v0\\Zx1\\quint-kb.exe")
    assert not is_temporary("/home/me/.local/share/uv/tools/quint-kb/bin/quint-kb")


def tool(name: str, *required: str) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"required": list(required)}}


def test_the_search_that_is_tried() -> None:
    tools = [
        tool("q_get", "name"),
        tool("q_find", "query"),
        tool("q_hybrid_search", "query"),
    ]
    assert search_tool(tools) == "q_hybrid_search"
    assert search_tool(tools[:2]) == "q_find"
    assert search_tool(tools[:1]) == ""
    assert query_argument(tool("codebase_retrieval", "query_text")) == "query_text"
    assert query_argument(tool("diff", "query", "name")) == ""


def test_a_server_gets_what_a_client_passes_on() -> None:
    given = {"PATH": "/opt/bin", "SECRET": "x", "USER": "me", "PYTHONPATH": "/p"}
    bare = Machine("linux", "/home/me", given).bare_environment()
    assert bare == {"HOME": "/home/me", "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "USER": "me"}
    windows = Machine("windows", "C:\\Users\\me", {"SYSTEMROOT": "C:\\Windows", "SECRET": "x"})
    assert windows.bare_environment() == {
        "SYSTEMROOT": "C:\\Windows",
        "PATH": "C:\\Windows\\System32",
    }


def test_this_machine_is_the_one_of_the_process() -> None:
    machine = Machine.this()
    assert machine.environment == dict(os.environ)
    assert machine.home == str(Path.home())
