"""Counts and encodes tokens exactly as the encoder sees them, special tokens included."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kbc.encoding.model import Model

TokenIds = NDArray[np.int32]

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

# Texts that are tokenised together. Beside its id, a token takes 130 bytes while its batch is at hand:
# all 10 million tokens of a large repository at once would take more than 1 GB.
_BATCH_TEXTS = 512


class TokenCounter:
    """The model's own tokenizer, without truncation and padding. Before each text stands the model's prompt
    for documents, so that it is part of every count.

    `[CLS]`, `[MASK]` and other special tokens inside a text are ordinary text, unlike in
    sentence-transformers: a document must not be able to steer the encoder. The runtime reads
    queries the same way.
    """

    def __init__(self, source: Model | bytes, prompt: str = "") -> None:
        """`source` is the model, or the content of its `tokenizer.json` and its `prompt` for documents."""
        self._source = source
        self._prompt = prompt if isinstance(source, bytes) else source.prompts.document

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        """Loaded when the first text is counted: a build that has everything cached counts none."""
        source = self._source
        return _load(source if isinstance(source, bytes) else source.tokenizer_path.read_bytes())

    def count(self, text: str) -> int:
        """Tokens of `text`, with the special tokens around it."""
        return self.count_many([text])[0]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """`count` of each text, on all cores."""
        return [len(encoding) for encoding in self._encodings(texts)]

    def encode_many(self, texts: Sequence[str]) -> list[TokenIds]:
        """Token ids of each text, with the special tokens. Arrays take a tenth of the memory of lists."""
        return [np.array(encoding.ids, np.int32) for encoding in self._encodings(texts)]

    def _encodings(self, texts: Sequence[str]) -> Iterator[Encoding]:
        for start in range(0, len(texts), _BATCH_TEXTS):
            batch = [self._prompt + text for text in texts[start : start + _BATCH_TEXTS]]
            yield from self._tokenizer.encode_batch_fast(batch)


def _load(data: bytes) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer(data)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer
