"""The stdio loop: lines in, lines out, whatever bytes arrive."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_runtime.mcp import eras, stdio
from kb_runtime.mcp.connection import Connection
from kb_runtime.mcp.stdio import StdioServer, encode, read_lines


def pieces(*parts: bytes) -> Callable[[], bytes]:
    remaining = [*parts, b""]
    return lambda: remaining.pop(0)


@given(
    st.lists(st.binary(max_size=20).map(lambda line: line.replace(b"\n", b"")), max_size=8),
    st.lists(st.integers(1, 30), max_size=8),
)
def test_lines_are_the_same_however_the_bytes_arrive(lines: list[bytes], sizes: list[int]) -> None:
    data = b"".join(line + b"\n" for line in lines)
    parts = []
    for size in sizes:
        parts.append(data[:size])
        data = data[size:]
    parts = [part for part in [*parts, data] if part]
    assert list(read_lines(pieces(*parts))) == lines


def test_a_last_line_without_a_newline_counts() -> None:
    assert list(read_lines(pieces(b"a\nb"))) == [b"a", b"b"]


@pytest.mark.parametrize("cut", [3, 10, 11, 12, 13, 25])
def test_a_line_over_the_limit_is_dropped_and_the_next_one_read(
    monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    monkeypatch.setattr(stdio, "MAX_LINE_BYTES", 10)
    data = b"x" * 24 + b"\nnext\n" + b"y" * 10 + b"\n"
    assert list(read_lines(pieces(data[:cut], data[cut:]))) == [None, b"next", b"y" * 10]


def test_an_endless_line_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "MAX_LINE_BYTES", 10)
    assert list(read_lines(pieces(*[b"x" * 8] * 9))) == [None]


def ping(method: str, params: dict[str, Any] | None, revision: str) -> dict[str, Any]:
    if method == "initialize":
        return {"protocolVersion": eras.NEWEST_HANDSHAKE}
    return {"params": params}


def talk(*lines: bytes, after: Callable[[], None] = lambda: None) -> list[Any]:
    """What a server with the handler above writes for these lines."""
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as sink:
        source.write(b"".join(line + b"\n" for line in lines))
        source.seek(0)
        StdioServer(Connection(ping), after).serve(source.fileno(), sink.fileno())
        sink.seek(0)
        return [json.loads(line) for line in sink]


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"\xff\xfe",
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b"[" * 100_000,
        b"1" * 5_000,
        b'{"jsonrpc": "2.0", "id": 1, "method": "\xc3"}',
        b"\xef\xbb\xbf{}",
    ],
)
def test_lines_that_are_no_json_are_answered_and_the_next_one_served(line: bytes) -> None:
    bad, good = talk(line, b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
    assert (bad["id"], bad["error"]["code"]) == (None, eras.PARSE_ERROR)
    assert good["id"] == 1


def test_blank_lines_are_ignored() -> None:
    assert talk(b"", b"  ", b"\r") == []


def test_a_carriage_return_before_the_newline_does_no_harm() -> None:
    (answer,) = talk(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\r')
    assert answer["id"] == 1


def test_text_is_sent_as_utf8_and_lone_surrogates_as_escapes() -> None:
    assert encode({"a": "é 😀 \u2028"}) == '{"a":"é 😀 \u2028"}\n'.encode()
    assert encode({"a": "é\ud800"}) == b'{"a":"\\u00e9\\ud800"}\n'


def test_an_answer_that_is_no_json_becomes_an_internal_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for value in (float("nan"), object()):
        answer = json.loads(encode({"jsonrpc": "2.0", "id": 5, "result": {"score": value}}))
        assert (answer["id"], answer["error"]["code"]) == (5, eras.INTERNAL_ERROR)
    assert "cannot be written" in capsys.readouterr().err


def test_the_engines_are_asked_for_once_and_after_the_first_answer() -> None:
    calls: list[int] = []
    request = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    talk(b'{"jsonrpc":"2.0","method":"x"}', request, request, after=lambda: calls.append(1))
    assert calls == [1]
    talk(b'{"jsonrpc":"2.0","method":"x"}', after=lambda: calls.append(2))
    assert calls == [1]


def test_a_client_that_closed_its_end_is_no_error() -> None:
    source, feed = os.pipe()
    result, sink = os.pipe()
    os.close(result)
    os.write(feed, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    os.close(feed)
    StdioServer(Connection(ping), lambda: None).serve(source, sink)
    os.close(sink)
    os.close(source)
