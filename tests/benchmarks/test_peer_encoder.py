"""The model that the public Quint server is given must embed as the one that it downloads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.encoders.peer_encoder import NAME, write_peer_model

from kb_runtime.search.onnx_engine import onnxruntime
from kbc.encoding.encoder import DocumentEncoder
from kbc.encoding.model import resolve_model
from kbc.encoding.tokenizer import TokenCounter

TEXTS = ("How do I create a map from a set?", "Byzantine consensus")
MIN_COSINE = 0.98


@pytest.mark.slow
def test_a_batch_gets_the_vectors_of_the_official_weights(tmp_path: Path) -> None:
    write_peer_model(tmp_path)
    model = resolve_model()
    rows = TokenCounter(model).encode_many(TEXTS)
    ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
    mask = np.zeros_like(ids)
    for row, own in enumerate(rows):
        ids[row, : len(own)] = own
        mask[row, : len(own)] = 1
    session = onnxruntime().InferenceSession(
        tmp_path / NAME / "onnx" / "model_quantized.onnx", providers=["CPUExecutionProvider"]
    )
    inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    (states,) = session.run(None, inputs)
    pooled = (states * mask[..., None]).sum(axis=1)
    pooled /= np.linalg.norm(pooled, axis=1, keepdims=True)
    expected = DocumentEncoder(model).encode(TEXTS)
    assert (pooled * expected).sum(axis=1).min() > MIN_COSINE
