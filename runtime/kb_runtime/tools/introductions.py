"""How to start with the tools of each family, in the instructions of a server."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb_runtime.tools.declaration import Tool

_INTRODUCTIONS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "search": (("hybrid_search", "Search by words and meaning with {tool}."),),
    "reference": (
        ("get_builtin", "Look an operator up with {tool}."),
        ("list_docs", "See which pages exist with {tool}."),
        ("list_examples", "Browse examples with {tool}."),
    ),
    "patterns": (("list_patterns", "See proven patterns with {tool}."),),
    "routing": (("suggest_framework", "Starting a task, ask {tool} which framework fits."),),
    "tests": (
        ("search_tests", "Search test cases with {tool}."),
        ("get_test_by_jira", "{tool} gives one in full."),
    ),
    "codebase": (
        ("codebase_retrieval", "Find code with {tool}."),
        ("get_file", "{tool} reads a file."),
        ("symbol_definition", "For a known name: {tool},"),
        ("symbol_references", "{tool}."),
    ),
    "sources": (
        ("qurio_search", "Search documentation sets with {tool}."),
        ("qurio_list_sources", "{tool} names the sets."),
        ("qurio_read_page", "Read a page with {tool}."),
    ),
    "workshops": (
        ("list_workshops", "{tool} names the workshops."),
        ("search_topic_context", "Find where a topic is taught with {tool}."),
        ("retrieve_quiz_instructions", "Before a quiz, read {tool}."),
    ),
    "compact": (
        ("search", "Search with {tool}, then read hits with their kb:// address."),
        ("list", "{tool} shows the collections."),
    ),
}
"""Per family: tool without prefix -> how it is introduced. Tools that are not offered are not mentioned."""


def introductions(offered: Iterable[Tool], prefix: str) -> dict[str, str]:
    """Family -> how to start with those of its tools that are offered."""
    wire_names = {
        tool.name.removeprefix("{prefix}_"): tool.name.format(prefix=prefix) for tool in offered
    }
    texts = {
        family: " ".join(
            text.format(tool=wire) for tool, text in starts if (wire := wire_names.get(tool))
        )
        for family, starts in _INTRODUCTIONS.items()
    }
    return {family: text for family, text in texts.items() if text}
