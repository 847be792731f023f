"""Searches the lexical indexes of several artifacts as one: one plan, one set of statistics, one order.

Each index weighs terms by their rarity in that index. With separate statistics, a word that is common in
a small knowledge base and rare in a large one would put the large one's chunks first whatever they say,
and a word that one of them lacks would be corrected there. So terms are counted over all parts; only the
average lengths of fields stay those of each. `benchmarks.federation` compares both.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from kb_runtime.search.lexical import (
    DEFAULT_BOOSTS,
    NO_HITS,
    LexicalHits,
    LexicalIndex,
    document_frequency,
    failure,
    information,
    names_something,
)
from kb_runtime.search.lexical_plan import plan
from kb_runtime.store.facets import RowFilter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb_runtime.knowledge.part_rows import PartRows
    from kb_runtime.search.lexical_plan import Statistics
    from kb_runtime.search.query import Query

# Terms whose frequencies are remembered, about 100 bytes each: parts ask for each again.
_REMEMBERED_TERMS = 10_000


class LexicalPart(NamedTuple):
    """`ordinals` gives the part's number of a collection by the one that it has here."""

    words: LexicalIndex
    rows: PartRows
    ordinals: Mapping[int, int]


class FederatedLexical:
    """Searches like a `LexicalIndex`. Safe to use from several threads."""

    def __init__(self, parts: Sequence[LexicalPart]) -> None:
        self._parts = parts
        self._frequencies: dict[tuple[str, str], int] = {}
        self.analyzer = parts[0].words.analyzer
        self.documents: int = sum(part.words.documents for part in parts)

    def search(
        self,
        query: Query,
        limit: int,
        scopes: Collection[int] | None = None,
        types: Collection[str] = (),
        languages: Collection[str] = (),
        boosts: Mapping[str, float] | None = None,
        ranges: Sequence[range] | None = None,
        filter: RowFilter | None = None,
    ) -> LexicalHits:
        """The best `limit` chunks of all parts; see `LexicalIndex.search`. Raises `LexicalError`."""
        if not self.documents or (scopes is not None and not scopes):
            return NO_HITS
        if ranges is not None and not ranges:
            return NO_HITS
        statistics: Statistics = self if len(self._parts) > 1 else self._parts[0].words
        weights = {**DEFAULT_BOOSTS, **(boosts or {})}
        try:
            planned = plan(query, weights, statistics, self.analyzer)
        except BaseException as error:
            raise failure(error) from None
        found: list[tuple[float, int]] = []
        for part in self._parts:
            own_scopes = _own_scopes(part, scopes)
            own_ranges, own_filter = _restricted(part.rows, ranges, filter)
            rows, scores = part.words.run(
                planned, limit, own_scopes, types, languages, own_ranges, own_filter, statistics
            )
            here = part.rows.here(rows)
            found += zip((-score for score in scores), here, strict=True)
        found.sort()
        best = list(islice(found, max(1, limit)))
        return LexicalHits(
            [row for _, row in best], [-score for score, _ in best], planned.corrections
        )

    def frequency(self, field: str, term: str) -> int:
        """Chunks of all parts that have `term` in `field`, hidden ones included."""
        key = field, term
        known = self._frequencies.get(key)
        if known is None:
            known = sum(part.words.frequency(field, term) for part in self._parts)
            if len(self._frequencies) >= _REMEMBERED_TERMS:
                self._frequencies.clear()
            self._frequencies[key] = known
        return known

    def words_with_prefix(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """The most frequent words of the parts' own lists, counted together."""
        counts: dict[str, int] = {}
        for part in self._parts:
            for word, documents in part.words.words_with_prefix(prefix, limit):
                counts[word] = counts.get(word, 0) + documents
        return sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:limit]

    def document_frequency(self, term: str) -> int:
        return document_frequency(self, term)

    def names_something(self, term: str) -> bool:
        return names_something(self, term)

    def information(self, stem: str) -> float:
        return information(self, stem)


def _own_scopes(part: LexicalPart, scopes: Collection[int] | None) -> list[int] | None:
    if scopes is None:
        return None
    return [part.ordinals[one] for one in scopes if one in part.ordinals]


def _restricted(
    rows: PartRows, ranges: Sequence[range] | None, filter: RowFilter | None
) -> tuple[list[range] | None, RowFilter | None]:
    """What rows count, in the part's own numbers. Where rows are hidden a filter leaves them out."""
    if rows.kept is None:
        if filter is not None:
            filter = RowFilter(filter.terms, filter.mask[rows.first : rows.stop])
        return None if ranges is None else rows.own_ranges(ranges), filter
    mask = rows.own_mask(None if filter is None else filter.mask)
    assert mask is not None
    if ranges is not None:
        mask &= _marked(rows.own_ranges(ranges), len(mask))
    return None, RowFilter(() if filter is None else filter.terms, mask)


def _marked(ranges: Sequence[range], rows: int) -> NDArray[np.bool_]:
    import numpy as np

    mask = np.zeros(rows, dtype=np.bool_)
    for one in ranges:
        mask[one.start : one.stop] = True
    return mask
