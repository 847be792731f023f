"""How long a search takes inside the process, step by step, and what the pipeline adds.

    python benchmarks/search/latency.py ARTIFACT [--queries FILE] [--rounds N]

Queries are the lines of FILE, or else titles of chunks of the artifact and questions made of them.
Each step is timed by itself, the whole search too, in rotation, so that a busy moment of the machine
hits all alike. The bars are those for search: the whole at most 1.3 times encoder, vectors and
lexical together, its median at most 6 ms up to 10,000 chunks, ranking by structure at most 1 ms
there, and a bad query at most 5 times the median. Exits with 1 when one is missed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.search.analysis import Analyzer
from kb_runtime.search.lexical import LexicalRequest
from kb_runtime.search.query import analyse
from kb_runtime.search.request import CANDIDATES, SearchRequest
from kb_runtime.search.vectors import RowRange

MAX_RATIO = 1.3
MAX_MEDIAN_MS = 6.0
MAX_STRUCTURE_MS = 1.0
MAX_BAD = 5.0
MAX_CHUNKS_OF_THE_MEDIAN = 10_000
LIMIT = 10
SAMPLED_QUERIES = 40
STEPS = ("analyse", "encode", "vectors", "lexical", "whole", "without structure")

_TERMS = " ".join(f"{one}{other}{at}" for at in range(40) for one in "map set" for other in "xyz")
_COMMON = "a set map of the state is value action in list all one each step run".split()  # noqa: SIM905
BAD: Mapping[str, str] = {
    "empty": "",
    "one character": "x",
    "10,000 characters of words": ("how do I create a map from a set of keys? " * 250)[:10_000],
    "10,000 characters without a space": "a" * 10_000,
    "only stop words": "the of and to in is it that",
    "only punctuation": "?!... -- ((( ]]] ;;; ///",
    "emoji": "🗳️🔥🧪🎲🧮🪣🗺️",
    "right to left": "כיצד ליצור מפה מקבוצה של מפתחות كيف أنشئ خريطة",
    "NUL and control characters": "map\x00set\x01\x1b[31m\ud800",
    "unbalanced quotes": '"map ""set `keys "of" `` “left «open',
    "hundreds of phrases": " ".join(f'"{one} {other}"' for one in _COMMON for other in _COMMON),
    "thousands of distinct terms": " ".join(f"term{at}of{at * 7}" for at in range(3_000)),
    "hundreds of unknown words": _TERMS,
    "another language": "Wie erzeuge ich eine Abbildung aus einer Menge von Schlüsseln?",
    "a language without spaces": "如何从一组键创建映射并更新其中的值？" * 40,
}
"""Queries that nobody should type, by what is wrong with them."""


def sample_queries(artifact: Artifact) -> list[str]:
    """Titles of chunks spread over the artifact: as names, and as questions of two of them."""
    chunks = artifact.chunks
    step = max(1, len(chunks) // SAMPLED_QUERIES)
    titles = [
        chunks[row].get("title", "").rpartition(" › ")[2] for row in range(0, len(chunks), step)
    ]
    names = [title for title in dict.fromkeys(titles) if title][:SAMPLED_QUERIES]
    questions = [f"How do I use {one} together with {other}?" for one, other in pairwise(names)]
    return names + questions


def timed(action: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Milliseconds of a call, and its result."""
    start = time.perf_counter()
    result = action(*arguments)
    return (time.perf_counter() - start) * 1e3, result


def asked_anew(text: str, round_: int) -> str:
    """The same question for a search, but in no earlier round asked so: with more blanks between its first
    words. A server remembers the embeddings of the last questions."""
    return text.replace(" ", " " * (round_ + 1), 1)


def measure(artifact: Artifact, queries: Sequence[str], rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each step for each query: the best of `rounds`, which the machine's other
    work disturbs least."""
    encoder = artifact.encoder
    if encoder is None:
        raise SystemExit("The artifact has no encoder: there is no hybrid search to measure.")
    artifact.prepare()
    analyzer = Analyzer()
    ranges = [RowRange(info.name, info.first_row, info.chunks) for info in artifact.collections]
    best: dict[str, list[float]] = {step: [float("inf")] * len(queries) for step in STEPS}
    for round_ in range(rounds):
        for at, text in enumerate(queries):
            whole = SearchRequest(asked_anew(text, 2 * round_), limit=LIMIT)
            times = {"whole": timed(artifact.searcher.search, whole)[0]}
            times["analyse"], query = timed(analyse, text, analyzer)
            times["encode"], vector = timed(encoder.encode, query.text)
            times["vectors"], _ = timed(artifact.vectors.search, vector, ranges, CANDIDATES)
            times["lexical"], _ = timed(artifact.lexical.search, LexicalRequest(query, CANDIDATES))
            for step, elapsed in times.items():
                best[step][at] = min(best[step][at], elapsed)
        for at, text in enumerate(queries):
            plain = SearchRequest(asked_anew(text, 2 * round_ + 1), limit=LIMIT, ranking=())
            elapsed, _ = timed(artifact.searcher.search, plain)
            best["without structure"][at] = min(best["without structure"][at], elapsed)
    return best


def measure_bad(artifact: Artifact, rounds: int) -> dict[str, float]:
    """Milliseconds of each bad query, the best of `rounds`, its snippets included."""

    def ask(text: str) -> None:
        for hit in artifact.searcher.search(SearchRequest(text, limit=LIMIT)).hits:
            _ = hit.snippet

    best = dict.fromkeys(BAD, float("inf"))
    for round_ in range(rounds):
        for name, text in BAD.items():
            best[name] = min(best[name], timed(ask, asked_anew(text, round_))[0])
    return best


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("artifact")
    parser.add_argument("--queries", type=Path, help="a file with one query a line")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args(arguments)
    with Artifact.open(options.artifact) as artifact:
        queries = (
            [line for line in options.queries.read_text("utf-8").splitlines() if line.strip()]
            if options.queries
            else sample_queries(artifact)
        )
        chunks = len(artifact.chunks)
        best = measure(artifact, queries, options.rounds)
        bad = measure_bad(artifact, options.rounds)
    engines = [
        sum(parts) for parts in zip(best["encode"], best["vectors"], best["lexical"], strict=True)
    ]
    rest = [whole - engine for whole, engine in zip(best["whole"], engines, strict=True)]
    print(f"{len(queries)} queries over {chunks} chunks, best of {options.rounds}, limit {LIMIT}")
    print(f"{'step':<28}{'p50 ms':>8}{'p95 ms':>8}")
    rows = {
        "analyse the query": best["analyse"],
        "encode": best["encode"],
        "vectors": best["vectors"],
        "lexical": best["lexical"],
        "all but these three": rest,
        "whole search": best["whole"],
    }
    for name, values in rows.items():
        print(f"{name:<28}{percentile(values, 0.5):>8.2f}{percentile(values, 0.95):>8.2f}")
    median = percentile(best["whole"], 0.5)
    ratio = sum(best["whole"]) / sum(engines)
    print(f"whole / (encode + vectors + lexical): {ratio:.2f} (bar {MAX_RATIO})")
    print(
        f"whole, median: {median:.2f} ms (bar {MAX_MEDIAN_MS} up to {MAX_CHUNKS_OF_THE_MEDIAN} chunks)"
    )
    structure = percentile(
        [
            whole - plain
            for whole, plain in zip(best["whole"], best["without structure"], strict=True)
        ],
        0.5,
    )
    print(f"ranking by structure, median: {structure:.2f} ms (bar {MAX_STRUCTURE_MS})")
    print("bad queries, in medians of the others:")
    for name, elapsed in bad.items():
        print(f"  {name:<36}{elapsed / median:>6.1f}")
    worst = max(bad.values()) / median
    print(f"the worst bad query: {worst:.1f} medians (bar {MAX_BAD})")
    slow = chunks <= MAX_CHUNKS_OF_THE_MEDIAN and (
        median > MAX_MEDIAN_MS or structure > MAX_STRUCTURE_MS
    )
    return 1 if slow or ratio > MAX_RATIO or worst > MAX_BAD else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
