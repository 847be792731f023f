"""How the texts of failed calls begin, by family of tools."""

from __future__ import annotations

WORKSHOP_HEADINGS = {
    "list_workshops": "List workshops",
    "list_exercises": "List exercises",
    "retrieve_learning_context": "Learning context",
    "retrieve_diff_context": "Diff context",
    "search_topic_context": "Topic search",
    "retrieve_quiz_instructions": "Quiz protocol",
}
TEST_TOOLS = (
    "search_tests",
    "find_similar_tests",
    "get_test_by_jira",
    "check_health",
    "ingest_tests",
)
STATUS = {
    "BAD_INPUT": 400,
    "READ_ONLY": 403,
    "NOT_FOUND": 404,
    "UNAVAILABLE": 503,
    "INTERNAL": 500,
}


def beginning(tool: str, kind: str, message: str) -> str:
    """How the text of a flagged error begins, in the words of the tool's family."""
    if tool in TEST_TOOLS:
        return f"API Error ({STATUS[kind]}): {message}"
    heading = WORKSHOP_HEADINGS.get(tool)
    return f"## ❌ {heading} failed\n\nError: {message}" if heading else f"Error: {message}"
