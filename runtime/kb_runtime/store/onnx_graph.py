"""Checks a query encoder's graph before ONNX Runtime sees it: only what the compiler's writer emits.

ONNX can express programs that never end (Loop, Scan, functions), and constants that are larger than their
files. A small reader of protobuf, which also reads models for the compiler, suffices to see that a graph has
neither; whatever else it meets, known to ONNX or not, is refused.
"""

from __future__ import annotations

import math
import mmap
import os
from collections.abc import Iterator
from typing import TypeVar

from kb_runtime.store.onnx_shapes import MAX_RANK, GraphError, Node, Shape, check_work

OPERATORS = frozenset(
    [
        *("Add", "Cast", "DynamicQuantizeLinear", "Expand", "Gather", "Gelu", "Identity"),
        *("LayerNormalization", "LpNormalization", "MatMul", "MatMulIntegerToFloat", "MatMulNBits"),
        *("Max", "Mul", "MultiHeadAttention", "QuantizeLinear", "ReduceMax", "ReduceMean"),
        *("ReduceSum", "Reshape", "Shape", "Slice", "Tanh"),
        *("Abs", "Div", "MatMulInteger"),  # of earlier writers
    ]
)
MAX_BYTES = 4 << 20
"""Of `model.onnx`, whose matrices lie in `model.bin`; ours have 0.2 MB, of 24 large layers 2 MB."""

_ITEM_BYTES = {1: 4, 2: 1, 3: 1, 6: 4, 7: 8}  # float32, uint8, int8, int32, int64
_FLOAT32, _INT64 = 1, 7
_EXTERNAL = 1

# The fields that the writer sets, by their numbers in onnx.proto.
_MODEL = {1: "ir_version", 2: "producer_name", 7: "graph", 8: "opset_import", 14: "metadata_props"}
_GRAPH = {1: "node", 2: "name", 5: "initializer", 11: "input", 12: "output"}
_NODE = {1: "input", 2: "output", 3: "name", 4: "op_type", 5: "attribute", 7: "domain"}
_ATTRIBUTE = {1: "name", 2: "f", 3: "i", 20: "type"}
_TENSOR = {
    1: "dims",
    2: "data_type",
    8: "name",
    9: "raw_data",
    13: "external_data",
    14: "data_location",
}
_ENTRY = {1: "key", 2: "value"}

_VALUE = {1: "name", 2: "type", 3: "doc_string"}

Field = tuple[str, int | bytes]
Data = TypeVar("Data", bytes, memoryview)


def check_graph(folder: str) -> None:
    """Raises GraphError, and OSError for files that are not there."""
    with open(os.path.join(folder, "model.onnx"), "rb") as file:
        model = file.read(MAX_BYTES + 1)
    if len(model) > MAX_BYTES:
        raise GraphError(f"model.onnx is larger than {MAX_BYTES} bytes")
    with open(os.path.join(folder, "model.bin"), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        mapped = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) if size else b""
    weights = memoryview(mapped)
    for name, value in _fields(model, _MODEL, "the model"):
        if name == "graph":
            _check(as_bytes(value), weights)


def _check(graph: bytes, weights: memoryview) -> None:
    nodes: list[Node] = []
    constants: dict[str, Shape] = {}
    axes: dict[str, int] = {}
    given: list[str] = []
    for name, value in _fields(graph, _GRAPH, "the graph"):
        if name == "node":
            nodes.append(_checked_node(as_bytes(value)))
        elif name == "initializer":
            constant, shape, number = _checked_tensor(as_bytes(value), weights)
            constants[constant] = shape
            if number is not None:
                axes[constant] = number
        elif name == "input":
            fields = dict(_fields(as_bytes(value), _VALUE, "an input"))
            given.append(as_text(fields.get("name", b"")))
    check_work(nodes, constants, axes, given)


def _checked_node(node: bytes) -> Node:
    found: dict[str, list[bytes]] = {}
    for name, value in _fields(node, _NODE, "a node"):
        found.setdefault(name, []).append(as_bytes(value))
    kinds = [kind.decode("utf-8", "replace") for kind in found.get("op_type", ())]
    if len(kinds) != 1 or kinds[0] not in OPERATORS:
        raise GraphError(f"the operator {', '.join(kinds)!r} is not one that kbc uses")
    numbers = {}
    for attribute in found.get("attribute", ()):
        fields = dict(_fields(attribute, _ATTRIBUTE, f"an attribute of {kinds[0]}"))
        numbers[as_text(fields.get("name", b""))] = _signed(fields.get("i", 0))
    inputs, outputs = (list(map(as_text, found.get(name, ()))) for name in ("input", "output"))
    return Node(kinds[0], inputs, outputs, numbers)


def _checked_tensor(tensor: bytes, weights: memoryview) -> tuple[str, Shape, int | None]:
    """The name and shape of a constant, and its value where that is one integer. All values must be
    there, in the file or in `weights`, which is `model.bin`, and floats finite."""
    dims: list[int] = []
    found: dict[str, int | bytes] = {}
    external: dict[bytes, bytes] = {}
    for name, value in _fields(tensor, _TENSOR, "a constant"):
        if name == "dims":
            dims.extend(numbers_of(value))
        elif name == "external_data":
            entry = {key: as_bytes(one) for key, one in _fields(as_bytes(value), _ENTRY, "a place")}
            external[entry.get("key", b"")] = entry.get("value", b"")
        else:
            found[name] = value
    constant = as_text(found.get("name", b""))
    item = _ITEM_BYTES.get(as_int(found.get("data_type", 0)))
    if item is None:
        raise GraphError(f"the constant {constant!r} has a type that kbc does not use")
    if len(dims) > MAX_RANK:
        raise GraphError(f"the constant {constant!r} has {len(dims)} dimensions")
    size, start = math.prod(dims) * item, 0
    if as_int(found.get("data_location", 0)) == _EXTERNAL:
        start, length = _number(external.get(b"offset")), _number(external.get(b"length"))
        is_there = (
            external.get(b"location") == b"model.bin"
            and length == size
            and start + size <= len(weights)
        )
    else:
        is_there = not external and len(as_bytes(found.get("raw_data", b""))) == size
    if not is_there:
        raise GraphError(f"the constant {constant!r} is not {size} bytes of the encoder's files")
    inside = as_bytes(found.get("raw_data", b""))
    if as_int(found["data_type"]) == _FLOAT32 and not _is_finite(
        inside or weights[start : start + size]
    ):
        raise GraphError(f"the constant {constant!r} has values that are not finite")
    is_number = as_int(found["data_type"]) == _INT64 and len(inside) == item
    return (
        constant,
        tuple(dims),
        int.from_bytes(inside, "little", signed=True) if is_number else None,
    )


def _is_finite(floats: bytes | memoryview) -> bool:
    """Whether no float32 is NaN or infinite: one of a word's weights would fail only texts with the word."""
    import numpy

    return bool(numpy.isfinite(numpy.frombuffer(floats, "<f4")).all())


def _fields(message: bytes, known: dict[int, str], what: str) -> Iterator[Field]:
    """The fields of a message by name; an unknown one is refused."""
    for number, value in fields_of(message):
        name = known.get(number)
        if name is None:
            raise GraphError(f"{what} has the field {number}, which kbc does not write")
        yield name, value


def _signed(value: int | bytes) -> int:
    number = as_int(value)
    return number - (1 << 64) if number >= 1 << 63 else number


def _number(text: bytes | None) -> int:
    """A number in decimal digits."""
    if not text or len(text) > 20 or not text.isdigit():
        raise GraphError(f"{text!r} is not a place in model.bin")
    return int(text)


def fields_of(message: Data) -> Iterator[tuple[int, int | Data]]:
    """The fields of any message of Protocol Buffers: its number, and a whole number or bytes. Each is read
    within the message and nothing by recursion: a crafted file costs what its size costs."""
    at, end = 0, len(message)
    while at < end:
        tag, at = _varint(message, at)
        value: int | Data
        match tag & 7:
            case 2:
                length, at = _varint(message, at)
                value, at = message[at : at + length], at + length
            case 0:
                value, at = _varint(message, at)
            case 1:
                value, at = message[at : at + 8], at + 8
            case 5:
                value, at = message[at : at + 4], at + 4
            case _:
                raise GraphError("a message is damaged")
        if at > end:
            raise GraphError("a message ends too soon")
        yield tag >> 3, value


def _varint(message: bytes | memoryview, at: int) -> tuple[int, int]:
    if at < len(message) and message[at] < 0x80:  # nearly all have one byte
        return message[at], at + 1
    value = 0
    for shift in range(0, 64, 7):
        if at >= len(message):
            raise GraphError("a message ends too soon")
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise GraphError("a message is damaged")


def numbers_of(value: int | bytes | memoryview) -> Iterator[int]:
    """A repeated number: one, or several packed."""
    if isinstance(value, int):
        yield value
        return
    at = 0
    while at < len(value):
        number, at = _varint(value, at)
        yield number


def as_bytes(value: int | Data) -> Data:
    if isinstance(value, int):
        raise GraphError("a number is where bytes should be")
    return value


def as_int(value: int | bytes | memoryview) -> int:
    if not isinstance(value, int):
        raise GraphError("bytes are where a number should be")
    return value


def as_text(value: int | bytes | memoryview) -> str:
    if isinstance(value, int):
        raise GraphError("a number is where text should be")
    return bytes(value).decode("utf-8", "replace")
