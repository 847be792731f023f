"""The hook for a re-ranker: a function of an installed package that reorders the best candidates.

A package provides one as an entry point of the group `RERANKERS`, and a knowledge base names it in kb.toml.
Without a name nothing is loaded and nothing changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from kb_runtime.errors import SingleCodeError, exit_codes

if TYPE_CHECKING:
    from kb_runtime.search.ports import Chunks
    from kb_runtime.search.query import Query
    from kb_runtime.search.ranking.ranked import RankedCandidates

Reranker = Callable[[str, Sequence[str]], Sequence[float]]
"""A re-ranker gets the query and the texts of the best candidates and gives each a score; the higher
the better."""
RERANKERS = "kbc.rerankers"
# Candidates that a re-ranker sees: more than a page of results, few enough for a slow model.
RERANKED = 30


class RerankerError(SingleCodeError):
    """A re-ranker that is missing or gives unusable scores, in words that a client may read."""

    code = "reranker-failed"
    exit_code = exit_codes.EXTRA


class RerankStage:
    """Re-ranks the best candidates with the re-ranker called `name`, loaded at the first search."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._reranker: Reranker | None = None

    def apply(
        self, query: Query, ranking: RankedCandidates, chunks: Chunks
    ) -> tuple[RankedCandidates, tuple[str, ...]]:
        """The ranking in the re-ranker's order; unchanged, with a warning, when the re-ranker fails."""
        rows = ranking.rows[:RERANKED]
        texts = [chunks[row].get("text", "") for row in rows]
        try:
            if self._reranker is None:
                self._reranker = load(self._name)
            scores = [float(score) for score in self._reranker(query.text, texts)]
            if len(scores) != len(rows):
                raise RerankerError(f"it gave {len(scores)} scores for {len(rows)} texts")
            return ranking._replace(
                rows=[*reordered(rows, scores), *ranking.rows[RERANKED:]],
                rerank_scores=dict(zip(rows, scores, strict=True)),
            ), ()
        except Exception as error:
            # What a foreign package raises is nothing for a client: it may name paths of this machine.
            reason = error if isinstance(error, RerankerError) else "it failed"
            return ranking, (f"The re-ranker is unavailable ({reason}): results without it.",)


def load(name: str) -> Reranker:
    """The re-ranker called `name`. Raises `RerankerError` when no installed package offers it."""
    from importlib.metadata import entry_points

    found = entry_points(group=RERANKERS, name=name)
    if not found:
        raise RerankerError(f"no installed package offers the re-ranker {name!r}")
    reranker: Reranker = next(iter(found)).load()
    return reranker


def reordered(rows: Sequence[int], scores: Sequence[float]) -> list[int]:
    """`rows` in the order of a re-ranker's scores; those with equal ones stay as they are. The scores of the
    ranking stay at their places, so that they never increase. Raises `RerankerError` for a score that is
    not a number.
    """
    if not all(math.isfinite(score) for score in scores):
        raise RerankerError("it gave a score that is not a number")
    return [rows[at] for at in sorted(range(len(scores)), key=lambda at: (-scores[at], at))]
