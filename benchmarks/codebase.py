"""How long `codebase_retrieval` takes, whether it finds what is asked for, and how fast code is indexed.

    python -m benchmarks.codebase ARTIFACT [--rounds 3]
    python -m benchmarks.codebase ARTIFACT --questions benchmarks/code-questions.toml
    python -m benchmarks.codebase --build KB [--exact]

Every call goes through the server's dispatcher. Without questions, queries are names of definitions of
the artifact and sentences made of them; printed is the time of a call by its arguments, and the bar is
a p95 of 50 ms with each of them. With questions (`query` and the `file` that answers, by the end of its
path), printed are MRR@10, recall@10 and the share that has the file first; the bars are 0.93, 1.0
and 0.87.

With --build, KB is compiled first, from nothing and without a cache, in a process of its own. Its tokens
per second, from the start of the process to its end, are set beside those of the encoder's bare session,
which embeds texts of the same tree on as many threads right before and right after; the bar is 0.85 of
it. Then the calls are timed. Exits with 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.build import embedding_s, run_build
from benchmarks.encoders.embedding import THREADS, run_bare
from benchmarks.reading.chunking import records
from benchmarks.search.latency import sample_queries
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp import revisions
from kb_runtime.mcp.dispatch import Dispatcher
from kbc.chunking import TokenBudget, chunk
from kbc.encoding.encoder import open_session
from kbc.encoding.graph import write_graph
from kbc.encoding.graph_cache import Graph
from kbc.encoding.model import resolve_model
from kbc.encoding.tokenizer import TokenCounter
from kbc.encoding.variants import Variant
from kbc.pipeline.options import DOCUMENT_VARIANT, EXACT_VARIANT

MAX_P95_MS = 50.0
MIN_INDEXING_SHARE = 0.85
MIN_MRR = 0.93
MIN_RECALL = 1.0
MIN_FIRST = 0.87
TOP_K = 10
BARE_TEXTS = 300

VARIANTS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "include_paths": {"include_paths": ["**/*[aeiou].*"]},
    "rich": {"profile": "rich"},
    "top_k 50": {"top_k": 50},
    "top_k 50, rich": {"top_k": 50, "profile": "rich"},
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
        result = self._dispatcher.handle("tools/call", params, revisions.NEWEST_HANDSHAKE)
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
        met = met and p95 <= MAX_P95_MS
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


class BareEncoder:
    """The document encoder's session alone, with texts of source files that are tokenised already."""

    def __init__(self, tree: Path, variant: Variant) -> None:
        model = resolve_model()
        with tempfile.TemporaryDirectory() as name:
            write_graph(model, variant, Path(name))
            self._session = open_session(Graph.read(Path(name)))
        texts = code_texts(tree, TokenBudget(count=TokenCounter(model).count))
        token_ids = TokenCounter(model).encode_many(texts)
        self._inputs = [np.array([ids], np.int64) for ids in token_ids]
        self._tokens = sum(map(len, token_ids))

    def tokens_per_second(self) -> float:
        start = time.perf_counter()
        run_bare(self._session, self._inputs)
        return self._tokens / (time.perf_counter() - start)


def code_texts(tree: Path, budget: TokenBudget) -> list[str]:
    """What is embedded of some chunks of the tree's files."""
    found = [record for sort, record in records(tree) if sort == "source"]
    step = max(1, len(found) // BARE_TEXTS)
    texts = [part.embedded_text for each in found[::step] for part in chunk(each, budget)]
    return texts[:: max(1, len(texts) // BARE_TEXTS)][:BARE_TEXTS]


def index(kb: Path, out: Path, variant: Variant) -> tuple[Path, bool]:
    """Builds `kb` into `out` and prints how fast; the artifact, and whether the bar was met."""
    encoder = BareEncoder(kb, variant)
    encoder.tokens_per_second()  # the first run makes room for the session's buffers
    before = encoder.tokens_per_second()
    seconds, report = run_build(kb, out, THREADS, None, exact=variant == "fp32")
    bare = (before + encoder.tokens_per_second()) / 2
    tokens, embed_s = report["tokens"], embedding_s(report)
    share = tokens / seconds / bare
    print(
        f"{report['records']:,} records, {report['chunks']:,} chunks, {tokens:,} tokens, {variant}"
    )
    print(f"{'':<24}{'seconds':>8}{'tokens/s':>10}{'of bare':>9}")
    print(f"{'bare encoder':<24}{tokens / bare:>8.1f}{bare:>10,.0f}{1:>9.2f}")
    print(f"{'embedding in the build':<24}{embed_s:>8.1f}{tokens / embed_s:>10,.0f}", end="")
    print(f"{tokens / embed_s / bare:>9.2f}")
    print(f"{'whole build':<24}{seconds:>8.1f}{tokens / seconds:>10,.0f}{share:>9.2f}")
    print(
        f"embedding / whole build: {embed_s / seconds:.2f}; the bar of bare: {MIN_INDEXING_SHARE}"
    )
    return Path(report["path"]), share >= MIN_INDEXING_SHARE


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("artifact", type=Path, nargs="?")
    given.add_argument("--build", type=Path, metavar="KB")
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kbc-bench-") as name:
        artifact, met = options.artifact, True
        if options.build is not None:
            variant: Variant = EXACT_VARIANT if options.exact else DOCUMENT_VARIANT
            artifact, met = index(options.build, Path(name), variant)
        met = ask(artifact, options) and met
    print("all bars were met" if met else "a bar was missed")
    return int(not met)


def ask(path: Path, options: argparse.Namespace) -> bool:
    """Times or judges calls on the artifact at `path`; False when a bar is missed."""
    caller = Caller(path)
    with Artifact.open(path) as artifact:
        queries = sample_queries(artifact)
        files = sum(info.records for info in artifact.collections if info.kind == "code")
        print(f"{files} files, {len(artifact.chunks)} chunks")
    caller.ask(queries[0])
    if options.questions is None:
        return measure(caller, queries, options.rounds)
    return judge(caller, tomllib.loads(options.questions.read_text())["question"])


if __name__ == "__main__":
    sys.exit(main())
