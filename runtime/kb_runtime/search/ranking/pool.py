"""The candidates of a search that structural ranking compares with each other."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb_runtime.search.query import Query
    from kb_runtime.search.ranking.facts import RecordFacts, RecordKey
    from kb_runtime.search.vectors import Floats

    Places = NDArray[np.int64]


class Pool(NamedTuple):
    """The candidates that are ranked by structure, [pool] of each.

    `record_of` are places in `records`, the different records of the candidates, and in their `facts`;
    `kinds` are those of their collections. `words` and `written` are those of the query, and `asked` the
    kinds of secondary files that it asks for.
    `similarity` are the cosines of the candidates to each other, float32 [pool, pool]; None without vectors.
    `clustered` is how much that says of what is right, 0 to 1: of a question, one answer in a list is right.
    `by_words`: the scores of source count less already (`Structure.rank`).
    """

    query: Query
    words: Collection[str]
    written: Sequence[str]
    asked: Set[str]
    rows: Sequence[int]
    records: Sequence[RecordKey]
    facts: Sequence[RecordFacts]
    kinds: Set[str]
    record_of: Places
    similarity: Floats | None
    clustered: float
    by_words: bool
