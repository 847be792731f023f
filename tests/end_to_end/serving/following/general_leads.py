"""What the general tools name, and the leads of every tool."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.end_to_end.serving.following.code_leads import CODE
from tests.end_to_end.serving.following.leads import (
    REFERENCE,
    Facts,
    Finder,
    addresses,
    anything,
    has,
    is_text,
    reading,
    says,
)
from tests.end_to_end.serving.following.record_leads import RECORDS
from tests.end_to_end.serving.following.walk import READ, Check, Lead, Reply, Server


def _health(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for name, count in facts["index"]["collections"].items():
        if name not in ("test_docs", "test_steps"):
            by = {"collection": name}
            yield Lead("index.collections", f"{prefix}_list", by, has(total=count))


def _manifest(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for each in facts["tools"]:
        known = server.arguments[each["name"]].keys()
        assert known == {*each["required"], *each["optional"]} | (known & {"kb", "max_chars"})
        if not each["required"] and each["name"] not in _NEED_MORE:
            yield Lead("tools[].name", each["name"], {}, anything)


_NEED_MORE = {"ingest_tests", "retrieve_learning_context"}
"""Tools that need none of their arguments in particular, but some."""


def _collections(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for each in facts.get("collections", ()):
        by = {"collection": each["name"]}
        yield Lead("collections[].name", f"{prefix}_list", by, has(total=each["records"]))
    for scope in facts.get("scopes", ()):
        by = {"query": "light", "scope": scope}
        yield Lead("scopes", f"{prefix}_search", by, has(scope=scope))
        yield Lead("scopes", f"{prefix}_hybrid_search", by, has(scopes=[scope]))
    if "collection" not in facts:
        return
    kinds = {one["name"]: one["kind"] for one in server.call(f"{prefix}_list").facts["collections"]}
    for each in facts["records"]:
        title = each.get("title", each["id"])
        within: Facts = {"name": each["id"], "collection": facts["collection"]}
        yield Lead("records[].id", f"{prefix}_get", within, says(title))
        yield Lead("records[].id", f"{prefix}_outline", within, has(title=title))
        named = each.get("address", each["id"])
        same = is_text(server.call(f"{prefix}_get", **within).text)
        yield Lead("records[].id", f"{prefix}_get", {"name": named}, same)
        kind = kinds[facts["collection"]]
        if kind != "pages" or "/" in each["id"]:  # not the record of a source
            yield from reading(server, prefix, kind, "records[].id", named, _titled(kind, title))


def _titled(kind: str, title: str) -> Check:
    """The record with a title, whose tool may call it a name or a path."""
    fields = {"builtins": "name", "patterns": "name", "templates": "name"}
    paths = {"code": "file", "examples": "path"}
    if kind in paths:
        return lambda reply: bool(reply.facts[paths[kind]])
    return lambda reply: reply.facts[fields.get(kind, "title")] == title


def _general_outline(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    yield Lead("address", f"{prefix}_get", {"name": facts["address"]}, says(facts["title"]))
    for each in facts["entries"]:
        first, last = each["lines"]
        by = {"name": facts["address"], "start_line": first, "end_line": last}
        told = says(*re.findall(r"\w+", each["title"]), f"lines {first} to {last}")
        yield Lead("entries[].lines", f"{prefix}_get", by, told)


def _general_hits(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for each in facts["hits"]:
        first, last = each["lines"]
        by = {"name": each["address"], "start_line": first, "end_line": last}
        check = says(each["snippet"], f"lines {first} to {last}")
        yield Lead("hits[].address", f"{prefix}_get", by, check)
        yield Lead("hits[].address", f"{prefix}_outline", by, has(address=each["address"]))
        if "section" in each:
            first, last = each["section"]
            by = {"name": each["address"], "start_line": first, "end_line": last}
            check = says(each["snippet"], f"lines {first} to {last}")
            yield Lead("hits[].section", f"{prefix}_get", by, check)
        for other in each.get("alsoIn", ()):
            yield Lead("hits[].alsoIn", f"{prefix}_get", {"name": other}, anything)


FINDERS: dict[str, Finder] = {
    **REFERENCE,
    **RECORDS,
    **CODE,
    "check_health": _health,
    "tool_manifest": _manifest,
    "_info": _collections,
    "_list": _collections,
    "_outline": _general_outline,
    "_search": _general_hits,
}
"""By the tool's name, or its end."""


def leads(server: Server, tool: str, arguments: dict[str, Any], reply: Reply) -> Iterator[Lead]:
    """Every call that an answer makes possible."""
    prefix = server.prefix
    finder = FINDERS.get(tool.removeprefix(prefix)) or FINDERS.get(tool)
    if finder is not None:
        yield from finder(server, prefix, arguments, reply.facts)
    if tool not in (READ, "get_file", f"{prefix}_get_doc"):
        yield from addresses(reply.text, set())
