"""Writes the models of an artifact: the graph that embeds queries, the one that re-ranks, and what identifies
them."""

from __future__ import annotations

import base64
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kb_runtime.search.encoder import QueryEncoder
from kb_runtime.search.ranking.cross_encoder import CrossEncoder
from kbc.encoding.graph_cache import Graph, read_graph
from kbc.encoding.model import Model
from kbc.encoding.tokenizer import read_tokenizer
from kbc.encoding.variants import RECIPE, Variant

# Chosen by labelled relevance, latency and size: docs/encoder.md, benchmarks/encoders/query_encoder.py.
DEFAULT_QUERY_VARIANT: Variant = "int8"

# What another CPU may make of the same graph: fp32 differs in the last bits (9e-8 measured), blocks
# of 8 bits by up to 2.5e-5, and one scale for a whole text amplifies a last bit to a step.
_MIN_COSINE: dict[Variant, float] = {"fp32": 0.99999, "nb8-b32": 0.999, "int8": 0.995}

RERANKER_VARIANT: Variant = "int8"
# Of a score on another CPU. Scores of published models are in about -11 to 11.
_MAX_DIFFERENCE = 0.25

_SELF_TEST_TEXTS = (
    "leader election",
    "How do I create a map from a set of pairs?",
    "setOfMaps(keys, values): every map from keys to values, e.g. 1.to(3).setOfMaps(Bool)",
)


class ShippedEncoders:
    """The encoder sections of a process that builds repeatedly: each graph is read, and tried, once."""

    def __init__(self) -> None:
        self._made: dict[tuple[Model, Variant, Variant], tuple[Graph, dict[str, Any]]] = {}

    def write(
        self,
        model: Model,
        folder: Path,
        document_variant: Variant = "fp32",
        query_variant: Variant = DEFAULT_QUERY_VARIANT,
        cache: Path | None = None,
    ) -> dict[str, Any]:
        """Writes `model.onnx`, `model.bin` and `tokenizer.json` into `folder`, which must exist.

        `cache` is the compiler's cache folder, where the graph is kept. Returns the manifest's
        `encoder` object: identity, and a self-test whose expected vectors were computed by the written
        files, as the runtime loads them.
        """
        name = (model, document_variant, query_variant)
        if name in self._made:
            graph, entry = self._made[name]
            _write(model, graph, folder)
            return entry
        graph = read_graph(model, query_variant, cache)
        _write(model, graph, folder)
        entry = _entry(model, folder, document_variant, query_variant)
        self._made[name] = graph, entry
        return entry


def _write(model: Model, graph: Graph, folder: Path) -> None:
    graph.write(folder)
    (folder / "tokenizer.json").write_bytes(model.tokenizer_path.read_bytes())


def _entry(
    model: Model, folder: Path, document_variant: Variant, query_variant: Variant
) -> dict[str, Any]:
    encoder = QueryEncoder(str(folder), model.max_tokens, model.prompts.query)
    return {
        "model": model.name,
        "weights_sha256": model.weights_sha256,
        "tokenizer_sha256": model.tokenizer_sha256,
        "package": None if model.package is None else asdict(model.package),
        "license": model.license,
        "dimensions": model.dimensions,
        "max_tokens": model.max_tokens,
        "pooling": model.pooling,
        "prompts": asdict(model.prompts),
        "languages": model.languages,
        "metric": "cosine",
        "recipe": RECIPE,
        "documents": document_variant,
        "queries": query_variant,
        "self_test": {
            "min_cosine": _MIN_COSINE[query_variant],
            "entries": [
                {
                    "text": text,
                    "vector": base64.b64encode(
                        encoder.encode(text).astype("<f4").tobytes()
                    ).decode(),
                }
                for text in _SELF_TEST_TEXTS
            ],
        },
    }


def write_reranker(model: Model, folder: Path, cache: Path | None = None) -> dict[str, Any]:
    """As `ShippedEncoders.write`, for a cross-encoder and into a new folder; gives the manifest's `reranker`
    object. Raises `ModelError`."""
    read_tokenizer(model)
    folder.mkdir()
    _write(model, read_graph(model, RERANKER_VARIANT, cache), folder)
    reranker = CrossEncoder(str(folder), model.max_tokens)
    question, *texts = _SELF_TEST_TEXTS
    scores = reranker(question, texts)
    return {
        "model": model.name,
        "weights_sha256": model.weights_sha256,
        "tokenizer_sha256": model.tokenizer_sha256,
        "license": model.license,
        "max_tokens": model.max_tokens,
        "recipe": RECIPE,
        "queries": RERANKER_VARIANT,
        "self_test": {
            "max_difference": _MAX_DIFFERENCE,
            "entries": [
                {"query": question, "text": text, "score": score}
                for text, score in zip(texts, scores, strict=True)
            ],
        },
    }
