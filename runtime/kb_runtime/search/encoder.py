"""The query encoder: one text in, one normalised vector out.

The graph runs on one thread: queries are short, the threads of a pool would spin on cores that the host's
agent needs, and with one thread the vector is the same every time.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import SingleCodeError, exit_codes
from kb_runtime.search.tokenizer import QueryTokenizer
from kb_runtime.store.onnx_graph import check_graph

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NORM_TOLERANCE = 1e-3
# Tokens of a query that are read: a question of three sentences. 256 tokens take 27 ms, 64 take 7 ms,
# and no labelled query of three public collections is longer than 60.
QUERY_TOKENS = 64


class EncoderError(SingleCodeError):
    """The encoder of an artifact cannot be loaded, or gives no usable vector; a search can go on
    without it."""

    code = "encoder-failed"
    exit_code = exit_codes.ARTIFACT


class QueryEncoder:
    """The encoder in the artifact folder `folder`: `model.onnx`, `model.bin`, `tokenizer.json`.

    `max_tokens`, `prompt` and `text_tokens` are as in `QueryTokenizer`. May be called from several
    threads. The files must have been verified: ONNX Runtime maps them.
    """

    def __init__(
        self, folder: str, max_tokens: int, prompt: str = "", text_tokens: int | None = None
    ) -> None:
        limit_blas_threads()
        try:
            path = os.path.join(folder, "tokenizer.json")
            self._tokenizer = QueryTokenizer(path, max_tokens, prompt, text_tokens)
            check_graph(folder)
            self._session = open_session(os.path.join(folder, "model.onnx"))
        # ONNX Runtime raises types of its own, one for each status, with Exception as their base.
        except Exception as error:
            raise EncoderError(f"the encoder cannot be loaded: {error}") from error
        self.dimensions: int = self._session.get_outputs()[0].shape[1]

    def encode(self, text: str) -> NDArray[np.float32]:
        """The vector float32 [dimensions] of length 1. Raises `ValueError` for a blank text and
        `EncoderError` if the graph yields something that is no direction."""
        if not text.strip():
            raise ValueError("a blank text has no embedding")
        vector = self._run(self._tokenizer.encode(text))
        length = math.sqrt(float(vector @ vector))
        if not abs(length - 1) <= _NORM_TOLERANCE:  # also when the length is NaN
            raise EncoderError(f"the encoder gave a vector of length {length}")
        return vector

    def pieces(self, word: str) -> int:
        """How many tokens a word has: one that the encoder's vocabulary has as a whole is one."""
        return self._tokenizer.pieces(word)

    def check_vocabulary(self) -> None:
        """Raises `EncoderError` where the tokenizer has ids for which the graph has no embedding: few texts
        would show it."""
        self._run([self._tokenizer.largest_id])

    def _run(self, ids: list[int]) -> NDArray[np.float32]:
        import numpy

        try:
            found: NDArray[np.float32] = self._session.run(
                None, {"input_ids": numpy.array([ids], numpy.int64)}
            )[0][0]
        except Exception as error:
            raise EncoderError(f"the encoder failed: {error}") from error
        return found

    def warm(self) -> None:
        """Runs once, so that the first query finds buffers allocated and pages mapped."""
        self.encode("warm up")


def limit_blas_threads() -> None:
    """Has OpenBLAS start no thread pool, unless the environment says otherwise.

    Takes effect before numpy's first import, of which the pool is half the CPU time.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def run_self_test(encoder: QueryEncoder, self_test: Mapping[str, Any]) -> list[str]:
    """Checks the encoder on this machine against the vectors in the manifest.

    `self_test` is `{"min_cosine": float, "entries": [{"text", "vector"}]}` with vectors as base64
    of little-endian float32. Returns a sentence for each entry that fails; none means passed.
    """
    import base64

    import numpy

    failures = []
    encoder.check_vocabulary()
    for entry in self_test["entries"]:
        expected = numpy.frombuffer(base64.b64decode(entry["vector"]), "<f4")
        if expected.shape != (encoder.dimensions,):
            failures.append(f"the self-test vector of {entry['text']!r} has {expected.size} values")
            continue
        cosine = float(encoder.encode(entry["text"]) @ expected)
        if not cosine >= self_test["min_cosine"]:
            failures.append(
                f"the encoder gives {entry['text']!r} a vector at cosine {cosine:.5f} "
                f"to the expected one, below {self_test['min_cosine']}"
            )
    return failures


def open_session(path: str) -> Any:
    """The session of a graph, on one thread."""
    from kb_runtime.search.onnx_engine import onnxruntime, session_options

    options = session_options()
    # Both keep buffers of the longest text for good and save no time.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    # Which outputs could share a buffer takes most of the time of opening the graph to find out, and saves
    # nothing either: each is allocated when it is computed.
    options.enable_mem_reuse = False
    return onnxruntime().InferenceSession(path, options, providers=["CPUExecutionProvider"])
