"""Reads the tensors of a BERT-family encoder from its file of weights and checks them against the config."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from kbc.encoding.architectures import ARCHITECTURES, RELATIVE_BIAS, RELATIVE_BUCKETS
from kbc.encoding.errors import ModelError
from kbc.encoding.model import Layers, Model, score_head
from kbc.encoding.modules import DenseLayer
from kbc.encoding.quantize import Float32
from kbc.encoding.stored.tensors import missing_tensor_hint, open_tensors

_FLOAT_TYPES = ("F32", "F16")


def read_weights(model: Model) -> dict[str, Float32]:
    """BERT's tensor name without prefix -> float32 array. Raises `ModelError`.

    Only what the graph uses is read: the pooler that next-sentence training left behind is not. The head of
    a cross-encoder is `head.0` and `head.1`.
    """
    layers = model.layers
    architecture = ARCHITECTURES[layers.architecture]
    shapes = _expected_shapes(layers, model.hidden)
    stored = {name: layers.tensor_prefix + architecture.tensor(name) for name in shapes}
    if model.pooling == "score":
        for at, name in enumerate(score_head(layers)):
            outputs = 1 if at else model.hidden
            shapes |= {f"head.{at}.weight": (outputs, model.hidden), f"head.{at}.bias": (outputs,)}
            stored |= {f"head.{at}.{part}": f"{name}.{part}" for part in ("weight", "bias")}
    found = _read(model.weights_path, {stored[name]: shape for name, shape in shapes.items()})
    return {name: found[stored[name]] for name in shapes}


def read_dense(layer: DenseLayer) -> tuple[Float32, Float32]:
    """The matrix [inputs, outputs] and the bias [outputs] of a dense layer. Raises `ModelError`."""
    shapes = {"linear.weight": (layer.outputs, layer.inputs), "linear.bias": (layer.outputs,)}
    found = _read(layer.weights, shapes, optional="linear.bias")
    bias = found.get("linear.bias", np.zeros(layer.outputs, np.float32))
    return np.ascontiguousarray(found["linear.weight"].T), bias


def _read(
    path: Path, shapes: Mapping[str, tuple[int | None, ...]], optional: str = ""
) -> dict[str, Float32]:
    weights: dict[str, Float32] = {}
    with open_tensors(path) as tensors:
        present = tensors.names
        for name, shape in shapes.items():
            if name not in present:
                if name == optional:
                    continue
                raise ModelError(
                    "model-invalid",
                    f"{path.name} has no tensor '{name}'",
                    missing_tensor_hint(path),
                )
            if (kind := tensors.kind(name)) not in _FLOAT_TYPES:
                raise ModelError(
                    "model-unsupported",
                    f"tensor '{name}' is stored as {kind}, which is not supported",
                    f"supported tensor types: {', '.join(_FLOAT_TYPES)}",
                )
            found = tensors.shape(name)
            if any(want not in (None, have) for want, have in zip(shape, found, strict=False)) or (
                len(found) != len(shape)
            ):
                wanted = " x ".join("any" if size is None else str(size) for size in shape)
                raise ModelError(
                    "model-invalid",
                    f"tensor '{name}' has shape {' x '.join(map(str, found))}, "
                    f"config.json says {wanted}",
                )
            weights[name] = tensors.read(name)
    return weights


def _expected_shapes(layers: Layers, hidden: int) -> dict[str, tuple[int | None, ...]]:
    """Name -> shape; `None` where config.json does not bind the graph (vocabulary, positions)."""
    architecture, inner = ARCHITECTURES[layers.architecture], layers.intermediate
    shapes: dict[str, tuple[int | None, ...]] = {
        "embeddings.word_embeddings.weight": (None, hidden),
        "embeddings.position_embeddings.weight": (None, hidden),
        "embeddings.LayerNorm.weight": (hidden,),
        "embeddings.LayerNorm.bias": (hidden,),
    }
    if architecture.has_token_types:
        shapes["embeddings.token_type_embeddings.weight"] = (None, hidden)
    if architecture.has_relative_bias:
        shapes[RELATIVE_BIAS] = (RELATIVE_BUCKETS, layers.heads)
    for layer in range(layers.count):
        prefix = f"encoder.layer.{layer}."
        for part, outputs, inputs in (
            ("attention.self.query", hidden, hidden),
            ("attention.self.key", hidden, hidden),
            ("attention.self.value", hidden, hidden),
            ("attention.output.dense", hidden, hidden),
            ("intermediate.dense", inner, hidden),
            ("output.dense", hidden, inner),
        ):
            shapes[f"{prefix}{part}.weight"] = (outputs, inputs)
            shapes[f"{prefix}{part}.bias"] = (outputs,)
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes[f"{prefix}{part}.weight"] = (hidden,)
            shapes[f"{prefix}{part}.bias"] = (hidden,)
    return shapes
