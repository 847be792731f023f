from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from kbc.encoding.encoder import open_session
from kbc.encoding.graph import write_graph
from kbc.encoding.graph_cache import Graph
from kbc.encoding.model import Model, resolve_model
from kbc.encoding.variants import VARIANTS, Variant
from kbc.encoding.weights import read_weights

MakeModel = Callable[..., Path]
TOKENS = [[2, 5, 8, 6, 3], [2, 7, 3], [2, *range(5, 17), 3], [2, 3]]


def reference_vector(model: Model, ids: list[int]) -> Any:
    """BERT as its paper describes it, in float64."""
    layers = model.layers
    weights = {name: value.astype(np.float64) for name, value in read_weights(model).items()}

    def dense(x: Any, name: str) -> Any:
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def norm(x: Any, name: str) -> Any:
        centred = x - x.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
        return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def split(x: Any) -> Any:
        return x.reshape(len(ids), layers.heads, -1).transpose(1, 0, 2)

    positions = np.arange(len(ids)) + layers.first_position
    x = (
        weights["embeddings.word_embeddings.weight"][ids]
        + weights["embeddings.position_embeddings.weight"][positions]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    x = norm(x, "embeddings.LayerNorm")
    for layer in range(layers.count):
        at = f"encoder.layer.{layer}."
        query, key, value = (
            split(dense(x, f"{at}attention.self.{part}")) for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        mixed = (shares @ value).transpose(1, 0, 2).reshape(len(ids), -1)
        mixed = dense(mixed, f"{at}attention.output.dense")
        x = norm(mixed + x, f"{at}attention.output.LayerNorm")
        inner = dense(x, f"{at}intermediate.dense")
        inner = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        x = norm(dense(inner, f"{at}output.dense") + x, f"{at}output.LayerNorm")
    pooled = x.mean(axis=0) if model.pooling == "mean" else x[0]
    return pooled / np.linalg.norm(pooled)


def vectors(model: Model, variant: Variant, folder: Path) -> Any:
    folder.mkdir(exist_ok=True)
    write_graph(model, variant, folder)
    session = open_session(Graph.read(folder))
    return np.stack([session.run(None, {"input_ids": np.array([ids])})[0][0] for ids in TOKENS])


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"pooling": {"pooling_mode_cls_token": True}},
        {"model_type": "roberta", "pad_token_id": 1},
        {"prefix": "bert."},
    ],
    ids=["mean", "cls", "roberta", "prefixed"],
)
def test_fp32_graph_computes_bert(
    settings: dict[str, Any], tmp_path: Path, make_model: MakeModel
) -> None:
    model = resolve_model(make_model(**settings))
    expected = np.stack([reference_vector(model, ids) for ids in TOKENS])
    assert np.allclose(vectors(model, "fp32", tmp_path / "out"), expected, atol=2e-6)


@pytest.mark.parametrize(("variant", "cosine"), [("nb8-b32", 0.999), ("int8", 0.99)])
def test_quantised_graph_stays_close_to_fp32(
    variant: Variant, cosine: float, tmp_path: Path, make_model: MakeModel
) -> None:
    model = resolve_model(make_model())
    expected = np.stack([reference_vector(model, ids) for ids in TOKENS])
    found = vectors(model, variant, tmp_path / "out")
    assert ((found * expected).sum(axis=1) > cosine).all()


@pytest.mark.parametrize("variant", VARIANTS)
def test_vectors_have_length_one_and_the_declared_shape(
    variant: Variant, tmp_path: Path, make_model: MakeModel
) -> None:
    found = vectors(resolve_model(make_model()), variant, tmp_path / "out")
    assert found.dtype == np.float32
    assert found.shape == (len(TOKENS), 32)
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("variant", VARIANTS)
def test_graph_is_written_to_the_same_bytes_twice(
    variant: Variant, tmp_path: Path, make_model: MakeModel
) -> None:
    model = resolve_model(make_model())
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        write_graph(model, variant, tmp_path / name)
    for file in ("model.onnx", "model.bin"):
        first, second = ((tmp_path / name / file).read_bytes() for name in ("first", "second"))
        assert first == second


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_onnx_package_reads_and_writes_the_same_bytes(
    variant: Variant, tmp_path: Path, make_model: MakeModel
) -> None:
    write_graph(resolve_model(make_model()), variant, tmp_path)
    written = (tmp_path / "model.onnx").read_bytes()
    model = onnx.load(tmp_path / "model.onnx", load_external_data=False)
    assert [value.name for value in (*model.graph.input, *model.graph.output)] == [
        "input_ids",
        "embedding",
    ]
    assert model.SerializeToString(deterministic=True) == written


def test_text_beyond_the_position_table_fails_instead_of_being_cut(
    tmp_path: Path, make_model: MakeModel
) -> None:
    write_graph(resolve_model(make_model(max_seq_length=6)), "fp32", tmp_path)
    session = open_session(Graph.read(tmp_path))
    session.run(None, {"input_ids": np.full((1, 6), 5)})
    with pytest.raises(Exception, match=r"broadcast|dimension"):
        session.run(None, {"input_ids": np.full((1, 7), 5)})
