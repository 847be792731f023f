"""The commands that the documentation shows, run in a shell, each page from its top to its bottom.

Commands that need what a test cannot have (an index to download from, the rights of an administrator)
are in `ELSEWHERE`, each with the test that runs what is behind it. No other command of a page is left out.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import copy, copytree, which

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from tests.end_to_end.installed import ROOT, Environment, wheel_of
from tests.end_to_end.test_air_gap import can_unshare

from kbc.starter import write_starter

ELSEWHERE: Mapping[str, Mapping[str, str]] = {
    "air-gap.md": {
        "make wheelhouse": "test_air_gap.py::test_two_commands_lead_from_a_wheelhouse_to_an_answer",
    },
    "live.md": {},
    "shipping.md": {},
}
"""Page to command to the test of this folder that covers it."""
CLIENTS = (".cursor", ".codex")
"""Folders by which clients are detected."""
PORT_IS_TAKEN = "already in use"
READY_S = 60
COMMAND_S = 120


def commands(page: str) -> list[str]:
    """What follows the prompts of a page's consoles, with the lines that go on after a backslash."""
    text = (ROOT / "docs" / page).read_text()
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    prompt = re.compile(r"^\$ ((?:.*\\\n)*.*)$", re.MULTILINE)
    return [command for block in blocks for command in prompt.findall(block)]


def without_comment(command: str) -> str:
    return re.sub(r"\s+# .*", "", command).removesuffix("&").rstrip()


class Shell:
    """Runs commands in one folder, one after the other; a server runs until the next one starts."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self._environment = dict(environment)
        self._log = folder / "server.log"
        self._server: subprocess.Popen[bytes] | None = None

    def run(self, command: str) -> None:
        if "--http" in command:
            (address,) = self._start(command, r"listening on (\S+)")
            anyio.run(_use, address, self._token_of(command))
        elif command.startswith("kbc serve "):
            server = StdioServerParameters(
                command="sh",
                args=["-c", f"exec {without_comment(command)}"],
                cwd=self.folder,
                env=self._environment,
            )
            anyio.run(_converse, server, command)
        elif command.startswith("kbc watch "):
            self._start(command, r" is live | was up to date")
        else:
            done = subprocess.run(
                ["sh", "-c", command],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                cwd=self.folder,
                env=self._environment,
                timeout=COMMAND_S,
                check=False,
            )
            assert done.returncode == 0, f"$ {command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"

    def _start(self, command: str, ready: str) -> tuple[str, ...]:
        """Starts a server, waits until its output matches `ready`, and gives the groups of the match.

        Pages name ports, which a test of another process may have for a while: then it is started again.
        """
        self.stop()
        self._server = self._launch(command)
        deadline = time.monotonic() + READY_S
        while not (found := re.search(ready, self._log.read_text())):
            time.sleep(0.05)
            ended = self._server.poll() is not None
            told = self._log.read_text()
            if time.monotonic() > deadline or (ended and PORT_IS_TAKEN not in told):
                pytest.fail(f"$ {command}\n{told}")
            if ended:
                self._server = self._launch(command)
        return found.groups()

    def _launch(self, command: str) -> subprocess.Popen[bytes]:
        with self._log.open("wb") as log:
            return subprocess.Popen(
                ["sh", "-c", f"exec {without_comment(command)}"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=self._environment,
            )

    def stop(self) -> None:
        """Ends the server the way a service manager does."""
        if self._server is None:
            return
        server, self._server = self._server, None
        server.send_signal(signal.SIGTERM)
        try:
            code = server.wait(READY_S)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
            raise
        assert code == 0, self._log.read_text()

    def _token_of(self, command: str) -> str:
        file = re.search(r"--token-file (\S+)", command)
        return (self.folder / file[1]).read_text().strip() if file else ""


async def _use(address: str, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(address, http_client=http)) as client,
    ):
        await _search(client)


async def _converse(server: StdioServerParameters, command: str) -> None:
    """Asks a server on stdio for what its options promise."""
    async with Client(server) as client:
        names = await _search(client)
        assert ("ingest_tests" in names) == ("--workspace" in command)
        if "--workspace" in command:
            stored = await client.call_tool("ingest_tests", {"functional_path": "login.json"})
            assert stored.structured_content["persisted"], command
            found = await client.call_tool("search_tests", {"query": "locked account"})
            assert found.structured_content["results"], command
        if "--code" in command:
            with anyio.fail_after(COMMAND_S):
                while not await _finds_code(client):
                    await anyio.sleep(0.1)


async def _finds_code(client: Client) -> bool:
    answer = await client.call_tool("codebase_retrieval", {"query": "start the pump"})
    return bool(answer.structured_content["results"])


async def _search(client: Client) -> list[str]:
    """Searches, and gives the names of all tools."""
    names = [tool.name for tool in (await client.list_tools()).tools]
    (search,) = (name for name in names if name.endswith("_hybrid_search"))
    found = await client.call_tool(search, {"query": "how to begin"})
    assert found.structured_content["results"]
    return names


@pytest.fixture(scope="module")
def runtime_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """kbc as a package, built from a copy of the checkout."""
    folder = tmp_path_factory.mktemp("kbc")
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        copy(ROOT / name, folder)
    for name in ("compiler", "runtime"):
        copytree(ROOT / name, folder / name)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"]
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", "dist", "."]
    done = subprocess.run(
        [*pip, *options], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = (folder / "dist").iterdir()
    return wheel


@pytest.fixture
def shell(tmp_path: Path, runtime_wheel: Path, own_kb_artifact: Path) -> Iterator[Shell]:
    """A shell of a user who has built kb/ and installed kbc from its wheel, and has no network."""
    environment = Environment(tmp_path / "venv")
    environment.install(runtime_wheel)
    pip = environment.bin / "pip"
    pip.write_text(f'#!/bin/sh\nexec "{environment.python}" -m pip "$@"\n')
    pip.chmod(0o755)
    folder = tmp_path / "work"
    copytree(own_kb_artifact, folder / "dist-index" / "quint", symlinks=True)
    (folder / "dist").mkdir()
    copy(runtime_wheel, folder / "dist")
    home = tmp_path / "home"
    for name in CLIENTS:
        (home / name).mkdir(parents=True)
    variables = {
        "HOME": str(home),
        "PATH": os.pathsep.join([str(environment.bin), os.defpath]),
        "PIP_NO_INDEX": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    shell = Shell(folder, variables)
    yield shell
    shell.stop()


def write_wheelhouse(folder: Path, *wheels: Path) -> None:
    """What is carried over to a machine that has the libraries already."""
    folder.mkdir()
    lines = []
    for wheel in wheels:
        copy(wheel, folder)
        name, version, *_ = wheel.name.split("-")
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        lines.append(f"{name}=={version} --hash=sha256:{digest}\n")
    (folder / "requirements.txt").write_text("".join(lines))


def write_trees(folder: Path) -> None:
    """Two knowledge bases, one of them built, a source tree and a folder for tests."""
    for name in ("handbook", "recipes"):
        write_starter(folder / name)
    page = folder / "recipes" / "docs" / "getting-started.md"
    page.write_text("# Getting started\n\nHeat the oven to 220 degrees.\n")
    (folder / "src").mkdir()
    (folder / "src" / "pump.py").write_text("def start_pump():\n    return 3\n")
    (folder / "data").mkdir()
    login = [
        {"uid": "L-1", "title": "A wrong password three times", "steps": ["The account is locked"]},
        {"uid": "L-2", "title": "The right password", "steps": ["Sign in", "The start page"]},
    ]
    (folder / "data" / "login.json").write_text(json.dumps(login))


def run_page(page: str, shell: Shell) -> None:
    """Runs everything that is not covered elsewhere; skips in the end if something could not be run."""
    impossible = []
    for command in commands(page):
        if without_comment(command) in ELSEWHERE[page]:
            continue
        if command.startswith("unshare ") and not can_unshare():
            impossible.append(command)
        else:
            shell.run(command)
    shell.stop()
    if impossible:
        pytest.skip(f"namespaces may not be made here: {impossible}")


@pytest.mark.slow
def test_the_commands_of_shipping(shell: Shell) -> None:
    run_page("shipping.md", shell)


@pytest.mark.slow
def test_the_commands_of_air_gap(shell: Shell, runtime_wheel: Path, own_kb_artifact: Path) -> None:
    knowledge = wheel_of(own_kb_artifact, shell.folder.parent / "dist")
    write_wheelhouse(shell.folder / "dist" / "wheelhouse", runtime_wheel, knowledge)
    run_page("air-gap.md", shell)


@pytest.mark.slow
def test_the_commands_of_living_knowledge(shell: Shell) -> None:
    write_trees(shell.folder)
    shell.run("kbc build recipes --out out")
    run_page("live.md", shell)


def test_each_set_up_of_living_knowledge_shows_commands_that_serve() -> None:
    """The page's own words for them are the titles of its sections."""
    text = (ROOT / "docs" / "live.md").read_text()
    parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    for title, command in (
        ("Release artifact only", "kbc serve out/handbook\n"),
        ("Artifact plus workspace", "--workspace ws"),
        ("The author's watch loop", "kbc watch "),
    ):
        blocks = re.findall(r"^```console\n(.*?)^```$", sections[title], re.MULTILINE | re.DOTALL)
        assert any(command in block for block in blocks), title


@pytest.mark.parametrize("page", sorted(ELSEWHERE))
def test_no_prompt_is_outside_of_a_console(page: str) -> None:
    lines = (ROOT / "docs" / page).read_text().splitlines()
    prompts = [line for line in lines if line.lstrip().startswith("$ ")]
    assert len(prompts) == len(commands(page)) > 0


@pytest.mark.parametrize("page", sorted(ELSEWHERE))
def test_a_command_that_is_not_run_here_is_shown_and_covered_by_a_test(page: str) -> None:
    shown = {without_comment(command) for command in commands(page)}
    assert set(ELSEWHERE[page]) <= shown
    for covered in ELSEWHERE[page].values():
        file, _, name = covered.partition("::")
        assert f"\ndef {name}(" in (Path(__file__).parent / file).read_text()


@pytest.mark.skipif(which("make") is None, reason="make is not installed")
def test_make_wheelhouse_runs_the_script_that_is_tested_with_another_knowledge_base() -> None:
    done = subprocess.run(
        ["make", "--dry-run", "wheelhouse"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "scripts/wheelhouse.py dist-index/quint --out dist/wheelhouse\n" in done.stdout


def test_a_command_that_fails_is_noticed(tmp_path: Path) -> None:
    shell = Shell(tmp_path, {"PATH": os.defpath})
    shell.run("true                # as a page says it")
    for command in ("false", "no-such-command", "no-such-server serve --http"):
        with pytest.raises((AssertionError, pytest.fail.Exception)):
            shell.run(command)
