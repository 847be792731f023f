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
# Candidates of a cross-encoder. One that is relevant for certain gains this share of the distance between the
# first and the last of them: 0.15 to 0.25 are equally good on 22 sets (benchmarks/wide/decisions.md).
CROSS_ENCODED = 20
WORTH_OF_RELEVANCE = 0.2


class RerankerError(SingleCodeError):
    """A re-ranker that is missing or gives unusable scores, in words that a client may read."""

    code = "reranker-failed"
    exit_code = exit_codes.EXTRA


class RerankStage:
    """Re-ranks the best `count` candidates; the re-ranker is loaded at the first search.

    `change` gives the new scores of these candidates, of which nothing may fall below the rest: either
    `in_its_order` or `raised`. Ties are ordered as the re-ranker has them.
    """

    def __init__(
        self,
        load: Callable[[], Reranker],
        count: int,
        change: Callable[[Scores, Scores], Scores],
    ) -> None:
        self._load = load
        self._count = count
        self._change = change
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
        given = np.array(scores)
        order = best_first(given)

        def changed(own: Scores) -> Scores:
            return self._change(own, given)

        before = np.array(ranking.scores[: len(rows)])
        trail = trail.reranked(rows, before, changed)
        after = trail.steps[-1].after[[trail.pool.index(row) for row in rows]]
        return ranking._replace(
            rows=[
                *(rows[at] for at in order[best_first(after[order])]),
                *ranking.rows[len(rows) :],
            ],
            scores=[*-np.sort(-changed(before)), *ranking.scores[len(rows) :]],
            trail=trail,
            rerank_scores=dict(zip(rows, scores, strict=True)),
        )


def in_its_order(own: Scores, given: Scores) -> Scores:
    """The candidates' own scores in the order of a re-ranker: its best gets the highest, its second the next,
    and so on, whatever its scale is."""
    import numpy as np

    moved = np.empty(len(own))
    moved[best_first(given)] = -np.sort(-own)
    return moved


def raised(own: Scores, given: Scores) -> Scores:
    """The candidates' own scores and what each gains by the probability that it is relevant, which is the
    logistic function of a cross-encoder's score."""
    import numpy as np

    relevance = (1.0 + np.tanh(given / 2)) / 2
    return np.asarray(own + WORTH_OF_RELEVANCE * (own.max() - own.min()) * relevance)


def named(name: str) -> RerankStage:
    """The stage whose re-ranker is called `name`; its order is the final one."""
    return RerankStage(lambda: load(name), RERANKED, in_its_order)


def load(name: str) -> Reranker:
    """The re-ranker called `name`. Raises `RerankerError` when no installed package offers it."""
    from importlib.metadata import entry_points

    found = entry_points(group=RERANKERS, name=name)
    if not found:
        raise RerankerError(f"no installed package offers the re-ranker {name!r}")
    reranker: Reranker = next(iter(found)).load()
    return reranker
