"""The lexical index of a sharded artifact: the segments of all shards in one index.

The engine counts terms and averages lengths over all segments of an index, so that a chunk has the score
that it would have in an artifact without shards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from kb_runtime.search.lexical import LexicalIndex
from kb_runtime.search.lexical_schema import ROW

if TYPE_CHECKING:
    import tantivy

    from kb_runtime.knowledge.sharding.order import ShardOrder

# Hits behind the last one that is wanted: those that tie with it may be in a better place here.
_TIES = 16


class ShardedLexical(LexicalIndex):
    """Searches like a `LexicalIndex`, with the rows of the whole."""

    ranges_are_exact = False

    def __init__(self, folders: Sequence[str], order: ShardOrder, languages: Sequence[str]) -> None:
        """`folders` are the `lexical` folders of the shards, verified. Raises `ArtifactError`."""
        super().__init__(folders[0], languages, folders[1:])
        self._order = order
        self._rows = [positions for positions in order.positions if len(positions)]

    def _best(self, query: tantivy.Query, limit: int) -> tuple[list[int], list[float]]:
        """The best rows, ties by row: the engine has ties by segment."""
        asked = limit + _TIES
        while True:
            hits = self._searcher.search(query, asked, count=False).hits
            if len(hits) < asked or hits[limit - 1][0] > hits[-1][0]:
                break
            asked *= 4
        addresses = [address for _, address in hits]
        own = self._searcher.fast_field_values(ROW, addresses)
        places = zip(addresses, cast("list[int]", own), strict=True)
        rows = [int(self._rows[address.segment_ord][row]) for address, row in places]
        found = sorted(zip((-score for score, _ in hits), rows, strict=True))[:limit]
        return [row for _, row in found], [-score for score, _ in found]

    def _within(self, rows: range) -> tantivy.Query:
        """At least the chunks of these rows: in a segment rows have the numbers of its shard."""
        within, should = super()._within, self._tantivy.Occur.Should
        own = [(should, within(one)) for one in self._order.own_ranges(rows)]
        found: tantivy.Query = self._tantivy.Query.boolean_query(own)
        return found
