"""Chooses how much of each hit an answer of the general search shows, and what to read on.

The first hits are read most: their passages answer, the others' say what they are about. What an answer then
has left of its tokens is given to whole passages, best hit first, so that fewer hits need to be read on.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kb_runtime.search.snippets import heading_of
from kb_runtime.text.unshown import hidden_in, last_line, repeats, shown_text, without

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from kb_runtime.knowledge.interface import Knowledge
    from kb_runtime.search.request import SearchHit
    from kb_runtime.search.snippets import Snippet

FULL_SNIPPETS = 3
LEAST_SNIPPET, MOST_SNIPPET = 240, 280
"""Code points of the passages of the first hits."""
SHORT_SNIPPET, SHORTEST_SNIPPET = 80, 40
"""Code points of the others, which say what they are about; a step less where addresses take the room."""
LARGEST_SNIPPET = 900
"""Code points of a passage that is given more: nearly every chunk fits."""
LEAST_GAIN = 120
"""Code points, below which a larger passage is not worth its time."""
ROOM = 1_840
"""Estimated tokens of ten hits, text and structure together, up to which passages are given more. Estimates
are up to 120 tokens off (kb/, 212 questions): ten hits take at most about 2,000."""
MAX_SECTION_CHARS = 4_000
"""Code points of a section or definition that a hit offers to read: some 1,000 tokens."""
TOKENS_OF_A_HIT = 46
"""What a hit takes besides its title, address and passage."""
CHARS_OF_A_TOKEN = (4, 2.5)
"""Of prose, and of code."""
_TOKEN = re.compile(
    r"[A-Z]?[a-z]{1,10}|[A-Z]{1,4}|\d{1,3}|[^\W\da-zA-Z_]{1,2}|[^\w\s]{1,2}|\n+| {2,}|_"
)
"""What vocabularies of public models tell apart, nearly: code has half the characters a token of prose."""


def passages(hits: Sequence[SearchHit], addresses: Sequence[str]) -> list[Snippet]:
    """What to show of each hit, best first, beside its `addresses`."""
    shown = [
        hit.passage(LEAST_SNIPPET, MOST_SNIPPET)
        if rank < FULL_SNIPPETS
        else hit.passage(1, SHORT_SNIPPET)
        for rank, hit in enumerate(hits)
    ]
    room = ROOM * max(1, len(hits) / 10) - sum(map(_tokens, hits, addresses, shown))
    for rank in range(len(hits) - 1, 0, -1):
        if room >= 0:
            break
        most = SHORT_SNIPPET if rank < FULL_SNIPPETS else SHORTEST_SNIPPET
        shorter = hits[rank].passage(1, most)
        room -= _more(shorter, shown[rank])
        shown[rank] = shorter
    for rank, hit in enumerate(hits):
        if _is_whole(hit.chunk, shown[rank]):
            continue
        chars = len(shown[rank].text)
        for chars_of_a_token in CHARS_OF_A_TOKEN:
            most = min(LARGEST_SNIPPET, chars + int(room * chars_of_a_token / 2))
            if most - chars < LEAST_GAIN:
                return shown
            larger = hit.passage(most - most // 7, most)
            more = _more(larger, shown[rank])
            if 0 < more <= room:
                room -= more
                shown[rank] = larger
                break
    return shown


def section_lines(knowledge: Knowledge, hit: SearchHit, shown: Snippet) -> list[int] | None:
    """The first and the last line of the section or definition that a hit is part of; None if all of it
    is shown. Of one that is too long to be read at once it is what follows the beginning of the hit."""
    chunks, own = knowledge.chunks, hit.chunk
    rows = chunks.rows_of(hit.record, knowledge.collection(hit.collection).rows)
    trail = own.get("breadcrumb", [])
    first = last = own
    room = MAX_SECTION_CHARS - len(shown_text(own))
    for step in (1, -1):
        edge, at = own, hit.row + step
        while room >= 0 and at in rows and _is_within(chunk := chunks[at], trail):
            room -= len(shown_text(chunk))
            if room >= 0 or step < 0:
                edge, at = chunk, at + step
        if step > 0:
            last = edge
        elif room >= 0:
            first = edge
    if first is last and _is_whole(own, shown):
        return None
    return [first["start_line"], last_line(last)]


def _is_within(chunk: Mapping[str, Any], trail: Sequence[str]) -> bool:
    return list(chunk.get("breadcrumb", ()))[: len(trail)] == list(trail)


def _is_whole(chunk: Mapping[str, Any], shown: Snippet) -> bool:
    """Whether a passage leaves nothing out of its chunk but the heading."""
    text = without(chunk.get("text", ""), hidden_in(chunk)).strip()
    first, _, rest = text.partition("\n")
    body = rest.strip() if repeats(first, heading_of(chunk)) else text
    return len(shown.text.strip()) >= len(body)


def _more(passage: Snippet, other: Snippet) -> int:
    """How many tokens of an answer a passage takes more than another."""
    return 2 * (_estimate(passage.text) - _estimate(other.text))


def _tokens(hit: SearchHit, addresses: str, shown: Snippet) -> int:
    """Tokens that a hit takes, in the text and in the structure of an answer."""
    return TOKENS_OF_A_HIT + 2 * _estimate(
        f"{hit.chunk.get('title', '')}\n{addresses}\n{shown.text}"
    )


def _estimate(text: str) -> int:
    return len(_TOKEN.findall(text))
