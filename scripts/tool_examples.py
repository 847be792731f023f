"""One call of each tool for docs/tools.md, and the failures that its arguments alone do not tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "{prefix}_get_builtin": {"name": "fold"},
    "{prefix}_list_builtins": {"category": "set"},
    "{prefix}_get_doc": {"filename": "docs/folds.md", "startLine": 1, "endLine": 40},
    "{prefix}_list_docs": {},
    "{prefix}_doc_outline": {"path": "docs/folds.md", "maxLevel": 2},
    "{prefix}_get_example": {"path": "workflows/circuit-breaker.qnt"},
    "{prefix}_list_examples": {"feature": "fold"},
    "{prefix}_example_info": {"path": "workflows/circuit-breaker.qnt"},
    "{prefix}_get_template": {"templateId": "state-machine"},
    "{prefix}_list_templates": {"framework": "standard"},
    "{prefix}_get_pattern": {"patternId": "state-type"},
    "{prefix}_list_patterns": {"category": "core"},
    "{prefix}_search_patterns": {"query": "when an action may happen"},
    "{prefix}_suggest_framework": {"description": "replicas that agree on one value"},
    "{prefix}_hybrid_search": {"query": "pick an element of a set", "scopes": ["docs"], "k": 5},
    "{prefix}_search_docs": {"query": "oneOf(", "scope": "examples", "contextLines": 1},
    "search_tests": {
        "query": "wrong password three times",
        "top_k": 5,
        "filters": {"tags": ["login"], "priority": "High", "testPath": "tests/api/*"},
    },
    "find_similar_tests": {"jira_key": "DEMO-11", "top_k": 5, "scope": "steps"},
    "get_test_by_jira": {"jira_key": "DEMO-10"},
    "check_health": {},
    "ingest_tests": {"functional_path": "data/functional_tests_xray.json"},
    "qurio_search": {
        "query": "retry a request",
        "alpha": 0.3,
        "limit": 5,
        "filters": {"type": "code", "language": ["go", "python"]},
    },
    "qurio_list_sources": {},
    "qurio_list_pages": {"source_id": "client", "filter": "http", "limit": 20},
    "qurio_read_page": {"url": "https://example.org/client/http", "section": "Errors"},
    "list_workshops": {"limit": 20, "all": False},
    "list_exercises": {"workshop": "first-steps"},
    "retrieve_learning_context": {"workshop": "first-steps", "exerciseNumber": 1, "stepNumber": 2},
    "retrieve_diff_context": {"workshop": "first-steps", "exerciseNumber": 1, "focus": ".qnt"},
    "search_topic_context": {"query": "what an invariant is", "limit": 5},
    "retrieve_quiz_instructions": {"topic": "invariants", "questionCount": 5},
    "codebase_retrieval": {
        "query": "Where is the function that handles user authentication?",
        "top_k": 5,
        "include_paths": ["src/**"],
    },
    "get_file": {"path": "src/login.py", "start_line": 10, "end_line": 60},
    "{prefix}_search": {"query": "pick an element of a set", "limit": 5},
    "{prefix}_get": {"name": "docs/folds.md", "start_line": 1, "end_line": 40},
    "{prefix}_list": {"limit": 20},
    "{prefix}_outline": {"name": "docs/folds.md"},
    "{prefix}_info": {},
}

_PAGE = (
    "`NOT_FOUND` (a result with `isError`) for an unknown page, with the nearest addresses, and for an"
    " unknown section, with the headings"
)
_SCOPE = "`NOT_FOUND` for an unknown workshop, exercise or step"
_NO_TEST = "`NOT_FOUND` (404) for an unknown key, with close ones"
FAILURES: Mapping[str, tuple[str, ...]] = {
    "search_tests": ("`BAD_INPUT` (400) for an unknown filter, or a priority that is none",),
    "find_similar_tests": (_NO_TEST,),
    "get_test_by_jira": ("`BAD_INPUT` (400) for what is not formed like a Jira key", _NO_TEST),
    "ingest_tests": (
        "`BAD_INPUT` (400) for a path that is refused, invalid JSON, and a file without usable tests",
        "`NOT_FOUND` (404) for a file that is not there",
    ),
    "qurio_search": (
        "-32602 for an unknown filter or source, or a filter's value of another type",
    ),
    "qurio_list_pages": ("-32602 for an unknown source, with the known ones",),
    "qurio_read_page": ("-32602 for an unknown source", _PAGE),
    "list_workshops": ("`BAD_INPUT` when `all` would take more than 500 pages of `limit`",),
    "list_exercises": (_SCOPE,),
    "retrieve_learning_context": (
        "`BAD_INPUT` without a scope and without `random`",
        _SCOPE,
        "`NO_MATCH` for a scope without sections",
        "`UNAVAILABLE` for `random` without any exercise",
    ),
    "retrieve_diff_context": (
        _SCOPE,
        "`NO_MATCH` for a scope without diffs, and for a `focus` that none has, with the paths",
    ),
    "search_topic_context": (
        "`BAD_INPUT` for fewer than 3 characters besides spaces, and for a step without exercise",
        _SCOPE,
    ),
    "codebase_retrieval": ("`BAD_INPUT` for globs that are absolute or have `..`",),
    "get_file": (
        "`NOT_FOUND` for an unknown path and for an ending that several files have, with their paths",
        "`BAD_INPUT` for a range that is empty or behind the end",
    ),
}
"""Tool -> what else it refuses. Of the other families see the paragraph on errors."""
