"""Checks vectors before they are published."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from kb_runtime.text.tables import some_of
from kbc.encoding.errors import EncodingError
from kbc.encoding.quantize import Float32
from kbc.encoding.tokenizer import TokenCounter

# fp32 and int8 vectors leave the graph with a norm within 1e-6 of 1; anything further is damage.
_NORM_TOLERANCE = 1e-4
_SHOWN_KEYS = 5


def check_vectors(
    vectors: Float32, texts: Sequence[str], keys: Sequence[str], tokenizer: TokenCounter
) -> None:
    """Raises `EncodingError` unless `vectors` float32 [n, d] can be those of the n `texts`.

    `keys` name the texts in messages. A vector must be finite and of length 1, and two texts may
    share one only if they are the same tokens (texts that differ in case or white space are, to an
    uncased model).
    """
    if not len(vectors) == len(texts) == len(keys):
        raise EncodingError(
            "vector-count", f"{len(texts)} texts with {len(keys)} keys have {len(vectors)} vectors"
        )
    if vectors.ndim != 2 or vectors.dtype != np.float32:
        raise EncodingError(
            "vector-shape", f"vectors are {vectors.dtype} {vectors.shape}, not float32 [n, d]"
        )
    infinite = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    _refuse("vector-not-finite", "are not finite", infinite, keys)
    errors = np.abs(np.linalg.norm(vectors, axis=1) - 1)
    wrong = np.flatnonzero(errors > _NORM_TOLERANCE)
    _refuse("vector-not-normalised", "do not have length 1", wrong, keys)
    _refuse_shared_vectors(vectors, texts, keys, tokenizer)


def _refuse(code: str, what: str, rows: NDArray[np.int64], keys: Sequence[str]) -> None:
    if len(rows):
        named = [keys[row] for row in rows]
        message = f"the vectors of {some_of(named, _SHOWN_KEYS)} {what}"
        raise EncodingError(code, message, tuple(named[:_SHOWN_KEYS]))


def _refuse_shared_vectors(
    vectors: Float32, texts: Sequence[str], keys: Sequence[str], tokenizer: TokenCounter
) -> None:
    first: dict[bytes, int] = {}  # by digest: a copy of every vector would double what they take
    for row, vector in enumerate(np.ascontiguousarray(vectors)):
        owner = first.setdefault(blake2b(vector.data, digest_size=16).digest(), row)
        if owner == row or texts[owner] == texts[row]:
            continue
        left, right = tokenizer.encode_many([texts[owner], texts[row]])
        if not np.array_equal(left, right):
            raise EncodingError(
                "vector-duplicate",
                f"the different texts of {keys[owner]} and {keys[row]} have the same vector",
                (keys[owner], keys[row]),
            )
