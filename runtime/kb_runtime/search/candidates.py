"""Collects the candidates of a search from the lexical and the vector searcher."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from kb_runtime.companion import COMPANION
from kb_runtime.errors import ArtifactError, ToolError
from kb_runtime.errors.shortages import shortage
from kb_runtime.search.analysis import WORD, Analyzer, fold
from kb_runtime.search.fusion import RankedRows, places_of, with_estimated_cosines
from kb_runtime.search.lexical import NO_HITS, LexicalHits, LexicalRequest, SearchFilters, marked
from kb_runtime.search.query import Query, analyse, cleaned
from kb_runtime.search.ranking.surroundings import with_surroundings
from kb_runtime.search.request import NO_ENCODER, NO_WORD_OCCURS, Mode
from kb_runtime.search.vectors import RowRange, VectorHits
from kb_runtime.text.names import edit_distance
from kb_runtime.text.remembered import Remembered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb_runtime.search.ports import SearchBackend
    from kb_runtime.search.request import SearchDefaults, SearchRequest
    from kb_runtime.search.vectors import Floats, Mask

Found = TypeVar("Found")

# Below this length a word that the index lacks is as likely another word as a typo.
_TYPO_CHARS = 6
# Filter combinations whose row mask is remembered, each a byte for every row.
_REMEMBERED_MASKS = 8
# Embedded texts that are remembered, 1.5 KB each: the next scope, page or colleague asks the same, and
# encoding takes a third of a search.
_REMEMBERED_QUERIES = 256


class Scope(NamedTuple):
    """What a search is restricted to: `ranges` are the rows of its collections."""

    filters: SearchFilters
    ranges: Sequence[RowRange]


class Candidates(NamedTuple):
    """What each side found; `vector` is the embedded query where there is one."""

    query: Query
    lexical: LexicalHits
    semantic: VectorHits
    vector: Floats | None
    mode: Mode
    warnings: tuple[str, ...] = ()

    def first(self, depth: int) -> int:
        """How many different rows the first `depth` of each side are."""
        return len({*self.semantic.rows[:depth], *self.lexical.rows[:depth]})

    @property
    def by_words(self) -> RankedRows:
        """Rows with their BM25 scores."""
        return RankedRows.of(self.lexical.rows, self.lexical.scores)

    @property
    def by_meaning(self) -> RankedRows:
        """Rows with their cosines."""
        return RankedRows.of(self.semantic.rows, self.semantic.cosines)


class CandidateMatrix(NamedTuple):
    """All candidates: first those of the vector searcher, then those that only the lexical one found.

    - `rows`: int64 [n]; `places` says where a row is in it.
    - `found`: the places of what the lexical searcher found, in its order.
    - `vectors`: float32 [n, dimensions]; `cosines` to the query and `bm25` (0 where it was not found by
      words): float64 [n].
    """

    rows: NDArray[np.int64]
    places: Mapping[int, int]
    found: Sequence[int]
    vectors: Floats
    cosines: NDArray[np.float64]
    bm25: NDArray[np.float64]


class Retriever:
    """Asks both searchers of a backend. Safe to use from several threads."""

    def __init__(
        self, backend: SearchBackend, defaults: SearchDefaults, analyzer: Analyzer
    ) -> None:
        self._backend = backend
        self._defaults = defaults
        self._analyzer = analyzer
        self._ranges = [
            RowRange(info.name, info.first_row, info.chunks) for info in backend.collections
        ]
        self._ordinals = {one.name: at for at, one in enumerate(self._ranges)}
        self.rows = sum(one.rows for one in self._ranges)
        self._masks: Remembered[tuple[Sequence[str], Sequence[str]], Mask]
        self._masks = Remembered(_REMEMBERED_MASKS)
        self._embeddings: Remembered[str, Floats] = Remembered(_REMEMBERED_QUERIES)
        self.ranges = sorted(
            (one for one in self._ranges if one.rows), key=lambda one: one.first_row
        )
        """The rows of the collections that have some, in row order."""

    def scope(self, request: SearchRequest) -> Scope:
        """What a request is restricted to. Raises `ValueError` for a collection that does not exist."""
        ordinals, ranges = None, self._ranges
        if request.collections is not None:
            unknown = [name for name in request.collections if name not in self._ordinals]
            if unknown:
                raise ValueError(f"no collection is called {unknown[0]!r}")
            found = sorted({self._ordinals[name] for name in request.collections})
            if len(found) < len(self._ranges):
                ordinals, ranges = found, [self._ranges[at] for at in found]
        filters = SearchFilters(
            ordinals, request.types, request.languages, request.rows, request.filter
        )
        return Scope(filters, ranges)

    def find(self, text: str, scope: Scope, depth: int, mode: Mode) -> Candidates:
        """Up to `depth` candidates of each side that `mode` asks, and the analysed query; a side that fails
        is left out, and the warning says so.

        The lexical searcher also stands in when only the vector searcher was asked and fails. Raises
        `ToolError` UNAVAILABLE when every side that could answer failed.
        """

        def by_words() -> tuple[Query, LexicalHits | Exception]:
            query = analyse(text, self._analyzer)
            if mode == "semantic":
                return query, NO_HITS
            try:
                return query, self._lexical(query, scope, depth, quoted=mode == "hybrid")
            except Exception as error:
                return query, error

        query, found = self._beside_encoding(text, by_words) if mode == "hybrid" else by_words()
        lexical_error = found if isinstance(found, Exception) else None
        lexical = NO_HITS if isinstance(found, Exception) else found
        semantic = VectorHits([], [])
        vector: Floats | None = None
        semantic_error: Exception | None = None
        if mode != "lexical":
            try:
                vector = self._embedded(query, lexical.corrections)
                semantic = self.nearest(vector, scope, depth)
            except Exception as error:
                semantic_error = error
        if mode == "semantic" and semantic_error:
            try:
                lexical = self._lexical(query, scope, depth)
            except Exception as error:
                lexical_error = error
        if lexical_error and (semantic_error or mode == "lexical"):
            raise ToolError(
                "UNAVAILABLE",
                f"Search is unavailable ({_reason(lexical_error)}).",
                next_steps=("Ask whoever installed it to run `kbc verify`.",),
            ) from lexical_error
        if lexical_error:
            reason = _reason(lexical_error)
            warning = f"Keyword search is unavailable ({reason}): vector search only."
            return Candidates(query, lexical, semantic, vector, "semantic", (warning,))
        if semantic_error:
            reason = _reason(semantic_error)
            warning = f"Vector search is unavailable ({reason}): keyword search only."
            return Candidates(query, lexical, semantic, None, "lexical", (warning,))
        only_near = mode == "hybrid" and bool(semantic.rows) and not lexical.rows
        return Candidates(query, lexical, semantic, vector, mode, (NO_WORD_OCCURS,) * only_near)

    def nearest(self, vector: Floats | None, scope: Scope, depth: int) -> VectorHits:
        """Up to `depth` rows by their cosine to a vector; none without a vector."""
        if vector is None:
            return VectorHits([], [])
        return self._backend.vectors.search(
            vector, scope.ranges, depth, self.mask(scope), self._defaults.exact_rows
        )

    def matrix(self, candidates: Candidates) -> CandidateMatrix | None:
        """All candidates with cosines computed anew, so that the depth of the lists has no influence on
        them; None without an embedded query or anything near it."""
        query = candidates.vector
        if query is None or not candidates.semantic.rows:
            return None
        import numpy as np

        lexical = candidates.lexical
        listed = list(dict.fromkeys([*candidates.semantic.rows, *lexical.rows]))
        places = places_of(listed)
        found = [*map(places.__getitem__, lexical.rows)]
        rows = np.array(listed, dtype=np.int64)
        vectors = self._backend.vectors.gather(rows, len(query))
        cosines = with_surroundings(
            # Row by row: in a product with a matrix, the last bits depend on the place of a row.
            np.vecdot(vectors, query).astype(np.float64),
            query,
            rows,
            self.ranges,
            self._backend.chunks,
            self._backend.vectors,
            candidates.semantic.estimates,
        )
        bm25 = np.zeros(len(rows))
        bm25[found] = lexical.scores
        if absent := self._backend.vectors.absent(listed):
            unknown = np.zeros(len(rows), dtype=np.bool_)
            unknown[[places[row] for row in absent]] = True
            cosines = with_estimated_cosines(cosines, bm25, unknown)
        return CandidateMatrix(rows, places, found, vectors, cosines, bm25)

    def mask(self, scope: Scope) -> Mask | None:
        """Which rows the filters leave, bool [rows]; None without filters."""
        filters = scope.filters
        masks = [
            self._label_mask(filters),
            None if filters.ranges is None else marked(filters.ranges, self.rows),
            None if filters.rows is None else filters.rows.mask,
        ]
        given = [mask for mask in masks if mask is not None]
        return reduce(and_, given) if given else None

    def _lexical(
        self, query: Query, scope: Scope, depth: int, *, quoted: bool = False
    ) -> LexicalHits:
        request = LexicalRequest(query, depth, scope.filters, self._defaults.boosts, quoted)
        return self._backend.lexical.search(request)

    def _beside_encoding(self, text: str, call: Callable[[], Found]) -> Found:
        """What `call` gives, while the text as typed is embedded and remembered: few have typos. What fails
        here fails again, and is told, when it is needed."""
        typed = cleaned(text)
        encoder = None
        with suppress(Exception):
            encoder = self._backend.encoder if WORD.search(typed) else None
        if encoder is None or typed in self._embeddings:
            return call()
        with suppress(Exception):
            self._backend.lexical  # noqa: B018  # opened here
        pending = COMPANION.start(call)
        with suppress(Exception):
            self._encoded(typed)
        return pending.result()

    def _embedded(self, query: Query, corrections: Mapping[str, Sequence[str]]) -> Floats | None:
        """The query's embedding; None when there is nothing to understand."""
        if self._backend.encoder is None:
            raise _NoEncoderError
        if not query.has_words:
            return None
        return self._encoded(self._corrected(query.text, corrections))

    def _encoded(self, text: str) -> Floats:
        vector = self._embeddings.get(text)
        if vector is None:
            encoder = self._backend.encoder
            assert encoder is not None
            vector = encoder.encode(text)
            vector.setflags(write=False)  # it is given to later searches too
            self._embeddings.keep(text, vector)
        return vector

    def _corrected(self, text: str, corrections: Mapping[str, Sequence[str]]) -> str:
        """The query's text with obvious typos corrected.

        An encoder knows many words that an index lacks, so only a long unknown word with a word of
        the index one edit away is taken for a typo.
        """
        for typed, (nearest, *_) in corrections.items():
            word = fold(typed)
            if (
                len(word) >= _TYPO_CHARS
                and edit_distance(word, nearest, 1) == 1
                and not self._backend.lexical.document_frequency(word)
            ):
                text = text.replace(typed, nearest)
        return text

    def _label_mask(self, filters: SearchFilters) -> Mask | None:
        if not filters.types and not filters.languages:
            return None
        key = (filters.types, filters.languages)
        mask = self._masks.get(key)
        if mask is None:
            import numpy as np

            chunks = self._backend.chunks
            mask = np.ones(self.rows, dtype=np.bool_)
            for name, values in (("type", filters.types), ("language", filters.languages)):
                if values:
                    folded = {value.casefold() for value in values}
                    labels = chunks.labels(name)
                    wanted = np.array([label.casefold() in folded for label in labels], np.bool_)
                    mask &= wanted[np.frombuffer(chunks.column(name), dtype="<u4")]
            self._masks.keep(key, mask)
        return mask


class _NoEncoderError(Exception):
    """The artifact was built without an encoder."""


def _reason(error: Exception) -> str:
    """Why a side does not answer, for a client: neither a path nor the text of a foreign exception."""
    if isinstance(error, _NoEncoderError):
        return NO_ENCODER
    if isinstance(error, ArtifactError):
        return f"its files are {error.code}; `kbc verify` shows details"
    if short := shortage(error):
        return short.kind
    return "it failed; `kbc verify` may tell why"
