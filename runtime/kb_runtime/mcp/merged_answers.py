"""Merges the answers in the `tools.json` of several artifacts into one offer, under one prefix.

A tool that several of them offer is listed once. Arguments whose values depend on the knowledge base
(scopes, categories) accept those of all. `docs/mcp.md` describes what that means for a client.
"""

from __future__ import annotations

import json
import re

from kb_runtime.mcp.introduction import MAX_INSTRUCTIONS, REFERENCE_ONLY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from kb_runtime.knowledge.artifact import Artifact
    from kb_runtime.knowledge.interface import Knowledge

    Change = Callable[[str, list[str]], list[str]]
    Document = dict[str, Any]

KB = "kb"
"""The argument by which a call asks one of several knowledge bases."""
COLLECTION = "collection"
"""The argument that takes a collection by its name among all knowledge bases."""

_KB_DESCRIPTION = "ask this knowledge base only"
_PREFIXED = "{prefix}"


def merged(documents: Sequence[Document], knowledge: Knowledge) -> Document:
    """The content of a `tools.json` that speaks for all parts of `knowledge`, whose own contents are
    `documents`, in this order."""
    manifest = knowledge.manifest
    served = knowledge.served
    wire_names: dict[str, str] = {}
    own = [
        _renamed(document, part, manifest["prefix"], wire_names)
        for document, part in zip(documents, knowledge.parts, strict=True)
    ]
    server = {name: manifest[name] for name in ("name", "version", "title")}
    if manifest["description"]:
        server["description"] = manifest["description"]
    families = _families(own, [collection_names(knowledge, part) for part in knowledge.parts])
    first = own[0]
    starts = {
        name: text
        for each in reversed(own)
        for name, text in each["instructions"]["families"].items()
    }
    introduction = first["instructions"]["introduction"]
    if len(served) > 1:
        names = [part.manifest["name"] for part in served]
        for family in families.values():
            family["tools"] = [_choosing(tool, names) for tool in family["tools"]]
        room = MAX_INSTRUCTIONS - sum(len(text) + 1 for text in starts.values())
        introduction = _introduction(own[: len(served)], served, room)
    templates = {
        template["uriTemplate"]: template
        for each in reversed(own)
        for template in reversed(each["templates"]["resourceTemplates"])
    }
    return {
        "format": first["format"],
        "initialize": {**first["initialize"], "serverInfo": server},
        "discover": first["discover"],
        "instructions": {"introduction": introduction, "families": starts},
        "families": families,
        "names": {wire: tool for each in reversed(own) for wire, tool in each["names"].items()},
        "templates": {"resourceTemplates": list(reversed(templates.values()))},
    }


def _renamed(
    document: Document, part: Artifact, prefix: str, wire_names: dict[str, str]
) -> Document:
    """`document` with the names of the server in place of those of its own tools, wherever they are told.

    `wire_names` are the names by which the server has tools already, by declared name: those of this
    document are added. A tool that no other document has keeps its name, with the server's prefix.
    """
    start = part.manifest["prefix"] + "_"
    always = (part.manifest.get("tools") or {}).get("prefix")
    changed = {}
    for wire, tool in _first_names(document).items():
        is_prefixed = wire.startswith(start) and (_PREFIXED in tool or always)
        own = f"{prefix}_{wire.removeprefix(start)}" if is_prefixed else wire
        new = wire_names.setdefault(tool, own)
        if new != wire:
            changed[wire] = new
    if not changed:
        return document
    told = {name: document[name] for name in ("families", "instructions")}
    names = {changed.get(wire, wire): tool for wire, tool in document["names"].items()}
    return {**document, **with_tool_names(told, changed), "names": names}


def with_tool_names(told: Document, changed: Mapping[str, str]) -> Document:
    """`told` with other names of tools, `changed` by those that it tells, wherever it tells them."""
    any_name = re.compile(rf"\b(?:{'|'.join(map(re.escape, changed))})\b")
    text = any_name.sub(lambda found: changed[found[0]], json.dumps(told, ensure_ascii=False))
    renamed: Document = json.loads(text)
    return renamed


def _first_names(document: Document) -> dict[str, str]:
    """Name on the wire -> declared name of each tool, without aliases, which come after it."""
    first = {tool: wire for wire, tool in reversed(document["names"].items())}
    return {wire: tool for tool, wire in first.items()}


def collection_names(knowledge: Knowledge, part: Artifact) -> dict[str, str]:
    """The names of a part's collections here by their own."""
    return {
        info.name: next(iter(knowledge.addressed(part.manifest["name"], info.name)), info.name)
        for info in part.collections
    }


def _families(
    documents: Sequence[Document], collections: Sequence[Mapping[str, str]]
) -> dict[str, dict[str, Any]]:
    """Family by family the tools and prompts of all, each once, as the first one has it."""
    families: dict[str, dict[str, Any]] = {}
    for document, names in zip(documents, collections, strict=True):
        for name, family in document["families"].items():
            known = families.setdefault(name, {"tools": [], "prompts": []})
            tools = {tool["name"]: tool for tool in known["tools"]}
            for tool in family["tools"]:
                new = _with_collections(tool, names)
                same = tools.get(tool["name"])
                tools[tool["name"]] = new if same is None else _united(same, new)
            known["tools"] = list(tools.values())
            told = {prompt["name"] for prompt in known["prompts"]}
            known["prompts"] += [one for one in family["prompts"] if one["name"] not in told]
    return families


def _with_collections(tool: Document, names: Mapping[str, str]) -> Document:
    """The tool, whose arguments that take a collection take it by its name here."""

    def renamed(values: Iterable[str]) -> list[str]:
        return [names.get(value, value) for value in values]

    return _with_choices(
        tool, lambda argument, values: renamed(values) if argument == COLLECTION else values
    )


def _united(first: Document, other: Document) -> Document:
    """A tool of two artifacts: each argument takes the values that it takes in either."""
    others = {name: _choices(schema) for name, schema in _arguments(other).items()}
    return _with_choices(
        first,
        lambda argument, values: list(dict.fromkeys([*values, *(others.get(argument) or ())])),
    )


def _choosing(tool: Document, names: Sequence[str]) -> Document:
    """The tool with one more argument: which knowledge base to ask."""
    schema = tool["inputSchema"]
    choice = {"type": "string", "enum": list(names), "description": _KB_DESCRIPTION}
    properties = {**schema["properties"], KB: choice}
    return {**tool, "inputSchema": {**schema, "properties": properties}}


def _arguments(tool: Document) -> dict[str, Any]:
    properties: dict[str, Any] = tool["inputSchema"]["properties"]
    return properties


def _choices(schema: Mapping[str, Any]) -> list[str] | None:
    """The values that an argument takes; None for any."""
    found: list[str] | None = schema.get("items", schema).get("enum")
    return found


def _with_choices(tool: Document, change: Change) -> Document:
    """The tool with `change(argument, values)` in place of the values of each argument that has a
    list of them."""
    properties = {}
    for name, schema in _arguments(tool).items():
        values = _choices(schema)
        if values is not None:
            changed = change(name, values)
            if "items" in schema:
                schema = {**schema, "items": {**schema["items"], "enum": changed}}
            else:
                schema = {**schema, "enum": changed}
        properties[name] = schema
    return {**tool, "inputSchema": {**tool["inputSchema"], "properties": properties}}


def _introduction(documents: Iterable[Document], served: Sequence[Artifact], room: int) -> str:
    """What the knowledge bases are, each in a line of its own, within `room` characters."""
    names = ", ".join(part.manifest["name"] for part in served)
    state = (
        f"They are searched as one; the argument `{KB}` ({names}) asks one of"
        f" them. {REFERENCE_ONLY}"
    )
    head = f"{len(served)} knowledge bases:"
    each = (room - len(head) - len(state) - 2) // len(served) - 1
    lines = []
    for document, part in zip(documents, served, strict=True):
        about = document["instructions"]["introduction"].partition("\n")[0]
        line = f"- {part.manifest['name']}: {about}"
        lines.append(line if len(line) <= each else line[: max(each - 1, 0)].rstrip() + "…")
    return "\n".join([head, *lines, state])
