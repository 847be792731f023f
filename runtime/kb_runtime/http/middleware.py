"""ASGI middleware: correlation ids, the log and metrics of each HTTP request, methods, ids of messages."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kb_runtime import log
from kb_runtime.http.limits import client_of, refusal_answer
from kb_runtime.mcp import correlation, revisions
from kb_runtime.mcp.connection import error_answer, refusal_of

if TYPE_CHECKING:
    from kb_runtime.http.metrics import Metrics

NO_BATCHES = "Over HTTP each request has one message; batches are answered on stdio"


class CorrelationHeader:
    """Gives each HTTP request a correlation id, unless it brings one, and sends it back."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = correlation.usable_id(Headers(scope=scope).get(correlation.HEADER))
        request_id = given or correlation.new_id()
        MutableHeaders(scope=scope)[correlation.HEADER] = request_id

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[correlation.HEADER] = request_id
            await send(message)

        await self._app(scope, receive, answer)


class ObservedRequests:
    """Counts HTTP requests, and writes down those that were refused."""

    def __init__(self, app: ASGIApp, metrics: Metrics | None, *, logs: bool) -> None:
        self._app = app
        self._metrics = metrics
        self._logs = logs

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        if self._metrics is not None:
            self._metrics.request_begins()
        try:
            await self._app(scope, receive, answer)
        except Exception:
            status = status or 500  # which is what the client will get
            raise
        finally:
            if self._metrics is not None:
                self._metrics.request_ends(status)
            if self._logs and status >= 400:
                request_id = Headers(scope=scope).get(correlation.HEADER)
                client = client_of(scope)
                named = {"client": client} if client else {}
                log.record("warning", correlation_id=request_id, **named, status=status)


class PostOnly:
    """Refuses at once whatever is not a POST to `/mcp`: this server has no session whose stream a GET
    could open, and none that a DELETE could end. The protocol asks for 405 then."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_mcp = scope["type"] == "http" and scope["path"].rstrip("/") == "/mcp"
        if not is_mcp or scope["method"] == "POST":
            await self._app(scope, receive, send)
            return
        message = "This is an MCP endpoint: send JSON-RPC messages with POST. It keeps no sessions."
        refused = JSONResponse(
            error_answer(None, revisions.INVALID_REQUEST, message),
            status_code=405,
            headers={"allow": "POST, OPTIONS"},
        )
        await refused(scope, receive, send)


class AnsweredWhenStopped:
    """Answers 503 to requests that the server does not finish before it stops. uvicorn cancels them; without
    this it would write a traceback for each and answer 500."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def answer(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, answer)
        except asyncio.CancelledError:
            if scope["type"] != "http":
                raise
            if not begun:
                await refusal_answer(503, "The server is stopping", 1)(scope, receive, send)


class RefusedMessages:
    """Refuses what is no JSON-RPC message in the words of the stdio transport. The SDK prints its validator's
    report instead, and takes a request whose id is neither a string nor an integer for a notification: it
    accepts that with 202, and the sender would wait for an answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].rstrip("/") != "/mcp":
            await self._app(scope, receive, send)
            return
        body: list[bytes] = []
        refused = False

        async def received() -> Message:
            message = await receive()
            body.append(message.get("body", b""))
            return message

        async def answer(message: Message) -> None:
            nonlocal refused
            if message["type"] == "http.response.start":
                told = _refusal(b"".join(body)) if message["status"] in (202, 400) else None
                body.clear()
                refused = told is not None
                if refused:
                    await JSONResponse(told, status_code=400)(scope, receive, send)
            if not refused:
                await send(message)

        await self._app(scope, received, answer)


def _refusal(body: bytes) -> dict[str, Any] | None:
    """None as well for what is not JSON, or what only the SDK can read."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if isinstance(message, list):
        return error_answer(None, revisions.INVALID_REQUEST, NO_BATCHES)
    return refusal_of(message)
