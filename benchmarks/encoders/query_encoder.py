"""Which query encoder ships: relevance, latency, start and size of every variant, in one table.

    python -m benchmarks.encoders.query_encoder [--collections ../shared/bench/text] [--documents fp32|int8]

Documents are embedded by one variant, queries by each; ranking is by cosine alone. A collection is a
folder with corpus.jsonl.gz, queries.jsonl and qrels.tsv; `score.py` beside the folders computes nDCG@10.
Times are of this process on one thread, variants taking turns; loading is the best of fresh processes.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from kb_runtime.search.encoder import QueryEncoder
from kbc.encoding.cache import EmbeddingCache
from kbc.encoding.encoder import DocumentEncoder
from kbc.encoding.model import Model, resolve_model
from kbc.encoding.shipped import DEFAULT_QUERY_VARIANT, ShippedEncoders
from kbc.encoding.variants import VARIANTS
from kbc.pipeline.options import DOCUMENT_VARIANT

RESULTS = 100
QUERY_TOKENS = (8, 16, 32)
LATENCY_ROUNDS = 200
LOAD_ROUNDS = 7
# The shipped variant may lose this share of fp32's nDCG@10, averaged over the collections.
ALLOWED_LOSS = 0.01

LOAD = """
import json, sys, time
import numpy, onnxruntime
from kb_runtime.search.encoder import QueryEncoder

def anonymous_mb():
    with open("/proc/self/smaps_rollup") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("Anonymous"))

before = anonymous_mb()
start = time.perf_counter()
encoder = QueryEncoder(sys.argv[1], int(sys.argv[2]))
loaded = time.perf_counter()
encoder.warm()
print(json.dumps([(loaded - start) * 1e3, anonymous_mb() - before]))
"""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--collections", type=Path, default=Path("../shared/bench/text"))
    parser.add_argument("--cache", type=Path, default=Path(".cache/benchmarks"))
    parser.add_argument(
        "--documents", choices=VARIANTS, default=DOCUMENT_VARIANT, help="their variant"
    )
    options = parser.parse_args(arguments)
    if not (options.collections / "score.py").is_file():
        print(f"no labelled collections in {options.collections}: nothing measured")
        return 0
    model = resolve_model()
    with tempfile.TemporaryDirectory() as name:
        folders = {variant: Path(name, variant) for variant in VARIANTS}
        for variant, folder in folders.items():
            folder.mkdir()
            ShippedEncoders().write(model, folder, query_variant=variant)
        encoders = {
            variant: QueryEncoder(str(folder), model.max_tokens)
            for variant, folder in folders.items()
        }
        cache = EmbeddingCache(options.cache)
        with DocumentEncoder(model, variant=options.documents, cache=cache) as documents:
            relevance, kept = measure_relevance(options.collections, documents, encoders)
        latency = measure_latency(encoders)
        loading = {variant: measure_loading(folders[variant], model) for variant in VARIANTS}
        sizes = {
            variant: sum(path.stat().st_size for path in folder.iterdir()) / 1e6
            for variant, folder in folders.items()
        }
    collections = list(relevance["fp32"])
    header = ["query variant", *collections, "mean", "vs fp32", "top 10 kept"]
    header += [f"p50 ms @{count}" for count in QUERY_TOKENS] + ["load ms", "private MB", "MB"]
    means = {variant: statistics.mean(relevance[variant].values()) for variant in VARIANTS}
    rows = []
    for variant in VARIANTS:
        row = [variant + (" (ships)" if variant == DEFAULT_QUERY_VARIANT else "")]
        row += [f"{relevance[variant][collection]:.4f}" for collection in collections]
        row += [f"{means[variant]:.4f}", f"{means[variant] / means['fp32'] - 1:+.2%}"]
        row += [f"{kept[variant]:.3f}"]
        row += [f"{latency[variant][count]:.2f}" for count in QUERY_TOKENS]
        row += [f"{figure:.0f}" for figure in loading[variant]] + [f"{sizes[variant]:.1f}"]
        rows.append(row)
    print_table(header, rows)
    loss = 1 - means[DEFAULT_QUERY_VARIANT] / means["fp32"]
    passed = loss <= ALLOWED_LOSS
    verdict = "within" if passed else "beyond"
    print(
        f"\n{DEFAULT_QUERY_VARIANT} loses {loss:.2%} of nDCG@10: {verdict} the {ALLOWED_LOSS:.0%}"
    )
    return 0 if passed else 1


def measure_relevance(
    root: Path, documents: DocumentEncoder, encoders: dict[Any, QueryEncoder]
) -> tuple[dict[Any, dict[str, float]], dict[Any, float]]:
    """nDCG@10 by query variant and collection; the share of the fp32 query's first ten that each finds."""
    scorer = load_module(root / "score.py")
    found: dict[Any, dict[str, float]] = {variant: {} for variant in encoders}
    shares: dict[Any, list[float]] = {variant: [] for variant in encoders}
    first_ten: dict[str, set[str]] = {}
    cutter = Tokenizer.from_file(str(documents.model.tokenizer_path))
    cutter.no_padding()
    cutter.enable_truncation(documents.model.max_tokens)
    cutter.encode_special_tokens = True
    for collection in sorted(path for path in root.iterdir() if path.is_dir()):
        corpus = scorer.load_corpus(str(collection))
        texts = [cut(cutter, f"{title} {text}".strip()) for _id, title, text in corpus]
        print(f"embedding {len(texts)} documents of {collection.name}", file=sys.stderr)
        vectors = documents.encode(texts)
        names = [name for name, _title, _text in corpus]
        queries = scorer.load_queries(str(collection))
        qrels = scorer.load_qrels(str(collection))
        for variant, encoder in encoders.items():
            run = {}
            for name, text in queries:
                scores = vectors @ encoder.encode(text)
                best = np.argsort(-scores, kind="stable")[:RESULTS]
                run[name] = [(names[row], float(scores[row])) for row in best]
                ten = {names[row] for row in best[:10]}
                expected = first_ten.setdefault(f"{collection.name} {name}", ten)
                shares[variant].append(len(ten & expected) / len(expected))
            mean, _per_query, _missing = scorer.score(qrels, run)
            found[variant][collection.name] = mean["ndcg@10"]
    return found, {variant: statistics.mean(series) for variant, series in shares.items()}


def cut(cutter: Tokenizer, text: str) -> str:
    """The part of `text` that the encoder's limit leaves, ending where a token ends."""
    offsets = cutter.encode(text).offsets
    return text[: max(end for _start, end in offsets)]


def measure_latency(encoders: dict[Any, QueryEncoder]) -> dict[Any, dict[int, float]]:
    """Median milliseconds of one query by variant and tokens, special tokens included."""
    times: dict[Any, dict[int, list[float]]] = {
        variant: {count: [] for count in QUERY_TOKENS} for variant in encoders
    }
    for _ in range(LATENCY_ROUNDS):
        for variant, encoder in encoders.items():
            for count in QUERY_TOKENS:
                text = " ".join(["map"] * (count - 2))
                start = time.perf_counter()
                encoder.encode(text)
                times[variant][count].append((time.perf_counter() - start) * 1e3)
    return {
        variant: {count: statistics.median(series) for count, series in by_count.items()}
        for variant, by_count in times.items()
    }


def measure_loading(folder: Path, model: Model) -> tuple[float, float]:
    """Milliseconds to load once the libraries are imported, and private megabytes after a query."""
    command = [sys.executable, "-c", LOAD, str(folder), str(model.max_tokens)]
    runs = [
        json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        for _ in range(LOAD_ROUNDS)
    ]
    return min(run[0] for run in runs), min(run[1] for run in runs)


def load_module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def print_table(header: list[str], rows: list[list[str]]) -> None:
    """A Markdown table, numbers to the right."""
    print("| " + " | ".join(header) + " |")
    print("| --- |" + " ---: |" * (len(header) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    sys.exit(main())
