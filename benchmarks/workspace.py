"""What a client waits for at a server with a workspace: the first index of a tree, edits, ingested tests.

    python -m benchmarks.workspace [TREE] [--files 2000] [--edits 10] [--tests 100] [--no-vectors]

TREE is copied, up to so many source files; without it a tree is made up. Everything is measured through
the pipes of a real server on a new workspace with an empty cache, and waited for by asking again. Edits
are made while files are being embedded and, when that has ended, once more. With `--no-vectors` nothing
is waited for that needs all embeddings. Exit code 1 when a bar is missed.

    private memory   the most that a compiler had in data pages, which its limit counts, next to its
                     address space, which would be the other thing to limit
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from benchmarks.stdio import ROOT, Server, row, serving
from kb_runtime.compiler_process import MEMORY_BYTES
from kbc.pipeline import BuildOptions, build
from kbc.source_tree import SourceTree

MAX_FIRST_ANSWER_S = 3.0
MAX_EDIT_S = 2.0
PATIENCE_S = 3_600.0
_ASK_AGAIN_S = 0.02
_MB = 1 << 20

_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()  # noqa: SIM905


class Memory:
    """Watches what the compilers of a server take, until it is stopped."""

    def __init__(self, pid: int) -> None:
        self.data = self.address_space = 0
        self._server = psutil.Process(pid)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stopped.wait(0.05):
            with suppress(psutil.Error):
                for process in self._server.children(recursive=True):
                    with suppress(psutil.Error):
                        found = process.memory_info()
                        self.data = max(self.data, found.data)
                        self.address_space = max(self.address_space, found.vms)


def made_up(folder: Path, files: int, seed: int = 7) -> None:
    """A tree of Python modules, about 4 kB each, of 20,000 made-up names."""
    chance = random.Random(seed)
    words = ["".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4))) for _ in range(20_000)]
    for number in range(files):
        path = folder / f"package{number % 40}" / f"module{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [f'"""{" ".join(chance.choices(words, k=12))}."""', ""]
        for _ in range(chance.randint(4, 12)):
            name, *rest = chance.choices(words, k=14)
            lines += [
                f"def {name}_{rest[0]}({rest[1]}, {rest[2]}):",
                f'    """{" ".join(rest[3:10]).capitalize()}."""',
                f"    {rest[10]} = {rest[1]}.{rest[11]}({rest[2]})",
                *(f"    {rest[10]}.{one}({rest[12]!r})" for one in chance.choices(words, k=4)),
                f"    return {rest[10]}",
                "",
            ]
        path.write_text("\n".join(lines))


def copied(tree: Path, folder: Path, files: int) -> None:
    """Up to so many source files of a tree."""
    selection = SourceTree()
    left = files
    for path in selection.walk(tree):
        data = path.read_bytes()
        if left and selection.admits(path, data):
            target = folder / path.relative_to(tree)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            left -= 1


def asked(server: Server, tool: str, **arguments: Any) -> dict[str, Any]:
    result = server.ask("tools/call", {"name": tool, "arguments": arguments})
    facts: dict[str, Any] = result["structuredContent"]
    return facts


def until(accepts: Callable[[dict[str, Any]], bool], server: Server, query: str) -> dict[str, Any]:
    """Asks for code until the answer is as wanted."""
    deadline = time.perf_counter() + PATIENCE_S
    while time.perf_counter() < deadline:
        facts = asked(server, "codebase_retrieval", query=query, top_k=3)
        if accepts(facts):
            return facts
        time.sleep(_ASK_AGAIN_S)
    raise SystemExit(f"still waiting after {PATIENCE_S:g} s: {facts['metadata']}")


def edits(server: Server, tree: Path, count: int, label: str) -> list[float]:
    """Seconds from the end of a write to an answer that has it, for new functions in random files."""
    chance = random.Random(label)
    files = sorted(path for path in tree.rglob("*") if path.is_file())
    found = []
    for number in range(count):
        name = f"edited{label}number{number}"
        with chance.choice(files).open("a") as file:
            file.write(f"\n\ndef {name}():\n    return {number}\n")
        start = time.perf_counter()

        def has_it(facts: dict[str, Any], name: str = name) -> bool:
            return any(f"def {name}" in one["content"] for one in facts["results"])

        until(has_it, server, name)
        found.append(time.perf_counter() - start)
        time.sleep(0.3)  # an editor's pause
    return found


def ingested(server: Server, data: Path, tests: int, first: int) -> float:
    """Seconds of a call that adds so many tests."""
    chance = random.Random(first)
    cases = [
        {
            "uid": f"T-{number}",
            "title": f"Test {number} of {' '.join(chance.choices(_SYLLABLES, k=5))}",
            "tags": ["made-up"],
            "steps": [
                {"action": " ".join(chance.choices(_SYLLABLES, k=8)), "expected": "it works"}
                for _ in range(3)
            ],
        }
        for number in range(first, first + tests)
    ]
    (data / "tests.json").write_text(json.dumps(cases))
    start = time.perf_counter()
    facts = asked(server, "ingest_tests", functional_path="tests.json")
    assert facts["persisted"], facts
    return time.perf_counter() - start


def spread(times: Sequence[float]) -> str:
    return f"{median(times):.2f} ({min(times):.2f} to {max(times):.2f})"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tree", nargs="?", type=Path)
    parser.add_argument("--files", type=int, default=2_000)
    parser.add_argument("--edits", type=int, default=10)
    parser.add_argument("--tests", type=int, default=100)
    parser.add_argument("--no-vectors", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="kbc-bench-") as name:
        folder = Path(name)
        tree, data = folder / "tree", folder / "data"
        data.mkdir()
        if options.tree is None:
            made_up(tree, options.files)
        else:
            copied(options.tree, tree, options.files)
        sizes = [path.stat().st_size for path in tree.rglob("*") if path.is_file()]
        print(f"{len(sizes):,} files, {sum(sizes) / 1e6:.1f} MB\n")
        (folder / "kb" / "docs").mkdir(parents=True)
        (folder / "kb" / "docs" / "page.md").write_text("# A page\n\nIt says little.\n")
        (folder / "kb" / "kb.toml").write_text('[kb]\nname = "shipped"\n')
        shipped = build(folder / "kb", BuildOptions(out=folder / "out")).path.parent
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(ROOT / "compiler"), str(ROOT / "runtime"))),
        }
        command = [
            *(sys.executable, "-m", "kb_runtime", str(shipped), "--data", str(data)),
            *("--workspace", str(folder / "workspace"), "--code", str(tree)),
        ]
        print("| what | measured | bar |\n|---|---|---|")
        start = time.perf_counter()
        with serving(command, environment) as server:
            memory = Memory(server.process.pid)
            server.initialize()
            met = measured(server, options, tree, data, start)
            memory.stop()
        row("private memory of a compiler", memory.data / _MB, "MB", MEMORY_BYTES / _MB)
        row("its address space", memory.address_space / _MB, "MB")
    return 0 if met else 1


def measured(
    server: Server, options: argparse.Namespace, tree: Path, data: Path, start: float
) -> bool:
    """Prints the figures; whether all bars were met."""
    first = until(lambda facts: bool(facts["results"]), server, "return value of a function")
    met = row(
        f"first answer ({first['metadata']['query_mode']})",
        time.perf_counter() - start,
        "s",
        MAX_FIRST_ANSWER_S,
    )
    meanwhile = edits(server, tree, options.edits, "meanwhile")
    state = asked(server, "codebase_retrieval", query="x")["metadata"]["indexStatus"]["embedding"]
    met &= row(
        f"edit to answer, embedding {state}: {spread(meanwhile)}", max(meanwhile), "s", MAX_EDIT_S
    )
    for number, label in enumerate(("first", "next")):
        took = ingested(server, data, options.tests, number * options.tests)
        row(f"{label} {options.tests} tests ingested", took, "s")
    if options.no_vectors:
        return met
    hybrid = until(
        lambda facts: facts["metadata"]["query_mode"] == "hybrid",
        server,
        "return value of a function",
    )
    row(
        f"answers by meaning ({hybrid['metadata']['query_mode']})", time.perf_counter() - start, "s"
    )
    later = edits(server, tree, options.edits, "later")
    met &= row(f"edit to answer, embedded: {spread(later)}", max(later), "s", MAX_EDIT_S)
    return met


if __name__ == "__main__":
    sys.exit(main())
