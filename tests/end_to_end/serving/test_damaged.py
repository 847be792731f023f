"""What a server says of an artifact that was altered before it started: once, and in one sentence."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from tests.end_to_end.knowledge import write_knowledge
from tests.end_to_end.serving.test_http import PING, address_of, post
from tests.end_to_end.serving.test_stdio import HELLO, ask, call, say
from tests.waiting import PATIENCE_S

from kbc.pipeline.build import BuildOptions, build

SENTENCE = (
    "was altered: its SHA-256 is not the manifest's; calls that need it fail,"
    " or do without it and say so."
)
QUERY = "put out a flame"

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound")
    write_knowledge(folder / "kb")
    return build(
        folder / "kb", BuildOptions(out=folder / "out", cache=folder / "cache")
    ).path.parent


@pytest.fixture(params=["catalog/docs.bin", "vectors/rows.f32"])
def damaged(request: pytest.FixtureRequest, sound: Path, tmp_path: Path) -> Path:
    """A file of an artifact with one bit changed."""
    artifact = copytree(sound, tmp_path / sound.name, symlinks=True)
    (path,) = artifact.glob(f"*/{request.param}")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.chmod(0o644)
    path.write_bytes(data)
    return path


def holds(answer: dict[str, Any], damaged: Path) -> bool:
    """Whether a search kept what the sentence promises."""
    if damaged.name == "rows.f32":
        told = answer["structuredContent"]
        return told["mode"] == "lexical" and bool(told["results"]) and bool(told["warnings"])
    return bool(answer["isError"])


@pytest.mark.slow
def test_a_server_on_stdio_says_it_in_one_sentence(damaged: Path, start_server: Start) -> None:
    process = start_server(damaged.parents[2])
    ask(process, HELLO)
    assert process.stderr is not None
    assert process.stderr.readline().decode() == f"kbc: {damaged} {SENTENCE}\n"
    assert holds(ask(process, call("demo_hybrid_search", query=QUERY))["result"], damaged)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert SENTENCE not in err.decode()


@pytest.mark.skipif(not hasattr(signal, "SIGBUS"), reason="mapped files cannot be cut short here")
def test_a_file_that_is_cut_short_while_it_is_served_ends_the_server_with_a_word(
    sound: Path, tmp_path: Path, start_server: Start
) -> None:
    artifact = copytree(sound, tmp_path / sound.name, symlinks=True)
    process = start_server(artifact)
    ask(process, HELLO)
    ask(process, call("demo_hybrid_search", query=QUERY))
    for path in artifact.glob("*/catalog/*.bin"):
        path.chmod(0o644)
        os.truncate(path, 0)
    say(process, call("demo_hybrid_search", query="trim the wick"))
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == -signal.SIGBUS
    assert err.startswith(b"Fatal Python error: Bus error\n")


@pytest.mark.slow
def test_a_server_over_http_says_it_once(damaged: Path, start_server: Start) -> None:
    process = start_server(damaged.parents[2], "--http", "--port", "0")
    assert process.stderr is not None
    assert process.stderr.readline().decode() == f"kbc: {damaged} {SENTENCE}\n"
    url = address_of(process)
    asked = {"name": "demo_hybrid_search", "arguments": {"query": QUERY}}
    answer = post(url, {**PING, "method": "tools/call", "params": asked}).json()
    assert holds(answer["result"], damaged)
    process.terminate()
    _, err = process.communicate(timeout=PATIENCE_S)
    assert SENTENCE not in err.decode()
