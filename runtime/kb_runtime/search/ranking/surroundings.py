"""How near the text around a candidate is to a query.

A chunk is cut from a page, and what the page says around it says what it is about: of two chunks that are
equally near to a query, the one among others that are near is the better answer. Nothing is stored for this;
the chunks beside it are compared as they are. In a list of questions, what is beside an answer is about
something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb_runtime.search.ports import Chunks, VectorSearcher
    from kb_runtime.search.vectors import Floats, RowRange, Rows

    Scores = NDArray[np.float64]

# Chunks of the same record on either side of a candidate, and the share of its cosine that comes from all of
# them and itself. benchmarks/wide has the figures.
REACH = 5
SHARE = 1 / 3


def with_surroundings(
    cosines: Scores,
    query: Floats,
    rows: Rows,
    ranges: Sequence[RowRange],
    chunks: Chunks,
    vectors: VectorSearcher,
    estimates: Floats | None = None,
) -> Scores:
    """`cosines`, float64 [n], of the candidates `rows`, int64 [n], mixed with the mean cosine of the chunks
    around each. `ranges` are the collections that have rows, in row order; `estimates`, float32 [all rows],
    the cosines of all chunks by the rounded rows where they are known."""
    import numpy as np

    records = np.frombuffer(chunks.column("record"), dtype="<u4")
    ends = np.array([one.end for one in ranges])
    collection = np.searchsorted(ends, rows, side="right")
    first = np.array([one.first_row for one in ranges])[collection]
    around = rows[:, None] + np.arange(-REACH, REACH + 1)
    inside = (around >= first[:, None]) & (around < ends[collection][:, None])
    around[~inside] = 0
    inside &= records[around] == records[rows][:, None]
    if (column := chunks.answers()) is not None:
        answers = np.frombuffer(column, dtype="<u4")
        inside &= answers[around] == answers[rows][:, None]
    if estimates is None:
        distinct, places = np.unique(around[inside], return_inverse=True)
        near = np.zeros(around.shape)
        near[inside] = vectors.estimates(query, distinct)[places]
    else:
        near = np.where(inside, estimates[around], 0.0).astype(np.float64)
    mean: Scores = near.sum(axis=1) / inside.sum(axis=1)
    return (1.0 - SHARE) * cosines + SHARE * mean


def share_of_answers(rows: Rows | Sequence[int], chunks: Chunks) -> float:
    """The share of rows that are of answers in a list of questions."""
    column = chunks.answers()
    if column is None:
        return 0.0
    import numpy as np

    return float(np.count_nonzero(np.frombuffer(column, dtype="<u4")[rows]) / len(rows))
