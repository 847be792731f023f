"""The `tools/list` entries of the tools over a workspace, which may not be in any artifact yet.

The compiler writes the entries of tools that an artifact has collections for; those of the others are
made here, so only such a server pays for it at its start.
"""

from __future__ import annotations

from kb_runtime.mcp.introduction import INGESTS, REINDEX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Document = dict[str, Any]

_INGESTS_DESCRIPTION = (
    "Adds the tests of JSON exports in the server's data directory to its workspace, where they can be"
    " searched at once; a test replaces the one of its uid. Says how many tests and steps, and what is"
    " wrong with them."
)


def with_workspace(document: Document, families: Iterable[str]) -> Document:
    """`document`, the content of a `tools.json`, with these families of tools."""
    offered = dict(document["families"])
    starts = dict(document["instructions"]["families"])
    names = dict(document["names"])
    if missing := [family for family in families if family not in offered]:
        from kb_runtime.tools.cases import health, ingestion, search
        from kb_runtime.tools.code import family as code
        from kb_runtime.tools.introductions import introductions
        from kb_runtime.tools.schemas import describe

        modules = (search, health, ingestion, code)
        tools = [tool for each in modules for tool in each.TOOLS if tool.family in missing]
        for family in missing:
            entries = [describe(tool, "", {}) for tool in tools if tool.family == family]
            offered[family] = {"tools": entries, "prompts": []}
        starts |= introductions(tools, "")
        names |= {tool.name: tool.name for tool in tools}  # none of them has a prefix
    for family in families:
        entry = offered[family]
        tools_of = [_adding(tool, names[tool["name"]]) for tool in entry["tools"]]
        offered[family] = {**entry, "tools": tools_of}
    return {
        **document,
        "families": offered,
        "instructions": {**document["instructions"], "families": starts},
        "names": names,
    }


def _adding(tool: Document, name: str) -> Document:
    """The tool as it is with a workspace, without which none stores anything."""
    if name == REINDEX:
        return {**tool, "annotations": {**tool["annotations"], "readOnlyHint": False}}
    if name != INGESTS:
        return tool
    stores = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False}
    annotations = {**tool["annotations"], **stores}
    return {**tool, "description": _INGESTS_DESCRIPTION, "annotations": annotations}
