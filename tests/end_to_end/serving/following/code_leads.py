"""What answers about source code name."""

from __future__ import annotations

from collections.abc import Iterator

from tests.end_to_end.serving.following.leads import (
    Facts,
    Finder,
    anything,
    has,
    includes,
    line_range,
    says,
)
from tests.end_to_end.serving.following.walk import Check, Lead, Server


def _file(each: Facts) -> str:
    return str(each.get("address", each["file"]))


def _passages(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for each in facts["results"]:
        first, last = line_range(each["lines"])
        by = {"path": _file(each), "start_line": first, "end_line": last}
        text = each.get("content")
        check = says(each.get("snippet", "")) if text is None else _same_lines(text)
        yield Lead("results[].lines", "get_file", by, check)
        yield Lead("results[].file", "code_outline", {"path": _file(each)}, has(file=each["file"]))
        listed = includes("results", each["file"], lambda one: one["file"])
        only = {"query": facts.get("query") or arguments["query"], "include_paths": [each["file"]]}
        yield Lead("results[].file", "semantic_search", only, listed)


def _same_lines(text: str) -> Check:
    return lambda reply: reply.shown.rstrip("\n") == text.rstrip("\n")


def _prompt(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for each in facts["files"]:
        for lines in each["snippets"]:
            first, last = line_range(lines)
            by = {"path": _file(each), "start_line": first, "end_line": last}
            check = lambda reply: reply.shown.rstrip("\n") in facts["context"]  # noqa: E731
            yield Lead("files[].snippets", "get_file", by, check)
            yield Lead(
                "files[].file", "code_outline", {"path": _file(each)}, has(file=each["file"])
            )
        for symbol in each["symbols"]:
            by = {"symbol": symbol, "include_paths": [each["file"]]}
            check = lambda reply, own=each["file"]: reply.facts["definition"]["file"] == own  # noqa: E731
            yield Lead("files[].symbols", "symbol_definition", by, check)


def _definition(field: str, each: Facts, name: str) -> Iterator[Lead]:
    first, last = line_range(each["lines"])
    by = {"path": _file(each), "start_line": first, "end_line": last}
    own = each.get(name, "").rpartition(".")[2]
    yield Lead(f"{field}.lines", "get_file", by, says(own))
    yield Lead(f"{field}.file", "code_outline", {"path": _file(each)}, has(file=each["file"]))
    only = {"symbol": each[name], "include_paths": [each["file"]]}
    check = lambda reply: any(  # noqa: E731
        (one["file"], one["lines"]) == (each["file"], each["lines"])
        for one in (reply.facts["definition"], *reply.facts.get("others", ()))
    )
    yield Lead(f"{field}.name", "symbol_definition", only, check)
    if each.get("parent"):
        only = {"symbol": each["parent"], "include_paths": [each["file"]]}
        yield Lead(f"{field}.parent", "symbol_definition", only, anything)


def _symbols(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for each in facts["results"]:
        yield from _definition("results[]", each, "name")
        for tool in ("symbol_references", "call_relationships"):
            check = includes("definitions", each["lines"], lambda one: one["lines"])
            yield Lead("results[].name", tool, {"symbol": each["name"]}, check)


def _defined(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for each in [facts["definition"], *facts.get("others", ())]:
        yield from _definition("definition", each, "name")
    first, last = line_range(facts["contentLines"])
    by = {"path": _file(facts["definition"]), "start_line": first, "end_line": last}
    yield Lead("contentLines", "get_file", by, _same_lines(facts["content"]))


def _at(place: str, check: Check, field: str) -> Lead:
    """The line of a `file:line` or `address:line`."""
    name, _, line = place.rpartition(":")
    by = {"path": name, "start_line": int(line), "end_line": int(line)}
    return Lead(field, "get_file", by, check)


def _references(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for each in facts["definitions"]:
        yield from _definition("definitions[]", each, "name")
    for each in facts["references"]:
        place = f"{_file(each)}:{each['line']}"
        yield _at(place, says(each["text"]), "references[].line")
        if "definition" in each:
            names = [one["name"].rpartition(".")[2] for one in facts["definitions"]]
            check = lambda reply, names=names: any(name in reply.shown for name in names)  # noqa: E731
            yield _at(each["definition"], check, "references[].definition")
        if "inside" in each:
            by = {"symbol": each["inside"], "include_paths": [each["file"]]}
            check = lambda reply, own=each["file"]: reply.facts["definition"]["file"] == own  # noqa: E731
            yield Lead("references[].inside", "symbol_definition", by, check)


def _calls(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for each in facts["definitions"]:
        yield from _definition("definitions[]", each, "name")
    for side in ("callers", "callees"):
        for each in facts.get(side, ()):
            if "lines" in each:
                yield from _definition(f"{side}[]", each, "symbol")
            name = facts["definitions"][0]["name"] if side == "callers" else each["symbol"]
            name = name.rpartition(".")[2]
            for place in each["calls"]:
                yield _at(place, says(name), f"{side}[].calls")


def _code_outline(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for each in facts["symbols"]:
        first, last = line_range(each["lines"])
        by = {"path": arguments["path"], "start_line": first, "end_line": last}
        yield Lead("symbols[].lines", "get_file", by, says(each["name"].rpartition(".")[2]))
        if each["kind"] == "key":
            continue
        by = {"symbol": each["name"], "top_k": 50, "include_paths": [facts["file"]]}
        check = includes("results", each["lines"], lambda one: one["lines"])
        yield Lead("symbols[].name", "symbol_search", by, check)


def _get_file(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    by = {"path": arguments["path"]}
    yield Lead("file", "code_outline", by, has(file=facts["file"], totalLines=facts["totalLines"]))


CODE: dict[str, Finder] = {
    "codebase_retrieval": _passages,
    "semantic_search": _passages,
    "get_context_for_prompt": _prompt,
    "symbol_search": _symbols,
    "symbol_definition": _defined,
    "symbol_references": _references,
    "call_relationships": _calls,
    "code_outline": _code_outline,
    "get_file": _get_file,
}
"""By the tool's name."""
