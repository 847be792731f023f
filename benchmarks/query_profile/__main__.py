"""Where the time of a hybrid tool call goes: CPU by step, as a table and as a flame graph.

    python -m benchmarks.query_profile ARTIFACT [--questions FILE] [--rounds N] [--warm] [--svg FILE]

Every question of FILE (TOML as `kbc eval` reads it, or lines) is asked through the tool, in this process.
Steps are timed by CPU, so that other work on the machine counts as little as possible; those of the thread
that works while the query is embedded are a branch of their own.
Between two calls 64 MB are read, as a host's own work would push a server's data out of the processor's
cache; `--warm` leaves that out.
"""

from __future__ import annotations

import argparse
import functools
import json
import threading
import time
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import kb_runtime
from benchmarks.search.latency import asked_anew
from kb_runtime.search import candidates
from kb_runtime.search.candidates import Retriever
from kb_runtime.search.encoder import QueryEncoder
from kb_runtime.search.hits import HitBuilder
from kb_runtime.search.ranking.structure import Structure
from kb_runtime.search.searcher import Searcher
from kb_runtime.search.snippets import PassageReader
from kb_runtime.search.tokenizer import QueryTokenizer
from kb_runtime.store.catalog import RecordFile
from kb_runtime.tools.search import hybrid

from .flame_graph import Node, flame_graph

STEPS: Sequence[tuple[Any, str, str]] = (
    (Searcher, "search", "search"),
    (candidates, "analyse", "analyse the query"),
    (Retriever, "_lexical", "keyword candidates"),
    (QueryEncoder, "encode", "embed the query"),
    (QueryTokenizer, "encode", "tokenise"),
    (Retriever, "nearest", "nearest vectors"),
    (Retriever, "matrix", "cosines of all candidates"),
    (Searcher, "_fused", "fuse"),
    (Structure, "rank", "rank by structure"),
    (HitBuilder, "named_records", "look names up"),
    (RecordFile, "__getitem__", "decode chunks"),
    (RecordFile, "without", "decode records"),
    (PassageReader, "find", "find words"),
    (PassageReader, "passage", "cut snippets"),
    (hybrid, "json_text", "write the text"),
)
"""Owner and name of a function, and what it does."""
BESIDE = "while it is embedded"
EVICTED_BYTES = 64 << 20


class Profile:
    """Times steps by where they are called from. What other threads do is a branch of its own."""

    def __init__(self) -> None:
        self.root = Node()
        self._asking = threading.get_ident()
        self._inside = threading.local()

    def timed(self, function: Callable[..., Any], label: str) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*arguments: Any, **options: Any) -> Any:
            path: list[Node] = self._inside.__dict__.setdefault("path", [])
            is_beside = not path and threading.get_ident() != self._asking
            outer = self.root.inside.setdefault(BESIDE, Node()) if is_beside else self.root
            node = (path[-1] if path else outer).inside.setdefault(label, Node())
            path.append(node)
            started = time.thread_time()
            try:
                return function(*arguments, **options)
            finally:
                seconds = time.thread_time() - started
                path.pop()
                node.seconds += seconds
                if is_beside:
                    outer.seconds += seconds
                    self.root.seconds += seconds

        return call

    def clear(self) -> None:
        self.root.seconds = 0.0
        self.root.inside.clear()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("artifact", type=Path)
    parser.add_argument("--questions", type=Path, help="TOML or lines; default: titles of records")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--svg", type=Path, help="write the flame graph to this file")
    parser.add_argument("--warm", action="store_true", help="leave the processor's cache alone")
    options = parser.parse_args(arguments)
    profile = Profile()
    for owner, name, label in STEPS:
        setattr(owner, name, profile.timed(getattr(owner, name), label))
    evicted = bytearray(0 if options.warm else EVICTED_BYTES)
    with kb_runtime.open(options.artifact) as kb:
        tool = next(name for name in kb.tools if name.endswith("hybrid_search"))
        questions = read_questions(options.questions) or [each.title for each in kb.search("the")]
        calls = 0
        for round_ in range(options.rounds + 1):
            if round_ == 1:  # the first round has read the files
                profile.clear()
                calls = 0
            for question in questions:
                evicted.count(1)
                started = time.thread_time()
                answer = kb.call_tool(tool, {"query": asked_anew(question, round_)})
                profile.root.seconds += time.thread_time() - started
                profile.timed(json.dumps, "write the answer")([answer.text, answer.structured])
                calls += 1
    print("| step | CPU ms | share |")
    print("| --- | ---: | ---: |")
    show("a call", profile.root, profile.root.seconds, calls, 0)
    if options.svg:
        options.svg.write_text(flame_graph("a call", profile.root))
    return 0


def read_questions(path: Path | None) -> list[str]:
    if path is None:
        return []
    text = path.read_text("utf-8")
    if path.suffix == ".toml":
        return [each["query"] for each in tomllib.loads(text)["question"]]
    return [line for line in text.splitlines() if line.strip()]


def show(label: str, node: Node, total: float, calls: int, depth: int) -> None:
    """A line for the step and one for each step inside, the longest first."""
    indent = "&nbsp;&nbsp;" * depth
    print(
        f"| {indent}{label} | {node.seconds / calls * 1e3:.2f} | {node.seconds / total:.0%} |",
    )
    for name, each in sorted(node.inside.items(), key=lambda item: -item[1].seconds):
        show(name, each, total, calls, depth + 1)


if __name__ == "__main__":
    raise SystemExit(main())
