"""Definitions as they are found in a text, with those inside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

MAX_SIGNATURE_CHARS = 300

_MOST_LINES_OF_HEAD = 20

MAX_DEPTH = 16
"""Definitions nested deeper are part of the one around them."""


@dataclass(slots=True)
class Symbol:
    """A definition on lines `line` to `end_line` (1-based in the text given, the comments and
    decorators above it included); its own text begins on `own_line`."""

    name: str
    kind: str
    line: int
    end_line: int
    own_line: int
    signature: str = ""
    children: list[Symbol] = field(default_factory=list)


def walk(found: Sequence[Symbol]) -> Iterator[Symbol]:
    """All symbols, each before those inside it."""
    for symbol in found:
        yield symbol
        yield from walk(symbol.children)


def signature(lines: Sequence[str], row: int) -> str:
    """The head that begins on a row, up to the bracket that closes its parameters."""
    parts: list[str] = []
    open_ = 0
    for line in lines[row : row + _MOST_LINES_OF_HEAD]:
        parts.append(line.strip())
        open_ += line.count("(") - line.count(")")
        if open_ <= 0:
            break
    return " ".join(parts)[:MAX_SIGNATURE_CHARS]
