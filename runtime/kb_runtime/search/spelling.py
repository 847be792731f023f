"""Finds the words of a vocabulary that a mistyped or unfinished word may have meant.

Works on a sorted vocabulary that can only be asked for the words with a given prefix, so nothing is
kept in memory and the work is bounded by the length of the word, not by the vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from kb_runtime.text.names import edit_distance

# Below this length nearly every word is one edit from another: expansion would only add noise.
MIN_CHARS = 4
# From this length on a second edit is likelier to be a typo than another word.
TWO_EDITS_CHARS = 8
# Words looked at for one prefix. Even two letters rarely begin more; listing these takes 0.4 ms.
_LISTED = 2000
_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"

# (word, documents that have it) for the words of the vocabulary that begin with a prefix.
WithPrefix = Callable[[str, int], Iterable[tuple[str, int]]]
# The documents that have a word.
DocumentsOf = Callable[[str], int]


class Correction(NamedTuple):
    """A word of the vocabulary, the edits to it (0: it completes the prefix), documents with it."""

    word: str
    edits: int
    documents: int


def corrections(
    word: str, with_prefix: WithPrefix, documents_of: DocumentsOf, limit: int
) -> list[Correction]:
    """At most `limit` words near `word`: completions and the fewest edits first, then frequent ones.

    One edit (insertion, deletion, substitution, transposition of neighbours) is found wherever it
    is. Of two edits, at least one must be in the second half of the word. `word` itself is no
    correction. Words under `MIN_CHARS` have none.
    """
    if len(word) < MIN_CHARS:
        return []
    found: dict[str, Correction] = {}
    for candidate, documents in with_prefix(word, _LISTED):
        if candidate != word:
            found[candidate] = Correction(candidate, 0, documents)
    allowed = 2 if len(word) >= TWO_EDITS_CHARS else 1
    for edits in range(1, allowed + 1):
        for candidate, documents in _near(word, edits, with_prefix, documents_of):
            found.setdefault(candidate, Correction(candidate, edits, documents))
        if any(correction.edits for correction in found.values()):
            break
    found.pop(word, None)
    ranked = sorted(found.values(), key=lambda one: (one.edits, -one.documents, one.word))
    return ranked[:limit]


def _near(
    word: str, edits: int, with_prefix: WithPrefix, documents_of: DocumentsOf
) -> Iterable[tuple[str, int]]:
    """Words `edits` edits away: all in the second half, or one of them at the head of the word."""
    half = len(word) // 2
    for candidate, documents in with_prefix(word[:half], _LISTED):
        if edit_distance(word, candidate, edits) == edits:
            yield candidate, documents
    # An edit at the border of the halves can involve the character after it.
    for head in dict.fromkeys(_one_edit(word[: half + 1])):
        if edits == 1:
            whole = head + word[half + 1 :]
            if documents := documents_of(whole):
                yield whole, documents
        else:
            for candidate, documents in with_prefix(head, _LISTED):
                if edit_distance(word, candidate, edits) == edits:
                    yield candidate, documents


def _one_edit(head: str) -> list[str]:
    """Every string one edit from `head`, the alphabet being ASCII plus the letters of `head`."""
    alphabet = _ALPHABET + "".join(sorted({char for char in head if not char.isascii()}))
    out: list[str] = []
    for at in range(len(head)):
        before, rest = head[:at], head[at:]
        out.append(before + rest[1:])
        if len(rest) > 1:
            out.append(before + rest[1] + rest[0] + rest[2:])
        out.extend(before + char + rest[1:] for char in alphabet)
        out.extend(before + char + rest for char in alphabet)
    return out
