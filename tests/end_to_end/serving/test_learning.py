"""Documentation sets and workshops through real clients: the SDK's, over stdio and over HTTP."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from tests.end_to_end.serving.test_http import ACCEPT, address_of
from tests.waiting import PATIENCE_S

from kb_runtime.knowledge.examination.verification import verify
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp import revisions
from kb_runtime.mcp.dispatch import Dispatcher
from kbc.pipeline.build import BuildOptions, build

PAGE = "# Retries\n\nThe client retries three times.  \n\n## Waiting\n\n```go\nwait()\n```\n"
STEP = "workshops/intro/exercises/01.start"
TREE = {
    "kb.toml": '[kb]\nname = "learning"\n',
    "sources/client/source.toml": 'url = "https://example.org/"\n',
    "sources/client/retries.md": PAGE,
    "sources/client/start.html": "<main><h1>Start</h1><p>Begin here.</p></main>",
    f"{STEP}/README.mdx": "# Start\n\nA loop repeats until its condition fails.\n",
    f"{STEP}/01.problem.loop/main.ts": "while (true) {}\n",
    f"{STEP}/01.solution.loop/main.ts": "while (running) {}\n",
}


def write_tree(root: Path, settings: str = "") -> None:
    for name, text in TREE.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + settings if name == "kb.toml" else text)


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    folder = tmp_path_factory.mktemp("learning")
    write_tree(folder / "kb")
    assert pytestconfig.cache is not None
    options = BuildOptions(out=folder / "out", cache=Path(pytestconfig.cache.mkdir("kbc")))
    report = build(folder / "kb", options)
    assert not report.diagnostics
    assert verify(report.path).ok
    return report.path.parent


async def converse(client: Client) -> None:
    """What an agent does: look around, search, read in full."""

    async def call(name: str, **arguments: Any) -> Any:
        result = await client.call_tool(name, arguments)
        assert not result.is_error, result
        return result.structured_content

    names = {tool.name for tool in (await client.list_tools()).tools}
    assert {"qurio_search", "qurio_read_page", "list_workshops", "list_exercises"} <= names
    (source,) = (await call("qurio_list_sources"))["sources"]
    listed = (await call("qurio_list_pages", source_id=source["id"]))["pages"]
    assert [page["title"] for page in listed] == ["Retries", "Start"]
    (hit, *_) = (await call("qurio_search", query="how often does it try again"))["results"]
    assert (await call("qurio_read_page", url=hit["url"]))["content"] == PAGE
    with pytest.raises(MCPError) as caught:
        await client.call_tool("qurio_search", {"query": "x", "alpha": 2})
    assert caught.value.error.code == -32602

    (workshop,) = (await call("list_workshops"))["workshops"]
    scope = {"workshop": workshop["workshop"], "exerciseNumber": 1}
    assert (await call("list_exercises", workshop="intro"))["exercises"][0]["title"] == "start"
    assert len((await call("retrieve_learning_context", **scope))["sections"]) == 5
    (_, diff) = (await call("retrieve_diff_context", **scope))["diffSections"]
    assert diff["content"].endswith("@@ -1 +1 @@\n-while (true) {}\n+while (running) {}\n")
    (match, *_) = (await call("search_topic_context", query="when does a loop end"))["matches"]
    assert (match["workshop"], match["exerciseNumber"]) == ("intro", 1)
    assert (await call("retrieve_quiz_instructions"))["version"] == "1"
    missing = await client.call_tool("list_exercises", {"workshop": "nope"})
    assert missing.is_error
    rendered = await client.get_prompt("find_where_topic_is_taught", {"query": "loops"})
    assert "search_topic_context" in str(rendered.messages[0].content)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_over_stdio(artifact: Path, environment: dict[str, str], mode: Any) -> None:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "kb_runtime", str(artifact), "--tools", "all"],
        env=environment,
    )

    async def run() -> None:
        async with Client(stdio_client(parameters), mode=mode) as client:
            await converse(client)

    anyio.run(run)


@pytest.fixture
def url(artifact: Path, start_server: Callable[..., Any]) -> str:
    return address_of(start_server(artifact, "--http", "--port", "0"))


def test_over_http(url: str) -> None:
    async def run() -> None:
        async with Client(url) as client:
            await converse(client)

    anyio.run(run)


def post(url: str, arguments: dict[str, Any], meta: dict[str, Any], **headers: str) -> Any:
    params = {"name": "qurio_search", "arguments": arguments, "_meta": meta}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.post(url, json=body, headers={**ACCEPT, **named}, timeout=PATIENCE_S)


def test_a_correlation_id_goes_through_http(url: str) -> None:
    given = post(url, {"query": "loop"}, {}, x_correlation_id="trace-1")
    assert given.headers["x-correlation-id"] == "trace-1"
    assert given.json()["result"]["_meta"]["correlationId"] == "trace-1"
    generated = post(url, {"query": "loop"}, {})
    own = generated.headers["x-correlation-id"]
    assert generated.json()["result"]["_meta"]["correlationId"] == own
    assert own != post(url, {"query": "loop"}, {}).headers["x-correlation-id"]
    both = post(url, {"query": " "}, {"correlationId": "inside"}, x_correlation_id="outside")
    error = both.json()["error"]
    assert (error["code"], error["data"]["correlationId"]) == (-32602, "inside")
    assert json.dumps(error).count("outside") == 0


def test_prompts_name_prefixed_tools_and_keep_the_words_of_the_user(tmp_path: Path) -> None:
    write_tree(tmp_path / "kb", "[tools]\nprefix = true\n")
    built = build(tmp_path / "kb", BuildOptions(out=tmp_path / "out", embed=False))
    live = LiveArtifact(built.path.parent)
    dispatcher = Dispatcher(live, "all")
    words = "what does search_topic_context do"
    asked = [
        ("find_where_topic_is_taught", {"query": words}),
        ("quiz_me", {"topic": words}),
        ("quiz_me", {"workshop": words}),
        ("quiz_me", {"workshop": words, "exerciseNumber": "1"}),
        ("quiz_me", {}),
    ]
    newest = revisions.NEWEST_HANDSHAKE
    offered = {tool["name"] for tool in dispatcher.handle("tools/list", {}, newest)["tools"]}
    for name, arguments in asked:
        params = {"name": name, "arguments": arguments}
        (message,) = dispatcher.handle("prompts/get", params, newest)["messages"]
        text = message["content"]["text"]
        assert not arguments or words in text
        named = re.findall(r"[Cc]all `(\w+)`", text)
        assert named
        assert set(named) <= offered
    live.close()
