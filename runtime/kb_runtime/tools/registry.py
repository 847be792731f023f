"""Every tool, and which module declares it.

A server for one client imports the module of a tool when it is first called: those of all tools take a tenth
of the time to a first answer and 2 MB, and most conversations call few of them.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kb_runtime.tools.declaration import Tool

    TOOLS: tuple[Tool, ...]

MODULES: Mapping[str, tuple[str, ...]] = {
    "reference.builtins": ("{prefix}_get_builtin", "{prefix}_list_builtins"),
    "reference.docs": ("{prefix}_get_doc", "{prefix}_list_docs", "{prefix}_doc_outline"),
    "reference.examples": (
        "{prefix}_get_example",
        "{prefix}_list_examples",
        "{prefix}_example_info",
    ),
    "reference.templates": ("{prefix}_get_template", "{prefix}_list_templates"),
    "reference.patterns": (
        "{prefix}_get_pattern",
        "{prefix}_list_patterns",
        "{prefix}_search_patterns",
    ),
    "reference.routing": ("{prefix}_suggest_framework",),
    "search.hybrid": ("{prefix}_hybrid_search",),
    "search.substring": ("{prefix}_search_docs",),
    "cases.search": ("search_tests", "find_similar_tests", "get_test_by_jira"),
    "cases.health": ("check_health",),
    "cases.ingestion": ("ingest_tests",),
    "sources.search": ("qurio_search",),
    "sources.pages": ("qurio_list_sources", "qurio_list_pages", "qurio_read_page"),
    "workshops.overview": ("list_workshops", "list_exercises"),
    "workshops.context": ("retrieve_learning_context",),
    "workshops.diffs": ("retrieve_diff_context",),
    "workshops.topic_search": ("search_topic_context",),
    "workshops.quiz": ("retrieve_quiz_instructions",),
    "code.family": (
        *("codebase_retrieval", "get_file"),
        *("symbol_search", "symbol_definition", "symbol_references", "call_relationships"),
        *("code_outline", "semantic_search", "get_context_for_prompt"),
        *("index_status", "reindex_workspace", "tool_manifest"),
    ),
    "search.compact": (
        "{prefix}_search",
        "{prefix}_get",
        "{prefix}_list",
        "{prefix}_outline",
        "{prefix}_info",
    ),
}
"""The declared names of the tools of each module below `kb_runtime.tools`, in the order in which servers list
them."""

COMPACT = "search.compact"
_MODULE_OF = {name: module for module, names in MODULES.items() for name in names}


def tool_named(declared: str) -> Tool:
    """The tool with a declared name. Raises `KeyError` for another name."""
    return _tools_of(_MODULE_OF[declared])[declared]


def load_tools() -> None:
    """Imports the modules of all tools: for a process that forks, whose children share them."""
    for module in MODULES:
        _tools_of(module)


@cache
def _tools_of(module: str) -> Mapping[str, Tool]:
    tools: Iterable[Tool] = import_module(f"kb_runtime.tools.{module}").TOOLS
    return {tool.name: tool for tool in tools}


def __getattr__(name: str) -> Any:
    """`TOOLS`: every tool but the compact ones, in the order in which servers list them."""
    if name != "TOOLS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    modules = [module for module in MODULES if module != COMPACT]
    return tuple(tool for module in modules for tool in _tools_of(module).values())
