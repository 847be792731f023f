from __future__ import annotations

from typing import Any

import pytest
from tests.runtime.tools.asking import Call, structured

from kb_runtime.errors import ToolError


def _places(found: dict[str, Any]) -> list[tuple[str, int]]:
    return [(match["file"], match["line"]) for match in found["matches"]]


def test_every_line_with_the_text_in_any_case(call: Call) -> None:
    found = structured(call("search_docs", query="HOLD"))
    assert _places(found) == [("docs/manual.md", 7), ("docs/manual.md", 13)]
    assert found["total"] == 2
    assert found["query"] == "HOLD"


def test_match_has_the_lines_around_it_without_carriage_returns(call: Call) -> None:
    (match,) = structured(call("search_docs", query="sets hold"))["matches"]
    assert match == {
        "file": "docs/manual.md",
        "line": 7,
        "content": "Sets hold values.",
        "context": ["## Sets", "", "### Examples", "Set(1, 2)"],
        "before": ["## Sets", ""],
        "after": ["### Examples", "Set(1, 2)"],
    }


@pytest.mark.parametrize(("lines", "expected"), [(0, 0), (1, 2), (99, 10), (-5, 0)])
def test_context_lines(call: Call, lines: int, expected: int) -> None:
    found = structured(call("search_docs", query="### Examples", contextLines=lines))
    assert found["contextLines"] == max(0, min(lines, 10))
    context = found["matches"][0]["context"]
    assert len(context) == expected or (lines == 99 and len(context) == 12)


def test_context_ends_with_the_file(call: Call) -> None:
    (match,) = structured(call("search_docs", query="maps hold"))["matches"]
    assert match["after"] == []


def test_line_of_a_file_with_a_page_and_records_is_found_once(call: Call) -> None:
    found = structured(call("search_docs", query="builds a map"))
    assert _places(found) == [("docs/operators.md", 9)]


@pytest.mark.parametrize(
    ("scope", "query", "expected"),
    [
        ("builtins", "equality", [("docs/operators.md", 5)]),
        ("docs", "equality", [("docs/operators.md", 5)]),
        ("extra", "import", [("posts/soup.mdx", 6)]),
        ("guidelines", "thin actions", [("patterns/thin-actions.md", 4)]),
        ("guidelines", "test first", [("guidelines/test-workflow.md", 3)]),
        ("patterns", "test first", []),
        ("examples", "tictactoe", [("examples/games/tictactoe.qnt", 1)]),
        ("templates", "module", [("templates/basic.qnt", 1), ("templates/two_phase.qnt", 1)]),
        ("lessons", "a", []),
        ("docs", "tictactoe", []),
    ],
)
def test_scope(call: Call, scope: str, query: str, expected: list[tuple[str, int]]) -> None:
    assert _places(structured(call("search_docs", query=query, scope=scope))) == expected


def test_unknown_scope_is_bad_input(call: Call) -> None:
    with pytest.raises(ToolError, match="scope") as caught:
        call("search_docs", query="a", scope="zzz")
    assert caught.value.kind == "BAD_INPUT"
    assert "builtins" in caught.value.message


def test_pages_follow_each_other_until_the_last(call: Call) -> None:
    seen: list[tuple[str, int]] = []
    total = structured(call("search_docs", query="e"))["total"]
    cursor = None
    while True:
        found = structured(call("search_docs", query="e", limit=4, cursor=cursor))
        assert found["total"] == total > 4
        assert 1 <= len(found["matches"]) <= 4
        seen += _places(found)
        cursor = found.get("nextCursor")
        if cursor is None:
            break
    assert len(seen) == total
    assert seen == sorted(set(seen))


def test_cursor_of_another_query_is_refused(call: Call) -> None:
    cursor = structured(call("search_docs", query="e", limit=1))["nextCursor"]
    with pytest.raises(ToolError, match="cursor"):
        call("search_docs", query="a", limit=1, cursor=cursor)


def test_query_is_literal(call: Call) -> None:
    assert structured(call("search_docs", query="Set(1"))["total"] == 1
    assert structured(call("search_docs", query="S.t(1"))["total"] == 0


def test_nothing_found_is_a_success_that_helps(call: Call) -> None:
    found = structured(call("search_docs", query="zzz", scope="extra"))
    assert found["matches"] == []
    assert "quint_hybrid_search" in found["warnings"][0]
    assert "scope all" in found["warnings"][0]


def test_blank_query_is_bad_input(call: Call) -> None:
    with pytest.raises(ToolError, match="query"):
        call("search_docs", query="")
