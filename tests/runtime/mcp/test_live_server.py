"""A running stdio server and a knowledge base that is published again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import PATIENCE_S

ROOT = Path(__file__).parents[3]
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


@pytest.fixture
def server(corpus: Any) -> Iterator[subprocess.Popen[bytes]]:
    paths = os.pathsep.join((str(ROOT / "compiler"), str(ROOT / "runtime")))
    with subprocess.Popen(
        [sys.executable, "-m", "kb_runtime", str(corpus.path), "--tools", "compact"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths},
    ) as process:
        yield process


def ask(process: subprocess.Popen[bytes], method: str, params: dict[str, Any]) -> Any:
    assert process.stdin is not None
    assert process.stdout is not None
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    process.stdin.write(json.dumps(request).encode() + b"\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())["result"]


def version(process: subprocess.Popen[bytes]) -> str:
    result = ask(process, "tools/call", {"name": "small_info"})
    found: str = result["structuredContent"]["version"]
    return found


def test_the_next_call_is_answered_from_the_new_version(corpus: Any, server: Any) -> None:
    ask(server, "initialize", HELLO)
    assert version(server) == "1"
    corpus.publish("2")
    assert version(server) == "2"


def test_a_version_that_cannot_be_opened_leaves_the_old_one_serving(
    corpus: Any, server: Any
) -> None:
    ask(server, "initialize", HELLO)
    assert version(server) == "1"
    (corpus.path / "CURRENT").write_text("0123456789abcdef\n")
    assert version(server) == "1"
    server.stdin.close()
    assert server.wait(timeout=PATIENCE_S) == 0
    assert b"still serving" in server.stderr.read()
