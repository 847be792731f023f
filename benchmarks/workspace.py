"""What a client waits for at a server with a workspace: the first index of a tree, edits, ingested tests.

    python -m benchmarks.workspace [TREE] [--files 2000] [--kilobytes 2] [--larger 10] [--edits 10]
                                   [--tests 100] [--no-vectors]

TREE is copied, up to so many source files; without it a tree is made up of files of so many kB, and then,
for comparison and without bars, one of `--larger` kB (0: none). Everything is measured through the pipes
of a real server on a new workspace with an empty cache, and waited for by asking again.

The first answer says `keyword`: it comes from a draft. Edits are made and tests are ingested while files
are being embedded; after that the server is asked five times a second until it says `hybrid`, and edits are
made once more. Embedding 2,000 files of 2 kB takes two to four minutes on two cores; with `--no-vectors`
(as for the larger tree) it is not waited for. Exit code 1 when a bar is missed.

    answers meanwhile   to one query, from the first answer to the one that says `hybrid`: each must find
                        something, and none may say `keyword` after one said `hybrid`
    private memory      the most that a compiler had in data pages, which its limit counts, next to its
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
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from benchmarks.made_up import SYLLABLES, write_modules
from benchmarks.stdio import ROOT, Server, row, serving
from kb_runtime.live.compiler_process import MEMORY_BYTES
from kbc.pipeline.build import BuildOptions, build
from kbc.sources.source_tree import SourceTree

MAX_FIRST_ANSWER_S = 3.0
MAX_EDIT_S = 2.0
PATIENCE_S = 3_600.0
QUERY = "the lantern of the bridge"
KEYWORD, HYBRID = "keyword", "hybrid"
"""What `query_mode` says of an answer by words, and of one by words and meaning."""

_ASK_AGAIN_S = 0.02
_ASK_MEANWHILE_S = 0.2  # asking costs what embedding could use
_MB = 1 << 20


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to `QUERY`: seconds since the server was started, milliseconds that it took, what it
    says of its mode, and how many results it has."""

    at_s: float
    took_ms: float
    mode: str
    results: int


@dataclass(slots=True)
class Outcome:
    """`answers` are those from the first that found something on; `meanwhile` and `later` are seconds
    from an edit to an answer that has it, before and after all files were embedded; `ingested` are
    seconds of calls. Memory is in bytes."""

    answers: list[Answer] = field(default_factory=list)
    meanwhile: list[float] = field(default_factory=list)
    embedding: str = ""
    ingested: list[float] = field(default_factory=list)
    later: list[float] = field(default_factory=list)
    private_memory: int = 0
    address_space: int = 0

    @property
    def hybrid(self) -> Answer | None:
        """The first answer by meaning."""
        return next((each for each in self.answers if each.mode == HYBRID), None)

    @property
    def wrong(self) -> list[Answer]:
        """Answers that found nothing, or by words only after one by meaning."""
        since = self.hybrid
        return [
            each
            for each in self.answers
            if not each.results
            or (each.mode != HYBRID and since is not None and each.at_s > since.at_s)
        ]


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


def until(
    accepts: Callable[[dict[str, Any]], bool],
    server: Server,
    query: str,
    pause_s: float = _ASK_AGAIN_S,
) -> dict[str, Any]:
    """Asks for code until the answer is as wanted."""
    deadline = time.perf_counter() + PATIENCE_S
    while time.perf_counter() < deadline:
        facts = asked(server, "codebase_retrieval", query=query, top_k=3)
        if accepts(facts):
            return facts
        time.sleep(pause_s)
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
            "title": f"Test {number} of {' '.join(chance.choices(SYLLABLES, k=5))}",
            "tags": ["made-up"],
            "steps": [
                {"action": " ".join(chance.choices(SYLLABLES, k=8)), "expected": "it works"}
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


def run(
    tree: Path, scratch: Path, *, edits_each: int, tests: int, with_vectors: bool = True
) -> Outcome:
    """One server over a new workspace for `tree`; `scratch` is an empty folder."""
    data = scratch / "data"
    data.mkdir(parents=True)
    (scratch / "kb" / "docs").mkdir(parents=True)
    (scratch / "kb" / "docs" / "page.md").write_text("# A page\n\nIt says little.\n")
    (scratch / "kb" / "kb.toml").write_text('[kb]\nname = "shipped"\n')
    shipped = build(scratch / "kb", BuildOptions(out=scratch / "out")).path.parent
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(ROOT / "compiler"), str(ROOT / "runtime"))),
    }
    command = [
        *(sys.executable, "-m", "kb_runtime", str(shipped), "--tools", "all", "--data", str(data)),
        *("--workspace", str(scratch / "workspace"), "--code", str(tree)),
    ]
    outcome = Outcome()
    start = time.perf_counter()
    with serving(command, environment) as server:
        memory = Memory(server.process.pid)
        server.initialize()
        _wait(server, start, outcome, lambda answer: answer.results > 0)
        del outcome.answers[:-1]  # the others had no index to find anything in
        outcome.meanwhile = edits(server, tree, edits_each, "meanwhile")
        status = asked(server, "codebase_retrieval", query="x")["metadata"]["indexStatus"]
        outcome.embedding = status["embedding"]
        for number in range(2):
            outcome.ingested.append(ingested(server, data, tests, number * tests))
        if with_vectors:
            _wait(server, start, outcome, lambda answer: answer.mode == HYBRID, _ASK_MEANWHILE_S)
            outcome.later = edits(server, tree, edits_each, "later")
            _wait(server, start, outcome, lambda answer: True)
        memory.stop()
        outcome.private_memory, outcome.address_space = memory.data, memory.address_space
    return outcome


def _wait(
    server: Server,
    start: float,
    outcome: Outcome,
    accepts: Callable[[Answer], bool],
    pause_s: float = _ASK_AGAIN_S,
) -> None:
    """Adds answers to `QUERY` to the outcome until one is as wanted."""
    began = time.perf_counter()

    def note(facts: dict[str, Any]) -> bool:
        nonlocal began
        now = time.perf_counter()
        mode = facts["metadata"]["query_mode"]
        answer = Answer(now - start, (now - began) * 1e3, mode, len(facts["results"]))
        outcome.answers.append(answer)
        began = now + pause_s
        return accepts(answer)

    until(note, server, QUERY, pause_s)


def spread(times: Sequence[float]) -> str:
    return f"{median(times):.2f} ({min(times):.2f} to {max(times):.2f})"


def report(outcome: Outcome, tests: int, *, with_bars: bool) -> bool:
    """Prints the figures; whether all bars were met."""

    def barred(name: str, value: float, unit: str, bar: float) -> bool:
        return row(name, value, unit, bar if with_bars else None)

    first, hybrid = outcome.answers[0], outcome.hybrid
    print("| | measured | bar |\n| --- | ---: | --- |")
    met = [
        barred(f"first answer (`{first.mode}`)", first.at_s, "s", MAX_FIRST_ANSWER_S),
        first.mode == KEYWORD,
    ]
    name = f"edit to answer, embedding {outcome.embedding}: {spread(outcome.meanwhile)}"
    met.append(barred(name, max(outcome.meanwhile), "s", MAX_EDIT_S))
    for label, took in zip(("first", "next"), outcome.ingested, strict=True):
        row(f"{label} {tests} tests ingested", took, "s")
    if hybrid is not None:
        meanwhile = [each for each in outcome.answers if each.at_s < hybrid.at_s]
        row(f"first answer by meaning (`{hybrid.mode}`)", hybrid.at_s, "s")
        row("answers meanwhile", len(meanwhile), "answers")
        row("... median", median(each.took_ms for each in meanwhile), "ms")
        row("... slowest", max(each.took_ms for each in meanwhile), "ms")
        name = "answers that found nothing or fell back to words"
        met.append(barred(name, len(outcome.wrong), "answers", 0))
        name = f"edit to answer, all embedded: {spread(outcome.later)}"
        met.append(barred(name, max(outcome.later), "s", MAX_EDIT_S))
    row("private memory of a compiler", outcome.private_memory / _MB, "MB", MEMORY_BYTES / _MB)
    row("its address space", outcome.address_space / _MB, "MB")
    return all(met)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tree", nargs="?", type=Path)
    parser.add_argument("--files", type=int, default=2_000)
    parser.add_argument("--kilobytes", type=float, default=2.0, help="of a file that is made up")
    parser.add_argument(
        "--larger",
        type=float,
        default=10.0,
        help="kB of a file in the tree for comparison; 0: none",
    )
    parser.add_argument("--edits", type=int, default=10)
    parser.add_argument("--tests", type=int, default=100)
    parser.add_argument("--no-vectors", action="store_true")
    options = parser.parse_args(arguments)
    sizes = [options.kilobytes]
    if options.tree is None and options.larger:
        sizes.append(options.larger)
    met = True
    for kilobytes in sizes:
        is_first = kilobytes is sizes[0]
        with tempfile.TemporaryDirectory(prefix="kbc-bench-") as name:
            tree = Path(name, "tree")
            if options.tree is None:
                write_modules(tree, options.files, kilobytes)
            else:
                copied(options.tree, tree, options.files)
            bytes_each = [path.stat().st_size for path in tree.rglob("*") if path.is_file()]
            print(f"\n{len(bytes_each):,} files, {sum(bytes_each) / 1e6:.1f} MB\n", flush=True)
            outcome = run(
                tree,
                Path(name, "scratch"),
                edits_each=options.edits,
                tests=options.tests,
                with_vectors=is_first and not options.no_vectors,
            )
        met &= report(outcome, options.tests, with_bars=is_first)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
