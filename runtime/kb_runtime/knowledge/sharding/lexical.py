"""The lexical index of a sharded artifact: the segments of all shards in one index.

The engine counts terms and averages lengths over all segments of an index, so that a chunk has the score
that it would have in an artifact without shards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kb_runtime.search.lexical import LexicalIndex
from kb_runtime.search.lexical_schema import ROW

if TYPE_CHECKING:
    import tantivy

    from kb_runtime.knowledge.composition.numbering import Numbering

# Hits behind the last one that is wanted: those that tie with it may be in a better place here.
_TIES = 16


class ShardedLexical(LexicalIndex):
    """Searches like a `LexicalIndex`, with the rows of the whole."""

    ranges_are_exact = False

    def __init__(
        self, folders: Sequence[str], numbering: Numbering, languages: Sequence[str]
    ) -> None:
        """`folders` are the `lexical` folders of the shards, verified. Raises `ArtifactError`."""
        super().__init__(folders[0], languages, folders[1:])
        # An empty shard has no segment.
        self._shards = [shard for shard in numbering.parts if len(shard.positions)]

    def _best(self, query: tantivy.Query, limit: int) -> tuple[list[int], list[float]]:
        """The best rows, ties by row: the engine has ties by segment."""
        asked = limit + _TIES
        while True:
            hits = self._searcher.search(query, asked, count=False).hits
            if len(hits) < asked or hits[limit - 1][0] > hits[-1][0]:
                break
            asked *= 4
        addresses = [address for _, address in hits]
        own = np.array(self._searcher.fast_field_values(ROW, addresses), dtype=np.int64)
        segments = np.array([address.segment_ord for address in addresses], dtype=np.int64)
        rows = np.empty(len(hits), dtype=np.int64)
        for segment, shard in enumerate(self._shards):
            inside = segments == segment
            rows[inside] = shard.here(own[inside])
        scores = np.array([score for score, _ in hits], dtype=np.float64)
        best = np.lexsort((rows, -scores))[:limit]
        return rows[best].tolist(), scores[best].tolist()

    def _within(self, rows: range) -> tantivy.Query:
        """At least the chunks of these rows: in a segment rows have the numbers of its shard."""
        within, should = super()._within, self._tantivy.Occur.Should
        own = [(should, within(one)) for shard in self._shards for one in shard.own_ranges([rows])]
        found: tantivy.Query = self._tantivy.Query.boolean_query(own)
        return found
