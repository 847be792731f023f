"""Chunks with two texts to embed: the vector of such a chunk is the normalised mean of both.

Half of an API entry is its signature and code, and a question asks for what it does. The whole entry and
its description in prose, each embedded for itself, find it better than either. So do the beginning of a page
and the summary that its front matter states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kbc.encoding.quantize import Float32
from kbc.records import CompiledChunk


class EmbeddedTexts(NamedTuple):
    """`texts` are one of each chunk, then the second ones, which belong to the chunks `second`. `keys` name
    them in messages."""

    texts: list[str]
    keys: list[str]
    second: list[int]

    @classmethod
    def of(cls, chunks: Sequence[CompiledChunk]) -> EmbeddedTexts:
        second = [row for row, chunk in enumerate(chunks) if chunk.embedded_summary]
        keys = [f"{chunk.collection}/{chunk.record_id}:{chunk.start_line}" for chunk in chunks]
        return cls(
            [chunk.embedded_text for chunk in chunks]
            + [chunks[row].embedded_summary for row in second],
            keys + [f"{keys[row]} (summary)" for row in second],
            second,
        )

    def joined(self, vectors: Float32) -> Float32:
        """The vectors of the chunks, float32 [chunks, d] of length 1, from those of `texts`, which are
        overwritten."""
        count = len(self.texts) - len(self.second)
        if self.second:
            sums = vectors[self.second] + vectors[count:]
            vectors[self.second] = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return vectors[:count]
