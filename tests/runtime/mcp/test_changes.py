"""Clients learn that a list has changed, on both transports, without asking."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from tests.waiting import PATIENCE_S

from kb_runtime.errors import ProtocolError
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp import revisions
from kb_runtime.mcp.changes import Changes
from kb_runtime.mcp.dispatch import Dispatcher

ROOT = Path(__file__).parents[3]
OP = "kb://small/builtins/op{}"
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
NEWS = (
    types.ToolListChangedNotification,
    types.ResourceListChangedNotification,
    types.ResourceUpdatedNotification,
)


@pytest.fixture
def environment() -> dict[str, str]:
    paths = os.pathsep.join((str(ROOT / "compiler"), str(ROOT / "runtime")))
    return {**os.environ, "PYTHONPATH": paths}


def test_only_what_has_changed_is_told(corpus: Any) -> None:
    live = LiveArtifact(corpus.path)
    told: list[Sequence[str]] = []
    Changes(live, Dispatcher(live)).listen(lambda kinds, _: told.append(kinds))
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


def edited(corpus: Any, *numbers: int) -> list[dict[str, Any]]:
    """The builtins, some of them with another text."""
    return [
        {**record, "text": "## New\n"} if number in numbers else dict(record)
        for number, record in enumerate(corpus.records["builtins"])
    ]


def test_updates_are_told_of_watched_resources_whose_text_has_changed(corpus: Any) -> None:
    live = LiveArtifact(corpus.path)
    changes = Changes(live, Dispatcher(live))
    told: list[Collection[str]] = []
    changes.listen(lambda _, updated: told.append(updated))
    changes.watch([OP.format(1), OP.format(2), OP.format(3)])
    changes.watch([OP.format(1)])
    corpus.publish("2", builtins=edited(corpus, 1, 4))
    live.follow()
    assert told.pop() == [OP.format(1)]
    corpus.publish("3", builtins=edited(corpus, 1, 4), docs=OTHER_PAGE)
    live.follow()
    assert told.pop() == []
    changes.unwatch([OP.format(1), OP.format(3)])
    corpus.publish("4", builtins=edited(corpus, 3)[:-1])
    live.follow()
    assert told.pop() == [OP.format(1)]  # its first watcher is left; it has its old text again
    corpus.publish("5", builtins=[])
    live.follow()
    assert told.pop() == [OP.format(1), OP.format(2)]  # gone, which is a change
    changes.unwatch([OP.format(1), OP.format(2)])
    corpus.publish("6")
    live.follow()
    assert told.pop() == []
    live.close()


def test_a_version_that_appears_while_two_are_compared_is_told_after_them(
    corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = LiveArtifact(corpus.path)
    dispatcher = Dispatcher(live)
    changes = Changes(live, dispatcher)
    told: list[Collection[str]] = []
    changes.listen(lambda _, updated: told.append(updated))
    changes.watch([OP.format(1)])
    read, later = dispatcher.answers_for, iter(["3"])

    def publishes_meanwhile(knowledge: Any) -> Any:
        for version in later:
            corpus.publish(version, builtins=edited(corpus, 1))
        return read(knowledge)

    corpus.publish("2", docs=OTHER_PAGE)
    monkeypatch.setattr(dispatcher, "answers_for", publishes_meanwhile)
    live.follow()
    assert told == [[]]
    live.follow()
    assert told == [[], [OP.format(1)]]
    live.close()


def test_a_server_watches_so_many_resources_and_no_more(
    corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb_runtime.mcp.changes.MAX_WATCHED", 2)
    live = LiveArtifact(corpus.path)
    changes = Changes(live, Dispatcher(live))
    changes.watch([OP.format(1), OP.format(2)])
    changes.watch([OP.format(1)])
    with pytest.raises(ProtocolError):
        changes.watch([OP.format(2), OP.format(3)])
    changes.unwatch([OP.format(2)])  # the refused call has not watched it once more
    changes.watch([OP.format(3)])
    live.close()


def test_a_build_that_is_served_for_good_promises_nothing(corpus: Any) -> None:
    build = corpus.path / (corpus.path / "CURRENT").read_text().strip()
    assert not LiveArtifact(build).can_change
    assert LiveArtifact(corpus.path).can_change


def stdio(corpus: Any, environment: dict[str, str], log: Any) -> AbstractAsyncContextManager[Any]:
    arguments = ["-m", "kb_runtime", str(corpus.path), "--tools", "all"]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=environment)
    return stdio_client(server, log)


@pytest.mark.filterwarnings("ignore:resources/.*subscribe is removed")
def test_a_client_of_the_handshake_is_told_on_stdio(
    corpus: Any, environment: dict[str, str], tmp_path: Path
) -> None:
    async def converse() -> None:
        heard: set[str] = set()
        all_of_them = anyio.Event()

        async def hear(message: Any) -> None:
            root = getattr(message, "root", message)
            if isinstance(root, NEWS):
                heard.add(root.method)
                if isinstance(root, types.ResourceUpdatedNotification):
                    assert str(root.params.uri) == OP.format(7)
                if len(heard) == len(NEWS):
                    all_of_them.set()

        with (tmp_path / "log").open("w") as log:
            transport = stdio(corpus, environment, log)
            async with Client(transport, mode="legacy", message_handler=hear) as client:
                capabilities = client.server_capabilities
                assert capabilities.tools is not None
                assert capabilities.tools.list_changed
                assert capabilities.resources is not None
                assert capabilities.resources.list_changed
                assert capabilities.resources.subscribe
                await client.session.subscribe_resource(OP.format(7))
                await client.session.subscribe_resource(OP.format(8))
                await client.session.unsubscribe_resource(OP.format(8))
                with pytest.raises(MCPError) as refused:
                    await client.session.subscribe_resource(OP.format("-none"))
                assert refused.value.error.code == revisions.RESOURCE_NOT_FOUND
                corpus.publish("2", docs=[], builtins=edited(corpus, 7, 8, 9))
                with anyio.fail_after(PATIENCE_S):
                    await all_of_them.wait()
                names = {tool.name for tool in (await client.list_tools()).tools}
                assert "small_get_doc" not in names

    anyio.run(converse)


async def listen(client: Client, corpus: Any) -> None:
    """Subscribes, publishes, and hears of what was asked for."""
    capabilities = client.server_capabilities
    assert capabilities.tools is not None
    assert capabilities.tools.list_changed
    assert capabilities.resources is not None
    assert capabilities.resources.subscribe
    with anyio.fail_after(PATIENCE_S):
        async with client.listen(
            resources_list_changed=True,
            resource_subscriptions=[OP.format(7), OP.format(8), "kb://small/docs/x"],
        ) as subscription:
            assert subscription.honored.resources_list_changed
            assert subscription.honored.resource_subscriptions == [OP.format(7), OP.format(8)]
            corpus.publish("2", docs=OTHER_PAGE, builtins=edited(corpus, 7, 9))
            heard = set()
            async for event in subscription:
                heard.add((type(event).__name__, getattr(event, "uri", "")))
                if len(heard) == 2:
                    break
            assert heard == {("ResourcesListChanged", ""), ("ResourceUpdated", OP.format(7))}
        uris = set()
        page = await client.list_resources()
        while True:
            uris |= {str(each.uri) for each in page.resources}
            if page.next_cursor is None:
                break
            page = await client.list_resources(cursor=page.next_cursor)
        assert "kb://small/docs/docs/sails.md" in uris


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
            with anyio.fail_after(PATIENCE_S):
                async with client.listen(tools_list_changed=True) as subscription:
                    process.terminate()
                    async for _ in subscription:
                        raise AssertionError("nothing has changed")

    anyio.run(converse)


@pytest.mark.filterwarnings("ignore:resources/subscribe is removed")
def test_a_client_of_the_handshake_is_promised_nothing_on_http(http: tuple[Any, str]) -> None:
    async def converse() -> None:
        async with Client(http[1], mode="legacy") as client:
            capabilities = client.server_capabilities
            assert capabilities.tools is not None
            assert not capabilities.tools.list_changed
            assert capabilities.resources is not None
            assert not capabilities.resources.subscribe
            with pytest.raises(MCPError) as refused:
                await client.session.subscribe_resource(OP.format(1))
            assert refused.value.error.code == revisions.METHOD_NOT_FOUND

    anyio.run(converse)
