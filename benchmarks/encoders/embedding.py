"""Tokens per second of the document encoder against a bare ONNX Runtime loop, in one run.

    python -m benchmarks.encoders.embedding [TREE ...]

Both sides embed the same texts with the same graph, one text at a time on two threads. The bare loop
gets them tokenised and only calls the session; the encoder starts from text, without a cache. They take
turns, and the best round of each counts. TREE is any folder with text files.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kbc.encoding.encoder import DocumentEncoder, open_session
from kbc.encoding.graph import write_graph
from kbc.encoding.graph_cache import Graph
from kbc.encoding.model import Model, resolve_model
from kbc.encoding.tokenizer import TokenCounter
from kbc.encoding.variants import Variant

THREADS = 2
ROUNDS = 5
TEXTS = 150
TOKENS_PER_TEXT = 200  # a typical chunk
BAR = 0.9
SUFFIXES = {".md", ".mdx", ".txt", ".qnt", ".py", ".rst"}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trees", nargs="*", type=Path)
    options = parser.parse_args(arguments)
    corpus = Path("../shared/corpora/quint-docs")
    trees = options.trees or [corpus if corpus.is_dir() else Path()]
    model = resolve_model()
    texts = read_texts(trees, TokenCounter(model))
    if not texts:
        print(f"no text in {', '.join(map(str, trees))}")
        return 1
    print("| variant | texts | tokens | bare tokens/s | encoder tokens/s | ratio | bar |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- |")
    passed = True
    variants: tuple[tuple[Variant, str], ...] = (("fp32", "fp32 (--exact)"), ("int8", "int8"))
    for variant, label in variants:
        tokens, bare, encoder = measure(model, variant, texts)
        ratio = bare / encoder
        passed &= ratio >= BAR
        print(
            f"| {label} | {len(texts)} | {tokens} | {tokens / bare:,.0f} | {tokens / encoder:,.0f} "
            f"| {ratio:.3f} | {'met' if ratio >= BAR else 'missed'} (>= {BAR}) |"
        )
    return 0 if passed else 1


def read_texts(trees: Sequence[Path], counter: TokenCounter) -> list[str]:
    """Paragraphs of the files, joined to about `TOKENS_PER_TEXT` tokens; spread over the tree."""
    texts: dict[str, None] = {}  # a set that keeps its order: the encoder embeds equal texts once
    for tree in trees:
        for path in sorted(tree.rglob("*")):
            inside = path.relative_to(tree).parts
            if path.suffix not in SUFFIXES or any(part.startswith(".") for part in inside):
                continue
            paragraphs = path.read_text(encoding="utf-8", errors="replace").split("\n\n")
            text, size = "", 0
            for paragraph, count in zip(paragraphs, counter.count_many(paragraphs), strict=True):
                if size + count > TOKENS_PER_TEXT and text:
                    texts[text] = None
                    text, size = "", 0
                if count <= TOKENS_PER_TEXT:
                    text, size = f"{text}\n\n{paragraph}", size + count
    found = list(texts)
    return found[:: max(1, len(found) // TEXTS)][:TEXTS]


def measure(model: Model, variant: Variant, texts: list[str]) -> tuple[int, float, float]:
    """Tokens, and the best seconds of the bare loop and of the encoder."""
    with tempfile.TemporaryDirectory() as name, DocumentEncoder(model, THREADS, variant) as encoder:
        write_graph(model, variant, Path(name))
        session = open_session(Graph.read(Path(name)))
        token_ids = encoder.tokenizer.encode_many(texts)
        inputs = [np.array([ids], np.int64) for ids in token_ids]
        encoder.encode(texts[:2])  # writes and loads its graph
        bare, full = [], []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            run_bare(session, inputs)
            bare.append(time.perf_counter() - start)
            start = time.perf_counter()
            encoder.encode(texts)
            full.append(time.perf_counter() - start)
    return sum(map(len, token_ids)), min(bare), min(full)


def run_bare(session: Any, inputs: list[Any]) -> None:
    pending = iter(inputs)

    def work() -> None:
        for ids in pending:
            session.run(None, {"input_ids": ids})

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    sys.exit(main())
