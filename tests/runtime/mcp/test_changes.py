"""Clients learn that a list has changed, on both transports, without asking."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from kb_runtime.live import LiveArtifact
from kb_runtime.mcp.changes import Changes
from kb_runtime.mcp.dispatch import Dispatcher

ROOT = Path(__file__).parents[3]
OTHER_PAGE = [
    {
        "id": "docs/sails.md",
        "title": "Sails",
        "path": "docs/sails.md",
        "text": "# Sails\n",
        "content": "# Sails\n",
        "format": "markdown",
        "group": "core",
        "filename": "sails.md",
        "sections": [],
    }
]
WAIT_S = 20


@pytest.fixture
def environment() -> dict[str, str]:
    paths = os.pathsep.join((str(ROOT / "compiler"), str(ROOT / "runtime")))
    return {**os.environ, "PYTHONPATH": paths}


def test_only_what_has_changed_is_told(corpus: Any) -> None:
    live = LiveArtifact(corpus.path)
    told: list[Sequence[str]] = []
    Changes(live, Dispatcher(live)).listen(told.append)
    corpus.publish("2")
    live.follow()
    assert told == []  # another version of the same records
    corpus.publish("3", docs=OTHER_PAGE)
    live.follow()
    assert told == [["resources"]]
    corpus.publish("4", docs=[])
    live.follow()
    assert told[1:] == [["tools", "resources"]]
    live.follow()
    assert len(told) == 2
    live.close()


def test_a_build_that_is_served_for_good_promises_nothing(corpus: Any) -> None:
    build = corpus.path / (corpus.path / "CURRENT").read_text().strip()
    assert not LiveArtifact(build).can_change
    assert LiveArtifact(corpus.path).can_change


def stdio(corpus: Any, environment: dict[str, str], log: Any) -> AbstractAsyncContextManager[Any]:
    arguments = ["-m", "kb_runtime", str(corpus.path)]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=environment)
    return stdio_client(server, log)


def test_a_client_of_the_handshake_is_told_on_stdio(
    corpus: Any, environment: dict[str, str], tmp_path: Path
) -> None:
    async def converse() -> None:
        heard: set[str] = set()
        both = anyio.Event()

        async def hear(message: Any) -> None:
            root = getattr(message, "root", message)
            if isinstance(
                root, (types.ToolListChangedNotification, types.ResourceListChangedNotification)
            ):
                heard.add(root.method)
                if len(heard) == 2:
                    both.set()

        with (tmp_path / "log").open("w") as log:
            transport = stdio(corpus, environment, log)
            async with Client(transport, mode="legacy", message_handler=hear) as client:
                capabilities = client.server_capabilities
                assert capabilities.tools is not None
                assert capabilities.tools.list_changed
                assert capabilities.resources is not None
                assert capabilities.resources.list_changed
                assert not capabilities.resources.subscribe
                corpus.publish("2", docs=[])
                with anyio.fail_after(WAIT_S):
                    await both.wait()
                names = {tool.name for tool in (await client.list_tools()).tools}
                assert "small_get_doc" not in names

    anyio.run(converse)


async def listen(client: Client, corpus: Any) -> None:
    """Subscribes, publishes, and hears of what was asked for."""
    capabilities = client.server_capabilities
    assert capabilities.tools is not None
    assert capabilities.tools.list_changed
    with anyio.fail_after(WAIT_S):
        async with client.listen(
            resources_list_changed=True, resource_subscriptions=["kb://small/docs/x"]
        ) as subscription:
            assert subscription.honored.resources_list_changed
            assert not subscription.honored.resource_subscriptions
            corpus.publish("2", docs=OTHER_PAGE)
            async for event in subscription:
                assert type(event).__name__ == "ResourcesListChanged"
                break
        uris = set()
        page = await client.list_resources()
        while True:
            uris |= {str(each.uri) for each in page.resources}
            if page.next_cursor is None:
                break
            page = await client.list_resources(cursor=page.next_cursor)
        assert "kb://small/docs/docs%2Fsails.md" in uris


def test_a_stateless_client_can_subscribe_on_stdio(
    corpus: Any, environment: dict[str, str], tmp_path: Path
) -> None:
    async def converse() -> None:
        with (tmp_path / "log").open("w") as log:
            async with Client(stdio(corpus, environment, log), mode="auto") as client:
                await listen(client, corpus)

    anyio.run(converse)


@pytest.fixture
def http(corpus: Any, environment: dict[str, str]) -> Iterator[tuple[Any, str]]:
    arguments = [sys.executable, "-m", "kb_runtime", str(corpus.path), "--http", "--port", "0"]
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if b"listening on " in line:
                yield process, line.decode().split("listening on ")[1].strip()
                break
        process.kill()


def test_a_stateless_client_can_subscribe_on_http(corpus: Any, http: tuple[Any, str]) -> None:
    async def converse() -> None:
        async with Client(http[1], mode="auto") as client:
            await listen(client, corpus)

    anyio.run(converse)


def test_a_server_that_stops_ends_the_streams(corpus: Any, http: tuple[Any, str]) -> None:
    process, url = http

    async def converse() -> None:
        async with Client(url, mode="auto") as client:
            with anyio.fail_after(WAIT_S):
                async with client.listen(tools_list_changed=True) as subscription:
                    process.terminate()
                    async for _ in subscription:
                        raise AssertionError("nothing has changed")

    anyio.run(converse)


def test_a_client_of_the_handshake_is_promised_nothing_on_http(http: tuple[Any, str]) -> None:
    async def converse() -> None:
        async with Client(http[1], mode="legacy") as client:
            capabilities = client.server_capabilities
            assert capabilities.tools is not None
            assert not capabilities.tools.list_changed

    anyio.run(converse)
