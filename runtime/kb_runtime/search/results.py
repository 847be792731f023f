"""Explains the rank of a hit, and removes hits that nearly repeat a better one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, TypedDict, cast

if TYPE_CHECKING:
    from kb_runtime.search.request import SearchHit

NEARLY_SAME = 0.9
"""Of the different words of two passages, the share in both from which they are one."""


class Explanation(TypedDict, total=False):
    """Ranks count from 1; a side that did not find the chunk has none."""

    lexicalRank: int
    bm25: float
    semanticRank: int
    cosine: float
    matched: list[str]
    exactName: bool
    fusedRank: int
    fused: float
    scaled: float
    adjustments: dict[str, float]
    reranker: float


def explain(hit: SearchHit) -> Explanation:
    """Why a hit stands where it does, as plain values: ranks and scores of both sides, the words that
    matched, the rank and the score of both sides together, and what each step of ranking changed.

    Changes are on the scale of `ranking.steps`: before the steps the best candidate has 1, the last one 0.
    `scaled` is the fused score on that scale; with all changes added it is what the hit was ranked by, behind
    those that come first for their name.
    """
    fused = hit.fused
    known = {
        "lexicalRank": hit.lexical_rank,
        "bm25": _rounded(hit.lexical_score),
        "semanticRank": hit.semantic_rank,
        "cosine": _rounded(hit.cosine),
        "matched": list(hit.matched),
        "exactName": hit.exact_name or None,
        "fusedRank": fused and fused.rank,
        "fused": _rounded(fused and fused.score),
        "scaled": _rounded(fused and fused.scaled),
        "adjustments": {step: _rounded(change) for step, change in hit.adjustments},
        "reranker": _rounded(hit.rerank_score),
    }
    found = {name: value for name, value in known.items() if value not in (None, [], {})}
    return cast("Explanation", found)


def without_near_duplicates(
    hits: Sequence[SearchHit], limit: int, group: Callable[[SearchHit], Hashable]
) -> list[SearchHit]:
    """The first `limit` hits, best first, without those that nearly repeat an earlier one of the same
    group."""
    kept: list[SearchHit] = []
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


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
