"""The commands that the documentation shows, run in a shell, each page from its top to its bottom.

Commands that are shown but not run here, in consoles and in sentences, are in `ELSEWHERE`, each with what
runs it. No other command in a console is left out, and on the pages in `HELD` none in a sentence.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from shutil import copy, copytree, ignore_patterns, rmtree

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from tests.end_to_end.installed import ROOT, Environment
from tests.end_to_end.sealed import can_unshare
from tests.required import give_up
from tests.waiting import PATIENCE_S, until

from kbc.project.starter import write_starter

HELD = ("air-gap.md", "shipping.md")
"""Pages that show no command but those that the tests run, in their sentences, too."""
ELSEWHERE: Mapping[str, Mapping[str, str]] = {
    "air-gap.md": {
        "make wheelhouse": "end_to_end/wheelhouse.py::wheelhouse",
        "scripts/wheelhouse.py dist-index/quint --out dist/wheelhouse": (
            "end_to_end/wheelhouse.py::wheelhouse"
        ),
        "quint-kb verify --key release.pem.pub": (
            "end_to_end/shipping/test_wheel.py"
            "::test_a_signature_goes_along_and_is_checked_where_it_is_installed"
        ),
    },
    "live.md": {},
    "shipping.md": {
        "kbc build": "end_to_end/test_cli.py::test_a_new_starter_checks_clean_and_builds",
        "make release": (
            "end_to_end/shipping/test_release.py::test_make_release_releases_the_knowledge_base_that_ships"
        ),
        "pip install --upgrade": (
            "end_to_end/shipping/test_wheel.py::test_an_upgrade_reaches_a_server_that_runs"
        ),
        "python -m benchmarks.wheel dist-index/quint": (
            "benchmarks/test_wheel.py::test_a_wheel_is_weighed_and_its_start_is_timed"
        ),
        "python -m benchmarks.http_workers dist-index/quint": (
            "benchmarks/test_http_workers.py::test_memory_and_searches_are_measured"
        ),
        "systemd-analyze security": (
            "end_to_end/shipping/test_deploy.py::test_the_unit_is_valid_and_hardened"
        ),
    },
}
"""Page to command to the test or fixture below tests/ that runs it."""
PROGRAMS = re.compile(
    r"claude|code|codex|curl|docker|git|kbc|make|mcpb|node|np[mx]|pipx?|podman|python3?|quint-kb|sh|strace"
    r"|systemctl|systemd-analyze|unshare|uvx?|scripts/.*"
)
"""An inline code of several words whose first is one of these is a command."""
LANGUAGES = {"console", "nginx"}
"""Of the fenced blocks on the pages that are held: what is run, and what is no command."""
ON_STDIO = ("quint-kb", "quint-kb serve", "python -m quint_kb")
INSTALLERS = ("pipx", "uv", "uvx")
CLIENTS = (".cursor", ".codex")
"""Folders by which clients are detected."""
PORT_IS_TAKEN = "another process listens there"


def commands(page: str) -> list[str]:
    """What follows the prompts of a page's consoles, with the lines that go on after a backslash."""
    text = (ROOT / "docs" / page).read_text()
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    prompt = re.compile(r"^\$ ((?:.*\\\n)*.*)$", re.MULTILINE)
    return [command for block in blocks for command in prompt.findall(block)]


def inline(text: str) -> list[str]:
    """The commands in the sentences, tables and comments of a page."""
    spans = re.findall(r"(?<!`)`([^`]+)`(?!`)", re.sub(r"^```\w*$", "", text, flags=re.MULTILINE))
    found = [" ".join(span.split()) for span in spans]
    return [each for each in found if " " in each and is_program(each.split()[0])]


def is_program(word: str) -> bool:
    return PROGRAMS.fullmatch(word) is not None


def not_run(text: str, elsewhere: Collection[str]) -> list[str]:
    """The commands in the sentences of a page that are neither in `elsewhere` nor the beginning of a
    command in a console of any page."""
    run = [" ".join(without_comment(each).split()) for page in ELSEWHERE for each in commands(page)]
    return [
        each
        for each in inline(text)
        if each not in elsewhere and not any(f"{other} ".startswith(f"{each} ") for other in run)
    ]


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
        elif command.startswith("kbc serve ") or without_comment(command) in ON_STDIO:
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
                timeout=PATIENCE_S,
                check=False,
            )
            assert done.returncode == 0, f"$ {command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"

    def _start(self, command: str, ready: str) -> tuple[str, ...]:
        """Starts a server, waits until its output matches `ready`, and gives the groups of the match.

        Pages name ports, which a test of another process may have for a while: then it is started again.
        """
        self.stop()
        self._server = self._launch(command)

        def is_ready() -> re.Match[str] | None:
            assert self._server is not None
            ended = self._server.poll() is not None
            told = self._log.read_text()
            if ended and PORT_IS_TAKEN not in told:
                pytest.fail(f"$ {command}\n{told}")
            if ended:
                self._server = self._launch(command)
            return re.search(ready, told)

        found = until(is_ready, lambda: f"$ {command}\n{self._log.read_text()}")
        assert found is not None
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
            code = server.wait(PATIENCE_S)
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
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE_S) as http,
        Client(streamable_http_client(address, http_client=http)) as client,
    ):
        await _search(client)


async def _converse(server: StdioServerParameters, command: str) -> None:
    """Asks a server on stdio for what its options promise."""
    async with Client(server) as client:
        is_tree = without_comment(command).startswith("kbc serve --code ")
        names = [] if is_tree else await _search(client)
        if without_comment(command) not in ON_STDIO:
            assert ("ingest_tests" in names) == ("--workspace" in command)
        if "--workspace" in command:
            stored = await client.call_tool("ingest_tests", {"functional_path": "login.json"})
            assert stored.structured_content["persisted"], command
            found = await client.call_tool("search_tests", {"query": "locked account"})
            assert found.structured_content["results"], command
        if "--code" in command:
            with anyio.fail_after(PATIENCE_S):
                while not await _finds_code(client):
                    await anyio.sleep(0.1)


async def _finds_code(client: Client) -> bool:
    answer = await client.call_tool("codebase_retrieval", {"query": "start the pump"})
    return bool(answer.structured_content["results"])


async def _search(client: Client) -> list[str]:
    """Searches, and gives the names of all tools."""
    names = [tool.name for tool in (await client.list_tools()).tools]
    search = next(name for name in names if name.endswith(("_hybrid_search", "_search")))
    found = await client.call_tool(search, {"query": "how to begin"})
    assert found.structured_content.get("results") or found.structured_content["hits"]
    return names


@pytest.fixture(scope="module")
def runtime_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """kbc as a package, built from a copy of the checkout."""
    folder = tmp_path_factory.mktemp("kbc")
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        copy(ROOT / name, folder)
    for name in ("compiler", "runtime"):
        copytree(ROOT / name, folder / name, ignore=ignore_patterns("__pycache__"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"]
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", "dist", "."]
    done = subprocess.run(
        [*pip, *options],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
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
    (tmp_path / "tools").mkdir()
    path = (environment.bin, tmp_path / "tools", os.defpath)
    variables = {
        "HOME": str(home),
        "PATH": os.pathsep.join(map(str, path)),
        "PIP_NO_INDEX": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        # Wheels that were fetched are for this Python, whichever others are installed.
        "PIPX_DEFAULT_PYTHON": sys.executable,
        "UV_PYTHON": sys.executable,
    }
    shell = Shell(folder, variables)
    yield shell
    shell.stop()
    # pipx and uvx leave environments of 300 MB. A compiler may still be ending, which writes into its cache.
    rmtree(home, ignore_errors=True)


@pytest.fixture
def supplied(shell: Shell, wheelhouse: Path) -> Shell:
    """The shell of a user who has a wheelhouse, pipx and uv as well."""
    (shell.folder / "dist" / "wheelhouse").symlink_to(wheelhouse)
    for name in INSTALLERS:
        program = Path(sys.executable).with_name(name)
        if not program.exists():
            give_up(f"{name} is not installed")
        (shell.folder.parent / "tools" / name).symlink_to(program)
    return shell


def write_trees(folder: Path) -> None:
    """Two knowledge bases, one of them built, a source tree and a folder for tests."""
    for name in ("handbook", "recipes"):
        write_starter(folder / name, "docs")
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
        give_up(f"namespaces may not be made here: {impossible}")


@pytest.mark.slow
def test_the_commands_of_shipping(supplied: Shell) -> None:
    write_starter(supplied.folder / "other", "docs")
    supplied.run("kbc build other --out built && mv built/* other-kb")
    run_page("shipping.md", supplied)


@pytest.mark.slow
def test_the_commands_of_air_gap(supplied: Shell) -> None:
    run_page("air-gap.md", supplied)


@pytest.mark.slow
def test_the_commands_of_updates_and_workspaces(shell: Shell) -> None:
    write_trees(shell.folder)
    shell.run("kbc build recipes --out out")
    run_page("live.md", shell)


def test_each_setup_shows_commands_that_serve() -> None:
    """A setup is a section of the page."""
    text = (ROOT / "docs" / "live.md").read_text()
    parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    for title, command in (
        ("Release artifact only", "kbc serve out/handbook\n"),
        ("Artifact plus workspace", "--workspace ws"),
        ("Rebuild on save", "kbc watch "),
    ):
        blocks = re.findall(r"^```console\n(.*?)^```$", sections[title], re.MULTILINE | re.DOTALL)
        assert any(command in block for block in blocks), title


@pytest.mark.parametrize("page", sorted(ELSEWHERE))
def test_no_prompt_is_outside_of_a_console(page: str) -> None:
    lines = (ROOT / "docs" / page).read_text().splitlines()
    prompts = [line for line in lines if line.lstrip().startswith("$ ")]
    assert len(prompts) == len(commands(page)) > 0


@pytest.mark.parametrize("page", HELD)
def test_every_command_in_a_sentence_is_run(page: str) -> None:
    text = (ROOT / "docs" / page).read_text()
    assert not_run(text, ELSEWHERE[page]) == []
    assert set(re.findall(r"^```(.*)$", text, re.MULTILINE)) <= {*LANGUAGES, ""}
    assert len(re.findall(r"^```$", text, re.MULTILINE)) == len(
        re.findall(r"^```.+$", text, re.MULTILINE)
    )


@pytest.mark.parametrize("page", sorted(ELSEWHERE))
def test_a_command_that_is_not_run_here_is_shown_and_run_by_a_test(page: str) -> None:
    text = (ROOT / "docs" / page).read_text()
    shown = {without_comment(command) for command in commands(page)} | {*inline(text)}
    assert set(ELSEWHERE[page]) <= shown
    for runner in ELSEWHERE[page].values():
        file, _, name = runner.partition("::")
        assert f"\ndef {name}(" in (ROOT / "tests" / file).read_text()


@pytest.mark.parametrize("page", HELD)
def test_the_programs_of_consoles_are_known_as_such_in_sentences(page: str) -> None:
    assert [each for each in commands(page) if not is_program(each.split()[0])] == []


def test_a_command_that_nothing_runs_is_noticed() -> None:
    text = (
        "# Page\n\nUse `kbc` and `kb.toml`, then `kbc wheel` or `kbc dance\n--fast` or `scripts/x.py a`."
        "\n\n```console\n$ kbc wheel x   # like `pip freeze`\n```\n\n`uvx --to`, `other thing`, `git log`.\n"
    )
    assert not_run(text, ["git log"]) == [
        "kbc dance --fast",
        "scripts/x.py a",
        "pip freeze",
        "uvx --to",
    ]


def test_a_command_that_fails_is_noticed(tmp_path: Path) -> None:
    shell = Shell(tmp_path, {"PATH": os.defpath})
    shell.run("true                # as a page says it")
    for command in ("false", "no-such-command", "no-such-server serve --http"):
        with pytest.raises((AssertionError, pytest.fail.Exception)):
            shell.run(command)
