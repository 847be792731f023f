"""Token ids of queries, by the tokenizers package from the artifact's own `tokenizer.json`.

Special tokens that a user types (`[MASK]`) are ordinary text, as they are when documents are compiled.
"""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")  # the package takes UTF-8, which has none


class QueryTokenizer:
    """Any tokenizer that the package reads. `max_tokens` counts special tokens; `encode` cuts there.

    `prompt` stands before every text, as the model was trained. `text_tokens` is a lower limit for what
    follows it.
    """

    def __init__(
        self, path: str, max_tokens: int, prompt: str = "", text_tokens: int | None = None
    ) -> None:
        from tokenizers import Tokenizer

        with open(path, "rb") as file:  # the package's own errors have no number
            self._tokenizer = Tokenizer.from_buffer(file.read())
        self._tokenizer.no_padding()
        self._prompt = prompt
        if text_tokens is not None:
            max_tokens = min(max_tokens, text_tokens + self.pieces(prompt))
        self._tokenizer.enable_truncation(max_tokens)
        self._tokenizer.encode_special_tokens = True

    @property
    def largest_id(self) -> int:
        """The largest id that `encode` can give."""
        return max(self._tokenizer.get_vocab().values(), default=0)

    def encode(self, text: str) -> list[int]:
        """Ids of `text` with its special tokens, at most `max_tokens` in all."""
        ids: list[int] = self._tokenizer.encode(self._prompt + _SURROGATE.sub("", text)).ids
        return ids

    def pieces(self, word: str) -> int:
        """How many tokens a word has, without the special ones."""
        return len(self._tokenizer.encode(word, add_special_tokens=False).ids)

    def encode_pair(self, text: str, other: str) -> tuple[list[int], list[int]]:
        """Ids of two texts with the special tokens, and the type of each token; the longer text is cut."""
        pair = self._tokenizer.encode(_SURROGATE.sub("", text), _SURROGATE.sub("", other))
        return pair.ids, pair.type_ids
