"""`get_builtin` and `list_builtins`: the operators and functions of a language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import ToolError
from kb_runtime.text.names import quoted, suggest
from kb_runtime.text.rendering import code_span, fence
from kb_runtime.text.tables import count_of
from kb_runtime.tools import lookup, parameter
from kb_runtime.tools.answers import json_answer, present
from kb_runtime.tools.declaration import Answer, Tools
from kb_runtime.tools.paging import LIST_ARGUMENTS, Pager, json_chars
from kb_runtime.tools.reference import docs
from kb_runtime.tools.refusal import not_found

if TYPE_CHECKING:
    from kb_runtime.records.entries import BuiltinEntry
    from kb_runtime.tools.reference.answers import Builtin, BuiltinList, BuiltinName, BuiltinSummary
    from kb_runtime.tools.session import Session

KIND: lookup.RecordKind[BuiltinEntry] = lookup.RecordKind("builtins")
_FIRST_NAMES = 10
_CODE_BLOCK = re.compile(r"^ {0,3}(?:`{3,}|~{3,})[ \t]*([\w+#.-]+)", re.MULTILINE)

SYNONYMS = (
    frozenset({"logic", "logical", "boolean", "bool", "booleans"}),
    frozenset({"integer", "integers", "int", "arithmetic", "number", "numbers"}),
    frozenset({"set", "sets"}),
    frozenset({"list", "lists", "sequence"}),
    frozenset({"map", "maps", "function"}),
    frozenset({"temporal", "ltl"}),
    frozenset({"action", "actions"}),
    frozenset({"utility", "utilities", "other", "misc"}),
)
"""Words for one category: the knowledge base's own word wins, another of the set finds it."""


TOOLS = Tools("{prefix}_", family="reference", needs=(KIND,))


@TOOLS.tool(
    "One builtin operator or function by name or alias (infix forms such as == work):"
    " signature, description, examples, documentation link.",
    parameter.required("name", "Name or alias, any case.", 200),
)
def get_builtin(session: Session, arguments: dict[str, Any]) -> Answer[Builtin]:
    name: str = arguments["name"]
    record = lookup.find(session, KIND, name)
    if record is None:
        raise _no_builtin(session, name)
    structured: Builtin = {
        "name": record["name"],
        "signature": record["signature"],
        "description": record.get("description", ""),
        "examples": record.get("examples", []),
        "sourceUrl": record.get("url")
        or session.artifact.address(record["collection"], record["id"]),
        "category": record["category"],
    }
    structured |= present(
        categories=record.get("categories"),
        aliases=record.get("aliases"),
        related=lookup.names_beside(session, record, KIND, record.get("related")),
        returnType=record.get("return_type"),
        paramTypes=record.get("param_types"),
        docPath=_described_on(session, record),
        line=record["line"],
    )
    return Answer(_page(record, structured["sourceUrl"]), structured)


def _described_on(session: Session, record: BuiltinEntry) -> str:
    """What get_doc takes for the page that an entry is a part of, or the path of its file, which is no
    page."""
    path, artifact = record["path"], session.artifact
    if len(artifact.served) < 2:  # nothing to tell apart
        return path
    own = artifact.origin(record["collection"])
    for info in lookup.collections(session, docs.KIND):
        catalog = artifact.catalog(info.name)
        position = catalog.find(path) if artifact.origin(info.name) == own else None
        if position is not None:
            return lookup.shared_address(session, info.name, catalog.id(position), path) or path
    return path


def _page(record: BuiltinEntry, url: str) -> str:
    parts = [
        f"# {record['name']}",
        f"**Signature:** {code_span(record['signature'])}",
        f"**Category:** {record['category']}",
        record.get("description", ""),
    ]
    if examples := record.get("examples"):
        joined = "\n\n".join(example.strip("\n") for example in examples)
        block = _CODE_BLOCK.search(record.get("text", ""))
        parts += ["## Examples", fence(joined, block[1] if block else "")]
    parts.append(f"[View in documentation]({url})")
    return "\n\n".join(part for part in parts if part)


def _no_builtin(session: Session, name: str) -> ToolError:
    known = lookup.ids(session, KIND)
    similar = suggest(name, known) or known[:_FIRST_NAMES]
    listing = lookup.tool_name(session, "list_builtins")
    return not_found(
        f"no builtin is called {quoted(name)}; the knowledge base has {count_of(len(known), 'builtin')}",
        f"Call {listing} to see all names.",
        suggestions=similar,
        details={"total": len(known)},
    )


@TOOLS.tool(
    "All builtins with signature and first line, grouped by category;"
    " give a category for only its builtins.",
    parameter.text("category", "Only this category.", 200, choices_from="builtin_categories"),
    *LIST_ARGUMENTS,
)
def list_builtins(session: Session, arguments: dict[str, Any]) -> Answer[BuiltinList]:
    found = list(lookup.summaries(session, KIND))
    by_category: dict[str, list[BuiltinEntry]] = {}
    for record in found:
        for category in categories_of(record):
            by_category.setdefault(category, []).append(record)
    wanted: str | None = arguments["category"]
    if wanted is not None:
        category = _category(session, wanted, sorted(by_category))
        found = by_category[category]
        by_category = {category: found}
    total = len(found)
    listing = lookup.tool_name(session, "list_builtins")
    pager = Pager(session.artifact.build_id, listing, {"category": wanted})
    entries = [_summary(session, record) for record in found]
    names: list[BuiltinName] = [
        {"name": record["name"], "signature": record["signature"]} for record in found
    ]
    within = [[each for each in categories_of(record) if each in by_category] for record in found]
    # Each is listed under its name and again in each of its categories.
    listed = [
        (entry, [name] * len(of)) for entry, name, of in zip(entries, names, within, strict=True)
    ]
    categories = sorted(by_category)
    chars = session.max_chars - 2 * json_chars(categories)
    page = pager.fitting(arguments["cursor"], listed, arguments["limit"], chars)
    shown: dict[str, list[BuiltinName]] = {category: [] for category in categories}
    for at in range(page.start, page.stop):
        for category in within[at]:
            shown[category].append(names[at])
    structured: BuiltinList = {
        "total": total,
        "categories": categories,
        "builtins": entries[page.start : page.stop],
        "byCategory": shown,
    }
    structured |= present(nextCursor=page.next)
    return json_answer(structured)


def _summary(session: Session, record: BuiltinEntry) -> BuiltinSummary:
    summary: BuiltinSummary = {
        "name": record["name"],
        "signature": record["signature"],
        "category": record["category"],
        "description": record.get("description", "").partition("\n")[0].strip(),
    }
    summary |= present(address=lookup.own_address(session, record, record["name"]))
    return summary


def categories_of(record: BuiltinEntry) -> list[str]:
    """The record's main category and its further ones, each once."""
    return list(dict.fromkeys([record["category"], *record.get("categories", ())]))


def _category(session: Session, wanted: str, known: list[str]) -> str:
    """The category that `wanted` means. Raises NOT_FOUND with those that exist."""
    folded = wanted.casefold()
    if folded not in map(str.casefold, known):
        meant = next((group for group in SYNONYMS if folded in group), frozenset())
        wanted = next((each for each in known if each.casefold() in meant), wanted)
    return lookup.choice(session, "category", wanted, known, "list_builtins")
