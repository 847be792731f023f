"""Which names a request may give this server, and which pages it may come from: exact, ports aside.

A page on the web can have its own name resolve to loopback, and thus send requests to servers there; the
browser then names that page in Host and Origin.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from kb_runtime.mcp.connection import error_answer
from kb_runtime.mcp.revisions import INVALID_REQUEST
from kb_runtime.text.names import quoted

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
LOOPBACK_ORIGIN = r"http://(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?"

_UNGUARDED = "/healthz"
"""Whoever watches a process names it by its address of the day."""


class NamedHosts:
    """ASGI middleware: refuses with 421 another Host, and with 403 another Origin."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str], origins: Sequence[str]) -> None:
        """Of `hosts` those without a port stand for every port; `origins` are allowed beside loopback."""
        self._app = app
        names = "|".join(re.escape(name) for name in hosts)
        self._host = re.compile(rf"(?:{names})(?::\d{{1,5}})?", re.ASCII | re.IGNORECASE)
        self._origin = re.compile(LOOPBACK_ORIGIN, re.ASCII | re.IGNORECASE)
        self._origins = frozenset(origin.casefold() for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] == _UNGUARDED:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self._host.fullmatch(hosts[0]):
            await _refuse(421, "Host", ", ".join(hosts), "--allow-host")(scope, receive, send)
        elif any(not self._allows(origin) for origin in origins):
            await _refuse(403, "Origin", ", ".join(origins), "--allow-origin")(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _allows(self, origin: str) -> bool:
        return origin.casefold() in self._origins or bool(self._origin.fullmatch(origin))


def _refuse(status: int, header: str, value: str, option: str) -> JSONResponse:
    message = f"{header} {quoted(value)} is not allowed here; {option} allows another one."
    return JSONResponse(error_answer(None, INVALID_REQUEST, message), status_code=status)
