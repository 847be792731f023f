"""One call of each tool for docs/tools.md."""

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
