"""How much text a chunk may hold: tokens of the encoder's own tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

# A word of more than 100 characters is a single unknown token to WordPiece, however long it is.
# 32 characters a token keep a chunk of such words below 8,200 characters; prose and code have 3 to 6.
CHARS_PER_TOKEN = 32

# Below this the header and the text get in each other's way (a code point takes up to 4 tokens).
SMALLEST_BUDGET = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBudget:
    """`count(text)` gives the tokens of `text` with special tokens; a chunk's embedded text may
    have at most `max_tokens` of them. Counts of texts that meet at white space must add up, as
    WordPiece's do; where they do not, chunks are split once more, so the bound always holds.
    `count_many` gives the counts of several texts, where that is faster than one by one."""

    count: Callable[[str], int]
    max_tokens: int = 256
    count_many: Callable[[Sequence[str]], Sequence[int]] | None = None
    special: int = field(init=False)  # tokens of an empty text

    def __post_init__(self) -> None:
        object.__setattr__(self, "special", self.count(""))
        if self.max_tokens - self.special < SMALLEST_BUDGET:
            raise ValueError(
                f"max_tokens={self.max_tokens} leaves no room for text; "
                f"at least {SMALLEST_BUDGET + self.special} are needed"
            )

    @property
    def room(self) -> int:
        """Tokens for header and text together."""
        return self.max_tokens - self.special

    @property
    def header_room(self) -> int:
        """Tokens for the header: a quarter, so that the text dominates the vector."""
        return self.room // 4

    def tokens(self, text: str) -> int:
        """The tokens of `text` without the special ones."""
        return self.count(text) - self.special if text else 0

    def cost(self, text: str) -> int:
        """What `text` takes of the room: its tokens, more for very long words; 0 for white space."""
        return self.costs([text])[0]

    def costs(self, texts: Sequence[str]) -> list[int]:
        """The cost of each text."""
        stripped = [text.strip() for text in texts]
        visible = [text for text in stripped if text]
        if self.count_many is not None and len(visible) > 1:
            counts = iter(self.count_many(visible))
        else:
            counts = map(self.count, visible)
        return [
            max(next(counts) - self.special, -(-len(text) // CHARS_PER_TOKEN)) if text else 0
            for text in stripped
        ]

    def fits(self, embedded_text: str) -> bool:
        return self.count(embedded_text) <= self.max_tokens
