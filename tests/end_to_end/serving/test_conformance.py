"""The official conformance suite against the HTTP server, and the Inspector against stdio."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.npm import FOLDER, INSPECTOR, MODULES
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.slow  # npm fetches the suite

SUITE = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"


@pytest.fixture
def fixture_server(quint_artifact: Path, environment: dict[str, str]) -> Iterator[str]:
    """The address of the suite's server (see tests/conformance/server.py)."""
    with subprocess.Popen(
        [sys.executable, str(FOLDER / "server.py"), str(quint_artifact)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


@pytest.mark.parametrize("requirements", ["2025-11-25", "2026-07-28"])
def test_the_conformance_suite_finds_nothing_new(
    node: Path, fixture_server: str, tmp_path: Path, requirements: str
) -> None:
    done = subprocess.run(
        [
            *(node, SUITE, "server", "--url", fixture_server, "--requirements", requirements),
            *("--expected-failures", FOLDER / f"baseline-{requirements}.yml"),
            *("--output-dir", tmp_path),
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "Baseline check passed" in done.stdout


@pytest.fixture
def inspect(node: Path, quint_artifact: Path, environment: dict[str, str], tmp_path: Path) -> Any:
    """`inspect(*options)`: the Inspector's command line against a stdio server."""
    own = {"HOME": str(tmp_path), "MCP_INSPECTOR_SECRET_STORE": "memory"}
    path = f"{node.parent}:{os.environ['PATH']}"

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        server = [sys.executable, "-m", "kb_runtime", str(quint_artifact), "--tools", "all"]
        return subprocess.run(
            [node, INSPECTOR, "--cli", *server, *options],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            env={**environment, **own, "PATH": path},
        )

    return run


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_finds_the_tool_schemas_portable(inspect: Any, era: str) -> None:
    options = ("--method", "tools/list", "--strict", "--format", "json", "--protocol-era", era)
    done = inspect(*options)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "quint_hybrid_search" in done.stdout


def test_the_inspector_gets_right_answers(inspect: Any) -> None:
    call = ("--method", "tools/call", "--format", "json", "--tool-name")
    done = inspect(*call, "quint_get_builtin", "--tool-arg", "name=mapby")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"]["structuredContent"]["name"] == "mapBy"
    query = "query=How do I create a map from a set?"
    done = inspect(*call, "quint_hybrid_search", "--tool-arg", query, "scope=builtins")
    results = json.loads(done.stdout)["result"]["structuredContent"]["results"]
    titles = [hit["title"] for hit in results[:3]]
    assert {"mapBy", "setToMap"} & set(titles)


def test_the_inspector_sees_a_failed_call_as_failed(inspect: Any) -> None:
    call = ("--method", "tools/call", "--tool-name", "quint_get_builtin")
    done = inspect(*call, "--tool-arg", "name=nothing-like-it")
    assert done.returncode == 5
