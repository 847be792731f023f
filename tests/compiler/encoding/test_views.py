from __future__ import annotations

import numpy as np

from kbc.encoding.views import EmbeddedTexts
from kbc.records import CompiledChunk


def chunk(text: str, summary: str = "") -> CompiledChunk:
    return CompiledChunk(
        collection="builtins",
        record_id=text,
        index=0,
        text=text,
        start_line=3,
        end_line=4,
        embedded_text=text,
        embedded_summary=summary,
    )


def test_the_vector_of_a_chunk_with_a_summary_lies_between_those_of_its_texts() -> None:
    texts = EmbeddedTexts.of(
        [chunk("put", "sets a key"), chunk("keys"), chunk("get", "reads a key")]
    )
    assert texts.texts == ["put", "keys", "get", "sets a key", "reads a key"]
    assert texts.keys[0] == "builtins/put:3"
    assert texts.keys[4] == "builtins/get:3 (summary)"
    found = texts.joined(np.eye(5, dtype=np.float32))
    half = np.sqrt(0.5)
    expected = [[half, 0, 0, half, 0], [0, 1, 0, 0, 0], [0, 0, half, 0, half]]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert found.dtype == np.float32


def test_without_summaries_the_vectors_are_those_of_the_texts() -> None:
    texts = EmbeddedTexts.of([chunk("put"), chunk("keys")])
    vectors = np.eye(2, dtype=np.float32)
    assert texts.joined(vectors).tolist() == vectors.tolist()
