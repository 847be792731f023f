"""ASGI middleware: correlation ids, and the log and metrics of each HTTP request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kb_runtime import log
from kb_runtime.mcp import correlation

if TYPE_CHECKING:
    from kb_runtime.http.metrics import Metrics


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
                log.record("warning", correlation_id=request_id, status=status)
