from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.compiler.encoding.conftest import write_model

from kbc.encoding.encoder import DocumentEncoder
from kbc.encoding.graph_cache import read_graph
from kbc.encoding.model import Model, resolve_model
from kbc.encoding.tokenizer import TokenCounter
from kbc.execution import worker
from kbc.languages import containment
from kbc.records import CodeRecord

TEXTS = ["map of sets", "a list of maps."]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = write_model(tmp_path_factory.mktemp("model"), max_seq_length=64, positions=80)
    return resolve_model(folder)


@pytest.fixture(scope="module")
def payload(model: Model) -> tuple[str, bytes]:
    graph = read_graph(model, "int8", None)
    return worker.payload(model.tokenizer_path.read_bytes(), model.max_tokens, graph)


@pytest.fixture
def admitted(payload: tuple[str, bytes]) -> Iterator[str]:
    assert worker.admit(*payload) == ""
    yield payload[0]
    worker.forget(payload[0])


def sent(payload: tuple[str, bytes], **facts: str) -> tuple[str, bytes]:
    """The payload of a build with other facts."""
    known, *rest = pickle.loads(payload[1])
    data = pickle.dumps(({**known, **facts}, *rest))
    return sha256(data).hexdigest(), data


def test_an_admitted_worker_embeds_as_the_encoder_does(model: Model, admitted: str) -> None:
    found = worker.embed(admitted, TokenCounter(model).encode_many(TEXTS))
    with DocumentEncoder(model, variant="int8") as encoder:
        assert np.array_equal(found, encoder.encode(TEXTS))


def test_a_payload_that_was_altered_on_its_way_is_refused(payload: tuple[str, bytes]) -> None:
    name, data = payload
    altered = bytearray(data)
    altered[len(data) // 2] ^= 1
    assert worker.admit(name, bytes(altered)) == "what it received is not what was sent"


@pytest.mark.parametrize(
    ("fact", "refusal"),
    [
        (
            {"onnxruntime": "1.0"},
            f"onnxruntime is {worker.facts()['onnxruntime']} there and 1.0 here",
        ),
        ({"CPU": f"{worker.facts()['CPU']} avx9"}, "its CPU computes differently (avx9)"),
        ({"kbc": "9.9"}, f"kbc is {worker.facts()['kbc']} there and 9.9 here"),
    ],
)
def test_a_worker_with_another_identity_says_what_differs(
    payload: tuple[str, bytes], fact: dict[str, Any], refusal: str
) -> None:
    assert worker.admit(*sent(payload, **fact)) == refusal


def test_a_worker_whose_vectors_are_other_bytes_is_refused(
    tmp_path: Path, payload: tuple[str, bytes]
) -> None:
    facts, tokenizer, tokens, _graph, *rest = pickle.loads(payload[1])
    other = resolve_model(
        write_model(tmp_path / "other", max_seq_length=64, positions=80, layer_norm_eps=1e-3)
    )
    data = pickle.dumps((facts, tokenizer, tokens, tuple(read_graph(other, "int8", None)), *rest))
    refusal = worker.admit(sha256(data).hexdigest(), data)
    assert refusal == "its vectors of two test texts differ"


@pytest.mark.skipif(sys.platform != "linux", reason="parsers have a process of their own on Linux")
def test_a_source_file_on_which_a_parser_never_ends_is_cut_as_text(
    admitted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(containment, "SECONDS", 0)
    record = CodeRecord(
        id="a.pl",
        collection="code",
        title="a.pl",
        path="a.pl",
        text="q#a",
        language="perl",
        workspace=".",
        sha256="",
    )
    (chunks,) = worker.chunk(admitted, [record])
    assert chunks is not None
    assert [found.end_line for found in chunks] == [1]


def test_a_record_that_cannot_be_cut_is_left_to_the_build(admitted: str) -> None:
    assert worker.chunk(admitted, [None]) == [None]  # type: ignore[list-item]
