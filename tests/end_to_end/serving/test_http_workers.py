"""Several HTTP workers, metrics, the log and keys, on real servers."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import anyio
import httpx2
import psutil
import pytest
from mcp import Client
from tests.end_to_end.serving.test_http import PING, TOKEN, address_of, post
from tests.waiting import PATIENCE_S, until

import kb_runtime
from kb_runtime.store.signature import SIGNATURES
from kbc.shipping.signing import generate, sign

RUNTIME = Path(kb_runtime.__file__).parents[1]
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def together(
    quint_artifact: Path, start_server: Start
) -> Callable[..., tuple[subprocess.Popen[bytes], str]]:
    """`together(*options)`: a server with two workers, and its address."""

    def start(*options: str) -> tuple[subprocess.Popen[bytes], str]:
        process = start_server(quint_artifact, "--http", "--port", "0", "--workers", "2", *options)
        assert process.stderr is not None
        line = process.stderr.readline().decode()
        found = re.search(r"http://[^\"\s]+", line)
        assert found, line
        until(lambda: len(workers_of(process)) == 2, "two workers")
        return process, found[0]

    return start


def call(url: str, tool: str, request_id: str = "", **arguments: Any) -> Any:
    params = {"name": tool, "arguments": arguments}
    headers = {"x_correlation_id": request_id} if request_id else {}
    answer = post(url, {**PING, "method": "tools/call", "params": params}, **headers)
    return answer.json()["result"]


def workers_of(process: subprocess.Popen[bytes]) -> set[int]:
    return {child.pid for child in psutil.Process(process.pid).children()}


def status(url: str, **headers: str) -> int:
    return httpx2.get(url, headers=headers, timeout=PATIENCE_S).status_code


def samples(url: str, **headers: str) -> dict[str, float]:
    text = httpx2.get(url.replace("/mcp", "/metrics"), headers=headers, timeout=PATIENCE_S).text
    lines = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, value in lines}


def ready_workers(found: dict[str, float]) -> float:
    """How many workers serve a build, and so have opened all that they need."""
    return sum(value for name, value in found.items() if "build_info" in name)


def folder_of_metrics(process: subprocess.Popen[bytes], url: str) -> Path:
    """The one folder of the files into which both workers count."""
    until(lambda: ready_workers(samples(url)) == 2, "two workers that serve")
    opened = [file for each in workers_of(process) for file in psutil.Process(each).open_files()]
    (folder,) = {Path(file.path).parent for file in opened if file.path.endswith(".db")}
    return folder


def test_the_sdk_client_gets_right_answers_from_workers(together: Any) -> None:
    process, url = together()

    async def converse() -> None:
        async with Client(url) as client:
            assert len((await client.list_tools()).tools) > 5
            found = await client.call_tool("quint_hybrid_search", {"query": "temporl"})
            assert found.structured_content["results"]

    anyio.run(converse)
    assert psutil.Process(process.pid).num_threads() == 1  # what forks has never had another


@pytest.mark.slow
def test_when_a_worker_is_killed_others_answer_and_a_new_one_comes(together: Any) -> None:
    process, url = together()
    assert post(url).status_code == 200
    before = workers_of(process)
    victim = min(before)
    os.kill(victim, signal.SIGKILL)
    for _ in range(5):
        assert call(url, "quint_hybrid_search", query="map")["isError"] is False
    until(
        lambda: len(workers_of(process) - {victim}) == 2,
        "a worker for the one that was killed",
    )
    assert workers_of(process) - before
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert err.decode() == (
        f"kbc serve: worker {victim} was killed by signal 9; starting another in 0.5 s\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_all_and_leaves_nothing(together: Any, number: signal.Signals) -> None:
    process, url = together("--metrics")
    post(url)
    workers = workers_of(process)
    folder = folder_of_metrics(process, url)
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out, err) == (0, b"", b"")
    assert not any(map(psutil.pid_exists, workers))
    assert not folder.exists()


def test_when_the_parent_is_killed_workers_end_and_leave_nothing(together: Any) -> None:
    process, url = together("--metrics")
    assert post(url).status_code == 200
    workers = workers_of(process)
    folder = folder_of_metrics(process, url)
    process.kill()
    until(lambda: not any(map(psutil.pid_exists, workers)), "the end of the workers")
    assert not folder.exists()


def test_a_signal_before_workers_are_ready_ends_all(together: Any) -> None:
    process, _ = together()
    workers = workers_of(process)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out, err) == (0, b"", b"")
    assert not any(map(psutil.pid_exists, workers))


@pytest.mark.slow
def test_metrics_add_up_over_workers_and_their_successors(together: Any) -> None:
    process, url = together("--metrics")

    def at_rest() -> dict[str, float] | None:
        """Samples of both workers, without a request that its worker still counts as open after the
        client has the answer."""
        found = samples(url)
        is_at_rest = (ready_workers(found), found["kbc_http_requests_open"]) == (2, 1)
        return found if is_at_rest else None

    for _ in range(20):
        call(url, "quint_hybrid_search", query="map")
    until(at_rest, "both workers at rest")  # what they have not counted would end with them
    for worker in workers_of(process):
        os.kill(worker, signal.SIGKILL)
        until(lambda gone=worker: not psutil.pid_exists(gone), "the end of the worker")  # type: ignore[misc]
    for _ in range(10):
        call(url, "quint_hybrid_search", query="map")
    call(url, "quint_get_builtin", name="no such thing")

    found = until(at_rest, "samples of both workers at rest")
    assert found is not None
    assert found['kbc_calls_total{outcome="ok",tool="quint_hybrid_search"}'] == 30
    assert found['kbc_calls_total{outcome="NOT_FOUND",tool="quint_get_builtin"}'] == 1
    assert found['kbc_call_seconds_count{tool="quint_hybrid_search"}'] == 30
    assert found['kbc_call_seconds_bucket{le="+Inf",tool="quint_hybrid_search"}'] == 30
    assert found['kbc_http_responses_total{status="200"}'] >= 31


def test_metrics_are_guarded_like_everything_else(
    quint_artifact: Path, start_server: Start, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN)
    options = ("--http", "--port", "0", "--metrics", "--token-file", str(file))
    url = address_of(start_server(quint_artifact, *options))
    metrics = url.replace("/mcp", "/metrics")
    assert status(metrics) == 401
    assert status(metrics, authorization="Bearer no") == 401
    right = {"authorization": f"Bearer {TOKEN}"}
    assert status(metrics, host="evil.example", **right) == 421
    assert samples(url, **right)['kbc_http_responses_total{status="401"}'] == 2


def test_metrics_of_workers_that_have_no_folder_are_refused_in_one_sentence(
    quint_artifact: Path,
) -> None:
    """Simulates a machine on which no folder can be written, which root never meets."""
    options = ("--http", "--port", "0", "--workers", "2", "--metrics")
    program = "import tempfile, sys; tempfile._candidate_tempdir_list = lambda: ['/none'];"
    program += "from kb_runtime.start.main import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", program, quint_artifact, *options],
        env={**os.environ, "PYTHONPATH": str(RUNTIME)},
        capture_output=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 2
    assert b"needs a temporary folder" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_without_the_option_there_are_no_metrics(quint_artifact: Path, start_server: Start) -> None:
    url = address_of(start_server(quint_artifact, "--http", "--port", "0"))
    assert status(url.replace("/mcp", "/metrics")) == 404


def test_a_wrong_token_is_refused_by_every_worker(together: Any, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN)
    _, url = together("--token-file", str(file))
    for _ in range(10):
        assert post(url, authorization="Bearer wrong").status_code == 401
        assert post(url, authorization=f"Bearer {TOKEN}").status_code == 200


def test_lines_of_the_log_are_objects_with_the_id_that_was_sent(together: Any) -> None:
    process, url = together("--log", "json")
    for number in range(6):
        call(url, "quint_hybrid_search", f"mine-{number}", query="a private question")
    post(url, x_correlation_id="ping-1")
    post(url, x_correlation_id="bad-1", host="evil.example")
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert b"private" not in err
    lines = [json.loads(line) for line in err.splitlines()]
    calls = [line for line in lines if line.get("method") == "tools/call"]
    assert [line["correlation_id"] for line in calls] == [f"mine-{n}" for n in range(6)]
    assert {line["outcome"] for line in calls} == {"ok"}
    assert {line["tool"] for line in calls} == {"quint_hybrid_search"}
    (ping,) = (line for line in lines if line.get("method") == "ping")
    assert ping["correlation_id"] == "ping-1"
    (refused,) = (line for line in lines if "status" in line)
    assert (refused["status"], refused["correlation_id"]) == (421, "bad-1")


@pytest.mark.slow
def test_requests_that_the_protocol_refuses_leave_a_line_with_their_id(together: Any) -> None:
    process, url = together("--log", "json")
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
    client = {"clientInfo": {"name": "test", "version": "1"}}
    for number, (method, params) in enumerate(
        (
            ("made/up", {}),
            ("logging/setLevel", {"level": "debug"}),
            ("tools/call", {"name": 5}),
            ("ping", {"_meta": 5}),
            ("initialize", hello),
            ("initialize", hello | client),
        )
    ):
        post(url, {**PING, "method": method, "params": params}, x_correlation_id=f"mine-{number}")
    mine = {"name": 5, "_meta": {"correlationId": "in-the-message"}}
    post(url, {**PING, "method": "tools/call", "params": mine})
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE_S)
    lines = [json.loads(line) for line in err.splitlines()]
    found = {
        line["correlation_id"]: (line["method"], line["outcome"])
        for line in lines
        if "method" in line
    }
    assert found == {
        "mine-0": ("other", "-32601"),
        "mine-1": ("other", "-32601"),
        "mine-2": ("tools/call", "-32602"),
        "mine-3": ("ping", "-32602"),
        "mine-4": ("initialize", "-32602"),
        "mine-5": ("initialize", "ok"),
        "in-the-message": ("tools/call", "-32602"),
    }


def test_a_log_on_stdio_is_beside_the_protocol(quint_artifact: Path, start_server: Start) -> None:
    process = start_server(quint_artifact, "--log", "json")
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
    lines = [
        {
            **PING,
            "method": "initialize",
            "params": {**hello, "clientInfo": {"name": "test", "version": "1"}},
        },
        {**PING, "method": "tools/call", "params": {"name": "quint_list_builtins"}},
    ]
    asked = "".join(json.dumps(line) + "\n" for line in lines).encode()
    out, err = process.communicate(asked, timeout=PATIENCE_S)
    answers = [json.loads(line) for line in out.splitlines()]
    logged = [json.loads(line) for line in err.splitlines()]
    assert [line["method"] for line in logged] == ["initialize", "tools/call"]
    told = answers[1]["result"]["_meta"]["correlationId"]
    assert logged[1]["correlation_id"] == told


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, Path]:
    """A secret key and its public half."""
    generate(tmp_path / "key", None)
    return tmp_path / "key", tmp_path / "key.pub"


@pytest.fixture
def copied(quint_artifact: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "kb"
    copytree(quint_artifact, copy)
    for path in copy.rglob(SIGNATURES):
        path.unlink()
    return copy


@pytest.mark.parametrize("options", [(), ("--http", "--port", "0"), ("--http", "--workers", "2")])
def test_what_the_key_did_not_sign_is_refused(
    copied: Path, start_server: Start, keys: tuple[Path, Path], options: tuple[str, ...]
) -> None:
    process = start_server(copied, *options, "--key", str(keys[1]))
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (4, b"")
    assert b"is not signed by the key" in err
    assert err.count(b"\n") == 1


def test_what_the_key_signed_is_served(
    copied: Path, start_server: Start, keys: tuple[Path, Path]
) -> None:
    sign(copied, keys[0], None)
    url = address_of(start_server(copied, "--http", "--port", "0", "--key", str(keys[1])))
    assert call(url, "quint_get_builtin", name="map")["isError"] is False


def test_what_is_no_public_key_is_refused(
    copied: Path, start_server: Start, keys: tuple[Path, Path]
) -> None:
    for path in (keys[0], copied / "CURRENT", copied / "none"):
        process = start_server(copied, "--key", str(path))
        _, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 2
        assert err.startswith(b"kbc serve: --key: ")
        assert err.count(b"\n") == 1
