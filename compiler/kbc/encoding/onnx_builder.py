"""Assembles an ONNX model node by node, with its matrices in one external file.

ONNX Runtime maps external data instead of reading it, so that processes share the pages and untouched
rows of a table are never loaded. Equal input gives equal bytes: names are numbered, and there are no dates.

The few messages of onnx.proto that a graph consists of are encoded here, by their field numbers and in
ascending order, because the `onnx` package takes 33 MB.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MICROSOFT = "com.microsoft"  # ONNX Runtime's own operators
_OPSET = 18
_IR_VERSION = 9
# Scalars, shapes and vectors stay in the graph: ONNX Runtime resolves and maps the path of the external file
# anew for every value, with some 30 calls of the system.
_INLINE_BYTES = 1 << 14
_ALIGNMENT = 64  # bytes; one cache line, enough for every vector instruction
_EXTERNAL = 1
_FLOAT, _INT = 1, 2  # types of attributes

DATA_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}
"""`TensorProto.DataType` by the name of the dtype."""

Value = int | float | str | bytes
Message = Sequence[tuple[int, Value]]


@dataclass(frozen=True, slots=True)
class GraphValue:
    """An input or output of a graph. An axis with a name can have any length."""

    name: str
    dtype: str
    shape: Sequence[int | str]

    def encoded(self) -> bytes:
        axes = [(1, encode([(2 if isinstance(axis, str) else 1, axis)])) for axis in self.shape]
        tensor = encode([(1, DATA_TYPES[self.dtype]), (2, encode(axes))])
        return encode([(1, self.name), (2, encode([(1, tensor)]))])


class GraphBuilder:
    """Collects nodes and initializers; `save` writes `model.onnx` and `model.bin`.

    Names of values are handed around as strings, as ONNX does.
    """

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._initializers: dict[str, bytes] = {}
        self._external: list[tuple[int, NDArray[Any]]] = []
        self._size = 0
        self._token_count = ""

    def constant(self, name: str, values: Any, dtype: Any = np.float32) -> str:
        """The value `name`; a second call with the same name refers to the first one's values."""
        if name not in self._initializers:
            array = np.array(values, dtype=dtype, order="C")
            self._initializers[name] = self._tensor(name, array)
        return name

    def node(
        self, kind: str, *inputs: str, domain: str = "", outputs: int = 1, **attributes: int | float
    ) -> list[str]:
        """Adds an operator and returns the names of its outputs."""
        name = f"{kind}_{len(self._nodes)}"
        names = [name, *(f"{name}_{index}" for index in range(1, outputs))]
        self._add(kind, inputs, names, name, domain, attributes)
        return names

    def apply(self, kind: str, *inputs: str, domain: str = "", **attributes: int | float) -> str:
        """Adds an operator with one output and returns its name."""
        return self.node(kind, *inputs, domain=domain, outputs=1, **attributes)[0]

    def name_output(self, value: str, name: str) -> None:
        """Gives a value the public name of a graph output."""
        self._add("Identity", [value], [name], name, None, {})

    def token_count(self) -> str:
        """The number of tokens, int64 [1]."""
        if not self._token_count:
            self._token_count = self.apply("Shape", "input_ids", start=1, end=2)
        return self._token_count

    def save(
        self,
        folder: Path,
        inputs: Sequence[GraphValue],
        outputs: Sequence[GraphValue],
        metadata: dict[str, str],
    ) -> None:
        graph = encode(
            [
                *((1, node) for node in self._nodes),
                (2, "encoder"),
                *((5, tensor) for tensor in self._initializers.values()),
                *((11, value.encoded()) for value in inputs),
                *((12, value.encoded()) for value in outputs),
            ]
        )
        model = encode(
            [
                (1, _IR_VERSION),
                (2, "kbc"),
                (7, graph),
                *((8, encode([(1, name), (2, of)])) for name, of in (("", _OPSET), (MICROSOFT, 1))),
                *((14, encode([(1, key), (2, value)])) for key, value in metadata.items()),
            ]
        )
        (folder / "model.onnx").write_bytes(model)
        with (folder / "model.bin").open("wb") as file:
            for offset, array in self._external:
                file.write(bytes(offset - file.tell()))
                file.write(array.data)

    def _add(
        self,
        kind: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        name: str,
        domain: str | None,
        attributes: dict[str, int | float],
    ) -> None:
        self._nodes.append(
            encode(
                [
                    *((1, one) for one in inputs),
                    *((2, one) for one in outputs),
                    (3, name),
                    (4, kind),
                    *((5, _attribute(key, attributes[key])) for key in sorted(attributes)),
                    *(() if domain is None else ((7, domain),)),
                ]
            )
        )

    def _tensor(self, name: str, array: NDArray[Any]) -> bytes:
        head: list[tuple[int, Value]] = [(1, length) for length in array.shape]
        head.append((2, DATA_TYPES[array.dtype.name]))
        head.append((8, name))
        if array.nbytes <= _INLINE_BYTES:
            return encode([*head, (9, array.tobytes())])
        offset = -(-self._size // _ALIGNMENT) * _ALIGNMENT
        self._external.append((offset, array))
        self._size = offset + array.nbytes
        places = {"location": "model.bin", "offset": str(offset), "length": str(array.nbytes)}
        entries = ((13, encode([(1, key), (2, value)])) for key, value in places.items())
        return encode([*head, *entries, (14, _EXTERNAL)])


def encode(message: Message) -> bytes:
    """A protobuf message of numbered fields, in the order given."""
    return b"".join(part for number, value in message for part in _field(number, value))


def _field(number: int, value: Value) -> Iterator[bytes]:
    if isinstance(value, int):
        yield from (_varint(number << 3), _varint(value))
    elif isinstance(value, float):
        yield from (_varint(number << 3 | 5), struct.pack("<f", value))
    else:
        data = value.encode() if isinstance(value, str) else value
        yield from (_varint(number << 3 | 2), _varint(len(data)), data)


def _varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; of a negative number, all 64 of its two's complement."""
    rest = number & (1 << 64) - 1
    out = bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)
    return bytes(out)


def _attribute(name: str, value: int | float) -> bytes:
    if isinstance(value, float):
        return encode([(1, name), (2, value), (20, _FLOAT)])
    return encode([(1, name), (3, value), (20, _INT)])
