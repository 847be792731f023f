"""Nothing leaves the machine, and nothing is written on it.

Three witnesses: Python's audit events, which name every socket and file that Python code asks for; system
calls, where there is `strace`, which name those of native code too; and a namespace without network over a
read-only file system, where anything that needed one of them would fail.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from tests.end_to_end.knowledge import write_knowledge

from kbc.pipeline import BuildOptions, build

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "wheelhouse.py"

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


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gap")
    write_knowledge(folder / "kb")
    return build(folder / "kb", BuildOptions(out=folder / "out")).path.parent


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
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT / "runtime")]),
        "PYTHONDONTWRITEBYTECODE": "1",
        **dict.fromkeys(CALLS_HOME, trap),
        **TURNS_ON,
    }


async def use(client: Client) -> None:
    """Calls every tool that needs nothing, searches, reads resources and prompts."""
    for tool in (await client.list_tools()).tools:
        if not tool.input_schema.get("required"):
            await client.call_tool(tool.name, {})
    found = await client.call_tool("demo_hybrid_search", {"query": "put out a flame"})
    assert found.structured_content["mode"] == "hybrid"
    resources = (await client.list_resources()).resources
    await client.read_resource(resources[0].uri)
    await client.list_prompts()


def converse(command: Sequence[str], environment: dict[str, str], errors: Path) -> None:
    async def run() -> None:
        with errors.open("w") as log:
            server = StdioServerParameters(
                command=command[0], args=list(command[1:]), env=environment
            )
            from mcp.client.stdio import stdio_client

            async with Client(stdio_client(server, errlog=log)) as client:
                await use(client)

    anyio.run(run)


def nobody_came(listener: socket.socket) -> bool:
    try:
        listener.accept()
    except BlockingIOError:
        return True
    return False


def test_on_stdio_python_opens_no_socket_and_writes_no_file(
    artifact: Path, environment: dict[str, str], listener: socket.socket, tmp_path: Path
) -> None:
    errors = tmp_path / "stderr"
    converse([sys.executable, "-m", "kb_runtime", str(artifact)], environment, errors)
    assert "AUDIT" not in errors.read_text()
    assert nobody_came(listener)
    assert not [*(tmp_path / "home").iterdir(), *(tmp_path / "given").iterdir()]


def test_the_watch_sees_sockets_files_and_processes(
    environment: dict[str, str], listener: socket.socket
) -> None:
    """The witness itself, and the trap: without them the tests beside this one would say nothing."""
    program = (
        "import os, socket, subprocess\n"
        f"socket.create_connection({listener.getsockname()!r}).close()\n"
        "open(os.environ['HOME'] + '/x', 'w').close()\n"
        "subprocess.run(['true'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    for event in ("socket.connect", "open", "subprocess.Popen"):
        assert f"AUDIT {event} " in done.stderr
    assert not nobody_came(listener)


def test_over_http_the_requested_listener_is_the_only_socket(
    artifact: Path, environment: dict[str, str], listener: socket.socket, tmp_path: Path
) -> None:
    errors = tmp_path / "stderr"
    command = [sys.executable, "-m", "kb_runtime", str(artifact), "--http", "--port", "0"]
    with errors.open("w") as log, subprocess.Popen(command, env=environment, stderr=log) as process:
        try:
            url = _address(errors)
            anyio.run(lambda: _use_at(url))
            assert httpx2.get(url.replace("/mcp", "/healthz")).status_code == 200
            port = int(re.search(r":(\d+)/", url)[1])  # type: ignore[index]
            if sys.platform == "linux":
                assert _listening(process.pid) == {port}
        finally:
            process.terminate()
    events = [line for line in errors.read_text().splitlines() if line.startswith("AUDIT")]
    bound = [line for line in events if line.startswith("AUDIT socket.bind ")]
    assert len(bound) == 1
    assert "('127.0.0.1', 0)" in bound[0]
    assert set(events) == set(bound)
    assert nobody_came(listener)
    assert not [*(tmp_path / "home").iterdir(), *(tmp_path / "given").iterdir()]


async def _use_at(url: str) -> None:
    async with Client(url) as client:
        await use(client)


def _address(errors: Path) -> str:
    with anyio.from_thread.start_blocking_portal() as portal:

        async def wait() -> str:
            with anyio.fail_after(60):
                while not (found := re.search(r"listening on (\S+/mcp)", errors.read_text())):
                    await anyio.sleep(0.05)
            return found[1]

        return portal.call(wait)


def _listening(pid: int) -> set[int]:
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


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_native_code_opens_no_socket_and_writes_no_file(
    artifact: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    trace = tmp_path / "trace"
    names = (
        "trace=network,openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat"
    )
    strace = ["strace", "-f", "-y", "-qq", "-e", names, "-o", str(trace)]
    environment |= {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "runtime")}
    command = [sys.executable, "-m", "kb_runtime", str(artifact)]
    converse([*strace, *command], environment, tmp_path / "stderr")
    calls = trace.read_text().splitlines()
    assert any("model.bin" in call for call in calls), "the engines were loaded under the trace"
    reads = re.compile(r"open(?:at)?\(.*O_RDONLY|/dev/null|/dev/urandom")
    # A pair of sockets without a name is a pipe, with which event loops wake themselves.
    harmless = re.compile(
        r"socketpair\(AF_UNIX|--- SIG|\+\+\+ exited|resumed>|getsockopt\(|getsockname\("
    )
    given = f"{tmp_path / 'given'}/"
    found = [
        call
        for call in calls
        if not reads.search(call) and not harmless.search(call) and given not in call
    ]
    assert found == []


def can_unshare() -> bool:
    """Whether this user may make namespaces in which the root is mounted read-only."""
    if shutil.which("unshare") is None:
        return False
    program = ["sh", "-c", f"{_SEALED} true"]
    done = subprocess.run(["unshare", "-rnm", *program], capture_output=True, check=False)
    return done.returncode == 0


_SEALED = "mount --make-rprivate / && mount -o remount,bind,ro / && exec"
"""Runs what follows it on a root that cannot be written."""

namespaces = pytest.mark.skipif(not can_unshare(), reason="namespaces may not be made here")


@pytest.fixture(scope="module")
def wheelhouse(artifact: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make wheelhouse` makes, of a small knowledge base. It needs an index to fetch from."""
    out = tmp_path_factory.mktemp("dist") / "wheelhouse"
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(artifact), "--out", str(out)],
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    if done.returncode == 1 and not os.environ.get("KBC_REQUIRE_INDEX"):
        pytest.skip(f"the wheels could not be fetched: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def installed(wheelhouse: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty environment after the first of the two commands, run without any network."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=True, symlinks=True)
    pip = [str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    only = ["--no-index", "--find-links", str(wheelhouse), "--require-hashes"]
    command = [*pip, *only, "-r", str(wheelhouse / "requirements.txt")]
    clean = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    done = subprocess.run(
        ["unshare", "-rn", *command], env=clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder / "bin"


@namespaces
def test_two_commands_lead_from_a_wheelhouse_to_an_answer(installed: Path) -> None:
    done = subprocess.run(
        ["unshare", "-rn", installed / "demo-kb", "search", "put out a flame", "--limit", "1"],
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "docs%2Flanterns.md" in done.stdout


@namespaces
def test_a_server_needs_neither_network_nor_a_file_system_that_can_be_written(
    installed: Path, tmp_path: Path
) -> None:
    sealed = f'{_SEALED} "$0"'
    command = ["unshare", "-rnm", "sh", "-c", sealed, str(installed / "demo-kb")]
    converse(command, {"PATH": os.environ["PATH"]}, tmp_path / "stderr")
    assert (tmp_path / "stderr").read_text() == ""


@namespaces
def test_the_seal_holds(tmp_path: Path) -> None:
    """The witness itself: in the namespace a file cannot be made, and no address can be reached."""
    program = "import socket; socket.create_connection(('127.0.0.1', 9), 1)"
    sealed = f'{_SEALED} "$@"'
    for command in (["touch", str(tmp_path / "x")], [sys.executable, "-c", program]):
        done = subprocess.run(
            ["unshare", "-rnm", "sh", "-c", sealed, "sh", *command],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode != 0
        assert "Read-only file system" in done.stderr or "unreachable" in done.stderr
