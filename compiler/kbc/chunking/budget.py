"""Measures how much text a chunk may contain, in tokens of the encoder's own tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

# A word of more than 100 characters is a single unknown token to WordPiece, however long it is.
# 32 characters a token keep a chunk of such words below 8,200 characters; prose and code have 3 to 6.
CHARS_PER_TOKEN = 32

# Lines, names and words come back, in one file and the next: those up to this length are counted once.
REMEMBERED_CHARS = 200
MAX_REMEMBERED = 100_000  # texts, some 15 MB

# Below this the header and the text get in each other's way (a code point takes up to 4 tokens).
SMALLEST_BUDGET = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBudget:
    """`count(text)` gives the tokens of `text` with special tokens; a chunk's embedded text may
    have at most `max_tokens` of them. Counts of texts that meet at white space must add up, as
    WordPiece's do; where they do not, chunks are split once more, so the bound always holds.
    `count_many` gives the counts of several texts, where that is faster than one by one. Tokenizers that
    keep white space (byte-level BPE) have tokens for indentation and line ends too: there a text costs
    what it takes with the white space around it.

    Counting is most of the work of chunking, so nothing that adds up is counted again as a whole."""

    count: Callable[[str], int]
    max_tokens: int = 256
    count_many: Callable[[Sequence[str]], Sequence[int]] | None = None
    special: int = field(init=False)  # tokens of an empty text
    keeps_spaces: bool = field(init=False)
    _known: dict[str, int] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "special", self.count(""))
        object.__setattr__(self, "keeps_spaces", self.count("a\n\n    a") > self.count("a a"))
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

    @property
    def text_room(self) -> int:
        """Tokens that a text has beside any header."""
        return self.room - self.header_room

    def tokens(self, text: str) -> int:
        """The tokens of `text` without the special ones."""
        return self._tokens([text])[0] if text else 0

    def joined_tokens(self, parts: Sequence[str], separator: str) -> int:
        """The tokens of `parts` joined by `separator`, which begins and ends with white space."""
        between = max(len(parts) - 1, 0) * self.tokens(separator.strip())
        return sum(self._tokens(parts)) + between

    def costs(self, texts: Sequence[str]) -> list[int]:
        """What each text takes of the room: its tokens, more for very long words; 0 for white space."""
        stripped = [text.strip() for text in texts]
        counted = texts if self.keeps_spaces else stripped
        return [
            max(tokens, -(-len(text) // CHARS_PER_TOKEN)) if text else 0
            for text, tokens in zip(stripped, self._tokens(counted), strict=True)
        ]

    def fits(self, embedded_text: str) -> bool:
        """Whether a text, counted whole, may be embedded."""
        return self.fits_each([embedded_text])[0]

    def fits_each(self, embedded_texts: Sequence[str]) -> list[bool]:
        """`fits` of each text."""
        return [count <= self.max_tokens for count in self._counts(embedded_texts)]

    def _tokens(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text without the special ones."""
        known = self._known
        unknown = [text for text in dict.fromkeys(texts) if text not in known]
        if not unknown:
            return [known[text] for text in texts]
        counts = self._counts(unknown)
        found = {text: count - self.special for text, count in zip(unknown, counts, strict=True)}
        tokens = [found[text] if text in found else known[text] for text in texts]
        if len(known) + len(found) > MAX_REMEMBERED:
            known.clear()
        known.update(
            (text, count) for text, count in found.items() if len(text) <= REMEMBERED_CHARS
        )
        return tokens

    def _counts(self, texts: Sequence[str]) -> Sequence[int]:
        if self.count_many is not None and len(texts) > 1:
            return self.count_many(texts)
        return [self.count(text) for text in texts]
