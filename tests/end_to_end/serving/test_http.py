"""A real HTTP server over a real artifact: the SDK's client, and what it must refuse."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.waiting import PATIENCE_S

from kb_runtime.http.app import build_app
from kb_runtime.http.tokens import Access
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp import revisions
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.options.http import HttpSettings

TOKEN = "correct-horse-battery-staple"
LIMIT = 100_000
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


def address_of(process: subprocess.Popen[bytes]) -> str:
    """Where the server says that it listens."""
    assert process.stderr is not None
    line = process.stderr.readline().decode()
    assert "listening on " in line, line
    return line.split("listening on ")[1].strip()


@pytest.fixture
def url(quint_artifact: Path, start_server: Callable[..., Any]) -> str:
    return address_of(
        start_server(quint_artifact, "--http", "--port", "0", "--max-body", str(LIMIT))
    )


@pytest.fixture
def guarded(quint_artifact: Path, start_server: Callable[..., Any], tmp_path: Path) -> str:
    """The address of a server that wants a token."""
    file = tmp_path / "token"
    file.write_text(TOKEN + "\n")
    return address_of(
        start_server(quint_artifact, "--http", "--port", "0", "--token-file", str(file))
    )


def post(url: str, body: Any = PING, **headers: str) -> httpx2.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if isinstance(body, bytes):
        return httpx2.post(url, content=body, headers={**ACCEPT, **named}, timeout=PATIENCE_S)
    return httpx2.post(url, json=body, headers={**ACCEPT, **named}, timeout=PATIENCE_S)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdk_client_gets_right_answers(url: str, mode: Any) -> None:
    async def converse() -> None:
        async with Client(url, mode=mode) as client:
            assert client.instructions is not None
            assert len((await client.list_tools()).tools) > 5
            builtin = await client.call_tool("quint_get_builtin", {"name": "mapBy"})
            assert builtin.structured_content["name"] == "mapBy"
            found = await client.call_tool("quint_hybrid_search", {"query": "temporl"})
            assert found.structured_content["results"]
            missing = await client.call_tool("quint_get_builtin", {"name": "mapByy"})
            assert missing.is_error
            page = await client.list_resources()
            assert page.next_cursor

    anyio.run(converse)


def test_many_calls_at_once_are_all_answered(url: str) -> None:
    async def converse() -> None:
        async with Client(url) as client, anyio.create_task_group() as tasks:
            found: list[str] = []

            async def search(number: int) -> None:
                query = {"query": f"map {number}"}
                result = await client.call_tool("quint_hybrid_search", query)
                found.append(result.structured_content["query"])

            for number in range(24):
                tasks.start_soon(search, number)
        assert sorted(found) == sorted(f"map {number}" for number in range(24))

    anyio.run(converse)


def test_hosts_and_origins_that_were_not_allowed_are_refused(url: str) -> None:
    assert post(url).status_code == 200
    assert post(url, host="evil.example").status_code == 421
    assert post(url, host="127.0.0.1.evil.example").status_code == 421
    assert post(url, origin="http://evil.example").status_code == 403
    assert post(url, origin="http://localhost:3000").status_code == 200


def test_allowed_hosts_and_origins_pass(
    quint_artifact: Path, start_server: Callable[..., Any]
) -> None:
    options = ("--allow-host", "kb.example", "--allow-origin", "https://app.example")
    url = address_of(start_server(quint_artifact, "--http", "--port", "0", *options))
    assert post(url, host="kb.example:8443").status_code == 200
    assert post(url, host="kb.example").status_code == 200
    assert post(url, origin="https://app.example").status_code == 200
    assert post(url, origin="https://other.example").status_code == 403


def test_a_client_gets_no_other_rate_by_naming_another_address(
    quint_artifact: Path, start_server: Callable[..., Any]
) -> None:
    url = address_of(
        start_server(quint_artifact, "--http", "--port", "0", "--rate-limit", "2/h"),
    )
    asked = [post(url, x_forwarded_for=f"10.0.0.{each}").status_code for each in range(4)]
    assert asked == [200, 200, 429, 429]


def test_a_token_is_required_where_one_is_set(guarded: str) -> None:
    assert post(guarded).status_code == 401
    assert post(guarded, authorization="Bearer wrong").status_code == 401
    assert post(guarded, authorization=f"Bearer {TOKEN}x").status_code == 401
    assert post(guarded, authorization=f"Bearer {TOKEN}").status_code == 200
    assert httpx2.get(guarded.replace("/mcp", "/healthz"), timeout=PATIENCE_S).status_code == 200


def test_the_sdk_client_passes_the_token(guarded: str) -> None:
    async def converse() -> None:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=PATIENCE_S) as http,
            Client(streamable_http_client(guarded, http_client=http)) as client,
        ):
            assert (await client.list_tools()).tools

    anyio.run(converse)


def test_health_names_the_build(url: str, quint_artifact: Path) -> None:
    answer = httpx2.get(url.replace("/mcp", "/healthz"), timeout=PATIENCE_S).json()
    assert answer == {
        "status": "ok",
        "build": (quint_artifact / "CURRENT").read_text().strip(),
    }


def test_requests_that_are_too_large_or_malformed_are_refused(url: str) -> None:
    large = {**PING, "params": {"x": "y" * LIMIT}}
    assert post(url, large).status_code == 413
    assert post(url, b"{").status_code == 400
    assert post(url, content_type="text/plain").status_code == 400
    assert post(url).status_code == 200


def test_a_stateless_request_must_agree_with_its_headers(url: str) -> None:
    revision = revisions.STATELESS_REVISIONS[0]
    meta = {revisions.REVISION_KEY: revision, revisions.CAPABILITIES_KEY: {}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    good = post(url, body, mcp_protocol_version=revision, mcp_method="tools/list")
    assert good.json()["result"]["ttlMs"] == revisions.LIVE_TTL_MS
    assert good.json()["result"]["cacheScope"] == "public"
    bad = post(url, body, mcp_protocol_version=revision)
    assert (bad.status_code, bad.json()["error"]["code"]) == (400, -32020)


def test_what_a_token_guards_is_for_no_shared_cache(guarded: str) -> None:
    revision = revisions.STATELESS_REVISIONS[0]
    meta = {revisions.REVISION_KEY: revision, revisions.CAPABILITIES_KEY: {}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    headers = {"mcp_protocol_version": revision, "mcp_method": "tools/list"}
    answer = post(guarded, body, authorization=f"Bearer {TOKEN}", **headers)
    assert answer.json()["result"]["cacheScope"] == "private"


def test_a_legacy_call_needs_no_handshake(url: str) -> None:
    params = {"name": "quint_list_builtins", "arguments": {}}
    answer = post(url, {**PING, "method": "tools/call", "params": params}).json()
    found = answer["result"]["structuredContent"]
    assert found["total"] == len(found["builtins"]) > 70


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_server_quietly(
    quint_artifact: Path, start_server: Callable[..., Any], number: signal.Signals
) -> None:
    process = start_server(quint_artifact, "--http", "--port", "0")
    post(address_of(process))
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out, err) == (0, b"", b"")


def test_a_taken_port_is_told_in_one_sentence(
    url: str, quint_artifact: Path, start_server: Callable[..., Any]
) -> None:
    port = url.removesuffix("/mcp").rsplit(":", 1)[1]
    process = start_server(quint_artifact, "--http", "--port", port)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert f"cannot listen on 127.0.0.1 port {port}: another process listens there" in err.decode()
    assert err.count(b"\n") == 1


@pytest.mark.parametrize(
    "content", ["", "# no token\n", "ümlaut", "a b c", "first\nsecond", "a x\nb x", "a x\na y"]
)
def test_a_token_file_without_a_token_is_refused(
    quint_artifact: Path, start_server: Callable[..., Any], tmp_path: Path, content: str
) -> None:
    file = tmp_path / "token"
    file.write_text(content, encoding="utf-8")
    process = start_server(quint_artifact, "--http", "--token-file", str(file))
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert b"--token-file" in err


def test_a_defect_in_a_tool_leaks_nothing(
    quint_artifact: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def explode(*_: Any) -> None:
        raise RuntimeError("secret of /etc/shadow")

    monkeypatch.setattr(Artifact, "catalog", explode)
    live = LiveArtifact(quint_artifact)
    settings = HttpSettings()
    settings.max_body = LIMIT
    app = build_app(Dispatcher(live), settings, Access([]))

    async def converse() -> str:
        async with app.router.lifespan_context(app):
            transport = httpx2.ASGITransport(app=app)
            async with httpx2.AsyncClient(transport=transport, timeout=PATIENCE_S) as http:
                params = {"name": "quint_list_builtins"}
                answer = await http.post(
                    "http://127.0.0.1/mcp",
                    json={**PING, "method": "tools/call", "params": params},
                    headers=ACCEPT,
                )
                return answer.text

    text = anyio.run(converse)
    live.close()
    assert '"INTERNAL"' in text
    for leak in ("secret", "/etc", "Traceback", "RuntimeError"):
        assert leak not in text
    assert "secret of /etc/shadow" in capsys.readouterr().err
