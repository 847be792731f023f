"""What a second stage costs: loading a cross-encoder, and re-scoring 20 candidates on one core.

    python -m benchmarks.quality.rerank [--model DIR] [--tokens 32,48,64]

Without --model it is one of MiniLM-L6's size with random weights: 6 layers of 384, and the tokenizer of
the default encoder. Every pair has the given number of tokens. Times are of one thread: on the clock, which
is what a search waits on an idle core, and of the CPU. Quality is measured by `benchmarks.wide`, with
--rerank-model and the system `rerank`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from kb_runtime.search.ranking.cross_encoder import PAIR_TOKENS, CrossEncoder
from kb_runtime.search.ranking.reranking import CROSS_ENCODED
from kbc.encoding.model import resolve_model, resolve_reranker
from kbc.encoding.shipped import write_reranker

WIDTH, INNER, LAYERS, HEADS, POSITIONS, WORDS = 384, 1536, 6, 12, 512, 30_522
QUERY = "how do I undo a release"
ROUNDS = 15


def write_random(folder: Path) -> Path:
    """A cross-encoder of MiniLM-L6's size whose scores mean nothing."""
    random = np.random.default_rng(1)

    def normal(*shape: int) -> Any:
        return (random.standard_normal(shape) * 0.05).astype(np.float32)

    shapes: dict[str, tuple[int, ...]] = {
        "bert.embeddings.word_embeddings": (WORDS, WIDTH),
        "bert.embeddings.position_embeddings": (POSITIONS, WIDTH),
        "bert.embeddings.token_type_embeddings": (2, WIDTH),
        "bert.embeddings.LayerNorm": (WIDTH,),
        "bert.pooler.dense": (WIDTH, WIDTH),
        "classifier": (1, WIDTH),
    }
    for layer in range(LAYERS):
        at = f"bert.encoder.layer.{layer}."
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            shapes[f"{at}attention.{part}"] = (WIDTH, WIDTH)
        shapes[f"{at}intermediate.dense"] = (INNER, WIDTH)
        shapes[f"{at}output.dense"] = (WIDTH, INNER)
        shapes[f"{at}attention.output.LayerNorm"] = shapes[f"{at}output.LayerNorm"] = (WIDTH,)
    tensors = {
        f"{name}.weight": normal(*shape) + (len(shape) == 1) for name, shape in shapes.items()
    }
    tensors |= {
        f"{name}.bias": normal(shape[0])
        for name, shape in shapes.items()
        if not name.endswith("_embeddings")
    }
    save_file(tensors, folder / "model.safetensors")
    config = {
        "model_type": "bert",
        "hidden_size": WIDTH,
        "intermediate_size": INNER,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "max_position_embeddings": POSITIONS,
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "tokenizer.json").write_bytes(resolve_model().tokenizer_path.read_bytes())
    return folder


def measured(run: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds on the clock and of the CPU."""
    clock, cpu = time.perf_counter(), time.process_time()
    run()
    return (time.perf_counter() - clock) * 1e3, (time.process_time() - cpu) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", type=Path)
    parser.add_argument("--tokens", default=f"32,48,{PAIR_TOKENS}")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        model = resolve_reranker(options.model or write_random(Path(name)))
        folder = Path(name, "reranker")
        write_reranker(model, folder)
        size = sum(file.stat().st_size for file in folder.iterdir())
        print(f"{model.name if options.model else 'random weights'}: {size / 1e6:.1f} MB")
        opened: list[CrossEncoder] = []
        clock, _ = measured(lambda: opened.append(CrossEncoder(str(folder), PAIR_TOKENS)))
        print(f"loading: {clock:.0f} ms")
        texts = [f"{at} the release before is live again " * 20 for at in range(CROSS_ENCODED)]
        print("tokens   best ms   median ms   best CPU ms   median CPU ms")
        for tokens in map(int, options.tokens.split(",")):
            reranker = CrossEncoder(str(folder), tokens)
            reranker(QUERY, texts[:1])
            times = [measured(lambda one=reranker: one(QUERY, texts)) for _ in range(ROUNDS)]  # type: ignore[misc]
            clocks, cpus = zip(*times, strict=True)
            row = [min(clocks), statistics.median(clocks), min(cpus), statistics.median(cpus)]
            print(f"{tokens:6}", *(f"{value:11.1f}" for value in row))


if __name__ == "__main__":
    main()
