"""A real stdio process over a real artifact: the SDK's client in both eras, and bare pipes."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from tests.waiting import PATIENCE_S, until

from kb_runtime.mcp import revisions
from kb_runtime.tools.registry import TOOLS

RUNTIME = Path(__file__).parents[3] / "runtime"
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": revisions.NEWEST_HANDSHAKE,
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}

LACKING = {"ingest_tests", "retrieve_learning_context"}
"""Tools that need one of several arguments, or files to read, which are not there."""


def say(process: subprocess.Popen[bytes], message: Any) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def ask(process: subprocess.Popen[bytes], message: Any) -> Any:
    assert process.stdout is not None
    say(process, message)
    return json.loads(process.stdout.readline())


def call(tool: str, request_id: int = 2, /, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdk_client_gets_right_answers(
    quint_artifact: Path, environment: dict[str, str], mode: Any
) -> None:
    async def converse() -> None:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "kb_runtime", str(quint_artifact)],
            env=environment,
        )
        async with Client(server, mode=mode) as client:
            expected = (
                revisions.NEWEST_HANDSHAKE if mode == "legacy" else revisions.STATELESS_REVISIONS[0]
            )
            assert client.protocol_version == expected
            assert client.instructions is not None
            builtins = await client.call_tool("quint_list_builtins", {})
            assert f"{builtins.structured_content['total']} builtins" in client.instructions
            offered = {tool.name for tool in (await client.list_tools()).tools}
            declared = {tool.name.format(prefix="quint") for tool in TOOLS}
            assert offered
            assert offered <= declared
            builtin = await client.call_tool("quint_get_builtin", {"name": "mapBy"})
            assert builtin.structured_content["signature"].startswith("pure def mapBy:")
            found = await client.call_tool(
                "quint_hybrid_search",
                {"query": "How do I create a map from a set?", "scope": "builtins"},
            )
            names = [hit["title"] for hit in found.structured_content["results"][:3]]
            assert {"mapBy", "setToMap"} & set(names)
            assert found.structured_content["mode"] == "hybrid"
            missing = await client.call_tool("quint_get_builtin", {"name": "mapByy"})
            assert missing.is_error
            assert "mapBy" in missing.structured_content["error"]["suggestions"]
            page = await client.list_resources()
            assert page.next_cursor
            uri = page.resources[0].uri
            assert (await client.read_resource(uri)).contents[0].uri == uri
            templates = (await client.list_resource_templates()).resource_templates
            assert any(each.uri_template == "kb://quint/builtins/{id}" for each in templates)
            prompts = {prompt.name for prompt in (await client.list_prompts()).prompts}
            assert "start" in prompts
            rendered = await client.get_prompt("start", {"task": "Model a bank"})
            assert "quint_hybrid_search" in rendered.messages[0].content.text
            with pytest.raises(MCPError, match="Unknown tool"):
                await client.call_tool("nope", {})

    anyio.run(converse)


def test_every_tool_answers_a_call_without_arguments(
    quint_artifact: Path, start_server: Callable[..., Any]
) -> None:
    process = start_server(quint_artifact)
    ask(process, HELLO)
    tools = ask(process, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})["result"]["tools"]
    for number, tool in enumerate(tools, 3):
        request = {"jsonrpc": "2.0", "id": number, "method": "tools/call"}
        answer = ask(process, {**request, "params": {"name": tool["name"]}})
        assert "{prefix}" not in json.dumps(answer), tool["name"]
        if not tool["inputSchema"].get("required"):
            assert answer["result"]["isError"] is (tool["name"] in LACKING), tool["name"]
        elif tool["name"].startswith("qurio_"):  # their contract wants protocol errors
            assert answer["error"]["code"] == revisions.INVALID_PARAMS, tool["name"]
        else:
            assert answer["result"]["structuredContent"]["error"]["kind"] == "BAD_INPUT"


def test_the_compact_profile_searches_and_reads_what_it_found(
    quint_artifact: Path, start_server: Callable[..., Any]
) -> None:
    process = start_server(quint_artifact, "--tools", "compact")
    ask(process, HELLO)
    found = ask(process, call("quint_search", query="temporal operators", limit=5))["result"]
    hits = found["structuredContent"]["hits"]
    assert 0 < len(hits) <= 5
    for number, hit in enumerate(hits, 3):
        first, last = hit["lines"]
        read = call("quint_get", number, name=hit["address"], start_line=first, end_line=last)
        assert ask(process, read)["result"]["isError"] is False


def test_nothing_but_the_protocol_reaches_stdout(
    quint_artifact: Path, start_server: Callable[..., Any]
) -> None:
    process = start_server(quint_artifact)
    ask(process, HELLO)
    garbage = b'{"broken\n\xff\n[]\n' + json.dumps(call("quint_list_builtins", 9)).encode()
    out, _ = process.communicate(garbage, timeout=PATIENCE_S)
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["id"] for answer in answers] == [None, None, None, 9]
    assert process.returncode == 0


def test_a_call_that_comes_before_the_engines_are_loaded_is_answered(
    quint_artifact: Path, start_server: Callable[..., Any]
) -> None:
    process = start_server(quint_artifact)
    lines = [HELLO, call("quint_hybrid_search", 2, query="set of maps")]
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    out, err = process.communicate(data, timeout=PATIENCE_S)
    result = json.loads(out.splitlines()[1])["result"]
    assert result["structuredContent"]["mode"] == "hybrid"
    assert err == b""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_server_quietly(
    quint_artifact: Path, start_server: Callable[..., Any], number: signal.Signals
) -> None:
    process = start_server(quint_artifact)
    ask(process, HELLO)
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out, err) == (0, b"", b"")


SIGNALS_TO_ANOTHER_THREAD = """
import signal, sys, threading
threading.Thread(target=threading.Event().wait, daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGALRM])
from kb_runtime.start.main import main
sys.exit(main(sys.argv[4:]))
"""
"""Runs a server whose main thread no signal interrupts: its waits are as long as if the signal had come right
before them."""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no such signals")
@pytest.mark.parametrize("before", [(), (sys.executable, "-c", SIGNALS_TO_ANOTHER_THREAD)])
def test_a_signal_ends_a_server_whose_answers_nobody_reads(
    quint_artifact: Path, start_server: Callable[..., Any], before: tuple[str, ...]
) -> None:
    answers, full = os.pipe()
    process = start_server(quint_artifact, stdout=full, before=before)
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    for message in (HELLO, *[listing] * 200):
        process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    until(lambda: not select.select([], [full], [], 0)[1], "a pipe that takes no more")
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_S) == 0
    os.close(answers)
    os.close(full)


def test_a_client_that_leaves_without_reading_is_no_error(
    quint_artifact: Path, start_server: Callable[..., Any]
) -> None:
    process = start_server(quint_artifact)
    process.stdout.close()
    say(process, HELLO)
    process.stdin.close()
    assert process.wait(timeout=PATIENCE_S) == 0
    assert process.stderr.read() == b""


def test_a_damaged_artifact_is_refused_in_one_sentence(
    quint_artifact: Path, start_server: Callable[..., Any], tmp_path: Path
) -> None:
    copy = tmp_path / "kb"
    copytree(quint_artifact, copy)
    tools = next(copy.glob("*/tools.json"))
    tools.chmod(0o644)
    data = bytearray(tools.read_bytes())
    data[-10] ^= 1
    tools.write_bytes(data)
    process = start_server(copy)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (4, b"")
    assert err.count(b"\n") == 1
    assert b"altered" in err


def test_a_server_without_stdin_says_so_in_one_sentence(
    quint_artifact: Path, environment: dict[str, str]
) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -m kb_runtime "$0" <&-', os.fspath(quint_artifact)],
        capture_output=True,
        env=environment,
        timeout=PATIENCE_S,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1
    assert b"stdin" in done.stderr


def test_an_unknown_profile_is_a_usage_error(
    quint_artifact: Path, start_server: Callable[..., Any]
) -> None:
    process = start_server(quint_artifact, "--tools", "nope")
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (2, b"")
    assert b"'nope'" in err
    assert b"reference" in err


def test_the_first_answer_needs_no_engine_and_no_heavy_module(quint_artifact: Path) -> None:
    """Runs the server's own start without site-packages, then looks at what was imported."""
    program = f"""
import os, sys
sys.path.insert(0, {str(RUNTIME)!r})
from kb_runtime.start import main as server
import kb_runtime.mcp.stdio as stdio
def look(_):
    heavy = {{"numpy", "onnxruntime", "tantivy", "usearch", "mcp", "click", "msgpack", "dataclasses",
              "typing", "pathlib", "argparse", "asyncio", "logging", "threading", "hashlib"}}
    sys.stderr.write(" ".join(sorted(heavy & set(sys.modules))))
Server = stdio.StdioServer
stdio.StdioServer = lambda connection, _: Server(connection, lambda: look(0))
server.main([{str(quint_artifact)!r}])
"""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        input=json.dumps(HELLO).encode() + b"\n",
        capture_output=True,
        timeout=PATIENCE_S,
    )
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "quint"
    assert done.stderr.decode() == ""


def test_prints_of_a_tool_go_to_stderr(quint_artifact: Path) -> None:
    program = f"""
import os, sys
sys.path.insert(0, {str(RUNTIME)!r})
from kb_runtime.start import main as server
from kb_runtime.knowledge.artifact import Artifact
def loud(*_):
    print("stray")
    os.write(1, b"stray\\n")
    raise RuntimeError("secret")
Artifact.catalog = loud
server.main([{str(quint_artifact)!r}])
"""
    lines = [HELLO, call("quint_get_builtin", name="map")]
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=b"".join(json.dumps(line).encode() + b"\n" for line in lines),
        capture_output=True,
        timeout=PATIENCE_S,
    )
    answer = json.loads(done.stdout.splitlines()[1])
    assert answer["result"]["structuredContent"]["error"]["kind"] == "INTERNAL"
    assert b"stray" not in done.stdout
    assert b"secret" not in done.stdout
    assert done.stderr.count(b"stray") >= 2
    assert b"secret" in done.stderr


def test_a_line_of_more_than_16_mib_is_refused_and_the_next_one_served(
    quint_artifact: Path, start_server: Callable[..., Any]
) -> None:
    process = start_server(quint_artifact)
    data = b'"' + b"x" * (17 << 20) + b'"\n' + json.dumps(HELLO).encode() + b"\n"
    out, _ = process.communicate(data, timeout=PATIENCE_S)
    refused, answered = map(json.loads, out.splitlines())
    assert refused["error"]["code"] == revisions.INVALID_REQUEST
    assert answered["id"] == 1


def test_kbc_serve_is_the_same_server(quint_artifact: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kbc", "serve", os.fspath(quint_artifact)],
        input=json.dumps(HELLO).encode() + b"\n",
        capture_output=True,
        env=environment,
        timeout=PATIENCE_S,
    )
    assert json.loads(done.stdout)["result"]["protocolVersion"] == revisions.NEWEST_HANDSHAKE
    assert (done.returncode, done.stderr) == (0, b"")
