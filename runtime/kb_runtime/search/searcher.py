"""The search pipeline behind every search tool; tools differ in scope, filters and rendering.

analyse -> lexical and semantic candidates, both filtered -> fuse -> rank by structure -> re-rank, if the
knowledge base has a re-ranker -> exact names first -> limit the chunks of one record -> cut -> snippets.
Only chunks that survive the cut are decoded. docs/search.md explains each step.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import islice
from operator import and_
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from kb_runtime.errors import ArtifactError, ToolError
from kb_runtime.search.analysis import Analyzer, fold
from kb_runtime.search.fusion import RRF_K, balanced, mix, rrf, supposed
from kb_runtime.search.lexical import NO_HITS, LexicalHits
from kb_runtime.search.query import Query, analyse
from kb_runtime.search.ranking import RERANKED, STEPS, Reranker, Step
from kb_runtime.search.snippets import BUDGET_CHARS, Matcher, Snippet, front_matter, snippet
from kb_runtime.search.spelling import distance
from kb_runtime.search.structure import Adjustment, Fused, Ranking, Structure
from kb_runtime.search.vectors import EXACT_ROWS, RowRange, VectorHits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb_runtime.search.ports import SearchBackend
    from kb_runtime.store.facets import RowFilter

Mode = Literal["hybrid", "lexical", "semantic"]
Strategy = Literal["lexical", "semantic", "fused"]
Fusion = Literal["balanced", "rrf"]
Scored = Sequence[tuple[int, float]]

# Candidates of each side. Fusing 100 of each instead of 1,000 changes nDCG@10 by less than 0.001 on
# nine public collections; a larger page needs more, and so do records that collapse to one chunk.
CANDIDATES = 100
CANDIDATES_PER_HIT = 4
# Below this length a word that the index lacks is as likely another word as a typo.
_TYPO_CHARS = 6
NO_ENCODER = "the knowledge base has no encoder"
NO_WORD_OCCURS = "No word of the query occurs here; these are the nearest by meaning."
# Between the parts of a chunk's title: `<document> › <section>`.
TITLE_SEPARATOR = " › "
# Filter combinations whose row mask is remembered, each a byte for every row.
_REMEMBERED_MASKS = 8


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search. `collections` None means all; an unknown name is a `ValueError`.

    `fusion` and `ranking` (the steps of ranking by structure) are those of the knowledge base where
    they are None; `alpha` (0 lexical to 1 semantic) mixes scores normalised to 0..1 with that weight
    instead. With `mode` or `alpha` one side can be asked alone; its order is then left as it is.
    `types` and `languages` keep chunks with one of the values, whatever their case; empty means any.
    `rows`, in order and apart, are the only rows that may be found (None: all may), and so are those of
    `filter`. With `names` off,
    a record that the query names gets no better place. `per_record` is the most hits that one record
    gets, None any number.
    Of hits for which `distinct` gives the same value only the best counts. With `cosines` hits that
    words alone found get their cosine as well.
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
    names: bool = True
    per_record: int | None = None
    distinct: Callable[[Hit], Hashable] | None = None
    snippet_chars: int = BUDGET_CHARS
    cosines: bool = False


class Passages:
    """Reads chunks for the words of one query."""

    def __init__(self, matcher: Matcher, budget: int) -> None:
        self._matcher = matcher
        self._budget = budget

    def read(self, chunk: Mapping[str, Any]) -> tuple[tuple[str, ...], Snippet]:
        """The query's words that a chunk has, and the passage that shows most of them."""
        text = chunk.get("text", "")
        searched = f"{text}\n{_shown(chunk)}"
        occurrences = self._matcher.find(searched)
        heading = chunk.get("title", "").rpartition(TITLE_SEPARATOR)[2]
        first = chunk.get("start_line", 1)
        # In YAML the same marks are between documents.
        hidden = front_matter(text) if first == 1 and chunk.get("language") != "yaml" else 0
        passage = snippet(text, first, occurrences, self._budget, heading, hidden)
        return self._matcher.matched(searched, occurrences), passage


@dataclass
class Hit:
    """A chunk that answers. `record` is the record's position in its collection.

    `score` never increases down the list. It is the fused score in hybrid mode, moved by what the
    structure says, BM25 or cosine when one side answered alone, and in 0..1 unless ranks were fused; a
    hit that the query names has at least the best score of the others.
    Ranks count from 1 and are None where that side did not find the chunk. `fused` is where both sides
    together had it (None when one side answered alone); `adjustments` are what the steps of ranking did
    to it from there, on a scale where the best candidate had 1 and the last 0 before. `judged` is the
    score that a re-ranker gave it.
    """

    row: int
    collection: str
    record: int
    chunk: dict[str, Any]
    score: float
    strategy: Strategy
    lexical_rank: int | None
    lexical_score: float | None
    semantic_rank: int | None
    cosine: float | None
    exact_name: bool
    passages: Passages = field(repr=False, compare=False)
    fused: Fused | None = None
    adjustments: tuple[Adjustment, ...] = ()
    judged: float | None = None

    @cached_property
    def _reading(self) -> tuple[tuple[str, ...], Snippet]:
        return self.passages.read(self.chunk)

    @property
    def matched(self) -> tuple[str, ...]:
        """The query's words that the chunk has, as typed where it has that spelling."""
        return self._reading[0]

    @property
    def snippet(self) -> Snippet:
        """The passage that answers, read when it is first asked for."""
        return self._reading[1]


@dataclass(slots=True)
class SearchResult:
    """`mode` is what was done, which is less than asked for when a side failed.

    `warnings` say that, and when not one word of the query occurs in what was searched.

    `total_candidates` counts the different chunks that were ranked. `corrections` gives the words of
    the index that were searched in place of an unknown word.
    """

    hits: list[Hit]
    mode: Mode
    warnings: tuple[str, ...]
    total_candidates: int
    corrections: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Scope:
    """What a request is restricted to, in the terms of each side."""

    ordinals: list[int] | None  # None: all collections
    ranges: list[RowRange]
    types: tuple[str, ...]
    languages: tuple[str, ...]
    rows: tuple[range, ...] | None
    filter: RowFilter | None


class Sides(NamedTuple):
    """What each side found; `vector` is the embedded query where there is one."""

    query: Query
    lexical: LexicalHits
    semantic: VectorHits
    vector: NDArray[np.float32] | None
    mode: Mode
    warnings: tuple[str, ...] = ()


class _Candidate(NamedTuple):
    row: int
    score: float
    exact_name: bool


class Searcher:
    """Searches one artifact. Holds no state of a search; safe to use from several threads."""

    def __init__(self, artifact: SearchBackend) -> None:
        self._artifact = artifact
        self._analyzer = Analyzer()
        settings: Mapping[str, Any] = artifact.manifest.get("search") or {}
        self._rrf_k = int(settings.get("rrf_k", RRF_K))
        self._candidates = int(settings.get("candidates", CANDIDATES))
        self._alpha: float | None = settings.get("alpha")
        self._fusion: Fusion = settings.get("fusion") or "balanced"
        switched = settings.get("ranking") or {}
        self._steps = tuple(step for step in STEPS if switched.get(step, True))
        self._boosts: Mapping[str, float] = settings.get("boosts") or {}
        self._exact_rows = int(settings.get("exact_rows", EXACT_ROWS))
        self._ranges = [
            RowRange(info.name, info.first_row, info.chunks) for info in artifact.collections
        ]
        self._ordinals = {one.name: at for at, one in enumerate(self._ranges)}
        self._owners = sorted(
            (one for one in self._ranges if one.rows), key=lambda one: one.first_row
        )
        self._reranker_name: str = settings.get("reranker") or ""
        self._reranker: Reranker | None = None
        self._structure = Structure(
            artifact, self._owners, self._analyzer, settings.get("weights") or {}
        )
        self._masks: dict[tuple[tuple[str, ...], tuple[str, ...]], NDArray[np.bool_]] = {}

    def search(self, request: SearchRequest) -> SearchResult:
        """The best chunks for a request; none is a result too, and says nothing is wrong.

        Raises `ToolError` UNAVAILABLE when every side that could answer failed, and `ValueError` for
        a collection that does not exist.
        """
        scope = self._scope(request)
        query = analyse(request.query, self._analyzer)
        limit = max(1, request.limit)
        depth = max(self._candidates, CANDIDATES_PER_HIT * limit)
        alpha = self._alpha if request.alpha is None else request.alpha
        mode = _effective_mode(request.mode, alpha)
        sides = self._candidates_of(query, scope, depth, mode)
        ranking = self._ranked(request, sides, alpha, is_hybrid=mode == "hybrid")
        warnings = sides.warnings
        if self._reranker_name and mode == "hybrid":
            ranking, failure = self._reranked(query, ranking)
            warnings += failure
        ranked, mode = ranking.ranked, sides.mode
        by_name = request.names and mode != "semantic"
        exact = self._named(query, scope, ranked) if by_name else []
        candidates = _exact_first(ranked, exact)
        if request.per_record is not None:
            candidates = self._collapsed(candidates, request.per_record)
        hits = self._hits(candidates, sides, ranking, request.snippet_chars)
        if request.distinct is not None:
            hits = _distinct(hits, request.distinct)
        kept = list(islice(hits, limit))
        if request.cosines and sides.vector is not None:
            absent = self._artifact.vectors.absent([hit.row for hit in kept])
            for hit in kept:
                if hit.cosine is None and hit.row not in absent:
                    hit.cosine = self._cosine(hit.row, sides.vector)
        return SearchResult(
            hits=kept,
            mode=mode,
            warnings=warnings,
            total_candidates=len(ranked) + len(set(exact).difference(row for row, _ in ranked)),
            corrections=sides.lexical.corrections,
        )

    def sides(self, request: SearchRequest, depth: int) -> Sides:
        """The first half of a search, for who ranks otherwise: up to `depth` rows from each side.

        Raises what `search` does.
        """
        alpha = self._alpha if request.alpha is None else request.alpha
        mode = _effective_mode(request.mode, alpha)
        query = analyse(request.query, self._analyzer)
        return self._candidates_of(query, self._scope(request), depth, mode)

    def nearest(
        self,
        vector: NDArray[np.float32],
        collections: tuple[str, ...],
        types: tuple[str, ...],
        depth: int,
    ) -> VectorHits:
        """Up to `depth` rows of some collections and types by their cosine to a vector."""
        scope = self._scope(SearchRequest("", collections, types=types))
        return self._semantic(vector, scope, depth)

    def _scope(self, request: SearchRequest) -> _Scope:
        filters = (request.types, request.languages, request.rows, request.filter)
        if request.collections is None:
            return _Scope(None, self._ranges, *filters)
        unknown = [name for name in request.collections if name not in self._ordinals]
        if unknown:
            raise ValueError(f"no collection is called {unknown[0]!r}")
        ordinals = sorted({self._ordinals[name] for name in request.collections})
        if len(ordinals) == len(self._ranges):
            return _Scope(None, self._ranges, *filters)
        ranges = [self._ranges[at] for at in ordinals]
        return _Scope(ordinals, ranges, *filters)

    def _candidates_of(self, query: Query, scope: _Scope, depth: int, mode: Mode) -> Sides:
        """Both sides' candidates; a side that fails is left out, and the warning says so.

        Words also stand in when only meaning was asked for and cannot be had.
        """
        lexical, semantic = NO_HITS, VectorHits([], [])
        vector: NDArray[np.float32] | None = None
        without_words: Exception | None = None
        without_meaning: Exception | None = None
        if mode != "semantic":
            try:
                lexical = self._lexical(query, scope, depth)
            except Exception as error:
                without_words = error
        if mode != "lexical":
            try:
                vector = self._vector(query, lexical.corrections)
                semantic = self._semantic(vector, scope, depth)
            except Exception as error:
                without_meaning = error
        if mode == "semantic" and without_meaning:
            try:
                lexical = self._lexical(query, scope, depth)
            except Exception as error:
                without_words = error
        if without_words and (without_meaning or mode == "lexical"):
            raise ToolError(
                "UNAVAILABLE",
                f"Search is unavailable ({_reason(without_meaning or without_words)}).",
                next_steps=("Ask whoever installed it to run `kbc verify`.",),
            ) from without_words
        if without_words:
            reason = _reason(without_words)
            warning = f"Lexical search is unavailable ({reason}): results by meaning only."
            return Sides(query, lexical, semantic, vector, "semantic", (warning,))
        if without_meaning:
            reason = _reason(without_meaning)
            warning = f"Semantic search is unavailable ({reason}): results by words only."
            return Sides(query, lexical, semantic, None, "lexical", (warning,))
        only_near = mode == "hybrid" and bool(semantic.rows) and not lexical.rows
        return Sides(query, lexical, semantic, vector, mode, (NO_WORD_OCCURS,) * only_near)

    def _lexical(self, query: Query, scope: _Scope, depth: int) -> LexicalHits:
        return self._artifact.lexical.search(
            query,
            depth,
            scope.ordinals,
            scope.types,
            scope.languages,
            self._boosts,
            scope.rows,
            scope.filter,
        )

    def _vector(
        self, query: Query, corrections: Mapping[str, Sequence[str]]
    ) -> NDArray[np.float32] | None:
        """The query's embedding; None when there is nothing to understand."""
        encoder = self._artifact.encoder
        if encoder is None:
            raise _NoEncoderError
        return encoder.encode(self._corrected(query, corrections)) if query.has_words else None

    def _semantic(
        self, vector: NDArray[np.float32] | None, scope: _Scope, depth: int
    ) -> VectorHits:
        if vector is None:
            return VectorHits([], [])
        mask = self._mask(scope)
        return self._artifact.vectors.search(vector, scope.ranges, depth, mask, self._exact_rows)

    def _cosine(self, row: int, vector: NDArray[np.float32]) -> float:
        return float(self._artifact.vectors.vector(row, len(vector)) @ vector)

    def _corrected(self, query: Query, corrections: Mapping[str, Sequence[str]]) -> str:
        """The query's text with obvious typos corrected.

        An encoder knows many words that an index lacks, so only a long unknown word with a word of
        the index one edit away is taken for a typo.
        """
        text = query.text
        for typed, (nearest, *_) in corrections.items():
            word = fold(typed)
            if (
                len(word) >= _TYPO_CHARS
                and distance(word, nearest, 1) == 1
                and not self._artifact.lexical.document_frequency(word)
            ):
                text = text.replace(typed, nearest)
        return text

    def _mask(self, scope: _Scope) -> NDArray[np.bool_] | None:
        """Which rows the filters leave; None without filters."""
        masks = [self._label_mask(scope.types, scope.languages), self._range_mask(scope.rows)]
        masks.append(None if scope.filter is None else scope.filter.mask)
        given = [mask for mask in masks if mask is not None]
        return reduce(and_, given) if given else None

    def _range_mask(self, ranges: tuple[range, ...] | None) -> NDArray[np.bool_] | None:
        if ranges is None:
            return None
        import numpy as np

        mask = np.zeros(sum(one.rows for one in self._ranges), dtype=np.bool_)
        for one in ranges:
            mask[one.start : one.stop] = True
        return mask

    def _label_mask(
        self, types: tuple[str, ...], languages: tuple[str, ...]
    ) -> NDArray[np.bool_] | None:
        if not types and not languages:
            return None
        key = (types, languages)
        mask = self._masks.get(key)
        if mask is None:
            import numpy as np

            chunks = self._artifact.chunks
            mask = np.ones(sum(one.rows for one in self._ranges), dtype=np.bool_)
            for name, values in (("type", types), ("language", languages)):
                if values:
                    folded = {value.casefold() for value in values}
                    labels = chunks.labels(name)
                    codes = [at for at, label in enumerate(labels) if label.casefold() in folded]
                    mask &= np.isin(np.frombuffer(chunks.column(name), dtype="<u4"), codes)
            if len(self._masks) >= _REMEMBERED_MASKS:
                self._masks.clear()
            self._masks[key] = mask
        return mask

    def _ranked(
        self,
        request: SearchRequest,
        sides: Sides,
        alpha: float | None,
        *,
        is_hybrid: bool,
    ) -> Ranking:
        """The candidates of both sides in one order."""
        by_words = list(zip(sides.lexical.rows, sides.lexical.scores, strict=True))
        by_meaning = list(zip(sides.semantic.rows, sides.semantic.cosines, strict=True))
        positions: dict[int, int] | None = None
        matrix: NDArray[np.float32] | None = None
        cosines = by_meaning
        if is_hybrid and sides.vector is not None and by_meaning:
            rows = list(dict.fromkeys([*sides.semantic.rows, *sides.lexical.rows]))
            positions = {row: at for at, row in enumerate(rows)}
            matrix = self._artifact.vectors.gather(rows, len(sides.vector))
            cosines = list(zip(rows, (matrix @ sides.vector).tolist(), strict=True))
            if absent := self._artifact.vectors.absent(rows):
                cosines = supposed(cosines, by_words, frozenset(absent))
        if alpha is not None:
            weight = {"lexical": 0.0, "semantic": 1.0}.get(sides.mode, alpha)
            fused = self._headed(lambda one, other: mix(one, other, weight), by_meaning, by_words)
        elif sides.mode != "hybrid":
            fused = by_words if sides.mode == "lexical" else by_meaning
        elif (request.fusion or self._fusion) == "rrf":
            fused = self._headed(
                lambda one, other: rrf([other, one], self._rrf_k), by_meaning, by_words
            )
        else:
            fused = self._balanced(cosines, by_words, set(sides.semantic.rows[: self._candidates]))
        if not is_hybrid:
            return Ranking(fused, {}, (), ())
        steps = self._steps if request.ranking is None else request.ranking
        if sides.mode == "semantic":  # the lexical side has failed, and these steps ask it
            steps = tuple(step for step in steps if step not in ("definitions", "places"))
        return self._structure.rank(
            sides.query, fused, steps, positions, matrix, sides.lexical.rows
        )

    def _reranked(self, query: Query, ranking: Ranking) -> tuple[Ranking, tuple[str, ...]]:
        """The ranking as the re-ranker has it; as it was, with a warning, when that fails."""
        from kb_runtime.search.reranking import RerankerError, load, reordered

        rows = [row for row, _ in ranking.ranked[:RERANKED]]
        texts = [self._artifact.chunks[row].get("text", "") for row in rows]
        try:
            if self._reranker is None:
                self._reranker = load(self._reranker_name)
            judged = [float(score) for score in self._reranker(query.text, texts)]
            if len(judged) != len(rows):
                raise RerankerError(f"it gave {len(judged)} scores for {len(rows)} texts")
            return ranking._replace(
                ranked=reordered(ranking.ranked, judged),
                judged=dict(zip(rows, judged, strict=True)),
            ), ()
        except Exception as error:
            # What a foreign package raises is nothing for a client: it may name paths of this machine.
            reason = error if isinstance(error, RerankerError) else "it failed"
            return ranking, (f"The re-ranker is unavailable ({reason}): results without it.",)

    def _headed(
        self,
        fuse: Callable[[Scored, Scored], list[tuple[int, float]]],
        by_meaning: Scored,
        by_words: Scored,
    ) -> list[tuple[int, float]]:
        """The first candidates of each side, fused; then the others, fused among themselves: a larger
        page brings more candidates, which must not move the first ones."""
        first = self._candidates
        head = fuse(by_meaning[:first], by_words[:first])
        among = {row for row, _ in head}
        tail = fuse(
            *([one for one in side if one[0] not in among] for side in (by_meaning, by_words))
        )
        best = max((score for _, score in tail), default=0.0)
        least = head[-1][1] if head else 1.0
        share = min(1.0, least / best) if best > 0 else 1.0
        return [*head, *((row, share * score) for row, score in tail)]

    def _balanced(
        self,
        cosines: Sequence[tuple[int, float]],
        by_words: Sequence[tuple[int, float]],
        nearest: Collection[int],
    ) -> list[tuple[int, float]]:
        """The first candidates of each side, balanced; then the others.

        A larger page brings more candidates. They must not move the first ones, which is what a
        spread over all of them would do.
        """
        first = by_words[: self._candidates]
        floor = first[-1][1] if len(first) == self._candidates else 0.0
        among = {*nearest, *(row for row, _ in first)}
        head = balanced([one for one in cosines if one[0] in among], first, floor)
        rest = by_words[self._candidates :]
        others = [one for one in cosines if one[0] not in among]
        tail = balanced(others, [one for one in rest if one[0] not in among])
        least = head[-1][1] if head else 1.0
        return [*head, *((row, least * score) for row, score in tail if row not in among)]

    def _named(self, query: Query, scope: _Scope, ranked: Sequence[tuple[int, float]]) -> list[int]:
        """The best row of each record that the whole query names, in the order of the ranking."""
        named = [
            self._artifact.chunks.rows_of(record, range(one.first_row, one.end))
            for one in scope.ranges
            if one.rows
            for record in query.named(self._artifact.catalog(one.name).find_all)
        ]
        if not named:
            return []
        mask = self._mask(scope)
        rank = {row: at for at, (row, _) in enumerate(ranked)}
        found = [
            min(allowed, key=lambda row: (rank.get(row, len(rank)), row))
            for rows in named
            if (allowed := [row for row in rows if mask is None or mask[row]])
        ]
        return sorted(found, key=lambda row: (rank.get(row, len(rank)), row))

    def _collapsed(self, candidates: Iterable[_Candidate], per_record: int) -> Iterator[_Candidate]:
        """At most `per_record` candidates of each record, the best ones."""
        seen: dict[tuple[int, int], int] = {}
        column = self._artifact.chunks.column("record")
        for one in candidates:
            key = (self._range_of(one.row).first_row, column[one.row])
            seen[key] = seen.get(key, 0) + 1
            if seen[key] <= per_record:
                yield one

    def _range_of(self, row: int) -> RowRange:
        return next(one for one in reversed(self._owners) if one.first_row <= row)

    def _hits(
        self,
        candidates: Iterable[_Candidate],
        sides: Sides,
        ranking: Ranking,
        budget: int,
    ) -> Iterator[Hit]:
        """Decodes candidates one by one, as far as they are asked for."""
        query, lexical, semantic = sides.query, sides.lexical, sides.semantic
        by_words = {row: at for at, row in enumerate(lexical.rows)}
        by_meaning = {row: at for at, row in enumerate(semantic.rows)}
        passages = Passages(Matcher(query, self._analyzer, lexical.corrections), budget)
        chunks = self._artifact.chunks
        records = chunks.column("record")
        origins = ranking.origins()
        for one in candidates:
            word, meaning = by_words.get(one.row), by_meaning.get(one.row)
            yield Hit(
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
                passages=passages,
                fused=origins.get(one.row),
                adjustments=ranking.adjustments(one.row),
                judged=ranking.judged.get(one.row),
            )


def _distinct(hits: Iterable[Hit], key: Callable[[Hit], Hashable]) -> Iterator[Hit]:
    seen: set[Hashable] = set()
    for hit in hits:
        value = key(hit)
        if value not in seen:
            seen.add(value)
            yield hit


class _NoEncoderError(Exception):
    """The artifact was built without an encoder."""


def _reason(error: Exception) -> str:
    """Why a side does not answer, for a client: neither a path nor the text of a foreign exception."""
    if isinstance(error, _NoEncoderError):
        return NO_ENCODER
    if isinstance(error, ArtifactError):
        return f"its files are {error.code}; `kbc verify` tells more"
    return "it failed; `kbc verify` may tell why"


def _effective_mode(mode: Mode, alpha: float | None) -> Mode:
    """At the ends of alpha one side has no say, so it is not asked."""
    if mode == "hybrid" and alpha is not None:
        if alpha <= 0:
            return "lexical"
        if alpha >= 1:
            return "semantic"
    return mode


def _exact_first(ranked: Sequence[tuple[int, float]], exact: Sequence[int]) -> Iterator[_Candidate]:
    """Rows that the query names come first; their score is at least that of what follows."""
    named = dict.fromkeys(exact)
    top = ranked[0][1] if ranked else 1.0
    for row in named:
        yield _Candidate(row, top, True)
    for row, score in ranked:
        if row not in named:
            yield _Candidate(row, score, False)


def _strategy(word: int | None, meaning: int | None) -> Strategy:
    if meaning is None:
        return "lexical"
    return "semantic" if word is None else "fused"


def _shown(chunk: Mapping[str, Any]) -> str:
    """The texts besides its body by which a chunk can be found and which a hit shows."""
    trail = chunk.get("breadcrumb") or (chunk.get("title", ""),)
    names = (chunk.get("signature", ""), chunk.get("symbol", ""))
    return "\n".join((*trail, *names, *chunk.get("identifiers", ()), *chunk.get("tags", ())))
