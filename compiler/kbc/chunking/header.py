"""The context lines above a chunk's text in what is embedded: its place, and what encloses it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kbc.chunking.budget import TokenBudget
from kbc.records import CompiledRecord

SEPARATOR = " › "
ELLIPSIS = "…"

# A word of any length may be a single token; a title or signature is cut here all the same.
LONGEST_PART_CHARS = 400

# The fewest tokens that still say something; less room than this is left empty.
_WORTHWHILE = 4


# So many of a summary's first words in a row in the text are no coincidence.
_TELLING_WORDS = 8


@dataclass(frozen=True, slots=True)
class Header:
    text: str
    tokens: int


def header(trail: Sequence[str], details: Sequence[str], budget: TokenBudget) -> Header:
    """`trail` (outermost part first) on the first line, then the `details` while there is room.

    A long trail loses its middle, then the end of its last part; a long detail loses its end.
    """
    if len(trail) > budget.header_room:  # more parts than tokens
        trail = [trail[0], ELLIPSIS, *trail[-budget.header_room :]]
    parts = [_one_line(part) for part in trail if part.strip()]
    more = [line for line in map(_one_line, details) if line]
    tokens = budget.joined_tokens(parts, SEPARATOR) + budget.joined_tokens(more, "\n")
    if tokens <= budget.header_room:
        return Header("\n".join([SEPARATOR.join(parts), *more]), tokens)
    room = budget.header_room
    lines = [_shorten_trail(parts, room, budget)]
    room -= budget.tokens(lines[0])
    for line in more:
        if room < _WORTHWHILE:
            break
        lines.append(_shorten(line, room, budget))
        room -= budget.tokens(lines[-1])
    return Header("\n".join(line for line in lines if line), budget.header_room - room)


def _one_line(text: str) -> str:
    line = " ".join(text[: 2 * LONGEST_PART_CHARS].split())
    return line if len(line) <= LONGEST_PART_CHARS else line[:LONGEST_PART_CHARS] + ELLIPSIS


def _shorten_trail(parts: Sequence[str], room: int, budget: TokenBudget) -> str:
    if not parts:
        return ""
    if budget.joined_tokens(parts, SEPARATOR) <= room:
        return SEPARATOR.join(parts)
    for first_kept in range(2, len(parts)):
        shorter = [parts[0], ELLIPSIS, *parts[first_kept:]]
        if budget.joined_tokens(shorter, SEPARATOR) <= room:
            return SEPARATOR.join(shorter)
    if len(parts) == 1:
        return _shorten(parts[0], room, budget)
    first = _shorten(parts[0], room // 2 - 1, budget)
    last = _shorten(parts[-1], room - budget.tokens(first + SEPARATOR), budget)
    return SEPARATOR.join(part for part in (first, last) if part)


def beginning(text: str, budget: TokenBudget) -> str:
    """As much of a text as may be embedded."""
    return text if budget.fits(text) else _shorten(text, budget.room, budget)


def _shorten(line: str, room: int, budget: TokenBudget) -> str:
    """The words of `line` that fit into `room` tokens, with an ellipsis when some do not.

    The first word is cut when it alone does not fit.
    """
    if len(line) <= room * 16 and budget.tokens(line) <= room:
        return line
    room -= budget.tokens(ELLIPSIS)
    words: list[str] = []
    for word in line[: room * 16].split():
        tokens = budget.tokens(word)
        if tokens > room:
            break
        words.append(word)
        room -= tokens
    kept = " ".join(words)
    if not kept:
        kept = line[: room * 16]
        while kept and budget.tokens(kept) > room:
            kept = kept[: len(kept) // 2]
    return f"{kept} {ELLIPSIS}" if kept else ""


def opening_details(record: CompiledRecord) -> tuple[str, ...]:
    """What the header of a record's first chunk adds: its tags, and a summary that is not from the text."""
    details = []
    summary = _words(record.summary)[:_TELLING_WORDS]
    if summary and f" {' '.join(summary)} " not in f" {' '.join(_words(record.text))} ":
        details.append(record.summary)
    if record.tags:
        details.append(", ".join(record.tags))
    return tuple(details)


def _words(text: str) -> list[str]:
    """The words without markup and punctuation, which summaries are cleaned of."""
    return re.findall(r"[^\W_]+", text.casefold())
