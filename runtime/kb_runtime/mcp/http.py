"""MCP over streamable HTTP: the SDK's low-level server in front of the dispatch core.

Stateless, because a read-only knowledge base has no session to keep, and answered with plain JSON.
Host and Origin headers are always checked: without that, any web page could reach a server on
loopback by rebinding its own name.
"""

from __future__ import annotations

import hmac
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import anyio.to_thread
import mcp_types as types
import uvicorn
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import NotificationOptions
from mcp.server.models import InitializationOptions
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kb_runtime.errors import ProtocolError
from kb_runtime.mcp import correlation, eras
from kb_runtime.mcp.dispatch import Dispatcher

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
SCOPE = "kb"
_SHUTDOWN_S = 5

_PARAMS: dict[str, type[types.RequestParams]] = {
    "server/discover": types.RequestParams,
    "ping": types.RequestParams,
    "tools/list": types.PaginatedRequestParams,
    "tools/call": types.CallToolRequestParams,
    "resources/list": types.PaginatedRequestParams,
    "resources/templates/list": types.PaginatedRequestParams,
    "resources/read": types.ReadResourceRequestParams,
    "prompts/list": types.PaginatedRequestParams,
    "prompts/get": types.GetPromptRequestParams,
    "completion/complete": types.CompleteRequestParams,
}


class DispatchServer(Server[Any]):
    """The SDK's server, whose every handler asks the dispatch core, on a worker thread."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        info = dispatcher.answers.server_info
        super().__init__(
            info["name"],
            version=info["version"],
            title=info["title"],
            description=info.get("description"),
            get_tool_input_schema=self._input_schema,
        )
        self._dispatcher = dispatcher
        self.middleware.clear()  # the default one reports to OpenTelemetry; nothing is reported here
        for method, params_type in _PARAMS.items():
            self.add_request_handler(method, params_type, self._answer)

    async def _answer(
        self, context: ServerRequestContext[Any], _: types.RequestParams
    ) -> dict[str, Any]:
        params = None if context.params is None else dict(context.params)
        if params is not None and context.method == "tools/call" and context.request is not None:
            # What the message itself says comes after, and so counts more.
            header = {correlation.HEADER: context.request.headers.get(correlation.HEADER)}
            params["_meta"] = {**header, **(params.get("_meta") or {})}
        try:
            return await anyio.to_thread.run_sync(
                self._dispatcher.handle, context.method, params, context.protocol_version
            )
        except ProtocolError as error:
            raise MCPError(code=error.code, message=error.message, data=error.data) from error

    def _input_schema(self, name: str) -> Mapping[str, Any] | None:
        for tool in self._dispatcher.answers.tools["tools"]:
            if tool["name"] == name:
                schema: Mapping[str, Any] = tool["inputSchema"]
                return schema
        return None

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Asks for the answer to `initialize` at each handshake: a new build may be live."""
        options = super().create_initialization_options(
            notification_options, experimental_capabilities, extensions
        )
        answer = self._dispatcher.handle(
            "initialize",
            {
                "protocolVersion": "",
                "capabilities": {},
                "clientInfo": {"name": "", "version": ""},
            },
            eras.NEWEST_HANDSHAKE,
        )
        info = answer["serverInfo"]
        return options.model_copy(
            update={
                "server_name": info["name"],
                "server_version": info["version"],
                "title": info["title"],
                "description": info.get("description"),
                "instructions": answer["instructions"],
            }
        )


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


class BearerToken:
    """Accepts one static bearer token."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def verify_token(self, token: str) -> AccessToken | None:
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self._token):
            return None
        return AccessToken(token=token, client_id="kb", scopes=[SCOPE])


def build_app(
    dispatcher: Dispatcher,
    *,
    host: str,
    token: str | None,
    allowed_hosts: Sequence[str],
    allowed_origins: Sequence[str],
    max_body: int,
) -> Starlette:
    """The ASGI application: `/mcp`, and `/healthz` for whoever watches the process.

    Requests must name a loopback host, `host` or one of `allowed_hosts` (`name` or `name:port`); an
    Origin header, which only browsers send, must be a loopback one or one of `allowed_origins`.
    """

    async def health(_: Request) -> JSONResponse:
        return JSONResponse({"status": "ok", "build": dispatcher.answers.build_id})

    names = [*LOOPBACK, f"[{host}]" if ":" in host else host, *allowed_hosts]
    security = TransportSecuritySettings(
        allowed_hosts=[pattern for name in names for pattern in (name, f"{name}:*")],
        allowed_origins=[
            *(f"http://{name}{port}" for name in LOOPBACK for port in ("", ":*")),
            *allowed_origins,
        ],
    )
    auth = None
    if token:
        auth = AuthSettings(
            issuer_url=AnyHttpUrl("http://127.0.0.1"),
            resource_server_url=None,
            required_scopes=[SCOPE],
        )
    app = DispatchServer(dispatcher).streamable_http_app(
        stateless_http=True,
        json_response=True,
        max_request_body_size=max_body,
        transport_security=security,
        auth=auth,
        token_verifier=BearerToken(token) if token else None,
        custom_starlette_routes=[Route("/healthz", health, methods=["GET"])],
    )
    app.add_middleware(CorrelationHeader)
    return app


def serve_http(
    dispatcher: Dispatcher,
    *,
    host: str,
    port: int,
    token: str | None,
    allowed_hosts: Sequence[str],
    allowed_origins: Sequence[str],
    max_body: int,
) -> None:
    """Serves until SIGINT or SIGTERM; says on stderr where. Raises OSError when it cannot listen."""
    app = build_app(
        dispatcher,
        host=host,
        token=token,
        allowed_hosts=allowed_hosts,
        allowed_origins=allowed_origins,
        max_body=max_body,
    )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listener:
        shown = f"[{host}]" if ":" in host else host
        print(
            f"kbc serve: listening on http://{shown}:{listener.getsockname()[1]}/mcp",
            file=sys.stderr,
            flush=True,
        )
        if not token and not _is_loopback(host):
            print(
                "kbc serve: anyone who reaches this address can read the knowledge base;"
                " --token-file restricts that",
                file=sys.stderr,
                flush=True,
            )
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_SHUTDOWN_S,
        )
        # uvicorn raises the signal that stopped it once more; it has done its work by then.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        uvicorn.Server(config).run(sockets=[listener])


def _is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")
