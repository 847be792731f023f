"""The application as browsers and OAuth clients meet it: preflights, methods, discovery, limits, names in
the log. In one process, over a real dispatch core."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from starlette.applications import Starlette

from kb_runtime import log
from kb_runtime.http.app import _CALLS_AT_ONCE, build_app
from kb_runtime.http.tokens import Access, OAuth
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.mcp.observation import ObservedDispatcher, observe, write_log
from kb_runtime.options.http import HttpSettings, RateLimit

URL = "http://127.0.0.1/mcp"
APP = "https://app.example"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
SEARCH = {
    **PING,
    "method": "tools/call",
    "params": {"name": "demo_search_docs", "arguments": {"query": "anchor"}},
}
ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
KEY = rsa.generate_private_key(65537, 2048)
RESOURCE = "https://kb.example/mcp"
ISSUER = "https://login.example"

Client = httpx2.AsyncClient
Application = Callable[..., Starlette]


@pytest.fixture
def application(artifact: Path) -> Any:
    live = LiveArtifact(artifact)
    dispatcher = ObservedDispatcher(live)
    observe(dispatcher, write_log)

    def make(access: Access | None = None, **options: Any) -> Starlette:
        settings = HttpSettings()
        settings.allowed_origins = [APP]
        settings.max_body = 100_000
        for name, value in options.items():
            setattr(settings, name, value)
        return build_app(dispatcher, settings, access or Access([]))

    yield make
    live.close()


def converse(app: Starlette, body: Callable[[Client], Awaitable[None]]) -> None:
    async def run() -> None:
        async with app.router.lifespan_context(app):
            transport = httpx2.ASGITransport(app=app)
            async with Client(transport=transport, timeout=60) as http:
                await body(http)

    anyio.run(run)


def preflight(origin: str) -> dict[str, str]:
    return {
        "origin": origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,mcp-protocol-version",
    }


def test_a_page_of_an_allowed_origin_can_ask_and_read_answers(application: Application) -> None:
    async def body(http: Client) -> None:
        for origin in (APP, "http://localhost:5173"):
            answer = await http.options(URL, headers=preflight(origin))
            assert answer.status_code == 200
            assert answer.headers["access-control-allow-origin"] == origin
            assert "POST" in answer.headers["access-control-allow-methods"]
            assert "mcp-protocol-version" in answer.headers["access-control-allow-headers"]
            answer = await http.post(URL, json=PING, headers={**ACCEPT, "origin": origin})
            assert answer.status_code == 200
            assert answer.headers["access-control-allow-origin"] == origin
            exposed = answer.headers["access-control-expose-headers"].lower()
            assert {"x-correlation-id", "www-authenticate"} <= set(exposed.split(", "))

    converse(application(), body)


def test_a_preflight_needs_no_token_and_a_refusal_can_be_read(application: Application) -> None:
    async def body(http: Client) -> None:
        assert (await http.options(URL, headers=preflight(APP))).status_code == 200
        answer = await http.post(URL, json=PING, headers={**ACCEPT, "origin": APP})
        assert answer.status_code == 401
        assert answer.headers["access-control-allow-origin"] == APP

    converse(application(Access([("kb", "secret")])), body)


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://localhost.evil.example",
        "http://localhost:1.evil.example",
        "null",
    ],
)
def test_other_origins_get_no_permission(application: Application, origin: str) -> None:
    async def body(http: Client) -> None:
        answer = await http.options(URL, headers=preflight(origin))
        assert answer.status_code == 400
        assert "access-control-allow-origin" not in answer.headers

    converse(application(), body)


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD", "OPTIONS"])
def test_other_methods_are_refused_at_once(application: Application, method: str) -> None:
    async def body(http: Client) -> None:
        answer = await http.request(method, URL, headers={"accept": "text/event-stream"})
        assert answer.status_code == 405
        assert answer.headers["allow"] == "POST, OPTIONS"
        if method != "HEAD":
            assert "send JSON-RPC messages with POST" in answer.json()["error"]["message"]

    converse(application(), body)


def test_a_client_above_its_rate_is_told_when_to_come_back(application: Application) -> None:
    access = Access([("alice", "aaa"), ("bob", "bbb")])

    async def body(http: Client) -> None:
        async def ask(token: str) -> httpx2.Response:
            headers = {**ACCEPT, "origin": APP, "authorization": f"Bearer {token}"}
            return await http.post(URL, json=PING, headers=headers)

        assert [(await ask("aaa")).status_code for _ in range(3)] == [200, 200, 429]
        assert (await ask("bbb")).status_code == 200
        # Guessing tokens is counted by address.
        assert [(await ask("zzz")).status_code for _ in range(3)] == [401, 401, 429]
        refused = await ask("aaa")
        assert 0 < int(refused.headers["retry-after"]) <= 30
        assert "try again in" in refused.json()["error"]["message"]
        assert refused.headers["access-control-allow-origin"] == APP
        health = [await http.get("http://127.0.0.1/healthz") for _ in range(5)]
        assert {each.status_code for each in health} == {200}

    converse(application(access, rate_limit=RateLimit(2, 60)), body)


@pytest.mark.parametrize("waits", [False, True])
def test_few_calls_are_made_at_once_but_those_that_wait_hold_up_no_other(
    application: Application, monkeypatch: pytest.MonkeyPatch, waits: bool
) -> None:
    own = ObservedDispatcher.handle
    running: list[int] = []
    release = threading.Event()

    def handle(self: Dispatcher, method: str, params: Any, revision: str) -> dict[str, Any]:
        if method == "tools/call":
            running.append(1)
            release.wait(60)
        return own(self, method, params, revision)

    monkeypatch.setattr(ObservedDispatcher, "handle", handle)
    monkeypatch.setattr(ObservedDispatcher, "may_wait", waits)
    wanted = 10 if waits else _CALLS_AT_ONCE

    async def body(http: Client) -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(10):
                tasks.start_soon(lambda: http.post(URL, json=SEARCH, headers=ACCEPT))
            with anyio.fail_after(60):
                while len(running) < wanted:
                    await anyio.sleep(0.01)
                if waits:
                    assert (await http.post(URL, json=PING, headers=ACCEPT)).status_code == 200
            await anyio.sleep(0.1)  # in which one more would begin
            assert len(running) == wanted
            release.set()
        assert len(running) == 10

    try:
        converse(application(), body)
    finally:
        release.set()


def without_http(app: Starlette, message: Any, sent: list[Any], *then: Any) -> Awaitable[None]:
    """Asks as a server would; `then` is what comes after the body, nothing more without it."""
    waiting = [{"type": "http.request", "body": json.dumps(message).encode()}, *then]
    headers = [(b"host", b"127.0.0.1"), *((a.encode(), b.encode()) for a, b in ACCEPT.items())]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "query_string": b"",
        "headers": headers,
    }

    async def receive() -> Any:
        if not waiting:
            await anyio.sleep_forever()
        return waiting.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    return app(scope, receive, send)


@pytest.mark.parametrize("left", [True, False])
def test_nothing_is_done_for_a_client_that_has_left(
    application: Application, capsys: pytest.CaptureFixture[str], left: bool
) -> None:
    app = application()

    async def run() -> None:
        async with app.router.lifespan_context(app):
            await without_http(app, SEARCH, [], *[{"type": "http.disconnect"}] * left)

    anyio.run(run)
    (line,) = capsys.readouterr().err.splitlines()
    assert ("-32603" in line) == left


def test_what_a_stopping_server_no_longer_answers_may_be_asked_again(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()
    monkeypatch.setattr(ObservedDispatcher, "handle", lambda *_: release.wait(60) and {})
    app, sent = application(), list[Any]()

    async def run() -> None:
        async with app.router.lifespan_context(app):
            asked = asyncio.ensure_future(without_http(app, SEARCH, sent))
            await anyio.sleep(0.1)
            asked.cancel()
            await asked
            release.set()

    anyio.run(run)
    assert sent[0]["status"] == 503
    assert (b"retry-after", b"1") in sent[0]["headers"]


def test_the_log_names_who_asked(
    application: Application, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "as_json", True)
    access = Access([("alice", "tok-alice"), ("bob", "tok-bob")])

    async def body(http: Client) -> None:
        for token in ("tok-alice", "tok-bob", "zzz"):
            headers = {**ACCEPT, "authorization": f"Bearer {token}"}
            await http.post(URL, json=SEARCH, headers=headers)
        headers = {**ACCEPT, "authorization": "Bearer tok-bob"}
        await http.post(URL, json={**PING, "method": "nonsense"}, headers=headers)

    converse(application(access, json_log=True), body)
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    seen = [(each.get("client"), each.get("tool"), each.get("status")) for each in lines]
    assert seen[:3] == [
        ("alice", "demo_search_docs", None),
        ("bob", "demo_search_docs", None),
        (None, None, 401),
    ]
    assert {each[0] for each in seen[3:]} == {"bob"}
    assert "tok-alice" not in json.dumps(lines)


@pytest.fixture
def oauth(tmp_path: Path) -> Access:
    keys = {"keys": [{**json.loads(RSAAlgorithm.to_jwk(KEY.public_key())), "kid": "one"}]}
    (tmp_path / "keys.json").write_text(json.dumps(keys))
    told = OAuth(ISSUER, RESOURCE, str(tmp_path / "keys.json"), ("kb:read",))
    return Access([("legacy", "static")], told)


def bearer(**changes: Any) -> dict[str, str]:
    claims = {"iss": ISSUER, "aud": RESOURCE, "exp": int(time.time()) + 60, "scope": "kb:read"}
    made = jwt.encode({**claims, **changes}, KEY, "RS256", headers={"kid": "one"})
    return {**ACCEPT, "authorization": f"Bearer {made}"}


def test_an_oauth_client_finds_the_authorization_server(
    application: Application, oauth: Access
) -> None:
    async def body(http: Client) -> None:
        refused = await http.post(URL, json=PING, headers=ACCEPT)
        assert refused.status_code == 401
        place = "/.well-known/oauth-protected-resource/mcp"
        challenge = refused.headers["www-authenticate"]
        assert f'resource_metadata="https://kb.example{place}"' in challenge
        metadata = (await http.get(f"http://127.0.0.1{place}")).json()
        assert metadata["resource"] == RESOURCE
        assert metadata["authorization_servers"] == [ISSUER]
        assert metadata["scopes_supported"] == ["kb:read"]

    converse(application(oauth), body)


def test_jwts_and_static_tokens_are_accepted_side_by_side(
    application: Application, oauth: Access
) -> None:
    async def body(http: Client) -> None:
        async def status(headers: dict[str, str]) -> int:
            return (await http.post(URL, json=PING, headers=headers)).status_code

        assert await status(bearer()) == 200
        assert await status({**ACCEPT, "authorization": "Bearer static"}) == 200
        assert await status(bearer(scope="other")) == 403
        assert await status(bearer(aud="https://other.example")) == 401
        assert await status(bearer(exp=int(time.time()) - 600)) == 401

    converse(application(oauth), body)


@pytest.mark.parametrize("given", [1.5, 1.0, None, True, [1], {"a": 1}])
def test_a_request_with_an_id_that_none_may_have_is_refused(
    application: Application, given: Any
) -> None:
    async def body(http: Client) -> None:
        answer = await http.post(URL, json={**PING, "id": given}, headers=ACCEPT)
        assert answer.status_code == 400
        assert answer.json() == {
            "jsonrpc": "2.0",
            "id": None,
            "error": {"code": -32600, "message": "The id must be a string or an integer"},
        }

    converse(application(), body)


def test_notifications_and_requests_with_other_ids_are_none_of_that(
    application: Application,
) -> None:
    notification = {"jsonrpc": "2.0", "method": "notifications/initialized"}

    async def body(http: Client) -> None:
        answer = await http.post(URL, json=notification, headers=ACCEPT)
        assert (answer.status_code, answer.content) == (202, b"")
        for given in ("", "a", 0, -1, 10**30):
            answer = await http.post(URL, json={**PING, "id": given}, headers=ACCEPT)
            assert answer.json() == {"jsonrpc": "2.0", "id": given, "result": {}}

    converse(application(), body)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ([PING], "Over HTTP each request has one message; batches are answered on stdio"),
        ("ping", "The message must be a JSON object"),
        ({"id": 7, "method": "ping"}, 'The message must say "jsonrpc": "2.0"'),
        ({**PING, "params": [1]}, "The params must be an object"),
    ],
)
def test_what_is_no_message_is_refused_as_on_stdio(
    application: Application, body: Any, told: str
) -> None:
    async def ask(http: Client) -> None:
        answer = await http.post(URL, json=body, headers=ACCEPT)
        assert answer.status_code == 400
        assert answer.json()["error"] == {"code": -32600, "message": told}
        broken = await http.post(URL, content=b"{", headers=ACCEPT)
        assert broken.json()["error"]["code"] == -32700

    converse(application(), ask)
