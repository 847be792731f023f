"""Reads the tensors of a BERT-family encoder from safetensors and checks them against the config."""

from __future__ import annotations

import numpy as np

from kbc.encoding.errors import ModelError
from kbc.encoding.model import Model
from kbc.encoding.quantize import Float32

_FLOAT_TYPES = ("F32", "F16")


def read_weights(model: Model) -> dict[str, Float32]:
    """Tensor name without the architecture's prefix -> float32 array. Raises `ModelError`.

    Only what the graph uses is read: the pooler that next-sentence training left behind is not.
    """
    from safetensors import safe_open

    weights: dict[str, Float32] = {}
    with safe_open(model.weights_path, "numpy") as tensors:
        present = set(tensors.keys())
        for name, shape in _expected_shapes(model).items():
            stored = model.tensor_prefix + name
            if stored not in present:
                raise ModelError("model-invalid", f"model.safetensors has no tensor '{stored}'")
            view = tensors.get_slice(stored)
            if view.get_dtype() not in _FLOAT_TYPES:
                raise ModelError(
                    "model-unsupported",
                    f"tensor '{stored}' is stored as {view.get_dtype()}, which is not supported",
                    f"supported tensor types: {', '.join(_FLOAT_TYPES)}",
                )
            found = tuple(view.get_shape())
            if any(want not in (None, have) for want, have in zip(shape, found, strict=False)) or (
                len(found) != len(shape)
            ):
                wanted = " x ".join("any" if size is None else str(size) for size in shape)
                raise ModelError(
                    "model-invalid",
                    f"tensor '{stored}' has shape {' x '.join(map(str, found))}, "
                    f"config.json says {wanted}",
                )
            weights[name] = np.asarray(tensors.get_tensor(stored), dtype=np.float32)
    return weights


def _expected_shapes(model: Model) -> dict[str, tuple[int | None, ...]]:
    """Name -> shape; `None` where config.json does not bind the graph (vocabulary, positions)."""
    hidden, inner = model.dimensions, model.intermediate
    shapes: dict[str, tuple[int | None, ...]] = {
        "embeddings.word_embeddings.weight": (None, hidden),
        "embeddings.position_embeddings.weight": (None, hidden),
        "embeddings.token_type_embeddings.weight": (None, hidden),
        "embeddings.LayerNorm.weight": (hidden,),
        "embeddings.LayerNorm.bias": (hidden,),
    }
    for layer in range(model.layers):
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
