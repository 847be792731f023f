"""Limits how many requests one client may send: a token bucket for each."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from starlette.authentication import SimpleUser
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kb_runtime.options.http import RateLimit

MOST_CLIENTS = 10_000
"""Clients that are remembered, the latest ones: memory does not grow with the number of addresses."""

_TOO_MANY = -32029
"""A JSON-RPC code of the range that the specification leaves to servers."""


class _Bucket(NamedTuple):
    tokens: float
    at: float


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
    """ASGI middleware that bounds the bytes of all bodies that the process has received and not yet
    answered. A message of a few megabytes takes some forty times as much when it is parsed, and a thousand
    connections may each send one."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        own = 0
        refused = begun = False

        async def limited() -> Message:
            nonlocal own, refused
            message = await receive()
            size = len(message.get("body", b""))
            if self._held + size > self._most:
                refused = True
                raise ConnectionAbortedError("there is no room for the body")
            own += size
            self._held += size
            return message

        async def answer(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, limited, answer)
        except BaseException:
            if not refused or begun:
                raise
        finally:
            self._held -= own
        if refused and not begun:
            await _refusal(503, 1, "The server has too many large requests")(scope, receive, send)


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
        await _refusal(429, seconds, "Too many requests")(scope, receive, send)


def _refusal(status: int, seconds: int, reason: str) -> JSONResponse:
    message = f"{reason}: try again in {seconds} s"
    return JSONResponse(
        {"jsonrpc": "2.0", "id": None, "error": {"code": _TOO_MANY, "message": message}},
        status_code=status,
        headers={"retry-after": str(seconds)},
    )


def client_of(scope: Scope) -> str:
    """The name that authentication found for a request, or ""."""
    user = scope.get("user")
    return user.display_name if isinstance(user, SimpleUser) else ""
