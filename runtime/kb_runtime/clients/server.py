"""Describes the server that an entry starts, and recognises entries that start a server of this program."""

from __future__ import annotations

import ntpath
import os
import posixpath
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Server:
    """What is installed: `argv` starts it over stdio from any folder, so all its paths are absolute.

    `name` is the name that its entries get unless told otherwise. `search` is the tool to begin with,
    empty without one.
    """

    name: str
    title: str
    description: str
    argv: tuple[str, ...]
    artifacts: tuple[str, ...]
    search: str = ""


def server_of(artifacts: Sequence[str], argv: Sequence[str], profile: str = "") -> Server:
    """The server that `argv` starts over `artifacts`, several of which are served as one. Raises
    ArtifactError, and ProfileError for tools that they do not offer."""
    from kb_runtime.live.versions import LiveArtifact
    from kb_runtime.mcp.dispatch import Dispatcher
    from kb_runtime.store.location import resolve
    from kb_runtime.store.manifest import load

    live = LiveArtifact(*artifacts)
    try:
        answers = Dispatcher(live, profile).answers
    finally:
        live.close()
    manifests = [load(resolve(each)) for each in artifacts]
    tools = answers.tools["tools"]
    return Server(
        name="-".join(manifest["name"] for manifest in manifests),
        title=str(answers.server_info.get("title") or answers.server_info["name"]),
        description=" ".join(filter(None, (each.get("description") for each in manifests))),
        argv=tuple(argv),
        artifacts=tuple(map(os.path.abspath, artifacts)),
        search=search_tool(tools),
    )


def installed_command(script: str, module: str) -> tuple[str, ...]:
    """How this program is started from anywhere: the console script that runs now, the one next to the
    interpreter, or else the module. Links are kept, because installers change what they lead to."""
    ending = ".exe" if os.name == "nt" else ""
    running = os.path.abspath(sys.argv[0])
    beside = os.path.join(os.path.dirname(sys.executable), script + ending)
    for path in (running, running + ending, beside):
        if _stem(path) == script and os.path.isfile(path) and os.access(path, os.X_OK):
            return (path,)
    return (sys.executable, "-m", module)


def is_temporary(program: str) -> bool:
    """Whether a program is in an environment that `uvx` made for one run, and may delete."""
    return "archive-v" in program and "uv" in program.replace("\\", "/").split("/")


def search_tool(tools: Sequence[Mapping[str, Any]]) -> str:
    """The tool that searches everything, else the first one that a query alone is enough for."""
    able = [tool["name"] for tool in tools if query_argument(tool)]
    general = [name for name in able if name.endswith(("hybrid_search", "_search", "retrieval"))]
    return next(iter([*general, *able]), "")


def query_argument(tool: Mapping[str, Any]) -> str:
    """The argument that a search needs, empty for a tool that needs others."""
    required = tool.get("inputSchema", {}).get("required", [])
    return required[0] if len(required) == 1 and "query" in required[0] else ""


@dataclass(frozen=True, slots=True)
class Launch:
    """How an entry of any client starts its server: `argv` is empty for a server that is not started
    but reached at an address."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    is_enabled: bool
    address: str = ""

    def __str__(self) -> str:
        return shlex.join(self.argv) or self.address or "nothing that can be started"


def launch_of(entry: Any) -> Launch:
    """Reads the shapes of all clients; what is not understood is left out."""
    if not isinstance(entry, dict):
        return Launch((), {}, True)
    command: Any = entry.get("command")
    arguments: Any = entry.get("args")
    if isinstance(command, dict):  # Zed, before 2026
        command, arguments = command.get("path"), command.get("args")
    parts = command if isinstance(command, list) else [command]
    parts = [*parts, *(arguments if isinstance(arguments, list) else [])]
    whole = bool(parts[0]) and all(isinstance(part, str) for part in parts) if parts else False
    argv = tuple(parts) if whole else ()
    variables: Any = entry.get("env", entry.get("environment"))
    given = variables if isinstance(variables, dict) else {}
    environment = {name: value for name, value in given.items() if isinstance(value, str)}
    is_enabled = entry.get("enabled") is not False and entry.get("disabled") is not True
    address = next((entry[key] for key in ("url", "httpUrl", "serverUrl") if key in entry), "")
    return Launch(argv, environment, is_enabled, str(address))


def artifacts_of(argv: Sequence[str]) -> tuple[str, ...] | None:
    """The artifacts that a command line of this program serves, none for the command of a packaged
    knowledge base, which has its own; None for the command of another program."""
    if not argv:
        return None
    program = _stem(argv[0])
    arguments = list(argv[1:])
    if program.startswith(("python", "pypy")) and arguments[:1] == ["-m"]:
        module = arguments[1] if len(arguments) > 1 else ""
        arguments = arguments[2:]
        if module == "kb_runtime":
            return _served(arguments)
        program = module
    if program == "kbc":
        return _served(arguments[1:]) if arguments[:1] == ["serve"] else None
    return () if re.fullmatch(r".+[-_]kb", program) else None


def _served(arguments: Sequence[str]) -> tuple[str, ...] | None:
    from kb_runtime.errors import UsageError
    from kb_runtime.options.serve import parse

    try:
        return tuple(parse(arguments).artifacts)
    except UsageError:
        return None


def _stem(path: str) -> str:
    """The name of a program without folder and `.exe`, whatever the platform it was written on."""
    name = ntpath.basename(posixpath.basename(path))
    stem, ending = posixpath.splitext(name)
    return (stem if ending.lower() in (".exe", ".cmd", ".bat") else name).lower()
