from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from shutil import copy
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from kb_runtime.search.encoder import EncoderError, QueryEncoder, run_self_test
from kbc.encoding.encoder import DocumentEncoder
from kbc.encoding.model import resolve_model
from kbc.encoding.shipped import DEFAULT_QUERY_VARIANT, ShippedEncoders
from kbc.encoding.variants import VARIANTS, Variant

ROOT = Path(__file__).parents[3]
MAX_TOKENS = 256


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("encoder")
    return folder, ShippedEncoders().write(resolve_model(), folder)


@pytest.fixture(scope="module")
def encoder(shipped: tuple[Path, dict[str, Any]]) -> QueryEncoder:
    return QueryEncoder(str(shipped[0]), MAX_TOKENS)


def test_manifest_entry_identifies_the_encoder(shipped: tuple[Path, dict[str, Any]]) -> None:
    folder, entry = shipped
    model = resolve_model()
    assert sorted(path.name for path in folder.iterdir()) == [
        "model.bin",
        "model.onnx",
        "tokenizer.json",
    ]
    assert entry["weights_sha256"] == model.weights_sha256
    assert entry["dimensions"] == 384
    assert entry["max_tokens"] == MAX_TOKENS
    assert (entry["documents"], entry["queries"]) == ("fp32", DEFAULT_QUERY_VARIANT)


def test_vector_is_normalised_float32(encoder: QueryEncoder) -> None:
    encoder.warm()
    vector = encoder.encode("How do I create a map from a set?")
    assert vector.dtype == np.float32
    assert vector.shape == (encoder.dimensions,) == (384,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_related_texts_are_nearer_than_unrelated_ones(encoder: QueryEncoder) -> None:
    query = encoder.encode("turn a set into a map")
    near = encoder.encode("setToMap builds a map out of a set of pairs")
    far = encoder.encode("The ferry to the island leaves at noon")
    assert query @ near > query @ far + 0.3


@pytest.mark.parametrize(("variant", "least"), [("int8", 0.9999), ("fp32", 0.99)])
def test_query_vectors_agree_with_document_vectors(
    encoder: QueryEncoder, variant: Variant, least: float
) -> None:
    texts = ["leader election", "How do I import a module with constants?"]
    with DocumentEncoder(resolve_model(), variant=variant) as documents:
        expected = documents.encode(texts)
    for text, vector in zip(texts, expected, strict=True):
        assert encoder.encode(text) @ vector > least


def test_same_text_gives_the_same_bits_from_many_threads(encoder: QueryEncoder) -> None:
    texts = [f"how does step {number} update the state" for number in range(8)]
    expected = [encoder.encode(text) for text in texts]
    wrong: list[str] = []

    def check() -> None:
        for text, vector in zip(texts, expected, strict=True):
            if not np.array_equal(encoder.encode(text), vector):
                wrong.append(text)

    threads = [threading.Thread(target=check) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_long_query_is_cut_at_the_limit(encoder: QueryEncoder) -> None:
    cut = encoder.encode("map " * 254)  # and [CLS] and [SEP]
    assert np.array_equal(encoder.encode("map " * 20_000), cut)
    assert not np.array_equal(encoder.encode("map " * 253), cut)


@pytest.mark.parametrize("text", ["", " ", "\n\t \u3000"])
def test_blank_query_is_refused(text: str, encoder: QueryEncoder) -> None:
    with pytest.raises(ValueError, match="blank"):
        encoder.encode(text)


@pytest.mark.parametrize("text", ["\x00", "\ud800", "\u200b", "😀", "[CLS]", "𝕏" * 300])
def test_odd_query_has_a_vector(text: str, encoder: QueryEncoder) -> None:
    assert np.isfinite(encoder.encode(text)).all()


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_self_test_passes_where_it_was_made_and_fails_for_other_weights(
    variant: Variant, encoder: QueryEncoder, tmp_path: Path
) -> None:
    entry = ShippedEncoders().write(resolve_model(), tmp_path, query_variant=variant)
    own = QueryEncoder(str(tmp_path), MAX_TOKENS)
    assert run_self_test(own, entry["self_test"]) == []
    # Same files, another limit: what a wrong tokenizer or a foreign graph looks like.
    failures = run_self_test(QueryEncoder(str(tmp_path), 4), entry["self_test"])
    assert failures
    assert "cosine" in failures[0]


def test_self_test_of_another_dimension_fails(
    encoder: QueryEncoder, shipped: tuple[Path, dict[str, Any]]
) -> None:
    entry = {"text": "map", "vector": "AACAPw=="}
    failures = run_self_test(encoder, {"min_cosine": 0.999, "entries": [entry]})
    assert failures == ["the self-test vector of 'map' has 1 values"]


def test_self_test_finds_a_token_that_the_graph_does_not_have(
    shipped: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    for name in ("model.onnx", "model.bin"):
        (tmp_path / name).symlink_to(shipped[0] / name)
    tokenizer = json.loads((shipped[0] / "tokenizer.json").read_text())
    tokenizer["model"]["vocab"]["seldomword"] = 2**31
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(EncoderError, match="the encoder failed"):
        run_self_test(QueryEncoder(str(tmp_path), MAX_TOKENS), shipped[1]["self_test"])


@pytest.mark.parametrize("name", ["model.onnx", "model.bin", "tokenizer.json"])
def test_missing_file_is_an_encoder_error(
    name: str, shipped: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    for path in shipped[0].iterdir():
        if path.name != name:
            (tmp_path / path.name).symlink_to(path)
    with pytest.raises(EncoderError, match="cannot be loaded"):
        QueryEncoder(str(tmp_path), MAX_TOKENS)


@pytest.mark.parametrize("value", [0.0, np.nan, 2.0])
def test_vector_without_a_direction_is_an_encoder_error(
    value: float, shipped: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    copy(shipped[0] / "tokenizer.json", tmp_path)
    (tmp_path / "model.bin").touch()
    vector = numpy_helper.from_array(np.full((1, 384), value, np.float32), "constant")
    graph = helper.make_graph(
        [helper.make_node("Identity", ["constant"], ["vectors"])],
        "always the same",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, None])],
        [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, [1, 384])],
        [vector],
    )
    opset = helper.make_opsetid("", 18)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=9)
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(EncoderError, match=r"length|not finite"):
        QueryEncoder(str(tmp_path), MAX_TOKENS).encode("map")


@pytest.mark.parametrize(("given", "found"), [(None, "1"), ("3", "3")])
def test_blas_threads_are_limited_unless_the_environment_says_otherwise(
    given: str | None, found: str, shipped: tuple[Path, dict[str, Any]]
) -> None:
    program = (
        "import os, sys; from kb_runtime.search.encoder import QueryEncoder;"
        "assert 'numpy' not in sys.modules and 'onnxruntime' not in sys.modules;"
        f"QueryEncoder({str(shipped[0])!r}, 256); print(os.environ['OPENBLAS_NUM_THREADS'])"
    )
    environment = {key: value for key, value in os.environ.items() if "OPENBLAS" not in key}
    environment["PYTHONPATH"] = str(ROOT / "runtime")
    if given is not None:
        environment["OPENBLAS_NUM_THREADS"] = given
    output = subprocess.run(
        [sys.executable, "-c", program], env=environment, check=True, capture_output=True
    ).stdout
    assert output.decode().strip() == found
