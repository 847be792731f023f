"""The hook for a re-ranker: a function of an installed package that reorders the best candidates.

A package provides one as an entry point of the group `ranking.RERANKERS`, and a knowledge base names it
in kb.toml. Without a name nothing is loaded and nothing changes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from kb_runtime.errors import SingleCodeError, exit_codes
from kb_runtime.search.ranking import RERANKERS, Reranker


class RerankerError(SingleCodeError):
    """A re-ranker that is missing or gives unusable scores, in words that a client may read."""

    code = "reranker-failed"
    exit_code = exit_codes.EXTRA


def load(name: str) -> Reranker:
    """The re-ranker called `name`. Raises `RerankerError` when no installed package offers it."""
    from importlib.metadata import entry_points

    found = entry_points(group=RERANKERS, name=name)
    if not found:
        raise RerankerError(f"no installed package offers the re-ranker {name!r}")
    reranker: Reranker = next(iter(found)).load()
    return reranker


def reordered(
    ranked: Sequence[tuple[int, float]], judged: Sequence[float]
) -> list[tuple[int, float]]:
    """`ranked` with its first rows in the order of their judged scores; equal ones stay as they are.

    The scores of the ranking stay at their places, so that they never increase. Raises `RerankerError`
    for a score that is not a number.
    """
    if not all(math.isfinite(score) for score in judged):
        raise RerankerError("it gave a score that is not a number")
    order = sorted(range(len(judged)), key=lambda at: (-judged[at], at))
    first = [(ranked[was][0], ranked[now][1]) for now, was in enumerate(order)]
    return [*first, *ranked[len(judged) :]]
