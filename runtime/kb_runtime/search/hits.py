"""Turns a ranking into hits: exact names first, a limit for each record, chunks decoded last."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from kb_runtime.search.analysis import Analyzer
from kb_runtime.search.fusion import places_of
from kb_runtime.search.matching import Matcher
from kb_runtime.search.request import SearchHit, Strategy
from kb_runtime.search.snippets import BUDGET_CHARS, PassageReader
from kb_runtime.text.names import pages_at_address
from kb_runtime.text.urls import is_web_address

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb_runtime.search.candidates import Candidates, Scope
    from kb_runtime.search.ports import SearchBackend
    from kb_runtime.search.query import Query
    from kb_runtime.search.ranking.ranked import RankedCandidates
    from kb_runtime.search.vectors import RowRange


class RankedRow(NamedTuple):
    row: int
    score: float
    exact_name: bool


def exact_names_first(ranking: RankedCandidates, named: Sequence[int]) -> Iterator[RankedRow]:
    """The rows `named` and then the others; the score of a named one is at least that of what follows."""
    first = dict.fromkeys(named)
    best = ranking.scores[0] if ranking.scores else 1.0
    for row in first:
        yield RankedRow(row, best, True)
    for row, score in zip(ranking.rows, ranking.scores, strict=True):
        if row not in first:
            yield RankedRow(row, score, False)


def best_of_each(
    records: Sequence[range], mask: NDArray[np.bool_] | None, ranked: Sequence[int]
) -> list[int]:
    """Of the rows of each record the one that ranks best, in the order of the ranking; `mask` says which
    rows may be found (None: all)."""
    place = _place_in(ranked)
    found = [
        min(allowed, key=place)
        for rows in records
        if (allowed := [row for row in rows if mask is None or mask[row]])
    ]
    return sorted(found, key=place)


def in_order_of(rows: Sequence[int], ranked: Sequence[int]) -> list[int]:
    """Some rows in the order of a ranking, those behind the others that are not in it."""
    return sorted(rows, key=_place_in(ranked)) if rows else []


def _place_in(ranked: Sequence[int]) -> Callable[[int], tuple[int, int]]:
    rank = places_of(ranked)
    return lambda row: (rank.get(row, len(rank)), row)


def distinct_hits(
    hits: Iterable[SearchHit], key: Callable[[SearchHit], Hashable]
) -> Iterator[SearchHit]:
    """Of hits with the same key the first one."""
    seen: set[Hashable] = set()
    for hit in hits:
        value = key(hit)
        if value not in seen:
            seen.add(value)
            yield hit


def without_repeated(hits: Iterable[SearchHit], entries: Collection[str]) -> Iterator[SearchHit]:
    """The hits without those that show nothing but what a better one shows, where one of both is of the
    collections `entries` and the other of the page or the source that the entry stands in."""
    shown: dict[bool, list[SearchHit]] = {True: [], False: []}
    for hit in hits:
        is_entry = hit.collection in entries
        if not any(_shows(other, hit) for other in shown[not is_entry]):
            shown[is_entry].append(hit)
            yield hit


def _shows(one: SearchHit, other: SearchHit) -> bool:
    """Whether all that `other` shows is in what `one` shows."""
    first = max(one.chunk["start_line"], other.chunk["start_line"])
    if first > min(one.chunk["end_line"], other.chunk["end_line"]):
        return False
    if _line(one.chunk, first) != _line(other.chunk, first):
        return False  # of another file: no passage needs to be looked for
    around, within = one.snippet, other.snippet
    is_within = around.start_line <= within.start_line and within.end_line <= around.end_line
    text = within.text.strip()
    return is_within and bool(text) and text in around.text


def _line(chunk: Mapping[str, Any], number: int) -> str:
    at = number - chunk["start_line"]
    lines: list[str] = chunk.get("text", "").split("\n", at + 1)
    return lines[at] if at < len(lines) else ""


class HitBuilder:
    """Makes hits of ranked rows. Safe to use from several threads."""

    def __init__(
        self, backend: SearchBackend, ranges: Sequence[RowRange], analyzer: Analyzer
    ) -> None:
        """`ranges` are the rows of the collections that have some, in row order."""
        self._backend = backend
        self._ranges = ranges
        self._ends = [one.end for one in ranges]
        self._analyzer = analyzer

    def named_records(
        self, query: Query, scope: Scope, *, also_qualified: bool = False
    ) -> list[range]:
        """The rows of each record that the whole query names; where there is none and `also_qualified`,
        those that it names behind a package (`stringr::str_detect`)."""
        found = self._records_of(query.named, scope)
        if not found and also_qualified and (name := query.unqualified):
            found = self._records_of(lambda find_all: find_all(name), scope)
        return found

    def at_address(self, query: Query, scope: Scope) -> list[range]:
        """The rows of each record whose path ends most like the address of a page that the query is: a site
        puts its pages below a folder of its own."""
        if not is_web_address(query.text):
            return []
        ranges = [one for one in scope.ranges if one.rows]
        catalogs = [self._backend.catalog(one.name) for one in ranges]
        return [
            self._backend.chunks.rows_of(record, range(ranges[at].first_row, ranges[at].end))
            for at, record in pages_at_address(query.text, catalogs)
        ]

    def _records_of(
        self, named: Callable[[Callable[[str], list[int]]], list[int]], scope: Scope
    ) -> list[range]:
        return [
            self._backend.chunks.rows_of(record, range(one.first_row, one.end))
            for one in scope.ranges
            if one.rows
            for record in named(self._backend.catalog(one.name).find_all)
        ]

    def collapsed(self, rows: Iterable[RankedRow], per_record: int) -> Iterator[RankedRow]:
        """At most `per_record` rows of each record, the best ones."""
        seen: dict[tuple[int, int], int] = {}
        column = self._backend.chunks.column("record")
        for one in rows:
            key = (self._range_of(one.row).first_row, column[one.row])
            seen[key] = seen.get(key, 0) + 1
            if seen[key] <= per_record:
                yield one

    def build(
        self,
        rows: Iterable[RankedRow],
        candidates: Candidates,
        ranking: RankedCandidates,
        budget: int,
    ) -> Iterator[SearchHit]:
        """The hits of `rows`, whose chunks are decoded one by one, as far as they are asked for.

        `budget` are the code points of a snippet.
        """
        lexical, semantic = candidates.lexical, candidates.semantic
        by_words, by_meaning = places_of(lexical.rows), places_of(semantic.rows)
        reader = self._reader(candidates, budget)
        chunks = self._backend.chunks
        records = chunks.column("record")
        for one in rows:
            word, meaning = by_words.get(one.row), by_meaning.get(one.row)
            yield SearchHit(
                row=one.row,
                collection=self._range_of(one.row).name,
                record=records[one.row],
                chunk=chunks[one.row],
                score=one.score,
                strategy=_strategy(word, meaning),
                lexical_rank=None if word is None else word + 1,
                lexical_score=None if word is None else lexical.scores[word],
                semantic_rank=None if meaning is None else meaning + 1,
                cosine=None if meaning is None else semantic.cosines[meaning],
                exact_name=one.exact_name,
                reader=reader,
                trail=ranking.trail,
                rerank_score=ranking.rerank_scores.get(one.row),
                copies=self._copies(one.row, ranking.copies.get(one.row, ())),
            )

    def passages(self, candidates: Candidates) -> Callable[[int], str]:
        """What a cross-encoder reads of a row: its title, and the passage that answers."""
        chunks, reader = self._backend.chunks, self._reader(candidates, BUDGET_CHARS)

        def passage(row: int) -> str:
            chunk = chunks[row]
            found = reader.passage(chunk, reader.find(chunk))
            return f"{chunk.get('title', '')}\n{found.text}".lstrip()

        return passage

    def _reader(self, candidates: Candidates, budget: int) -> PassageReader:
        corrections = candidates.lexical.corrections
        return PassageReader(lambda: Matcher(candidates.query, self._analyzer, corrections), budget)

    def add_cosines(self, hits: Sequence[SearchHit], vector: NDArray[np.float32]) -> None:
        """Sets the cosine to `vector` of the hits that have none, where their chunk has a vector."""
        vectors = self._backend.vectors
        absent = vectors.absent([hit.row for hit in hits])
        for hit in hits:
            if hit.cosine is None and hit.row not in absent:
                hit.cosine = float(vectors.vector(hit.row, len(vector)) @ vector)

    def _copies(self, row: int, rows: Sequence[int]) -> tuple[tuple[str, int], ...]:
        """The other records that `rows` are of."""
        if not rows:
            return ()
        column = self._backend.chunks.column("record")
        own, *others = ((self._range_of(each).name, column[each]) for each in (row, *rows))
        return tuple(dict.fromkeys(each for each in others if each != own))

    def _range_of(self, row: int) -> RowRange:
        return self._ranges[bisect_right(self._ends, row)]


def _strategy(word: int | None, meaning: int | None) -> Strategy:
    if meaning is None:
        return "lexical"
    return "semantic" if word is None else "fused"
