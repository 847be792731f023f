"""Cuts lines into passages that fit the budget, at the best places.

A strategy (Markdown, source, plain text) gives each possible cut a cost; packing minimises the costs
together with the imbalance of the passages. Each passage looks at no more lines than fit into it, so the
time is linear.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kb_runtime.text.graphemes import LONGEST_CLUSTER, is_boundary
from kbc.chunking.lines import TextLines

# What a cut before a line costs, 0 (a natural border) to 100 (never, if it can be avoided).
BORDER = 0
INSIDE_SENTENCE_LINE = 60
GLUED = 95
_AFTER_SENTENCE = 70
_AFTER_WORD = 80
_INSIDE_WORD = 100

# Added to the cost of a cut inside a block (code, table) that would fit as a whole.
WHOLE_BLOCK = 40

# A passage below this many tokens says too little alone; its neighbour takes it when it can.
REMNANT = 30
_REMNANT_COST = 30

# Weight of the squared deviation from passages of equal size, relative to the room.
_IMBALANCE = 60

_WORD = re.compile(r"\s*(?:\w{1,64}|\W)", re.DOTALL)
SENTENCE_END = re.compile(r"[.!?;:…。！？][\"')\]]*\s*\Z")


class PackedPassage(NamedTuple):
    """Characters [start, end) of the text, and what they cost."""

    start: int
    end: int
    cost: int

    def joined(self, following: PackedPassage) -> PackedPassage:
        """This passage and the one behind it as one."""
        return PackedPassage(self.start, following.end, self.cost + following.cost)


class UncutSpan(NamedTuple):
    """What is not cut: characters [start, end), their cost, and the cost of a cut before them."""

    start: int
    end: int
    cost: int
    cut: int


def pack_lines(
    lines: TextLines, first: int, end: int, cuts: Sequence[int], room: int
) -> list[PackedPassage]:
    """Lines [first, end) as passages of at most `room`; `cuts[i]` is the cost of a cut before line i.

    Lines without visible text stay with the line before them, at the start with the line after. A
    line that is larger than the room is cut at sentences, words, characters, in this order.
    """
    whole = PackedPassage(lines.start(first), lines.start(end), lines.cost(first, end))
    if whole.cost <= room:
        return [whole] if end > first else []
    pieces: list[UncutSpan] = []
    start = lines.start(first)
    for index in range(first, end):
        cost = lines.costs[index]
        line_end = lines.start(index + 1)
        if cost == 0 and pieces:
            pieces[-1] = pieces[-1]._replace(end=line_end)
            start = line_end
        elif cost > room:
            pieces += _cut_line(lines, start, line_end, cuts[index], room)
            start = line_end
        elif cost > 0:
            pieces.append(UncutSpan(start, line_end, cost, cuts[index]))
            start = line_end
    return [
        PackedPassage(pieces[i].start, pieces[j - 1].end, sum(piece.cost for piece in pieces[i:j]))
        for i, j in pack(pieces, room)
    ]


def pack(pieces: Sequence[UncutSpan], room: int) -> list[tuple[int, int]]:
    """Index ranges [i, j) of `pieces`, each of at most `room` (a single piece may be larger)."""
    ranges: list[tuple[int, int]] = []
    remaining = sum(piece.cost for piece in pieces)
    first = 0
    while remaining > room:
        ideal = remaining / -(-remaining // room)
        size = pieces[first].cost
        best, best_score, best_size = first + 1, float("inf"), size
        for index in range(first + 1, len(pieces)):
            score = pieces[index].cut + _IMBALANCE * ((size - ideal) / room) ** 2
            if min(size, remaining - size) < REMNANT:
                score += _REMNANT_COST
            if score <= best_score:
                best, best_score, best_size = index, score, size
            size += pieces[index].cost
            if size > room:
                break
        else:
            break  # one piece is left, too large and not to be cut
        ranges.append((first, best))
        remaining -= best_size
        first = best
    if first < len(pieces):
        ranges.append((first, len(pieces)))
    return ranges


def _cut_line(lines: TextLines, start: int, end: int, cut: int, room: int) -> list[UncutSpan]:
    """Pieces of at most half the room, so that a passage can begin or end with some of the line."""
    words: list[UncutSpan] = []
    before = ""
    most = max(room // 2, 1)
    matches = list(_WORD.finditer(lines.visible, start, end))
    costs = lines.budget.costs([match.group() for match in matches])
    for match, tokens in zip(matches, costs, strict=True):
        word = match.group()
        if words and (
            tokens == 0
            or (
                words[-1].cost + tokens <= most
                and _is_inside_character(lines.visible, words[-1].start, match.start())
            )
        ):
            cost = words[-1].cost + tokens
            words[-1] = words[-1]._replace(end=match.end(), cost=cost)
            continue
        if not word[0].isspace():
            cost = _INSIDE_WORD
        else:
            cost = _AFTER_SENTENCE if SENTENCE_END.search(before) else _AFTER_WORD
        words.append(UncutSpan(match.start(), match.end(), tokens, cost))
        before = word
    words[-1] = words[-1]._replace(end=end)
    pieces = []
    for i, j in pack(words, most):
        cost = sum(word.cost for word in words[i:j])
        pieces.append(UncutSpan(words[i].start, words[j - 1].end, cost, words[i].cut))
    pieces[0] = pieces[0]._replace(cut=cut)
    return pieces


def _is_inside_character(text: str, start: int, index: int) -> bool:
    """Whether no cut should be made at `index`, of the word that begins at `start`: what a reader takes for
    one character, such as a letter with its accent or a flag, may be several code points."""
    first = max(start, index - LONGEST_CLUSTER)
    return not is_boundary(text[first : index + 1], index - first)
