"""`get_file`: whole files, ranges of lines, paths, and parts that join."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.acceptance.codebase.shop import FILES, HUGE, LOGIN, ask
from tests.acceptance.conftest import Client

from kb_runtime.tools.session import DEFAULT_CHARS


def test_a_file_comes_as_it_was_indexed(shop: Client) -> None:
    reply = shop.call("get_file", path="web/src/cart.ts")
    assert reply.structured["content"] == FILES["code/web/src/cart.ts"]
    assert reply.structured["lines"] == "1-8"
    assert reply.structured["totalLines"] == 8
    assert reply.structured["language"] == "typescript"
    assert "export class Cart" in reply.text


def test_a_range_of_lines(shop: Client) -> None:
    lines = LOGIN.split("\n")
    reply = shop.call("get_file", path="shop/auth/login.py", start_line=6, end_line=7)
    assert reply.structured["content"] == "\n".join(lines[5:7]) + "\n"
    assert reply.structured["lines"] == "6-7"
    reply = shop.call("get_file", path="shop/auth/login.py", start_line=16, end_line=999)
    assert reply.structured["content"] == "\n".join(lines[15:])


@pytest.mark.parametrize(("first", "last", "shown"), [(1, 4, "1-4"), (2, 3, "2-3"), (4, 99, "4-7")])
def test_blank_lines_at_the_end_count(shop: Client, first: int, last: int, shown: str) -> None:
    found = shop.call("get_file", path="gaps.js", start_line=first, end_line=last).structured
    lines = FILES["code/web/gaps.js"].splitlines(keepends=True)
    assert found["content"] == "".join(lines[first - 1 : last])
    assert found["lines"] == shown


@pytest.mark.parametrize("tool", ["get_file", "code_outline"])
def test_a_path_may_begin_with_a_brace(shop: Client, tool: str) -> None:
    path = "{{name}}/setup.py"
    whole = shop.call(tool, path=path, no_argument=1, max_chars=1000)
    assert not whole.is_error
    assert whole.text.startswith(path)
    assert "Note: the unknown argument" in whole.text


def test_the_lines_of_a_hit_can_be_read(shop: Client) -> None:
    for result in ask(shop, "cart of items and a login form")["results"]:
        start, end = result["lines"].split("-")
        reply = shop.call("get_file", path=result["file"], start_line=start, end_line=end)
        assert reply.structured["content"].startswith(result["content"])


@pytest.mark.parametrize("path", ["cart.ts", "src/cart.ts", "WEB/SRC/CART.TS", "./web/src/cart.ts"])
def test_a_file_by_the_end_of_its_path(shop: Client, path: str) -> None:
    assert shop.call("get_file", path=path).structured["file"] == "web/src/cart.ts"


@pytest.mark.parametrize("path", ["shop/auth/logn.py", "nothing.py", "code", "shop"])
def test_an_unknown_file_is_told_with_similar_ones(shop: Client, path: str) -> None:
    reply = shop.call("get_file", path=path)
    assert reply.structured["error"]["kind"] == "NOT_FOUND"
    assert path in reply.text
    if "logn" in path:
        assert "shop/auth/login.py" in reply.structured["error"]["suggestions"]


@pytest.mark.parametrize("path", ["../kb.toml", "/etc/passwd", "shop/../../kb.toml", "C:\\x", ""])
def test_no_path_leads_out_of_the_index(shop: Client, path: str) -> None:
    reply = shop.call("get_file", path=path)
    assert reply.is_error
    assert reply.structured["error"]["kind"] in ("BAD_INPUT", "NOT_FOUND")


@pytest.mark.parametrize(
    ("start", "end", "word"),
    [
        (0, None, "start_line"),
        (99, None, "17 lines"),
        (5, 4, "end_line"),
        ("x", None, "start_line"),
    ],
)
def test_a_range_that_is_none_is_refused(shop: Client, start: Any, end: Any, word: str) -> None:
    reply = shop.call("get_file", path="shop/auth/login.py", start_line=start, end_line=end)
    assert reply.structured["error"]["kind"] == "BAD_INPUT"
    assert word in reply.text


def pages(client: Client, **arguments: Any) -> Iterator[dict[str, Any]]:
    cursor = None
    while True:
        reply = client.call("get_file", cursor=cursor, **arguments)
        assert not reply.is_error, reply.text
        yield reply.structured
        cursor = reply.structured.get("nextCursor")
        if cursor is None:
            return


def test_a_long_file_comes_in_parts_that_join(shop: Client) -> None:
    parts = list(pages(shop, path="shop/huge.py"))
    assert len(parts) > 1
    assert all(0 < len(part["content"]) <= DEFAULT_CHARS for part in parts)
    assert "".join(part["content"] for part in parts) == HUGE
    assert parts[1]["lines"].split("-")[0] == str(parts[0]["content"].count("\n") + 1)


@settings(max_examples=20)
@given(first=st.integers(1, 4000), count=st.integers(1, 4000))
def test_parts_of_any_range_join(shop: Client, first: int, count: int) -> None:
    lines = HUGE.split("\n")[:-1]
    last = min(first + count - 1, len(lines))
    parts = pages(shop, path="shop/huge.py", start_line=first, end_line=last)
    expected = "".join(line + "\n" for line in lines[first - 1 : last])
    assert "".join(part["content"] for part in parts) == expected


def test_a_cursor_belongs_to_its_request(shop: Client) -> None:
    cursor = shop.call("get_file", path="shop/huge.py").structured["nextCursor"]
    for arguments in (
        {"path": "shop/warehouse.py", "cursor": cursor},
        {"path": "shop/huge.py", "start_line": 2, "cursor": cursor},
        {"path": "shop/huge.py", "cursor": "nonsense"},
    ):
        reply = shop.call("get_file", **arguments)
        assert reply.structured["error"]["kind"] == "BAD_INPUT"
        assert "cursor" in reply.text
