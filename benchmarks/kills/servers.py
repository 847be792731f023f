"""`kill -9` of a server with a workspace, or of a compiler that it has started, at a random instant.

Meanwhile a version of what it serves is published, `ingest_tests` runs, a source file is edited, and a
client searches without pause.
"""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from threading import Thread
from typing import Any

import psutil

from benchmarks.kills import debris
from benchmarks.kills.builds import EDIT, KEEP, EditedKb
from benchmarks.swaps.clients import HttpClient
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.examination.verification import check
from kb_runtime.live.workspace import Workspace
from kb_runtime.store.manifest import CURRENT

STDIO, HTTP, COMPILER = "server on stdio", "server on HTTP", "its compiler"
PATIENCE_S = 900.0  # the compiler that embeds a tree has low priority
TESTS = "tests.json"
INGEST, FOLLOW = "ingest", "follow"
FILES = 6
KEPT_BY_READERS = 1  # versions that a server has open stay when others are published
_HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "kills", "version": "1"},
}


class ServerDiedError(Exception):
    """The server did not answer any more."""


class Server:
    """A server process with a workspace, and one conversation with it."""

    def __init__(self, command: list[str], environment: dict[str, str], complaints: Path) -> None:
        """`complaints` is where its stderr goes."""
        self._is_http = "--http" in command
        self._complaints = complaints
        self._http: HttpClient | None = None
        with complaints.open("wb") as file:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=file,
                env=environment,
            )

    def greet(self) -> None:
        """Waits until it answers. Raises ServerDiedError."""
        if self._is_http:
            self._http = HttpClient(self._port(), PATIENCE_S)
        else:
            self._ask("initialize", _HELLO)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a tool, which may be an error. Raises ServerDiedError."""
        return self._ask("tools/call", {"name": tool, "arguments": arguments})

    def edits(self) -> tuple[set[int], list[str]]:
        """Which edits a page shows, and what is wrong with that: there must be one."""
        result = self.call("demo_get_doc", filename="page0.md")
        found = {int(number) for number in EDIT.findall(json.dumps(result))}
        said = wrong_with(result)
        return found, [f"a page: {said or found}"] if said or len(found) != 1 else []

    def compilers(self) -> list[psutil.Process]:
        """The processes that it has started, and those that they have."""
        with suppress(psutil.NoSuchProcess):
            return psutil.Process(self.process.pid).children(recursive=True)
        return []

    def kill(self) -> bool:
        """Kills it; whether it was still running."""
        ran = self.process.poll() is None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        return ran

    def close(self) -> None:
        """Ends it as its clients do, if it still runs, and lets go of it."""
        if self._is_http:
            self.process.terminate()
        self.process.communicate()
        if self._http is not None:
            self._http.close()

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        try:
            if self._http is not None:
                answer = self._http.call(method, params)
            else:
                answer = self._through_pipes(method, params)
        except (OSError, ValueError, HTTPException) as error:  # no answer, or half of one
            raise ServerDiedError(f"{method}: {error}") from error
        result: dict[str, Any] | None = answer.get("result")
        return {"isError": True, "content": [{"text": str(answer)}]} if result is None else result

    def _through_pipes(self, method: str, params: dict[str, Any]) -> Any:
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        stdin.write(json.dumps(request).encode() + b"\n")
        stdin.flush()
        return json.loads(stdout.readline())

    def _port(self) -> int:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline and self.process.poll() is None:
            for line in self._complaints.read_text().splitlines(keepends=True):
                if "listening on" in line and line.endswith("\n"):
                    return int(line.rpartition(":")[2].partition("/")[0])
            time.sleep(0.02)
        raise ServerDiedError("it does not listen")


def wrong_with(result: dict[str, Any]) -> str:
    """What a result says is wrong; "" for one that is none."""
    return str(result["content"][0]["text"]) if result.get("isError") else ""


class Client(Thread):
    """Has the next version published, adds tests, and then looks a page up until it is stopped."""

    def __init__(self, server: Server, kb: EditedKb) -> None:
        super().__init__()
        self._server = server
        self._kb = kb
        self._stopped = False
        self.ingested: dict[str, Any] | None = None
        self.done_s = 0.0  # from the start of the thread to the end of all it had to do
        self.publication: Future[None] | None = None
        self.wrong: list[str] = []
        self.end: ServerDiedError | None = None

    def run(self) -> None:
        began = time.monotonic()
        with ThreadPoolExecutor(1) as publisher:
            try:
                self._server.greet()
                self._kb.edit()
                self.publication = publisher.submit(self._kb.rebuild)
                self.ingested = self._server.call("ingest_tests", functional_path=TESTS)
                self.publication.exception()  # waits for its end
                self.done_s = time.monotonic() - began
                while not self._stopped:
                    self.wrong += self._server.edits()[1]
            except ServerDiedError as error:
                self.end = error

    def finish(self) -> None:
        """Waits until it has done what it had to do."""
        while self.is_alive() and not self.done_s:
            time.sleep(0.02)
        self._stopped = True
        self.join()


class Servers:
    """Rounds with a server, or a compiler of one, as victim. `victims` are their names."""

    victims = (STDIO, HTTP, COMPILER)

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self._folder = folder
        self._chance = chance
        self._kb = EditedKb(folder)
        self._data, self._tree = folder / "data", folder / "tree"
        self._root = folder / "workspace"
        self._rounds = 0
        self._tests = 0  # that the workspace has
        self._data.mkdir()
        self._tree.mkdir()
        for number in range(FILES):
            (self._tree / f"module{number}.py").write_text(
                f"def function{number}():\n    return {number}\n"
            )
        self._work_s: dict[tuple[str, bool], float] = {}

    def round(self, victim: str, *, cold: bool) -> tuple[str, list[str]]:
        """One kill; gives what was killed or how far it was, and what was wrong afterwards. `cold`
        removes the workspace first."""
        transport = self._chance.choice((STDIO, HTTP)) if victim == COMPILER else victim
        if (transport, cold) not in self._work_s:
            self._work_s[transport, cold] = self._time(transport, cold=cold)
        server, client = self._begin(transport, cold=cold)
        time.sleep(self._chance.uniform(0, self._work_s[transport, cold] * 1.1))
        if victim == COMPILER:
            what, wrong = self._kill_a_compiler(server)
            client.finish()
        else:
            doomed = server.compilers()
            wrong = [] if server.kill() else [f"the server ended by itself: {client.end}"]
            wrong += debris.still_running(doomed)
            client.join()
            what = "had not ingested" if client.ingested is None else "had ingested"
        wrong += client.wrong + _unexpected(client, victim)
        # A tree whose index could not be built is tried again after minutes, or by the next server.
        if what not in (INGEST, FOLLOW):
            server.close()
            server = self._server(transport)
            server.greet()
        wrong += self._answers(server, client)
        # A compiler that is at work when its server is closed may not have the time to clean up.
        return what, wrong + self._code(server) + self._left_by(server)

    def temporary_files(self) -> list[str]:
        """What is left in the temporary folder after a server that nobody killed."""
        server = self._server(STDIO)
        server.greet()
        for tool in ("demo_hybrid_search", "codebase_retrieval", "search_tests"):
            server.call(tool, query="some text")
        if self._rounds:
            self._code(server)  # nobody is at work then who would be killed with it
        server.close()
        return debris.in_temporary_folder(self._kb.temporary)

    def _begin(self, transport: str, *, cold: bool) -> tuple[Server, Client]:
        """A server that has just been started, and its client at work."""
        if cold:
            shutil.rmtree(self._root, ignore_errors=True)
            self._tests = 0
        self._rounds += 1
        tests = [{"uid": f"T-{self._rounds}", "title": "A test", "tags": ["x"], "steps": ["Go"]}]
        (self._data / TESTS).write_text(json.dumps(tests))
        with (self._tree / f"module{self._rounds % FILES}.py").open("a") as file:
            file.write(f"\n\ndef added{self._rounds}():\n    return None\n")
        server = self._server(transport)
        client = Client(server, self._kb)
        client.start()
        return server, client

    def _server(self, transport: str) -> Server:
        command = [
            *(sys.executable, "-m", "kb_runtime", str(self._kb.kb_folder)),
            *("--tools", "all"),
            *("--workspace", str(self._root), "--data", str(self._data)),
            *("--code", str(self._tree)),
            *(("--http", "--port", "0") if transport == HTTP else ()),
        ]
        return Server(command, self._kb.environment, self._folder / "stderr")

    def _time(self, transport: str, *, cold: bool) -> float:
        """Seconds that a server and its client need for all they do."""
        server, client = self._begin(transport, cold=cold)
        client.finish()
        wrong = client.wrong + self._answers(server, client)
        wrong += self._code(server) + self._left_by(server)
        assert not wrong, wrong
        return client.done_s

    def _kill_a_compiler(self, server: Server) -> tuple[str, list[str]]:
        """Kills one of the server's processes as soon as there is one; gives what it was, and what was
        wrong afterwards."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            with suppress(psutil.NoSuchProcess, IndexError):
                running = sorted(server.compilers(), key=psutil.Process.create_time)
                # The one that follows the tree always runs; the newest is at work.
                victim = self._chance.choice((running[-1], self._chance.choice(running)))
                what = _job(victim)
                doomed = [victim, *victim.children(recursive=True)]
                victim.kill()
                return what, debris.still_running(doomed)
        return "", ["the server started no compiler"]

    def _answers(self, server: Server, client: Client) -> list[str]:
        """What is wrong with a server's answers: about the version that was published last, the tests
        that are stored, a repeated ingestion, and the text of the edited source file."""
        found, wrong = server.edits()
        if found != {self._kb.edits}:
            wrong.append(f"it answers from {found}, and {self._kb.edits} is live")
        was_told = client.ingested is not None and not wrong_with(client.ingested)
        before = _tests(server)
        if before not in (self._tests + was_told, self._tests + 1):
            wrong.append(f"{before} tests, not {self._tests} and one that was added")
        again = server.call("ingest_tests", functional_path=TESTS)
        self._tests += 1
        if wrong_with(again) or _tests(server) != self._tests:
            wrong.append(f"after the next ingestion {_tests(server)} tests: {wrong_with(again)}")
        return wrong + self._code(server, wait_for_all=False)

    def _code(self, server: Server, *, wait_for_all: bool = True) -> list[str]:
        """Waits until the last edit of the source tree is found, and all of it embedded; what is wrong
        otherwise."""
        name = f"added{self._rounds}"
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            result = server.call("codebase_retrieval", query=name, top_k=3)
            facts = result["structuredContent"]
            is_ready = facts["metadata"]["indexStatus"]["status"] == "ready"
            if (is_ready or not wait_for_all) and f"def {name}" in json.dumps(facts["results"]):
                return []
            time.sleep(0.5)
        return [f"the source tree is not indexed: {facts['metadata']}"]

    def _left_by(self, server: Server) -> list[str]:
        """What is wrong when a server has been closed."""
        compilers = server.compilers()
        server.close()
        wrong = debris.still_running(compilers)
        workspace = Workspace.open(self._root)
        code = workspace.code(str(self._tree))
        for kb_folder in (workspace.tests.kb_folder, *code.kb_folders):
            if Path(kb_folder, CURRENT).exists():
                with Artifact.open(kb_folder) as artifact:
                    wrong += [problem.message for problem in check(artifact)]
        wrong += debris.in_output(self._kb.kb_folder, KEEP + KEPT_BY_READERS)
        return wrong + debris.in_workspace(self._root, KEEP + KEPT_BY_READERS)


def _tests(server: Server) -> int:
    return int(server.call("check_health")["structuredContent"]["tests"])


def _unexpected(client: Client, victim: str) -> list[str]:
    """What should not have happened to a client, whatever was killed."""
    wrong = []
    if client.publication is not None and client.publication.exception() is not None:
        wrong.append(f"the version was not published: {client.publication.exception()}")
    if victim == COMPILER and client.end is not None:
        wrong.append(f"the server did not survive its compiler: {client.end}")
    said = "" if client.ingested is None else wrong_with(client.ingested)
    if said and "the tests were not stored" not in said:
        wrong.append(f"ingest_tests: {said}")
    return wrong


def _job(process: psutil.Process) -> str:
    """Which compiler a process is: `ingest`, `follow` or `index`, where it has come to be one."""
    words = process.cmdline()
    return words[words.index("workspace") + 1] if "workspace" in words else "just started"
