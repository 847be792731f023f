"""The cross-encoder of an artifact: a query and a passage in, one score out; the higher the better.

Nothing of it is loaded before a search asks for it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

from kb_runtime.search.encoder import QUERY_TOKENS, limit_blas_threads, open_session
from kb_runtime.search.ranking.reranking import RerankerError
from kb_runtime.search.tokenizer import QueryTokenizer
from kb_runtime.store.onnx_graph import check_graph

PAIR_TOKENS = QUERY_TOKENS
"""Of a query with a passage, special tokens included; the longer of the two is cut. The check of graphs
bounds the work by the same number."""


class CrossEncoder:
    """The cross-encoder in the artifact folder `folder`: `model.onnx`, `model.bin`, `tokenizer.json`.

    `max_tokens` is the most that a pair may have. May be called from several threads. The files must have
    been verified: ONNX Runtime maps them. Raises `RerankerError`.
    """

    def __init__(self, folder: str, max_tokens: int) -> None:
        limit_blas_threads()
        try:
            path = os.path.join(folder, "tokenizer.json")
            self._tokenizer = QueryTokenizer(path, min(max_tokens, PAIR_TOKENS))
            check_graph(folder)
            self._session = open_session(os.path.join(folder, "model.onnx"))
        except Exception as error:  # ONNX Runtime raises types of its own
            raise RerankerError(f"it cannot be loaded: {error}") from error
        self._tells_apart = len(self._session.get_inputs()) > 1

    def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        """The score of each text, one after the other on one thread. Raises `RerankerError`."""
        import numpy

        scores = []
        for text in texts:
            ids, types = self._tokenizer.encode_pair(query, text)
            inputs = {"input_ids": numpy.array([ids], numpy.int64)}
            if self._tells_apart:
                inputs["token_type_ids"] = numpy.array([types], numpy.int64)
            try:
                scores.append(float(self._session.run(None, inputs)[0][0, 0]))
            except Exception as error:
                raise RerankerError(f"it failed: {error}") from error
        return scores


def run_self_test(reranker: CrossEncoder, self_test: Mapping[str, Any]) -> list[str]:
    """A sentence for each pair of the manifest whose score on this machine is another one.

    `self_test` is `{"max_difference": float, "entries": [{"query", "text", "score"}]}`.
    """
    failures = []
    for entry in self_test["entries"]:
        (score,) = reranker(entry["query"], [entry["text"]])
        if not math.fabs(score - entry["score"]) <= self_test["max_difference"]:
            failures.append(
                f"the re-ranker gives {entry['query']!r} the score {score:.4f}, not {entry['score']:.4f}"
            )
    return failures
