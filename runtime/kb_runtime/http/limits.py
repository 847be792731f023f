"""Limits what clients may ask for: requests in a time, bytes of bodies, calls that take long."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import anyio
import anyio.to_thread
from starlette.authentication import SimpleUser
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kb_runtime.errors import ProtocolError
from kb_runtime.mcp.connection import error_answer
from kb_runtime.mcp.stdio import MAX_WAITING
from kb_runtime.options.http import RateLimit

MOST_CLIENTS = 10_000
"""Clients that are remembered, the latest ones: memory does not grow with the number of addresses."""

MOST_OF_STREAM = 1 << 18
"""Bytes of the body of a request that is answered by a stream: 256 addresses of resources are less."""

_TOO_MANY = -32029
"""A JSON-RPC code of the range that the specification leaves to servers."""

Result = TypeVar("Result")


class _Bucket(NamedTuple):
    tokens: float
    at: float


class LongCalls:
    """Makes calls that take long one after the other, each in a thread of its own, so that all threads for
    other calls stay free. Those that wait hold no thread and end with the server."""

    def __init__(self, most_waiting: int = MAX_WAITING) -> None:
        self._most_waiting = most_waiting
        self._turn = anyio.CapacityLimiter(1)

    async def run(self, call: Callable[..., Result], *arguments: Any) -> Result:
        """What a call gives. Raises what it raises, and `ProtocolError` where enough others wait already."""
        if self._turn.statistics().tasks_waiting >= self._most_waiting:
            raise ProtocolError(
                _TOO_MANY, f"{self._most_waiting} such calls wait already: repeat it in a minute"
            )
        return await anyio.to_thread.run_sync(call, *arguments, limiter=self._turn)


class RateLimiter:
    """Lets each client send `limit.requests` at once, and as many again in `limit.seconds`."""

    def __init__(self, limit: RateLimit, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def wait(self, client: str) -> float:
        """Counts a request; 0, or the seconds until this client may send its next one."""
        now, (requests, seconds) = self._clock(), self._limit
        bucket = self._buckets.pop(client, _Bucket(requests, now))
        tokens = min(requests, bucket.tokens + (now - bucket.at) * requests / seconds)
        is_allowed = tokens >= 1
        self._buckets[client] = _Bucket(tokens - is_allowed, now)
        if len(self._buckets) > MOST_CLIENTS:
            self._buckets.popitem(last=False)
        return 0 if is_allowed else (1 - tokens) * seconds / requests


class LimitedBodies:
    """ASGI middleware that bounds the bytes of all bodies that the process has received and not yet begun
    to answer. A message of a few megabytes takes some forty times as much when it is parsed, and a thousand
    connections may each send one.

    An answer that has begun may be a stream without an end, whose body must not take the room of others
    for good; it keeps the parsed message all the time, though, so it may have a small one only.

    A client that leaves in the middle of a body is no defect, which libraries would report it as.
    """

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        own = 0
        begun = whole = has_left = False
        refusal: JSONResponse | None = None

        async def limited() -> Message:
            nonlocal own, refusal, whole, has_left
            message = await receive()
            if message["type"] == "http.disconnect" and not whole:
                has_left = True
                raise ConnectionAbortedError("the client has left before the end of its body")
            whole = not message.get("more_body")
            size = len(message.get("body", b""))
            if self._held + size > self._most:
                refusal = refusal_answer(503, "The server has too many large requests", 1)
                raise ConnectionAbortedError("there is no room for the body")
            own += size
            self._held += size
            return message

        async def answer(message: Message) -> None:
            nonlocal own, begun, refusal
            if not begun and _is_stream(message) and own > MOST_OF_STREAM:
                refusal = refusal_answer(
                    413, f"A subscription takes at most {MOST_OF_STREAM} bytes"
                )
                raise ConnectionAbortedError("the body is too large for a stream")
            begun = True
            self._held -= own
            own = 0
            await send(message)

        try:
            await self._app(scope, limited, answer)
        except BaseException:
            if not has_left and (refusal is None or begun):
                raise
        finally:
            self._held -= own
        if refusal is not None and not begun:
            await refusal(scope, receive, send)


class LimitedRequests:
    """ASGI middleware behind authentication: refuses with 429 what a client sends above its rate. A
    client is who its token belongs to, or else its address."""

    def __init__(self, app: ASGIApp, limiter: RateLimiter) -> None:
        self._app = app
        self._limiter = limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] == "/healthz":
            await self._app(scope, receive, send)
            return
        wait = self._limiter.wait(client_of(scope) or f"address {(scope.get('client') or [''])[0]}")
        if not wait:
            await self._app(scope, receive, send)
            return
        seconds = max(1, -int(-wait // 1))
        await refusal_answer(429, "Too many requests", seconds)(scope, receive, send)


def refusal_answer(status: int, reason: str, seconds: int = 0) -> JSONResponse:
    """`seconds` is when to try again; 0: the same request is refused then, too."""
    message = f"{reason}: try again in {seconds} s" if seconds else reason
    return JSONResponse(
        error_answer(None, _TOO_MANY, message),
        status_code=status,
        headers={"retry-after": str(seconds)} if seconds else None,
    )


def _is_stream(message: Message) -> bool:
    headers = dict(message.get("headers", ()))
    return bool(headers.get(b"content-type", b"").startswith(b"text/event-stream"))


def client_of(scope: Scope) -> str:
    """The name that authentication found for a request, or ""."""
    user = scope.get("user")
    return user.display_name if isinstance(user, SimpleUser) else ""
