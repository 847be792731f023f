"""Applies the steps of structural ranking to the candidates of a search."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from kb_runtime.search.analysis import Analyzer
from kb_runtime.search.fusion import RankedRows, to_unit_range
from kb_runtime.search.lexical_plan import MAX_TERMS
from kb_runtime.search.ranking import definitions, paths, steps
from kb_runtime.search.ranking.companions import companions
from kb_runtime.search.ranking.copies import copies_in
from kb_runtime.search.ranking.facts import Facts, are_programs
from kb_runtime.search.ranking.pool import Pool
from kb_runtime.search.ranking.ranked import RankedCandidates, RankingTrace, StepScores, divided
from kb_runtime.search.ranking.surroundings import share_of_answers
from kb_runtime.search.ranking.versions import superseded
from kb_runtime.search.ranking.weights import CODE, CollectionWeights

if TYPE_CHECKING:
    from kb_runtime.search.candidates import CandidateMatrix
    from kb_runtime.search.ports import SearchBackend
    from kb_runtime.search.query import Query
    from kb_runtime.search.ranking.copies import Copies
    from kb_runtime.search.ranking.pool import Places
    from kb_runtime.search.ranking.steps import Scores, Step
    from kb_runtime.search.vectors import RowRange
    from kb_runtime.text.members import MemberPath


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
        self._analyzer = analyzer
        self._facts = Facts(backend, ranges, analyzer)
        names = [one.name for one in ranges]
        self._weights = CollectionWeights(weights, names, self._facts.collection_kinds)

    def rank(
        self,
        query: Query,
        fused: RankedRows,
        enabled: Collection[Step],
        matrix: CandidateMatrix | None = None,
        by_words: Sequence[int] = (),
        first: int = 0,
    ) -> RankedCandidates:
        """`fused` reordered by the steps `enabled`; scores stay within the bounds that they had.

        The `first` so many of `fused` are the same for a page of any size.
        `by_words` are rows in the order of the lexical searcher: of a query with a name the first ones are
        ranked in any case. `matrix` has the vectors of all candidates; without it the steps that compare
        candidates with each other are left out.
        """
        import numpy as np

        if not len(fused.rows) or not enabled:
            trail = RankingTrace(fused, (), None, ())
            return RankedCandidates(fused.rows.tolist(), fused.scores.tolist(), trail)
        if matrix is None and "weights" in enabled and not query.is_name:
            fused = self._with_source_behind(query, fused, first)
        named = by_words[: steps.NAMED] if definitions.possible_names(query) else ()
        ranked, rest = divided(fused, named, self._members(fused, first))
        pool = self._read(query, ranked.rows, matrix, enabled)
        scaled = to_unit_range(ranked.scores)
        scores, copies, trail_steps = self._stepped(pool, scaled, enabled)
        order = steps.best_first(scores)
        if copies:
            dropped = np.zeros(len(order), dtype=np.bool_)
            dropped[_listed(copies)] = True
            order = order[~dropped[order]]
        low, high, best = ranked.scores[-1], ranked.scores[0], scores.max()
        final = low + ((high - low) / best if best > 0 else 0.0) * scores[order]
        return RankedCandidates(
            [*ranked.rows[order].tolist(), *rest.rows.tolist()],
            [*final.tolist(), *rest.scores.tolist()],
            RankingTrace(fused, pool.rows, scaled, trail_steps),
            copies={
                pool.rows[at]: [pool.rows[copy] for copy in each] for at, each in copies.items()
            },
        )

    def _stepped(
        self, pool: Pool, scores: Scores, enabled: Collection[Step]
    ) -> tuple[Scores, Copies, list[StepScores]]:
        """Scores after the steps `enabled`, the duplicates, and what each step did."""
        passing: frozenset[int] = frozenset()
        defining: list[int] = []
        copies: Copies = {}
        trail: list[StepScores] = []
        for step in steps.STEPS:
            if step not in enabled:
                continue
            before = scores
            match step:
                case "neighbours":
                    if pool.similarity is not None:
                        scores = to_unit_range(
                            steps.with_neighbours(scores, pool.similarity, pool.clustered)
                        )
                case "feedback":
                    if pool.similarity is not None:
                        bonus = steps.feedback_bonus(scores, pool.similarity)
                        scores = (scores + pool.clustered * bonus).clip(0.0)
                case "definitions":
                    scores, passing, defining = self._with_definitions(pool, scores)
                case "places":
                    scores = self._with_places(pool, scores)
                case "demotion":
                    scores = self._demoted(pool, scores, passing, weighted="weights" in enabled)
                case "weights":
                    scores = self._weighted(pool, scores, defining)
                case "evidence":
                    scores = scores + _evidence(pool, scores)
                case "duplicates":
                    copies, scores = copies_in(pool, scores, self._facts)
                    scores = steps.without(scores, _listed(copies))
                case "diversity":
                    scores = steps.decayed(scores, pool.record_of)
            if scores is not before:
                trail.append(StepScores(step, before, scores))
        return scores, copies, trail

    def documenting(self, name: MemberPath, rows: Sequence[int]) -> list[int]:
        """Of `rows` those with a section about the member that `name` names, change logs and posts aside;
        where some match closer than others, they alone."""
        if not name or not self._names_something(name[-1]):
            return []
        lasting = self._facts.lasting(rows)
        matches = [(self._facts.names(row).match(name), row) for row in lasting]
        closest = min((match for match, _ in matches if match is not None), default=None)
        return [row for match, row in matches if match is not None and match == closest]

    def without_tests(self, query: Query, rows: Sequence[int]) -> list[int]:
        """Of `rows` those that are not of tests, unless the query asks for tests: what a test is called may
        be a question about what it tests."""
        records, record_of = self._facts.records(rows)
        asked = paths.kinds_asked_for(_words(query), query.written)
        tests = [paths.TEST in one.kinds - asked for one in self._facts.of(records)]
        return [row for row, at in zip(rows, record_of, strict=True) if not tests[at]]

    def _members(self, fused: RankedRows, first: int) -> Sequence[int]:
        """The places of the candidates that are ranked by structure: simply the best, unless all of the
        `first` are of files of programs, which are compared with each other."""
        if first > steps.POOL and self._facts.has_programs:
            records, record_of = self._facts.records(fused.rows[:first].tolist())
            if are_programs(self._facts.kinds(records)):
                return steps.members(record_of)
        return range(min(steps.POOL, len(fused.rows)))

    def _with_source_behind(self, query: Query, fused: RankedRows, first: int) -> RankedRows:
        """What was found by words alone, source behind what explains. A share of BM25 is the same for all; of
        scores that are scaled to the last candidate's the lower ones have little to lose. `first` is as for
        `rank`."""
        records, record_of = self._facts.records(fused.rows.tolist())
        words = _words(query)
        if CODE not in paths.showing_kinds(words, self._facts.kinds(records), query.written):
            return fused
        shares = self._weights.of_source_by_words(
            records, self._facts.of(records), with_examples=not paths.asks_for_programs(words)
        )
        weighted = RankedRows(fused.rows, fused.scores * shares[record_of])
        return weighted.ordered_in_tiers(first or len(fused.rows))

    def _read(
        self, query: Query, rows: Places, matrix: CandidateMatrix | None, enabled: Collection[Step]
    ) -> Pool:
        import numpy as np

        listed = rows.tolist()
        records, record_of = self._facts.records(listed)
        similarity = None
        if matrix is not None and not {"neighbours", "feedback", "duplicates"}.isdisjoint(enabled):
            chosen = matrix.vectors[[*map(matrix.places.__getitem__, listed)]]
            # On processors with SVE or SME the product of matrices raises flags that its values do not earn.
            with np.errstate(all="ignore"):
                similarity = chosen @ chosen.T
        words, written = _words(query), query.written
        asked, kinds = paths.kinds_asked_for(words, written), self._facts.kinds(records)
        if not are_programs(kinds):  # beside other pages all explain
            asked |= {paths.PAGE}
        return Pool(
            query,
            words,
            written,
            asked,
            listed,
            records,
            self._facts.of(records),
            kinds,
            np.array(record_of),
            similarity,
            1.0 - share_of_answers(listed, self._backend.chunks),
            matrix is None and not query.is_name,
        )

    def _with_definitions(
        self, pool: Pool, scores: Scores
    ) -> tuple[Scores, frozenset[int], list[int]]:
        """Scores with the bonus of definitions, unchanged when the query has no name, and what else
        `definitions.Defining` says."""
        import numpy as np

        asked = definitions.asked(pool.query, self._names_something)
        if not any(asked):
            return scores, frozenset(), []
        names = [*map(self._facts.names, pool.rows)]
        bonus, passing, named = definitions.defining(pool.query, asked, names)
        return scores + np.array(bonus), passing, named

    def _names_something(self, name: str) -> bool:
        """Whether it is worth looking for definitions of `name` among the candidates."""
        terms = self._analyzer.name_terms(name).terms
        return bool(terms) and self._backend.lexical.is_defined_name(terms[0][0])

    def _with_places(self, pool: Pool, scores: Scores) -> Scores:
        import numpy as np

        stems = {stem for term in pool.query.terms for stem in term.prose}
        if not stems or len(stems) > MAX_TERMS:  # a pasted log names no file
            return scores
        weights = {stem: self._backend.lexical.information(stem) for stem in stems}
        spelled = steps.spellings(sorted(stems))
        bonus = [
            0.0
            if one.words.isdisjoint(spelled)
            else steps.place_bonus(weights, {spelled.get(word, word) for word in one.words})
            for one in pool.facts
        ]
        raised: Scores = scores + np.array(bonus)[pool.record_of]
        return raised

    def _demoted(
        self, pool: Pool, scores: Scores, passing: Collection[int], *, weighted: bool
    ) -> Scores:
        """Scores after demotion; the places `passing` are re-exports that the query asks for. Examples in
        source that gives way to pages as it is `weighted` do not give way once more."""
        import numpy as np

        named = self._facts.in_other_language(pool.rows, pool.written)
        if named is None and not any(one.kinds or one.version for one in pool.facts):
            return scores
        older = superseded(pool, self._facts)
        showing = paths.showing_kinds(pool.words, pool.kinds, pool.written)
        lifted = paths.SHOWS_USE if weighted and CODE in showing else frozenset[str]()
        kinds = [
            one.kinds - pool.asked - lifted if is_source else one.kinds - pool.asked
            for one, is_source in zip(
                pool.facts, self._weights.are_source(pool.records), strict=True
            )
        ]
        kept = np.array([steps.kept(own, at in older) for at, own in enumerate(kinds)])
        factors: Scores = kept[pool.record_of]
        for at in passing:
            record = int(pool.record_of[at])
            factors[at] = steps.kept(kinds[record] - {paths.RE_EXPORTS}, record in older)
        again = np.array([not own.isdisjoint(paths.TWICE) for own in kinds], dtype=np.int64)[
            pool.record_of
        ]
        if named is not None:
            again += named
        factors *= (1.0 - steps.DEMOTION) ** again
        factors /= factors.max()
        return scores * factors if factors.min() < 1.0 else scores

    def _weighted(self, pool: Pool, scores: Scores, defining: list[int]) -> Scores:
        """Scores times the weights that the author gave to collections. Where there are none, programs and
        test cases among candidates that explain count less, unless the query asks for them or, at the places
        `defining`, is the name that they define."""
        showing = paths.showing_kinds(pool.words, pool.kinds, pool.written)
        if pool.by_words:
            showing -= {CODE}
        weights = self._weights.of(pool.records, showing)
        each = weights[pool.record_of]
        owners = (pool.records[at][0] for at in pool.record_of[defining])
        free = [
            at for at, own in zip(defining, owners, strict=True) if not self._weights.has_own(own)
        ]
        each[free] = 1.0
        weighted: Scores = scores * each
        return scores if (weights == 1.0).all() else weighted


def _evidence(pool: Pool, scores: Scores) -> Scores:
    """What the best chunk of each record gains by all of its chunks together."""
    programs = are_programs(pool.kinds)
    return steps.evidence_bonus(
        scores,
        pool.record_of,
        programs=programs,
        flat=[facts.is_flat for facts in pool.facts],
        beside=_beside(pool) if programs else (),
        sources=[facts.is_source for facts in pool.facts] if programs else (),
    )


def _beside(pool: Pool) -> Iterator[tuple[int, int, float]]:
    """The records that are about another one, with that one and what they count for it. Tests that the
    query asks for are what it wants themselves."""
    for record, about in companions([one.subject for one in pool.facts]):
        subject = pool.facts[record].subject
        is_test = subject is not None and subject.role == "test"
        if not (is_test and paths.TEST in pool.asked):
            yield record, about, steps.OF_TEST if is_test else steps.OF_HEADER


def _listed(copies: Copies) -> list[int]:
    """The places of all that stand under others."""
    return [at for each in copies.values() for at in each]


def _words(query: Query) -> set[str]:
    """The words of a query and their parts, in lower case."""
    return {name for term in query.terms for name in (term.typed.lower(), *term.names)}
