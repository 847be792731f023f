"""Every tool of every family, from one artifact, through the SDK's client on stdio and on HTTP.

What it answers, what it refuses and how, and what a client sees when the server itself fails.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from shutil import copytree
from threading import Thread
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import CallToolRequest, CallToolRequestParams, CallToolResult
from tests.answer_schemas import check_structure
from tests.end_to_end.failure_texts import STATUS, beginning
from tests.end_to_end.knowledge import MORE_FILES, write_exports, write_knowledge
from tests.end_to_end.refusals import COMPACT_REFUSALS, REFUSALS, Refusal

from kb_runtime.digests import sha256
from kb_runtime.store.manifest import CURRENT, MANIFEST, seal
from kbc.pipeline.build import BuildOptions, build

# Arguments that are no object are sent as well, which the client's types do not foresee.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")]

Talk = Callable[[Client], Awaitable[None]]
Serve = Callable[..., str]
"""`serve(talk, *options, folder)`: `talk` with a server's client; gives what the server logged."""

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
    ("symbol_search", {"symbol": "startPump"}, "pump/pump.py"),
    ("symbol_definition", {"symbol": "start_pump"}, "Starts the bilge pump"),
    ("symbol_references", {"symbol": "start_pump"}, '"resolution": "resolved"'),
    ("call_relationships", {"symbol": "start_pump"}, '"symbol": "prime"'),
    ("code_outline", {"path": "pump.py"}, "8-9"),
    ("semantic_search", {"query": "start_pump"}, "pump/pump.py"),
    ("get_context_for_prompt", {"query": "how is the bilge pump started"}, "pump/pump.py"),
    ("index_status", {}, '"python": '),
    ("reindex_workspace", {}, '"accepted": false'),
    ("tool_manifest", {}, "call_relationships"),
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

COMPACT_CALLS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("demo_search", {"query": "lantern", "scope": "docs"}, "lanterns.md"),
    ("demo_get", {"name": "docs/lanterns.md", "start_line": 1}, "Close the vent"),
    ("demo_list", {"collection": "docs", "limit": 1}, "nextCursor"),
    ("demo_outline", {"name": "docs/lanterns.md"}, "Putting it out"),
    ("demo_info", {}, "A knowledge base for tests."),
)

LIST_COLLECTIONS: tuple[str, dict[str, Any], str] = ("demo_list", {}, "workshops")

# Answers with the fields that the calls above leave out, one of which is named.
MORE_CALLS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("demo_list_builtins", {}, "byCategory"),
    ("demo_get_doc", {"filename": "lanterns.md", "startLine": 2, "endLine": 900}, "totalLines"),
    ("demo_get_doc", {"filename": "lanterns.md", "raw": True}, "processed"),
    ("demo_get_example", {"path": "harbour"}, "files"),
    ("demo_list_examples", {"category": "harbour", "feature": "ferry"}, "feature"),
    ("demo_list_templates", {}, "total"),
    ("demo_list_patterns", {"category": "core"}, "patterns"),
    ("demo_hybrid_search", {"query": "boat", "scopes": ["docs"], "k": 99, "explain": True}, "k"),
    ("demo_hybrid_search", {"query": "zzyzx", "scope": "docs"}, "warnings"),
    ("demo_search_docs", {"query": "the", "limit": 1}, "nextCursor"),
    ("codebase_retrieval", {"query": "pump", "response_version": "v2", "top_k": 1}, "results"),
    (
        "codebase_retrieval",
        {"query": "pump", "response_version": "v2", "compact": True, "include_paths": ["*.py"]},
        "results",
    ),
    ("codebase_retrieval", {"query": "pump", "exclude_paths": ["**"]}, "warnings"),
    ("symbol_search", {"symbol": "p", "top_k": 1, "kinds": ["function"]}, "nextCursor"),
    ("symbol_search", {"symbol": "start_pimp"}, '"match": "similar"'),
    ("symbol_search", {"symbol": "zzyzx"}, '"total": 0'),
    ("symbol_definition", {"symbol": "pump.prime", "language_hint": "python"}, "return start_pump"),
    ("symbol_references", {"symbol": "start_pump", "exclude_paths": ["**"]}, '"total": 0'),
    ("call_relationships", {"symbol": "prime", "direction": "callees"}, '"lines": "1-5"'),
    ("code_outline", {"path": "pump/pump.py", "depth": 1}, "totalSymbols"),
    ("semantic_search", {"query": "pump", "mode": "deep", "top_k": 1}, "start_pump"),
    ("get_context_for_prompt", {"query": "zzyzx", "min_relevance": 1}, '"files": []'),
    ("qurio_search", {"query": "moon", "limit": 99, "filters": {"type": "prose"}}, "warnings"),
    ("qurio_search", {"query": "zzyzx", "filters": {"title": "none"}}, "warnings"),
    ("qurio_list_pages", {"source_id": "almanac", "limit": 1}, "nextCursor"),
    ("qurio_list_pages", {"source_id": "almanac", "filter": "zzyzx"}, "warnings"),
    ("qurio_read_page", {"url": f"{PAGE}#tides", "maxChars": 5}, "nextCursor"),
    ("qurio_read_page", {"url": f"{PAGE}#nowhere"}, "warnings"),
    ("list_workshops", {"limit": 1, "all": False}, "nextCursor"),
    ("list_exercises", {"workshop": "knots", "exerciseNumber": 1}, "exercises"),
    ("retrieve_learning_context", {**STEP, "maxChars": 5, "seed": 1}, "nextCursor"),
    ("retrieve_learning_context", {"random": True, **STEP}, "warnings"),
    ("retrieve_diff_context", {**STEP, "maxChars": 5, "focus": "KNOT.PY"}, "nextCursor"),
    ("search_topic_context", {"query": "???"}, "warnings"),
    ("retrieve_quiz_instructions", {"learnerGoal": "to sail", "questionCount": 99}, "warnings"),
    (
        "search_tests",
        {"query": "drop the anchor", "top_k": 101, "filters": {"tags": ["anchor"]}},
        "filters",
    ),
    ("search_tests", {"query": "gale", "filters": {"tags": "none"}}, "warnings"),
    ("find_similar_tests", {"jira_key": "t-1", "scope": "steps"}, "scope"),
    ("get_test_by_jira", {"jira_key": "CASE-7"}, "matchedBy"),
    ("get_test_by_jira", {"jira_key": "SEA-3"}, "others"),
    ("ingest_tests", {"api_path": "api.json"}, "api"),
)

CONTRACT_TOOLS = 31
OURS = {
    "list_exercises",
    "get_file",
    "symbol_search",
    "symbol_definition",
    "symbol_references",
    "call_relationships",
    "code_outline",
    "semantic_search",
    "get_context_for_prompt",
    "index_status",
    "reindex_workspace",
    "tool_manifest",
}
"""What users of the five systems missed, and what no contract has."""

READ_NOTHING = {
    "retrieve_quiz_instructions",
    "ingest_tests",
    "demo_info",
    "reindex_workspace",
    "tool_manifest",
}
"""Tools that answer without the records of the artifact, whatever has happened to these."""


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    folder = tmp_path_factory.mktemp("every-tool")
    write_knowledge(folder / "kb", **MORE_FILES)
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    return build(folder / "kb", BuildOptions(out=folder / "out", cache=cache)).path.parent


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder that `ingest_tests` may read."""
    return write_exports(tmp_path / "data")


@pytest.fixture(params=["legacy", "auto", "http"])
def serve(
    request: pytest.FixtureRequest,
    artifact: Path,
    data: Path,
    environment: dict[str, str],
    start_server: Callable[..., Any],
    tmp_path: Path,
) -> Serve:
    """Servers over stdio, for clients of both eras of the protocol, and over HTTP."""

    def over_stdio(talk: Talk, *options: str, folder: Path = artifact) -> str:
        arguments = [
            "-m",
            "kb_runtime",
            str(folder),
            "--tools",
            "all",
            "--data",
            str(data),
            *options,
        ]
        server = StdioServerParameters(command=sys.executable, args=arguments, env=environment)
        log = tmp_path / "stderr"

        async def run() -> None:
            with log.open("w") as stderr:
                async with Client(stdio_client(server, stderr), mode=request.param) as client:
                    await talk(client)

        anyio.run(run)
        return log.read_text()

    def over_http(talk: Talk, *options: str, folder: Path = artifact) -> str:
        process = start_server(folder, "--http", "--port", "0", "--data", str(data), *options)
        logged: list[bytes] = []
        for line in process.stderr:
            logged.append(line)
            if b"listening on " in line:
                break
        url = logged[-1].decode().split("listening on ")[1].strip()
        reader = Thread(target=lambda: logged.extend(process.stderr))  # or the pipe fills up
        reader.start()

        async def run() -> None:
            async with Client(url) as client:
                await talk(client)

        anyio.run(run)
        process.terminate()
        reader.join()
        return b"".join(logged).decode()

    return over_http if request.param == "http" else over_stdio


async def listed(client: Client) -> dict[str, Any]:
    """Tool -> its entry in `tools/list`, as it went over the wire."""
    tools = (await client.list_tools()).tools
    return {tool.name: tool.model_dump(by_alias=True, exclude_none=True) for tool in tools}


async def call_all(
    client: Client, calls: tuple[tuple[str, dict[str, Any], str], ...]
) -> dict[str, Any]:
    """Calls that must succeed with structures of which every field is declared; the tools listed."""
    tools = await listed(client)
    for name, arguments, expected in calls:
        for more in ({}, {"nonsense": 1}):
            result = await client.call_tool(name, {**arguments, **more})
            (content,) = result.content
            assert not result.is_error, (name, content)
            structured = json.dumps(result.structured_content, ensure_ascii=False)
            assert expected in f"{content}{structured}", name
            if "outputSchema" in tools[name]:
                check_structure(tools[name], result.structured_content)
            if more:
                warning = 'the unknown argument "nonsense" was ignored'
                assert warning in content.text.replace('\\"', '"'), name
    return tools


def test_every_tool_answers(serve: Serve) -> None:
    async def talk(client: Client) -> None:
        tools = await call_all(client, (*CALLS, *MORE_CALLS))
        assert {name for name, _, _ in CALLS} == tools.keys()
        assert len(tools.keys() - OURS) == CONTRACT_TOOLS

    assert "Traceback" not in serve(talk)


def test_every_tool_of_the_compact_profile_answers(serve: Serve) -> None:
    async def talk(client: Client) -> None:
        tools = await call_all(client, (*COMPACT_CALLS, LIST_COLLECTIONS))
        assert {name for name, _, _ in COMPACT_CALLS} == tools.keys()

    assert "Traceback" not in serve(talk, "--tools", "compact")


async def failure(client: Client, tool: str, arguments: Any) -> CallToolResult | MCPError:
    """What a client gets for a call that fails. The arguments are sent as they are."""
    params = CallToolRequestParams.model_construct(name=tool, arguments=arguments)
    request = CallToolRequest.model_construct(method="tools/call", params=params)
    try:
        return await client.session.send_request(request, CallToolResult)
    except MCPError as error:
        return error


def check_refusal(refusal: Refusal, got: CallToolResult | MCPError) -> None:
    """The channel, the wording and the structure."""
    tool, _, kind, message, code = refusal
    if isinstance(got, MCPError):
        assert (got.error.code, got.error.message[: len(message)]) == (code, message), refusal
        if kind:
            assert got.error.data["kind"] == kind, refusal
            assert got.error.data["correlationId"], refusal
        else:
            # Over HTTP the SDK refuses it, and does not say why.
            assert got.error.data in ("params.arguments must be an object", ""), refusal
        return
    assert code is None, refusal
    assert got.is_error, refusal
    (content,) = got.content
    error = got.structured_content["error"]
    assert (error["kind"], error["message"][: len(message)]) == (kind, message), refusal
    text = beginning(tool, kind, error["message"])
    assert content.text == text or content.text.startswith(f"{text}\n"), refusal
    for step in error.get("next", ()):
        assert f"- {step}" in content.text, refusal
    assert error.keys() <= {"kind", "message", "details", "suggestions", "next", "status"}
    if content.text.startswith("API Error"):
        assert error["status"] == STATUS[kind], refusal


async def refuse_all(client: Client, refusals: tuple[Refusal, ...]) -> None:
    assert {refusal.tool for refusal in refusals} == (await listed(client)).keys()
    for refusal in refusals:
        check_refusal(refusal, await failure(client, refusal.tool, refusal.arguments))


def test_every_tool_refuses_in_the_words_of_its_family(serve: Serve) -> None:
    assert "Traceback" not in serve(lambda client: refuse_all(client, REFUSALS))


def test_every_tool_of_the_compact_profile_refuses(serve: Serve) -> None:
    log = serve(lambda client: refuse_all(client, COMPACT_REFUSALS), "--tools", "compact")
    assert "Traceback" not in log


def test_a_read_only_server_lists_ingestion_and_refuses_it(serve: Serve) -> None:
    async def talk(client: Client) -> None:
        assert "ingest_tests" in await listed(client)
        refusal = Refusal("ingest_tests", {}, "READ_ONLY", "ingest_tests is disabled")
        got = await failure(client, "ingest_tests", {})
        check_refusal(refusal, got)
        assert isinstance(got, CallToolResult)
        assert "kbc build KB" in str(got.content)

    serve(talk, "--read-only")


def spoilt(artifact: Path, folder: Path, *, sealed: bool) -> Path:
    """A copy of an artifact without a readable record. `sealed`: as if it had been written so, which
    no check of the artifact notices and no tool expects."""
    copytree(artifact, folder)
    build = folder / (folder / CURRENT).read_text().strip()
    for path in (*build.glob("catalog/*.bin"), *build.glob("catalog/*.facets")):
        size = path.stat().st_size
        path.unlink()
        path.write_bytes(b"\xc1" * size)
    if sealed:
        manifest = json.loads((build / MANIFEST).read_bytes())
        for file in manifest["files"]:
            file["sha256"] = sha256((build / file["path"]).read_bytes()).hex()
        (build / MANIFEST).unlink()
        (build / MANIFEST).write_bytes(seal(manifest))
    return folder


def check_told_nothing(tool: str, kind: str, message: str, got: CallToolResult | MCPError) -> None:
    """A failure of the server in the channel of the family, with this message and nothing else."""
    if tool.startswith("qurio_"):
        assert isinstance(got, MCPError), tool
        assert (got.error.code, got.error.data["kind"]) == (-32603, kind)
        assert got.error.message == message
        assert got.error.data.keys() <= {"kind", "next", "correlationId"}
        return
    assert isinstance(got, CallToolResult), tool
    assert got.is_error, tool
    (content,) = got.content
    error = got.structured_content["error"]
    assert (error["kind"], error["message"]) == (kind, message)
    assert error.keys() <= {"kind", "message", "next", "status"}
    said = "".join(("\nNext:", *(f"\n- {step}" for step in error.get("next", ()))))
    assert content.text == beginning(tool, kind, message) + (said if "next" in error else "")


def check_unhealthy(got: CallToolResult | MCPError) -> None:
    """A broken index is what this tool is there to tell: no error, and no place either."""
    assert isinstance(got, CallToolResult)
    assert not got.is_error
    assert got.structured_content["status"] == "UNHEALTHY"
    told = "the index is damaged (altered): run `kbc verify` on it"
    assert got.structured_content["problems"] == [told]


@pytest.mark.parametrize("profile", ["all", "compact"])
def test_a_defect_in_the_server_leaks_nothing(
    serve: Serve, artifact: Path, tmp_path: Path, profile: str
) -> None:
    calls = CALLS if profile == "all" else COMPACT_CALLS
    failed = set()

    async def talk(client: Client) -> None:
        for name, arguments, _ in calls:
            got = await failure(client, name, arguments)
            if name in READ_NOTHING:
                assert isinstance(got, CallToolResult)
                assert not got.is_error
                continue
            if name == "check_health":
                check_unhealthy(got)
                continue
            failed.add(name)
            message = f"{name} failed because of a bug in the server."
            check_told_nothing(name, "INTERNAL", message, got)

    folder = spoilt(artifact, tmp_path / "spoilt", sealed=True)
    log = serve(talk, "--tools", profile, folder=folder)
    for name in failed:  # who runs the server learns all of it
        assert f"{name} failed" in log
    assert "Traceback" in log


@pytest.mark.parametrize("profile", ["all", "compact"])
def test_a_damaged_artifact_is_told_without_its_place(
    serve: Serve, artifact: Path, tmp_path: Path, profile: str
) -> None:
    calls = CALLS if profile == "all" else COMPACT_CALLS

    async def talk(client: Client) -> None:
        for name, arguments, _ in calls:
            got = await failure(client, name, arguments)
            if name in READ_NOTHING:
                continue
            if name == "check_health":
                check_unhealthy(got)
                continue
            message = "The knowledge base cannot be read (altered)."
            if name.startswith("qurio_"):
                message = "The search index of this server cannot be used"
            check_told_nothing(name, "UNAVAILABLE", message, got)

    folder = spoilt(artifact, tmp_path / "spoilt", sealed=False)
    log = serve(talk, "--tools", profile, folder=folder)
    assert str(folder) in log
    assert "Traceback" not in log
