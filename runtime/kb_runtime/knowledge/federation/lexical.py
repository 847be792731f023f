"""Searches the lexical indexes of several artifacts as one: a plan for the terms of each recipe, one set of
statistics, one order.

Each index weighs terms by their rarity in that index. With separate statistics, a word that is common in
a small knowledge base and rare in a large one would put the large one's chunks first whatever they say,
and a word that one of them lacks would be corrected there. So terms are counted over all parts; only the
average lengths of fields stay those of each. `benchmarks.search.federation` compares both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from kb_runtime.search.analysis import RECIPE, Analyzer
from kb_runtime.search.lexical import (
    NO_HITS,
    LexicalHits,
    LexicalRequest,
    SearchFilters,
    few,
    marked,
)
from kb_runtime.search.lexical_engine import failure
from kb_runtime.search.lexical_plan import Statistics, plan
from kb_runtime.search.lexical_schema import WORDS
from kb_runtime.store.facets import RowFilter
from kb_runtime.text.remembered import Remembered

if TYPE_CHECKING:
    from kb_runtime.knowledge.composition.numbering import PartNumbers
    from kb_runtime.knowledge.unindexed.lexical_scan import ScanIndex
    from kb_runtime.search.lexical import LexicalIndex

# Terms whose frequencies are remembered, about 100 bytes each: parts ask for each again.
_REMEMBERED_TERMS = 10_000


class LexicalPart(NamedTuple):
    """`collections` are the numbers of its collections here, which follow each other as its own do."""

    searcher: LexicalIndex | ScanIndex
    numbers: PartNumbers
    collections: range


class FederatedLexical(Statistics):
    """Searches like a `LexicalIndex`. Safe to use from several threads."""

    def __init__(self, parts: Sequence[LexicalPart]) -> None:
        self._parts = parts
        self._frequencies: Remembered[tuple[str, str], int] = Remembered(_REMEMBERED_TERMS)
        own = [part.searcher.analyzer for part in parts]
        languages = tuple(dict.fromkeys(code for each in own for code in each.languages))
        recipes = {each.recipe for each in own} or {RECIPE}
        self._analyzers = [Analyzer(languages, recipe) for recipe in sorted(recipes)]
        self.analyzer = self._analyzers[-1]
        self.documents = sum(part.searcher.documents for part in parts)
        self.is_sampled = any(part.searcher.is_sampled for part in parts)

    def search(self, request: LexicalRequest) -> LexicalHits:
        """The best chunks of all parts; see `LexicalIndex.search`. Raises `LexicalError`."""
        if not self.documents or request.filters.exclude_all:
            return NO_HITS
        statistics: Statistics = self if len(self._parts) > 1 else self._parts[0].searcher
        try:
            plans = {
                each.recipe: plan(request.query, request.weights, statistics, each)
                for each in self._analyzers
            }
        except BaseException as error:
            raise failure(error) from None
        found: list[tuple[float, int]] = []
        quoted: list[int] = []
        for part in self._parts:
            planned = plans[part.searcher.analyzer.recipe]
            filters = _own_filters(part, request.filters)
            rows, scores = part.searcher.run(planned, request.limit, filters, statistics)
            here = part.numbers.here(rows).tolist()
            found += zip((-score for score in scores), here, strict=True)
            if request.quoted:
                own_quoted = part.searcher.quoted(planned, filters, statistics)
                quoted += part.numbers.here(own_quoted).tolist()
        found.sort()
        best = found[: max(1, request.limit)]
        corrections = plans[self.analyzer.recipe].corrections
        return LexicalHits(
            [row for _, row in best], [-score for score, _ in best], corrections, few(quoted)
        )

    def frequency(self, field: str, term: str) -> int:
        """Chunks of all parts that have `term` in `field`, hidden ones included."""
        key = field, term
        known = self._frequencies.get(key)
        if known is None:
            found = sum(part.searcher.frequency(field, term) for part in self._parts)
            known = self._frequencies.keep(key, found)
        return known

    def words_with_prefix(
        self, prefix: str, limit: int, field: str = WORDS
    ) -> list[tuple[str, int]]:
        """The most frequent terms of the parts' own lists, counted together."""
        counts: dict[str, int] = {}
        for part in self._parts:
            for word, documents in part.searcher.words_with_prefix(prefix, limit, field):
                counts[word] = counts.get(word, 0) + documents
        return sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:limit]


def _own_filters(part: LexicalPart, filters: SearchFilters) -> SearchFilters:
    """`filters` in the part's own numbers. Where rows of it are hidden, a mask leaves them out."""
    collections, ranges, rows = filters.collections, filters.ranges, filters.rows
    if collections is not None:
        here = part.collections
        collections = [here.index(one) for one in collections if one in here]
    if ranges is not None:
        ranges = part.numbers.own_ranges(ranges)
    mask = part.numbers.own_mask(None if rows is None else rows.mask)
    if mask is not None:
        if ranges is not None:
            mask &= marked(ranges, len(mask))
            ranges = None
        rows = RowFilter(() if rows is None else rows.terms, mask)
    return filters._replace(collections=collections, ranges=ranges, rows=rows)
