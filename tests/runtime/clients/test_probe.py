"""A server is started as a client starts it, and what goes wrong is said in one sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.processes import is_running
from tests.waiting import PATIENCE_S

from kb_runtime.clients.doctor import describe
from kb_runtime.clients.machine import Machine
from kb_runtime.clients.probe import Report, probe

SERVER = """\
import json, os, sys
for line in sys.stdin:
    request = json.loads(line)
    method = request["method"]
    if "id" not in request:
        continue
    print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}))
    result = {}
    if method == "initialize":
        result = {"protocolVersion": request["params"]["protocolVersion"],
                  "serverInfo": {"name": "demo", "title": os.environ.get("TITLE", "")}}
    elif method == "server/discover":
        assert "_meta" in request["params"]
        result = {"_meta": {"io.modelcontextprotocol/serverInfo": {"name": "demo"}}}
    elif method == "tools/list":
        result = {"tools": [{"name": "find", "inputSchema": {"required": ["query"]}}]}
    elif method == "tools/call":
        asked = request["params"]["arguments"]["query"]
        result = {"structuredContent": {"results": [asked, os.getcwd(), os.environ["PATH"]]}}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""


STAYS = """\
import os, time
until = time.monotonic() + 600
while time.monotonic() < until and not os.path.exists(os.environ["HOME"] + "/end"):
    time.sleep(0.05)
"""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine("linux", str(tmp_path), {"PATH": "/opt/everything", "SECRET": "x"})


def ask(program: str, machine: Machine, **options: object) -> Report:
    """Runs a Python program as the server."""
    command = [sys.executable, "-c", program]
    return probe(command, machine, {"TITLE": "Demo"}, **{"timeout_s": PATIENCE_S, **options})  # type: ignore[arg-type]


def test_a_server_is_asked_in_both_eras(machine: Machine) -> None:
    report = ask(SERVER, machine)
    assert report.ok
    assert (report.revision, report.server, report.tools) == ("2025-11-25", "Demo", 1)
    assert (report.search, report.query, report.hits) == ("find", "Demo", 3)
    report = ask(SERVER, machine, era="stateless")
    assert report.ok
    assert (report.revision, report.server, report.hits) == ("2026-07-28", "demo", 3)


def test_a_server_gets_a_foreign_folder_and_a_short_path(machine: Machine) -> None:
    checks = (
        "import os\n"
        "assert os.getcwd() == '/'\n"
        "assert os.environ['PATH'] == '/usr/bin:/bin:/usr/sbin:/sbin'\n"
        "assert 'SECRET' not in os.environ\n"
    )
    report = ask(checks + SERVER, machine)
    assert report.problem == ""


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        (
            "print('hello')",
            "The server writes 'hello' to stdout, which is not a message of the protocol.",
        ),
        (
            "import sys; sys.exit('kbc serve: there is no folder')",
            "The server ends with exit code 1: kbc serve: there is no folder",
        ),
        ("pass", "The server ends with exit code 0."),
        (SERVER.replace("[{", "[][:0] and [{"), "The server offers no tools."),
        (
            SERVER.replace(
                '"structuredContent"', '"isError": True, "content": [{"text": "No."}], "x"'
            ),
            "find fails: No.",
        ),
        (
            SERVER.replace('"result": result', '"error": {"message": "Not now"}'),
            "The server refuses initialize: Not now.",
        ),
        (
            SERVER.replace('"result": result', '"error": "Not\\nnow"'),
            "The server refuses initialize: Not.",
        ),
        (
            SERVER.replace('"result": result', '"result": 1'),
            "The server answers initialize without a result.",
        ),
        ("print('[' * 100_000)", "The server writes '[[["),
        ("import sys; sys.stdout.write('x' * (20 << 20))", "The server writes 'xxx"),
        *(
            (
                SERVER.replace('"result": result', f'"result": {shape} or result'),
                f"The server answers {method} with a result that is not as the protocol has it.",
            )
            for method, shape in [
                ("initialize", '{"serverInfo": []}'),
                ("initialize", '{"protocolVersion": 7}'),
                ("tools/list", 'method == "tools/list" and {"tools": {"a": 1}}'),
                ("tools/list", 'method == "tools/list" and {"tools": ["find"]}'),
                ("tools/list", 'method == "tools/list" and {"tools": [{"name": 7}]}'),
                ("tools/call", 'method == "tools/call" and {"structuredContent": [1]}'),
                ("tools/call", 'method == "tools/call" and {"isError": True, "content": ["No"]}'),
            ]
        ),
    ],
)
def test_what_goes_wrong_is_said(machine: Machine, program: str, problem: str) -> None:
    report = ask(program, machine)
    assert not report.ok
    assert report.problem.startswith(problem)
    assert "\n" not in report.problem


def test_what_a_server_wrote_is_told_when_it_has_left_before_it_was_asked(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ended(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.wait(PATIENCE_S)

    monkeypatch.setattr(subprocess, "Popen", Ended)
    assert "writes 'hello' to stdout" in ask("print('hello')", machine).problem


@pytest.mark.parametrize(
    ("structure", "hits"),
    [
        ({"results": 7, "pages": [1, 2]}, 2),
        ({"results": {"a": 1}, "warnings": "none"}, 0),
        ({"results": [], "warnings": [{"code": 1}]}, 0),
        ({"notes": [1], "results": [1, 2, 3]}, 3),
    ],
)
def test_what_another_server_finds_may_have_any_shape(
    machine: Machine, structure: dict[str, object], hits: int
) -> None:
    program = SERVER.replace(
        '{"results": [asked, os.getcwd(), os.environ["PATH"]]}', f"{structure}"
    )
    report = ask(program, machine)
    assert report.ok
    assert report.hits == hits


def test_a_process_that_the_server_leaves_behind_is_not_waited_for(machine: Machine) -> None:
    program = (
        f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {STAYS!r}])\n{SERVER}"
    )
    assert ask(program, machine).ok
    Path(machine.home, "end").touch()


def test_a_silent_server_is_not_waited_for_forever(machine: Machine) -> None:
    report = ask("import sys; sys.stdin.read()", machine, timeout_s=0.5)
    assert report.problem == "The server does not answer initialize within 0.5 s."


def test_a_server_that_stays_is_stopped(machine: Machine) -> None:
    told = "import os\nwith open(os.environ['HOME'] + '/id', 'w') as file: file.write(str(os.getpid()))\n"
    assert ask(f"{told}{SERVER}import time\ntime.sleep(600)\n", machine).ok
    assert not is_running(int(Path(machine.home, "id").read_text()))


def test_a_command_that_is_not_there(machine: Machine) -> None:
    report = probe(["/nowhere/kbc"], machine, {})
    assert report.problem == "/nowhere/kbc cannot be started: No such file or directory."


def test_a_search_that_finds_nothing_is_no_defect() -> None:
    report = Report("handshake", revision="1", tools=1, search="docs_search", query="docs")
    assert describe(report).endswith("1 tools in 0 ms, docs_search answered in 0 ms")
