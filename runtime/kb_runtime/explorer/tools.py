"""The page of the MCP tools: a form for each, made from its schema, and what a call gives and costs."""

from __future__ import annotations

import json
import math
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

import kb_runtime as kr
from kb_runtime.explorer import markup
from kb_runtime.explorer.visit import Visit

PREFIX = "a."
"""Begins the names of arguments in the address of a call."""
_GENERAL = ("search", "get", "list", "outline", "info")
"""The tools of the family `compact`, which is not among `all`."""


@dataclass(frozen=True)
class Field:
    """An input of a form. `control` is `choice`, `choices`, `flag`, `number`, `json`, `list` or `text`."""

    name: str
    control: str
    description: str
    choices: Sequence[str]
    required: bool
    value: str
    default: str


def page(visit: Visit) -> Response:
    definitions = {each["name"]: each for each in visit.kb.tool_definitions}
    name = visit.request.path_params.get("name", "")
    if name and name not in definitions:
        visit.kb.call_tool(name)  # raises, with names alike
    tool = definitions.get(name)
    values: dict[str, Any] = {
        "tool": tool,
        "tools": list(definitions.values()),
        "fields": [],
        "call": None,
        "snippets": [],
        "cost": {},
        "total": 0,
        "offered": visit.kb.offered_tools,
    }
    if tool is None:
        counts = visit.opened.remembered("costs", lambda: _costs(visit.kb))
        offered = set(values["offered"])
        values |= {
            "cost": counts,
            "total": sum(counts[each] for each in counts if each in offered),
            "tools": sorted(values["tools"], key=lambda each: each["name"] not in offered),
        }
        return visit.render("tools.html", **values)
    values["fields"] = fields_of(tool["inputSchema"], visit.request.query_params)
    arguments, problem = arguments_of(values["fields"])
    values["snippets"] = _snippets(visit, name, arguments)
    if visit.text("run"):
        values["call"] = {"error": problem} if problem else called(visit, name, arguments)
    return visit.render("tools.html", **values)


def fields_of(schema: Mapping[str, Any], given: Mapping[str, str]) -> list[Field]:
    required = schema.get("required", ())
    found = []
    for name, prop in schema.get("properties", {}).items():
        kind = prop.get("type")
        items = prop.get("items") or {}
        choices = prop.get("enum") or items.get("enum") or ()
        control = {
            "boolean": "flag",
            "integer": "number",
            "number": "number",
            "object": "json",
        }.get(kind, "text")
        if kind == "array":
            control = "list" if items.get("type", "string") == "string" else "json"
        if choices and kind != "array":
            control = "choice"
        default = prop.get("default")
        found.append(
            Field(
                name,
                control,
                prop.get("description", ""),
                [str(each) for each in choices],
                name in required,
                str(given.get(PREFIX + name, "")),
                "" if default is None else json.dumps(default, ensure_ascii=False),
            )
        )
    return sorted(found, key=lambda each: not each.required)


def arguments_of(fields: Sequence[Field]) -> tuple[dict[str, Any], str]:
    """The arguments that a filled form means, and what is wrong with them."""
    arguments: dict[str, Any] = {}
    for each in fields:
        value = each.value.strip()
        if not value:
            continue
        try:
            arguments[each.name] = _read(each.control, value)
        except ValueError as error:
            return arguments, f"{each.name}: {error}"
    return arguments, ""


def _read(control: str, value: str) -> Any:
    if control == "flag":
        return value == "true"
    if control == "number":
        number = float(value)
        if not math.isfinite(number):
            raise ValueError(f"{value} is no number that JSON has")
        return int(number) if number.is_integer() else number
    if control == "list":
        return [each.strip() for each in value.replace("\n", ",").split(",") if each.strip()]
    if control == "json":
        try:
            return json.loads(value)
        except RecursionError:
            raise ValueError("this nests too deeply") from None
        except ValueError as error:
            raise ValueError(f"this is not JSON ({error})") from None
    return value


def called(visit: Visit, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What a tool answers, and what that costs: text, structure, tokens, time; or its error."""
    start = time.perf_counter()
    try:
        answer = visit.kb.call_tool(name, arguments)
    except kr.ToolError as failure:
        return {
            "error": str(failure),
            "kind": failure.kind,
            "suggestions": failure.suggestions,
            "milliseconds": (time.perf_counter() - start) * 1e3,
        }
    milliseconds = (time.perf_counter() - start) * 1e3
    has_structure = answer.structured is not None
    compact = json.dumps(answer.structured, ensure_ascii=False) if has_structure else ""
    return {
        "error": "",
        "milliseconds": milliseconds,
        "text": markup.visible(answer.text),
        "text_tokens": visit.kb.count_tokens(answer.text),
        "structured": markup.json_code(answer.structured) if has_structure else "",
        "structured_tokens": visit.kb.count_tokens(compact) if compact else 0,
    }


def _snippets(visit: Visit, name: str, arguments: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The call as JSON-RPC and for a shell, and how a client starts the server."""
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments},
    }
    body = json.dumps(message, ensure_ascii=False)
    path = visit.explorer.bases.all[visit.place].path
    token = ' \\\n  -H "Authorization: Bearer $KBC_HTTP_TOKEN"' if visit.explorer.accepts else ""
    url = "http://127.0.0.1:8765/mcp"
    if visit.root:  # mounted beside the server
        url = f"{visit.request.url.scheme}://{visit.request.url.netloc}{visit.root.rpartition('/')[0]}/mcp"
    curl = (
        f"curl {shlex.quote(url)}{token} \\\n  -H 'Content-Type: application/json' \\\n"
        f"  -H 'Accept: application/json, text/event-stream' \\\n  -d {shlex.quote(body)}"
    )
    more = [] if name in visit.kb.offered_tools else ["--tools", _family(visit.kb, name)]
    client = {"mcpServers": {visit.kb.name: {"command": "kbc", "args": ["serve", path, *more]}}}
    return [
        ("JSON-RPC", json.dumps(message, ensure_ascii=False, indent=2)),
        ("curl", curl),
        ("Client configuration", json.dumps(client, ensure_ascii=False, indent=2)),
    ]


def _family(kb: kr.KnowledgeBase, name: str) -> str:
    """What `--tools` has to say so that a server offers the tool."""
    general = {f"{kb.manifest['prefix']}_{each}" for each in _GENERAL}
    return "compact" if name in general else "all"


def _costs(kb: kr.KnowledgeBase) -> dict[str, int]:
    """Tokens that each tool costs a client before it is called: its description and schemas."""
    return {
        each["name"]: kb.count_tokens(json.dumps(each, ensure_ascii=False))
        for each in kb.tool_definitions
    }
