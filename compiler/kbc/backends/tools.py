"""Writes `tools.json`: the answers to `initialize`, `server/discover` and the lists, ready to send.

`kb_runtime.mcp.answers` reads it and describes its layout.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kb_runtime.errors import SingleCodeError, exit_codes
from kb_runtime.mcp.answers import ALL, COMPACT, ProfileError, choose_families, greeting
from kb_runtime.mcp.introduction import MAX_INSTRUCTIONS, REFERENCE_ONLY
from kb_runtime.mcp.merged_answers import with_tool_names
from kb_runtime.mcp.prompts import describe_prompts
from kb_runtime.mcp.resources import mime_type
from kb_runtime.text.addresses import address_template
from kb_runtime.tools.declaration import Tool
from kb_runtime.tools.introductions import introductions
from kb_runtime.tools.registry import TOOLS
from kb_runtime.tools.schemas import describe
from kb_runtime.tools.search.compact import TOOLS as COMPACT_TOOLS
from kb_runtime.version import UNSTATED_VERSION

_NOUNS = {
    "builtins": "builtins",
    "docs": "pages",
    "pages": "pages of documentation sets",
    "workshops": "sections of workshops",
    "examples": "examples",
    "patterns": "patterns",
    "templates": "templates",
    "tests": "test cases",
    "routing": "routing rules",
    "code": "source files",
}


@dataclass(frozen=True, slots=True)
class CollectionSummary:
    """`containers` of the `records` only group others: the sources of pages, the workshops of sections."""

    name: str
    kind: str
    records: int
    containers: int = 0

    @property
    def holding(self) -> tuple[int, str]:
        """How many of what it holds."""
        return self.records - self.containers, _NOUNS.get(self.kind, self.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFacts:
    """What the answers say about the knowledge base.

    `built_at` is ISO 8601, or "" when it is not known. `choices` gives the values that arguments
    declared with `choices_from` take (`builtin_categories` ...); those of `collections` are known here.
    `aliases` maps extra tool names to wire names. `families` restricts what is offered (None: all).
    `settings` are the `tools` of the manifest; `offer` in them is the profile of a server that is started
    without one, and `prefix` begins the name of every tool with the prefix.
    """

    name: str
    title: str
    version: str
    prefix: str
    description: str
    built_at: str
    build_id: str
    collections: Sequence[CollectionSummary]
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    families: Sequence[str] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


class AliasError(SingleCodeError):
    """A `[[tools.alias]]` that cannot be offered; `alias` is its name."""

    code = "tool-alias"
    exit_code = exit_codes.INPUT

    def __init__(self, alias: str, message: str) -> None:
        super().__init__(message)
        self.alias = alias


class OfferError(SingleCodeError):
    """`[tools] offer` names a family of which this knowledge base has no tools."""

    code = "tool-offer"
    exit_code = exit_codes.INPUT


def write_tools_json(path: Path, facts: ServerFacts) -> None:
    """Writes the file; the same facts give the same bytes. Raises AliasError."""
    text = json.dumps(tools_document(facts), ensure_ascii=False, separators=(",", ":"))
    path.write_bytes(text.encode("utf-8") + b"\n")


def tools_document(facts: ServerFacts) -> dict[str, Any]:
    """The content of `tools.json`. Raises AliasError and OfferError."""
    offered = offered_tools(facts)
    aliases = _aliases(facts, offered)
    choices = {"collections": [each.name for each in facts.collections], **facts.choices}
    names: dict[str, str] = {}
    families: dict[str, dict[str, Any]] = {}
    wire_names = _wire_names(facts, offered)
    for tool in offered:
        wire_name = wire_names[tool.name]
        entry = describe(tool, facts.prefix, choices, facts.settings)
        family = families.setdefault(tool.family, {"tools": [], "prompts": []})
        for wire in (wire_name, *aliases.get(wire_name, ())):
            family["tools"].append({**entry, "name": wire})
            names[wire] = tool.name
    for name, family in families.items():
        family["prompts"] = describe_prompts(name, facts.title)
    default = facts.settings.get("offer") or (ALL if facts.families else COMPACT)
    try:
        choose_families(default, families)
    except ProfileError as error:
        raise OfferError(str(error).replace("--tools", "[tools] offer", 1)) from error
    told = {"instructions": instructions(facts, offered), "families": families}
    server = {"name": facts.name, "version": facts.version, "title": facts.title}
    if facts.description:
        server["description"] = facts.description
    return {
        **greeting(server),
        **_with_names(told, wire_names),
        "names": names,
        "default": default,
        "templates": {"resourceTemplates": [_template(facts, each) for each in facts.collections]},
    }


def offered_tools(facts: ServerFacts) -> list[Tool]:
    """The tools whose collections are there and whose family is wanted; the compact ones always."""
    kinds = {each.kind for each in facts.collections if each.records}
    general = [
        tool
        for tool in TOOLS
        if (facts.families is None or tool.family in facts.families)
        and (not tool.needs or kinds.intersection(tool.needs))
    ]
    return [*general, *COMPACT_TOOLS]


def instructions(facts: ServerFacts, offered: Iterable[Tool]) -> dict[str, Any]:
    """What the server says about itself; at most MAX_INSTRUCTIONS characters for any profile."""
    starts = introductions(offered, facts.prefix)
    counts: dict[str, int] = {}
    for each in facts.collections:
        count, noun = each.holding
        counts[noun] = counts.get(noun, 0) + count
    holdings = ", ".join(_counted(count, noun) for noun, count in counts.items())
    identity = [
        f"version {facts.version}" if facts.version != UNSTATED_VERSION else "",
        f"built {facts.built_at}" if facts.built_at else "",
        f"build {facts.build_id}",
    ]
    identified = ", ".join(filter(None, identity))
    state = f"It holds {holdings}. {identified[0].upper()}{identified[1:]}. {REFERENCE_ONLY}"
    longest = sum(len(text) + 1 for family, text in starts.items() if family != COMPACT)
    longest = max(longest, len(starts.get(COMPACT, "")) + 1)
    head = f"{facts.title}: {facts.description}" if facts.description else f"{facts.title}."
    available = MAX_INSTRUCTIONS - longest - len(state) - 1
    if len(head) > available:
        head = head[: available - 1].rstrip() + "…"
    return {"introduction": f"{head}\n{state}", "families": starts}


def _counted(count: int, nouns: str) -> str:
    noun, of, rest = nouns.partition(" of ")
    return f"{count} {noun.removesuffix('s') if count == 1 else noun}{of}{rest}"


def _wire_names(facts: ServerFacts, offered: Iterable[Tool]) -> dict[str, str]:
    """Declared name -> what this knowledge base calls the tool."""
    return {tool.name: tool.wire_name(facts.prefix, facts.settings) for tool in offered}


def _with_names(told: dict[str, Any], wire_names: Mapping[str, str]) -> dict[str, Any]:
    """`told` with the names of the knowledge base where texts name tools by their declared names."""
    changed = {name: wire for name, wire in wire_names.items() if name != wire and "{" not in name}
    return with_tool_names(told, changed) if changed else told


def _aliases(facts: ServerFacts, offered: Iterable[Tool]) -> dict[str, list[str]]:
    """Wire name -> its extra names, in the order of kb.toml."""
    wire_names = set(_wire_names(facts, offered).values())
    aliases: dict[str, list[str]] = {}
    for alias, tool in facts.aliases.items():
        if tool not in wire_names:
            known = ", ".join(sorted(wire_names))
            raise AliasError(alias, f"this knowledge base has no tool {tool!r}; its tools: {known}")
        if alias in wire_names:
            raise AliasError(alias, f"{alias!r} is already the name of a tool")
        aliases.setdefault(tool, []).append(alias)
    return aliases


def _template(facts: ServerFacts, collection: CollectionSummary) -> dict[str, str]:
    count, noun = collection.holding
    return {
        "uriTemplate": address_template(facts.name, collection.name),
        "name": collection.name,
        "description": f"The {_counted(count, noun)} of {collection.name}, by id.",
        "mimeType": mime_type(collection.kind),
    }
