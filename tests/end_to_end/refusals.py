"""Calls that every tool must refuse: why, and how the message begins."""

from __future__ import annotations

from typing import Any, NamedTuple

INVALID_PARAMS = -32602


class Refusal(NamedTuple):
    """`code` is that of a protocol error; without one the refusal is a result with `isError`."""

    tool: str
    arguments: Any
    kind: str
    message: str
    code: int | None = None


NOT_AN_OBJECT = "Invalid request parameters"
CURSOR = "the cursor is invalid or belongs to another request: "
MISSING = "the argument {} is required and must not be empty"

REFUSALS = (
    Refusal("demo_get_builtin", {}, "BAD_INPUT", MISSING.format("name")),
    Refusal("demo_get_builtin", {"name": "toSett"}, "NOT_FOUND", 'no builtin is called "toSett"'),
    Refusal("demo_list_builtins", {"category": "maps"}, "NOT_FOUND", 'there is no category "maps"'),
    Refusal(
        "demo_get_doc",
        {"filename": "../kb.toml"},
        "BAD_INPUT",
        'filename "../kb.toml" is not a path inside the knowledge base',
    ),
    Refusal(
        "demo_get_doc", {"filename": "lamps.md"}, "NOT_FOUND", 'no document matches "lamps.md"'
    ),
    Refusal("demo_list_docs", [1], "", NOT_AN_OBJECT, INVALID_PARAMS),
    Refusal(
        "demo_doc_outline", {"path": "docs/no.md"}, "NOT_FOUND", 'no document matches "docs/no.md"'
    ),
    Refusal(
        "demo_get_example",
        {"path": "../../etc/passwd"},
        "BAD_INPUT",
        'path "../../etc/passwd" is not a path inside the knowledge base',
    ),
    Refusal(
        "demo_list_examples", {"category": "boats"}, "NOT_FOUND", 'there is no category "boats"'
    ),
    Refusal("demo_example_info", {"path": "x.qnt"}, "NOT_FOUND", 'no example matches "x.qnt"'),
    Refusal(
        "demo_get_template", {"templateId": "ship"}, "NOT_FOUND", 'no template is called "ship"'
    ),
    Refusal("demo_list_templates", {"framework": "x"}, "NOT_FOUND", 'there is no framework "x"'),
    Refusal("demo_get_pattern", {"patternId": "one"}, "NOT_FOUND", 'no pattern is called "one"'),
    Refusal("demo_list_patterns", {"category": "x"}, "NOT_FOUND", 'there is no category "x"'),
    Refusal("demo_search_patterns", {"query": " "}, "BAD_INPUT", MISSING.format("query")),
    Refusal(
        "demo_suggest_framework",
        {"description": 5},
        "BAD_INPUT",
        "description must be a string, not 5",
    ),
    Refusal(
        "demo_hybrid_search",
        {"query": "boat", "scopes": ["everything"]},
        "BAD_INPUT",
        'there is no scope "everything". Valid scopes: all, ',
    ),
    Refusal("demo_search_docs", {"query": "boat", "cursor": "zzz"}, "BAD_INPUT", CURSOR),
    Refusal("codebase_retrieval", {"query": " "}, "BAD_INPUT", "Invalid query: it must be a non-"),
    Refusal(
        "codebase_retrieval",
        {"query": "x" * 1001},
        "BAD_INPUT",
        "Query too long: it has 1001 characters and may have at most 1000",
    ),
    Refusal(
        "codebase_retrieval",
        {"query": "x", "top_k": 51},
        "BAD_INPUT",
        "Invalid top_k: it must be a whole number from 1 to 50, not 51",
    ),
    Refusal(
        "codebase_retrieval",
        {"query": "x", "exclude_paths": ["/etc"]},
        "BAD_INPUT",
        "Invalid exclude_paths",
    ),
    Refusal("get_file", {"path": "pump/no.py"}, "NOT_FOUND", 'there is no file "pump/no.py"'),
    Refusal(
        "get_file",
        {"path": "pump/pump.py", "start_line": 99},
        "BAD_INPUT",
        "start_line 99 is past the end",
    ),
    Refusal("symbol_search", {"symbol": " "}, "BAD_INPUT", MISSING.format("symbol")),
    Refusal(
        "symbol_definition",
        {"symbol": "start_pimp"},
        "NOT_FOUND",
        'there is no definition of "start_pimp" in the index of 1 file',
    ),
    Refusal(
        "symbol_references",
        {"symbol": "start_pump", "top_k": 51},
        "BAD_INPUT",
        "top_k must be from 1 to 50, not 51",
    ),
    Refusal(
        "call_relationships",
        {"symbol": "start_pump", "direction": "up"},
        "BAD_INPUT",
        'direction "up" is not one of: callers, callees, both',
    ),
    Refusal("code_outline", {"path": "pump/no.py"}, "NOT_FOUND", 'there is no file "pump/no.py"'),
    Refusal("semantic_search", {"query": " "}, "BAD_INPUT", MISSING.format("query")),
    Refusal(
        "get_context_for_prompt",
        {"query": "pump", "token_budget": 10},
        "BAD_INPUT",
        "token_budget must be from 200 to 20000, not 10",
    ),
    Refusal("index_status", [1], "", NOT_AN_OBJECT, INVALID_PARAMS),
    Refusal("reindex_workspace", [1], "", NOT_AN_OBJECT, INVALID_PARAMS),
    Refusal("tool_manifest", [1], "", NOT_AN_OBJECT, INVALID_PARAMS),
    Refusal("qurio_search", {"query": " "}, "BAD_INPUT", MISSING.format("query"), INVALID_PARAMS),
    Refusal(
        "qurio_search",
        {"query": "x", "alpha": 1.5},
        "BAD_INPUT",
        "alpha must be from 0.0 to 1.0, not 1.5",
        INVALID_PARAMS,
    ),
    Refusal(
        "qurio_search",
        {"query": "x", "limit": 0},
        "BAD_INPUT",
        "limit must be from 1 to 50, not 0",
        INVALID_PARAMS,
    ),
    Refusal(
        "qurio_search",
        {"query": "x", "filters": {"kind": "code"}},
        "BAD_INPUT",
        'filters has the unknown key "kind". Allowed: type, language, sourceId, ',
        INVALID_PARAMS,
    ),
    Refusal(
        "qurio_search",
        {"query": "x", "filters": {"type": 5}},
        "BAD_INPUT",
        "filters.type must be a string or a list of them, not 5",
        INVALID_PARAMS,
    ),
    Refusal("qurio_list_sources", [1], "", NOT_AN_OBJECT, INVALID_PARAMS),
    Refusal("qurio_list_pages", {}, "BAD_INPUT", MISSING.format("source_id"), INVALID_PARAMS),
    Refusal(
        "qurio_list_pages",
        {"source_id": "nope"},
        "BAD_INPUT",
        'source_id "nope" is not a source. Known sources: almanac',
        INVALID_PARAMS,
    ),
    Refusal("qurio_read_page", {"url": ""}, "BAD_INPUT", MISSING.format("url"), INVALID_PARAMS),
    Refusal(
        "qurio_read_page",
        {"url": "https://example.org/nope"},
        "NOT_FOUND",
        "No content found for URL. ",
    ),
    Refusal(
        "qurio_read_page",
        {"url": "https://example.org/tides", "section": "Waves"},
        "NOT_FOUND",
        'the page has no section "Waves". Headings: Tides',
    ),
    Refusal(
        "qurio_read_page",
        {"url": "https://example.org/tides", "source_id": "nope"},
        "BAD_INPUT",
        'source_id "nope" is not a source. Known sources: almanac',
        INVALID_PARAMS,
    ),
    Refusal("list_workshops", {"limit": "many"}, "BAD_INPUT", "limit must be a whole number, not "),
    Refusal("list_workshops", {"cursor": "zzz"}, "BAD_INPUT", CURSOR),
    Refusal("list_exercises", {"workshop": "knot"}, "NOT_FOUND", 'there is no workshop "knot"'),
    Refusal(
        "retrieve_learning_context",
        {},
        "BAD_INPUT",
        "workshop and exerciseNumber missing: give workshop and exerciseNumber, or random: true",
    ),
    Refusal(
        "retrieve_learning_context",
        {"workshop": "knots", "exerciseNumber": 1, "maxChars": 0},
        "BAD_INPUT",
        "maxChars must be at least 1, not 0",
    ),
    Refusal(
        "retrieve_learning_context",
        {"workshop": "knots", "exerciseNumber": 9},
        "NOT_FOUND",
        'there is no exercise 9 of the workshop "knots"',
    ),
    Refusal(
        "retrieve_diff_context",
        {"workshop": "knots", "exerciseNumber": 1, "stepNumber": 1, "focus": " sail "},
        "NO_MATCH",
        'no diff of the workshop "knots", exercise 1, step 1 matches the focus "sail"',
    ),
    Refusal(
        "retrieve_diff_context",
        {"workshop": "ropes", "exerciseNumber": 1},
        "NO_MATCH",
        'the workshop "ropes", exercise 1 has no diffs',
    ),
    Refusal(
        "retrieve_diff_context",
        {"workshop": "knots", "exerciseNumber": 1, "stepNumber": 9},
        "NOT_FOUND",
        'there is no step 9 in exercise 1 of the workshop "knots"',
    ),
    Refusal(
        "search_topic_context",
        {"query": "a b"},
        "BAD_INPUT",
        'query "a b" needs at least 3 characters besides spaces',
    ),
    Refusal(
        "search_topic_context",
        {"query": "abc", "stepNumber": 1},
        "BAD_INPUT",
        "exerciseNumber is required when stepNumber is given",
    ),
    Refusal(
        "search_topic_context",
        {"query": "abc", "exerciseNumber": 9},
        "NOT_FOUND",
        "there is no exercise 9. Exercises: 1",
    ),
    Refusal(
        "retrieve_quiz_instructions",
        {"questionCount": "few"},
        "BAD_INPUT",
        'questionCount must be a whole number, not "few"',
    ),
    Refusal("search_tests", {"query": "x" * 1001}, "BAD_INPUT", "query has 1001 characters"),
    Refusal("search_tests", {"query": "x", "top_k": 0}, "BAD_INPUT", "top_k must be from 1 to 100"),
    Refusal(
        "search_tests",
        {"query": "x", "filters": {"priority": "Urgent"}},
        "BAD_INPUT",
        'filters.priority "Urgent" is not one of: Critical, High, Medium, Low',
    ),
    Refusal(
        "search_tests",
        {"query": "x", "filters": {"foo": 1}},
        "BAD_INPUT",
        'there is no filter "foo". Valid filters: tags, priority, platforms, folderStructure,'
        " testType, relatedIssues, testPath",
    ),
    Refusal(
        "find_similar_tests",
        {"jira_key": "SEA-9"},
        "NOT_FOUND",
        'no test has the key "SEA-9"',
    ),
    Refusal(
        "find_similar_tests",
        {"jira_key": "SEA-1", "scope": "titles"},
        "BAD_INPUT",
        'scope "titles" is not one of: docs, steps, all',
    ),
    Refusal("get_test_by_jira", {"jira_key": "t 1"}, "BAD_INPUT", 'invalid JIRA key format: "t 1"'),
    Refusal("get_test_by_jira", {"jira_key": "SEA-9"}, "NOT_FOUND", 'no test has the key "SEA-9"'),
    Refusal("check_health", [1], "", NOT_AN_OBJECT, INVALID_PARAMS),
    Refusal(
        "ingest_tests",
        {"functional_path": "../x.json"},
        "BAD_INPUT",
        'the path "../x.json" is refused: `..` is not allowed',
    ),
    Refusal(
        "ingest_tests",
        {"functional_path": "broken.json"},
        "BAD_INPUT",
        '"broken.json": not valid JSON: ',
    ),
    Refusal("ingest_tests", {"api_path": "none.json"}, "NOT_FOUND", 'there is no file "none.json"'),
    Refusal(
        "list_exercises",
        {"workshop": "knots", "exerciseNumber": 9},
        "NOT_FOUND",
        'there is no exercise 9 of the workshop "knots"',
    ),
    Refusal(
        "retrieve_learning_context",
        {"workshop": "knots", "exerciseNumber": 1, "stepNumber": 9},
        "NOT_FOUND",
        'there is no step 9 in exercise 1 of the workshop "knots"',
    ),
    Refusal(
        "retrieve_diff_context",
        {"workshop": "knot", "exerciseNumber": 1},
        "NOT_FOUND",
        'there is no workshop "knot"',
    ),
    Refusal(
        "search_topic_context",
        {"query": "loop", "workshop": "knot"},
        "NOT_FOUND",
        'there is no workshop "knot"',
    ),
    Refusal(
        "search_topic_context",
        {"query": "loop", "exerciseNumber": 9},
        "NOT_FOUND",
        "there is no exercise 9. Exercises: 1",
    ),
    Refusal(
        "codebase_retrieval",
        {"query": "pump", "include_paths": ["/etc/*"]},
        "BAD_INPUT",
        'Invalid include_paths: "/etc/*" must be relative',
    ),
    Refusal(
        "codebase_retrieval",
        {"query": "pump", "exclude_paths": ["../*"]},
        "BAD_INPUT",
        'Invalid exclude_paths: "../*" must not contain `..`',
    ),
    Refusal(
        "get_file",
        {"path": "pump/pump.py", "start_line": 3, "end_line": 2},
        "BAD_INPUT",
        "end_line 2 comes before start_line 3",
    ),
    Refusal(
        "search_tests",
        {"query": "x", "filters": {"testPath": {"a": 1}}},
        "BAD_INPUT",
        "filters.testPath must be a string or a list of strings",
    ),
    Refusal(
        "search_tests",
        {"query": "x", "filters": {"tags": ["a"] * 51}},
        "BAD_INPUT",
        "filters.tags has 51 values and may have at most 50",
    ),
    Refusal(
        "find_similar_tests",
        {"jira_key": "SEA-1", "top_k": 0},
        "BAD_INPUT",
        "top_k must be from 1 to 100, not 0",
    ),
    Refusal(
        "ingest_tests",
        {"functional_path": "tests.ods"},
        "BAD_INPUT",
        'the path "tests.ods" is refused: only .json, .ndjson, .csv, .xlsx, .xml, .trx, .tap, .feature,'
        " .robot, .spec, .bru, .md files",
    ),
    Refusal(
        "ingest_tests",
        {"functional_path": "~/x.json"},
        "BAD_INPUT",
        'the path "~/x.json" is refused: `~` is not allowed',
    ),
    Refusal(
        "ingest_tests",
        {"functional_path": "/etc/x.json"},
        "BAD_INPUT",
        'the path "/etc/x.json" is refused: it is outside the allowed',
    ),
    Refusal(
        "ingest_tests",
        {"functional_path": "file:///x.json"},
        "BAD_INPUT",
        'the path "file:///x.json" is refused: addresses with a scheme',
    ),
    Refusal(
        "ingest_tests",
        {"functional_path": "x;y.json"},
        "BAD_INPUT",
        'the path "x;y.json" is refused: shell characters',
    ),
    Refusal(
        "qurio_list_pages",
        {"source_id": "almanac", "cursor": "zzz"},
        "BAD_INPUT",
        CURSOR,
        INVALID_PARAMS,
    ),
    Refusal(
        "qurio_read_page",
        {"url": "https://example.org/tides", "maxChars": 0},
        "BAD_INPUT",
        "maxChars must be at least 1, not 0",
        INVALID_PARAMS,
    ),
    Refusal(
        "demo_get_doc",
        {"filename": "lanterns.md", "section": "Sails"},
        "NOT_FOUND",
        'docs/lanterns.md has no section "Sails"',
    ),
    Refusal(
        "demo_search_docs",
        {"query": "boat", "scope": "everything"},
        "BAD_INPUT",
        'scope "everything" is not one of: ',
    ),
)

COMPACT_REFUSALS = (
    Refusal(
        "demo_search",
        {"query": "x", "scope": "nope"},
        "BAD_INPUT",
        'scope "nope" is not one of: all, ',
    ),
    Refusal("demo_get", {"name": "nope"}, "NOT_FOUND", 'there is no record "nope"'),
    Refusal("demo_list", {"collection": "nope"}, "NOT_FOUND", 'there is no collection "nope"'),
    Refusal("demo_outline", {"name": ""}, "BAD_INPUT", MISSING.format("name")),
    Refusal("demo_info", [1], "", NOT_AN_OBJECT, INVALID_PARAMS),
)
