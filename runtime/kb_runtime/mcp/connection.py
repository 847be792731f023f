"""One client's conversation: decoded JSON-RPC messages in, answers out. No input, no output.

The first request decides the era for good, as in the SDK: one that carries its revision in `_meta`
makes the connection stateless, anything else opens the handshake.
"""

from __future__ import annotations

from kb_runtime.errors import ProtocolError
from kb_runtime.mcp import eras, failures
from kb_runtime.mcp.params import HANDSHAKE_METHODS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Handle = Callable[[str, dict[str, Any] | None, str], dict[str, Any]]

LISTEN = "subscriptions/listen"
MAX_SUBSCRIPTIONS = 64
"""Of one client; one is enough for all lists."""
_BEFORE_INITIALIZE = frozenset({"initialize", "ping"})


class Connection:
    """`handle(method, params, revision)` answers one request or raises ProtocolError."""

    def __init__(self, handle: Handle, *, tells_changes: bool = False) -> None:
        """With `tells_changes` a stateless client can subscribe to changes, and `news` is sent."""
        self._handle = handle
        self._tells_changes = tells_changes
        self._subscriptions: dict[str | int, dict[str, bool]] = {}
        self._ready = False
        self._stateless: bool | None = None
        self._initialized = False
        self._revision = eras.NEWEST_HANDSHAKE

    def answer(self, message: Any) -> Any:
        """The answer to one message or batch: a JSON value, or None where none is due."""
        if isinstance(message, list):
            return self._batch(message)
        return self._single(message)

    def news(self, kinds: Sequence[str]) -> list[dict[str, Any]]:
        """The messages that tell this client which lists have changed; none before it is ready."""
        from kb_runtime.mcp import changes

        if self._stateless:
            return changes.news(kinds, dict(self._subscriptions))
        if not self._ready:
            return []
        return [{"jsonrpc": "2.0", "method": changes.list_changed(kind)} for kind in kinds]

    def _batch(self, messages: list[Any]) -> Any:
        """Batches existed in one revision only; elsewhere, and empty, they are invalid requests."""
        if not (self._initialized and self._revision == eras.BATCHING_REVISION):
            return error_answer(
                None,
                eras.INVALID_REQUEST,
                f"Batches exist in revision {eras.BATCHING_REVISION} only; send one object a line",
            )
        if not messages:
            return error_answer(None, eras.INVALID_REQUEST, "The batch is empty")
        answers = [answer for answer in map(self._single, messages) if answer is not None]
        return answers or None

    def _single(self, message: Any) -> dict[str, Any] | None:
        if not isinstance(message, dict):
            return error_answer(None, eras.INVALID_REQUEST, "The message must be a JSON object")
        request_id = message.get("id")
        if not isinstance(request_id, (str, int)) or isinstance(request_id, bool):
            request_id = None
        if "method" not in message and ("result" in message or "error" in message):
            return None  # an answer, and this server asks nothing
        problem = _malformed(message, request_id)
        if problem:
            return error_answer(request_id, eras.INVALID_REQUEST, problem)
        if request_id is None:
            self._notified(message["method"], message.get("params") or {})
            return None
        try:
            if message["method"] == LISTEN and self._tells_changes:
                return self._subscribe(request_id, message.get("params"))
            result = self._request(message["method"], message.get("params"))
        except ProtocolError as error:
            return error_answer(request_id, error.code, error.message, error.data)
        except Exception as error:
            failures.report(f"{message['method']} failed", error)
            return error_answer(request_id, eras.INTERNAL_ERROR, "Internal server error")
        return {"jsonrpc": "2.0", "id": request_id, "result": result}

    def _notified(self, method: str, params: dict[str, Any]) -> None:
        if method == "notifications/initialized":
            self._ready = self._initialized
        elif method == "notifications/cancelled":
            subscription = params.get("requestId")
            if isinstance(subscription, (str, int)):
                self._subscriptions.pop(subscription, None)

    def _subscribe(self, request_id: str | int, params: dict[str, Any] | None) -> dict[str, Any]:
        """Opens a subscription, which ends when the client cancels it or leaves. Raises
        ProtocolError."""
        from kb_runtime.mcp import changes

        if self._stateless is None:
            self._stateless = eras.has_envelope(params)
        if not self._stateless:
            raise ProtocolError(eras.METHOD_NOT_FOUND, "Method not found", LISTEN)
        eras.envelope_revision(params)
        wanted = (params or {}).get("notifications")
        if not isinstance(wanted, dict):
            raise ProtocolError(
                eras.INVALID_PARAMS,
                "Invalid request parameters",
                "params.notifications must be an object",
            )
        if request_id not in self._subscriptions and len(self._subscriptions) >= MAX_SUBSCRIPTIONS:
            raise ProtocolError(
                eras.INVALID_REQUEST, f"There are {MAX_SUBSCRIPTIONS} subscriptions already"
            )
        granted = self._subscriptions[request_id] = changes.honoured(wanted)
        return changes.acknowledgement(request_id, granted)

    def _request(self, method: str, params: dict[str, Any] | None) -> dict[str, Any]:
        enveloped = method != "initialize" and eras.has_envelope(params)
        if self._stateless is None:
            self._stateless = enveloped
        if self._stateless:
            if method == "initialize":
                raise _handshake_refused(params)
            return self._handle(method, params, eras.envelope_revision(params))
        if enveloped:
            raise ProtocolError(
                eras.INVALID_REQUEST,
                "this connection serves the handshake protocol era; "
                "requests carrying the 2026-07-28 envelope are not accepted on it",
            )
        if (
            not self._initialized
            and method in HANDSHAKE_METHODS
            and method not in _BEFORE_INITIALIZE
        ):
            raise ProtocolError(
                eras.INVALID_PARAMS, "Invalid request parameters", "initialize must come first"
            )
        result = self._handle(method, params, self._revision)
        if method == "initialize":
            self._initialized = True
            self._revision = result["protocolVersion"]
        return result


def error_answer(
    request_id: str | int | None, code: int, message: str, data: Any = None
) -> dict[str, Any]:
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def _malformed(message: dict[str, Any], request_id: str | int | None) -> str:
    if message.get("jsonrpc") != "2.0":
        return 'The message must say "jsonrpc": "2.0"'
    if not isinstance(message.get("method"), str):
        return "The method must be a string"
    if "id" in message and request_id is None:
        return "The id must be a string or an integer"
    if not isinstance(message.get("params", {}), (dict, type(None))):
        return "The params must be an object"
    return ""


def _handshake_refused(params: dict[str, Any] | None) -> ProtocolError:
    data: dict[str, Any] = {"supported": list(eras.STATELESS_REVISIONS)}
    requested = (params or {}).get("protocolVersion")
    if isinstance(requested, str):
        data["requested"] = requested
    return ProtocolError(
        eras.UNSUPPORTED_REVISION,
        "connection is serving the 2026-07-28 protocol; the initialize handshake is not accepted",
        data,
    )
