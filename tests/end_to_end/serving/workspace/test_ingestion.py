"""Tests that a client ingests: searchable at once and after a restart, over every transport."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from tests.end_to_end.processes import descendants, wait_until_gone
from tests.end_to_end.serving.test_http import address_of
from tests.end_to_end.serving.test_stdio import ask
from tests.end_to_end.serving.workspace.files import Serve, titles
from tests.waiting import PATIENCE_S, PAUSE_S, until

from kb_runtime.live.compiler_process import EXIT_WITH_PARENT
from kb_runtime.live.workspace import Workspace
from kb_runtime.mcp import revisions
from kb_runtime.store.location import resolve
from kb_runtime.store.locks import try_lock
from kbc.pipeline.build import BuildReport


@pytest.mark.slow
def test_ingested_tests_are_found_at_once_and_after_a_restart(
    shipped: BuildReport, serve: Serve, tmp_path: Path
) -> None:
    before = {path: path.read_bytes() for path in shipped.path.rglob("*") if path.is_file()}
    talk = serve(shipped.path.parent)
    answer = talk("ingest_tests", functional_path="new.json")
    facts = answer["structuredContent"]
    assert answer["content"][0]["text"].startswith(
        "**Ingestion Complete**\n\n- Functional Tests: 2 docs, 1 steps\n"
    )
    assert "1 test added, 1 replaced, 0 unchanged;" in answer["content"][0]["text"]
    assert facts["persisted"] is True
    assert facts["functional"] == {"docs_ingested": 2, "steps_ingested": 1}
    live = resolve(Workspace.open(tmp_path / "ws").tests.kb_folder)
    assert facts["buildId"] == Path(live).name
    for server in (talk, serve(shipped.path.parent)):
        assert titles(server.facts("search_tests", query="lantern burns at dusk"))[0] == (
            "Light the lantern at dusk"
        )
        assert server.facts("get_test_by_jira", jira_key="SEA-7")["uid"] == "N-1"
        assert server.facts("get_test_by_jira", jira_key="SEA-1")["title"] == "Lower the sail"
        assert "Hoist the sail" not in titles(server.facts("search_tests", query="hoist sail"))
        assert server.facts("check_health")["tests"] == 2
    assert {path: path.read_bytes() for path in shipped.path.rglob("*") if path.is_file()} == before


def test_the_tools_of_a_workspace_are_offered_before_it_holds_anything(
    pages: Path, serve: Serve, tree: Path
) -> None:
    talk = serve(pages, "--code", str(tree))
    listed = ask(talk.process, {"jsonrpc": "2.0", "id": 9, "method": "tools/list"})["result"]
    tools = {tool["name"]: tool for tool in listed["tools"]}
    assert tools.keys() >= {"ingest_tests", "search_tests", "codebase_retrieval", "get_file"}
    assert tools["ingest_tests"]["annotations"]["readOnlyHint"] is False
    assert tools["ingest_tests"]["annotations"]["idempotentHint"] is False
    assert "search_tests" in talk.hello["instructions"]
    assert talk.facts("search_tests", query="anything")["results"] == []
    assert talk("find_similar_tests", jira_key="SEA-1")["isError"]
    assert talk.facts("check_health")["tests"] == 0


def test_a_failed_compilation_changes_nothing_and_says_why(
    shipped: BuildReport, serve: Serve, tmp_path: Path
) -> None:
    talk = serve(shipped.path.parent)
    store = tmp_path / "ws" / "tests" / "kb" / "tests" / "tests.json"
    store.parent.mkdir(parents=True)
    store.write_text("[{")
    answer = talk("ingest_tests", functional_path="new.json")
    assert answer["isError"]
    text = answer["content"][0]["text"]
    assert text.startswith("API Error (503): the tests were not stored: ")
    assert "is damaged: it holds no tests." in text
    assert titles(talk.facts("search_tests", query="sail"))[0] == "Hoist the sail"
    assert store.read_text() == "[{"


def test_without_the_compiler_the_answer_is_how_to_get_it(
    shipped: BuildReport,
    serve: Serve,
    environment: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lacking = tmp_path / "modules"
    lacking.mkdir()
    (lacking / "markdown_it.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'markdown_it'\", name='markdown_it')\n"
    )
    monkeypatch.setitem(
        environment, "PYTHONPATH", f"{lacking}{os.pathsep}{environment['PYTHONPATH']}"
    )
    answer = serve(shipped.path.parent)("ingest_tests", functional_path="new.json")
    assert not answer["isError"]
    assert answer["content"][0]["text"].startswith("**Ingestion check**")
    assert answer["structuredContent"]["persisted"] is False
    assert answer["structuredContent"]["next"] == 'pip install "kb-compiler[compiler]"'


@pytest.mark.slow
def test_calls_that_ingest_at_the_same_time_add_all_they_bring(
    shipped: BuildReport,
    start_server: Callable[..., Any],
    data: Path,
    tmp_path: Path,
) -> None:
    for number in range(4):
        tests = [{"uid": f"P-{number}", "title": f"Port {number}", "tags": ["x"], "steps": ["Go"]}]
        (data / f"{number}.json").write_text(json.dumps(tests))

    async def counted(client: Client) -> int:
        return int((await client.call_tool("check_health", {})).structured_content["tests"])

    async def converse() -> None:
        options = ("--workspace", str(tmp_path / "ws"), "--data", str(data))
        servers = [
            address_of(start_server(shipped.path.parent, "--http", "--port", "0", *options))
            for _ in range(2)
        ]
        async with Client(servers[0]) as one, Client(servers[1]) as other:
            async with anyio.create_task_group() as calls:
                for number in range(4):
                    client = (one, other)[number % 2]
                    path = {"functional_path": f"{number}.json"}
                    calls.start_soon(client.call_tool, "ingest_tests", path)
            # While its own thread opens what the other has added, a server answers from before.
            with anyio.fail_after(PATIENCE_S):
                for client in (one, other):
                    while await counted(client) < 5:
                        await anyio.sleep(PAUSE_S)
                    assert await counted(client) == 5

    anyio.run(converse)


@contextmanager
def ingestions_wait(workspace: Path) -> Iterator[None]:
    """Holds what ingestions into a workspace take turns by."""
    folder = Path(Workspace.open(workspace).tests.folder)
    folder.mkdir(exist_ok=True)
    with (folder / ".lock").open("a") as lock:
        assert try_lock(lock.fileno())
        yield


@pytest.mark.slow
@pytest.mark.parametrize("stateless", [False, True])
def test_a_search_is_answered_while_tests_are_ingested(
    shipped: BuildReport, serve: Serve, tmp_path: Path, stateless: bool
) -> None:
    meta = {
        revisions.REVISION_KEY: revisions.STATELESS_REVISIONS[0],
        revisions.CAPABILITIES_KEY: {},
    }
    envelope = {"_meta": meta} if stateless else {}
    talk = serve(shipped.path.parent, hello=not stateless)
    with ingestions_wait(tmp_path / "ws"):
        talk.send("i", "ingest_tests", {"functional_path": "new.json"}, envelope)
        for number in range(3):
            talk.send(number, "search_tests", {"query": "sail"}, envelope)
        answers = [talk.receive() for _ in range(3)]
        assert [answer["id"] for answer in answers] == [0, 1, 2]
        for answer in answers:
            assert titles(answer["result"]["structuredContent"]) == ["Hoist the sail"]
    stored = talk.receive()
    assert stored["id"] == "i"
    assert stored["result"]["structuredContent"]["persisted"] is True
    talk.send("after", "search_tests", {"query": "lantern"}, envelope)
    found = talk.receive()["result"]["structuredContent"]
    assert titles(found)[0] == "Light the lantern at dusk"


@pytest.mark.slow
def test_a_client_that_leaves_after_its_call_gets_the_tests_stored(
    shipped: BuildReport, serve: Serve
) -> None:
    talk = serve(shipped.path.parent)
    talk.send(1, "ingest_tests", {"functional_path": "new.json"}, {})
    assert talk.process.stdin is not None
    talk.process.stdin.close()
    assert talk.receive()["result"]["structuredContent"]["persisted"] is True
    assert talk.process.wait() == 0
    assert titles(serve(shipped.path.parent).facts("search_tests", query="lantern"))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_server_that_is_told_to_stop_does_not_wait_for_an_ingestion(
    shipped: BuildReport, serve: Serve, tmp_path: Path
) -> None:
    talk = serve(shipped.path.parent)
    with ingestions_wait(tmp_path / "ws"):
        talk.send(1, "ingest_tests", {"functional_path": "new.json"}, {})
        started = until(lambda: descendants(talk.process.pid), "the compiler is started")
        talk.process.terminate()
        assert talk.process.wait() == 0
        wait_until_gone(started)
    later = serve(shipped.path.parent)
    assert later.facts("check_health")["tests"] == 1
    assert later("ingest_tests", functional_path="new.json")["structuredContent"]["persisted"]


def test_the_sdk_client_ingests_and_finds(
    shipped: BuildReport, environment: dict[str, str], data: Path, tmp_path: Path
) -> None:
    async def converse() -> None:
        options = ["--workspace", str(tmp_path / "ws"), "--data", str(data)]
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "kb_runtime", str(shipped.path.parent), "--tools", "all", *options],
            env=environment,
        )
        async with Client(server) as client:
            await client.list_tools()  # the answer below is held to its output schema
            stored = await client.call_tool("ingest_tests", {"functional_path": "new.json"})
            assert stored.structured_content["persisted"] is True
            found = await client.call_tool("search_tests", {"query": "lantern"})
            assert found.structured_content["results"][0]["test"]["uid"] == "N-1"

    anyio.run(converse)


@pytest.mark.slow
def test_a_command_adds_to_the_workspace_of_a_running_server(
    shipped: BuildReport, serve: Serve, data: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    talk = serve(shipped.path.parent)
    command = ["workspace", "ingest", str(tmp_path / "ws"), str(data / "new.json")]
    run = subprocess.run(
        [sys.executable, "-m", "kbc", *command], env=environment, capture_output=True, check=True
    )
    assert b"2 tests added" in run.stdout
    assert EXIT_WITH_PARENT not in command
    # While its own thread opens the version that is new, a server answers from the one before.
    until(
        lambda: (
            titles(talk.facts("search_tests", query="lantern"))[0] == "Light the lantern at dusk"
        ),
        "the server follows",
    )
