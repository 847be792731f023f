"""How each variant stores the matrices of a graph and multiplies by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kbc.encoding import quantize
from kbc.encoding.onnx_builder import DATA_TYPES, MICROSOFT, GraphBuilder
from kbc.encoding.quantize import Float32
from kbc.encoding.variants import Variant


@dataclass(frozen=True, slots=True)
class Linear:
    """A dense layer: `matrix` is [inputs, outputs], `bias` is [outputs] or left to the caller."""

    name: str
    matrix: Float32
    bias: Float32 | None = None
    after_gelu: bool = False


class Precision(Protocol):
    """How a variant stores its matrices and multiplies by them."""

    def embed(self, graph: GraphBuilder, table: Float32) -> str:
        """Rows of `table` [vocabulary, d] for `input_ids`: the name of a float [1, tokens, d]."""
        ...

    def project(self, graph: GraphBuilder, x: str, layers: Sequence[Linear]) -> list[str]:
        """`x @ matrix (+ bias)` for layers that read the same `x` [1, tokens, inputs]."""
        ...


class _Fp32:
    """The weights as they are."""

    def embed(self, graph: GraphBuilder, table: Float32) -> str:
        return graph.apply("Gather", graph.constant("words", table), "input_ids")

    def project(self, graph: GraphBuilder, x: str, layers: Sequence[Linear]) -> list[str]:
        return [
            _add_bias(
                graph,
                graph.apply("MatMul", x, graph.constant(f"{layer.name}.weight", layer.matrix)),
                layer,
            )
            for layer in layers
        ]


class _Int8Words:
    """A word table of int8 rows with one scale each; a quarter of the size, cosine above 0.9999."""

    def embed(self, graph: GraphBuilder, table: Float32) -> str:
        values, scales = quantize.by_row(table)
        rows = graph.apply("Gather", graph.constant("words", values, np.int8), "input_ids")
        factors = graph.apply("Gather", graph.constant("words.scale", scales), "input_ids")
        return graph.apply("Mul", graph.apply("Cast", rows, to=DATA_TYPES["float32"]), factors)


class _BlockInt8(_Int8Words):
    """8-bit weights with a scale for every 32 of a column; activations quantised alike, inside.

    Blocks of 32 keep the kernel batch-invariant (blocks of 128 are not) and the results portable
    between instruction sets to 2.5e-5 in cosine. Accuracy level 4 is int8 arithmetic.
    """

    block = 32

    def project(self, graph: GraphBuilder, x: str, layers: Sequence[Linear]) -> list[str]:
        return [self._multiply(graph, x, layer) for layer in layers]

    def _multiply(self, graph: GraphBuilder, x: str, layer: Linear) -> str:
        values, scales = quantize.by_block(layer.matrix, self.block)
        inputs, outputs = layer.matrix.shape
        operands = [
            x,
            graph.constant(f"{layer.name}.weight", values, np.uint8),
            graph.constant(f"{layer.name}.scale", scales),
        ]
        if layer.bias is not None:
            operands += ["", "", graph.constant(f"{layer.name}.bias", layer.bias)]
        return graph.apply(
            "MatMulNBits",
            *operands,
            domain=MICROSOFT,
            K=inputs,
            N=outputs,
            bits=8,
            block_size=self.block,
            accuracy_level=4,
        )


# What GELU takes off: its least value, at -0.7518.
_GELU_LEAST = -0.17
# Of the 256 steps of a byte, those below zero behind GELU: as many as reach from its least value to zero
# where the largest value of a token is 1.23 or more, which fails for no token of natural text.
_GELU_ZERO_POINT = 31
_GELU_STEPS = 255 - _GELU_ZERO_POINT


class _DynamicInt8(_Int8Words):
    """int8 GEMMs with 7-bit weights; activations are quantised at run time, without calibration.

    One scale for a whole text suffices, except behind GELU: its outliers differ from token to token,
    and a scale for each raises the mean cosine with fp32 from 0.992 to 0.995 for 4 % of the time.
    GELU is nearly positive, so nearly all steps of a byte go to positive values. Seven bits cost 0.002
    in cosine and make the result the same on every CPU; with eight one without VNNI saturates and
    gives vectors at cosine 0.98.
    """

    def project(self, graph: GraphBuilder, x: str, layers: Sequence[Linear]) -> list[str]:
        if any(layer.after_gelu for layer in layers):
            return self._scale_by_token(graph, x, layers)
        quantised, scale, zero = graph.node("DynamicQuantizeLinear", x, outputs=3)
        return [
            self._multiply(graph, quantised, scale, zero, layer, with_bias=True) for layer in layers
        ]

    def _scale_by_token(self, graph: GraphBuilder, x: str, layers: Sequence[Linear]) -> list[str]:
        channels = graph.constant("channel_axis", [-1], np.int64)
        largest = graph.apply("ReduceMax", x, channels, keepdims=1)
        least = -_GELU_LEAST * _GELU_STEPS / _GELU_ZERO_POINT
        largest = graph.apply("Max", largest, graph.constant("gelu_largest", least))
        scale = graph.apply("Mul", largest, graph.constant("gelu_step", 1 / _GELU_STEPS))
        scales = graph.apply("Reshape", scale, graph.constant("flat", [-1], np.int64))
        # An axis wants a zero point for each of its scales, though all are the same.
        zeros = graph.apply(
            "Expand",
            graph.constant("gelu_zero_points", [_GELU_ZERO_POINT], np.uint8),
            graph.apply("Shape", scales),
        )
        quantised = graph.apply("QuantizeLinear", x, scales, zeros, axis=1)
        one = graph.constant("one", 1.0)
        zero = graph.constant("gelu_zero_point", _GELU_ZERO_POINT, np.uint8)
        projected = []
        for layer in layers:
            steps = self._multiply(graph, quantised, one, zero, layer, with_bias=False)
            projected.append(_add_bias(graph, graph.apply("Mul", steps, scale), layer))
        return projected

    def _multiply(
        self,
        graph: GraphBuilder,
        quantised: str,
        scale: str,
        zero: str,
        layer: Linear,
        *,
        with_bias: bool,
    ) -> str:
        weight, scales = self._weight(graph, layer)
        operands = [quantised, weight, scale, scales, zero]
        if with_bias and layer.bias is not None:
            operands += ["", graph.constant(f"{layer.name}.bias", layer.bias)]
        return graph.apply("MatMulIntegerToFloat", *operands, domain=MICROSOFT)

    def _weight(self, graph: GraphBuilder, layer: Linear) -> tuple[str, str]:
        values, scales = quantize.by_column(layer.matrix, bits=7)
        return (
            graph.constant(f"{layer.name}.weight", values, np.int8),
            graph.constant(f"{layer.name}.scale", scales),
        )


def _add_bias(graph: GraphBuilder, x: str, layer: Linear) -> str:
    if layer.bias is None:
        return x
    return graph.apply("Add", x, graph.constant(f"{layer.name}.bias", layer.bias))


PRECISIONS: dict[Variant, Precision] = {
    "fp32": _Fp32(),
    "nb8-b32": _BlockInt8(),
    "int8": _DynamicInt8(),
}
