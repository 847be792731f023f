"""Opens the file of weights of a model folder, whichever format it has."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from kbc.encoding.errors import ModelError
from kbc.encoding.quantize import Float32
from kbc.encoding.stored.onnx_file import OnnxFileError, OnnxTensors

SAFETENSORS = "model.safetensors"
# Where exports for ONNX Runtime lie: in a folder of their own, or beside config.json.
_PLACES = (
    SAFETENSORS,
    "onnx/model.onnx",
    "model.onnx",
    "onnx/model_quantized.onnx",
    "model_quantized.onnx",
)


class Tensors(Protocol):
    """An open file of weights. Every method but `names` raises `KeyError` for a name that is not in it."""

    @property
    def names(self) -> Collection[str]: ...

    def shape(self, name: str) -> tuple[int, ...]: ...

    def kind(self, name: str) -> str:
        """The type of the numbers as safetensors calls it, such as "F32"."""
        ...

    def read(self, name: str) -> Float32:
        """The numbers as float32, in the tensor's shape."""
        ...


def weights_file(folder: Path) -> Path:
    """The weights in a model folder: `model.safetensors`, else an ONNX export. Where there is neither, the
    path of the first."""
    found = (path for name in _PLACES if (path := folder / name).is_file())
    return next(found, folder / SAFETENSORS)


def missing_tensor_hint(path: Path) -> str:
    """What to do where a file of weights lacks a tensor: an ONNX file may be optimised."""
    if path.suffix != ".onnx":
        return ""
    return "use the export before optimisation, which is published as model.onnx"


@contextmanager
def open_tensors(path: Path) -> Iterator[Tensors]:
    """The open file of weights. Raises `ModelError` for one that cannot be read."""
    from safetensors import SafetensorError, safe_open

    try:
        if path.suffix == ".onnx":
            with OnnxTensors.open(path) as exported:
                yield exported
        else:
            with safe_open(path, "numpy") as tensors:
                yield _Safetensors(tensors)
    except (SafetensorError, OnnxFileError, OSError) as error:
        raise ModelError.unreadable(path, error) from error


class _Safetensors:
    def __init__(self, file: Any) -> None:
        self._file = file

    @property
    def names(self) -> Collection[str]:
        return frozenset(self._file.keys())

    def shape(self, name: str) -> tuple[int, ...]:
        return tuple(self._file.get_slice(name).get_shape())

    def kind(self, name: str) -> str:
        return str(self._file.get_slice(name).get_dtype())

    def read(self, name: str) -> Float32:
        return np.asarray(self._file.get_tensor(name), dtype=np.float32)
