"""The ASGI application: routes, the headers of every answer, who may ask, and pages for errors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import kb_runtime as kr
from kb_runtime.explorer import health, map_page, quality, record, search, tools, versions
from kb_runtime.explorer.visit import HERE, Explorer, Visit, templates

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
COOKIE = "kbc-explorer"
_STATIC_S = 3600
_LONGEST_FORM = 65_536

Page = Callable[[Visit], Response]
Accepts = Callable[[str], bool]


def build_app(explorer: Explorer, allowed_hosts: tuple[str, ...] = ()) -> ASGIApp:
    """The pages, at the root or wherever they are mounted. Requests must name a loopback host or one of
    `allowed_hosts`: otherwise any web page could read them by rebinding its own name. `*` is any host."""
    views: dict[str, Page] = {
        "/": search.page,
        "/record": record.page,
        "/record/links": record.links_part,
        "/record/chunk": record.chunk_part,
        "/map": map_page.page,
        "/map/points": map_page.points,
        "/map/query": map_page.query,
        "/map/point": map_page.point,
        "/map/facts": map_page.facts_part,
        "/quality": quality.page,
        "/health": health.page,
        "/health/texts": health.texts_part,
        "/tools": tools.page,
        "/tools/{name}": tools.page,
        "/versions": versions.page,
        "/versions/record": versions.record_page,
    }
    static = StaticFiles(directory=os.path.join(HERE, "static"))
    routes = [
        *(Route(path, _endpoint(explorer, page), methods=["GET"]) for path, page in views.items()),
        Route("/label", _endpoint(explorer, quality.label), methods=["POST"]),
        Route("/state", _state(explorer), methods=["GET"]),
        Route("/login", _login(explorer), methods=["GET", "POST"]),
        Mount("/static", static),
    ]
    return Starlette(
        routes=routes,
        middleware=[
            Middleware(SafeHeaders),
            Middleware(RequestGuard, explorer.accepts, allowed_hosts),
            Middleware(GZipMiddleware, minimum_size=1000),
        ],
        exception_handlers={HTTPException: _http_error(explorer)},  # type: ignore[dict-item]
    )


def _endpoint(explorer: Explorer, page: Page) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        if request.method == "POST":
            request.state.form = await _form(request)
        return await run_in_threadpool(answer, explorer, request, page)

    return endpoint


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form, each once. What is longer than a form of ours is none, nor is half of one."""
    body = b""
    try:
        async for block in request.stream():
            body += block
            if len(body) > _LONGEST_FORM:
                return {}
    except ClientDisconnect:
        return {}
    return dict(parse_qsl(body.decode("utf-8", "replace")))


def answer(explorer: Explorer, request: Request, page: Page) -> Response:
    place = explorer.bases.at(request.query_params.get("kb", ""))
    try:
        with explorer.bases.all[place].use() as opened:
            visit = Visit(explorer, request, place, opened)
            try:
                return page(visit)
            except kr.ToolError as error:
                status = 404 if error.kind == "NOT_FOUND" else 400
                title = "Not found" if status == 404 else "That did not work"
                return _error_page(visit, status, title, str(error), error.suggestions)
            except IndexError:
                message = "There is no such chunk in this build."
                return _error_page(visit, 404, "Not found", message)
    except kr.KbcError as error:
        broken = templates().get_template("broken.html")
        told = {"message": str(error), "hint": error.hint, "code": error.code}
        return HTMLResponse(broken.render(root=request.scope.get("root_path", ""), **told), 503)


def _error_page(
    visit: Visit, status: int, title: str, message: str, suggestions: Iterable[str] = ()
) -> Response:
    listed = [(name, visit.record_url(name)) for name in suggestions]
    return visit.render(
        "error.html", status=status, title=title, message=message, suggestions=listed
    )


def _http_error(explorer: Explorer) -> Callable[[Request, HTTPException], Any]:
    async def handler(request: Request, error: HTTPException) -> Response:
        def page(visit: Visit) -> Response:
            message = "There is no page at this address."
            return _error_page(visit, error.status_code, error.detail, message)

        if error.status_code != 404 or request.url.path.startswith("/static"):
            return PlainTextResponse(error.detail, error.status_code)
        return await run_in_threadpool(answer, explorer, request, page)

    return handler


def _state(explorer: Explorer) -> Callable[[Request], Response]:
    def state(_: Request) -> Response:
        try:
            return PlainTextResponse(explorer.bases.state())
        except kr.KbcError as error:
            return PlainTextResponse(error.code, 503)

    return state


def _login(explorer: Explorer) -> Callable[[Request], Any]:
    async def login(request: Request) -> Response:
        root = request.scope.get("root_path", "")
        wrong = False
        if request.method == "POST":
            given = (await _form(request)).get("token", "").strip()
            if await run_in_threadpool(_accepted, explorer.accepts, given):
                # Below root, whatever it is.
                wanted = request.query_params.get("to", "").lstrip("/\\")
                response = RedirectResponse(f"{root}/{wanted}", 303)
                response.set_cookie(
                    COOKIE,
                    quote(given, safe=""),
                    path=root or "/",
                    httponly=True,
                    samesite="strict",
                    secure=request.url.scheme == "https",
                )
                return response
            wrong = True
        html = templates().get_template("login.html").render(root=root, wrong=wrong)
        return HTMLResponse(html, 401 if wrong else 200)

    return login


def _accepted(accepts: Accepts | None, token: str) -> bool:
    return accepts is None or (bool(token) and accepts(token))


class SafeHeaders:
    """Puts the policy and its kin on every answer. Pages are not kept: a build may replace them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_static = "/static/" in scope.get("path", "")

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                cached = is_static and message["status"] in (200, 304)
                headers["cache-control"] = f"private, max-age={_STATIC_S}" if cached else "no-store"
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)


class RequestGuard:
    """Refuses foreign hosts, requests that other sites make, and whoever has not shown the token."""

    def __init__(
        self, app: ASGIApp, accepts: Accepts | None, allowed_hosts: tuple[str, ...]
    ) -> None:
        self._app = app
        self._accepts = accepts
        self._hosts = {"127.0.0.1", "localhost", "::1", *allowed_hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = await run_in_threadpool(self._refusal, scope, headers)
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await refusal(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        host = headers.get("host", "")
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            name = ""
        if "*" not in self._hosts and name not in self._hosts and host not in self._hosts:
            return PlainTextResponse("This host name is not served here.", 421)
        if scope["method"] not in ("GET", "HEAD") and not _is_own(headers, host):
            return PlainTextResponse("Another site may not do this.", 403)
        if self._accepts is not None and not self._may_pass(scope, headers):
            if "text/html" in headers.get("accept", ""):
                root = scope.get("root_path", "")
                query = scope["query_string"].decode("latin-1")
                wanted = quote(scope["path"].removeprefix(root)) + f"?{query}" * bool(query)
                to = f"?to={quote(wanted)}" if wanted != "/" else ""
                return RedirectResponse(f"{root}/login{to}", 303)
            return PlainTextResponse(
                "The token is missing.", 401, headers={"www-authenticate": "Bearer"}
            )
        return None

    def _may_pass(self, scope: Scope, headers: Headers) -> bool:
        path = str(scope["path"]).removeprefix(scope.get("root_path", ""))
        if path == "/login" or path.startswith("/static/"):
            return True
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return _accepted(self._accepts, given.strip())
        return _accepted(self._accepts, unquote(Request(scope).cookies.get(COOKIE, "")))


def _is_own(headers: Headers, host: str) -> bool:
    """Whether a page of this server sent the request: browsers say so in two headers."""
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return False
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2] == host
