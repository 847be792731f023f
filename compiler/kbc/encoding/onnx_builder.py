"""Assembles an ONNX model node by node, with its weights in one external file.

ONNX Runtime maps external data instead of reading it, so that processes share the pages and untouched
rows of a table are never loaded. Equal input gives equal bytes: names are numbered, and there are no dates.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, ValueInfoProto, helper, numpy_helper

MICROSOFT = "com.microsoft"  # ONNX Runtime's own operators
_OPSET = 18
_IR_VERSION = 9
_INLINE_BYTES = 256  # scalars and shapes stay in the graph, where shape inference wants them
_ALIGNMENT = 64  # bytes; one cache line, enough for every vector instruction


class GraphBuilder:
    """Collects nodes and initializers; `save` writes `model.onnx` and `model.bin`.

    Names of values are handed around as strings, as ONNX does.
    """

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._initializers: dict[str, Any] = {}
        self._external: list[tuple[int, NDArray[Any]]] = []
        self._size = 0

    def constant(self, name: str, values: Any, dtype: Any = np.float32) -> str:
        """The value `name`; a second call with the same name refers to the first one's values."""
        if name not in self._initializers:
            array = np.array(values, dtype=dtype, order="C")
            self._initializers[name] = self._tensor(name, array)
        return name

    def node(
        self, kind: str, *inputs: str, domain: str = "", outputs: int = 1, **attributes: Any
    ) -> list[str]:
        """Adds an operator and returns the names of its outputs."""
        name = f"{kind}_{len(self._nodes)}"
        names = [name, *(f"{name}_{index}" for index in range(1, outputs))]
        self._nodes.append(
            helper.make_node(kind, inputs, names, name=name, domain=domain, **attributes)
        )
        return names

    def apply(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Adds an operator with one output and returns its name."""
        return self.node(kind, *inputs, domain=domain, **attributes)[0]

    def name_output(self, value: str, name: str) -> None:
        """Gives a value the public name of a graph output."""
        self._nodes.append(helper.make_node("Identity", [value], [name], name=name))

    def save(
        self,
        folder: Path,
        inputs: list[ValueInfoProto],
        outputs: list[ValueInfoProto],
        metadata: dict[str, str],
    ) -> None:
        graph = helper.make_graph(
            self._nodes, "encoder", inputs, outputs, list(self._initializers.values())
        )
        model = helper.make_model(
            graph,
            producer_name="kbc",
            ir_version=_IR_VERSION,
            opset_imports=[helper.make_opsetid("", _OPSET), helper.make_opsetid(MICROSOFT, 1)],
        )
        helper.set_model_props(model, metadata)
        (folder / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
        with (folder / "model.bin").open("wb") as file:
            for offset, array in self._external:
                file.write(bytes(offset - file.tell()))
                file.write(array.data)

    def _tensor(self, name: str, array: NDArray[Any]) -> TensorProto:
        if array.nbytes <= _INLINE_BYTES:
            return numpy_helper.from_array(array, name)
        offset = -(-self._size // _ALIGNMENT) * _ALIGNMENT
        self._external.append((offset, array))
        self._size = offset + array.nbytes
        tensor = TensorProto(
            name=name,
            data_type=helper.np_dtype_to_tensor_dtype(array.dtype),
            dims=array.shape,
            data_location=TensorProto.EXTERNAL,
        )
        for key, value in (
            ("location", "model.bin"),
            ("offset", str(offset)),
            ("length", str(array.nbytes)),
        ):
            tensor.external_data.add(key=key, value=value)
        return tensor
