"""What collections count for a query: what their author says, else less where they show what others say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING

from kb_runtime.search.ranking import paths, steps

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb_runtime.search.ranking.facts import RecordFacts, RecordKey

    Scores = NDArray[np.float64]

CODE = "code"
"""The kind of collections of source."""


class CollectionWeights:
    """The weights of the collections that have rows, in row order."""

    def __init__(
        self, given: Mapping[str, float], names: Sequence[str], kinds: Sequence[str]
    ) -> None:
        """`given` are those of the author by the name of the collection; `names` and `kinds` are of all."""
        self._given = [given.get(name) for name in names]
        self._kinds = kinds

    def has_own(self, collection: int) -> bool:
        """Whether the author gave the collection a weight."""
        return self._given[collection] is not None

    def of(self, records: Sequence[RecordKey], showing: Set[str]) -> Scores:
        """The weight of each record, float64 [records], where the kinds `showing` give way to others."""
        import numpy as np

        factors = [
            (steps.SHOWING[kind] if kind in showing else 1.0) if given is None else given
            for given, kind in zip(self._given, self._kinds, strict=True)
        ]
        return np.array([factors[at] for at, _ in records])

    def are_source(self, records: Sequence[RecordKey]) -> list[bool]:
        """Whether each record is of a collection of source that its author gave no weight."""
        return [self._given[at] is None and self._kinds[at] == CODE for at, _ in records]

    def of_source_by_words(
        self, records: Sequence[RecordKey], facts: Sequence[RecordFacts], *, with_examples: bool
    ) -> Scores:
        """What BM25 counts in each record, whose facts are `facts`, beside records that explain: float64
        [records]. Without `with_examples` those in source count fully: the query asks for them."""
        import numpy as np

        behind = [
            is_source and (with_examples or one.kinds.isdisjoint(paths.SHOWS_USE))
            for is_source, one in zip(self.are_source(records), facts, strict=True)
        ]
        return np.where(behind, steps.SOURCE_BY_WORDS, 1.0)
