"""Every tool of every family, from one artifact, through the SDK's client on stdio and on HTTP."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.end_to_end.knowledge import write_knowledge
from tests.end_to_end.test_http import address_of

from kbc.pipeline import BuildOptions, build

PAGE = "https://example.org/tides"
STEP = {"workshop": "knots", "exerciseNumber": 1, "stepNumber": 1}

# Tool, arguments, and a text that only the right answer holds.
CALLS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("demo_get_builtin", {"name": "asset"}, "repeated elements count once"),
    ("demo_list_builtins", {"category": "LIST"}, "toSet"),
    ("demo_get_doc", {"filename": "lanterns.md", "section": "Putting it out"}, "Close the vent"),
    ("demo_list_docs", {}, "docs/compass.mdx"),
    ("demo_doc_outline", {"path": "docs/lanterns.md"}, "lighting-a-lantern"),
    ("demo_get_example", {"path": "harbour/ferry.qnt"}, "boardTest"),
    ("demo_list_examples", {}, "harbour"),
    ("demo_example_info", {"path": "ferry.qnt"}, "carries one passenger"),
    ("demo_get_template", {"templateId": "boat"}, "var speed"),
    ("demo_list_templates", {"framework": "standard"}, "Boat"),
    ("demo_get_pattern", {"patternId": "one-at-a-time"}, "Test before you take"),
    ("demo_list_patterns", {}, "core"),
    ("demo_search_patterns", {"query": "one user"}, "one-at-a-time"),
    ("demo_suggest_framework", {"description": "consensus in a fleet"}, "0.9"),
    ("demo_hybrid_search", {"query": "extinguish the flame"}, "doc:docs/lanterns.md#"),
    ("demo_search_docs", {"query": "broken rudder"}, "posts/voyage.md"),
    ("codebase_retrieval", {"query": "start_pump"}, "pump/pump.py"),
    ("get_file", {"path": "pump/pump.py", "start_line": 1, "end_line": 1}, "def start_pump"),
    ("qurio_search", {"query": "full moon", "alpha": 0}, PAGE),
    ("qurio_list_sources", {}, "almanac"),
    ("qurio_list_pages", {"source_id": "almanac"}, "Tides"),
    ("qurio_read_page", {"url": PAGE}, "Spring tides follow the full moon."),
    ("list_workshops", {}, "knots"),
    ("list_exercises", {"workshop": "knots"}, "bowline"),
    ("retrieve_learning_context", STEP, "Make one."),
    ("retrieve_diff_context", STEP, "+    return 'bowline'"),
    ("search_topic_context", {"query": "a loop that holds"}, "knots"),
    ("retrieve_quiz_instructions", {"topic": "knots"}, "Ask exactly one question"),
    ("search_tests", {"query": "gale"}, "SEA-1"),
    ("find_similar_tests", {"jira_key": "SEA-1"}, "SEA-2"),
    ("get_test_by_jira", {"jira_key": "sea-2"}, "Raise the anchor"),
    ("check_health", {}, "MiniLM"),
    ("ingest_tests", {}, "Ingestion check"),
)

CONTRACT_TOOLS = 31
OURS = {"list_exercises", "get_file"}
"""What users of the five systems missed, and what no contract has."""


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    folder = tmp_path_factory.mktemp("every-tool")
    write_knowledge(folder / "kb")
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    return build(folder / "kb", BuildOptions(out=folder / "out", cache=cache)).path.parent


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder that `ingest_tests` may read, with a file where it looks by default."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "functional_tests_normalized.json").write_text('[{"uid": "t-9", "title": "New"}]')
    return folder


async def call_all(client: Client) -> None:
    listed = {tool.name for tool in (await client.list_tools()).tools}
    assert {name for name, _, _ in CALLS} == listed
    assert len(listed - OURS) == CONTRACT_TOOLS
    for name, arguments, expected in CALLS:
        result = await client.call_tool(name, arguments)
        (content,) = result.content
        assert not result.is_error, (name, content)
        assert expected in f"{content}{result.structured_content}", name


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_every_tool_answers_over_stdio(
    artifact: Path, data: Path, environment: dict[str, str], mode: Any
) -> None:
    arguments = ["-m", "kb_runtime", str(artifact), "--data", str(data)]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=environment)

    async def run() -> None:
        async with Client(stdio_client(server), mode=mode) as client:
            await call_all(client)

    anyio.run(run)


def test_every_tool_answers_over_http(
    artifact: Path, data: Path, start_server: Callable[..., Any]
) -> None:
    url = address_of(start_server(artifact, "--http", "--port", "0", "--data", str(data)))

    async def run() -> None:
        async with Client(url) as client:
            await call_all(client)

    anyio.run(run)
