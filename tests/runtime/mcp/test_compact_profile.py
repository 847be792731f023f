"""The compact profile: get, list, outline and info over every collection."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kb_runtime.mcp import revisions
from kb_runtime.mcp.dispatch import Dispatcher

PAGE_ADDRESS = "kb://small/docs/docs/maps%20%26%20sets.md"


@pytest.fixture
def compact(dispatch: Any) -> Dispatcher:
    made: Dispatcher = dispatch("compact")
    return made


def call(dispatcher: Any, tool: str, /, **arguments: Any) -> Any:
    params = {"name": f"small_{tool}", "arguments": arguments}
    return dispatcher.handle("tools/call", params, revisions.NEWEST_HANDSHAKE)


def text(result: Any) -> str:
    assert result["isError"] is False, result
    found: str = result["content"][0]["text"]
    return found


def error(result: Any) -> Any:
    assert result["isError"] is True
    return result["structuredContent"]["error"]


@pytest.mark.parametrize(
    "name",
    [
        PAGE_ADDRESS,
        "docs/maps & sets.md",
        "maps & sets.md",
        "MAPS & SETS.MD",
        "maps & sets",
    ],
)
def test_get_accepts_addresses_ids_paths_and_names(compact: Any, name: str) -> None:
    answer = text(call(compact, "get", name=name))
    assert (
        answer
        == f"# Maps\n{PAGE_ADDRESS}, lines 1 to 7\n\n# Maps\n\nA map has keys.\n\n## Access\n\nUse get.\n"
    )


@pytest.mark.parametrize(
    "name",
    [
        "docs/maps & sets.md:5:1",
        "doc:docs/maps & sets.md#L5-L7",
        "doc:docs/maps & sets.md#access:5",
    ],
)
def test_get_reads_the_part_that_a_name_ends_with(compact: Any, name: str) -> None:
    answer = text(call(compact, "get", name=name))
    assert answer == f"# Maps\n{PAGE_ADDRESS}, lines 5 to 7 of 1 to 7\n\n## Access\n\nUse get.\n"


def test_get_sends_no_structure_beside_a_page(compact: Any) -> None:
    assert "structuredContent" not in call(compact, "get", name=PAGE_ADDRESS)
    (tool,) = (
        tool
        for tool in compact.handle("tools/list", {}, revisions.NEWEST_HANDSHAKE)["tools"]
        if tool["name"] == "small_get"
    )
    assert "outputSchema" not in tool


def test_get_counts_lines_as_the_file_does(compact: Any) -> None:
    answer = text(call(compact, "get", name="op2", start_line=23, end_line=99))
    assert answer == "# op2\nkb://small/builtins/op2, lines 23 to 23 of 21 to 23\n\nDoes 2.\n"


def test_get_refuses_lines_that_are_not_there(compact: Any) -> None:
    found = error(call(compact, "get", name="op2", start_line=90))
    assert found["kind"] == "BAD_INPUT"
    assert found["message"] == 'line 90 is not in "op2", which has lines 21 to 23'
    found = error(call(compact, "get", name="op2", start_line=23, end_line=22))
    assert found["message"] == 'lines 23 to 22 are not in "op2", which has lines 21 to 23'


def test_get_goes_on_where_it_was_cut_until_nothing_is_left(
    compact: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb_runtime.tools.paging.cut", lambda text, start, _: start + 10)
    read, cursor = "", {}
    while True:
        answer = text(call(compact, "get", name="docs/maps & sets.md", **cursor))
        body, marker, rest = answer.split("\n\n", 1)[1].partition("\n\n[")
        read += body
        if not marker:
            break
        cursor = {"cursor": rest.rsplit("cursor ", 1)[1].rstrip("]")}
    assert read == "# Maps\n\nA map has keys.\n\n## Access\n\nUse get.\n"


def test_a_cursor_of_another_record_is_refused(
    compact: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb_runtime.tools.paging.cut", lambda text, start, _: start + 5)
    answer = text(call(compact, "get", name="op1"))
    cursor = answer.rsplit("cursor ", 1)[1].rstrip("]")
    assert error(call(compact, "get", name="op2", cursor=cursor))["kind"] == "BAD_INPUT"


def test_an_unknown_name_is_answered_with_similar_ones(compact: Any) -> None:
    found = error(call(compact, "get", name="opp12"))
    assert found["kind"] == "NOT_FOUND"
    assert "op12" in found["suggestions"]


def test_an_address_is_looked_up_in_its_collection_only(compact: Any) -> None:
    assert error(call(compact, "get", name="kb://small/docs/op1"))["kind"] == "NOT_FOUND"
    found = error(call(compact, "get", name="kb://small/nope/op1"))
    assert "builtins, docs" in found["message"]


def test_list_shows_the_collections_then_their_records_page_by_page(compact: Any) -> None:
    collections = call(compact, "list")["structuredContent"]["collections"]
    assert collections[0] == {"name": "builtins", "kind": "builtins", "records": 130}
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = call(compact, "list", collection="builtins", limit=60, **cursor)["structuredContent"]
        found += [record["id"] for record in page["records"]]
        assert page["total"] == 130
        if "nextCursor" not in page:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert found == [f"op{number}" for number in range(130)]


def test_outline_gives_headings_with_their_lines(compact: Any) -> None:
    result = call(compact, "outline", name="maps & sets.md")
    assert text(result) == f"# Maps\n{PAGE_ADDRESS}\n\n1-7 Maps\n  5-7 Access"
    outline = result["structuredContent"]
    assert outline["address"] == PAGE_ADDRESS
    assert outline["entries"][1] == {"title": "Access", "level": 2, "lines": [5, 7]}


def test_info_says_what_the_knowledge_base_is(compact: Any) -> None:
    result = call(compact, "info")
    info = result["structuredContent"]
    assert (info["title"], info["version"], info["semanticSearch"]) == ("Small KB", "1", False)
    assert json.loads(result["content"][0]["text"]) == info


def test_search_refuses_an_unknown_scope_with_the_known_ones(compact: Any) -> None:
    found = error(call(compact, "search", query="map", scope="nope"))
    assert found["details"] == {"allowed": ["all"]}
