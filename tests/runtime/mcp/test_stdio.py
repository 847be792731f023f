"""The stdio loop: lines in, lines out, whatever bytes arrive."""

from __future__ import annotations

import json
import os
import socket
import tempfile
import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.waiting import PATIENCE_S

from kb_runtime.mcp import revisions, stdio
from kb_runtime.mcp.connection import Connection
from kb_runtime.mcp.stdio import StdioServer, encode, read_lines
from kb_runtime.text.written_json import WrittenObject


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
        return {"protocolVersion": revisions.NEWEST_HANDSHAKE}
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
    assert (bad["id"], bad["error"]["code"]) == (None, revisions.PARSE_ERROR)
    assert good["id"] == 1


def test_blank_lines_are_ignored() -> None:
    assert talk(b"", b"  ", b"\r") == []


def test_a_carriage_return_before_the_newline_does_no_harm() -> None:
    (answer,) = talk(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\r')
    assert answer["id"] == 1


def test_text_is_sent_as_utf8_and_lone_surrogates_as_escapes() -> None:
    assert encode({"a": "é 😀 \u2028"}) == '{"a":"é 😀 \u2028"}\n'.encode()
    assert encode({"a": "é\ud800"}) == b'{"a":"\\u00e9\\ud800"}\n'


def test_a_structure_that_is_written_is_not_written_again() -> None:
    text = '"structuredContent":null'
    structure = WrittenObject({"a": "computed"}, '{"a":"as written"}')
    content = [{"type": "text", "text": text}]
    answer = {"id": 1, "result": {"content": content, "structuredContent": structure}}
    assert json.loads(encode(answer)) == {
        "id": 1,
        "result": {"content": content, "structuredContent": {"a": "as written"}},
    }


def test_an_answer_that_is_no_json_becomes_an_internal_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for value in (float("nan"), object()):
        answer = json.loads(encode({"jsonrpc": "2.0", "id": 5, "result": {"score": value}}))
        assert (answer["id"], answer["error"]["code"]) == (5, revisions.INTERNAL_ERROR)
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


def test_a_server_that_is_told_to_stop_before_it_waits_does_not_wait() -> None:
    source, feed = os.pipe()
    result, sink = os.pipe()
    server = StdioServer(Connection(ping), lambda: None)
    server.stop()
    server.serve(source, sink)
    for descriptor in (source, feed, result, sink):
        os.close(descriptor)


def connected(kind: str) -> tuple[int, int]:
    """Two descriptors: what is written to the second is read from the first."""
    if kind == "pipe":
        return os.pipe()
    ours, theirs = socket.socketpair()
    return ours.detach(), theirs.detach()


@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_an_answer_that_fits_is_written_at_once_to_what_others_still_wait_for(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, feed = os.pipe()
    result, sink = connected(kind)
    waits: list[int] = []
    monkeypatch.setattr(StdioServer, "_await_reader", lambda _, sink: waits.append(sink))
    os.write(feed, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    os.close(feed)
    text = "x" * 40_000
    StdioServer(Connection(lambda *_: {"text": text}), lambda: None).serve(source, sink)
    assert waits == [sink]
    assert os.get_blocking(sink)
    os.close(sink)
    with os.fdopen(result, "rb") as answers:
        assert json.loads(answers.readline())["result"]["text"] == text
        assert answers.read() == b""
    os.close(source)


@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_a_client_that_closed_stdin_and_does_not_read_ends_the_server(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stdio, "UNREAD_S", 0.1)
    source, feed = connected(kind)
    result, sink = connected(kind)
    answered: list[str] = []

    def handle(method: str, params: dict[str, Any] | None, revision: str) -> dict[str, Any]:
        answered.append(method)
        return {"text": "x" * 1_000_000}

    requests = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n' * 20
    os.write(feed, requests)
    server = threading.Thread(
        target=StdioServer(Connection(handle), lambda: None).serve, args=(source, sink), daemon=True
    )
    server.start()
    server.join(0.5)
    assert server.is_alive()  # it waits for its client as long as that is there
    os.close(feed)
    server.join(PATIENCE_S)
    assert not server.is_alive()
    assert len(answered) == 1
    for descriptor in (source, result, sink):
        os.close(descriptor)


# Answers that take long


class Kitchen:
    """Some calls wait until they are told to go on; all others are answered at once."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.begun = threading.Semaphore(0)

    def takes_long(self, params: Any) -> bool:
        return isinstance(params, dict) and params.get("name") == "slow"

    def handle(self, method: str, params: dict[str, Any] | None, revision: str) -> dict[str, Any]:
        if method == "initialize":
            return {"protocolVersion": (params or {})["protocolVersion"]}
        if self.takes_long(params):
            self.begun.release()
            assert self.go.wait(PATIENCE_S)
        return {"method": method, "revision": revision}


class Conversation:
    """A server on pipes and a thread."""

    def __init__(self, kitchen: Kitchen) -> None:
        self._source, self._feed = os.pipe()
        result, self._sink = os.pipe()
        self._answers = os.fdopen(result, "rb")
        connection = Connection(kitchen.handle, takes_long=kitchen.takes_long)
        self.server = StdioServer(connection, lambda: None)
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        self.server.serve(self._source, self._sink)
        os.close(self._sink)
        os.close(self._source)

    def say(self, method: str, request_id: Any = None, **params: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if request_id is not None:
            message["id"] = request_id
        os.write(self._feed, json.dumps(message).encode() + b"\n")

    def write(self, line: bytes) -> None:
        os.write(self._feed, line + b"\n")

    def hear(self) -> Any:
        return json.loads(self._answers.readline())

    def end(self) -> list[Any]:
        """Closes the server's input; what else it answers."""
        os.close(self._feed)
        rest = [json.loads(line) for line in self._answers]
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        self._answers.close()
        return rest


@pytest.mark.parametrize(
    "revision", [*revisions.HANDSHAKE_REVISIONS, *revisions.STATELESS_REVISIONS]
)
def test_others_are_answered_while_a_call_takes_long(revision: str) -> None:
    kitchen = Kitchen()
    client = Conversation(kitchen)
    envelope = {}
    if revisions.is_stateless(revision):
        envelope = {"_meta": {revisions.REVISION_KEY: revision, revisions.CAPABILITIES_KEY: {}}}
    else:
        client.say("initialize", 0, protocolVersion=revision)
        assert client.hear()["id"] == 0
    client.say("tools/call", "a", name="slow", **envelope)
    client.say("tools/call", "b", name="quick", **envelope)
    client.say("ping", "c", **envelope)
    assert [client.hear()["id"] for _ in range(2)] == ["b", "c"]
    kitchen.go.set()
    assert client.hear() == {
        "jsonrpc": "2.0",
        "id": "a",
        "result": {"method": "tools/call", "revision": revision},
    }
    assert client.end() == []


def test_a_client_that_closes_its_end_still_gets_the_answers_that_it_waits_for() -> None:
    kitchen = Kitchen()
    client = Conversation(kitchen)
    client.say("initialize", 0, protocolVersion="2025-11-25")
    for number in range(1, 4):
        client.say("tools/call", number, name="slow")
    for _ in range(3):
        assert kitchen.begun.acquire(timeout=PATIENCE_S)
    threading.Timer(0.2, kitchen.go.set).start()
    assert sorted(answer["id"] for answer in client.end()) == [0, 1, 2, 3]


def test_so_many_are_waited_for_and_the_next_line_is_read_after_one_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stdio, "MAX_WAITING", 2)
    kitchen = Kitchen()
    client = Conversation(kitchen)
    client.say("initialize", 0, protocolVersion="2025-11-25")
    for number in range(1, 4):
        client.say("tools/call", number, name="slow")
    for _ in range(2):
        assert kitchen.begun.acquire(timeout=PATIENCE_S)
    assert not kitchen.begun.acquire(timeout=0.2)
    kitchen.go.set()
    assert sorted(answer["id"] for answer in client.end()) == [0, 1, 2, 3]


def test_a_batch_is_answered_as_a_whole() -> None:
    kitchen = Kitchen()
    kitchen.go.set()
    client = Conversation(kitchen)
    client.say("initialize", 0, protocolVersion=revisions.BATCHING_REVISION)
    call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "slow"}}
    client.write(json.dumps([{**call, "id": 1}, {**call, "id": 2}]).encode())
    assert client.hear()["id"] == 0
    assert [answer["id"] for answer in client.hear()] == [1, 2]
    assert client.end() == []


def test_what_is_no_request_is_never_waited_for() -> None:
    kitchen = Kitchen()
    client = Conversation(kitchen)
    client.say("initialize", 0, protocolVersion="2025-11-25")
    client.say("tools/call", name="slow")  # a notification
    client.say("tools/call", 1.5, name="slow")
    client.write(b'{"id": 3, "method": "tools/call", "params": {"name": "slow"}}')
    client.say("ping", 4)
    answers = [client.hear() for _ in range(4)]
    assert [answer["id"] for answer in answers] == [0, None, 3, 4]
    assert answers[1]["error"]["code"] == answers[2]["error"]["code"] == revisions.INVALID_REQUEST
    assert client.end() == []


def test_a_failure_of_a_call_that_takes_long_is_its_answer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(method: str, params: dict[str, Any] | None, revision: str) -> dict[str, Any]:
        raise RuntimeError("secret")

    kitchen = Kitchen()
    kitchen.handle = fail  # type: ignore[method-assign]
    client = Conversation(kitchen)
    envelope = {"_meta": {revisions.REVISION_KEY: "2026-07-28", revisions.CAPABILITIES_KEY: {}}}
    client.say("tools/call", 1, name="slow", **envelope)
    assert client.hear()["error"] == {
        "code": revisions.INTERNAL_ERROR,
        "message": "Internal server error",
    }
    assert client.end() == []
    assert "secret" in capsys.readouterr().err
