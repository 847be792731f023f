"""Token ids of queries, by the tokenizers package from the artifact's own `tokenizer.json`.

Special tokens that a user types (`[MASK]`) are ordinary text, as they are when documents are compiled.
"""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")  # the package takes UTF-8, which has none


class QueryTokenizer:
    """Any tokenizer that the package reads. `max_tokens` counts special tokens; `encode` cuts there."""

    def __init__(self, path: str, max_tokens: int) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(path)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        self._tokenizer.encode_special_tokens = True

    def encode(self, text: str) -> list[int]:
        """Ids of `text` with its special tokens, at most `max_tokens` in all."""
        ids: list[int] = self._tokenizer.encode(_SURROGATE.sub("", text)).ids
        return ids
