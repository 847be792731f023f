"""One client's conversation: eras, order, malformed messages, batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from kb_runtime.errors import ProtocolError
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp import revisions
from kb_runtime.mcp.changes import Changes
from kb_runtime.mcp.connection import MAX_SUBSCRIPTIONS, Connection
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.mcp.params import MAX_RESOURCES

STATELESS = revisions.STATELESS_REVISIONS[0]
META = {revisions.REVISION_KEY: STATELESS, revisions.CAPABILITIES_KEY: {}}


def echo(method: str, params: dict[str, Any] | None, revision: str) -> dict[str, Any]:
    """A handler that tells what it was asked; `initialize` agrees to what it is offered."""
    if method == "initialize":
        return {"protocolVersion": revisions.negotiate((params or {}).get("protocolVersion", ""))}
    if method == "fail":
        raise ProtocolError(revisions.INVALID_PARAMS, "no", {"why": 1})
    if method == "explode":
        raise RuntimeError("secret")
    return {"method": method, "revision": revision}


def request(method: str, params: Any = None, request_id: Any = 1) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return message if params is None else {**message, "params": params}


def opened(revision: str = revisions.NEWEST_HANDSHAKE) -> Connection:
    connection = Connection(echo)
    connection.answer(request("initialize", {"protocolVersion": revision}))
    return connection


@pytest.mark.parametrize("revision", revisions.HANDSHAKE_REVISIONS)
def test_requests_after_the_handshake_use_its_revision(revision: str) -> None:
    answer = opened(revision).answer(request("tools/list"))
    assert answer["result"]["revision"] == revision


def test_requests_before_the_handshake_are_refused_but_ping_is_not() -> None:
    connection = Connection(echo)
    assert connection.answer(request("tools/list"))["error"]["code"] == revisions.INVALID_PARAMS
    assert "result" in connection.answer(request("ping"))


def test_a_stateless_request_needs_no_handshake() -> None:
    answer = Connection(echo).answer(request("tools/list", {"_meta": META}))
    assert answer["result"]["revision"] == STATELESS


def test_a_stateless_connection_refuses_the_handshake() -> None:
    connection = Connection(echo)
    connection.answer(request("tools/list", {"_meta": META}))
    error = connection.answer(request("initialize", {"protocolVersion": "2025-06-18"}))["error"]
    assert error["code"] == revisions.UNSUPPORTED_REVISION
    assert error["data"] == {"supported": [STATELESS], "requested": "2025-06-18"}


def test_a_handshake_connection_refuses_stateless_requests() -> None:
    error = opened().answer(request("tools/list", {"_meta": META}))["error"]
    assert error["code"] == revisions.INVALID_REQUEST


def test_a_stateless_connection_refuses_requests_without_their_envelope() -> None:
    connection = Connection(echo)
    connection.answer(request("tools/list", {"_meta": META}))
    assert connection.answer(request("tools/list"))["error"]["code"] == revisions.INVALID_PARAMS
    half = {"_meta": {revisions.REVISION_KEY: STATELESS}}
    error = connection.answer(request("tools/list", half))["error"]
    assert revisions.CAPABILITIES_KEY in error["message"]


def test_an_unknown_revision_is_answered_with_those_served() -> None:
    meta = {**META, revisions.REVISION_KEY: "2099-01-01"}
    error = Connection(echo).answer(request("tools/list", {"_meta": meta}))["error"]
    assert error["code"] == revisions.UNSUPPORTED_REVISION
    assert error["data"] == {"supported": [STATELESS], "requested": "2099-01-01"}


@pytest.mark.parametrize("request_id", [0, -1, "a", "", 10**30])
def test_the_id_comes_back_as_it_was(request_id: Any) -> None:
    assert opened().answer(request("ping", request_id=request_id))["id"] == request_id


@pytest.mark.parametrize("message", [1, "x", None, True, {}, {"jsonrpc": "2.0"}])
def test_what_is_no_request_is_an_invalid_request(message: Any) -> None:
    answer = opened().answer(message)
    assert answer["id"] is None
    assert answer["error"]["code"] == revisions.INVALID_REQUEST


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
    assert answer["error"]["code"] == revisions.INVALID_REQUEST


def test_notifications_and_answers_get_no_answer() -> None:
    connection = opened()
    assert connection.answer({"jsonrpc": "2.0", "method": "notifications/initialized"}) is None
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": 1}}
    assert connection.answer({"jsonrpc": "2.0", **cancelled}) is None
    assert connection.answer({"jsonrpc": "2.0", "id": 4, "result": {}}) is None
    assert connection.answer({"jsonrpc": "2.0", "id": 4, "error": {"code": 1}}) is None


def test_protocol_errors_come_with_their_data() -> None:
    error = opened().answer(request("fail"))["error"]
    assert error == {"code": revisions.INVALID_PARAMS, "message": "no", "data": {"why": 1}}


def test_a_defect_leaks_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    error = opened().answer(request("explode"))["error"]
    assert error == {"code": revisions.INTERNAL_ERROR, "message": "Internal server error"}
    assert "secret" in capsys.readouterr().err


def test_a_batch_is_answered_in_the_revision_that_has_them() -> None:
    batch = [
        request("ping", request_id="a"),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        7,
        request("fail", request_id="b"),
    ]
    answers = opened(revisions.BATCHING_REVISION).answer(batch)
    assert [answer["id"] for answer in answers] == ["a", None, "b"]
    assert "result" in answers[0]


def test_a_batch_of_notifications_gets_no_answer() -> None:
    batch = [{"jsonrpc": "2.0", "method": "notifications/initialized"}]
    assert opened(revisions.BATCHING_REVISION).answer(batch) is None


@pytest.mark.parametrize(
    ("revision", "batch"),
    [(revisions.BATCHING_REVISION, []), (revisions.NEWEST_HANDSHAKE, [request("ping")])],
)
def test_other_batches_are_one_invalid_request(revision: str, batch: list[Any]) -> None:
    answer = opened(revision).answer(batch)
    assert (answer["id"], answer["error"]["code"]) == (None, revisions.INVALID_REQUEST)


# Changed lists and resources


@pytest.fixture
def live(corpus: Any) -> Iterator[LiveArtifact]:
    with closing(LiveArtifact(corpus.path)) as opened:
        yield opened


@pytest.fixture
def dispatcher(live: LiveArtifact) -> Dispatcher:
    return Dispatcher(live)


@pytest.fixture
def changes(live: LiveArtifact, dispatcher: Dispatcher) -> Changes:
    return Changes(live, dispatcher)


@pytest.fixture
def telling(dispatcher: Dispatcher, changes: Changes) -> Callable[[], Connection]:
    """`telling()`: a connection that tells changes of a small knowledge base."""

    def handle(method: str, params: dict[str, Any] | None, revision: str) -> dict[str, Any]:
        if method == "initialize":
            return echo(method, params, revision)
        return dispatcher.handle(method, params, revision)

    return lambda: Connection(handle, lambda: changes)


def op(number: int) -> str:
    return f"kb://small/builtins/op{number}"


def subscribe(request_id: Any, **wanted: Any) -> dict[str, Any]:
    return request("subscriptions/listen", {"_meta": META, "notifications": wanted}, request_id)


def told(connection: Connection, *kinds: str) -> list[tuple[str, Any]]:
    """The methods of the news and the subscriptions that they are for."""
    messages = connection.news(kinds)
    assert all(message["jsonrpc"] == "2.0" and "id" not in message for message in messages)
    return [
        (
            message["method"],
            message.get("params", {}).get("_meta", {}).get(revisions.SUBSCRIPTION_KEY),
        )
        for message in messages
    ]


def test_a_client_of_the_handshake_is_told_when_it_is_ready(
    telling: Callable[[], Connection],
) -> None:
    connection = telling()
    assert told(connection, "tools") == []
    connection.answer(request("initialize", {"protocolVersion": "2025-06-18"}))
    assert told(connection, "tools") == []
    connection.answer({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert told(connection, "tools", "resources") == [
        ("notifications/tools/list_changed", None),
        ("notifications/resources/list_changed", None),
    ]


def test_a_stateless_client_is_told_what_it_subscribed_to(
    telling: Callable[[], Connection],
) -> None:
    connection = telling()
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
            "_meta": {revisions.SUBSCRIPTION_KEY: "s-1"},
        },
    }
    assert told(connection, "tools") == []  # the acknowledgement comes first
    connection.written()
    connection.answer(subscribe(2, resourcesListChanged=True, toolsListChanged=False))
    connection.written()
    assert told(connection, "tools", "prompts", "resources") == [
        ("notifications/tools/list_changed", "s-1"),
        ("notifications/resources/list_changed", 2),
    ]
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}
    assert connection.answer(cancel) is None
    assert told(connection, "resources") == []


def test_a_subscription_can_open_a_stateless_connection(telling: Callable[[], Connection]) -> None:
    connection = telling()
    assert "method" in connection.answer(subscribe(1, toolsListChanged=True))
    connection.written()
    assert told(connection, "tools") == [("notifications/tools/list_changed", 1)]


def test_a_subscription_that_makes_no_sense_is_refused(telling: Callable[[], Connection]) -> None:
    def code(connection: Connection, message: dict[str, Any]) -> int:
        found: int = connection.answer(message)["error"]["code"]
        return found

    wrong = request("subscriptions/listen", {"_meta": META, "notifications": []})
    assert code(telling(), wrong) == revisions.INVALID_PARAMS
    bare = request("subscriptions/listen", {"notifications": {}})
    handshake = telling()
    handshake.answer(request("initialize", {"protocolVersion": "2025-11-25"}))
    assert code(handshake, bare) == revisions.METHOD_NOT_FOUND
    full = telling()
    for number in range(MAX_SUBSCRIPTIONS):
        full.answer(subscribe(number, toolsListChanged=True))
    assert code(full, subscribe("more", toolsListChanged=True)) == revisions.INVALID_REQUEST
    odd = subscribe(1, resourceSubscriptions="kb://small/builtins/op1")
    assert code(telling(), odd) == revisions.INVALID_PARAMS


def updates(connection: Connection, *addresses: str) -> list[tuple[str, Any]]:
    """The addresses of the news that these have changed, and the subscriptions that they are for."""
    messages = connection.news([], addresses)
    assert all(each["method"] == "notifications/resources/updated" for each in messages)
    return [
        (each["params"]["uri"], each["params"].get("_meta", {}).get(revisions.SUBSCRIPTION_KEY))
        for each in messages
    ]


@pytest.mark.parametrize("revision", revisions.HANDSHAKE_REVISIONS)
def test_a_client_of_the_handshake_is_told_of_what_it_subscribed_to(
    telling: Callable[[], Connection], revision: str
) -> None:
    connection = telling()
    connection.answer(request("initialize", {"protocolVersion": revision}))
    connection.answer({"jsonrpc": "2.0", "method": "notifications/initialized"})
    for _ in range(2):  # once more changes nothing
        assert connection.answer(request("resources/subscribe", {"uri": op(1)}))["result"] == {}
    assert updates(connection, op(1), op(2)) == [(op(1), None)]
    for uri in (op(1), op(1), "kb://small/builtins/never"):
        assert connection.answer(request("resources/unsubscribe", {"uri": uri}))["result"] == {}
    assert updates(connection, op(1), op(2)) == []


def test_a_subscription_to_nothing_that_is_served_is_refused(
    telling: Callable[[], Connection],
) -> None:
    connection = telling()
    connection.answer(request("initialize", {"protocolVersion": "2025-11-25"}))
    for uri in ("kb://small/builtins/never", "kb://other/builtins/op1", "file:///etc/passwd"):
        error = connection.answer(request("resources/subscribe", {"uri": uri}))["error"]
        assert (error["code"], error["data"]) == (revisions.RESOURCE_NOT_FOUND, {"uri": uri})
    for params in ({}, {"uri": 1}, None):
        error = connection.answer(request("resources/subscribe", params))["error"]
        assert error["code"] == revisions.INVALID_PARAMS


def test_nobody_subscribes_where_nothing_is_told() -> None:
    connection = opened()
    for method in ("resources/subscribe", "resources/unsubscribe"):
        error = connection.answer(request(method, {"uri": op(1)}))["error"]
        assert error["code"] == revisions.METHOD_NOT_FOUND


def test_a_stateless_client_names_resources_in_its_subscription(
    telling: Callable[[], Connection],
) -> None:
    connection = telling()
    for method in ("resources/subscribe", "resources/unsubscribe"):
        error = connection.answer(request(method, {"_meta": META, "uri": op(1)}))["error"]
        assert error["code"] == revisions.METHOD_NOT_FOUND
    wanted = [op(1), "kb://small/builtins/never", op(1), op(2)]
    answer = connection.answer(subscribe("a", resourceSubscriptions=wanted))
    assert answer["params"]["notifications"] == {"resourceSubscriptions": [op(1), op(2)]}
    connection.answer(subscribe("b", resourceSubscriptions=[op(2)]))
    connection.written()
    assert updates(connection, op(1), op(2), op(3)) == [(op(1), "a"), (op(2), "a"), (op(2), "b")]
    cancel = {"method": "notifications/cancelled", "params": {"requestId": "a"}}
    connection.answer({"jsonrpc": "2.0", **cancel})
    assert updates(connection, op(1), op(2)) == [(op(2), "b")]


def test_resources_are_counted_before_they_are_looked_for(
    telling: Callable[[], Connection],
) -> None:
    never = [f"kb://small/builtins/never{number}" for number in range(MAX_RESOURCES + 1)]
    error = telling().answer(subscribe("a", resourceSubscriptions=never))["error"]
    assert error["code"] == revisions.INVALID_REQUEST
    answer = telling().answer(subscribe("a", resourceSubscriptions=[*never[1:], *never[1:]]))
    assert answer["params"]["notifications"] == {}


def test_a_truth_value_cancels_no_subscription(telling: Callable[[], Connection]) -> None:
    connection = telling()
    connection.answer(subscribe(1, toolsListChanged=True))
    connection.written()
    cancel = {"method": "notifications/cancelled", "params": {"requestId": True}}
    assert connection.answer({"jsonrpc": "2.0", **cancel}) is None
    assert told(connection, "tools") == [("notifications/tools/list_changed", 1)]


def test_a_client_subscribes_to_so_many_resources_and_no_more(
    corpus: Any, telling: Callable[[], Connection]
) -> None:
    many = [{**corpus.records["builtins"][0], "id": f"op{n}"} for n in range(MAX_RESOURCES + 1)]
    corpus.publish("2", builtins=many)
    handshake = telling()
    handshake.answer(request("initialize", {"protocolVersion": "2025-11-25"}))
    answers = [
        handshake.answer(request("resources/subscribe", {"uri": op(number)}))
        for number in range(MAX_RESOURCES + 1)
    ]
    assert all("result" in answer for answer in answers[:-1])
    assert answers[-1]["error"]["code"] == revisions.INVALID_REQUEST
    handshake.answer(request("resources/unsubscribe", {"uri": op(0)}))
    last = request("resources/subscribe", {"uri": op(MAX_RESOURCES)})
    assert "result" in handshake.answer(last)

    stateless = telling()
    all_of_them = [op(number) for number in range(MAX_RESOURCES)]
    for subscription in ("a", "a"):  # the second takes the place of the first
        answer = stateless.answer(subscribe(subscription, resourceSubscriptions=all_of_them))
        assert answer["params"]["notifications"]["resourceSubscriptions"] == all_of_them
        stateless.written()
    error = stateless.answer(subscribe("b", resourceSubscriptions=[op(MAX_RESOURCES)]))["error"]
    assert error["code"] == revisions.INVALID_REQUEST
