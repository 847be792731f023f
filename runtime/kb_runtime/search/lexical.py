"""The lexical searcher: BM25 over the fields of a chunk, from terms only.

The engine never parses a query, so no text of a user can be a syntax error or an operator.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from kb_runtime.search.analysis import Analyzer
from kb_runtime.search.lexical_engine import failure, open_index, rarity, recipe_of
from kb_runtime.search.lexical_plan import Statistics, plan
from kb_runtime.search.lexical_schema import DEFAULT_BOOSTS, FILTERS, ROW, WORDS, filter_term
from kb_runtime.text.languages import ENGLISH
from kb_runtime.text.remembered import Remembered

if TYPE_CHECKING:
    import tantivy

    from kb_runtime.search.lexical_plan import Plan
    from kb_runtime.search.query import Query
    from kb_runtime.store.facets import Mask, RowFilter

# Row ranges up to which the engine itself keeps to them (0.1 ms for one of 100,000 chunks, 30 ms for a
# hundred). With more ranges hits are filtered as they come, this many times more at each attempt.
MAX_ENGINE_RANGES = 4
MORE_HITS = 10
# Of the hits asked for under a filter of rows, over what should hold enough.
_MARGIN = 1.25
# What more chunks say is a usual phrase.
MOST_QUOTED = 10
# Terms whose frequencies are remembered, about 150 bytes each: a search asks several times for each.
_REMEMBERED_TERMS = 4_000


class SearchFilters(NamedTuple):
    """What restricts a search; a chunk must pass all of them, and none changes a score.

    - `collections`: ordinals of collections; None means no restriction.
    - `types`, `languages`: keep chunks with one of the values, whatever their case; empty means any.
    - `ranges`: keep rows in these ranges (ascending, disjoint); None means no restriction.
    - `rows`: keep the rows of a facet filter. At most one of `ranges` and `rows` is given.
    """

    collections: Collection[int] | None = None
    types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    ranges: Sequence[range] | None = None
    rows: RowFilter | None = None

    @property
    def exclude_all(self) -> bool:
        """Whether no chunk can pass, because no collection or no range is left."""
        nowhere = self.collections is not None and not self.collections
        return nowhere or (self.ranges is not None and not self.ranges)


def marked(ranges: Sequence[range], rows: int) -> Mask:
    """Which of `rows` rows are in one of the ranges: bool [rows]."""
    import numpy as np

    mask = np.zeros(rows, dtype=np.bool_)
    for one in ranges:
        mask[one.start : one.stop] = True
    return mask


NO_FILTERS = SearchFilters()


class LexicalRequest(NamedTuple):
    """A query for the best `limit` (at least 1) chunks. `boosts` overrides `DEFAULT_BOOSTS` field by
    field. `quoted` says whether those of the hits are wanted, which costs one more search."""

    query: Query
    limit: int
    filters: SearchFilters = NO_FILTERS
    boosts: Mapping[str, float] | None = None
    quoted: bool = False

    @property
    def weights(self) -> dict[str, float]:
        """The boost of every field."""
        return {**DEFAULT_BOOSTS, **(self.boosts or {})}


class LexicalHits(NamedTuple):
    """Rows with BM25 scores, best first, ties by row; and the words that stood in for unknown ones.

    `quoted` are rows that have most of a line of the query verbatim, none where more than `MOST_QUOTED` do.
    """

    rows: list[int]
    scores: list[float]
    corrections: dict[str, tuple[str, ...]]  # query word as typed -> words of the index
    quoted: Sequence[int] = ()


NO_HITS = LexicalHits([], [], {})


def few(quoted: Sequence[int]) -> Sequence[int]:
    """Some rows, or none if they are too many to be meant."""
    return quoted if len(quoted) <= MOST_QUOTED else ()


class LexicalIndex(Statistics):
    """An open lexical section. Safe to use from several threads."""

    ranges_are_exact = True
    """Whether the engine leaves the rows of ranges and no others."""

    def __init__(
        self,
        folder: str,
        languages: Sequence[str] = (ENGLISH,),
        further_folders: Sequence[str] = (),
    ) -> None:
        """`folder` is the build's `lexical` folder, verified, as are `further_folders`, whose segments
        are searched with it as one index; `languages` are those of the pages. Raises `ArtifactError`."""
        import tantivy

        recipe, *_ = [recipe_of(each) for each in (folder, *further_folders)]
        self._tantivy = tantivy
        self._index = open_index(folder, *further_folders)
        self._schema = self._index.schema
        self._searcher = self._index.searcher()
        self.analyzer = Analyzer(languages, recipe)
        self.documents = self._searcher.num_docs
        self._frequencies: Remembered[tuple[str, str], int] = Remembered(_REMEMBERED_TERMS)

    def search(self, request: LexicalRequest) -> LexicalHits:
        """The best chunks for a request. Raises `LexicalError`."""
        if not self.documents or request.filters.exclude_all:
            return NO_HITS
        try:
            planned = plan(request.query, request.weights, self, self.analyzer)
        except BaseException as error:
            raise failure(error) from None
        rows, scores = self.run(planned, request.limit, request.filters)
        quoted = self.quoted(planned, request.filters) if request.quoted else ()
        return LexicalHits(rows, scores, planned.corrections, few(quoted))

    def quoted(
        self, plan: Plan, filters: SearchFilters, statistics: Statistics | None = None
    ) -> list[int]:
        """Rows that have a quotation of a plan, one more than `MOST_QUOTED` at most."""
        if not plan.quotations:
            return []
        return self.run(plan.of_quotations, MOST_QUOTED + 1, filters, statistics)[0]

    def run(
        self, plan: Plan, limit: int, filters: SearchFilters, statistics: Statistics | None = None
    ) -> tuple[list[int], list[float]]:
        """The rows and scores of `search` for a plan, which was made with `statistics` (those of this
        index where they are None). Raises `LexicalError`."""
        if not self.documents or filters.exclude_all:
            return [], []
        limit = max(1, limit)
        try:
            clauses = self._clauses(plan, statistics or self)
            if not clauses:
                return [], []
            restricted = self._restricted(clauses, filters)
            if filters.rows is not None:
                return self._best_of(restricted, limit, filters.rows)
            few = filters.ranges is None or len(filters.ranges) <= MAX_ENGINE_RANGES
            if filters.ranges is None or (few and self.ranges_are_exact):
                return self._best(restricted, limit)
            return self._best_within(restricted, limit, filters.ranges)
        except BaseException as error:
            raise failure(error) from None

    def _best(self, query: tantivy.Query, limit: int) -> tuple[list[int], list[float]]:
        hits = self._searcher.search(query, limit, count=False).hits
        if not hits:
            return [], []
        scores, addresses = zip(*hits, strict=True)
        rows = self._searcher.fast_field_values(ROW, list(addresses))
        return cast("list[int]", rows), list(scores)

    def _best_within(
        self, query: tantivy.Query, limit: int, ranges: Sequence[range]
    ) -> tuple[list[int], list[float]]:
        """The best rows that lie in one of many ranges: more and more hits, until enough are left."""
        starts = [one.start for one in ranges]
        asked = limit
        while True:
            asked = min(asked * MORE_HITS, self.documents)
            rows, scores = self._best(query, asked)
            kept = [
                (row, score)
                for row, score in zip(rows, scores, strict=True)
                if (at := bisect_right(starts, row)) and row in ranges[at - 1]
            ][:limit]
            if len(kept) == limit or len(rows) < asked or asked == self.documents:
                return [row for row, _ in kept], [score for _, score in kept]

    def _best_of(
        self, query: tantivy.Query, limit: int, filter: RowFilter
    ) -> tuple[list[int], list[float]]:
        """The best rows that a filter leaves; its terms, which the query keeps to, leave few others."""
        import numpy as np

        mask = filter.mask
        left = int(np.count_nonzero(mask))
        if not left:
            return [], []
        # Without terms as many are asked for as hold enough, if the filter is as common among the hits as
        # among all rows: each further search costs as much again.
        wanted = limit if filter.terms else int(_MARGIN * limit * len(mask) / left)
        asked = min(wanted, self.documents)
        while True:
            rows, scores = self._best(query, asked)
            kept = [at for at, allowed in enumerate(mask[rows].tolist()) if allowed][:limit]
            if len(kept) == limit or len(rows) < asked or asked == self.documents:
                return [rows[at] for at in kept], [scores[at] for at in kept]
            asked = min(asked * MORE_HITS, self.documents)

    def frequency(self, field: str, term: str) -> int:
        """Chunks that have `term` in `field`."""
        key = field, term
        known = self._frequencies.get(key)
        if known is None:
            known = self._frequencies.keep(key, self._searcher.doc_freq(field, term))
        return known

    def words_with_prefix(
        self, prefix: str, limit: int, field: str = WORDS
    ) -> list[tuple[str, int]]:
        """The most frequent terms of a field with that prefix, and the chunks of each."""
        return self._searcher.terms_with_prefix(field, prefix, limit=limit)

    def _clauses(self, plan: Plan, statistics: Statistics) -> list[tantivy.Query]:
        """The scored parts of a plan that can match here.

        The engine weighs a term by how rare it is in this index. Where several are ranked as one, the
        weight is corrected to how rare it is in all of them.
        """
        clauses = []
        shared = statistics is not self
        for (field, term), weight in plan.terms.items():
            if shared:
                found = self.frequency(field, term)
                if not found:
                    continue
                weight *= rarity(statistics.documents, statistics.frequency(field, term)) / rarity(
                    self.documents, found
                )
            clauses.append(self._term(field, term, weight))
        query = self._tantivy.Query
        for (field, term), weight in plan.present.items():
            if not shared or self.frequency(field, term):
                found = statistics.frequency(field, term)
                occurs = query.term_query(self._schema, field, term, "basic")
                worth = weight * rarity(statistics.documents, found)
                clauses.append(query.const_score_query(occurs, worth))
        for field, words, weight in plan.phrases:
            if shared:
                found_each = [self.frequency(field, word) for _, word in words]
                if not all(found_each):
                    continue
                everywhere = sum(
                    rarity(statistics.documents, statistics.frequency(field, word))
                    for _, word in words
                )
                weight *= everywhere / sum(rarity(self.documents, found) for found in found_each)
            phrase = query.phrase_query(self._schema, field, list(words))
            clauses.append(query.boost_query(phrase, weight))
        return clauses

    def _term(self, field: str, term: str, weight: float) -> tantivy.Query:
        query = self._tantivy.Query
        return query.boost_query(query.term_query(self._schema, field, term, "freq"), weight)

    def _restricted(
        self, clauses: Sequence[tantivy.Query], filters: SearchFilters
    ) -> tantivy.Query:
        """A chunk must match one clause and every filter; filters do not change scores."""
        query, occur = self._tantivy.Query, self._tantivy.Occur
        scored = query.boolean_query([(occur.Should, clause) for clause in clauses])
        kinds = (
            ("scope", filters.collections or ()),
            ("type", filters.types),
            ("language", filters.languages),
        )
        groups = [[filter_term(kind, value) for value in values] for kind, values in kinds]
        groups += [] if filters.rows is None else map(list, filters.rows.terms)
        alternatives = [
            [query.term_query(self._schema, FILTERS, term, "basic") for term in sorted(terms)]
            for terms in groups
            if terms
        ]
        if filters.ranges is not None and len(filters.ranges) <= MAX_ENGINE_RANGES:
            alternatives.append([self._within(one) for one in filters.ranges])
        if not alternatives:
            return scored
        required = [(occur.Must, scored)]
        for queries in alternatives:
            any_of = query.boolean_query([(occur.Should, one) for one in queries])
            required.append((occur.Must, query.const_score_query(any_of, 0.0)))
        return query.boolean_query(required)

    def _within(self, rows: range) -> tantivy.Query:
        unsigned = self._tantivy.FieldType.Unsigned
        return self._tantivy.Query.range_query(
            self._schema, ROW, unsigned, rows.start, rows.stop, True, False
        )
