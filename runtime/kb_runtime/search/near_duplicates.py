"""Removes hits that nearly repeat a better hit."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb_runtime.search.searcher import Hit

NEARLY_SAME = 0.9
"""Of the different words of two passages, the share in both from which they are one."""


def different(hits: Sequence[Hit], limit: int, group: Callable[[Hit], Hashable]) -> list[Hit]:
    """The first `limit` hits, best first, without those that nearly repeat an earlier one of the same
    group."""
    kept: list[Hit] = []
    words: dict[Hashable, list[frozenset[str]]] = {}
    for hit in hits:
        if len(kept) == limit:
            break
        own = frozenset(hit.chunk["text"].casefold().split())
        others = words.setdefault(group(hit), [])
        if not any(len(own & each) >= NEARLY_SAME * len(own | each) for each in others):
            others.append(own)
            kept.append(hit)
    return kept
