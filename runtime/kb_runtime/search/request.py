"""The values of a search: its request, the defaults of the knowledge base, its hits and its result."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from kb_runtime.search.fusion import RRF_K
from kb_runtime.search.ranking.steps import STEPS, Step
from kb_runtime.search.snippets import BUDGET_CHARS, FoundWords, PassageReader, Snippet, widened
from kb_runtime.search.vectors import EXACT_ROWS
from kb_runtime.text.languages import ENGLISH

if TYPE_CHECKING:
    from kb_runtime.search.ranking.ranked import Adjustment, FusedScore, RankingTrace
    from kb_runtime.store.facets import RowFilter

Mode = Literal["hybrid", "lexical", "semantic"]
Strategy = Literal["lexical", "semantic", "fused"]
Fusion = Literal["balanced", "rrf"]

# Candidates of each side. Fusing 100 of each instead of 1,000 changes nDCG@10 by less than 0.001 on
# nine public collections; a larger page needs more, and so do records that collapse to one chunk.
CANDIDATES = 100
RERANK_VARIABLE = "KBC_RERANK"
"""1 or 0: whether searches of this process are re-ranked, whatever the knowledge base says."""
_SWITCH = {"1": True, "0": False}
NO_ENCODER = "the knowledge base has no encoder"
NO_WORD_OCCURS = "No word of the query occurs here; these results are the closest in meaning."


def reranking_of_process() -> bool | None:
    """What the environment says about re-ranking; None if nothing."""
    return _SWITCH.get(os.environ.get(RERANK_VARIABLE, ""))


class SearchRequest(NamedTuple):
    """A search.

    - `collections`: names of those to search; None means all, an unknown name is a `ValueError`.
    - `limit`: the most hits, at least 1.
    - `mode`, `alpha`: with `mode` one side can be asked alone; its order is then left as it is. `alpha`
      (0 lexical to 1 semantic) mixes scores normalised to 0..1 with that weight instead of fusing.
    - `fusion`, `ranking` (the steps of ranking by structure): those of the knowledge base where None.
    - `types`, `languages`: keep chunks with one of the values, whatever their case; empty means any.
    - `rows`: restrict results to these row ranges (ascending, disjoint). None means no restriction.
    - `filter`: restrict results to the rows of a facet filter.
    - `rerank`: re-score the best hits with the artifact's cross-encoder; as the knowledge base says where
      None. True fails where that is impossible.
    - `names`: put a record that the query names first.
    - `per_record`: the most hits of one record; None means any number.
    - `distinct`: of hits for which it gives the same value only the best counts.
    - `snippet_chars`: code points of a snippet.
    - `cosines`: compute the cosine also of hits that only the lexical searcher found.
    """

    query: str
    collections: tuple[str, ...] | None = None
    limit: int = 10
    mode: Mode = "hybrid"
    alpha: float | None = None
    fusion: Fusion | None = None
    ranking: tuple[Step, ...] | None = None
    types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    rows: tuple[range, ...] | None = None
    filter: RowFilter | None = None
    rerank: bool | None = None
    names: bool = True
    per_record: int | None = None
    distinct: Callable[[SearchHit], Hashable] | None = None
    snippet_chars: int = BUDGET_CHARS
    cosines: bool = False


def languages_of(settings: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The languages of the pages with Latin letters, the most frequent first; `settings` is the section
    `search` of a manifest."""
    return tuple((settings or {}).get("languages") or (ENGLISH,))


class SearchDefaults(NamedTuple):
    """The section `search` of a manifest: what applies where a request says nothing else.

    `encoder_languages` is of the section `encoder`; none: all of the pages.
    """

    fusion: Fusion
    rrf_k: int
    alpha: float | None
    candidates: int
    steps: tuple[Step, ...]
    boosts: Mapping[str, float]
    weights: Mapping[str, float]
    exact_rows: int
    reranker: str
    rerank: bool = False
    languages: tuple[str, ...] = (ENGLISH,)
    encoder_languages: tuple[str, ...] = (ENGLISH,)

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> SearchDefaults:
        settings: Mapping[str, Any] = manifest.get("search") or {}
        switched = settings.get("ranking") or {}
        of_process = reranking_of_process()
        return cls(
            fusion=settings.get("fusion") or "balanced",
            rrf_k=int(settings.get("rrf_k", RRF_K)),
            alpha=settings.get("alpha"),
            candidates=int(settings.get("candidates", CANDIDATES)),
            steps=tuple(step for step in STEPS if switched.get(step, True)),
            boosts=settings.get("boosts") or {},
            weights=settings.get("weights") or {},
            exact_rows=int(settings.get("exact_rows", EXACT_ROWS)),
            reranker=settings.get("reranker") or "",
            rerank=bool(settings.get("rerank")) if of_process is None else of_process,
            languages=languages_of(settings),
            # Artifacts of earlier versions do not say it; most have the English encoder.
            encoder_languages=tuple((manifest.get("encoder") or {}).get("languages", (ENGLISH,))),
        )

    def alpha_of(self, request: SearchRequest) -> float | None:
        return self.alpha if request.alpha is None else request.alpha

    def mode_of(self, request: SearchRequest) -> Mode:
        """At the ends of alpha one side has no say, so it is not asked."""
        alpha = self.alpha_of(request)
        if request.mode == "hybrid" and alpha is not None:
            if alpha <= 0:
                return "lexical"
            if alpha >= 1:
                return "semantic"
        return request.mode


_NOT_TOLD = frozenset(["reader", "trail", "_found", "matched", "snippet"])
"""Of a hit: what it shares with the others of a search, and what is read when it is asked for."""


class SearchHit:
    """A chunk that answers. `record` is the record's position in its collection.

    `score` never increases down the list. It is the fused score in hybrid mode, moved by what the
    structure says, BM25 or cosine when one side answered alone, and in 0..1 unless ranks were fused; a
    hit that the query names has at least the best score of the others.
    Ranks count from 1 and are None where that side did not find the chunk. `trail` tells how both sides
    together ranked it, `rerank_score` is what a re-ranker gave it. `copies` are other records (collection
    and position) that have nearly the same passage, which is no hit of its own.
    """

    def __init__(
        self,
        row: int,
        collection: str,
        record: int,
        chunk: dict[str, Any],
        score: float,
        strategy: Strategy,
        lexical_rank: int | None,
        lexical_score: float | None,
        semantic_rank: int | None,
        cosine: float | None,
        exact_name: bool,
        reader: PassageReader,
        trail: RankingTrace | None = None,
        rerank_score: float | None = None,
        copies: tuple[tuple[str, int], ...] = (),
    ) -> None:
        self.row = row
        self.collection = collection
        self.record = record
        self.chunk = chunk
        self.score = score
        self.strategy = strategy
        self.lexical_rank = lexical_rank
        self.lexical_score = lexical_score
        self.semantic_rank = semantic_rank
        self.cosine = cosine
        self.exact_name = exact_name
        self.reader = reader
        self.trail = trail
        self.rerank_score = rerank_score
        self.copies = copies

    def _told(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _NOT_TOLD}

    def __eq__(self, other: object) -> bool:
        return self._told() == other._told() if isinstance(other, SearchHit) else NotImplemented

    def __repr__(self) -> str:
        return (
            f"SearchHit({', '.join(f'{name}={value!r}' for name, value in self._told().items())})"
        )

    @property
    def fused(self) -> FusedScore | None:
        """Where both sides together had it; None when one side answered alone."""
        return None if self.trail is None else self.trail.fused_score(self.row)

    @property
    def adjustments(self) -> tuple[Adjustment, ...]:
        """What the steps of ranking changed, on a scale where the best candidate had 1 and the last 0
        before."""
        return () if self.trail is None else self.trail.adjustments(self.row)

    @cached_property
    def _found(self) -> FoundWords:
        return self.reader.find(self.chunk)

    @cached_property
    def matched(self) -> tuple[str, ...]:
        """The query's words that the chunk has, as typed where it has that spelling."""
        return self.reader.matched(self._found)

    @cached_property
    def snippet(self) -> Snippet:
        """The passage that answers, read when it is first asked for."""
        return self.reader.passage(self.chunk, self._found)

    def passage(self, least: int, most: int) -> Snippet:
        """The passage that answers, with about `least` to `most` code points where the chunk has so many.
        A chunk that fits is shown from its beginning; at the end of another lines before it are added."""
        text: str = self.chunk.get("text", "")
        if len(text) <= most:
            begun = self.reader.passage(self.chunk, FoundWords("", ()), most)
            if text.rstrip().endswith(begun.text):
                return begun
        found = self.reader.passage(self.chunk, self._found, most)
        if len(found.text) >= least or len(found.text) >= len(text):
            return found
        return widened(found, self.chunk, least, most)


class SearchResult(NamedTuple):
    """`mode` is what was done, which is less than asked for when a side failed.

    `warnings` say that, and when not one word of the query occurs in what was searched.

    `total_candidates` counts the different chunks that were ranked.
    """

    hits: list[SearchHit]
    mode: Mode
    warnings: tuple[str, ...]
    total_candidates: int
