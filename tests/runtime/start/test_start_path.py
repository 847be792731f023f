"""The start path: what a server imports before it answers `initialize`, which a client waits for.

Tricks for start-up (imports inside functions, `TYPE_CHECKING = False`, classes without a decorator) are
for these modules only; a new name in the lists below is a decision, with a measured cost.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

OWN = """
digests errors errors.exit_codes errors.panics knowledge knowledge.artifact knowledge.lazy_readers live
live.versions log
mcp mcp.answers mcp.connection mcp.correlation mcp.dispatch mcp.failures
mcp.introduction mcp.params mcp.revisions mcp.stdio options options.serve signals start start.main store
store.integrity store.location store.locks store.manifest store.manifest_schema text text.addresses
text.json_types text.written_json tools tools.session version
"""
OTHER_STARTS = """
__init__ cli.packaged knowledge.federation.federation knowledge.federation.layout
knowledge.federation.manifest knowledge.federation.shadowing knowledge.unindexed.empty live.followed_tree
live.living_workspace live.source_trees live.working_tree live.workspace mcp.calls mcp.changes
mcp.completions mcp.merged_answers mcp.prompts mcp.resources mcp.workspace_answers records.well_formed
start.empty_answers
"""
"""What a server of several artifacts, of a workspace, of a tree or from a wheel imports besides, and what
answers the other requests that clients send before their first call."""
RUNTIME = Path(__file__).parents[3] / "runtime" / "kb_runtime"
STANDARD_LIBRARY = {
    "bisect",
    "faulthandler",
    "fcntl",
    "json",
    "msvcrt",
    "select",
    "selectors",
    "signal",
}

PROBE = """
import os, runpy, sys
before = set(sys.modules)
write = os.write
answers = int(sys.argv.pop())
def answer(sink, data):
    global answers
    answers -= b'"jsonrpc"' in bytes(data)
    if not answers:
        print(*sorted(set(sys.modules) - before), file=sys.stderr)
        os._exit(0)
    return len(data)
os.write = answer
vars(os).pop("pwritev", None)  # what is written goes through `write`
runpy.run_module("kb_runtime", run_name="__main__", alter_sys=True)
"""


HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
SEARCH = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "quint_hybrid_search", "arguments": {"query": "sets"}},
}


def imported_for(artifact: Path, *requests: object) -> set[str]:
    """The modules imported when all requests are answered."""
    server = subprocess.run(
        [sys.executable, "-c", PROBE, str(artifact), str(len(requests))],
        input="".join(f"{json.dumps(each)}\n" for each in requests),
        capture_output=True,
        text=True,
        check=False,
    )
    assert server.stdout == "", server.stdout
    return set(server.stderr.split())


@pytest.fixture
def imported(quint_artifact: Path) -> set[str]:
    return imported_for(quint_artifact, HELLO)


def test_a_first_search_waits_for_no_generated_classes(quint_artifact: Path) -> None:
    # A class with the decorator takes 1 to 2 ms to make, the module and what it imports 10.
    modules = imported_for(quint_artifact, HELLO, SEARCH)
    assert "kb_runtime.tools.search.hybrid" in modules
    assert "dataclasses" not in modules


def test_the_handshake_imports_what_is_listed_and_no_more(imported: set[str]) -> None:
    own = {name.removeprefix("kb_runtime.") for name in imported if name.startswith("kb_runtime.")}
    assert own == set(OWN.split())


def with_their_imports(names: set[str]) -> set[str]:
    """The modules that a new interpreter has after the import of those that this system has of `names`."""
    program = "import sys\nfor name in sys.argv[1:]: __import__(name)\nprint(*sys.modules)"
    here = sorted(name for name in names if find_spec(name))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, *here],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_the_handshake_imports_no_library(imported: set[str]) -> None:
    foreign = {name for name in imported if not name.startswith(("_", "kb_runtime"))}
    assert foreign <= with_their_imports(STANDARD_LIBRARY)
    assert "json" in foreign


def test_tricks_for_start_up_stay_on_the_start_path() -> None:
    users = {
        ".".join(path.relative_to(RUNTIME).with_suffix("").parts)
        for path in RUNTIME.rglob("*.py")
        if "\nTYPE_CHECKING = False\n" in path.read_text()
    }
    allowed = set(OWN.split()) | {f"{name}.__init__" for name in OWN.split()}
    assert users <= allowed | set(OTHER_STARTS.split())
