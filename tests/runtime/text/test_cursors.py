from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_runtime.errors import ToolError
from kb_runtime.text.cursors import read_cursor, write_cursor

BUILD, TOOL = "0123456789abcdef", "{prefix}_search_docs"
FILTERS = {"query": "map", "scope": "all"}

filters = st.dictionaries(st.text(max_size=8), st.text(max_size=20) | st.integers() | st.none())
positions = st.lists(st.integers(min_value=0, max_value=2**40), min_size=1, max_size=3)


@given(filters, positions)
def test_cursor_gives_back_its_position(scope: dict[str, Any], position: list[int]) -> None:
    cursor = write_cursor(BUILD, TOOL, scope, position)
    assert cursor.isascii()
    assert "=" not in cursor
    assert read_cursor(cursor, BUILD, TOOL, scope, len(position)) == tuple(position)


@pytest.mark.parametrize(
    ("build", "tool", "scope", "reason"),
    [
        ("fedcba9876543210", TOOL, FILTERS, "rebuilt"),
        (BUILD, "{prefix}_list", FILTERS, "another tool"),
        (BUILD, TOOL, {**FILTERS, "scope": "docs"}, "other arguments"),
        (BUILD, TOOL, {**FILTERS, "query": "set"}, "other arguments"),
    ],
)
def test_cursor_of_another_request_is_refused(
    build: str, tool: str, scope: dict[str, str], reason: str
) -> None:
    cursor = write_cursor(BUILD, TOOL, FILTERS, [5])
    with pytest.raises(ToolError, match=reason) as caught:
        read_cursor(cursor, build, tool, scope, 1)
    assert caught.value.kind == "BAD_INPUT"
    assert "invalid or belongs to another request" in caught.value.message
    assert "without `cursor`" in caught.value.next_steps[0]


@given(st.data())
def test_mutated_cursor_is_refused(data: st.DataObject) -> None:
    cursor = write_cursor(BUILD, TOOL, FILTERS, [7])
    at = data.draw(st.integers(0, len(cursor) - 1))
    char = data.draw(st.characters(exclude_characters=cursor[at]))
    with pytest.raises(ToolError) as caught:
        read_cursor(cursor[:at] + char + cursor[at + 1 :], BUILD, TOOL, FILTERS, 1)
    assert caught.value.kind == "BAD_INPUT"


@given(st.text() | st.binary().map(lambda data: base64.urlsafe_b64encode(data).decode()))
def test_any_other_text_is_refused(cursor: str) -> None:
    with pytest.raises(ToolError) as caught:
        read_cursor(cursor, BUILD, TOOL, FILTERS, 1)
    assert caught.value.kind == "BAD_INPUT"


@pytest.mark.parametrize(
    "change",
    [
        {"p": [-1]},
        {"p": [8]},
        {"p": [7.0]},
        {"p": [True]},
        {"p": 7},
        {"p": []},
        {"v": 2},
        {"c": ""},
    ],
)
def test_forged_fields_are_refused(change: dict[str, Any]) -> None:
    cursor = write_cursor(BUILD, TOOL, FILTERS, [7])
    fields = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))) | change
    forged = base64.urlsafe_b64encode(json.dumps(fields).encode()).decode().rstrip("=")
    with pytest.raises(ToolError):
        read_cursor(forged, BUILD, TOOL, FILTERS, 1)


def test_position_of_another_length_is_refused() -> None:
    with pytest.raises(ToolError):
        read_cursor(write_cursor(BUILD, TOOL, FILTERS, [1, 2]), BUILD, TOOL, FILTERS, 1)


def test_deeply_nested_cursor_is_refused() -> None:
    nested = base64.urlsafe_b64encode(b"[" * 700).decode()
    with pytest.raises(ToolError):
        read_cursor(nested, BUILD, TOOL, FILTERS, 1)
