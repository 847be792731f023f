"""Bounds what a query encoder's graph computes, from the shapes of its constants and of one query.

Few operators suffice to make terabytes of two small constants: a product of a column with a row, or their
sum, which is broadcast. So the shape of every value is derived first, as large as it may be for a query.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

TOKENS = 64
"""Of a query; see `kb_runtime.search.encoder`."""
MAX_ELEMENTS = 1 << 27
"""Of all values together. An encoder of 24 layers of 1,024 has half of that."""
MAX_PRODUCTS = 1 << 37
"""Multiplications of all matrices. The same encoder has a seventh of that, and takes a second."""
MAX_RANK = 8
"""Dimensions of a value. An encoder's attention has four."""

Shape = tuple[int, ...]


class GraphError(ValueError):
    """A graph that our compiler does not write."""


class Node(NamedTuple):
    """An operator. `inputs` and `outputs` are names, empty for what is left out; `numbers` are attributes
    that are integers."""

    kind: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    numbers: Mapping[str, int]


class Cost(NamedTuple):
    """Elements that an operator writes, its inner buffers included, and multiplications."""

    elements: int
    products: int = 0


def check_work(
    nodes: Sequence[Node],
    constants: Mapping[str, Shape],
    axes: Mapping[str, int],
    given: Sequence[str],
) -> None:
    """Raises GraphError for a graph whose values or products exceed the bounds, or have no shape that can
    be told. `axes` are the values of constants that are one integer, `given` the graph's inputs,
    [1, tokens] each."""
    work = _Work({**constants, **dict.fromkeys(given, (1, TOKENS))}, axes)
    for node in nodes:
        work.add(node)


class _Work:
    """The shapes of the values so far, and what they cost."""

    def __init__(self, shapes: dict[str, Shape], axes: Mapping[str, int]) -> None:
        self._shapes = shapes
        self._axes = axes
        self._measured: dict[str, Shape] = {}  # shapes that are values, by their names
        self._elements = self._products = 0

    def add(self, node: Node) -> None:
        shape, cost = self._result(node)
        self._elements += cost.elements
        self._products += cost.products
        if self._elements > MAX_ELEMENTS or self._products > MAX_PRODUCTS:
            raise GraphError(f"{node.kind} makes more of a query than kbc's graphs do")
        if len(shape) > MAX_RANK:
            raise GraphError(f"{node.kind} gives a value of {len(shape)} dimensions")
        if not node.outputs or any(name in self._shapes for name in node.outputs):
            raise GraphError(f"{node.kind} gives a value that already exists")
        self._shapes[node.outputs[0]] = shape
        for name in node.outputs[1:]:
            if node.kind != "DynamicQuantizeLinear":  # whose others are scalars
                raise GraphError(f"{node.kind} has more than one output")
            self._shapes[name] = ()

    def _result(self, node: Node) -> tuple[Shape, Cost]:
        kind = node.kind
        missing = [name for name in node.inputs if name and name not in self._shapes]
        if missing or not node.inputs:
            raise GraphError(f"{kind} needs {missing}, which no operator before it gives")
        shapes = [self._shapes.get(name, ()) for name in node.inputs]
        x = shapes[0]
        if kind == "Slice" and x:
            # The first rows, as many as a query has tokens; of any other slice only the bound is known.
            zeros = [self._axes.get(name) for name in node.inputs[1:4:2]] == [0, 0]
            ends = self._measured.get(node.inputs[2]) if zeros and len(node.inputs) == 4 else None
            x = (min(x[0], max(ends, default=0)), *x[1:]) if ends is not None else x
        if kind in _ALIKE:
            return x, Cost(math.prod(x))
        if kind in _BROADCAST:
            shape = _broadcast(shapes)
            return shape, Cost(math.prod(shape))
        if kind == "Shape":
            self._measured[node.outputs[0]] = x
            return (len(x),), Cost(len(x))
        if kind == "Expand":
            if len(node.inputs) < 2 or node.inputs[1] not in self._measured:
                raise GraphError("Expand has a shape that is not one of another value")
            shape = _broadcast([x, self._measured[node.inputs[1]]])
            return shape, Cost(math.prod(shape))
        if kind == "Reshape" and len(shapes[1:]) == 1 and shapes[1] == (1,):
            return (math.prod(x),), Cost(math.prod(x))
        if kind in ("ReduceSum", "ReduceMax", "ReduceMean"):
            return self._reduced(x, node), Cost(math.prod(x))
        rule = _RULES.get(kind)
        if rule is None or len(shapes) < 2:
            raise GraphError(f"{kind} gives a value of unknown size")
        shape, products, inner = rule(shapes, node.numbers)
        return shape, Cost(math.prod(shape) + inner, products)

    def _reduced(self, x: Shape, node: Node) -> Shape:
        axis = self._axes.get(node.inputs[-1], len(x))
        if len(node.inputs) != 2 or not -len(x) <= axis < len(x):
            raise GraphError(f"{node.kind} is not along one axis")
        axis %= len(x)
        return (*x[:axis], *(1,) * (node.numbers.get("keepdims", 1) == 1), *x[axis + 1 :])


def _broadcast(shapes: Sequence[Shape]) -> Shape:
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return tuple(map(max, zip(*padded, strict=True))) if rank else ()


def _gather(shapes: Sequence[Shape], numbers: Mapping[str, int]) -> tuple[Shape, int, int]:
    data, indices = shapes[:2]
    axis = numbers.get("axis", 0)
    if not 0 <= axis < len(data):
        raise GraphError(f"Gather takes axis {axis} of {len(data)}")
    return (*data[:axis], *indices, *data[axis + 1 :]), 0, 0


def _multiply(shapes: Sequence[Shape], _: Mapping[str, int]) -> tuple[Shape, int, int]:
    left, right = shapes[:2]
    if len(left) < 2 or len(right) < 2 or left[-1] != right[-2]:
        raise GraphError(f"a product of {list(left)} and {list(right)} is none")
    shape = (*_broadcast([left[:-2], right[:-2]]), left[-2], right[-1])
    return shape, math.prod(shape) * left[-1], 0


def _multiply_blocks(shapes: Sequence[Shape], numbers: Mapping[str, int]) -> tuple[Shape, int, int]:
    left, packed = shapes[:2]
    depth, columns, bits = (numbers.get(name, 0) for name in ("K", "N", "bits"))
    if (
        not left
        or left[-1] != depth
        or min(depth, columns, bits) <= 0
        or columns * depth * bits > 8 * math.prod(packed)
    ):
        raise GraphError(f"a product of {list(left)} and {columns} packed columns is none")
    shape = (*left[:-1], columns)
    return shape, math.prod(shape) * depth, 0


def _attend(shapes: Sequence[Shape], numbers: Mapping[str, int]) -> tuple[Shape, int, int]:
    if not 3 <= len(shapes) <= 6 or any(len(shape) != 3 for shape in shapes[:3]):
        raise GraphError("MultiHeadAttention is not one of queries, keys and values")
    (batch, queries, width), (_, keys, _), (_, _, out) = shapes[:3]
    heads = numbers.get("num_heads", 0)
    if not 0 < heads <= width:
        raise GraphError(f"MultiHeadAttention has {heads} heads for {width} numbers")
    scores = batch * queries * keys
    return (batch, queries, out), scores * (width + out), scores * heads


_ALIKE = frozenset(
    [
        *("Abs", "Cast", "Gelu", "Identity", "LayerNormalization", "LpNormalization"),
        *("DynamicQuantizeLinear", "QuantizeLinear", "Slice", "Tanh"),
    ]
)
"""Operators whose first output is at most as large as their first input."""
_BROADCAST = frozenset(["Add", "Div", "Max", "Mul"])
_RULES: dict[str, Callable[[Sequence[Shape], Mapping[str, int]], tuple[Shape, int, int]]] = {
    "Gather": _gather,
    "MatMul": _multiply,
    "MatMulInteger": _multiply,
    "MatMulIntegerToFloat": _multiply,
    "MatMulNBits": _multiply_blocks,
    "MultiHeadAttention": _attend,
}
"""Shape, multiplications, and elements of inner buffers."""
