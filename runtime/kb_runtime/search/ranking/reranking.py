"""The second stage: a re-ranker gives the best candidates new scores.

It is the artifact's own cross-encoder, or a function of an installed package, which provides it as an entry
point of the group `RERANKERS` and is named in kb.toml. Without either nothing is loaded and nothing changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from kb_runtime.errors import SingleCodeError, exit_codes
from kb_runtime.search.ranking.steps import best_first

if TYPE_CHECKING:
    from kb_runtime.search.query import Query
    from kb_runtime.search.ranking.ranked import RankedCandidates
    from kb_runtime.search.ranking.steps import Scores

Reranker = Callable[[str, Sequence[str]], Sequence[float]]
"""A re-ranker gets the query and the texts of the best candidates and gives each a score; the higher
the better."""
RERANKERS = "kbc.rerankers"
# Candidates that a named re-ranker sees: more than a page of results, few enough for a slow model.
RERANKED = 30
# Candidates of a cross-encoder. Its share is what its order has in their scores; not measured yet.
CROSS_ENCODED = 20
CROSS_ENCODER_SHARE = 0.5


class RerankerError(SingleCodeError):
    """A re-ranker that is missing or gives unusable scores, in words that a client may read."""

    code = "reranker-failed"
    exit_code = exit_codes.EXTRA


class RerankStage:
    """Re-ranks the best `count` candidates; the re-ranker is loaded at the first search.

    Of the scores of these candidates the re-ranker's best gets the highest, its second the next, and so on.
    A candidate ends with a `share` of that and the rest of its own score, so that whatever the scale of a
    re-ranker is, nothing moves out of the first `count`. Ties are ordered as the re-ranker has them.
    """

    def __init__(self, load: Callable[[], Reranker], count: int, share: float) -> None:
        self._load = load
        self._count = count
        self._share = share
        self._reranker: Reranker | None = None

    def apply(
        self, query: Query, ranking: RankedCandidates, text: Callable[[int], str]
    ) -> RankedCandidates:
        """The new ranking; `text` gives what the re-ranker reads of a row. Raises `RerankerError`."""
        import numpy as np

        trail = ranking.trail
        assert trail is not None  # both sides were asked
        ranked = frozenset(trail.pool or ranking.rows)
        rows = list(takewhile(ranked.__contains__, ranking.rows[: self._count]))
        if not rows:
            return ranking
        try:
            if self._reranker is None:
                self._reranker = self._load()
            scores = [float(score) for score in self._reranker(query.text, [*map(text, rows)])]
        except RerankerError:
            raise
        except Exception as error:
            # What a foreign package raises is nothing for a client: it may name paths of this machine.
            raise RerankerError("it failed") from error
        if len(scores) != len(rows):
            raise RerankerError(f"it gave {len(scores)} scores for {len(rows)} texts")
        if not all(map(math.isfinite, scores)):
            raise RerankerError("it gave a score that is not a number")
        order = best_first(np.array(scores))

        def mixed(own: Scores) -> Scores:
            moved = np.empty(len(own))
            moved[order] = -np.sort(-own)
            return (1 - self._share) * own + self._share * moved

        before = np.array(ranking.scores[: len(rows)])
        trail = trail.reranked(rows, before, mixed)
        after = trail.steps[-1].after[[trail.pool.index(row) for row in rows]]
        return ranking._replace(
            rows=[
                *(rows[at] for at in order[best_first(after[order])]),
                *ranking.rows[len(rows) :],
            ],
            scores=[*-np.sort(-mixed(before)), *ranking.scores[len(rows) :]],
            trail=trail,
            rerank_scores=dict(zip(rows, scores, strict=True)),
        )


def named(name: str) -> RerankStage:
    """The stage whose re-ranker is called `name`; its order is the final one."""
    return RerankStage(lambda: load(name), RERANKED, 1.0)


def load(name: str) -> Reranker:
    """The re-ranker called `name`. Raises `RerankerError` when no installed package offers it."""
    from importlib.metadata import entry_points

    found = entry_points(group=RERANKERS, name=name)
    if not found:
        raise RerankerError(f"no installed package offers the re-ranker {name!r}")
    reranker: Reranker = next(iter(found)).load()
    return reranker
