"""MCP over streamable HTTP: the SDK's low-level server in front of the dispatch core.

Stateless, because a read-only knowledge base needs no session; answers are plain JSON. Host and Origin are
always checked: otherwise any web page could reach a server on loopback by rebinding its own name.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Collection, Mapping, Sequence
from contextvars import ContextVar
from functools import partial
from time import perf_counter
from types import FrameType
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import mcp_types as types
import uvicorn
from mcp.server.auth.middleware.bearer_auth import RequireAuthMiddleware
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import NotificationOptions
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import (
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from kb_runtime import log
from kb_runtime.errors import ProtocolError
from kb_runtime.http.connections import bounded, limits_for_this_process
from kb_runtime.http.limits import LimitedBodies, LimitedRequests, LongCalls, RateLimiter, client_of
from kb_runtime.http.middleware import (
    AnsweredWhenStopped,
    CorrelationHeader,
    ObservedRequests,
    PostOnly,
    RefusedMessages,
)
from kb_runtime.http.origins import LOOPBACK, LOOPBACK_ORIGIN, NamedHosts
from kb_runtime.mcp import correlation, revisions
from kb_runtime.mcp.callers import CALLER
from kb_runtime.mcp.changes import Changes, check_number
from kb_runtime.mcp.connection import LISTEN
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.signals import terminations

if TYPE_CHECKING:
    from kb_runtime.http.listening import Listener
    from kb_runtime.http.metrics import Metrics
    from kb_runtime.http.tokens import Access, OAuth
    from kb_runtime.options.http import HttpSettings

EXPOSED = ("Mcp-Session-Id", "Retry-After", "WWW-Authenticate", correlation.HEADER)
"""Headers of answers that a page's script may read."""
PREFLIGHT_LASTS_S = 7200
"""The longest that browsers keep the answer to a preflight."""

SCOPE = "kb"
_SHUTDOWN_S = 5
_TAKEN_AT_ONCE = 1
"""Connections that a process takes before it goes on: the others are for other processes."""

_CALLS_AT_ONCE = 4
"""Threads that make calls. More of them finish no more calls, but keep the interpreter from the event loop:
with 60 busy clients, `/healthz` took 0.6 s with anyio's 40 threads, and 0.1 s with 4."""

_LARGEST_BODIES = 4
"""Bodies of the largest size that a process takes at a time, and as many bytes of smaller ones."""

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

    def __init__(self, dispatcher: Dispatcher, subscriptions: Subscriptions | None = None) -> None:
        """With `subscriptions` a stateless client can subscribe to changes."""
        info = dispatcher.answers.server_info
        super().__init__(
            info["name"],
            version=info["version"],
            title=info["title"],
            description=info.get("description"),
            get_tool_input_schema=self._input_schema,
        )
        self._dispatcher = dispatcher
        self._long_calls = LongCalls()
        self._turns = anyio.CapacityLimiter(_CALLS_AT_ONCE)
        # In place of the default one, which reports to OpenTelemetry: nothing is reported anywhere.
        self.middleware[:] = [self._watch]
        for method, params_type in _PARAMS.items():
            self.add_request_handler(method, params_type, self._answer)
        if subscriptions is not None:
            self.add_request_handler(
                LISTEN, types.SubscriptionsListenRequestParams, subscriptions.serve
            )

    async def _answer(
        self, context: ServerRequestContext[Any], _: types.RequestParams
    ) -> dict[str, Any]:
        params = None if context.params is None else dict(context.params)
        stateless = revisions.is_stateless(context.protocol_version)
        if not (stateless and params is None):
            params = _with_header(context, params)
        is_long = context.method == "tools/call" and self._dispatcher.takes_long(params)
        call = partial(self._dispatcher.handle, context.method, params, context.protocol_version)
        try:
            if is_long:
                return await self._long_calls.run(call)
            if self._dispatcher.may_wait:  # others must not wait for it, too
                return await anyio.to_thread.run_sync(call)
            async with self._turns:
                if context.request is not None and await context.request.is_disconnected():
                    raise MCPError(code=revisions.INTERNAL_ERROR, message="The client has left")
                return await anyio.to_thread.run_sync(call)
        except ProtocolError as error:
            raise MCPError(code=error.rpc_code, message=error.message, data=error.data) from error

    async def _watch(self, ctx: ServerRequestContext[Any], call_next: CallNext) -> HandlerResult:
        """Tells the dispatch core of what does not get there: the SDK refuses unknown methods and params
        of a wrong shape by itself."""
        start = perf_counter()
        params = _with_header(ctx, ctx.params)
        _ID_NOW.set(correlation.given_id(params) or "")
        if ctx.request is not None:
            CALLER.set(client_of(ctx.request.scope))
        try:
            return await call_next(ctx)
        except (MCPError, ValidationError) as error:
            is_told = ctx.method in _PARAMS and isinstance(error.__cause__, ProtocolError)
            if ctx.request_id is not None and not is_told:
                code = error.code if isinstance(error, MCPError) else revisions.INVALID_PARAMS
                self._dispatcher.refused(ctx.method, params, code, perf_counter() - start)
            raise

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
                "_meta": {correlation.KEY: _ID_NOW.get("")},
            },
            revisions.NEWEST_HANDSHAKE,
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


_ID_NOW: ContextVar[str] = ContextVar("_ID_NOW")
"""The correlation id of the request that is being answered: the SDK asks for the answer to `initialize`
without saying who asked."""


def _with_header(
    context: ServerRequestContext[Any], params: Mapping[str, Any] | None
) -> dict[str, Any]:
    """`params` with the correlation id of the HTTP request, unless the message brings its own."""
    given = (params or {}).get("_meta")
    meta = dict(given) if isinstance(given, Mapping) else {}
    if context.request is not None:
        meta = {correlation.HEADER: context.request.headers.get(correlation.HEADER), **meta}
    return {**(params or {}), "_meta": meta}


class Subscriptions:
    """The streams on which stateless clients are told of changed lists and resources."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        changes.listen(self._tell)
        self._listeners: dict[object, Callable[[ServerEvent], None]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._handler = ListenHandler(self)

    async def serve(
        self, context: ServerRequestContext[Any], params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """One stream. Updates are granted of resources that are there."""
        wanted = params.notifications.resource_subscriptions or []
        run = anyio.to_thread.run_sync  # for what reads records
        try:
            check_number(wanted)
            addresses = await run(self._changes.known, wanted)
            with anyio.CancelScope(shield=True):  # a client that leaves now leaves nothing watched
                await run(self._changes.watch, addresses)
        except ProtocolError as error:
            raise MCPError(code=error.rpc_code, message=error.message) from error
        try:
            update = {"resource_subscriptions": addresses or None}
            granted = params.notifications.model_copy(update=update)
            return await self._handler(
                context, params.model_copy(update={"notifications": granted})
            )
        finally:
            with anyio.CancelScope(shield=True):
                await run(self._changes.unwatch, addresses)

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """What the SDK's handler asks of a bus: called on the event loop, for each stream."""
        self._loop = asyncio.get_running_loop()
        key = object()
        self._listeners[key] = listener
        return lambda: self._listeners.pop(key, None) and None

    async def publish(self, event: ServerEvent) -> None:
        """The other thing that the SDK asks of a bus."""
        for listener in list(self._listeners.values()):
            listener(event)

    def _tell(self, kinds: Sequence[str], updated: Collection[str]) -> None:
        """Tells all streams what has changed; from any thread."""
        loop = self._loop
        if loop is None or loop.is_closed():
            return
        for event in (*map(_EVENTS.__getitem__, kinds), *map(ResourceUpdated, updated)):
            asyncio.run_coroutine_threadsafe(self.publish(event), loop)

    def close(self) -> None:
        """Ends all streams, as the protocol has it; called on the event loop's thread."""
        self._handler.close()


_EVENTS: dict[str, ServerEvent] = {
    "tools": ToolsListChanged(),
    "prompts": PromptsListChanged(),
    "resources": ResourcesListChanged(),
}


class _UntilStopped(uvicorn.Server):
    """Ends open streams when it is told to stop: they would not end by themselves."""

    def __init__(self, config: uvicorn.Config, subscriptions: Subscriptions | None) -> None:
        super().__init__(config)
        self._subscriptions = subscriptions

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        if self._subscriptions is not None:
            self._subscriptions.close()


class _Verifier:
    """What the SDK asks who sent a token."""

    def __init__(self, access: Access, scopes: list[str]) -> None:
        self._access = access
        self._scopes = scopes

    async def verify_token(self, token: str) -> AccessToken | None:
        caller = await anyio.to_thread.run_sync(self._access.caller, token)
        if caller is None:
            return None
        oauth = self._access.oauth
        return AccessToken(
            token=token,
            client_id=caller.name,
            scopes=list(caller.scopes) if oauth else self._scopes,
            expires_at=caller.expires_at,
            resource=oauth.resource if oauth else None,
        )


def build_app(
    dispatcher: Dispatcher,
    settings: HttpSettings,
    access: Access,
    subscriptions: Subscriptions | None = None,
    metrics: Metrics | None = None,
) -> Starlette:
    """The ASGI application: `/mcp`, `/healthz` for whoever watches the process, and with `metrics`
    `/metrics` for whoever may ask `/mcp`. With `json_log` requests that are refused are written down. The
    applications in `mounts`, by their paths, check by themselves who asks.

    Requests must name a loopback host, `host` or one of `allowed_hosts` (`name` or `name:port`); an
    Origin header, which only browsers send, must be a loopback one or one of `allowed_origins`.
    """

    async def health(_: Request) -> JSONResponse:
        return JSONResponse({"status": "ok", "build": dispatcher.answers.build_id})

    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    names = [*LOOPBACK, host, *settings.allowed_hosts]
    scopes = list(access.oauth.scopes) if access.oauth else [SCOPE]
    auth = None if access.is_open else _authentication(access.oauth, scopes)
    routes = [Route("/healthz", health, methods=["GET"])]
    if metrics is not None:
        guarded: ASGIApp = _Scrape(metrics)
        if auth is not None:
            guarded = RequireAuthMiddleware(guarded, scopes)
        routes.append(Route("/metrics", guarded, methods=["GET"]))
    app = DispatchServer(dispatcher, subscriptions).streamable_http_app(
        stateless_http=True,
        json_response=True,
        max_request_body_size=settings.max_body,
        # `NamedHosts` checks both headers: the SDK takes everything after a colon for a port.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        auth=auth,
        token_verifier=None if auth is None else _Verifier(access, scopes),
        custom_starlette_routes=routes,
    )
    # Behind authentication, as is the next: bodies of strangers are not read at all.
    app.user_middleware.append(Middleware(LimitedBodies, _LARGEST_BODIES * settings.max_body))
    app.user_middleware.append(Middleware(RefusedMessages))
    if settings.rate_limit is not None:
        limiter = RateLimiter(settings.rate_limit)
        app.user_middleware.append(Middleware(LimitedRequests, limiter))
    app.add_middleware(PostOnly)
    app.add_middleware(NamedHosts, hosts=names, origins=settings.allowed_origins)
    app.add_middleware(AnsweredWhenStopped)
    accepts = None if access.is_open else access.accepts
    app.routes.extend(Mount(path, make(accepts)) for path, make in settings.mounts.items())
    if metrics is not None or settings.json_log:
        app.add_middleware(ObservedRequests, metrics, logs=settings.json_log)
    app.add_middleware(CorrelationHeader)
    # Outermost: a preflight has no token, and a page must see that it was refused, and why.
    app.add_middleware(
        CORSMiddleware,
        allow_origins=settings.allowed_origins,
        allow_origin_regex=LOOPBACK_ORIGIN,
        allow_methods=["GET", "POST"],
        allow_headers=["*"],
        expose_headers=EXPOSED,
        max_age=PREFLIGHT_LASTS_S,
    )
    return app


def _authentication(oauth: OAuth | None, scopes: list[str]) -> AuthSettings:
    """How the SDK checks tokens, and what it tells clients about where to get one."""
    # From strings, which keep an address without a path as it is: clients compare issuers exactly.
    return AuthSettings.model_validate(
        {
            "issuer_url": oauth.issuer if oauth else "http://127.0.0.1",
            "resource_server_url": oauth.resource if oauth else None,
            "validate_token_resource": oauth is not None,
            "required_scopes": scopes,
        }
    )


class _Scrape:
    """`/metrics`."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        text, content_type = await anyio.to_thread.run_sync(self._metrics.text)
        response = Response(text, headers={"content-type": content_type})
        await response(scope, receive, send)


def serve_http(
    dispatcher: Dispatcher,
    listener: Listener,
    settings: HttpSettings,
    access: Access,
    changes: Changes | None = None,
    metrics: Metrics | None = None,
) -> None:
    """Serves until one of `terminations`. What libraries log becomes a part of the log with `json_log`."""
    subscriptions = None if changes is None else Subscriptions(changes)
    if settings.json_log:
        log.take_over_logging()
    config = uvicorn.Config(
        build_app(dispatcher, settings, access, subscriptions, metrics),
        http=bounded(limits_for_this_process()),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # whoever connects could name any address, and get a rate of its own
        backlog=_TAKEN_AT_ONCE,
        timeout_graceful_shutdown=_SHUTDOWN_S,
    )
    server = _UntilStopped(config, subscriptions)
    # From before uvicorn has handlers, so that no signal is lost, until after: it raises the signal that
    # stopped it once more when it has done its work.
    for number in terminations():
        signal.signal(number, server.handle_exit)
    server.run(sockets=[listener])
