"""The search pipeline behind every search tool; tools differ in scope, filters and rendering.

Analyse the query, collect lexical and semantic candidates, fuse them, rank by structure, re-rank where the
knowledge base has a re-ranker, put exact names first, limit the chunks of one record, and decode the
chunks that are left. docs/search.md explains each step.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from kb_runtime.search import fusion
from kb_runtime.search.analysis import Analyzer
from kb_runtime.search.candidates import Candidates, CandidateVectors, Retriever
from kb_runtime.search.hits import HitBuilder, best_of_each, distinct_hits, exact_names_first
from kb_runtime.search.query import analyse
from kb_runtime.search.ranking.ranked import RankedCandidates
from kb_runtime.search.ranking.reranking import RerankStage
from kb_runtime.search.ranking.structure import Structure
from kb_runtime.search.request import SearchDefaults, SearchRequest, SearchResult

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb_runtime.search.ports import SearchBackend
    from kb_runtime.search.vectors import VectorHits

CANDIDATES_PER_HIT = 4
# Steps of ranking by structure that ask the lexical index.
_LEXICAL_STEPS = ("definitions", "places")


class Searcher:
    """Searches one artifact. Holds no state of a search; safe to use from several threads."""

    def __init__(self, backend: SearchBackend) -> None:
        self._backend = backend
        self._defaults = SearchDefaults.of(backend.manifest)
        self._analyzer = Analyzer()
        self._retriever = Retriever(backend, self._defaults)
        ranges = self._retriever.ranges
        self._structure = Structure(backend, ranges, self._analyzer, self._defaults.weights)
        self._hits = HitBuilder(backend, ranges, self._analyzer)
        name = self._defaults.reranker
        self._reranker = RerankStage(name) if name else None

    def search(self, request: SearchRequest) -> SearchResult:
        """The best chunks for a request; none is a result too, and says nothing is wrong.

        Raises `ToolError` UNAVAILABLE when every side that could answer failed, and `ValueError` for
        a collection that does not exist.
        """
        scope = self._retriever.scope(request)
        query = analyse(request.query, self._analyzer)
        mode = self._defaults.mode_of(request)
        limit = max(1, request.limit)
        depth = max(self._defaults.candidates, CANDIDATES_PER_HIT * limit)
        candidates = self._retriever.find(query, scope, depth, mode)
        warnings = candidates.warnings
        if mode == "hybrid":
            vectors = self._retriever.vectors(candidates)
            fused = self._fused(request, candidates, vectors)
            ranking = self._ranked(request, candidates, fused, vectors)
            if self._reranker is not None:
                ranking, failure = self._reranker.apply(query, ranking, self._backend.chunks)
                warnings += failure
        else:
            ranking = RankedCandidates(self._fused(request, candidates, None), {}, (), ())
        named: list[int] = []
        if request.names and candidates.mode != "semantic":
            records = self._hits.named_records(query, scope)
            if records:
                named = best_of_each(records, self._retriever.mask(scope), ranking.ranked)
        rows = exact_names_first(ranking.ranked, named)
        if request.per_record is not None:
            rows = self._hits.collapsed(rows, request.per_record)
        hits = self._hits.build(rows, candidates, ranking, request.snippet_chars)
        if request.distinct is not None:
            hits = distinct_hits(hits, request.distinct)
        shown = list(islice(hits, limit))
        if request.cosines and candidates.vector is not None:
            self._hits.add_cosines(shown, candidates.vector)
        ranked_rows = (row for row, _ in ranking.ranked)
        return SearchResult(
            hits=shown,
            mode=candidates.mode,
            warnings=warnings,
            total_candidates=len(ranking.ranked) + len(set(named).difference(ranked_rows)),
            corrections=candidates.lexical.corrections,
        )

    def candidates(self, request: SearchRequest, depth: int) -> Candidates:
        """The first half of a search, for callers that rank otherwise: up to `depth` rows of each side.

        Raises what `search` does.
        """
        scope = self._retriever.scope(request)
        query = analyse(request.query, self._analyzer)
        return self._retriever.find(query, scope, depth, self._defaults.mode_of(request))

    def nearest(
        self,
        vector: NDArray[np.float32],
        collections: tuple[str, ...],
        types: tuple[str, ...],
        depth: int,
    ) -> VectorHits:
        """Up to `depth` rows of some collections and types by their cosine to a vector."""
        scope = self._retriever.scope(SearchRequest("", collections, types=types))
        return self._retriever.nearest(vector, scope, depth)

    def _fused(
        self,
        request: SearchRequest,
        candidates: Candidates,
        vectors: CandidateVectors | None,
    ) -> list[tuple[int, float]]:
        """The candidates of both sides in one order; those of one side as they are."""
        defaults = self._defaults
        by_words, by_meaning, mode = candidates.by_words, candidates.by_meaning, candidates.mode
        alpha = defaults.alpha_of(request)
        if alpha is not None:
            weight = {"lexical": 0.0, "semantic": 1.0}.get(mode, alpha)
            return fusion.in_two_tiers(
                lambda semantic, lexical: fusion.mix(semantic, lexical, weight),
                by_meaning,
                by_words,
                defaults.candidates,
            )
        if mode != "hybrid":
            return by_words if mode == "lexical" else by_meaning
        if (request.fusion or defaults.fusion) == "rrf":
            return fusion.in_two_tiers(
                lambda semantic, lexical: fusion.rrf([lexical, semantic], defaults.rrf_k),
                by_meaning,
                by_words,
                defaults.candidates,
            )
        nearest = set(candidates.semantic.rows[: defaults.candidates])
        cosines = by_meaning if vectors is None else vectors.cosines
        return fusion.balanced_in_two_tiers(cosines, by_words, nearest, defaults.candidates)

    def _ranked(
        self,
        request: SearchRequest,
        candidates: Candidates,
        fused: list[tuple[int, float]],
        vectors: CandidateVectors | None,
    ) -> RankedCandidates:
        """The fused candidates, ranked by structure."""
        steps = self._defaults.steps if request.ranking is None else request.ranking
        if candidates.mode == "semantic":  # the lexical searcher has failed
            steps = tuple(step for step in steps if step not in _LEXICAL_STEPS)
        places = None if vectors is None else vectors.places
        matrix = None if vectors is None else vectors.matrix
        return self._structure.rank(
            candidates.query, fused, steps, places, matrix, candidates.lexical.rows
        )
