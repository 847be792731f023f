"""Models that are published for ONNX Runtime alone are read like others, and a crafted file is refused."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file
from tests.onnx_exports import Storage, export, exported, zeros
from tests.tiny_models import DOCUMENT, FAMILIES, QUERY, TEXTS, write_family, write_reranker

import kb_runtime
from kbc.encoding.encoder import DocumentEncoder
from kbc.encoding.errors import ModelError
from kbc.encoding.model import resolve_model, resolve_reranker
from kbc.encoding.stored.onnx_file import OnnxFileError, OnnxTensors
from kbc.encoding.stored.tensors import open_tensors
from kbc.encoding.weights import read_weights
from kbc.pipeline.build import BuildOptions, build

LINEAR = "encoder.layer.0.output.dense"
WHOLE = exported(
    {
        f"{LINEAR}.weight": np.arange(6, dtype=np.float32).reshape(2, 3),
        f"{LINEAR}.bias": np.ones(2, np.float32),
        "embeddings.LayerNorm.weight": np.ones(3, np.float32),
    }
)


@pytest.mark.parametrize("family", FAMILIES)
def test_an_export_computes_what_the_published_model_does(family: str, tmp_path: Path) -> None:
    reference = write_family(tmp_path / family, family)
    export(tmp_path / family)
    model = resolve_model(tmp_path / family)
    assert model.weights_path.name == "model.onnx"
    with DocumentEncoder(model, variant="fp32") as encoder:
        found = encoder.encode(list(TEXTS))
    expected = np.stack([reference(DOCUMENT + text) for text in TEXTS])
    assert (found * expected).sum(axis=1).min() > 0.999999


@pytest.mark.parametrize(("storage", "most"), [("raw", 0.0), ("floats", 0.0), ("half", 1e-3)])
def test_every_way_to_store_numbers_gives_the_same_weights(
    storage: Storage, most: float, tmp_path: Path
) -> None:
    write_family(tmp_path / "model", "roberta")
    expected = read_weights(resolve_model(tmp_path / "model"))
    export(tmp_path / "model", storage, "model.onnx")
    found = read_weights(resolve_model(tmp_path / "model"))
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        assert np.abs(found[name] - values).max() <= most, name


def test_published_weights_are_preferred_to_an_export_beside_them(tmp_path: Path) -> None:
    write_family(tmp_path / "model", "bert")
    weights = (tmp_path / "model" / "model.safetensors").read_bytes()
    export(tmp_path / "model")
    (tmp_path / "model" / "model.safetensors").write_bytes(weights)
    assert resolve_model(tmp_path / "model").weights_path.name == "model.safetensors"


def test_a_folder_of_an_export_and_a_tokenizer_is_built_with_the_pooling_of_kb_toml(
    tmp_path: Path,
) -> None:
    reference = write_family(tmp_path / "model", "bert")
    export(tmp_path / "model")
    shutil.rmtree(tmp_path / "model" / "1_Pooling")
    for name in ("modules.json", "sentence_bert_config.json"):
        (tmp_path / "model" / name).unlink()
    kb = tmp_path / "kb"
    (kb / "docs").mkdir(parents=True)
    (kb / "docs" / "one.md").write_text(f"# One\n\n{TEXTS[0]}\n", encoding="utf-8")
    options = BuildOptions(
        out=tmp_path / "out", cache=tmp_path / "cache", model=tmp_path / "model", exact=True,
        query_variant="fp32",
    )  # fmt: skip
    (kb / "kb.toml").write_text('[kb]\nname = "tiny"\n', encoding="utf-8")
    with pytest.raises(ModelError, match=r"no modules\.json"):
        build(kb, options)
    settings = '[kb]\nname = "tiny"\n\n[encoder]\npooling = "mean"\n'
    (kb / "kb.toml").write_text(settings, encoding="utf-8")
    build(kb, options)
    with kb_runtime.open(tmp_path / "out") as knowledge:
        vector = knowledge.encode("one thread at a time")
        assert vector is not None
        assert np.allclose(vector, reference(QUERY + "one thread at a time"), atol=1e-4)


def test_a_re_ranker_may_be_an_export_too(tmp_path: Path) -> None:
    write_reranker(tmp_path / "model", "roberta")
    expected = read_weights(resolve_reranker(tmp_path / "model"))
    export(tmp_path / "model")
    found = read_weights(resolve_reranker(tmp_path / "model"))
    for name, values in expected.items():
        assert np.array_equal(found[name], values), name


@pytest.mark.parametrize(("signed", "by_column"), [(False, False), (True, False), (True, True)])
def test_the_numbers_of_a_quantised_export_are_the_weights_but_for_rounding(
    signed: bool, by_column: bool, tmp_path: Path
) -> None:
    tensors = _written_for_onnx_runtime(tmp_path / "exact.onnx")
    kind = QuantType.QInt8 if signed else QuantType.QUInt8
    path = tmp_path / "model.onnx"
    quantize_dynamic(tmp_path / "exact.onnx", path, per_channel=by_column, weight_type=kind)
    with open_tensors(path) as found:
        for name, values in tensors.items():
            assert found.kind(name) == "F32"
            assert found.shape(name) == values.shape, name
            step = (max(values.max(), 0) - min(values.min(), 0)) / 255 if values.ndim > 1 else 0
            # By half a step, which is twice as long for signed numbers: as many below 0 as above.
            assert np.abs(found.read(name) - values).max() <= 1.01 * step, name
        assert not any("quantized" in name for name in found.names)


def test_scales_that_are_quantised_themselves_are_no_scales(tmp_path: Path) -> None:
    name, one = "table", np.ones(1, np.float32)
    constants = {}
    for _ in range(2000):
        constants |= {f"{name}_quantized": one, f"{name}_zero_point": one}
        name += "_scale"
    path = tmp_path / "model.onnx"
    path.write_bytes(exported({name: one, **dict(reversed(constants.items()))}))
    with open_tensors(path) as found:
        for each in found.names:
            assert found.read(each) in (0, 1)


def _written_for_onnx_runtime(path: Path) -> dict[str, Any]:
    """A graph as torch exports it: an embedding, a layer whose matrix has no name, and a head that keeps
    its name although quantisation transposes it. Gives the tensors by the names of the model."""
    chance = np.random.default_rng(3)
    shapes = {
        "embeddings.word_embeddings.weight": (7, 4),
        "encoder.layer.0.output.dense.weight": (5, 4),
        "encoder.layer.0.output.dense.bias": (5,),
        "pooler.dense.weight": (5, 5),
        "pooler.dense.bias": (5,),
    }
    tensors = {name: chance.normal(size=shape).astype("f4") for name, shape in shapes.items()}
    embedding, matrix, bias, head, head_bias = tensors
    nodes = [
        onnx.helper.make_node("Gather", [embedding, "ids"], ["embedded"]),
        onnx.helper.make_node("MatMul", ["embedded", "onnx::MatMul_1"], ["product"], "MatMul_1"),
        onnx.helper.make_node("Add", [bias, "product"], ["layer"]),
        onnx.helper.make_node("Gemm", ["layer", head, head_bias], ["score"], "Gemm_1", transB=1),
    ]
    constants = {**tensors, "onnx::MatMul_1": tensors[matrix].T}
    del constants[matrix]
    graph = onnx.helper.make_graph(
        nodes,
        "graph",
        [onnx.helper.make_tensor_value_info("ids", onnx.TensorProto.INT64, ["n"])],
        [onnx.helper.make_tensor_value_info("score", onnx.TensorProto.FLOAT, ["n", 5])],
        [onnx.numpy_helper.from_array(values, name) for name, values in constants.items()],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    onnx.save(model, path)
    return tensors


def test_a_model_that_is_only_published_quantised_is_used(tmp_path: Path) -> None:
    write_family(tmp_path / "model", "bert")
    export(tmp_path / "model", place="model_quantized.onnx")
    assert resolve_model(tmp_path / "model").weights_path.name == "model_quantized.onnx"


def test_an_optimised_export_is_refused_with_the_file_to_use_instead(tmp_path: Path) -> None:
    write_family(tmp_path / "model", "bert")
    tensors = load_file(tmp_path / "model" / "model.safetensors")
    matrix = "bert.encoder.layer.0.attention.self.query.weight"
    path = export(tmp_path / "model")
    path.write_bytes(exported({name: one for name, one in tensors.items() if name != matrix}))
    with pytest.raises(ModelError, match=f"no tensor '{matrix}'") as caught:
        read_weights(resolve_model(tmp_path / "model"))
    assert "before optimisation" in caught.value.hint
    path.write_bytes(exported({}))
    with pytest.raises(ModelError, match="without one tensor") as caught:
        resolve_model(tmp_path / "model")
    assert "before optimisation" in caught.value.hint


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 40,
        b"<html>a page</html>",
        WHOLE[:-3],
        b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
    ],
)
def test_a_file_that_is_no_model_is_named(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(content)
    with (
        pytest.raises(ModelError, match=r"model\.onnx cannot be read") as caught,
        open_tensors(tmp_path / "model.onnx"),
    ):
        pass
    assert caught.value.code == "model-invalid"
    assert str(tmp_path / "model.onnx") in caught.value.message
    assert "--model" in caught.value.hint


def test_numbers_that_are_not_in_the_file_are_refused_before_memory_is_taken(
    tmp_path: Path,
) -> None:
    path = tmp_path / "model.onnx"
    for extra in ([], [(9, b"1234")], [(9, b"1234"), (14, 1)]):
        path.write_bytes(zeros("embeddings", (1 << 40, 1 << 20), 1, list(extra)))
        with open_tensors(path) as tensors:
            assert tensors.shape("embeddings") == (1 << 40, 1 << 20)
            with pytest.raises(OnnxFileError, match="not in the file itself"):
                tensors.read("embeddings")


@pytest.mark.parametrize("shape", [(0, 1 << 62, 1 << 62), (1,) * 100])
def test_a_shape_that_no_array_can_have_is_refused(shape: tuple[int, ...], tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(zeros("embeddings", shape, 1, [(9, bytes(4 * (0 not in shape)))]))
    with open_tensors(path) as tensors, pytest.raises(OnnxFileError):
        tensors.read("embeddings")


@given(st.data())
def test_a_damaged_file_gives_tensors_or_one_error(data: st.DataObject) -> None:
    damaged = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        damaged[at] = data.draw(st.integers(0, 255))
    try:
        tensors = OnnxTensors(memoryview(bytes(damaged)))
        for name in tensors.names:
            if tensors.kind(name) in ("F32", "F16"):
                assert tensors.read(name).shape == tensors.shape(name)
    except OnnxFileError:
        pass
