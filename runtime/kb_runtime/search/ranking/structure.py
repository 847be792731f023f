"""Applies the steps of structural ranking to the candidates of a search."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from kb_runtime.search.analysis import Analyzer
from kb_runtime.search.lexical_plan import MAX_TERMS
from kb_runtime.search.ranking import paths, steps
from kb_runtime.search.ranking.facts import Facts, RecordKey
from kb_runtime.search.ranking.ranked import RankedCandidates

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb_runtime.search.ports import SearchBackend
    from kb_runtime.search.query import Query
    from kb_runtime.search.ranking.steps import Step
    from kb_runtime.search.vectors import RowRange

    Floats = NDArray[np.float32]

# Candidates from the top among which near duplicates are looked for, whatever the page: the order must
# not depend on how much of it is shown.
_DUPLICATES_DEPTH = 50


class Structure:
    """Ranks by structure. Remembers facts about the artifact; safe to use from several threads."""

    def __init__(
        self,
        backend: SearchBackend,
        ranges: Sequence[RowRange],
        analyzer: Analyzer,
        weights: Mapping[str, float],
    ) -> None:
        """`ranges` are the rows of the collections that have some, in row order; `weights` what the
        author gave to collections by name."""
        self._backend = backend
        self._ranges = ranges
        self._analyzer = analyzer
        self._weights = weights
        self._facts = Facts(backend, ranges, analyzer)

    def rank(
        self,
        query: Query,
        fused: Sequence[tuple[int, float]],
        enabled: Collection[Step],
        vectors: Mapping[int, int] | None = None,
        matrix: Floats | None = None,
        by_words: Sequence[int] = (),
    ) -> RankedCandidates:
        """`fused` reordered by the steps `enabled`; scores stay within the bounds that they had.

        `by_words` are rows in the order of the lexical searcher: of a query with a name the first ones are
        ranked in any case. `matrix` has the vectors of candidates, the one of row r at `vectors[r]`;
        without it the steps that compare candidates with each other are left out.
        """
        if not fused or not enabled:
            return RankedCandidates(list(fused), {}, (), fused)
        named = by_words[: steps.NAMED] if _possible_names(query) else ()
        pool, rest = _pool(fused, frozenset(named))
        rows = [row for row, _ in pool]
        records = self._facts.records(rows)
        similarity = None
        if matrix is not None and vectors is not None and {"neighbours", "duplicates"} & {*enabled}:
            chosen = matrix[[vectors[row] for row in rows]]
            similarity = chosen @ chosen.T
        scores = scaled = steps.scaled([score for _, score in pool])
        asked: frozenset[int] = frozenset()
        trail: list[tuple[Step, list[float]]] = []
        for step in steps.STEPS:
            if step not in enabled:
                continue
            before = scores
            match step:
                case "neighbours":
                    if similarity is not None:
                        mixed = steps.with_neighbours(scores, similarity)
                        scores = steps.scaled(mixed)
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
                    bonus = steps.evidence_bonus(scores, records, self._evidence(records))
                    scores = [score + more for score, more in zip(scores, bonus, strict=True)]
                case "duplicates":
                    if similarity is not None:
                        scores = self._without_duplicates(rows, scores, similarity)
                case "diversity":
                    scores = steps.decayed(scores, records)
            if scores is not before:
                changes = [now - was for now, was in zip(scores, before, strict=True)]
                trail.append((step, changes))
        order = sorted(range(len(rows)), key=lambda at: (-scores[at], at))
        low, high = pool[-1][1], pool[0][1]
        share = (high - low) / max(scores) if max(scores) > 0 else 0.0
        ranked = [(rows[at], low + share * scores[at]) for at in order]
        places = {row: at for at, row in enumerate(rows)}
        return RankedCandidates([*ranked, *rest], places, trail, fused, scaled)

    def _evidence(self, records: Sequence[RecordKey]) -> float:
        """How much the evidence of several chunks counts: all of it among files of programs only."""
        programs = self._facts.are_programs(records)
        return steps.EVIDENCE_IN_PROGRAMS if programs else steps.EVIDENCE

    def _definition_bonus(
        self, query: Query, rows: Sequence[int]
    ) -> tuple[list[float], frozenset[int]]:
        """The bonus of each row, none when the query has no name; and the places of those rows that
        pass the name on where nothing defines it, which the query so asks for."""
        wanted = _possible_names(query)
        # `Rack::Builder` and `json.dumps` ask for their last part.
        wanted |= {name.replace("::", ".").rpartition(".")[2] for name in wanted}
        wanted = {name for name in wanted if self._names_something(name)}
        if not wanted:
            return [], frozenset()
        folded = {name.lower() for name in wanted}
        defined = [self._facts.names(row) for row in rows]
        bonus = [steps.definition_bonus(wanted, folded, one.names, one.symbol) for one in defined]
        if max(bonus) >= steps.DEFINITION * steps.OTHER_CASE:
            return bonus, frozenset()
        # Defined elsewhere, if at all.
        asked = {at for at, one in enumerate(defined) if wanted.intersection(one.exports)}
        for at in asked:
            bonus[at] = steps.RE_EXPORT
        return bonus, frozenset(asked)

    def _names_something(self, name: str) -> bool:
        """Whether it is worth looking for definitions of `name` among the candidates."""
        terms = self._analyzer.name_terms(name).terms
        return bool(terms) and self._backend.lexical.names_something(terms[0][0])

    def _with_places(
        self, query: Query, records: Sequence[RecordKey], scores: list[float]
    ) -> list[float]:
        stems = dict.fromkeys(stem for term in query.terms for stem in term.prose)
        if not stems or len(stems) > MAX_TERMS:  # a pasted log names no file
            return scores
        weights = {stem: self._backend.lexical.information(stem) for stem in stems}
        bonus = {
            one: steps.place_bonus(weights, self._facts.record(one).words) for one in {*records}
        }
        return [score + bonus[one] for score, one in zip(scores, records, strict=True)]

    def _demoted(
        self,
        query: Query,
        rows: Sequence[int],
        records: Sequence[RecordKey],
        scores: list[float],
        passing: Collection[int],
    ) -> list[float]:
        """Scores after demotion; the places `passing` are re-exports that the query asks for."""
        words = {name for term in query.terms for name in (term.typed.lower(), *term.names)}
        asked = paths.kinds_asked_for(words)
        distinct = {*records}
        kinds = {one: self._facts.record(one).kinds - asked for one in distinct}
        superseded = self._superseded(rows, records, words)
        secondary = [
            one in superseded
            or bool(kinds[one] - {paths.RE_EXPORTS} if at in passing else kinds[one])
            for at, one in enumerate(records)
        ]
        if not any(secondary) or all(secondary):
            return scores
        kept = 1.0 - steps.DEMOTION
        return [
            score * kept if is_secondary else score
            for score, is_secondary in zip(scores, secondary, strict=True)
        ]

    def _superseded(
        self, rows: Sequence[int], records: Sequence[RecordKey], words: Collection[str]
    ) -> set[RecordKey]:
        """The records of which a later version is among the candidates: the same path in a later folder,
        or something called alike. None when the query names a version."""
        versions: dict[int, paths.Version] = {}
        numbers: dict[tuple[int, str], set[int]] = {}
        for at, one in enumerate(records):
            found = self._facts.record(one).version
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
                subject = self._facts.names(rows[at]).subject
                keys[at] = [(*folder, key) for key in (found.rest, subject) if key]
                for key in keys[at]:
                    latest[key] = max(latest.get(key, 0), found.number)
        return {
            records[at]
            for at, own in keys.items()
            if any(latest[key] > versions[at].number for key in own)
        }

    def _weighted(self, records: Sequence[RecordKey], scores: list[float]) -> list[float]:
        """Scores times the weights that the author gave to collections."""
        if not self._weights:
            return scores
        factors = [self._weights.get(one.name, 1.0) for one in self._ranges]
        return [score * factors[at] for score, (at, _) in zip(scores, records, strict=True)]

    def _without_duplicates(
        self, rows: Sequence[int], scores: list[float], similarity: Floats
    ) -> list[float]:
        """Of nearly the same texts among the first only the best keeps its score."""
        import numpy as np

        first = sorted(range(len(rows)), key=lambda at: (-scores[at], at))[:_DUPLICATES_DEPTH]
        near: dict[int, list[int]] = {}  # of the later of two, the earlier ones
        for later, earlier in np.argwhere(
            np.tril(similarity[first][:, first], -1) >= steps.NEAR_COSINE
        ):
            near.setdefault(first[later], []).append(first[earlier])
        dropped: set[int] = set()
        words: dict[int, set[str]] = {}

        def words_of(at: int) -> set[str]:
            if at not in words:
                words[at] = self._facts.words(rows[at])
            return words[at]

        for at, others in near.items():
            kept = [other for other in others if other not in dropped]
            if any(steps.same_text(words_of(at), words_of(other)) for other in kept):
                dropped.add(at)
        if not dropped:
            return scores
        return [0.0 if at in dropped else score for at, score in enumerate(scores)]


def _possible_names(query: Query) -> set[str]:
    """The words of a query that may be names of definitions, as typed."""
    return {*query.identifiers, *(term.typed for term in query.terms if len(query.terms) == 1)}


def _pool(
    fused: Sequence[tuple[int, float]], named: Collection[int]
) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
    """The candidates that are ranked by structure, and the others. Those of `named` that are not among
    the first join them with the score of the last one."""
    pool, rest = list(fused[: steps.POOL]), []
    low = pool[-1][1]
    for row, score in fused[steps.POOL :]:
        if row in named:
            pool.append((row, low))
        else:
            rest.append((row, score))
    return pool, rest
