"""The `tools/list` entries of the tools over a workspace, which may not be in any artifact yet.

The compiler writes such entries into an artifact. `workspace_tools.json`, which
`scripts/generate_docs.py` writes, has them for servers whose artifacts have none.
"""

from __future__ import annotations

import json
import os

from kb_runtime.mcp.introduction import INGESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Document = dict[str, Any]

FILE = "workspace_tools.json"
"""{families: as in tools.json, names: as there, instructions: {family: how to start with its tools}}."""

_INGESTS_DESCRIPTION = (
    "Adds the tests of JSON exports in the server's data directory to its workspace, where they can be"
    " searched at once; a test replaces the one of its uid. Says how many tests and steps, and what is"
    " wrong with them."
)


def with_workspace(document: Document, families: Iterable[str]) -> Document:
    """`document`, the content of a `tools.json`, with these families of tools."""
    path = os.path.join(os.path.dirname(__file__), FILE)
    with open(path, encoding="utf-8") as file:
        offer: Document = json.load(file)
    offered = dict(document["families"])
    starts = dict(document["instructions"]["families"])
    names = dict(document["names"])
    for family in families:
        if family not in offered:
            offered[family] = offer["families"][family]
            starts[family] = offer["instructions"][family]
            for tool in offered[family]["tools"]:
                names[tool["name"]] = offer["names"][tool["name"]]
    offered["tests"] = {
        **offered["tests"],
        "tools": [
            _adding(tool) if names[tool["name"]] == INGESTS else tool
            for tool in offered["tests"]["tools"]
        ],
    }
    return {
        **document,
        "families": offered,
        "instructions": {**document["instructions"], "families": starts},
        "names": names,
    }


def _adding(tool: Document) -> Document:
    """The tool that adds tests, where it does: without a workspace it stores nothing."""
    stores = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False}
    annotations = {**tool["annotations"], **stores}
    return {**tool, "description": _INGESTS_DESCRIPTION, "annotations": annotations}
