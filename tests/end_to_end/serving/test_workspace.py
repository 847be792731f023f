"""A server with a workspace, as a client sees it: what is added or edited is found, and stays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from tests.compiler.encoding.conftest import write_model
from tests.end_to_end.sealed import namespaces
from tests.end_to_end.serving.test_http import address_of
from tests.end_to_end.serving.test_stdio import HELLO, ask, call
from tests.few_watches import with_few_watches
from tests.waiting import PATIENCE_S, until

from kb_runtime.errors import exit_codes
from kb_runtime.live.compiler_process import EXIT_WITH_PARENT
from kb_runtime.live.workspace import Workspace
from kb_runtime.mcp import revisions
from kb_runtime.store.locks import try_lock
from kb_runtime.store.manifest import load, resolve
from kbc.encoding.pinned import PINNED_WEIGHTS_SHA256
from kbc.pipeline.build import BuildOptions, BuildReport, build

"""For what takes seconds on a machine that has nothing else to do."""

SHIPPED = [
    {
        "uid": "S-1",
        "jiraKey": "SEA-1",
        "title": "Hoist the sail",
        "tags": ["deck"],
        "steps": ["Pull the rope"],
    }
]
NEW = [
    {
        "uid": "N-1",
        "jiraKey": "SEA-7",
        "title": "Light the lantern at dusk",
        "tags": ["night"],
        "steps": [{"action": "Strike a match", "expected": "the lantern burns"}],
    },
    {"uid": "S-1", "jiraKey": "SEA-1", "title": "Lower the sail", "tags": [], "steps": []},
]
TREE = {
    "src/retry.py": (
        "def with_retries(action):\n"
        '    """Calls an action again after a pause when it fails."""\n'
        "    return action()\n"
    ),
    "src/queue.rs": "/// Drops the oldest entry when it is full.\npub struct RingQueue {}\n",
}


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> BuildReport:
    """Two pages, and one test that a workspace can replace."""
    assert pytestconfig.cache is not None
    root = tmp_path_factory.mktemp("shipped")
    (root / "docs").mkdir()
    (root / "docs" / "anchors.md").write_text("# Anchors\n\nAn anchor holds the ship.\n")
    (root / "tests").mkdir()
    (root / "tests" / "sea.json").write_text(json.dumps(SHIPPED))
    (root / "kb.toml").write_text('[kb]\nname = "sea"\n')
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    return build(root, BuildOptions(out=root / "out", cache=cache))


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    """A knowledge base with neither tests nor code."""
    assert pytestconfig.cache is not None
    root = tmp_path_factory.mktemp("pages")
    (root / "docs").mkdir()
    (root / "docs" / "anchors.md").write_text("# Anchors\n\nAn anchor holds the ship.\n")
    (root / "kb.toml").write_text('[kb]\nname = "sea"\n')
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    return build(root, BuildOptions(out=root / "out", cache=cache)).path.parent


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "new.json").write_text(json.dumps(NEW))
    return folder


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in TREE.items():
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "tree"


class Talk:
    """A conversation with a server over pipes."""

    def __init__(self, process: subprocess.Popen[bytes], *, hello: bool = True) -> None:
        """Without `hello` the conversation is a stateless one."""
        self.process = process
        self.hello = ask(process, HELLO)["result"] if hello else {}

    def send(
        self, request_id: Any, tool: str, arguments: dict[str, Any], envelope: dict[str, Any]
    ) -> None:
        params = {"name": tool, "arguments": arguments, **envelope}
        message = {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result: dict[str, Any] = ask(self.process, call(tool, **arguments))["result"]
        return result

    def facts(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = self(tool, **arguments)
        assert not result["isError"], result["content"]
        facts: dict[str, Any] = result["structuredContent"]
        return facts

    def until(self, accepts: Callable[[Any], bool], tool: str, **arguments: Any) -> dict[str, Any]:
        """Asks again until the answer is as wanted."""
        facts: dict[str, Any] = {}

        def is_as_wanted() -> bool:
            nonlocal facts
            facts = self.facts(tool, **arguments)
            return accepts(facts)

        until(is_as_wanted, lambda: json.dumps(facts, indent=1))
        return facts


def titles(facts: dict[str, Any]) -> list[str]:
    return [found["test"]["title"] for found in facts["results"]]


def first_file(facts: dict[str, Any]) -> str:
    return str(facts["results"][0]["file"]) if facts["results"] else ""


def descendants(pid: int) -> list[int]:
    """Processes started by a process, and by those."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
            if parent == pid:
                found += [int(entry.name), *descendants(int(entry.name))]
    return found


def wait_until_gone(pids: list[int]) -> None:
    until(lambda: not any(map(is_running, pids)), f"the end of {pids}")


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


Serve = Callable[..., Talk]


@pytest.fixture
def serve(start_server: Callable[..., Any], tmp_path: Path, data: Path) -> Serve:
    """`serve(artifact, *options)`: a conversation with a server over the test's workspace."""

    def go(
        artifact: Path,
        *options: str,
        workspace: Path = tmp_path / "ws",
        hello: bool = True,
        before: tuple[str, ...] = (),
    ) -> Talk:
        shown = ("--workspace", str(workspace), "--data", str(data), *options)
        return Talk(start_server(artifact, *shown, before=before), hello=hello)

    return go


def test_ingested_tests_are_found_at_once_and_after_a_restart(
    shipped: BuildReport, serve: Serve, tmp_path: Path
) -> None:
    before = {path: path.read_bytes() for path in shipped.path.rglob("*") if path.is_file()}
    talk = serve(shipped.path.parent)
    answer = talk("ingest_tests", functional_path="new.json")
    facts = answer["structuredContent"]
    assert answer["content"][0]["text"].startswith(
        "**Ingestion Complete**\n\n- Functional Tests: 2 docs, 1 steps\n"
    )
    assert facts["persisted"] is True
    assert facts["functional"] == {"docs_ingested": 2, "steps_ingested": 1}
    live = resolve(Workspace.open(tmp_path / "ws").tests.kb_folder)
    assert facts["buildId"] == Path(live).name
    for server in (talk, serve(shipped.path.parent)):
        assert titles(server.facts("search_tests", query="lantern burns at dusk"))[0] == (
            "Light the lantern at dusk"
        )
        assert server.facts("get_test_by_jira", jira_key="SEA-7")["uid"] == "N-1"
        assert server.facts("get_test_by_jira", jira_key="SEA-1")["title"] == "Lower the sail"
        assert "Hoist the sail" not in titles(server.facts("search_tests", query="hoist sail"))
        assert server.facts("check_health")["tests"] == 2
    assert {path: path.read_bytes() for path in shipped.path.rglob("*") if path.is_file()} == before


def test_the_tools_of_a_workspace_are_offered_before_it_holds_anything(
    pages: Path, serve: Serve, tree: Path
) -> None:
    talk = serve(pages, "--code", str(tree))
    listed = ask(talk.process, {"jsonrpc": "2.0", "id": 9, "method": "tools/list"})["result"]
    tools = {tool["name"]: tool for tool in listed["tools"]}
    assert tools.keys() >= {"ingest_tests", "search_tests", "codebase_retrieval", "get_file"}
    assert tools["ingest_tests"]["annotations"]["readOnlyHint"] is False
    assert tools["ingest_tests"]["annotations"]["idempotentHint"] is False
    assert "search_tests" in talk.hello["instructions"]
    assert talk.facts("search_tests", query="anything")["results"] == []
    assert talk("find_similar_tests", jira_key="SEA-1")["isError"]
    assert talk.facts("check_health")["tests"] == 0


@pytest.mark.parametrize("content", [b"[" * 20_000, None])
def test_what_ships_is_served_alone_where_the_workspace_is_none(
    shipped: BuildReport, serve: Serve, tree: Path, tmp_path: Path, content: bytes | None
) -> None:
    marker = tmp_path / "ws" / "workspace.json"
    marker.parent.mkdir()
    os.mkfifo(marker) if content is None else marker.write_bytes(content)
    talk = serve(shipped.path.parent, "--code", str(tree))
    health = talk.facts("check_health")
    assert (health["status"], health["tests"]) == ("DEGRADED", 1)
    assert "the workspace is not served (workspace)" in health["problems"][0]
    _, errors = talk.process.communicate(timeout=PATIENCE_S)
    assert errors.startswith(b"kbc: serving without the workspace: The workspace ")
    assert errors.count(b"\n") == 1


def test_a_failed_compilation_changes_nothing_and_says_why(
    shipped: BuildReport, serve: Serve, tmp_path: Path
) -> None:
    talk = serve(shipped.path.parent)
    store = tmp_path / "ws" / "tests" / "kb" / "tests" / "tests.json"
    store.parent.mkdir(parents=True)
    store.write_text("[{")
    answer = talk("ingest_tests", functional_path="new.json")
    assert answer["isError"]
    text = answer["content"][0]["text"]
    assert text.startswith("API Error (503): the tests were not stored: ")
    assert "is damaged: it holds no tests." in text
    assert titles(talk.facts("search_tests", query="sail"))[0] == "Hoist the sail"
    assert store.read_text() == "[{"


def test_a_workspace_that_cannot_be_written_any_more_is_told_and_nothing_else_fails(
    shipped: BuildReport, serve: Serve, tree: Path, tmp_path: Path
) -> None:
    (tmp_path / "ws").mkdir()
    Workspace.open(tmp_path / "ws")
    for name in ("tests", "code"):  # folders that somebody has replaced by files
        (tmp_path / "ws" / name).write_text("")
    talk = serve(shipped.path.parent, "--code", str(tree))
    answer = talk("ingest_tests", functional_path="new.json")
    assert answer["isError"]
    assert "the tests were not stored: " in answer["content"][0]["text"]
    assert f"{tmp_path / 'ws' / 'tests'} is not a folder." in answer["content"][0]["text"]
    told = talk.until(
        lambda facts: facts["metadata"]["indexStatus"]["status"] == "failed",
        "codebase_retrieval",
        query="queue",
    )
    assert str(tmp_path / "ws" / "code") in told["metadata"]["indexStatus"]["problem"]
    assert titles(talk.facts("search_tests", query="sail")) == ["Hoist the sail"]


@namespaces
def test_a_workspace_without_any_space_is_told(
    pages: Path, serve: Serve, tree: Path, tmp_path: Path
) -> None:
    (tmp_path / "ws").mkdir()
    script = """
    mount -t tmpfs -o size=32k none "$0" && printf '{"format": 1}' > "$0/workspace.json" || exit 1
    cat /dev/zero > "$0/fill" 2>/dev/null
    exec "$@"
    """
    before = ("unshare", "-rm", "sh", "-c", script, str(tmp_path / "ws"))
    talk = serve(pages, "--code", str(tree), before=before)
    told = talk.until(
        lambda facts: facts["metadata"]["indexStatus"]["status"] == "failed",
        "codebase_retrieval",
        query="queue",
    )
    assert "no space left" in told["metadata"]["indexStatus"]["problem"].lower()
    assert not any("ask again in a few seconds" in warning for warning in told["warnings"])


def test_without_the_compiler_the_answer_is_how_to_get_it(
    shipped: BuildReport,
    serve: Serve,
    environment: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lacking = tmp_path / "modules"
    lacking.mkdir()
    (lacking / "markdown_it.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'markdown_it'\", name='markdown_it')\n"
    )
    monkeypatch.setitem(
        environment, "PYTHONPATH", f"{lacking}{os.pathsep}{environment['PYTHONPATH']}"
    )
    answer = serve(shipped.path.parent)("ingest_tests", functional_path="new.json")
    assert not answer["isError"]
    assert answer["content"][0]["text"].startswith("**Ingestion check**")
    assert answer["structuredContent"]["persisted"] is False
    assert answer["structuredContent"]["next"] == 'pip install "kb-compiler[compiler]"'


def test_calls_that_ingest_at_the_same_time_add_all_they_bring(
    shipped: BuildReport,
    start_server: Callable[..., Any],
    data: Path,
    tmp_path: Path,
) -> None:
    for number in range(4):
        tests = [{"uid": f"P-{number}", "title": f"Port {number}", "tags": ["x"], "steps": ["Go"]}]
        (data / f"{number}.json").write_text(json.dumps(tests))

    async def converse() -> None:
        options = ("--workspace", str(tmp_path / "ws"), "--data", str(data))
        servers = [
            address_of(start_server(shipped.path.parent, "--http", "--port", "0", *options))
            for _ in range(2)
        ]
        async with Client(servers[0]) as one, Client(servers[1]) as other:
            async with anyio.create_task_group() as calls:
                for number in range(4):
                    client = (one, other)[number % 2]
                    path = {"functional_path": f"{number}.json"}
                    calls.start_soon(client.call_tool, "ingest_tests", path)
            for client in (one, other):
                health = await client.call_tool("check_health", {})
                assert health.structured_content["tests"] == 5

    anyio.run(converse)


def test_an_edited_file_is_found_and_its_meaning_soon_after(
    pages: Path, serve: Serve, tree: Path
) -> None:
    talk = serve(pages, "--code", str(tree))
    query = "call something again when it fails"
    first = talk.until(lambda facts: bool(facts["results"]), "codebase_retrieval", query=query)
    assert first_file(first) == "src/retry.py"
    ready = talk.until(
        lambda facts: facts["metadata"]["query_mode"] == "hybrid",
        "codebase_retrieval",
        query=query,
    )
    assert first_file(ready) == "src/retry.py"
    assert ready["metadata"]["indexStatus"]["embedding"] == "complete"
    assert ready["metadata"]["workspace"] == str(tree)

    (tree / "src" / "retry.py").write_text("def breaker():\n    '''Opens a circuit.'''\n")
    (tree / "src" / "lamp.go").write_text("package lamp\n\nfunc Ignite() {}\n")
    changed = talk.until(
        lambda facts: "Opens a circuit" in json.dumps(facts["results"]),
        "codebase_retrieval",
        query="opens a circuit breaker",
    )
    assert first_file(changed) == "src/retry.py"
    assert "stale" not in changed["results"][0]
    found = talk.until(
        lambda facts: first_file(facts) == "src/lamp.go", "codebase_retrieval", query="Ignite"
    )
    assert found["results"][0]["lines"] == "1-3"
    assert "breaker" in talk.facts("get_file", path="src/retry.py")["content"]
    after = talk.facts("codebase_retrieval", query="with_retries")
    assert not any("with_retries" in found["content"] for found in after["results"])

    (tree / "src" / "queue.rs").unlink()
    for_deleted = talk.facts("codebase_retrieval", query="ring queue drops the oldest entry")
    assert "src/queue.rs" not in [found["file"] for found in for_deleted["results"]]


def test_files_that_changed_while_no_server_ran_are_found_after_the_start(
    pages: Path, serve: Serve, tree: Path
) -> None:
    first = serve(pages, "--code", str(tree))
    first.until(
        lambda facts: facts["metadata"]["indexStatus"].get("embedding") == "complete",
        "codebase_retrieval",
        query="queue",
    )
    first.process.kill()
    first.process.wait()
    (tree / "src" / "new.py").write_text("def reef_the_mainsail():\n    pass\n")
    talk = serve(pages, "--code", str(tree))
    talk.until(
        lambda facts: first_file(facts) == "src/new.py",
        "codebase_retrieval",
        query="reef the mainsail",
    )


def test_what_a_dead_follower_said_last_is_not_told(
    pages: Path, serve: Serve, tree: Path, tmp_path: Path
) -> None:
    first = serve(pages, "--code", str(tree))
    first.until(
        lambda facts: facts["metadata"]["indexStatus"]["status"] == "ready",
        "codebase_retrieval",
        query="queue",
    )
    assert first.process.stdin is not None
    first.process.stdin.close()
    first.process.wait()
    code = Workspace.open(tmp_path / "ws").code(str(tree))
    until(lambda: not code.is_followed(), "the follower to end")
    said = {**code.status(), "state": "failed", "problem": "the one that is dead had one"}
    Path(code.status_path).write_text(json.dumps(said))
    seen = []

    def is_ready(facts: dict[str, Any]) -> bool:
        seen.append(facts)
        return bool(facts["metadata"]["indexStatus"]["status"] == "ready")

    serve(pages, "--code", str(tree)).until(is_ready, "codebase_retrieval", query="queue")
    assert "the one that is dead" not in json.dumps(seen)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("killed", ["server", "compiler"])
def test_what_is_killed_leaves_no_process_and_no_debris(
    pages: Path, serve: Serve, tree: Path, tmp_path: Path, killed: str
) -> None:
    talk = serve(pages, "--code", str(tree))
    talk.until(lambda facts: bool(facts["results"]), "codebase_retrieval", query="queue")
    started = descendants(talk.process.pid)
    assert started
    if killed == "server":
        talk.process.kill()
        talk.process.wait()
        wait_until_gone(started)
        talk = serve(pages, "--code", str(tree))
    else:
        for pid in started[:1]:
            os.kill(pid, signal.SIGKILL)
        wait_until_gone(started)
    (tree / "src" / "after.py").write_text("def after_the_storm():\n    pass\n")
    talk.until(
        lambda facts: (
            first_file(facts) == "src/after.py"
            and facts["metadata"]["indexStatus"]["status"] == "ready"
        ),
        "codebase_retrieval",
        query="after the storm",
    )
    debris = [path.name for path in (tmp_path / "ws").rglob(".tmp-*")]
    assert debris == []
    rest = descendants(talk.process.pid)
    talk.process.stdin.close()  # type: ignore[union-attr]
    talk.process.wait()
    wait_until_gone(rest)


@contextmanager
def ingestions_wait(workspace: Path) -> Iterator[None]:
    """Holds what ingestions into a workspace take turns by."""
    folder = Path(Workspace.open(workspace).tests.folder)
    folder.mkdir(exist_ok=True)
    with (folder / ".lock").open("a") as lock:
        assert try_lock(lock.fileno())
        yield


@pytest.mark.parametrize("stateless", [False, True])
def test_a_search_is_answered_while_tests_are_ingested(
    shipped: BuildReport, serve: Serve, tmp_path: Path, stateless: bool
) -> None:
    meta = {
        revisions.REVISION_KEY: revisions.STATELESS_REVISIONS[0],
        revisions.CAPABILITIES_KEY: {},
    }
    envelope = {"_meta": meta} if stateless else {}
    talk = serve(shipped.path.parent, hello=not stateless)
    with ingestions_wait(tmp_path / "ws"):
        talk.send("i", "ingest_tests", {"functional_path": "new.json"}, envelope)
        for number in range(3):
            talk.send(number, "search_tests", {"query": "sail"}, envelope)
        answers = [talk.receive() for _ in range(3)]
        assert [answer["id"] for answer in answers] == [0, 1, 2]
        for answer in answers:
            assert titles(answer["result"]["structuredContent"]) == ["Hoist the sail"]
    stored = talk.receive()
    assert stored["id"] == "i"
    assert stored["result"]["structuredContent"]["persisted"] is True
    talk.send("after", "search_tests", {"query": "lantern"}, envelope)
    found = talk.receive()["result"]["structuredContent"]
    assert titles(found)[0] == "Light the lantern at dusk"


def test_a_client_that_leaves_after_its_call_gets_the_tests_stored(
    shipped: BuildReport, serve: Serve
) -> None:
    talk = serve(shipped.path.parent)
    talk.send(1, "ingest_tests", {"functional_path": "new.json"}, {})
    assert talk.process.stdin is not None
    talk.process.stdin.close()
    assert talk.receive()["result"]["structuredContent"]["persisted"] is True
    assert talk.process.wait() == 0
    assert titles(serve(shipped.path.parent).facts("search_tests", query="lantern"))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_server_that_is_told_to_stop_does_not_wait_for_an_ingestion(
    shipped: BuildReport, serve: Serve, tmp_path: Path
) -> None:
    talk = serve(shipped.path.parent)
    with ingestions_wait(tmp_path / "ws"):
        talk.send(1, "ingest_tests", {"functional_path": "new.json"}, {})
        started = until(lambda: descendants(talk.process.pid), "the compiler is started")
        talk.process.terminate()
        assert talk.process.wait() == 0
        wait_until_gone(started)
    later = serve(shipped.path.parent)
    assert later.facts("check_health")["tests"] == 1
    assert later("ingest_tests", functional_path="new.json")["structuredContent"]["persisted"]


def encoders(folder: Path) -> set[str]:
    """The weights that made the vectors of what is live below a folder of a workspace."""
    return {
        load(resolve(current.parent))["encoder"]["weights_sha256"]
        for current in folder.rglob("CURRENT")
    }


@pytest.mark.slow
def test_a_workspace_is_embedded_with_the_model_of_the_artifact_where_it_is_named(
    serve: Serve, tree: Path, tmp_path: Path
) -> None:
    model = write_model(tmp_path / "tiny", positions=80, max_seq_length=64)
    (tmp_path / "kb" / "docs").mkdir(parents=True)
    (tmp_path / "kb" / "docs" / "anchors.md").write_text("# Anchors\n\nThey hold the ship.\n")
    (tmp_path / "kb" / "kb.toml").write_text('[kb]\nname = "sea"\n')
    options = BuildOptions(out=tmp_path / "out", cache=tmp_path / "cache", model=model)
    artifact = build(tmp_path / "kb", options).path
    weights = load(artifact)["encoder"]["weights_sha256"]

    def indexed(*options: str) -> str:
        """What the server complained of until all was embedded with the model that is named."""
        talk = serve(artifact, "--code", str(tree), *options)
        talk.facts("ingest_tests", functional_path="new.json")
        wanted = {weights} if options else {PINNED_WEIGHTS_SHA256}

        def is_embedded() -> bool:
            code = talk.facts("codebase_retrieval", query="queue")["metadata"]["indexStatus"]
            if code.get("embedding") != "complete":
                return False
            folders = (tmp_path / "ws" / "code", tmp_path / "ws" / "tests")
            return set().union(*map(encoders, folders)) == wanted

        until(is_embedded, f"vectors of {wanted}")
        talk.facts("check_health")
        talk.process.terminate()
        return talk.process.communicate()[1].decode()

    said = indexed()
    for name in ("tests", "code"):
        assert (
            f"the {name} of the workspace are searched by keyword only, because they were embedded with"
            f" another model than the knowledge base: name the folder of {model.name} with --model\n"
        ) in said
    indexed("--model", str(model))


def test_the_workspace_may_lie_in_the_tree(pages: Path, serve: Serve, tree: Path) -> None:
    talk = serve(pages, "--code", str(tree), workspace=tree / ".kbc")
    talk("ingest_tests", functional_path="new.json")
    ready = talk.until(
        lambda facts: facts["metadata"]["indexStatus"]["status"] == "ready",
        "codebase_retrieval",
        query="lantern",
    )
    assert ready["metadata"]["indexStatus"]["fileCount"] == len(TREE)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"workspace.json": '{"format": 2}'}, "has format 2; this kbc uses format 1."),
        ({"main.py": ""}, "is neither empty nor a workspace"),
        (None, "is not a folder."),
    ],
)
def test_an_unusable_workspace_is_one_sentence_and_the_artifact_is_served(
    shipped: BuildReport,
    serve: Serve,
    tmp_path: Path,
    content: dict[str, str] | None,
    said: str,
) -> None:
    folder = tmp_path / "ws"
    if content is None:
        folder.write_text("")
    else:
        folder.mkdir()
        for name, text in content.items():
            (folder / name).write_text(text)
    talk = serve(shipped.path.parent)
    assert titles(talk.facts("search_tests", query="sail")) == ["Hoist the sail"]
    assert talk.facts("ingest_tests", functional_path="new.json")["persisted"] is False
    talk.process.terminate()
    _, complaint = talk.process.communicate()
    assert said in complaint.decode()
    assert complaint.count(b"\n") == 1


def test_a_tree_that_becomes_a_file_is_told_and_followed_again_when_it_is_back(
    pages: Path, serve: Serve, tree: Path
) -> None:
    talk = serve(pages, "--code", str(tree))
    talk.until(lambda facts: bool(facts["results"]), "codebase_retrieval", query="queue")
    aside = tree.rename(tree.with_name("aside"))
    tree.write_text("")
    broken = talk.until(
        lambda facts: facts["metadata"]["indexStatus"]["status"] == "failed",
        "codebase_retrieval",
        query="queue",
    )
    assert "Not a directory" in broken["metadata"]["indexStatus"]["problem"]
    assert any("not kept up to date" in warning for warning in broken["warnings"])
    tree.unlink()
    aside.rename(tree)
    (tree / "src" / "back.py").write_text("def back_again():\n    pass\n")
    talk.until(
        lambda facts: (
            first_file(facts) == "src/back.py"
            and facts["metadata"]["indexStatus"]["status"] == "ready"
        ),
        "codebase_retrieval",
        query="back again",
    )


@pytest.mark.slow
@pytest.mark.parametrize("instead", ["nothing", "file"])
def test_a_tree_that_goes_away_while_it_is_embedded_is_ready_soon_after_it_is_back(
    pages: Path, serve: Serve, tree: Path, instead: str
) -> None:
    talk = serve(pages, "--code", str(tree))
    talk.until(
        lambda facts: facts["metadata"]["indexStatus"]["status"] == "indexing",
        "codebase_retrieval",
        query="queue",
    )
    aside = tree.rename(tree.with_name("aside"))
    if instead == "file":
        tree.write_text("")
    broken = talk.until(
        lambda facts: facts["metadata"]["indexStatus"]["status"] == "failed",
        "codebase_retrieval",
        query="queue",
    )
    assert "defect" not in broken["metadata"]["indexStatus"]["problem"]
    time.sleep(2.0)  # so that the process that embeds has met it, too
    tree.unlink(missing_ok=True)
    aside.rename(tree)
    ready = talk.until(
        lambda facts: facts["metadata"]["indexStatus"]["status"] == "ready",
        "codebase_retrieval",
        query="queue",
    )
    assert ready["metadata"]["indexStatus"]["embedding"] == "complete"


@pytest.mark.parametrize("there", [None, "file", "empty"])
def test_a_tree_that_cannot_be_indexed_is_one_sentence_for_who_runs_the_command(
    tmp_path: Path, environment: dict[str, str], there: str | None
) -> None:
    tree = tmp_path / "tree"
    if there == "file":
        tree.write_text("")
    elif there == "empty":
        tree.mkdir()
    run = subprocess.run(
        [
            *(sys.executable, "-m", "kbc", "workspace", "index", str(tmp_path / "ws")),
            *("--code", str(tree)),
        ],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == exit_codes.INPUT
    assert run.stderr.startswith(f"kbc: {tree} ")
    assert run.stderr.count("\n") == 1


@pytest.mark.slow
def test_where_the_kernel_watches_too_few_folders_edits_are_found_and_it_is_told(
    pages: Path, serve: Serve, tree: Path
) -> None:
    before = with_few_watches("2 > /proc/sys/user/max_inotify_watches")
    (tree / "src" / "deep").mkdir()
    talk = serve(pages, "--code", str(tree), before=before)
    ready = talk.until(
        lambda facts: facts["metadata"]["indexStatus"]["status"] == "ready",
        "codebase_retrieval",
        query="queue",
    )
    notice = ready["metadata"]["indexStatus"]["notice"]
    assert notice.startswith("files are compared every 2 s, because the kernel cannot watch them: ")
    assert "the limit of watched folders is reached" in notice
    (tree / "src" / "deep" / "new.py").write_text("def reef_the_mainsail():\n    pass\n")
    talk.until(
        lambda facts: first_file(facts) == "src/deep/new.py",
        "codebase_retrieval",
        query="reef the mainsail",
    )


def test_the_sdk_client_ingests_and_finds(
    shipped: BuildReport, environment: dict[str, str], data: Path, tmp_path: Path
) -> None:
    async def converse() -> None:
        options = ["--workspace", str(tmp_path / "ws"), "--data", str(data)]
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "kb_runtime", str(shipped.path.parent), "--tools", "all", *options],
            env=environment,
        )
        async with Client(server) as client:
            await client.list_tools()  # the answer below is held to its output schema
            stored = await client.call_tool("ingest_tests", {"functional_path": "new.json"})
            assert stored.structured_content["persisted"] is True
            found = await client.call_tool("search_tests", {"query": "lantern"})
            assert found.structured_content["results"][0]["test"]["uid"] == "N-1"

    anyio.run(converse)


def test_a_command_adds_to_the_workspace_of_a_running_server(
    shipped: BuildReport, serve: Serve, data: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    talk = serve(shipped.path.parent)
    command = ["workspace", "ingest", str(tmp_path / "ws"), str(data / "new.json")]
    run = subprocess.run(
        [sys.executable, "-m", "kbc", *command], env=environment, capture_output=True, check=True
    )
    assert b"2 tests added" in run.stdout
    assert EXIT_WITH_PARENT not in command
    assert titles(talk.facts("search_tests", query="lantern"))[0] == "Light the lantern at dusk"
