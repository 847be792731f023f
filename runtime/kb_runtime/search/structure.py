"""Applies the steps of `ranking` to the candidates of a search, with as few reads as possible."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from kb_runtime.search import ranking
from kb_runtime.search.analysis import WORD, Analyzer
from kb_runtime.search.lexical_plan import MAX_TERMS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb_runtime.search.ports import LexicalSearcher
    from kb_runtime.search.query import Query
    from kb_runtime.search.ranking import Step
    from kb_runtime.search.vectors import RowRange

    Floats = NDArray[np.float32]

# Records whose name and place are remembered: about 400 bytes each.
_REMEMBERED_RECORDS = 20_000
# Rows whose definitions are remembered, about 500 bytes each; only queries with names need them.
_REMEMBERED_ROWS = 10_000
# Candidates from the top among which near duplicates are looked for, whatever the page: the order must
# not depend on how much of it is shown.
_DUPLICATES_DEPTH = 50
# Kinds of collections whose records are files of programs, where tests and examples are secondary.
_PROGRAMS = frozenset({"code"})
_FILES = frozenset({"code", "docs"})


class Adjustment(NamedTuple):
    """What a step did to the score of a candidate; scores before steps are in 0..1."""

    step: Step
    change: float


class Fused(NamedTuple):
    """Where a candidate was before the steps: its rank from 1, its score, and that score on the scale
    of the steps (None for what they do not rank)."""

    rank: int
    score: float
    scaled: float | None


class Ranking(NamedTuple):
    """Rows with scores, best first; and what became of them on the way there.

    `places` gives the place of a row of the pool in the lists `scaled`, its score before the steps, and
    `trail`, what each step did to it. `fused` is the order before the steps, `judged` what a re-ranker
    said.
    """

    ranked: list[tuple[int, float]]
    places: Mapping[int, int]
    trail: Sequence[tuple[Step, Sequence[float]]]
    fused: Sequence[tuple[int, float]]
    scaled: Sequence[float] = ()
    judged: Mapping[int, float] = MappingProxyType({})

    def origins(self) -> dict[int, Fused]:
        """Where each row was before the steps."""
        return {
            row: Fused(
                rank, score, None if (at := self.places.get(row)) is None else self.scaled[at]
            )
            for rank, (row, score) in enumerate(self.fused, start=1)
        }

    def adjustments(self, row: int) -> tuple[Adjustment, ...]:
        """What was done to a row: asked of the rows that are shown, few of those that were ranked."""
        at = self.places.get(row)
        if at is None:
            return ()
        return tuple(Adjustment(step, changes[at]) for step, changes in self.trail if changes[at])


class Structured(Protocol):
    """What the steps need of an artifact."""

    @property
    def collections(self) -> Sequence[Any]: ...
    @property
    def chunks(self) -> Any: ...
    @property
    def lexical(self) -> LexicalSearcher: ...
    def catalog(self, name: str) -> Any: ...


class _Facts(NamedTuple):
    """What the id of a record says: the terms of its last part, the kinds of file it is (whether it is
    a barrel its chunks say), and the version that it belongs to where several lie side by side
    (`ranking.version_of`)."""

    words: frozenset[str]
    kinds: frozenset[str]
    version: ranking.Version | None


class _Names(NamedTuple):
    """The names that a chunk defines, the definition that it is part of, the names it passes on; and
    its subject, which other versions of it have as well (`_subject`)."""

    names: tuple[str, ...]
    symbol: str
    exports: tuple[str, ...]
    subject: str


class Structure:
    """Ranks by structure. Remembers facts about the artifact; safe to use from several threads."""

    def __init__(
        self,
        artifact: Structured,
        ranges: Sequence[RowRange],
        analyzer: Analyzer,
        weights: Mapping[str, float],
    ) -> None:
        """`ranges` are the rows of the collections that have some, in row order; `weights` what the
        author gave to collections by name."""
        self._artifact = artifact
        self._ranges = ranges
        self._ends = [one.end for one in ranges]
        self._kinds = {info.name: info.kind for info in artifact.collections}
        self._analyzer = analyzer
        self._weights = weights
        self._facts: dict[tuple[int, int], _Facts] = {}
        self._definitions: dict[int, _Names] = {}

    def rank(
        self,
        query: Query,
        fused: Sequence[tuple[int, float]],
        steps: Collection[Step],
        vectors: Mapping[int, int] | None = None,
        matrix: Floats | None = None,
        by_words: Sequence[int] = (),
    ) -> Ranking:
        """`fused` in the order of its structure; scores stay within the bounds that they had.

        `by_words` are rows in the order of the lexical side: of a query with a name the first ones are
        ranked in any case. `matrix` has the vectors of candidates, the one of row r at `vectors[r]`;
        without it the steps that compare candidates with each other are left out.
        """
        if not fused or not steps:
            return Ranking(list(fused), {}, (), fused)
        named = by_words[: ranking.NAMED] if _names(query) else ()
        pool, rest = _pool(fused, frozenset(named))
        rows = [row for row, _ in pool]
        records = self._records(rows)
        similarity = None
        if matrix is not None and vectors is not None and {"neighbours", "duplicates"} & {*steps}:
            chosen = matrix[[vectors[row] for row in rows]]
            similarity = chosen @ chosen.T
        scores = scaled = ranking.scaled([score for _, score in pool])
        asked: frozenset[int] = frozenset()
        trail: list[tuple[Step, list[float]]] = []
        for step in ranking.STEPS:
            if step not in steps:
                continue
            before = scores
            match step:
                case "neighbours":
                    if similarity is not None:
                        mixed = ranking.with_neighbours(scores, similarity)
                        scores = ranking.scaled(mixed)
                case "definitions":
                    bonus, asked = self._definition_bonus(query, rows)
                    if bonus:
                        scores = [score + more for score, more in zip(scores, bonus, strict=True)]
                case "places":
                    scores = self._with_places(query, records, scores)
                case "demotion":
                    scores = self._demoted(query, rows, records, scores, asked)
                case "weights":
                    scores = self._weighted(records, scores)
                case "evidence":
                    bonus = ranking.evidence_bonus(scores, records, self._evidence(records))
                    scores = [score + more for score, more in zip(scores, bonus, strict=True)]
                case "duplicates":
                    if similarity is not None:
                        scores = self._without_duplicates(rows, scores, similarity)
                case "diversity":
                    scores = ranking.decayed(scores, records)
            if scores is not before:
                changes = [now - was for now, was in zip(scores, before, strict=True)]
                trail.append((step, changes))
        order = sorted(range(len(rows)), key=lambda at: (-scores[at], at))
        low, high = pool[-1][1], pool[0][1]
        share = (high - low) / max(scores) if max(scores) > 0 else 0.0
        ranked = [(rows[at], low + share * scores[at]) for at in order]
        places = {row: at for at, row in enumerate(rows)}
        return Ranking([*ranked, *rest], places, trail, fused, scaled)

    def _records(self, rows: Sequence[int]) -> list[tuple[int, int]]:
        """Of each row its collection's position in the ranges and its record's in the collection."""
        column = self._artifact.chunks.column("record")
        if len(self._ranges) == 1:
            return [(0, column[row]) for row in rows]
        return [(bisect_right(self._ends, row), column[row]) for row in rows]

    def _evidence(self, records: Sequence[tuple[int, int]]) -> float:
        """How much the evidence of several chunks counts: all of it among files of programs only."""
        kinds = {self._kinds[self._ranges[at].name] for at in {at for at, _ in records}}
        return ranking.EVIDENCE_IN_PROGRAMS if kinds <= _PROGRAMS else ranking.EVIDENCE

    def _definition_bonus(
        self, query: Query, rows: Sequence[int]
    ) -> tuple[list[float], frozenset[int]]:
        """The bonus of each row, none when the query has no name; and the places of those rows that
        pass the name on where nothing defines it, which the query so asks for."""
        wanted = _names(query)
        # `Rack::Builder` and `json.dumps` ask for their last part.
        wanted |= {name.replace("::", ".").rpartition(".")[2] for name in wanted}
        wanted = {name for name in wanted if self._names_something(name)}
        if not wanted:
            return [], frozenset()
        folded = {name.lower() for name in wanted}
        defined = [self._defined(row) for row in rows]
        bonus = [ranking.definition_bonus(wanted, folded, one.names, one.symbol) for one in defined]
        if max(bonus) >= ranking.DEFINITION * ranking.OTHER_CASE:
            return bonus, frozenset()
        # Defined elsewhere, if at all.
        asked = {at for at, one in enumerate(defined) if wanted.intersection(one.exports)}
        for at in asked:
            bonus[at] = ranking.RE_EXPORT
        return bonus, frozenset(asked)

    def _names_something(self, name: str) -> bool:
        """Whether it is worth looking for definitions of `name` among the candidates."""
        terms = self._analyzer.name_terms(name).terms
        return bool(terms) and self._artifact.lexical.names_something(terms[0][0])

    def _defined(self, row: int) -> _Names:
        known = self._definitions.get(row)
        if known is None:
            chunk = self._artifact.chunks[row]
            known = _Names(
                tuple(chunk.get("identifiers", ())),
                chunk.get("symbol", ""),
                tuple(chunk.get("exports", ())),
                _subject(chunk),
            )
            if len(self._definitions) >= _REMEMBERED_ROWS:
                self._definitions.clear()
            self._definitions[row] = known
        return known

    def _with_places(
        self, query: Query, records: Sequence[tuple[int, int]], scores: list[float]
    ) -> list[float]:
        stems = dict.fromkeys(stem for term in query.terms for stem in term.prose)
        if not stems or len(stems) > MAX_TERMS:  # a pasted log names no file
            return scores
        weights = {stem: self._artifact.lexical.information(stem) for stem in stems}
        bonus = {one: ranking.place_bonus(weights, self._facts_of(one).words) for one in {*records}}
        return [score + bonus[one] for score, one in zip(scores, records, strict=True)]

    def _demoted(
        self,
        query: Query,
        rows: Sequence[int],
        records: Sequence[tuple[int, int]],
        scores: list[float],
        passing: Collection[int],
    ) -> list[float]:
        """Scores after demotion; the places `passing` are re-exports that the query asks for."""
        words = {name for term in query.terms for name in (term.typed.lower(), *term.names)}
        asked = ranking.kinds_asked_for(words)
        distinct = {*records}
        kinds = {one: self._facts_of(one).kinds - asked for one in distinct}
        superseded = self._superseded(rows, records, words)
        secondary = [
            one in superseded
            or bool(kinds[one] - {ranking.BARREL} if at in passing else kinds[one])
            for at, one in enumerate(records)
        ]
        if not any(secondary) or all(secondary):
            return scores
        kept = 1.0 - ranking.DEMOTION
        return [
            score * kept if is_secondary else score
            for score, is_secondary in zip(scores, secondary, strict=True)
        ]

    def _superseded(
        self, rows: Sequence[int], records: Sequence[tuple[int, int]], words: Collection[str]
    ) -> set[tuple[int, int]]:
        """The records of which a later version is among the candidates: the same path in a later folder,
        or something called alike. None when the query names a version."""
        versions: dict[int, ranking.Version] = {}
        numbers: dict[tuple[int, str], set[int]] = {}
        for at, one in enumerate(records):
            found = self._facts_of(one).version
            if found is not None:
                versions[at] = found
                numbers.setdefault((one[0], found.folder), set()).add(found.number)
        if any(f"v{found.number}" in words for found in versions.values()):
            return set()
        keys: dict[int, list[tuple[int, str, str]]] = {}
        latest: dict[tuple[int, str, str], int] = {}
        for at, found in versions.items():
            folder = (records[at][0], found.folder)
            if len(numbers[folder]) > 1:
                subject = self._defined(rows[at]).subject
                keys[at] = [(*folder, key) for key in (found.rest, subject) if key]
                for key in keys[at]:
                    latest[key] = max(latest.get(key, 0), found.number)
        return {
            records[at]
            for at, own in keys.items()
            if any(latest[key] > versions[at].number for key in own)
        }

    def _weighted(self, records: Sequence[tuple[int, int]], scores: list[float]) -> list[float]:
        """Scores times the weights that the author gave to collections."""
        if not self._weights:
            return scores
        factors = [self._weights.get(one.name, 1.0) for one in self._ranges]
        return [score * factors[at] for score, (at, _) in zip(scores, records, strict=True)]

    def _facts_of(self, record: tuple[int, int]) -> _Facts:
        facts = self._facts.get(record)
        if facts is None:
            at, index = record
            name = self._ranges[at].name
            id = self._artifact.catalog(name).id(index)
            stem = id.rpartition("/")[2]
            words = frozenset(term for term, _ in self._analyzer.prose(stem.partition(".")[0]))
            kinds = ranking.place_kinds(id) if self._kinds[name] in _FILES else frozenset()
            if self._kinds[name] not in _PROGRAMS:
                kinds &= {"changelog"}
            elif self._passes_on(record):
                kinds |= {ranking.BARREL}
            version = ranking.version_of(id) if self._kinds[name] in _FILES else None
            facts = _Facts(words, kinds, version)
            if len(self._facts) >= _REMEMBERED_RECORDS:
                self._facts.clear()
            self._facts[record] = facts
        return facts

    def _passes_on(self, record: tuple[int, int]) -> bool:
        """Whether a file only passes on what others define: every chunk of it says so."""
        own = self._ranges[record[0]]
        rows = self._artifact.chunks.rows_of(record[1], range(own.first_row, own.end))
        return bool(self._artifact.chunks[rows[0]].get("passes_on"))

    def _without_duplicates(
        self, rows: Sequence[int], scores: list[float], similarity: Floats
    ) -> list[float]:
        """Of nearly the same texts among the first only the best keeps its score."""
        import numpy as np

        first = sorted(range(len(rows)), key=lambda at: (-scores[at], at))[:_DUPLICATES_DEPTH]
        near: dict[int, list[int]] = {}  # of the later of two, the earlier ones
        for later, earlier in np.argwhere(
            np.tril(similarity[first][:, first], -1) >= ranking.NEAR_COSINE
        ):
            near.setdefault(first[later], []).append(first[earlier])
        dropped: set[int] = set()
        words: dict[int, set[str]] = {}

        def words_of(at: int) -> set[str]:
            if at not in words:
                words[at] = set(WORD.findall(self._artifact.chunks[rows[at]].get("text", "")))
            return words[at]

        for at, others in near.items():
            kept = [other for other in others if other not in dropped]
            if any(ranking.same_text(words_of(at), words_of(other)) for other in kept):
                dropped.add(at)
        if not dropped:
            return scores
        return [0.0 if at in dropped else score for at, score in enumerate(scores)]


def _subject(chunk: Mapping[str, Any]) -> str:
    """The outermost definition that a chunk is part of; outside of definitions the title of its page."""
    trail: Sequence[str] = chunk.get("breadcrumb") or ("",)
    return str(trail[1] if chunk.get("symbol") and len(trail) > 1 else trail[0])


def _names(query: Query) -> set[str]:
    """The words of a query that may be names of definitions, as typed."""
    return {*query.identifiers, *(term.typed for term in query.terms if len(query.terms) == 1)}


def _pool(
    fused: Sequence[tuple[int, float]], named: Collection[int]
) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
    """The candidates that are ranked by structure, and the others. Those of `named` that are not among
    the first join them with the score of the last one."""
    pool, rest = list(fused[: ranking.POOL]), []
    low = pool[-1][1]
    for row, score in fused[ranking.POOL :]:
        if row in named:
            pool.append((row, low))
        else:
            rest.append((row, score))
    return pool, rest
