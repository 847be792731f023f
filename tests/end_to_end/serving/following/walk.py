"""Follows answers breadth-first: what they name goes into the tools that take it."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from kb_runtime.errors import ProtocolError
from kb_runtime.mcp.dispatch import Dispatcher

REVISION = "2025-11-25"
READ = "resources/read"


class Reply(NamedTuple):
    """What a call has answered; of a resource only the text."""

    text: str
    facts: dict[str, Any]
    error: str = ""

    @property
    def shown(self) -> str:
        """The text, or where the tool answers with one the content."""
        return str(self.facts.get("content", self.text))


Check = Callable[[Reply], bool]


class Lead(NamedTuple):
    """A call that an answer makes possible: `field` of the answer names what `is_right` recognises."""

    field: str
    tool: str
    arguments: dict[str, Any]
    is_right: Check


class Server:
    """A dispatcher whose answers are kept: the same call has the same answer."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._kept: dict[str, Reply] = {}
        listed = dispatcher.handle("tools/list", {}, REVISION)["tools"]
        self._schemas = {tool["name"]: tool["inputSchema"] for tool in listed}
        self.arguments = {name: schema["properties"] for name, schema in self._schemas.items()}
        (search,) = (name for name in self.arguments if name.endswith("_hybrid_search"))
        self.prefix = search.removesuffix("_hybrid_search")

    def required(self, tool: str) -> list[str]:
        """The arguments that a tool needs."""
        return list(self._schemas[tool].get("required", ()))

    def resources(self) -> Iterator[dict[str, Any]]:
        """All resources, each once. Raises AssertionError for one that is listed twice."""
        cursor: dict[str, Any] = {}
        seen = set()
        while True:
            page = self.request("resources/list", **cursor)
            for each in page["resources"]:
                assert each["uri"] not in seen
                seen.add(each["uri"])
                yield each
            if "nextCursor" not in page:
                return
            cursor = {"cursor": page["nextCursor"]}

    def request(self, method: str, **params: Any) -> Any:
        return self._dispatcher.handle(method, params, REVISION)

    def call(self, tool: str, /, **arguments: Any) -> Reply:
        key = call_key(tool, arguments)
        if key not in self._kept:
            self._kept[key] = self._call(tool, arguments)
        return self._kept[key]

    def _call(self, tool: str, arguments: dict[str, Any]) -> Reply:
        try:
            if tool == READ:
                (contents,) = self.request(READ, **arguments)["contents"]
                return Reply(contents["text"], {})
            result = self.request("tools/call", name=tool, arguments=arguments)
        except ProtocolError as error:
            return Reply("", {}, error.message)
        text: str = result["content"][0]["text"]
        facts = result.get("structuredContent") or {}
        return Reply(text, facts, text if result["isError"] else "")


def call_key(tool: str, arguments: dict[str, Any]) -> str:
    return f"{tool} {json.dumps(arguments, ensure_ascii=False, sort_keys=True)}"


class Walk(NamedTuple):
    """What a walk has found. `calls` has each call once, `fields` what was followed of which tool."""

    calls: dict[str, tuple[str, dict[str, Any]]]
    fields: set[tuple[str, str]]
    failures: list[str]


Leads = Callable[[Server, str, dict[str, Any], Reply], Iterable[Lead]]


def walk(server: Server, start: Iterable[Lead], leads: Leads) -> Walk:
    """Follows all that `leads` finds in answers, from `start` on."""
    found = Walk({}, set(), [])
    waiting = deque(("the start", lead) for lead in start)
    while waiting:
        origin, lead = waiting.popleft()
        key = call_key(lead.tool, lead.arguments)
        reply = server.call(lead.tool, **lead.arguments)
        if problem := reply.error or _problem(lead, reply):
            found.failures.append(f"{origin}\n  {lead.field} -> {key}\n  {problem[:500]}")
        if key in found.calls or reply.error:
            continue
        found.calls[key] = lead.tool, lead.arguments
        for following in leads(server, lead.tool, lead.arguments, reply):
            found.fields.add((lead.tool, following.field))
            waiting.append((key, following))
    return found


def _problem(lead: Lead, reply: Reply) -> str:
    try:
        return "" if lead.is_right(reply) else f"is another: {reply.shown}"
    except (KeyError, IndexError, TypeError) as error:
        return f"lacks {error!r}: {reply.shown}"


def pages(
    server: Server, tool: str, arguments: dict[str, Any], cursor: Callable[[Reply], str | None]
) -> Iterator[Reply]:
    """An answer and all that continue it. Raises AssertionError for one that fails or leads back."""
    seen = set()
    given = arguments
    while True:
        reply = server.call(tool, **given)
        assert not reply.error, (tool, given, reply.error)
        yield reply
        following = cursor(reply)
        if following is None:
            return
        assert following not in seen, (tool, arguments)
        seen.add(following)
        given = {**arguments, "cursor": following}
