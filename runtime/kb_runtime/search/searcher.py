"""The search pipeline behind every search tool; tools differ in scope, filters and rendering.

Analyse the query, collect lexical and semantic candidates, fuse them, rank by structure, re-rank where the
knowledge base has a re-ranker, put first what is quoted or has a word that only words find, and exact names
before it, limit the chunks of one record, and decode the chunks that are left. docs/search.md and
docs/ranking.md explain each step.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from kb_runtime.errors import ToolError
from kb_runtime.search import fusion
from kb_runtime.search.analysis import Analyzer, is_unspaced
from kb_runtime.search.candidates import CandidateMatrix, Candidates, Retriever
from kb_runtime.search.fusion import RankedRows
from kb_runtime.search.hits import (
    HitBuilder,
    best_of_each,
    distinct_hits,
    exact_names_first,
    in_order_of,
    without_repeated,
)
from kb_runtime.search.ranking import reranking
from kb_runtime.search.ranking.ranked import RankedCandidates
from kb_runtime.search.ranking.reranking import RerankerError, RerankStage
from kb_runtime.search.ranking.structure import Structure
from kb_runtime.search.ranking.surroundings import share_of_answers
from kb_runtime.search.request import (
    SearchDefaults,
    SearchRequest,
    SearchResult,
    reranking_of_process,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from kb_runtime.search.ports import SearchBackend
    from kb_runtime.search.query import Query
    from kb_runtime.search.ranking.reranking import Reranker
    from kb_runtime.search.vectors import VectorHits

CANDIDATES_PER_HIT = 4
# Steps of ranking by structure that ask the lexical index.
_LEXICAL_STEPS = ("definitions", "places")
# WordPiece and Unigram keep frequent words whole; a prefix or an ending makes them two tokens.
_PIECES_OF_RARE_WORDS = 3


class Searcher:
    """Searches one artifact. Holds no state of a search; safe to use from several threads."""

    def __init__(self, backend: SearchBackend) -> None:
        self._backend = backend
        self._defaults = SearchDefaults.of(backend.manifest)
        self._analyzer = Analyzer(self._defaults.languages)
        self._retriever = Retriever(backend, self._defaults, self._analyzer)
        ranges = self._retriever.ranges
        self._structure = Structure(backend, ranges, self._analyzer, self._defaults.weights)
        self._hits = HitBuilder(backend, ranges, self._analyzer)
        self._entries = {info.name for info in backend.collections if info.kind == "builtins"}
        name = self._defaults.reranker
        self._named_reranker = reranking.named(name) if name else None
        self._cross_encoder = RerankStage(
            self._own_reranker, reranking.CROSS_ENCODED, reranking.raised
        )

    def search(self, request: SearchRequest) -> SearchResult:
        """The best chunks for a request; none is a result too, and says nothing is wrong.

        Raises `ToolError` UNAVAILABLE when every side that could answer failed, or a re-ranker that the
        request wants, and `ValueError` for a collection that does not exist.
        """
        scope = self._retriever.scope(request)
        mode = self._defaults.mode_of(request)
        limit = max(1, min(request.limit, self._retriever.rows))  # engines reserve room for all
        depth = max(self._defaults.candidates, CANDIDATES_PER_HIT * limit)
        candidates = self._retriever.find(request.query, scope, depth, mode)
        query, warnings = candidates.query, candidates.warnings
        ranking = self._ranked(request, candidates, is_hybrid=mode == "hybrid")
        if mode == "hybrid":
            ranking, failure = self._reranked(request, candidates, ranking)
            warnings += failure
        if candidates.mode == "hybrid" and request.ranking != ():
            ranking = ranking.with_found_first(self._surely_meant(candidates))
        named: list[int] = []
        if request.names and candidates.mode != "semantic":
            sections = self._structure.documenting(query.member, candidates.lexical.rows)
            records = self._hits.named_records(query, scope, also_qualified=not sections)
            records = records or self._hits.at_address(query, scope)
            if records:
                named = best_of_each(records, self._retriever.mask(scope), ranking.rows)
            named += in_order_of(sections, ranking.rows)
            if named:
                ranking = ranking.with_named_copies_first(named)
        rows = exact_names_first(ranking, named)
        if request.per_record is not None:
            rows = self._hits.collapsed(rows, request.per_record)
        hits = self._hits.build(rows, candidates, ranking, request.snippet_chars)
        if self._entries:
            hits = without_repeated(hits, self._entries)
        if request.distinct is not None:
            hits = distinct_hits(hits, request.distinct)
        shown = list(islice(hits, limit))
        if request.cosines and candidates.vector is not None:
            self._hits.add_cosines(shown, candidates.vector)
        others = len(set(named).difference(ranking.rows)) if named else 0
        return SearchResult(
            hits=shown,
            mode=candidates.mode,
            warnings=warnings,
            total_candidates=len(ranking.rows) + others,
        )

    def candidates(self, request: SearchRequest, depth: int) -> Candidates:
        """The first half of a search, for callers that rank otherwise: up to `depth` rows of each side.

        Raises what `search` does.
        """
        scope = self._retriever.scope(request)
        return self._retriever.find(request.query, scope, depth, self._defaults.mode_of(request))

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

    def _surely_meant(self, candidates: Candidates) -> Sequence[int]:
        """What the words alone tell, whatever an encoder takes for near: a sentence or a line of code that is
        quoted, else a word that only they know."""
        query, found = candidates.query, candidates.lexical
        if found.quoted:
            return self._structure.without_tests(query, found.quoted)
        return (
            found.rows[: self._defaults.candidates] if self._is_known_by_words_only(query) else ()
        )

    def _is_known_by_words_only(self, query: Query) -> bool:
        """Whether a query is one name or rare word, and chunks have it as a whole.

        An encoder knows few names, and only the pieces of words that were rare where it learnt
        (`go`, `rou`, `tine`): what is near to one may have nothing to do with it. Of what no chunk has, the
        meaning may say more than its parts.
        """
        if len(query.terms) != 1:
            return False
        (term,) = query.terms
        lexical, encoder = self._backend.lexical, self._backend.encoder
        if query.is_name:
            whole, *parts = term.names
            return not parts or lexical.document_frequency(whole) > 0
        assert encoder is not None
        pieces = encoder.pieces(term.typed)
        if is_unspaced(term.typed):  # one or two letters, which are a word, and are read one by one
            return pieces >= len(term.typed)
        return pieces >= _PIECES_OF_RARE_WORDS and any(
            lexical.frequency("body", stem) for stem in term.prose
        )

    def _ranked(
        self, request: SearchRequest, candidates: Candidates, *, is_hybrid: bool
    ) -> RankedCandidates:
        """The candidates of both sides in one order; those of one side as they are."""
        matrix = self._retriever.matrix(candidates) if is_hybrid else None
        alpha = self._defaults.alpha_of(request)
        if alpha is None and candidates.mode != "hybrid" and not is_hybrid:
            lexical, semantic = candidates.lexical, candidates.semantic
            if candidates.mode == "lexical":
                return RankedCandidates(lexical.rows, lexical.scores)
            return RankedCandidates(semantic.rows, semantic.cosines)
        fused = self._fused(request, candidates, alpha, matrix)
        if not is_hybrid:
            return RankedCandidates(fused.rows.tolist(), fused.scores.tolist())
        steps = self._defaults.steps if request.ranking is None else request.ranking
        if candidates.mode == "semantic":  # the lexical searcher has failed
            steps = tuple(step for step in steps if step not in _LEXICAL_STEPS)
        return self._structure.rank(
            candidates.query,
            fused,
            steps,
            matrix,
            candidates.lexical.rows,
            candidates.first(self._defaults.candidates),
        )

    def _reranked(
        self, request: SearchRequest, candidates: Candidates, ranking: RankedCandidates
    ) -> tuple[RankedCandidates, tuple[str, ...]]:
        """The ranking after the second stage, if there is one; where it fails a warning."""
        if request.rerank is False:
            return ranking, ()
        try:
            if self._named_reranker is not None:
                chunks = self._backend.chunks
                return self._named_reranker.apply(
                    candidates.query, ranking, lambda row: chunks[row].get("text", "")
                ), ()
            # That kb.toml asks in vain is a warning of the build.
            is_default = self._defaults.rerank and (
                self._backend.manifest.get("reranker") or reranking_of_process()
            )
            if request.rerank or is_default:
                return self._cross_encoder.apply(
                    candidates.query, ranking, self._hits.passages(candidates)
                ), ()
        except RerankerError as error:
            if request.rerank:
                raise ToolError("UNAVAILABLE", f"the re-ranker is unavailable: {error}") from error
            return ranking, (f"The re-ranker is unavailable ({error}): results without it.",)
        return ranking, ()

    def _own_reranker(self) -> Reranker:
        found = self._backend.reranker
        if found is None:
            raise RerankerError(
                "the knowledge base was built without one; `kbc build --rerank-model DIR` adds it"
            )
        return found

    def _fused(
        self,
        request: SearchRequest,
        candidates: Candidates,
        alpha: float | None,
        matrix: CandidateMatrix | None,
    ) -> RankedRows:
        mode, depth = candidates.mode, self._defaults.candidates
        if alpha is not None:
            weight = {"lexical": 0.0, "semantic": 1.0}.get(mode, alpha)
            return fusion.in_two_tiers(
                lambda semantic, lexical: fusion.mix(semantic, lexical, weight),
                candidates.by_meaning,
                candidates.by_words,
                depth,
            )
        if mode != "hybrid":
            return candidates.by_words if mode == "lexical" else candidates.by_meaning
        if (request.fusion or self._defaults.fusion) == "rrf":
            return fusion.in_two_tiers(
                lambda semantic, lexical: fusion.rrf([lexical, semantic], self._defaults.rrf_k),
                candidates.by_meaning,
                candidates.by_words,
                depth,
            )
        if matrix is None:
            return fusion.lexical_in_two_tiers(candidates.by_words, depth)
        nearest = len(candidates.semantic.rows)
        return fusion.balanced_in_two_tiers(
            matrix.rows,
            matrix.cosines,
            matrix.bm25,
            matrix.found,
            nearest,
            depth,
            fusion.side_weights(
                candidates.query.language,
                self._defaults.encoder_languages,
                share_of_answers(matrix.rows[: min(depth, nearest)], self._backend.chunks),
            ),
        )
