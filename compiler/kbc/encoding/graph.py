"""Writes the encoder as an ONNX graph: token ids in, one normalised sentence vector out.

The graph takes one text at a time. Batch 1 needs no padding and therefore no attention mask, which
lets ONNX Runtime use its flash attention kernel, makes every vector independent of its neighbours,
and is as fast as batching on a CPU. LayerNormalization and Add stay separate operators: the fused
form is about five times slower on a CPU, so sessions load the graph with optimisation off.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kbc.encoding.architectures import RELATIVE_BIAS, RELATIVE_BUCKETS
from kbc.encoding.model import Layers, Model
from kbc.encoding.onnx_builder import MICROSOFT, GraphBuilder, GraphValue
from kbc.encoding.precision import PRECISIONS, Linear, Precision
from kbc.encoding.quantize import Float32
from kbc.encoding.variants import RECIPE
from kbc.encoding.variants import Variant as Variant
from kbc.encoding.weights import read_dense, read_weights

_TYPES, _TYPE_IDS = "embeddings.token_type_embeddings.weight", "token_type_ids"


def write_graph(model: Model, variant: Variant, folder: Path) -> None:
    """Writes `model.onnx` and `model.bin` into `folder`; equal input gives equal bytes.

    The graph maps `input_ids` int64 [1, tokens] to `embedding` float32 [1, d] of length 1; that of a
    cross-encoder maps `input_ids` and, where the model tells the texts of a pair apart, `token_type_ids` of
    the same shape to `score` float32 [1, 1]. More than `model.max_tokens` tokens fail: the position table
    ends there.
    """
    graph = GraphBuilder()
    weights = read_weights(model)
    tokens = _write_layers(graph, model, PRECISIONS[variant], weights)
    inputs, output = ["input_ids"], "embedding"
    if model.pooling == "score":
        output = "score"
        graph.name_output(_score(graph, weights, tokens), output)
        if _tells_apart(weights):
            inputs.append(_TYPE_IDS)
    else:
        normalised = graph.apply("LpNormalization", _pool(graph, model, tokens), axis=-1, p=2)
        graph.name_output(normalised, output)
    graph.save(
        folder,
        [GraphValue(name, "int64", [1, "tokens"]) for name in inputs],
        [GraphValue(output, "float32", [1, model.dimensions])],
        {
            "kbc.variant": variant,
            "kbc.recipe": str(RECIPE),
            "kbc.weights_sha256": model.weights_sha256,
        },
    )


def _tells_apart(weights: Mapping[str, Float32]) -> bool:
    """Whether there are several types of tokens."""
    return len(weights.get(_TYPES, ())) > 1


def _write_layers(
    graph: GraphBuilder, model: Model, precision: Precision, weights: Mapping[str, Float32]
) -> str:
    """The last hidden state, float [1, tokens, hidden]; for a score, [1, 1, hidden] of the first."""
    bias, last = "", model.layers.count - 1
    writer = _LayerWriter(graph, model.layers, precision, weights)
    is_score = model.pooling == "score"
    x = writer.embeddings(
        model.layers.first_position + model.max_tokens, in_pairs=is_score and _tells_apart(weights)
    )
    if RELATIVE_BIAS in weights:
        bias = _relative_bias(graph, weights[RELATIVE_BIAS], model.max_tokens)
    for layer in range(model.layers.count):
        first_only = is_score and layer == last
        x = writer.layer(x, f"encoder.layer.{layer}.", bias, first_only=first_only)
    return x


@dataclass(frozen=True, slots=True)
class _LayerWriter:
    """Writes BERT's layers; `weights` are by BERT's names."""

    graph: GraphBuilder
    layers: Layers
    precision: Precision
    weights: Mapping[str, Float32]

    def embeddings(self, positions: int, *, in_pairs: bool) -> str:
        """Embedded tokens; the first `positions` rows of the position table are there. Tokens of texts
        `in_pairs` have types."""
        graph, weights = self.graph, self.weights
        words = self.precision.embed(graph, weights["embeddings.word_embeddings.weight"])
        table = weights["embeddings.position_embeddings.weight"]
        table = table[self.layers.first_position : positions]
        if in_pairs:
            types = graph.apply("Gather", graph.constant("types", weights[_TYPES]), _TYPE_IDS)
            words = graph.apply("Add", words, types)
        elif _TYPES in weights:
            # Every token is of type 0, so that row can be part of the position table.
            table = table + weights[_TYPES][0]
        zero = graph.constant("zero", [0], np.int64)
        used = graph.apply(
            "Slice", graph.constant("positions", table), zero, graph.token_count(), zero
        )
        return self._add_norm("embeddings.LayerNorm", words, used)

    def layer(self, x: str, prefix: str, relative_bias: str, *, first_only: bool = False) -> str:
        """The next hidden state; with `first_only` that of the first token, which attends to all."""
        graph, weights = self.graph, self.weights

        def linear(part: str, with_bias: bool = True, after_gelu: bool = False) -> Linear:
            bias = weights[f"{prefix}{part}.bias"] if with_bias else None
            return Linear(prefix + part, weights[f"{prefix}{part}.weight"].T, bias, after_gelu)

        heads = [f"attention.self.{part}" for part in ("query", "key", "value")]
        projections = [linear(part, with_bias=False) for part in heads]
        if first_only:
            keys, values = self.precision.project(graph, x, projections[1:])
            x = graph.apply("Gather", x, graph.constant("first", [0], np.int64), axis=1)
            (queries,) = self.precision.project(graph, x, projections[:1])
        else:
            queries, keys, values = self.precision.project(graph, x, projections)
        biases = np.concatenate([weights[f"{prefix}{part}.bias"] for part in heads])
        attended = graph.apply(
            "MultiHeadAttention",
            queries,
            keys,
            values,
            graph.constant(f"{prefix}attention.self.bias", biases),
            *(("", relative_bias) if relative_bias else ()),
            domain=MICROSOFT,
            num_heads=self.layers.heads,
        )
        (mixed,) = self.precision.project(graph, attended, [linear("attention.output.dense")])
        x = self._add_norm(f"{prefix}attention.output.LayerNorm", mixed, x)
        (inner,) = self.precision.project(graph, x, [linear("intermediate.dense")])
        activated = graph.apply("Gelu", inner, domain=MICROSOFT)
        (outer,) = self.precision.project(
            graph, activated, [linear("output.dense", after_gelu=True)]
        )
        return self._add_norm(f"{prefix}output.LayerNorm", outer, x)

    def _add_norm(self, name: str, left: str, right: str) -> str:
        return self.graph.apply(
            "LayerNormalization",
            self.graph.apply("Add", left, right),
            self.graph.constant(f"{name}.weight", self.weights[f"{name}.weight"]),
            self.graph.constant(f"{name}.bias", self.weights[f"{name}.bias"]),
            axis=-1,
            epsilon=self.layers.epsilon,
        )


def _relative_bias(graph: GraphBuilder, table: Float32, tokens: int) -> str:
    """What MPNet adds to the attention: float [1, heads, tokens, tokens], from `table` [buckets, heads]."""
    buckets = graph.constant("distances", _distance_buckets(tokens), np.int64)
    for axis in (0, 1):
        along = graph.constant(f"axis_{axis}", [axis], np.int64)
        zero = graph.constant("zero", [0], np.int64)
        buckets = graph.apply("Slice", buckets, zero, graph.token_count(), along)
    return graph.apply("Gather", graph.constant("biases", table.T[None]), buckets, axis=2)


def _distance_buckets(tokens: int) -> NDArray[np.int64]:
    """The bucket of each pair of positions, [tokens, tokens]: half of them for what follows; of either half,
    near distances have one each, those up to 128 share the rest by their logarithm."""
    distance = np.arange(tokens)[None, :] - np.arange(tokens)[:, None]
    half, exact, farthest = RELATIVE_BUCKETS // 2, RELATIVE_BUCKETS // 4, 128
    size = np.abs(distance)
    scale = np.log(np.maximum(size, 1) / exact) / np.log(farthest / exact)
    far = np.minimum(exact + (scale * (half - exact)).astype(np.int64), half - 1)
    buckets: NDArray[np.int64] = np.where(size < exact, size, far) + half * (distance > 0)
    return buckets


def _score(graph: GraphBuilder, weights: Mapping[str, Float32], x: str) -> str:
    """The score of a pair, float [1, 1], by what its first token became."""
    x = graph.apply("Gather", x, graph.constant("first_token", 0, np.int64), axis=1)
    for at in (0, 1):
        matrix = graph.constant(f"head.{at}.weight", weights[f"head.{at}.weight"].T)
        bias = graph.constant(f"head.{at}.bias", weights[f"head.{at}.bias"])
        x = graph.apply("Add", graph.apply("MatMul", x, matrix), bias)
        x = x if at else graph.apply("Tanh", x)
    return x


def _pool(graph: GraphBuilder, model: Model, x: str) -> str:
    """The vector of the text, not normalised yet: float [1, dimensions]."""
    if model.pooling == "cls":
        x = graph.apply("Gather", x, graph.constant("first_token", 0, np.int64), axis=1)
    else:  # normalising cancels the divisor of a mean, unless a dense layer comes first
        axis = graph.constant("token_axis", [1], np.int64)
        x = graph.apply("ReduceMean" if model.dense else "ReduceSum", x, axis, keepdims=0)
    for at, layer in enumerate(model.dense):
        matrix, bias = read_dense(layer)
        x = graph.apply("MatMul", x, graph.constant(f"dense.{at}.weight", matrix))
        x = graph.apply("Add", x, graph.constant(f"dense.{at}.bias", bias))
        if layer.activation:
            x = graph.apply(layer.activation, x)
    return x
