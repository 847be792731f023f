"""Checks the file of an HNSW graph before the engine maps it: the engine believes what it reads, and follows
a neighbour's number to wherever it points.

The format is usearch's, version 2: the vectors (f16) behind their number and size, a head of 64 bytes, five
numbers (size, neighbours above the base layer, neighbours in it, highest level, entry), the level of each
node as i16, and the nodes: key (u64), level (i16), and for each layer a count and room for so many u32.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from kb_runtime.errors import ArtifactError
from kb_runtime.store.integrity import REBUILD

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SHAPE = struct.Struct("<II")
_HEAD = struct.Struct("<7sHHHBBBBQQQB")
_HEAD_BYTES = 64
_NUMBERS = struct.Struct("<5Q")
_KINDS = (0x69, 0x0C, 0x0E, 0x0F)  # inner product, f16, keys of 64 bits, slots of 32
_VERSION = 2
_VECTOR_ITEM = 2
_NODE_HEAD = 10
_MOST_NEIGHBOURS = 1024
_BLOCK_ROWS = 4096


def check_graph(path: str, data: memoryview, rows: int, dimensions: int) -> None:
    """Refuses a file that is not a whole graph of `rows` vectors of `dimensions` numbers, whose every
    neighbour is a node of the same layer. `data` are its bytes. Raises `ArtifactError`."""
    try:
        _check(data, rows, dimensions)
    except (ValueError, struct.error) as error:
        raise ArtifactError("altered", f"{path} is not a sound graph: {error}.", REBUILD) from error


def _check(data: memoryview, rows: int, dimensions: int) -> None:
    """Raises `ValueError` with what contradicts the format, as the end of a sentence."""
    import numpy as np

    if _SHAPE.unpack_from(data) != (rows, dimensions * _VECTOR_ITEM):
        raise ValueError(f"it does not begin with {rows} vectors of {dimensions} numbers")
    at = _SHAPE.size + rows * dimensions * _VECTOR_ITEM
    magic, version, _, _, *kinds, present, deleted, width, several = _HEAD.unpack_from(data, at)
    if magic != b"usearch" or version != _VERSION or tuple(kinds) != _KINDS:
        raise ValueError("its head is not that of an index which kbc writes")
    if (present, deleted, width, several) != (rows, 0, dimensions, 0):
        raise ValueError(f"its head counts {present} vectors of {width} numbers")
    at += _HEAD_BYTES
    size, upper, base, top, entry = _NUMBERS.unpack_from(data, at)
    if size != rows or entry >= rows or not 0 < upper <= base <= _MOST_NEIGHBOURS:
        raise ValueError("its size, entry or number of neighbours is out of bounds")
    at += _NUMBERS.size
    levels = np.frombuffer(data, "<i2", rows, at).astype(np.int64)
    at += 2 * rows
    if levels.min() < 0 or levels.max() != top or levels[entry] != top:
        raise ValueError("its levels contradict its highest level")
    layers = [4 + 4 * base, 4 + 4 * upper]  # bytes of the base layer, and of one above
    offsets = np.zeros(rows + 1, dtype=np.int64)
    np.cumsum(_NODE_HEAD + layers[0] + levels * layers[1], out=offsets[1:])
    nodes = np.frombuffer(data, np.uint8, offset=at)
    if len(nodes) != offsets[-1]:
        raise ValueError(f"{len(nodes)} bytes of nodes stand where {offsets[-1]} belong")
    seen = np.zeros(rows, dtype=bool)
    for start in range(0, rows, _BLOCK_ROWS):
        own = slice(start, min(start + _BLOCK_ROWS, rows))
        heads = _gathered(nodes, offsets[own], _NODE_HEAD)
        keys = heads[:, :8].copy().view("<u8")[:, 0]
        if (keys >= rows).any() or (heads[:, 8:].copy().view("<i2")[:, 0] != levels[own]).any():
            raise ValueError("the key or the level of a node is wrong")
        seen[keys.astype(np.int64)] = True
        for level in range(int(levels[own].max()) + 1):
            there = np.flatnonzero(levels[own] >= level) + start
            begin = _NODE_HEAD + (layers[0] + (level - 1) * layers[1] if level else 0)
            layer = _gathered(nodes, offsets[there] + begin, layers[min(level, 1)])
            _check_layer(layer.copy().view("<u4"), levels, level)
    if not seen.all():
        raise ValueError("a key occurs twice")


def _check_layer(layer: NDArray[np.uint32], levels: NDArray[np.int64], level: int) -> None:
    """`layer` is uint32 [nodes, 1 + room]: counts, and the slots of neighbours."""
    import numpy as np

    counts, slots = layer[:, 0], layer[:, 1:]
    if (counts > slots.shape[1]).any():
        raise ValueError("a node has more neighbours than there is room for")
    used = slots[np.arange(slots.shape[1])[None, :] < counts[:, None]]
    if (used >= len(levels)).any() or (levels[used.astype(np.int64)] < level).any():
        raise ValueError("a neighbour is not a node of its layer")


def _gathered(nodes: NDArray[np.uint8], starts: NDArray[np.int64], size: int) -> NDArray[np.uint8]:
    """The `size` bytes from each of `starts`, uint8 [len(starts), size]."""
    import numpy as np

    found: NDArray[np.uint8] = nodes[starts[:, None] + np.arange(size)[None, :]]
    return found
