"""One client's conversation: decoded JSON-RPC messages in, answers out, no I/O.

The first request decides the era of the connection, as in the SDK: one that carries its revision in
`_meta` makes it stateless, anything else starts the handshake.
"""

from __future__ import annotations

from kb_runtime.errors import ProtocolError
from kb_runtime.mcp import failures, revisions
from kb_runtime.mcp.params import (
    HANDSHAKE_METHODS,
    MAX_RESOURCES,
    RESOURCES,
    SUBSCRIBE,
    UNSUBSCRIBE,
    too_many_resources,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from typing import Any, Protocol

    class Watching(Protocol):
        """What of `kb_runtime.mcp.changes.Changes` a connection uses."""

        def known(self, addresses: Iterable[str]) -> list[str]: ...
        def watch(self, addresses: Collection[str]) -> None: ...
        def unwatch(self, addresses: Iterable[str]) -> None: ...

    Handle = Callable[[str, dict[str, Any] | None, str], dict[str, Any]]

LISTEN = "subscriptions/listen"
MAX_SUBSCRIPTIONS = 64
"""Of one client; one is enough for all lists."""
_BEFORE_INITIALIZE = frozenset({"initialize", "ping"})


class Deferred:
    """An answer that takes long. `answer()` gives it, on whatever thread; others are given meanwhile."""

    __slots__ = ("answer",)

    def __init__(self, answer: Callable[[], Any]) -> None:
        self.answer = answer


class Connection:
    """`handle(method, params, revision)` answers one request or raises ProtocolError."""

    def __init__(
        self,
        handle: Handle,
        changes: Callable[[], Watching] | None = None,
        takes_long: Callable[[Any], bool] | None = None,
    ) -> None:
        """With `changes`, which is called when the first client subscribes, clients can subscribe to
        changes, and `news` is sent. `takes_long` tells of the params of a `tools/call` whether its
        answer is one for `Deferred`."""
        self._handle = handle
        self._takes_long = takes_long
        self._changes = changes
        self._subscriptions: dict[str | int, dict[str, Any]] = {}
        self._opening: dict[str | int, dict[str, Any]] = {}  # whose acknowledgement is not written
        self._resources: set[str] = set()  # that a client of the handshake has subscribed to
        self._ready = False
        self._stateless: bool | None = None
        self._initialized = False
        self._revision = revisions.NEWEST_HANDSHAKE

    def answer(self, message: Any) -> Any:
        """The answer to one message or batch: a JSON value, None where none is due, or `Deferred`."""
        if isinstance(message, list):
            return self._batch(message)
        if self._is_long(message):
            return Deferred(lambda: self._single(message))
        return self._single(message)

    def written(self) -> None:
        """The last answer has been written. A subscription begins here, so that its acknowledgement
        is its first message."""
        opening, self._opening = self._opening, {}
        self._subscriptions.update(opening)

    def news(self, kinds: Sequence[str], updated: Iterable[str] = ()) -> list[dict[str, Any]]:
        """The messages that tell this client which lists and resources have changed; none before it is
        ready."""
        from kb_runtime.mcp import changes

        if self._stateless:
            return changes.news(kinds, updated, dict(self._subscriptions))
        if not self._ready:
            return []
        subscribed = self._resources.copy()
        return [
            *({"jsonrpc": "2.0", "method": changes.list_changed(kind)} for kind in kinds),
            *(
                {"jsonrpc": "2.0", "method": changes.UPDATED, "params": {"uri": address}}
                for address in updated
                if address in subscribed
            ),
        ]

    def _is_long(self, message: Any) -> bool:
        """Whether a message is a call that takes long. It decides the era here and now, should it be
        the first: the next message may be read before it is answered."""
        if (
            self._takes_long is None
            or not isinstance(message, dict)
            or message.get("method") != "tools/call"
            or not self._takes_long(message.get("params"))
            or _request_id(message) is None
            or _malformed(message)
        ):
            return False
        if self._stateless is None:
            self._stateless = revisions.has_envelope(message["params"])
        return True

    def _batch(self, messages: list[Any]) -> Any:
        """Batches existed in one revision only; elsewhere, and empty, they are invalid requests."""
        if not (self._initialized and self._revision == revisions.BATCHING_REVISION):
            return error_answer(
                None,
                revisions.INVALID_REQUEST,
                f"Batches exist only in revision {revisions.BATCHING_REVISION}; send one object per line",
            )
        if not messages:
            return error_answer(None, revisions.INVALID_REQUEST, "The batch is empty")
        answers = [answer for answer in map(self._single, messages) if answer is not None]
        return answers or None

    def _single(self, message: Any) -> dict[str, Any] | None:
        if refused := refusal_of(message):
            return refused
        request_id = _request_id(message)
        if "method" not in message:
            return None  # an answer, and this server asks nothing
        if request_id is None:
            self._notified(message["method"], message.get("params") or {})
            return None
        try:
            if message["method"] == LISTEN and self._changes is not None:
                return self._listen(self._changes(), request_id, message.get("params"))
            result = self._request(message["method"], message.get("params"))
        except ProtocolError as error:
            return error_answer(request_id, error.rpc_code, error.message, error.data)
        except Exception as error:
            failures.report(f"{message['method']} failed", error)
            return error_answer(request_id, revisions.INTERNAL_ERROR, "Internal server error")
        return {"jsonrpc": "2.0", "id": request_id, "result": result}

    def _notified(self, method: str, params: dict[str, Any]) -> None:
        if method == "notifications/initialized":
            self._ready = self._initialized
        elif method == "notifications/cancelled":
            subscription = params.get("requestId")
            if isinstance(subscription, (str, int)) and not isinstance(subscription, bool):
                self._end(subscription)

    def _end(self, subscription: str | int) -> None:
        ended = self._opening.pop(subscription, None) or self._subscriptions.pop(subscription, {})
        if self._changes is not None and (addresses := ended.get(RESOURCES)):
            self._changes().unwatch(addresses)

    def _listen(
        self, watching: Watching, request_id: str | int, params: dict[str, Any] | None
    ) -> dict[str, Any]:
        """Opens a subscription, which ends when the client cancels it or leaves. Raises
        ProtocolError."""
        from kb_runtime.mcp import changes

        if self._stateless is None:
            self._stateless = revisions.has_envelope(params)
        if not self._stateless:
            raise ProtocolError(revisions.METHOD_NOT_FOUND, "Method not found", LISTEN)
        revisions.envelope_revision(params)
        wanted = (params or {}).get("notifications")
        if not isinstance(wanted, dict):
            raise ProtocolError(
                revisions.INVALID_PARAMS,
                "Invalid request parameters",
                "params.notifications must be an object",
            )
        open_now = self._subscriptions.keys() | self._opening.keys()
        if request_id not in open_now and len(open_now) >= MAX_SUBSCRIPTIONS:
            raise ProtocolError(
                revisions.INVALID_REQUEST, f"There are {MAX_SUBSCRIPTIONS} subscriptions already"
            )
        self._end(request_id)  # a client that uses an id twice has given up the first
        granted = changes.granted_changes(wanted, watching.known)
        others = [*self._subscriptions.values(), *self._opening.values()]
        if sum(len(each.get(RESOURCES, ())) for each in (granted, *others)) > MAX_RESOURCES:
            raise too_many_resources()
        watching.watch(granted.get(RESOURCES, ()))
        self._opening[request_id] = granted
        return changes.acknowledgement(request_id, granted)

    def _request(self, method: str, params: dict[str, Any] | None) -> dict[str, Any]:
        enveloped = method != "initialize" and revisions.has_envelope(params)
        if self._stateless is None:
            self._stateless = enveloped
        if self._stateless:
            if method == "initialize":
                raise _handshake_refused(params)
            return self._handle(method, params, revisions.envelope_revision(params))
        if enveloped:
            raise ProtocolError(
                revisions.INVALID_REQUEST,
                "this connection serves the handshake protocol era; "
                "requests carrying the 2026-07-28 envelope are not accepted on it",
            )
        if (
            not self._initialized
            and method in HANDSHAKE_METHODS
            and method not in _BEFORE_INITIALIZE
        ):
            raise ProtocolError(
                revisions.INVALID_PARAMS, "Invalid request parameters", "initialize must come first"
            )
        if method in (SUBSCRIBE, UNSUBSCRIBE):
            return self._subscribe(method, params)
        result = self._handle(method, params, self._revision)
        if method == "initialize":
            self._initialized = True
            self._revision = result["protocolVersion"]
        return result

    def _subscribe(self, method: str, params: dict[str, Any] | None) -> dict[str, Any]:
        """Remembers or forgets that a client of the handshake wants to be told of a resource. Raises
        ProtocolError."""
        if self._changes is None:
            raise ProtocolError(revisions.METHOD_NOT_FOUND, "Method not found", method)
        result = self._handle(method, params, self._revision)
        address = (params or {})["uri"]
        if method == UNSUBSCRIBE:
            if address in self._resources:
                self._resources.discard(address)
                self._changes().unwatch([address])
        elif address not in self._resources:
            if len(self._resources) >= MAX_RESOURCES:
                raise too_many_resources()
            self._changes().watch([address])
            self._resources.add(address)
        return result


def error_answer(
    request_id: str | int | None, code: int, message: str, data: Any = None
) -> dict[str, Any]:
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def refusal_of(message: Any) -> dict[str, Any] | None:
    """The answer to what is no JSON-RPC message; None for a request, a notification or an answer."""
    if not isinstance(message, dict):
        return error_answer(None, revisions.INVALID_REQUEST, "The message must be a JSON object")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    problem = _malformed(message)
    if not problem:
        return None
    return error_answer(_request_id(message), revisions.INVALID_REQUEST, problem)


def _request_id(message: dict[str, Any]) -> str | int | None:
    """None where there is none, or one that no request may have."""
    found = message.get("id")
    return found if isinstance(found, (str, int)) and not isinstance(found, bool) else None


def _malformed(message: dict[str, Any]) -> str:
    if message.get("jsonrpc") != "2.0":
        return 'The message must say "jsonrpc": "2.0"'
    if not isinstance(message.get("method"), str):
        return "The method must be a string"
    if "id" in message and _request_id(message) is None:
        return "The id must be a string or an integer"
    if not isinstance(message.get("params", {}), (dict, type(None))):
        return "The params must be an object"
    return ""


def _handshake_refused(params: dict[str, Any] | None) -> ProtocolError:
    data: dict[str, Any] = {"supported": list(revisions.STATELESS_REVISIONS)}
    requested = (params or {}).get("protocolVersion")
    if isinstance(requested, str):
        data["requested"] = requested
    return ProtocolError(
        revisions.UNSUPPORTED_REVISION,
        "connection is serving the 2026-07-28 protocol; the initialize handshake is not accepted",
        data,
    )
