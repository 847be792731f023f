"""How long `codebase_retrieval` takes, and whether it finds what is asked for.

    python -m benchmarks.codebase ARTIFACT [--rounds 3]
    python -m benchmarks.codebase ARTIFACT --questions benchmarks/code-questions.toml

Every call goes through the server's dispatcher. Without questions, queries are names of definitions of
the artifact and sentences made of them; printed is the time of a call by its arguments, and the bar is
a p95 of 50 ms with the defaults. With questions (`query` and the `file` that answers, by the end of its
path), printed are MRR@10, recall@10 and the share that has the file first; the bars are 0.93, 1.0
and 0.87. Exits with 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

from benchmarks.search_latency import sample_queries
from kb_runtime.artifact import Artifact
from kb_runtime.live import LiveArtifact
from kb_runtime.mcp import eras
from kb_runtime.mcp.dispatch import Dispatcher

MAX_P95_MS = 50.0
MIN_MRR = 0.93
MIN_RECALL = 1.0
MIN_FIRST = 0.87
TOP_K = 10

VARIANTS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "include_paths": {"include_paths": ["**/*[aeiou].*"]},
    "rich": {"profile": "rich"},
    "top_k 50": {"top_k": 50},
}


class Caller:
    def __init__(self, artifact: Path) -> None:
        self._dispatcher = Dispatcher(LiveArtifact(artifact))

    def ask(self, query: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a call, which must succeed."""
        params = {
            "name": "codebase_retrieval",
            "arguments": {"query": query[:1000], **arguments},
        }
        result = self._dispatcher.handle("tools/call", params, eras.NEWEST_HANDSHAKE)
        if result["isError"]:
            raise SystemExit(result["content"][0]["text"])
        structured: dict[str, Any] = result["structuredContent"]
        return structured


def measure(caller: Caller, queries: list[str], rounds: int) -> bool:
    """Prints the times; False when the bar is missed. Of the rounds a query's best one counts, which
    the machine's other work disturbs least."""
    met = True
    print(f"{len(queries)} queries\n{'arguments':<16}{'p50 ms':>8}{'p95 ms':>8}{'most ms':>9}")
    for name, arguments in VARIANTS.items():
        best = dict.fromkeys(queries, float("inf"))
        for _ in range(rounds):
            for query in best:
                start = time.perf_counter()
                caller.ask(query, **arguments)
                best[query] = min(best[query], (time.perf_counter() - start) * 1000)
        times = sorted(best.values())
        p95 = times[int(0.95 * (len(times) - 1))]
        print(f"{name:<16}{times[len(times) // 2]:>8.1f}{p95:>8.1f}{times[-1]:>9.1f}")
        met = met and (name != "defaults" or p95 <= MAX_P95_MS)
    return met


def judge(caller: Caller, questions: list[dict[str, str]]) -> bool:
    """Prints the quality, and the questions without their file in the first place; False when a bar
    is missed."""
    reciprocal = found = first = 0.0
    for question in questions:
        results = caller.ask(question["query"], top_k=TOP_K)["results"]
        files = [f"/{result['file']}" for result in results]
        ranks = [at for at, file in enumerate(files, 1) if file.endswith(f"/{question['file']}")]
        rank = ranks[0] if ranks else 0
        reciprocal += 1 / rank if rank else 0
        found += bool(rank)
        first += rank == 1
        if rank != 1:
            print(f"  rank {rank or '-'}: {question['query']}")
    count = len(questions)
    mrr, recall, first = reciprocal / count, found / count, first / count
    print(
        f"{count} questions: MRR@{TOP_K} {mrr:.3f}, recall@{TOP_K} {recall:.2f}, first {first:.2f}"
    )
    return mrr >= MIN_MRR and recall >= MIN_RECALL and first >= MIN_FIRST


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("artifact", type=Path)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    caller = Caller(options.artifact)
    with Artifact.open(options.artifact) as artifact:
        queries = sample_queries(artifact)
        files = sum(info.records for info in artifact.collections if info.kind == "code")
        print(f"{files} files, {len(artifact.chunks)} chunks")
    caller.ask(queries[0])
    if options.questions is None:
        met = measure(caller, queries, options.rounds)
    else:
        met = judge(caller, tomllib.loads(options.questions.read_text())["question"])
    print("all bars were met" if met else "a bar was missed")
    return int(not met)


if __name__ == "__main__":
    sys.exit(main())
