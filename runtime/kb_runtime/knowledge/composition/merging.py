"""The best of what several parts have found, in one order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def best_of(
    found: Sequence[tuple[NDArray[np.int64], ArrayLike]], limit: int
) -> tuple[list[int], list[float]]:
    """The rows and scores of the `limit` (at least 1) best, ties by row, of what each part has `found`: rows
    of the whole with their scores."""
    if not found:
        return [], []
    rows = np.concatenate([each for each, _ in found])
    scores = np.concatenate([each for _, each in found])
    best = np.lexsort((rows, -scores))[: max(1, limit)]
    return rows[best].tolist(), scores[best].tolist()
