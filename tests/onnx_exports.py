"""Turns a tiny model into what exporters write for ONNX Runtime: one file, whose matrices have no names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from safetensors.numpy import load_file

from kbc.encoding.onnx_builder import Value, encode

Storage = Literal["raw", "floats", "half"]


def export(folder: Path, storage: Storage = "raw", place: str = "onnx/model.onnx") -> Path:
    """Replaces `model.safetensors` in a model folder by the weights as torch.onnx exports them: the matrix of
    a linear layer is a transposed constant that a MatMul reads, whose product gets the layer's bias. Of the
    graph only these two nodes are there, as a reader of weights looks at no others."""
    source = folder / "model.safetensors"
    path = folder / place
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(exported(load_file(source), storage))
    source.unlink()
    return path


def exported(tensors: Mapping[str, Any], storage: Storage = "raw") -> bytes:
    """The bytes of the ONNX file."""
    nodes, constants = [], []
    for name, values in tensors.items():
        layer = name.removesuffix(".weight")
        if name.endswith(".weight") and values.ndim == 2 and f"{layer}.bias" in tensors:
            number = len(constants)
            name, values = f"onnx::MatMul_{number}", values.T
            nodes += [
                _node("MatMul", [f"/{layer}/input", name], f"/{layer}/product"),
                _node("Add", [f"{layer}.bias", f"/{layer}/product"], f"/{layer}/output"),
            ]
        constants.append(_constant(name, values, storage))
    graph = encode([*((1, node) for node in nodes), (2, "graph"), *((5, one) for one in constants)])
    return encode([(1, 8), (2, "pytorch"), (7, graph), (8, encode([(2, 17)]))])


def _node(operator: str, inputs: list[str], output: str) -> bytes:
    return encode([*((1, one) for one in inputs), (2, output), (4, operator)])


def _constant(name: str, values: Any, storage: Storage) -> bytes:
    head: list[tuple[int, Value]] = [(1, length) for length in values.shape]
    if storage == "half":
        return encode([*head, (2, 10), (8, name), (9, values.astype("<f2").tobytes())])
    field = 4 if storage == "floats" else 9
    return encode([*head, (2, 1), (8, name), (field, values.astype("<f4").tobytes())])


def zeros(name: str, shape: tuple[int, ...], type: int, extra: list[tuple[int, Value]]) -> bytes:
    """A model with one constant and no numbers but those of `extra`, for what a reader must refuse."""
    head: list[tuple[int, Value]] = [(1, length) for length in shape]
    constant = encode([*head, (2, type), (8, name), *extra])
    return encode([(7, encode([(5, constant)]))])
