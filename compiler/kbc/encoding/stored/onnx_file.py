"""Reads the weights out of an ONNX export of a model; the graph itself is never run.

An export keeps the names of embeddings, biases and norms, but folds the transposition of each matrix into a
constant without a name (`onnx::MatMul_470`). Such a matrix gets its name back from the bias that is added to
its product. ONNX Runtime's dynamic quantisation makes three constants of one (`onnx::MatMul_470_quantized`,
`..._scale`, `..._zero_point`), which are read as one again. Only the fields of onnx.proto that this needs are
read.
"""

from __future__ import annotations

import math
import mmap
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kb_runtime.store.onnx_graph import as_bytes, as_int, as_text, fields_of, numbers_of
from kb_runtime.store.onnx_shapes import GraphError
from kbc.encoding.quantize import Float32

# Numbers of fields in onnx.proto.
_GRAPH = 7
_NODE, _INITIALIZER = 1, 5
_INPUT, _OUTPUT, _OPERATOR = 1, 2, 4
_DIMS, _TYPE, _FLOATS, _INTEGERS, _NAME, _RAW, _LOCATION = 1, 2, 4, 5, 8, 9, 14

_FLOAT32, _UNSIGNED, _SIGNED, _FLOAT16 = 1, 2, 3, 10
_KINDS = {
    _FLOAT32: "F32",
    _FLOAT16: "F16",
    _UNSIGNED: "U8",
    _SIGNED: "I8",
    6: "I32",
    7: "I64",
    16: "BF16",
}
_DTYPES = {_FLOAT32: "<f4", _FLOAT16: "<f2", _UNSIGNED: "u1", _SIGNED: "i1"}
_BIAS, _WEIGHT = ".bias", ".weight"
_QUANTISED, _SCALE, _ZERO = "_quantized", "_scale", "_zero_point"


class OnnxFileError(Exception):
    """A file that is no ONNX model, or whose constants are not where it says; one clause says what."""


class _Constant(NamedTuple):
    """`data` holds the numbers, little-endian; it is empty where they are in another file.

    Quantised numbers are `scale * (stored - zero)`, with one of each or as many as the last axis is long.
    """

    shape: tuple[int, ...]
    type: int
    data: memoryview
    scale: _Constant | None = None
    zero: _Constant | None = None

    @property
    def kind(self) -> str:
        return "F32" if self.scale is not None else _KINDS.get(self.type, f"type {self.type}")

    def numbers(self, name: str) -> Float32:
        """A copy, float32. Raises `OnnxFileError`."""
        dtype = _DTYPES.get(self.type)
        if dtype is None or len(self.data) != math.prod(self.shape) * np.dtype(dtype).itemsize:
            raise OnnxFileError(f"the numbers of '{name}' are not in the file itself")
        try:
            stored = np.frombuffer(self.data, dtype).reshape(self.shape).astype(np.float32)
        except ValueError as error:
            raise OnnxFileError(f"'{name}' has a shape that no array can have") from error
        if self.scale is None or self.zero is None:
            return stored
        scale, zero = self.scale.numbers(name + _SCALE), self.zero.numbers(name + _ZERO)
        if not {scale.shape, zero.shape} <= {(), (1,), self.shape[-1:]}:
            raise OnnxFileError(f"'{name}' is quantised along another axis than its last")
        return np.asarray((stored - zero) * scale, dtype=np.float32)


class OnnxTensors:
    """The named constants of an ONNX file; as `Tensors`. A matrix of a linear layer has the shape that
    safetensors gives it, [outputs, inputs]."""

    def __init__(self, model: memoryview) -> None:
        """Raises `OnnxFileError`."""
        constants: dict[str, _Constant] = {}
        products: dict[str, str] = {}  # an output -> the constant that it is a product of
        sums: list[tuple[str, ...]] = []
        try:
            for number, message in _parts(model):
                if number == _INITIALIZER:
                    name, constant = _constant(as_bytes(message))
                    constants[name] = constant
                elif number == _NODE:
                    operator, inputs, outputs = _node(as_bytes(message))
                    if operator in ("MatMul", "MatMulInteger") and len(inputs) > 1 and outputs:
                        products[outputs[0]] = inputs[1].removesuffix(_QUANTISED)
                    elif operator in ("Cast", "Mul") and outputs:  # of what integers gave
                        for factor in products.keys() & inputs[:1]:
                            products[outputs[0]] = products[factor]
                    elif operator == "Add":
                        sums.append(inputs)
        except GraphError as error:
            raise OnnxFileError(str(error)) from error
        _join_quantised(constants)
        self._constants = constants
        self._transposed = _named_matrices(constants, products, sums)

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator[OnnxTensors]:
        """Maps the file; tensors that were read stay valid. Raises `OnnxFileError` and `OSError`."""
        with path.open("rb") as file:
            try:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            except ValueError as error:
                raise OnnxFileError("it is empty") from error
        # Not closed: views of it live as long as this object, and the last one unmaps it.
        yield cls(memoryview(mapped))

    @property
    def names(self) -> Collection[str]:
        return self._constants.keys() | self._transposed.keys()

    def shape(self, name: str) -> tuple[int, ...]:
        if name in self._transposed:
            return self._constants[self._transposed[name]].shape[::-1]
        return self._constants[name].shape

    def kind(self, name: str) -> str:
        return self._constants[self._transposed.get(name, name)].kind

    def read(self, name: str) -> Float32:
        """Raises `OnnxFileError` where the numbers are missing, or in another file."""
        stored = self._constants[self._transposed.get(name, name)].numbers(name)
        return np.ascontiguousarray(stored.T) if name in self._transposed else stored


def _join_quantised(constants: dict[str, _Constant]) -> None:
    """Replaces the parts of quantised constants by constants of the original names."""
    for stored in [name for name in constants if name.endswith(_QUANTISED)]:
        name = stored.removesuffix(_QUANTISED)
        scale, zero = constants.get(name + _SCALE), constants.get(name + _ZERO)
        if scale and zero and scale.scale is None is zero.scale:  # neither is quantised itself
            constants[name] = constants.pop(stored)._replace(scale=scale, zero=zero)


def _named_matrices(
    constants: Mapping[str, _Constant], products: Mapping[str, str], sums: list[tuple[str, ...]]
) -> dict[str, str]:
    """The name of a layer's matrix -> the constant that holds it transposed."""
    found = {}
    for terms in sums:
        biases = [term for term in terms if term in constants and term.endswith(_BIAS)]
        matrices = [products[term] for term in terms if term in products]
        if len(biases) != 1 or len(matrices) != 1 or matrices[0] not in constants:
            continue
        found[biases[0].removesuffix(_BIAS) + _WEIGHT] = matrices[0]
    return found


def _parts(model: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The fields of the model's graph."""
    for number, graph in fields_of(model):
        if number == _GRAPH:
            yield from fields_of(as_bytes(graph))


def _node(message: memoryview) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Operator, inputs and outputs."""
    operator, names = "", ([], [])  # type: tuple[str, tuple[list[str], list[str]]]
    for number, value in fields_of(message):
        if number == _OPERATOR:
            operator = as_text(value)
        elif number in (_INPUT, _OUTPUT):
            names[number == _OUTPUT].append(as_text(value))
    return operator, tuple(names[0]), tuple(names[1])


def _constant(message: memoryview) -> tuple[str, _Constant]:
    name, type, data = "", 0, memoryview(b"")
    shape: list[int] = []
    for number, value in fields_of(message):
        if number == _DIMS:
            shape.extend(numbers_of(value))
        elif number == _TYPE:
            type = as_int(value)
        elif number == _NAME:
            name = as_text(value)
        elif number == _RAW or (number == _FLOATS and not isinstance(value, int)):
            data = as_bytes(value)
        elif number == _INTEGERS:  # so are zero points stored, which have 8 bits
            data = memoryview(bytes(each & 0xFF for each in numbers_of(value)))
        elif number == _LOCATION and as_int(value):  # in another file
            return name, _Constant(tuple(shape), type, memoryview(b""))
    return name, _Constant(tuple(shape), type, data)
