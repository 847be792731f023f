"""How much text a chunk may hold: tokens of the encoder's own tokenizer."""

from __future__ import annotations

from collections.abc import Callable
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
    WordPiece's do; where they do not, chunks are split once more, so the bound always holds."""

    count: Callable[[str], int]
    max_tokens: int = 256
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
        stripped = text.strip()
        if not stripped:
            return 0
        return max(self.tokens(stripped), -(-len(stripped) // CHARS_PER_TOKEN))

    def fits(self, embedded_text: str) -> bool:
        return self.count(embedded_text) <= self.max_tokens
