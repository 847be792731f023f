"""Nothing leaves the machine, and nothing is written on it.

kb/ is served by the command of its wheel, from an environment that was empty and had a wheelhouse and no
network (`make wheelhouse`, then the two commands of docs/air-gap.md). Three witnesses: Python's audit
events, which name every socket, file and process that Python code asks for; system calls, where there is
`strace`, which name those of native code too; and a namespace without network over a read-only file
system, where anything that needed one of them would fail. There the official clients drive it.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest
from tests.end_to_end import client_beside_server, sdk_client
from tests.end_to_end.bills import assert_traces_the_model
from tests.end_to_end.npm import INSPECTOR
from tests.end_to_end.sdk_client import converse, converse_at
from tests.end_to_end.sealed import (
    OFFLINE,
    SEALED,
    namespaces,
    where_possible,
)
from tests.end_to_end.system_calls import Trace, strace, traced
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.slow  # kb/ is compiled, and 50 wheels are fetched

QUESTION = "how do I create a map from a set"
ANSWER = "mapBy"
BEST = 3
"""The title of one of the first hits, and among how many it is."""
BESIDE = [sys.executable, client_beside_server.__file__]
HTTP = ("serve", "--http", "--port", "0")

WATCH = '''\
"""Writes what a server that wants nothing would not do to stderr; imported before everything else."""
import os, sys
GIVEN = os.environ["TMPDIR"] + os.sep
SOCKETS = set(
    "socket.connect socket.bind socket.sendto socket.sendmsg socket.getaddrinfo socket.gethostbyname"
    " socket.gethostbyaddr urllib.Request http.client.connect".split())
WRITES = set(
    "os.mkdir os.remove os.rename os.rmdir os.truncate os.link os.symlink os.chmod os.chown os.utime".split())
PROCESSES = set("subprocess.Popen os.system os.exec os.posix_spawn os.fork os.forkpty".split())
def hook(event, arguments):
    if event == "open":
        path, mode, flags = arguments
        writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        if not writes or path == os.devnull or isinstance(path, int):
            return
    elif event in WRITES:
        path, folder = arguments[1 if event == "os.symlink" else 0], arguments[-1]
        if isinstance(folder, int) and folder >= 0 and not os.path.isabs(path):
            path = os.path.join(os.readlink(f"/proc/self/fd/{folder}"), path)
    elif event in SOCKETS | PROCESSES:
        path = ""
    else:
        return
    if not os.fsdecode(path).startswith(GIVEN):
        os.write(2, f"AUDIT {event} {arguments!r}\\n".encode())
sys.addaudithook(hook)
'''

CALLS_HOME = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "HF_ENDPOINT",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "SENTRY_DSN",
    "PIP_INDEX_URL",
)
"""Variables by which a library could be made to talk to somebody; each gets the address of a listener."""
TURNS_ON = {
    "HF_HUB_DISABLE_TELEMETRY": "0",
    "DO_NOT_TRACK": "0",
    "OTEL_SDK_DISABLED": "false",
    "OTEL_TRACES_EXPORTER": "otlp",
    "ORT_DISABLE_TELEMETRY": "0",
}


@pytest.fixture
def command(offline: Path) -> str:
    """The console script of the wheel of kb/."""
    return str(offline / "quint-kb")


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """Where a call home would arrive."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


@pytest.fixture
def environment(tmp_path: Path, listener: socket.socket) -> dict[str, str]:
    """Of a server that is watched, and tempted: its home is empty, every address a trap. It may write
    into the folder for temporary files, and has to leave it as it was."""
    for name in ("watch", "home", "given"):
        (tmp_path / name).mkdir()
    folder = tmp_path / "watch"
    (folder / "sitecustomize.py").write_text(WATCH)
    trap = f"http://127.0.0.1:{listener.getsockname()[1]}"
    return {
        "HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path / "given"),
        "PATH": os.defpath,
        "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
        **dict.fromkeys(CALLS_HOME, trap),
        **TURNS_ON,
    }


def nobody_came(listener: socket.socket) -> bool:
    try:
        listener.accept()
    except BlockingIOError:
        return True
    return False


def nothing_is_left(tmp_path: Path) -> bool:
    return not [*(tmp_path / "home").iterdir(), *(tmp_path / "given").iterdir()]


def is_right(found: dict[str, Any]) -> bool:
    return found["mode"] == "hybrid" and ANSWER in found["titles"][:BEST]


@contextmanager
def serving(
    command: Sequence[str], environment: dict[str, str], errors: Path
) -> Iterator[tuple[str, psutil.Process]]:
    """The address of an HTTP server, and its process; `command` may be one that traces it. At the end
    it is told to end, as a service manager does. Its stderr goes into the file `errors`."""
    with errors.open("w") as log, subprocess.Popen(command, env=environment, stderr=log) as started:
        process = psutil.Process(started.pid)
        try:
            url = _address(errors)
            if command[0] == "strace":
                (process,) = process.children()
            yield url, process
        finally:
            process.terminate()
    assert started.returncode == 0


def _address(errors: Path) -> str:
    found = until(
        lambda: re.search(r"listening on (\S+/mcp)", errors.read_text()), errors.read_text
    )
    assert found is not None
    return found[1]


def test_the_environment_has_nothing_but_what_was_carried_over(offline: Path) -> None:
    """The clean room itself: what the tests run in is not to be seen from it."""
    program = (
        "import sys, kb_runtime, mcp, importlib.util as u\n"
        "assert u.find_spec('pytest') is None\n"
        "print(kb_runtime.__file__, mcp.__file__, *[p for p in sys.path if 'packages' in p])\n"
    )
    done = subprocess.run(
        [offline / "python", "-c", program], env={}, capture_output=True, text=True, check=True
    )
    folder = str(offline.parent)
    assert all(path.startswith(folder) for path in done.stdout.split())


def test_on_stdio_python_opens_no_socket_and_writes_no_file(
    command: str, environment: dict[str, str], listener: socket.socket, tmp_path: Path
) -> None:
    errors = tmp_path / "stderr"
    assert is_right(converse([command], environment, errors, QUESTION))
    assert errors.read_text() == ""
    assert nobody_came(listener)
    assert nothing_is_left(tmp_path)


def test_the_watch_sees_sockets_files_and_processes(
    offline: Path, environment: dict[str, str], listener: socket.socket
) -> None:
    """The witness itself, and the trap: without them the tests beside this one would say nothing."""
    program = (
        "import os, socket, subprocess\n"
        f"socket.create_connection({listener.getsockname()!r}).close()\n"
        "open(os.environ['HOME'] + '/x', 'w').close()\n"
        "subprocess.run(['true'])\n"
    )
    python = [offline / "python", "-c", program]
    done = subprocess.run(python, env=environment, capture_output=True, text=True, check=True)
    for event in ("socket.connect", "open", "subprocess.Popen"):
        assert f"AUDIT {event} " in done.stderr
    assert not nobody_came(listener)


@pytest.mark.parametrize("workers", [1, 2])
def test_over_http_the_requested_listener_is_the_only_socket(
    command: str,
    environment: dict[str, str],
    listener: socket.socket,
    tmp_path: Path,
    workers: int,
) -> None:
    errors = tmp_path / "stderr"
    server = [command, *HTTP, "--workers", str(workers), "--metrics"]
    with serving(server, environment, errors) as (url, process):
        assert is_right(converse_at(url, QUESTION))
        assert httpx2.get(url.replace("/mcp", "/healthz"), timeout=PATIENCE_S).status_code == 200
        port = int(re.search(r":(\d+)/", url)[1])  # type: ignore[index]
        if sys.platform == "linux":
            for each in (process, *process.children()):
                assert _ports(each.pid) == {port}
    events = [line for line in errors.read_text().splitlines() if line.startswith("AUDIT")]
    (bound,) = (line for line in events if line.startswith("AUDIT socket.bind "))
    assert "('127.0.0.1', 0)" in bound
    assert sorted(events) == ["AUDIT os.fork ()"] * (workers if workers > 1 else 0) + [bound]
    assert nobody_came(listener)
    assert nothing_is_left(tmp_path)


def _ports(pid: int) -> set[int]:
    """The ports of the IPv4 and IPv6 sockets that a process has open, listening or not."""
    inodes = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = str(link.readlink())
        except OSError:
            continue
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    ports = set()
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[9] in inodes:
                ports.add(int(fields[1].rpartition(":")[2], 16))
    return ports


@strace
def test_on_stdio_native_code_opens_no_socket_and_writes_no_file(
    command: str, environment: dict[str, str], listener: socket.socket, tmp_path: Path
) -> None:
    del environment["PYTHONPATH"]
    file = tmp_path / "trace"
    server = traced(file, command)
    assert is_right(converse(server, environment, tmp_path / "stderr", QUESTION))
    trace = Trace(file)
    assert trace.opened("model.bin"), "the engines were loaded under the trace"
    assert trace.sockets() == []
    assert trace.programs() == []
    assert trace.writes_outside(tmp_path / "given") == []
    assert nobody_came(listener)


@strace
@pytest.mark.parametrize("workers", [1, 2])
def test_over_http_native_code_opens_the_requested_listener_and_writes_no_file(
    command: str,
    environment: dict[str, str],
    listener: socket.socket,
    tmp_path: Path,
    workers: int,
) -> None:
    del environment["PYTHONPATH"]
    file = tmp_path / "trace"
    server = traced(file, command, *HTTP, "--workers", workers, "--metrics")
    with serving(server, environment, tmp_path / "stderr") as (url, _):
        assert is_right(converse_at(url, QUESTION))
    trace = Trace(file)
    assert trace.opened("model.bin"), "the engines were loaded under the trace"
    made, bound = trace.sockets()
    assert "socket(AF_INET, SOCK_STREAM" in made
    assert re.search(r"bind\(.*sin_port=htons\(0\), .*127\.0\.0\.1", bound)
    assert trace.programs() == []
    assert trace.writes_outside(tmp_path / "given") == []
    assert nobody_came(listener)
    assert nothing_is_left(tmp_path)


@strace
def test_the_trace_tells_sockets_programs_and_writes(
    environment: dict[str, str], tmp_path: Path
) -> None:
    """The witness itself."""
    del environment["PYTHONPATH"]
    given = tmp_path / "given"
    program = f"""
import os, socket, subprocess
given, outside = {str(given)!r}, {str(tmp_path)!r}
open(given + "/a", "w").close()
os.symlink("/etc/hosts", given + "/link")
open("/etc/hosts").close()
open("/dev/null", "w").close()
for pair in socket.socketpair(): pair.send(b"x")
os.rename(given + "/a", outside + "/b")
os.mkdir(given + "/../c")
os.symlink(given + "/link", outside + "/link")
folder = os.open(outside, os.O_RDONLY)
os.unlink("b", dir_fd=folder)
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9))
subprocess.run(["/bin/true"])
"""
    file = tmp_path / "trace"
    command = traced(file, sys.executable, "-c", program)
    subprocess.run(command, env=environment, check=True)
    trace = Trace(file)

    def names(lines: list[str]) -> list[str]:
        return [re.findall(r"(\w+)\(", line)[0] for line in lines]

    assert names(trace.sockets()) == ["socket", "sendto"]
    assert names(trace.programs()) == ["execve"]
    assert names(trace.writes_outside(given)) == ["rename", "mkdir", "symlink", "unlinkat"]


def test_the_bill_of_the_wheel_traces_the_model_to_an_archive(wheelhouse: Path) -> None:
    (wheel,) = wheelhouse.glob("quint_kb-*.whl")
    assert_traces_the_model(wheel)


@namespaces
def test_two_commands_lead_from_a_wheelhouse_to_an_answer(command: str) -> None:
    done = subprocess.run(
        [*OFFLINE, command, "search", QUESTION, "--limit", str(BEST)],
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"kb://quint/builtins/{ANSWER}" in done.stdout


@namespaces
def test_a_server_needs_neither_network_nor_a_file_system_that_can_be_written(
    command: str, tmp_path: Path
) -> None:
    clean = {"PATH": os.environ["PATH"]}
    errors = tmp_path / "stderr"
    assert is_right(converse([*SEALED, command], clean, errors, QUESTION))
    assert errors.read_text() == ""


def drive(client: Sequence[object], home: Path, *server: str) -> str:
    """What a client prints that runs with its server in one namespace, where those may be made.

    The client starts the server itself, or `server` is started beside it and URL is its address.
    """
    beside = [*BESIDE, *server, "--"] if server else []
    done = subprocess.run(
        where_possible(SEALED, *beside, *client),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
        env={
            "HOME": str(home),
            "MCP_INSPECTOR_SECRET_STORE": "memory",
            "PATH": os.pathsep.join([str(Path(str(client[0])).parent), os.defpath]),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_sdk_client_is_served(command: str, tmp_path: Path, transport: str, mode: str) -> None:
    client = [sys.executable, sdk_client.__file__, mode, QUESTION]
    if transport == "stdio":
        told = drive([*client, command], tmp_path)
    else:
        told = drive([*client, "URL"], tmp_path, command, *HTTP)
    assert is_right(json.loads(told))


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_inspector_is_served(node: Path, command: str, tmp_path: Path, transport: str) -> None:
    inspector = [node, INSPECTOR, "--cli", command if transport == "stdio" else "URL"]
    server = () if transport == "stdio" else (command, *HTTP)

    def inspect(*options: str) -> Any:
        return json.loads(drive([*inspector, *options, "--format", "json"], tmp_path, *server))

    listed = inspect("--method", "tools/list", "--strict")["result"]
    assert "quint_get_builtin" in {tool["name"] for tool in listed["tools"]}
    call = ("--method", "tools/call", "--tool-name", "quint_hybrid_search")
    found = inspect(*call, "--tool-arg", f"query={QUESTION}")["result"]
    assert ANSWER in [hit["title"] for hit in found["structuredContent"]["results"][:BEST]]


@namespaces
def test_the_seal_holds(tmp_path: Path) -> None:
    """The witness itself: in the namespace no file can be made, and no address be reached; beside an
    HTTP server only its own."""
    connect = "import socket; socket.create_connection(({!r}, 9), 1)"
    nearby, far = (
        [sys.executable, "-c", connect.format(host)] for host in ("127.0.0.1", "192.0.2.1")
    )
    fake = [sys.executable, "-c", "import signal, sys, time; signal.signal(15, lambda *_: sys.exit());"
            "print('listening on x', file=sys.stderr, flush=True); time.sleep(99)"]  # fmt: skip
    for command, error in (
        (["touch", str(tmp_path / "x")], "Read-only file system"),
        (nearby, "Network is unreachable"),
        (far, "Network is unreachable"),
        ([*BESIDE, *fake, "--", *nearby], "Connection refused"),
        ([*BESIDE, *fake, "--", *far], "Network is unreachable"),
    ):
        done = subprocess.run([*SEALED, *command], capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert error in done.stderr
