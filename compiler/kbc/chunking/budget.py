"""Measures how much text a chunk may contain, in tokens of the encoder's own tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kbc.encoding.tokenizer import TokenCounter

# A word of more than 100 characters is a single unknown token to WordPiece, however long it is.
# 32 characters a token keep a chunk of such words below 8,200 characters; prose and code have 3 to 6.
CHARS_PER_TOKEN = 32

# Words come back, in one line and the next, and so do lines: those up to this length are counted once.
REMEMBERED_CHARS = 200
MAX_REMEMBERED = 100_000  # texts, some 15 MB

# Below this the header and the text get in each other's way (a code point takes up to 4 tokens).
SMALLEST_BUDGET = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBudget:
    """`count(text)` gives the tokens of `text` with special tokens; a chunk's embedded text may
    have at most `max_tokens` of them. Counts of texts that meet at white space must add up, as
    WordPiece's do; where they do not, chunks are split once more, so the bound always holds.
    With `adds_up` they are known to, and the words of a chunk, counted already, tell whether it fits.
    `count_many` gives the counts of several texts, where that is faster than one by one. Tokenizers that
    keep white space (byte-level BPE) have tokens for indentation and line ends too: there a text costs
    what it takes with the white space around it.

    Counting is most of the work of chunking, so nothing that adds up is counted again as a whole."""

    count: Callable[[str], int]
    max_tokens: int = 256
    count_many: Callable[[Sequence[str]], Sequence[int]] | None = None
    adds_up: bool = False
    special: int = field(init=False)  # tokens of an empty text
    keeps_spaces: bool = field(init=False)
    _known: dict[str, int] = field(init=False, repr=False, compare=False, default_factory=dict)

    @classmethod
    def of(cls, counter: TokenCounter, max_tokens: int) -> TokenBudget:
        """That of an encoder with this tokenizer."""
        return cls(
            count=counter.count,
            count_many=counter.count_many,
            adds_up=counter.adds_up,
            max_tokens=max_tokens,
        )

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
        if self.adds_up:
            return [tokens <= self.room for tokens in self._tokens(embedded_texts)]
        return [count <= self.max_tokens for count in self._counts(embedded_texts)]

    def _tokens(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text without the special ones: those of its words, where these add up."""
        known = self._known
        if len(known) > MAX_REMEMBERED:  # other threads go on with the old one
            known = {}
            object.__setattr__(self, "_known", known)
        parts = [[each] if self.keeps_spaces else _words(each) for each in texts]
        unknown = list(set().union(*parts).difference(known))
        long: dict[str, int] = {}
        for each, count in zip(unknown, self._counts(unknown), strict=True):
            (known if len(each) <= REMEMBERED_CHARS else long)[each] = count - self.special
        if not long:
            return [sum(map(known.__getitem__, each)) for each in parts]
        return [
            sum(known[word] if word in known else long[word] for word in each) for each in parts
        ]

    def _counts(self, texts: Sequence[str]) -> Sequence[int]:
        if self.count_many is not None and len(texts) > 1:
            return self.count_many(texts)
        return [self.count(text) for text in texts]


def _words(text: str) -> list[str]:
    """The words between blanks and line ends; of other white space a tokenizer has rules of its own."""
    return text.replace("\t", " ").replace("\n", " ").split(" ")
