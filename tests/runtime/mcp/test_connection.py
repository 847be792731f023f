"""One client's conversation: eras, order, malformed messages, batches."""

from __future__ import annotations

from typing import Any

import pytest

from kb_runtime.errors import ProtocolError
from kb_runtime.mcp import eras
from kb_runtime.mcp.connection import MAX_SUBSCRIPTIONS, Connection

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


# Changed lists


def subscribe(request_id: Any, **wanted: Any) -> dict[str, Any]:
    return request("subscriptions/listen", {"_meta": META, "notifications": wanted}, request_id)


def told(connection: Connection, *kinds: str) -> list[tuple[str, Any]]:
    """The methods of the news and the subscriptions that they are for."""
    messages = connection.news(kinds)
    assert all(message["jsonrpc"] == "2.0" and "id" not in message for message in messages)
    return [
        (message["method"], message.get("params", {}).get("_meta", {}).get(eras.SUBSCRIPTION_KEY))
        for message in messages
    ]


def test_a_client_of_the_handshake_is_told_when_it_is_ready() -> None:
    connection = Connection(echo, tells_changes=True)
    assert told(connection, "tools") == []
    connection.answer(request("initialize", {"protocolVersion": "2025-06-18"}))
    assert told(connection, "tools") == []
    connection.answer({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert told(connection, "tools", "resources") == [
        ("notifications/tools/list_changed", None),
        ("notifications/resources/list_changed", None),
    ]


def test_a_stateless_client_is_told_what_it_subscribed_to() -> None:
    connection = Connection(echo, tells_changes=True)
    connection.answer(request("tools/list", {"_meta": META}))
    assert told(connection, "tools") == []
    answer = connection.answer(
        subscribe("s-1", toolsListChanged=True, resourceSubscriptions=["kb://a/b/c"])
    )
    assert answer == {
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {
            "notifications": {"toolsListChanged": True},
            "_meta": {eras.SUBSCRIPTION_KEY: "s-1"},
        },
    }
    connection.answer(subscribe(2, resourcesListChanged=True, toolsListChanged=False))
    assert told(connection, "tools", "prompts", "resources") == [
        ("notifications/tools/list_changed", "s-1"),
        ("notifications/resources/list_changed", 2),
    ]
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}
    assert connection.answer(cancel) is None
    assert told(connection, "resources") == []


def test_a_subscription_can_open_a_stateless_connection() -> None:
    connection = Connection(echo, tells_changes=True)
    assert "method" in connection.answer(subscribe(1, toolsListChanged=True))
    assert told(connection, "tools") == [("notifications/tools/list_changed", 1)]


def test_a_subscription_that_makes_no_sense_is_refused() -> None:
    def code(connection: Connection, message: dict[str, Any]) -> int:
        found: int = connection.answer(message)["error"]["code"]
        return found

    wrong = request("subscriptions/listen", {"_meta": META, "notifications": []})
    assert code(Connection(echo, tells_changes=True), wrong) == eras.INVALID_PARAMS
    bare = request("subscriptions/listen", {"notifications": {}})
    handshake = Connection(echo, tells_changes=True)
    handshake.answer(request("initialize", {"protocolVersion": "2025-11-25"}))
    assert code(handshake, bare) == eras.METHOD_NOT_FOUND
    full = Connection(echo, tells_changes=True)
    for number in range(MAX_SUBSCRIPTIONS):
        full.answer(subscribe(number, toolsListChanged=True))
    assert code(full, subscribe("more", toolsListChanged=True)) == eras.INVALID_REQUEST
