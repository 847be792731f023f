"""`get_builtin` and `list_builtins`: the operators and functions of a language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import ToolError
from kb_runtime.text.names import quoted, suggest
from kb_runtime.text.rendering import code_span, fence
from kb_runtime.tools import library
from kb_runtime.tools.answers import json_answer
from kb_runtime.tools.declaration import Answer, Argument, Tool
from kb_runtime.tools.schemas import INTEGER, LIST, STRING, STRINGS, array, mapping, row, structure

if TYPE_CHECKING:
    from kb_runtime.tools.session import Session

KIND = "builtins"
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


def get_builtin(session: Session, arguments: dict[str, Any]) -> Answer:
    name: str = arguments["name"]
    record = library.find(session, KIND, name)
    if record is None:
        raise _no_builtin(session, name)
    structured = {
        "name": record["name"],
        "signature": record["signature"],
        "description": record.get("description", ""),
        "examples": record.get("examples", []),
        "sourceUrl": library.public_address(session, record),
        "category": record["category"],
    }
    for field, source in (
        ("categories", "categories"),
        ("aliases", "aliases"),
        ("related", "related"),
        ("returnType", "return_type"),
        ("paramTypes", "param_types"),
        ("docPath", "path"),
        ("line", "line"),
    ):
        if record.get(source):
            structured[field] = record[source]
    return Answer(_page(record, structured["sourceUrl"]), structured)


def _page(record: library.Record, url: str) -> str:
    parts = [
        f"# {record['name']}",
        f"**Signature:** {code_span(record['signature'])}",
        f"**Category:** {record['category']}",
        record.get("description", ""),
    ]
    if examples := record.get("examples"):
        joined = "\n\n".join(example.strip("\n") for example in examples)
        parts += ["## Examples", fence(joined, _language(record))]
    parts.append(f"[View in documentation]({url})")
    return "\n\n".join(part for part in parts if part)


def _language(record: library.Record) -> str:
    """The language that the entry's first code block names."""
    found = _CODE_BLOCK.search(record.get("text", ""))
    return found[1] if found else ""


def _no_builtin(session: Session, name: str) -> ToolError:
    known = library.ids(session, KIND)
    similar = suggest(name, known) or known[:_FIRST_NAMES]
    listing = library.tool_name(session, "list_builtins")
    return ToolError(
        "NOT_FOUND",
        f"no builtin is called {quoted(name)}; there are {len(known)} builtins",
        suggestions=similar,
        next_steps=[f"Call {listing} to see all names."],
        details={"total": len(known)},
    )


def list_builtins(session: Session, arguments: dict[str, Any]) -> Answer:
    found = list(library.records(session, KIND))
    by_category: dict[str, list[library.Record]] = {}
    for record in found:
        for category in categories_of(record):
            by_category.setdefault(category, []).append(record)
    wanted: str | None = arguments["category"]
    if wanted is not None:
        category = _category(session, wanted, sorted(by_category))
        found = by_category[category]
        by_category = {category: found}
    return json_answer(
        {
            "total": len(found),
            "categories": sorted(by_category),
            "builtins": [
                {
                    "name": record["name"],
                    "signature": record["signature"],
                    "category": record["category"],
                    "description": record.get("description", "").partition("\n")[0].strip(),
                }
                for record in found
            ],
            "byCategory": {
                category: [
                    {"name": record["name"], "signature": record["signature"]}
                    for record in by_category[category]
                ]
                for category in sorted(by_category)
            },
        }
    )


def categories_of(record: Mapping[str, Any]) -> list[str]:
    """The record's main category and its further ones, each once."""
    return list(dict.fromkeys([record["category"], *record.get("categories", ())]))


def _category(session: Session, wanted: str, known: list[str]) -> str:
    """The category that `wanted` means. Raises NOT_FOUND with those that exist."""
    folded = wanted.casefold()
    meant = next((group for group in SYNONYMS if folded in group), frozenset({folded}))
    for words in ({folded}, meant):
        for category in known:
            if category.casefold() in words:
                return category
    listing = library.tool_name(session, "list_builtins")
    raise ToolError(
        "NOT_FOUND",
        f"there is no category {quoted(wanted)}. Available categories: {', '.join(known)}",
        suggestions=suggest(wanted, known) or known[:_FIRST_NAMES],
        next_steps=[f"Call {listing} with one of them, or without category."],
        details={"availableCategories": known},
    )


TOOLS = (
    Tool(
        name="{prefix}_get_builtin",
        family="reference",
        description="One builtin operator or function by name or alias (infix forms such as == work):"
        " signature, description, examples, documentation link.",
        run=get_builtin,
        arguments=(
            Argument("name", "string", "Name or alias, any case.", required=True, max_length=200),
        ),
        output=structure(
            {
                "name": STRING,
                "signature": STRING,
                "description": STRING,
                "examples": STRINGS,
                "sourceUrl": STRING,
                "category": STRING,
            },
            {
                "categories": STRINGS,
                "aliases": STRINGS,
                "related": STRINGS,
                "returnType": STRING,
                "paramTypes": STRINGS,
                "docPath": STRING,
                "line": INTEGER,
            },
        ),
        needs=(KIND,),
    ),
    Tool(
        name="{prefix}_list_builtins",
        family="reference",
        description="All builtins with signature and first line, grouped by category;"
        " give a category for only its builtins.",
        run=list_builtins,
        arguments=(
            Argument(
                "category",
                "string",
                "Only this category.",
                max_length=200,
                choices_from="builtin_categories",
            ),
        ),
        output=structure(
            {
                "total": INTEGER,
                "categories": STRINGS,
                "builtins": array(
                    row(
                        {
                            "name": STRING,
                            "signature": STRING,
                            "category": STRING,
                            "description": STRING,
                        }
                    )
                ),
                "byCategory": mapping(LIST),
            }
        ),
        needs=(KIND,),
    ),
)
