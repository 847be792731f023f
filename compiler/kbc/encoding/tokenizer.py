"""Counts and encodes tokens exactly as the encoder sees them, special tokens included."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kbc.encoding.errors import ModelError
from kbc.encoding.model import WORD_EMBEDDINGS, Model
from kbc.encoding.stored.tensors import open_tensors

TokenIds = NDArray[np.int32]

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

# Texts that are tokenised together. Beside its id, a token takes 130 bytes while its batch is at hand:
# all 10 million tokens of a large repository at once would take more than 1 GB.
_BATCH_TEXTS = 512
_OF_BERT = ["BertNormalizer", "BertPreTokenizer", "WordPiece"]


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
        return _load(source) if isinstance(source, bytes) else read_tokenizer(source)

    @property
    def adds_up(self) -> bool:
        """Whether the tokens of a text are those of the words in it, as BERT's are without tokens of several
        words or a prompt that its first word becomes part of."""
        parts = (self._tokenizer.normalizer, self._tokenizer.pre_tokenizer, self._tokenizer.model)
        added = [token.content for token in self._tokenizer.get_added_tokens_decoder().values()]
        are_words = all(each.split() == [each] for each in added)
        ends = not self._prompt or self._prompt[-1].isspace()
        return are_words and ends and [type(each).__name__ for each in parts] == _OF_BERT

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


def read_tokenizer(model: Model) -> Tokenizer:
    """The tokenizer of a model, without truncation and padding. Raises `ModelError` where it cannot be read,
    or has ids for which the weights have no row: the first text with one of those would show it."""
    try:
        tokenizer = _load(model.tokenizer_path.read_bytes())
    except Exception as error:  # the package raises no type of its own
        raise ModelError.unreadable(model.tokenizer_path, error) from error
    with open_tensors(model.weights_path) as tensors:
        shape = tensors.shape(f"{model.layers.tensor_prefix}{WORD_EMBEDDINGS}")
    rows = shape[0] if shape else 0
    largest = max(tokenizer.get_vocab().values(), default=0)
    if largest >= rows:
        raise ModelError(
            "model-invalid",
            f"tokenizer.json has the token id {largest}, but the weights have {rows} rows for tokens",
            "take both files from the same model",
        )
    return tokenizer


def _load(data: bytes) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer(data)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer
