"""One client's conversation: eras, order, malformed messages, batches."""

from __future__ import annotations

from typing import Any

import pytest

from kb_runtime.errors import ProtocolError
from kb_runtime.mcp import eras
from kb_runtime.mcp.connection import Connection

STATELESS = eras.STATELESS_REVISIONS[0]
META = {eras.REVISION_KEY: STATELESS, eras.CAPABILITIES_KEY: {}}


def echo(method: str, params: dict[str, Any] | None, revision: str) -> dict[str, Any]:
    """A handler that tells what it was asked; `initialize` agrees to what it is offered."""
    if method == "initialize":
        return {"protocolVersion": eras.negotiate((params or {}).get("protocolVersion", ""))}
    if method == "fail":
        raise ProtocolError(eras.INVALID_PARAMS, "no", {"why": 1})
    if method == "explode":
        raise RuntimeError("secret")
    return {"method": method, "revision": revision}


def request(method: str, params: Any = None, request_id: Any = 1) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return message if params is None else {**message, "params": params}


def opened(revision: str = eras.NEWEST_HANDSHAKE) -> Connection:
    connection = Connection(echo)
    connection.answer(request("initialize", {"protocolVersion": revision}))
    return connection


@pytest.mark.parametrize("revision", eras.HANDSHAKE_REVISIONS)
def test_requests_after_the_handshake_use_its_revision(revision: str) -> None:
    answer = opened(revision).answer(request("tools/list"))
    assert answer["result"]["revision"] == revision


def test_requests_before_the_handshake_are_refused_but_ping_is_not() -> None:
    connection = Connection(echo)
    assert connection.answer(request("tools/list"))["error"]["code"] == eras.INVALID_PARAMS
    assert "result" in connection.answer(request("ping"))


def test_a_stateless_request_needs_no_handshake() -> None:
    answer = Connection(echo).answer(request("tools/list", {"_meta": META}))
    assert answer["result"]["revision"] == STATELESS


def test_a_stateless_connection_refuses_the_handshake() -> None:
    connection = Connection(echo)
    connection.answer(request("tools/list", {"_meta": META}))
    error = connection.answer(request("initialize", {"protocolVersion": "2025-06-18"}))["error"]
    assert error["code"] == eras.UNSUPPORTED_REVISION
    assert error["data"] == {"supported": [STATELESS], "requested": "2025-06-18"}


def test_a_handshake_connection_refuses_stateless_requests() -> None:
    error = opened().answer(request("tools/list", {"_meta": META}))["error"]
    assert error["code"] == eras.INVALID_REQUEST


def test_a_stateless_connection_refuses_requests_without_their_envelope() -> None:
    connection = Connection(echo)
    connection.answer(request("tools/list", {"_meta": META}))
    assert connection.answer(request("tools/list"))["error"]["code"] == eras.INVALID_PARAMS
    half = {"_meta": {eras.REVISION_KEY: STATELESS}}
    error = connection.answer(request("tools/list", half))["error"]
    assert eras.CAPABILITIES_KEY in error["message"]


def test_an_unknown_revision_is_answered_with_those_served() -> None:
    meta = {**META, eras.REVISION_KEY: "2099-01-01"}
    error = Connection(echo).answer(request("tools/list", {"_meta": meta}))["error"]
    assert error["code"] == eras.UNSUPPORTED_REVISION
    assert error["data"] == {"supported": [STATELESS], "requested": "2099-01-01"}


@pytest.mark.parametrize("request_id", [0, -1, "a", "", 10**30])
def test_the_id_comes_back_as_it_was(request_id: Any) -> None:
    assert opened().answer(request("ping", request_id=request_id))["id"] == request_id


@pytest.mark.parametrize("message", [1, "x", None, True, {}, {"jsonrpc": "2.0"}])
def test_what_is_no_request_is_an_invalid_request(message: Any) -> None:
    answer = opened().answer(message)
    assert answer["id"] is None
    assert answer["error"]["code"] == eras.INVALID_REQUEST


@pytest.mark.parametrize(
    "change",
    [
        {"jsonrpc": "1.0"},
        {"method": 5},
        {"method": None},
        {"params": [1]},
        {"params": "x"},
        {"id": None},
        {"id": True},
        {"id": 1.5},
        {"id": {}},
    ],
)
def test_a_malformed_request_is_an_invalid_request(change: dict[str, Any]) -> None:
    answer = opened().answer({**request("ping"), **change})
    assert answer["error"]["code"] == eras.INVALID_REQUEST


def test_notifications_and_answers_get_no_answer() -> None:
    connection = opened()
    assert connection.answer({"jsonrpc": "2.0", "method": "notifications/initialized"}) is None
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": 1}}
    assert connection.answer({"jsonrpc": "2.0", **cancelled}) is None
    assert connection.answer({"jsonrpc": "2.0", "id": 4, "result": {}}) is None
    assert connection.answer({"jsonrpc": "2.0", "id": 4, "error": {"code": 1}}) is None


def test_protocol_errors_come_with_their_data() -> None:
    error = opened().answer(request("fail"))["error"]
    assert error == {"code": eras.INVALID_PARAMS, "message": "no", "data": {"why": 1}}


def test_a_defect_leaks_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    error = opened().answer(request("explode"))["error"]
    assert error == {"code": eras.INTERNAL_ERROR, "message": "Internal server error"}
    assert "secret" in capsys.readouterr().err


def test_a_batch_is_answered_in_the_revision_that_has_them() -> None:
    batch = [
        request("ping", request_id="a"),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        7,
        request("fail", request_id="b"),
    ]
    answers = opened(eras.BATCHING_REVISION).answer(batch)
    assert [answer["id"] for answer in answers] == ["a", None, "b"]
    assert "result" in answers[0]


def test_a_batch_of_notifications_gets_no_answer() -> None:
    batch = [{"jsonrpc": "2.0", "method": "notifications/initialized"}]
    assert opened(eras.BATCHING_REVISION).answer(batch) is None


@pytest.mark.parametrize(
    ("revision", "batch"),
    [(eras.BATCHING_REVISION, []), (eras.NEWEST_HANDSHAKE, [request("ping")])],
)
def test_other_batches_are_one_invalid_request(revision: str, batch: list[Any]) -> None:
    answer = opened(revision).answer(batch)
    assert (answer["id"], answer["error"]["code"]) == (None, eras.INVALID_REQUEST)
