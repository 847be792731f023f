"""What answers name, tool by tool: the calls that take it, and what their answers must then say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from tests.end_to_end.serving.following.walk import READ, Check, Lead, Reply, Server

Facts = dict[str, Any]
Finder = Callable[[Server, str, Facts, Facts], Iterator[Lead]]
"""`finder(server, prefix, arguments, facts)`: the leads of an answer, which has `facts`."""

_ADDRESS = re.compile(r"kb://[^\s\"'`,;)\]\\]+")
_THIS = re.compile(r"this is (kb://[^\s,;]+)")
READERS = {
    "builtins": ("_get_builtin", "name"),
    "docs": ("_get_doc", "filename"),
    "examples": ("_get_example", "path"),
    "patterns": ("_get_pattern", "patternId"),
    "templates": ("_get_template", "templateId"),
    "code": ("get_file", "path"),
    "pages": ("qurio_read_page", "url"),
    "tests": ("get_test_by_jira", "jira_key"),
}
"""By kind of collection the tool that reads its records, and the argument that takes them."""
_KINDS = {"extra": "docs", "guidelines": "docs"}
"""Of scopes that are called otherwise than their collections."""


def says(*texts: str) -> Check:
    """The answer has every word of the texts."""
    words = [word for text in texts for word in text.replace("…", " ").split()]
    return lambda reply: all(word in reply.shown for word in words)


def has(**fields: Any) -> Check:
    """The answer has these fields with these values."""
    return lambda reply: all(reply.facts[name] == value for name, value in fields.items())


def both(*checks: Check) -> Check:
    return lambda reply: all(check(reply) for check in checks)


def includes(list_of: str, value: Any, key: Callable[[Any], Any] = lambda item: item) -> Check:
    """A list of the answer has an item with this value."""
    return lambda reply: value in map(key, reply.facts[list_of])


def _named(field: str, name: str) -> Check:
    """The record of a name, or of an address, which ends with it."""
    return lambda reply: name.rpartition("/")[2] == reply.facts[field]


def is_text(text: str) -> Check:
    return lambda reply: reply.shown == text


def anything(reply: Reply) -> bool:
    return not reply.error


def line_range(lines: str) -> tuple[int, int]:
    first, last = lines.split("-")
    return int(first), int(last)


def kind_of(server: Server, prefix: str, scope: str) -> str:
    """The kind of the collections of a scope."""
    for each in server.call(f"{prefix}_info").facts["collections"]:
        if each["name"].rpartition(".")[2] == scope or each["name"] == scope:
            return str(each["kind"])
    return _KINDS.get(scope, scope)


_PREFIXES = {"builtin": "builtins", "doc": "docs", "extra": "docs", "guideline": "docs"}


def kind_of_hit(server: Server, prefix: str, hit: Facts) -> str:
    """The kind of the record that a hit is."""
    if address := re.match(r"kb://[^/]+/([^/]+)/", hit["id"]):
        return kind_of(server, prefix, address[1])
    first = hit["id"].partition(":")[0]
    return _PREFIXES.get(first, f"{first}s")


def reading(
    server: Server, prefix: str, kind: str, field: str, name: str, check: Check
) -> Iterator[Lead]:
    """The calls that read a record by a name: by the tool of its kind, and by the general one."""
    if kind in READERS:
        tool, argument = READERS[kind]
        yield Lead(field, prefix + tool if tool[0] == "_" else tool, {argument: name}, check)
    yield Lead(field, f"{prefix}_get", {"name": name, "max_chars": 1_000_000}, anything)


def _text_of(server: Server, address: str) -> str:
    return server.call(READ, uri=address).text


def _builtins(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    tool = f"{prefix}_get_builtin"
    for each in facts["builtins"]:
        check = has(name=each["name"], signature=each["signature"])
        told = both(check, says(each["description"]))
        yield Lead("builtins[].name", tool, {"name": each.get("address", each["name"])}, told)
        by = {"category": each["category"]}
        listed = includes("builtins", each["name"], lambda one: one["name"])
        yield Lead("builtins[].category", f"{prefix}_list_builtins", by, listed)
    for category, entries in facts["byCategory"].items():
        for each in entries:
            check = includes("builtins", each["signature"], lambda one: one["signature"])
            by = {"category": category}
            yield Lead("byCategory{}[].name", f"{prefix}_list_builtins", by, check)


def _builtin(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    tool = f"{prefix}_get_builtin"
    for each in facts.get("aliases", ()):
        yield Lead("aliases", tool, {"name": each}, has(name=facts["name"]))
    for each in facts.get("related", ()):
        yield Lead("related", tool, {"name": each}, _named("name", each))
    for each in facts["categories"]:
        listed = includes("builtins", facts["name"], lambda one: one["name"])
        yield Lead("categories", f"{prefix}_list_builtins", {"category": each}, listed)
    if not facts["docPath"].startswith("builtins/"):  # a file of its own is no page
        by = {"filename": facts["docPath"], "startLine": facts["line"]}
        yield Lead("docPath", f"{prefix}_get_doc", by, says(facts["name"]))
    if facts["sourceUrl"].startswith("kb://"):
        url = {"uri": facts["sourceUrl"]}
        yield Lead("sourceUrl", READ, url, says(facts["description"]))


def _docs(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for group in facts.values():
        for each in group if isinstance(group, list) else ():
            if not isinstance(each, dict):
                continue
            name = each.get("address", each["path"])
            check = has(title=each["title"], path=each["path"], size=each["size"])
            yield Lead("{}[].path", f"{prefix}_get_doc", {"filename": name}, check)
            check = has(title=each["title"], path=each["path"], totalSections=each["sections"])
            yield Lead("{}[].path", f"{prefix}_doc_outline", {"path": name}, check)
            yield Lead(
                "{}[].title", f"{prefix}_get_doc", {"filename": each["title"]}, _titled(each)
            )


def _titled(each: Facts) -> Check:
    """The page of that title, or another one that has it, too."""
    return lambda reply: reply.facts["title"].casefold() == each["title"].casefold()


def _page_name(facts: Facts) -> str:
    """The path of a page, or the address that a warning says it has."""
    told = [found for each in facts.get("warnings", ()) for found in _THIS.findall(each)]
    return str(next(iter(told), facts["path"]))


def _outline(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    tool, name = f"{prefix}_get_doc", arguments["path"]
    if not name.startswith("kb://"):
        by = {"filename": _page_name(facts)}
        yield Lead("path", tool, by, has(title=facts["title"], path=facts["path"]))
    whole = server.call(tool, filename=name, startLine=1, max_chars=1_000_000).shown
    lines = whole.split("\n")
    anchors = [each["anchor"] for each in facts["sections"]]
    for each in facts["sections"]:
        text = "\n".join([*lines[each["line"] - 1 : each["endLine"]], ""])
        same = is_text(text) if each["endLine"] < len(lines) - 1 else says(text)
        heading = _begins_with(re.findall(r"\w+", each["title"]))
        own = both(same, heading, lambda reply, own=each: _is(reply, own))
        by = {"filename": name, "max_chars": 1_000_000}
        is_repeated = anchors.count(each["anchor"]) > 1
        anchor = f"{each['anchor']}:{each['line']}" if is_repeated else each["anchor"]
        yield Lead("sections[].anchor", tool, {**by, "section": anchor}, own)
        yield Lead("sections[].anchor", tool, {**by, "filename": f"{name}#{anchor}"}, own)
        titled = lambda reply, own=each: reply.facts["section"]["title"] == own["title"]  # noqa: E731
        yield Lead("sections[].title", tool, {**by, "section": each["title"]}, titled)
        part = {**by, "startLine": each["line"], "endLine": each["endLine"]}
        check = lambda reply, text=text: reply.shown.rstrip("\n") == text.rstrip("\n")  # noqa: E731
        yield Lead("sections[].line", tool, part, check)


def _begins_with(words: list[str]) -> Check:
    return lambda reply: all(word in reply.shown.partition("\n")[0] for word in words)


def _is(reply: Reply, section: Facts) -> bool:
    own = reply.facts["section"]
    return bool(own == section and reply.facts["startLine"] == section["line"])


def _doc(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    if not arguments["filename"].startswith("kb://"):
        check = has(title=facts["title"], path=facts["path"])
        yield Lead("path", f"{prefix}_doc_outline", {"path": _page_name(facts)}, check)
    by = {"filename": arguments["filename"]}
    for each in facts.get("outline", ()):
        one = {**by, "startLine": each["line"], "endLine": each["line"]}
        words = re.findall(r"\w+", each["title"])
        yield Lead("outline[].line", f"{prefix}_get_doc", one, says(*words))


def _hybrid(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for scope in facts["scopes"]:
        by = {"query": facts["query"], "scope": scope}
        yield Lead("scopes", f"{prefix}_hybrid_search", by, anything)
    for hits in facts["resultsByScope"].values():
        for hit in hits:
            kind = kind_of_hit(server, prefix, hit)
            check = says(hit.get("snippet", ""))
            if kind == "tests":
                check = has(title=hit["title"].split(" › ")[0])
            metadata = hit["metadata"]
            field = "resultsByScope{}[].source"
            if kind == "docs":
                check = lambda reply, hit=hit: reply.facts["path"] == hit["metadata"]["path"]  # noqa: E731
            yield from reading(server, prefix, kind, field, hit["source"], check)
            field = "resultsByScope{}[].id"
            if kind == "docs":
                check = lambda reply, hit=hit: _at_line(reply, hit)  # noqa: E731
            yield from reading(server, prefix, kind, field, hit["id"], check)
            for each in metadata.get("alsoIn", ()):
                field = "resultsByScope{}[].metadata.alsoIn"
                yield from reading(server, prefix, kind, field, each, anything)
            if "lines" in metadata and kind in ("docs", "code"):
                first, last = metadata["lines"]
                names = ("startLine", "endLine") if kind == "docs" else ("start_line", "end_line")
                tool, argument = READERS[kind]
                by = {argument: hit["source"], names[0]: first, names[1]: last}
                field = "resultsByScope{}[].metadata.lines"
                tool = prefix + tool if tool[0] == "_" else tool
                yield Lead(field, tool, by, says(hit.get("snippet", "")))


def _at_line(reply: Reply, hit: Facts) -> bool:
    section, metadata = reply.facts.get("section"), hit["metadata"]
    if section is None:
        return bool(metadata["level"] == 0 and reply.facts["path"] == metadata["path"])
    title = metadata["section"].rstrip("…").rstrip()
    return bool(section["line"] == metadata["line"] and section["title"].startswith(title))


def _substring(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for each in facts["matches"]:
        name = each.get("address", each["file"])
        line = {"start_line": each["line"], "end_line": each["line"]}
        check = says(each["content"])
        yield Lead("matches[].file", f"{prefix}_get", {"name": name, **line}, check)


def _example(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    tool, info = f"{prefix}_get_example", f"{prefix}_example_info"
    for each in facts.get("files", ()):
        yield Lead("files", tool, {"path": each}, _of_path(each))
        yield Lead("files", info, {"path": each}, _of_path(each))
    if facts["type"] == "file":
        yield Lead("path", info, {"path": facts["path"]}, has(path=facts["path"]))
        if not arguments["path"].startswith("kb://"):
            name = {"name": facts["relativePath"]}
            yield Lead("relativePath", f"{prefix}_get", name, says(facts["content"]))
        listed = _lists_example(facts["path"])
        by = {"category": facts["category"]}
        yield Lead("category", f"{prefix}_list_examples", by, listed)


def _lists_example(path: str) -> Check:
    """The list has the path, or an address that ends with it."""
    return lambda reply: any(
        each.replace("%2F", "/").endswith(path) for each in reply.facts["examples"]
    )


def _of_path(path: str) -> Check:
    """The file of a path, or of an address, which ends with it."""
    return lambda reply: path.replace("%2F", "/").endswith(reply.facts["path"])


def _example_info(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    yield Lead("path", f"{prefix}_get_example", {"path": facts["path"]}, has(path=facts["path"]))
    names = ("modules", "types", "constants", "functions", "actions", "keywords")
    for name in names:
        for each in facts[name]:
            check = _lists_example(facts["path"])
            by = {"feature": each, "category": facts["category"]}
            yield Lead(name, f"{prefix}_list_examples", by, check)


def _examples(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    tool = f"{prefix}_get_example"
    for each in facts.get("examples", ()):
        yield Lead("examples", tool, {"path": each}, _of_path(each))
    for name, category in facts.get("categories", {}).items():
        check = has(total=category["count"])
        yield Lead("categories", f"{prefix}_list_examples", {"category": name}, check)
        for each in category["examples"]:
            yield Lead("categories{}.examples", tool, {"path": each}, _of_path(each))
        yield Lead("categories", tool, {"path": name}, has(type="directory"))


def _templates(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for each in facts["templates"]:
        check = has(**{name: each[name] for name in ("id", "name", "description", "filename")})
        by = {"templateId": each.get("address", each["id"])}
        yield Lead("templates[].id", f"{prefix}_get_template", by, check)
        check = includes("templates", each["id"], lambda one: one["id"])
        by = {"framework": each["framework"]}
        yield Lead("templates[].framework", f"{prefix}_list_templates", by, check)


def _template(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    by = {"framework": facts["framework"]}
    check = includes("templates", facts["id"], lambda one: one["id"])
    yield Lead("framework", f"{prefix}_list_templates", by, check)


def _patterns(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    listed = [*facts.get("patterns", ()), *facts.get("matches", ())]
    for category, entries in facts.get("categories", {}).items():
        by = {"category": category}
        yield Lead("categories", f"{prefix}_list_patterns", by, has(count=len(entries)))
        listed += entries
    for each in listed:
        check = has(**{name: each[name] for name in ("id", "name", "description")})
        by = {"patternId": each.get("address", each["id"])}
        yield Lead("id", f"{prefix}_get_pattern", by, check)


def _pattern(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for each in facts.get("related_patterns", ()):
        yield Lead(
            "related_patterns", f"{prefix}_get_pattern", {"patternId": each}, _named("id", each)
        )
    for each in facts.get("required_builtins", ()):
        check = _named("name", each)
        yield Lead("required_builtins", f"{prefix}_get_builtin", {"name": each}, check)
    for each in facts.get("examples", ()):
        yield Lead("examples", f"{prefix}_get_example", {"path": each}, _of_path(each))


def _routing(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for each in facts["docs"]:
        yield Lead("docs", f"{prefix}_get_doc", {"filename": each}, _of_path(each))
    for each in facts["examples"]:
        yield Lead("examples", f"{prefix}_get_example", {"path": each}, _of_path(each))


def addresses(text: str, exclude: set[str]) -> Iterator[Lead]:
    """The addresses of records that an answer has anywhere."""
    for found in dict.fromkeys(_ADDRESS.findall(text)):
        address = re.sub(r"(#.*|:\d+(-\d+)?:?|[.:])\Z", "", found)
        if address not in exclude:
            yield Lead("kb://", READ, {"uri": address}, anything)


REFERENCE: dict[str, Finder] = {
    "_list_builtins": _builtins,
    "_get_builtin": _builtin,
    "_list_docs": _docs,
    "_doc_outline": _outline,
    "_get_doc": _doc,
    "_hybrid_search": _hybrid,
    "_search_docs": _substring,
    "_get_example": _example,
    "_example_info": _example_info,
    "_list_examples": _examples,
    "_list_templates": _templates,
    "_list_patterns": _patterns,
    "_search_patterns": _patterns,
    "_get_pattern": _pattern,
    "_suggest_framework": _routing,
    "_get_template": _template,
}
"""By the end of the tool's name."""
