"""all-MiniLM-L6-v2 as the ONNX file that transformers.js reads, made from the official weights.

The public Quint server downloads this file from a hub. Here it is written where that server looks first:
the plain BERT graph with a batch and an attention mask, and dynamic int8 weights for each channel, as the
hub's file has them.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from kbc.encoding.model import Model, resolve_model
from kbc.encoding.quantize import Float32
from kbc.encoding.weights import read_weights

NAME = "Xenova/all-MiniLM-L6-v2"
_READABLE_IR = 8
"""The newest file format that ONNX Runtime 1.14 reads, which the server's lock file asks for."""
_AXES = ["batch", "tokens"]


class PeerGraph:
    """Collects the nodes and constants of a graph; names of values are handed around."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}

    def constant(self, name: str, values: Any, dtype: Any = np.float32) -> str:
        self.constants[name] = numpy_helper.from_array(np.array(values, dtype, order="C"), name)
        return name

    def apply(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def name_output(self, value: str, name: str) -> None:
        self.nodes.append(helper.make_node("Identity", [value], [name]))


def write_peer_model(models: Path) -> None:
    """Writes the model's folder below `models`: two configurations, a tokenizer and the graph."""
    from onnxruntime.quantization.quant_utils import QuantType
    from onnxruntime.quantization.quantize import quantize_dynamic

    model = resolve_model()
    folder = models / NAME
    (folder / "onnx").mkdir(parents=True)
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(model.folder / name, folder / name)
    with tempfile.TemporaryDirectory() as name:
        _write_graph(model, Path(name))
        target = folder / "onnx" / "model_quantized.onnx"
        quantize_dynamic(
            Path(name, "model.onnx"),
            target,
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
        )
        graph = onnx.load(target)
        graph.ir_version = _READABLE_IR
        onnx.save(graph, target)


def _write_graph(model: Model, folder: Path) -> None:
    weights = read_weights(model)
    graph = PeerGraph()

    def norm(name: str, x: str) -> str:
        parts = [graph.constant(f"{name}.{part}", weights[f"{name}.{part}"]) for part in _AFFINE]
        return graph.apply("LayerNormalization", x, *parts, axis=-1, epsilon=model.layers.epsilon)

    def gather(name: str, rows: str) -> str:
        table = graph.constant(name, weights[f"embeddings.{name}_embeddings.weight"])
        return graph.apply("Gather", table, rows)

    tokens = graph.apply("Shape", "input_ids", start=1, end=2)
    zero = graph.constant("zero", [0], np.int64)
    positions = weights["embeddings.position_embeddings.weight"]
    table = graph.constant("positions", positions)
    x = graph.apply("Add", gather("word", "input_ids"), gather("token_type", "token_type_ids"))
    x = graph.apply("Add", x, graph.apply("Slice", table, zero, tokens, zero))
    x = norm("embeddings.LayerNorm", x)
    mask = graph.apply("Cast", "attention_mask", to=TensorProto.FLOAT)
    mask = graph.apply("Unsqueeze", mask, graph.constant("heads_and_rows", [1, 2], np.int64))
    mask = graph.apply("Sub", graph.constant("one", 1.0), mask)
    mask = graph.apply("Mul", mask, graph.constant("masked", -1e9))
    for layer in range(model.layers.count):
        prefix = f"encoder.layer.{layer}."
        mixed = _attention(graph, model, weights, prefix, x, mask)
        x = norm(f"{prefix}attention.output.LayerNorm", graph.apply("Add", mixed, x))
        inner = _dense(graph, weights, f"{prefix}intermediate.dense", x)
        outer = _dense(graph, weights, f"{prefix}output.dense", _gelu(graph, inner))
        x = norm(f"{prefix}output.LayerNorm", graph.apply("Add", outer, x))
    graph.name_output(x, "last_hidden_state")
    names = ("input_ids", "attention_mask", "token_type_ids")
    states = helper.make_tensor_value_info(
        "last_hidden_state", TensorProto.FLOAT, [*_AXES, model.dimensions]
    )
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, _AXES) for name in names]
    made = helper.make_graph(graph.nodes, "encoder", inputs, [states], [*graph.constants.values()])
    opset = [helper.make_opsetid("", 18)]
    onnx.save(helper.make_model(made, opset_imports=opset), folder / "model.onnx")


_AFFINE = ("weight", "bias")


def _dense(graph: PeerGraph, weights: dict[str, Float32], name: str, x: str) -> str:
    matrix = graph.constant(f"{name}.weight", weights[f"{name}.weight"].T)
    bias = graph.constant(f"{name}.bias", weights[f"{name}.bias"])
    return graph.apply("Add", graph.apply("MatMul", x, matrix), bias)


def _gelu(graph: PeerGraph, x: str) -> str:
    scaled = graph.apply("Div", x, graph.constant("root_of_2", np.sqrt(2)))
    one_more = graph.apply("Add", graph.apply("Erf", scaled), graph.constant("one", 1.0))
    return graph.apply("Mul", graph.apply("Mul", x, one_more), graph.constant("half", 0.5))


def _attention(
    graph: PeerGraph, model: Model, weights: dict[str, Float32], prefix: str, x: str, mask: str
) -> str:
    size = model.dimensions // model.layers.heads
    split = graph.constant("split", [0, 0, model.layers.heads, size], np.int64)

    def heads(part: str, order: list[int]) -> str:
        projected = _dense(graph, weights, f"{prefix}attention.self.{part}", x)
        return graph.apply("Transpose", graph.apply("Reshape", projected, split), perm=order)

    scores = graph.apply("MatMul", heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1]))
    scores = graph.apply("Div", scores, graph.constant("root_of_size", np.sqrt(size)))
    shares = graph.apply("Softmax", graph.apply("Add", scores, mask), axis=-1)
    mixed = graph.apply("MatMul", shares, heads("value", [0, 2, 1, 3]))
    mixed = graph.apply("Transpose", mixed, perm=[0, 2, 1, 3])
    joined = graph.constant("joined", [0, 0, model.dimensions], np.int64)
    return _dense(
        graph, weights, f"{prefix}attention.output.dense", graph.apply("Reshape", mixed, joined)
    )
