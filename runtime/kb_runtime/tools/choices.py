"""The values that a knowledge base has for an argument: what the compiler writes as enum."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kb_runtime.tools.builtins import categories_of
from kb_runtime.tools.search import SCOPES


def summaries(
    entries: Mapping[str, Iterable[Mapping[str, Any]]], scopes: Sequence[str] = ()
) -> dict[str, list[str]]:
    """The values by the name that `Argument.choices_from` holds.

    `entries` are catalog entries by collection kind, `scopes` the manifest's scope names.
    """
    return {
        "builtin_categories": _sorted(
            category for entry in entries.get("builtins", ()) for category in categories_of(entry)
        ),
        "example_categories": _field("category", entries.get("examples", ())),
        "template_frameworks": _field("framework", entries.get("templates", ())),
        "pattern_categories": _field("category", entries.get("patterns", ())),
        "search_scopes": list(dict.fromkeys([*SCOPES, *scopes])),
    }


def _field(name: str, entries: Iterable[Mapping[str, Any]]) -> list[str]:
    return _sorted(entry.get(name, "") for entry in entries)


def _sorted(values: Iterable[str]) -> list[str]:
    return sorted(set(values) - {""})
