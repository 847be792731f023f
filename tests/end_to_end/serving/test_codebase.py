"""Source trees through a real server process: built, listed, searched, read, compared with disk."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from tests.end_to_end.serving.test_http import address_of
from tests.end_to_end.serving.test_stdio import HELLO, ask, call
from tests.waiting import PATIENCE_S

from kb_runtime.knowledge.examination.verification import verify
from kbc.pipeline.build import BuildOptions, BuildReport, build, differing_files

SOURCES = {
    "py/retry.py": (
        "import time\n\n\ndef with_retries(action, attempts=3):\n"
        '    """Calls an action again after a pause when it fails."""\n'
        "    for attempt in range(attempts):\n        try:\n            return action()\n"
        "        except OSError:\n            time.sleep(2**attempt)\n"
    ),
    "rust/queue.rs": (
        "/// A queue that drops the oldest entry when it is full.\n"
        "pub struct RingQueue { entries: Vec<u8> }\n"
    ),
    "py/.env": "TOKEN=hunter2\n",
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    for name, text in SOURCES.items():
        path = root / "code" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / "kb.toml").write_text('[kb]\nname = "trees"\n')
    return root


@pytest.fixture(scope="module")
def built(tree: Path, pytestconfig: pytest.Config) -> BuildReport:
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    return build(tree, BuildOptions(out=tree / "out", cache=cache))


def test_the_build_verifies_and_tells_what_it_left_out(built: BuildReport) -> None:
    assert verify(built.path).ok
    assert built.records == 2
    assert [found.code for found in built.diagnostics] == ["files-left-out"]


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_sdk_client_finds_and_reads_code(
    built: BuildReport,
    environment: dict[str, str],
    start_server: Callable[..., Any],
    transport: str,
) -> None:
    async def converse() -> None:
        server: Any = StdioServerParameters(
            command=sys.executable,
            args=["-m", "kb_runtime", str(built.path.parent), "--tools", "all"],
            env=environment,
        )
        if transport == "http":
            server = address_of(start_server(built.path.parent, "--http", "--port", "0"))
        async with Client(server) as client:
            assert "codebase_retrieval" in (client.instructions or "")
            assert "2 source files" in (client.instructions or "")
            offered = {tool.name for tool in (await client.list_tools()).tools}
            assert offered >= {"codebase_retrieval", "get_file"}
            found = await client.call_tool(
                "codebase_retrieval", {"query": "call something again when it fails"}
            )
            result = found.structured_content["results"][0]
            assert result["file"] == "py/retry.py"
            read = await client.call_tool("get_file", {"path": result["file"]})
            assert read.structured_content["content"] == SOURCES["py/retry.py"]
            refused = await client.call_tool("codebase_retrieval", {"query": "x", "top_k": 51})
            assert refused.is_error
            assert "Invalid top_k" in refused.content[0].text

    anyio.run(converse)


def test_a_server_with_the_tree_flags_what_has_changed(
    built: BuildReport, tree: Path, start_server: Callable[..., Any]
) -> None:
    process = start_server(built.path.parent, "--code", str(tree / "code"))
    ask(process, HELLO)

    def search() -> Any:
        request = call("codebase_retrieval", query="drop the oldest entry of a full queue", top_k=1)
        return ask(process, request)["result"]["structuredContent"]

    assert search()["metadata"]["indexStatus"]["isStale"] is False
    file = tree / "code/rust/queue.rs"
    try:
        file.write_text("// moved\n" + SOURCES["rust/queue.rs"])
        answer = search()
    finally:
        file.write_text(SOURCES["rust/queue.rs"])
    assert answer["results"][0]["stale"] is True
    assert answer["results"][0]["lines"] == "2-3"
    assert answer["metadata"]["indexStatus"]["isStale"] is True


def test_a_tree_that_is_not_there_is_refused(
    built: BuildReport, tree: Path, start_server: Callable[..., Any]
) -> None:
    process = start_server(built.path.parent, "--code", str(tree / "nowhere"))
    _, complaint = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert b"--code" in complaint


@pytest.mark.slow
def test_two_checkouts_with_other_times_are_the_same_bytes(
    tree: Path, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    reports = []
    for number, name in enumerate(("one", "two")):
        root = tmp_path / name
        copytree(tree / "code", root / "code")
        (root / "kb.toml").write_text('[kb]\nname = "trees"\n')
        for path in root.rglob("*.*"):
            os.utime(path, (number, number))
        options = BuildOptions(out=tmp_path / f"out-{name}", cache=cache, source_date_epoch=0)
        reports.append(build(root, options))
    assert reports[0].build_id == reports[1].build_id
    assert differing_files(reports[0].path, reports[1].path) == []
