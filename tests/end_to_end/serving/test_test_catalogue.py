"""The tools over test cases, asked by a client over stdio, over an artifact with an own data folder."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from tests.end_to_end.serving.test_http import address_of
from tests.waiting import PATIENCE_S

from kbc.pipeline.build import BuildOptions, build

RAW = {
    "info": {"exported": "yesterday"},
    "tests": [
        {
            "issueKey": "LAMP-4",
            "folder": "Lamps/Oil",
            "testInfo": {
                "summary": "Light a lantern",
                "labels": ["night"],
                "steps": [{"action": "Trim the wick", "result": "no smoke"}],
            },
        }
    ],
}
API = [{"title": "Put a lantern out", "testCaseId": "API-2", "testSteps": ["DELETE /flame"]}]


@pytest.fixture
def lamps(tmp_path: Path, pytestconfig: pytest.Config) -> tuple[Path, Path]:
    """An artifact of two tests, and a folder with an export of one."""
    root = tmp_path / "kb"
    (root / "tests").mkdir(parents=True)
    (root / "kb.toml").write_text('[kb]\nname = "lamps"\n')
    (root / "tests" / "functional.json").write_text(json.dumps(RAW))
    (root / "tests" / "api.json").write_text(json.dumps(API))
    data = tmp_path / "exports"
    data.mkdir()
    (data / "new.json").write_text(json.dumps(RAW))
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    return build(root, BuildOptions(out=tmp_path / "out", cache=cache)).path.parent, data


def test_a_client_works_with_a_catalogue(
    lamps: tuple[Path, Path], environment: dict[str, str]
) -> None:
    artifact, data = lamps

    async def converse() -> None:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "kb_runtime", str(artifact), "--tools", "tests", "--data", str(data)],
            env=environment,
        )
        async with Client(server) as client:
            assert client.instructions is not None
            assert "2 test cases" in client.instructions
            assert "search_tests" in client.instructions
            offered = {tool.name for tool in (await client.list_tools()).tools}
            assert offered == {
                "search_tests",
                "find_similar_tests",
                "get_test_by_jira",
                "check_health",
                "ingest_tests",
            }
            found = await client.call_tool(
                "search_tests", {"query": "trim the wick", "filters": {"folderStructure": "lamps"}}
            )
            assert found.structured_content["results"][0]["test"]["uid"] == "LAMP-4"
            assert found.structured_content["results"][0]["matched_steps"] == "1"
            similar = await client.call_tool("find_similar_tests", {"jira_key": "lamp-4"})
            assert similar.structured_content["results"][0]["test"]["uid"] == "API-2"
            test = await client.call_tool("get_test_by_jira", {"jira_key": "lamp-4"})
            assert test.structured_content["steps"][0]["expected"] == ["no smoke"]
            health = await client.call_tool("check_health", {})
            assert health.structured_content["status"] == "HEALTHY"
            checked = await client.call_tool("ingest_tests", {"functional_path": "new.json"})
            assert checked.structured_content["functional"]["docs_ingested"] == 1
            missing = await client.call_tool("get_test_by_jira", {"jira_key": "LAMP-5"})
            assert missing.is_error
            assert missing.structured_content["error"]["status"] == 404

    anyio.run(converse)


@pytest.mark.parametrize(
    ("options", "said"), [((), "Ingestion check"), (("--read-only",), "READ_ONLY")]
)
def test_the_explorer_reads_the_files_that_the_server_may_read(
    lamps: tuple[Path, Path],
    start_server: Callable[..., subprocess.Popen[bytes]],
    options: tuple[str, ...],
    said: str,
) -> None:
    pytest.importorskip("jinja2")
    artifact, data = lamps
    process = start_server(
        artifact, "--http", "--port", "0", "--explorer", "--data", str(data), *options
    )
    page = address_of(process).replace("/mcp", "/explorer/tools/ingest_tests")
    shown = httpx2.get(
        page, params={"run": "1", "a.functional_path": "new.json"}, timeout=PATIENCE_S
    ).text
    assert said in shown
