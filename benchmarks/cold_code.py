"""How long `kbc serve --code` takes from a cold start to its first answer, without an index or a cache.

    python -m benchmarks.cold_code [TREE] [--files 2000] [--kilobytes 8.5] [--starts 7] [--queries QUERY ...]

TREE is served as it is; without it, a tree is made up. Every start has an empty cache and asks one query as
soon as the server has said hello. Printed are the seconds from the start of the process to that answer, the
CPU seconds that the server and the process that follows the tree had used by then (the second goes on to
make the index), and which state answered. On a machine that has other work to do, the CPU seconds tell more.

With `--agreement` the files that the first answers name are compared with those of the draft that takes
over: the share of queries with the same first file, and of the draft's ten files among the ten.

Bytecode is compiled first, into a scratch folder. The bar is one second for the median. Exit code 1: missed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import NamedTuple

import psutil

from benchmarks.made_up import write_modules
from benchmarks.search.latency import sample_queries
from benchmarks.stdio import process_environment, row, serving
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.unindexed.scanned_tree import ScannedTree
from kb_runtime.live.workspace import Workspace
from kb_runtime.search.request import SearchRequest
from kb_runtime.store.manifest import LISTING
from kbc.following.source_files import SourceFiles
from kbc.following.source_index import SourceIndex

MAX_FIRST_ANSWER_S = 1.0
QUERIES = ("where is the value of a name kept", "how are entries read from a file and grouped")
TOP = 10


class Start(NamedTuple):
    """Seconds to the greeting and to the answer; CPU seconds of the server and of its follower; how
    many results the answer has, and the state of the index that it was found in."""

    hello_s: float
    answer_s: float
    server_cpu_s: float
    follower_cpu_s: float
    results: int
    state: str


def start(tree: Path, query: str, environment: dict[str, str], cache: Path) -> Start:
    command = [sys.executable, "-m", "kbc", "serve", "--code", str(tree)]
    began = time.perf_counter()
    with serving(command, {**environment, "KBC_CACHE": str(cache)}) as server:
        server.initialize()
        hello_s = time.perf_counter() - began
        asked = {"name": "codebase_retrieval", "arguments": {"query": query}}
        facts = server.ask("tools/call", asked)["structuredContent"]
        answer_s = time.perf_counter() - began
        process = psutil.Process(server.process.pid)
        others = 0.0
        with suppress(psutil.Error):
            others = sum(cpu_s(each) for each in process.children())
        state = facts["metadata"]["indexStatus"]["status"]
        return Start(hello_s, answer_s, cpu_s(process), others, len(facts["results"]), state)


def cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def agreement(tree: Path, folder: Path, count: int = 80) -> None:
    """Prints how far the files found by reading are those of the draft."""
    workspace = Workspace.open(folder / "workspace")
    files = SourceFiles(tree)
    files.scan()
    files.list_for(folder / "listed", "")
    report = SourceIndex(tree, workspace.code(str(tree)), Path(workspace.cache)).build(draft=True)
    scanned = ScannedTree(str(folder / "listed" / LISTING), "code", "code_kb", {})
    with Artifact.open(report.path) as draft:
        queries = sample_queries(draft)[:count]
        first = shared = 0.0
        for query in queries:
            own, other = found(scanned, query), found(draft, query)
            first += own[:1] == other[:1]
            shared += len({*own} & {*other}) / max(len(other), 1)
    print(
        f"{len(queries)} queries: the draft's first file is first for {first / len(queries):.2f},"
        f" {shared / len(queries):.2f} of its {TOP} files are found"
    )


def found(knowledge: Artifact, query: str) -> list[str]:
    hits = knowledge.searcher.search(SearchRequest(query, ("code",), limit=4 * TOP)).hits
    ids = knowledge.catalog("code").ids()
    return list(dict.fromkeys(ids[hit.record] for hit in hits))[:TOP]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tree", nargs="?", type=Path)
    parser.add_argument("--files", type=int, default=2_000)
    parser.add_argument("--kilobytes", type=float, default=8.5, help="of a file that is made up")
    parser.add_argument("--starts", type=int, default=7)
    parser.add_argument("--queries", nargs="+", default=QUERIES)
    parser.add_argument("--agreement", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="kbc-bench-") as name:
        folder = Path(name)
        tree = options.tree
        if tree is None:
            tree = folder / "tree"
            write_modules(tree, options.files, options.kilobytes)
        environment = process_environment(folder / "bytecode")
        start(tree, options.queries[0], environment, folder / "first")  # compiles what is imported
        starts = [
            start(tree, options.queries[at % len(options.queries)], environment, folder / str(at))
            for at in range(options.starts)
        ]
        if options.agreement:
            agreement(tree.resolve(), folder)
    print("| | measured | bar |\n| --- | ---: | --- |")
    row("start to the greeting", median(each.hello_s for each in starts), "s")
    answers = sorted(each.answer_s for each in starts)
    spread = f"start to the first answer ({answers[0]:.2f} to {answers[-1]:.2f})"
    met = row(spread, median(answers), "s", MAX_FIRST_ANSWER_S)
    row("... CPU of the server", median(each.server_cpu_s for each in starts), "s")
    row("... CPU of the follower", median(each.follower_cpu_s for each in starts), "s")
    print(f"states that answered: {dict(Counter(each.state for each in starts))}")
    empty = sum(not each.results for each in starts)
    return int(not row("answers without a result", empty, "answers", 0) or not met)


if __name__ == "__main__":
    sys.exit(main())
