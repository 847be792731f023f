"""The tools over source trees, and `tool_manifest`, which lists what a server offers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kb_runtime.text.tables import count_of
from kb_runtime.tools.code import (
    context,
    definitions,
    files,
    outline,
    references,
    retrieval,
    status,
)
from kb_runtime.tools.code.index import FAMILY, code_tools
from kb_runtime.tools.declaration import Answer

if TYPE_CHECKING:
    from kb_runtime.tools.code.answers import ListedTool, ToolManifest
    from kb_runtime.tools.session import Session

PURPOSE_CHARS = 200
_TOOLS_FILE = "tools.json"


OWN = code_tools()


@OWN.tool("The tools that this server offers, by family, with their arguments.")
def tool_manifest(session: Session, _: dict[str, Any]) -> Answer[ToolManifest]:
    offered = set(session.tool_names.values())
    tools: list[ListedTool] = []
    capabilities: dict[str, list[str]] = {}
    for family, entry in _entries(session):
        name = entry["name"]
        if name not in offered or name in capabilities.setdefault(family, []):
            continue
        capabilities[family].append(name)
        tools.append(_listed(entry))
    structured: ToolManifest = {
        "server": {
            "name": str(session.artifact.manifest["name"]),
            "version": str(session.artifact.manifest["version"]),
        },
        "tools": tools,
        "capabilities": {family: names for family, names in capabilities.items() if names},
    }
    lines = [count_of(len(tools), "tool")]
    lines += (f"- {each['name']}: {each['purpose']}" for each in tools)
    return Answer("\n".join(lines), structured)


def _entries(session: Session) -> list[tuple[str, dict[str, Any]]]:
    """Family and `tools/list` entry of every tool: as compiled, and those over source trees, which a
    server with a workspace offers without."""
    entries = []
    for part in session.artifact.parts:
        families = json.loads(part.read(_TOOLS_FILE))["families"]
        entries += [(family, tool) for family in families for tool in families[family]["tools"]]
    entries += [
        (
            FAMILY,
            {
                "name": tool.name,
                "description": tool.description,
                "inputSchema": {
                    "properties": {each.name: {} for each in tool.arguments},
                    "required": [each.name for each in tool.arguments if each.required],
                },
            },
        )
        for tool in TOOLS
    ]
    return entries


def _listed(entry: dict[str, Any]) -> ListedTool:
    schema = entry["inputSchema"]
    required = list(schema.get("required", ()))
    first = entry["description"].split("\n", 1)[0]
    purpose = first.partition(". ")[0].rstrip(".")
    return {
        "name": entry["name"],
        "purpose": purpose[:PURPOSE_CHARS],
        "required": required,
        "optional": [name for name in schema["properties"] if name not in required],
    }


TOOLS = (
    *retrieval.TOOLS,
    *files.TOOLS,
    *definitions.TOOLS,
    *references.TOOLS,
    *outline.TOOLS,
    *context.TOOLS,
    *status.TOOLS,
    *OWN,
)
