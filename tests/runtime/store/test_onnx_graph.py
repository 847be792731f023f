"""Graphs that are not our compiler's are refused before ONNX Runtime sees them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from kb_runtime.store.onnx_graph import OPERATORS, check_graph
from kb_runtime.store.onnx_shapes import GraphError
from kbc.encoding import graph as layers
from kbc.encoding import precision
from kbc.encoding.onnx_builder import GraphBuilder, GraphValue

INPUT = helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])
OUTPUT = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, [1, 4])
BODY = helper.make_graph([], "body", [], [])


def own(folder: Path) -> bytes:
    """What our writer makes, with a constant inside and one beside the graph."""
    graph = GraphBuilder()
    table = graph.constant("words", np.full((5_000, 4), 0.1875))
    rows = graph.apply("Gather", table, "input_ids")
    rows = graph.apply("Mul", rows, graph.constant("norm", [0.1875]))
    axis = graph.constant("axis", [1], np.int64)
    graph.name_output(graph.apply("ReduceSum", rows, axis, keepdims=0), "embedding")
    graph.save(
        folder,
        [GraphValue("input_ids", "int64", [1, "tokens"])],
        [GraphValue("embedding", "float32", [1, 4])],
        {"kbc.variant": "fp32"},
    )
    return (folder / "model.onnx").read_bytes()


def write(folder: Path, nodes: Sequence[Any], *constants: Any, **fields: Any) -> None:
    graph = helper.make_graph(nodes, "encoder", [INPUT], [OUTPUT], constants)
    model = helper.make_model(graph, **fields)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    (folder / "model.bin").write_bytes(bytes(1000))


def placed(**places: str) -> Any:
    """A constant of 400 bytes in another file."""
    tensor = TensorProto(name="far", data_type=1, dims=[100], data_location=TensorProto.EXTERNAL)
    for key, value in {"location": "model.bin", "offset": "0", "length": "400", **places}.items():
        tensor.external_data.add(key=key, value=value)
    return tensor


def test_our_own_graph_passes(tmp_path: Path) -> None:
    own(tmp_path)
    check_graph(str(tmp_path))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["words", "norm"])
def test_weights_that_are_not_finite_are_refused(name: str, bad: float, tmp_path: Path) -> None:
    own(tmp_path)
    file = tmp_path / ("model.bin" if name == "words" else "model.onnx")
    kept = np.float32(0.1875).tobytes()
    data = file.read_bytes()
    assert kept in data
    file.write_bytes(data.replace(kept, np.float32(bad).tobytes(), 1))
    with pytest.raises(GraphError, match=f"'{name}' has values that are not finite"):
        check_graph(str(tmp_path))


def test_every_operator_of_the_writer_is_known() -> None:
    text = "".join(Path(writer.__file__).read_text() for writer in (layers, precision))
    used = set(re.findall(r"graph\.(?:apply|node)\(\s*\"(\w+)\"", text))
    assert len(used) > 15
    assert used <= OPERATORS


@pytest.mark.parametrize(
    "kind", ["Loop", "Scan", "If", "ConstantOfShape", "Range", "Tile", "Pad", ""]
)
def test_other_operators_are_refused(kind: str, tmp_path: Path) -> None:
    write(tmp_path, [helper.make_node(kind, ["input_ids"], ["embedding"])])
    with pytest.raises(GraphError, match=f"the operator '{kind}' is not one"):
        check_graph(str(tmp_path))


def test_a_graph_within_a_graph_is_refused(tmp_path: Path) -> None:
    write(tmp_path, [helper.make_node("Add", ["a", "b"], ["c"], body=BODY)])
    with pytest.raises(GraphError, match="an attribute of Add has the field 6"):
        check_graph(str(tmp_path))


def test_functions_are_refused(tmp_path: Path) -> None:
    loop = helper.make_function("x", "Add", ["a"], ["b"], [], [helper.make_opsetid("", 18)])
    write(tmp_path, [], functions=[loop])
    with pytest.raises(GraphError, match="the model has the field 25"):
        check_graph(str(tmp_path))


COLUMN, ROW = np.zeros((2000, 1), np.int8), np.zeros((1, 2000), np.int8)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([("MatMulInteger", "column", "row")] * 40, "MatMulInteger makes more of a query"),
        ([("Add", "column", "row")] * 40, "Add makes more of a query"),
        ([("Reshape", "column", "row")], "Reshape gives a value of unknown size"),
        ([("Gather", "row", "column")] * 40, "Gather makes more of a query"),
        ([("ReduceSum", "column", "row")], "ReduceSum is not along one axis"),
        ([("Add", "column", "later")], "needs .'later'., which no operator"),
        ([("MatMul", "row", "input_ids")], "a product of .* is none"),
        ([("MatMulNBits", "column", "row")], "a product of .* and 1152921504606846976 packed"),
        ([("MultiHeadAttention", "cube", "cube", "cube")], "has 1000000 heads"),
    ],
)
def test_values_that_no_query_needs_are_refused(
    nodes: Sequence[Sequence[str]], message: str, tmp_path: Path
) -> None:
    own_attributes: dict[str, dict[str, int]] = {
        "MatMulNBits": {"K": 1, "N": 1 << 60, "bits": 8},
        "MultiHeadAttention": {"num_heads": 1_000_000},
    }
    constants = {"column": COLUMN, "row": ROW, "cube": COLUMN[None, :4]}
    graph = GraphBuilder()
    for name, values in constants.items():
        graph.constant(name, values, values.dtype)
    for kind, *inputs in nodes:
        graph.node(kind, *inputs, **own_attributes.get(kind, {}))
    graph.save(
        tmp_path,
        [GraphValue("input_ids", "int64", [1, "tokens"])],
        [GraphValue("embedding", "float32", [1, 4])],
        {},
    )
    with pytest.raises(GraphError, match=message):
        check_graph(str(tmp_path))


def test_a_constant_shape_does_not_expand(tmp_path: Path) -> None:
    shape = numpy_helper.from_array(np.array([20_000, 20_000]), "shape")
    write(tmp_path, [helper.make_node("Expand", ["input_ids", "shape"], ["embedding"])], shape)
    with pytest.raises(GraphError, match="Expand"):
        check_graph(str(tmp_path))


def test_values_have_few_dimensions(tmp_path: Path) -> None:
    one = numpy_helper.from_array(np.zeros((1, 1), np.int64), "one")
    names = ["one", "of three", "of five", "embedding"]
    nodes = [
        helper.make_node("Gather", [name, name], [following])
        for name, following in itertools.pairwise(names)
    ]
    write(tmp_path, nodes, one)
    with pytest.raises(GraphError, match="Gather gives a value of 9 dimensions"):
        check_graph(str(tmp_path))


def test_a_constant_of_many_dimensions_is_refused(tmp_path: Path) -> None:
    many = TensorProto(name="many", data_type=1, dims=[1] * 100_000, raw_data=bytes(4))
    write(tmp_path, [], many)
    with pytest.raises(GraphError, match="'many' has 100000 dimensions"):
        check_graph(str(tmp_path))


def test_a_sum_keeps_at_most_its_own_dimension(tmp_path: Path) -> None:
    axis = numpy_helper.from_array(np.array([1]), "axis")
    node = helper.make_node("ReduceSum", ["input_ids", "axis"], ["embedding"], keepdims=1 << 40)
    write(tmp_path, [node], axis)
    check_graph(str(tmp_path))


@pytest.mark.parametrize(
    "places",
    [
        {"offset": "601"},
        {"offset": "-1"},
        {"length": "399"},
        {"length": ""},
        {"location": "/dev/zero"},
        {"location": "../model.bin"},
    ],
)
def test_constants_outside_of_their_file_are_refused(
    places: dict[str, str], tmp_path: Path
) -> None:
    write(tmp_path, [], placed())
    check_graph(str(tmp_path))
    write(tmp_path, [], placed(**places))
    with pytest.raises(GraphError):
        check_graph(str(tmp_path))


def test_a_constant_that_says_it_is_larger_is_refused(tmp_path: Path) -> None:
    constant = numpy_helper.from_array(np.ones(4, np.float32), "small")
    constant.dims[:] = [1 << 40]
    write(tmp_path, [], constant)
    with pytest.raises(GraphError, match="'small' is not 4398046511104 bytes"):
        check_graph(str(tmp_path))


@given(data=st.data())
def test_damage_is_refused_or_harmless(data: st.DataObject, tmp_path: Path) -> None:
    model = bytearray(own(tmp_path))
    for _ in range(data.draw(st.integers(1, 4))):
        model[data.draw(st.integers(0, len(model) - 1))] = data.draw(st.integers(0, 255))
    (tmp_path / "model.onnx").write_bytes(model[: data.draw(st.integers(0, len(model)))])
    with suppress(GraphError):
        check_graph(str(tmp_path))
