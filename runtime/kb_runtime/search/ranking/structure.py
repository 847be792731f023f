"""Applies the steps of structural ranking to the candidates of a search."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from kb_runtime.search.analysis import Analyzer
from kb_runtime.search.fusion import RankedRows, to_unit_range
from kb_runtime.search.lexical_plan import MAX_TERMS
from kb_runtime.search.ranking import definitions, paths, steps
from kb_runtime.search.ranking.companions import companions
from kb_runtime.search.ranking.facts import Facts, RecordFacts, RecordKey, are_programs
from kb_runtime.search.ranking.ranked import RankedCandidates, RankingTrace, StepScores, divided
from kb_runtime.search.ranking.surroundings import share_of_answers
from kb_runtime.search.ranking.weights import CODE, CollectionWeights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb_runtime.search.candidates import CandidateMatrix
    from kb_runtime.search.ports import SearchBackend
    from kb_runtime.search.query import Query
    from kb_runtime.search.ranking.steps import Step
    from kb_runtime.search.vectors import Floats, RowRange
    from kb_runtime.text.members import MemberPath

    Places = NDArray[np.int64]
    Scores = NDArray[np.float64]
    Copies = Mapping[int, Sequence[int]]
    """Places of texts, each with those of nearly the same ones that stand under it."""


class _Pool(NamedTuple):
    """The candidates that are ranked by structure, [pool] of each.

    `record_of` are places in `records`, the different records of the candidates, and in their `facts`;
    `kinds` are those of their collections. `words` and `written` are those of the query, and `asked` the
    kinds of secondary files that it asks for.
    `similarity` are the cosines of the candidates to each other, float32 [pool, pool]; None without vectors.
    `clustered` is how much that says of what is right, 0 to 1: of a question, one answer in a list is right.
    `by_words`: the scores of source count less already (`_with_source_behind`).
    """

    query: Query
    words: Collection[str]
    written: Sequence[str]
    asked: Set[str]
    rows: Sequence[int]
    records: Sequence[RecordKey]
    facts: Sequence[RecordFacts]
    kinds: Set[str]
    record_of: Places
    similarity: Floats | None
    clustered: float
    by_words: bool


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
        self, pool: _Pool, scores: Scores, enabled: Collection[Step]
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
                    scores = self._demoted(pool, scores, passing)
                case "weights":
                    scores = self._weighted(pool, scores, defining)
                case "evidence":
                    scores = scores + _evidence(pool, scores)
                case "duplicates":
                    copies = self._copies(pool, scores)
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
    ) -> _Pool:
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
        return _Pool(
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
        self, pool: _Pool, scores: Scores
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

    def _with_places(self, pool: _Pool, scores: Scores) -> Scores:
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

    def _demoted(self, pool: _Pool, scores: Scores, passing: Collection[int]) -> Scores:
        """Scores after demotion; the places `passing` are re-exports that the query asks for."""
        import numpy as np

        named = self._facts.in_other_language(pool.rows, pool.written)
        if named is None and not any(one.kinds or one.version for one in pool.facts):
            return scores
        superseded = self._superseded(pool)
        kinds = [one.kinds - pool.asked for one in pool.facts]
        kept = np.array([steps.kept(own, at in superseded) for at, own in enumerate(kinds)])
        factors: Scores = kept[pool.record_of]
        for at in passing:
            record = int(pool.record_of[at])
            factors[at] = steps.kept(kinds[record] - {paths.RE_EXPORTS}, record in superseded)
        again = np.array([bool(own & paths.TWICE) for own in kinds], dtype=np.int64)[pool.record_of]
        if named is not None:
            again += named
        factors *= (1.0 - steps.DEMOTION) ** again
        factors /= factors.max()
        return scores * factors if factors.min() < 1.0 else scores

    def _superseded(self, pool: _Pool) -> set[int]:
        """The records of which a later version is among the candidates: the same path in a later folder or,
        of what is in `v1`, in the one around it; or something called alike. None if the query names a
        version.
        """
        versions = {at: one.version for at, one in enumerate(pool.facts) if one.version}
        if not versions or any(f"v{one.number}" in pool.words for one in versions.values()):
            return set()
        paths_of = zip(pool.records, pool.facts, strict=True)
        plain = {(at, one.path) for (at, _), one in paths_of if not one.version}
        numbers: dict[tuple[int, str], set[int]] = {}
        for at, found in versions.items():
            numbers.setdefault((pool.records[at][0], found.folder), set()).add(found.number)
        keys: list[tuple[int, list[tuple[int, str, str]]]] = []
        latest: dict[tuple[int, str, str], int] = {}
        for at, record in enumerate(pool.record_of.tolist()):
            version = versions.get(record)
            if version is None:
                continue
            folder = (pool.records[record][0], version.folder)
            if len(numbers[folder]) > 1:
                subject = self._facts.names(pool.rows[at]).subject
                own = [(*folder, key) for key in (version.rest, subject) if key]
                keys.append((record, own))
                for key in own:
                    latest[key] = max(latest.get(key, 0), version.number)
        moved = {
            at
            for at, one in versions.items()
            if one.number < 2
            and (pool.records[at][0], (one.folder + one.rest).removeprefix("/")) in plain
        }
        return moved | {
            record
            for record, own in keys
            if any(latest[key] > versions[record].number for key in own)
        }

    def _weighted(self, pool: _Pool, scores: Scores, defining: list[int]) -> Scores:
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

    def _copies(self, pool: _Pool, scores: Scores) -> Copies:
        """Of nearly the same texts the best one, with the others; all are places in the pool."""
        import numpy as np

        ones, others = self._close(pool)
        if not len(ones):
            return {}
        order = steps.best_first(scores)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        left, right = rank[ones], rank[others]
        later, earlier = divmod(
            np.sort(np.maximum(left, right) * len(order) + np.minimum(left, right)), len(order)
        )
        copies: dict[int, list[int]] = {}
        dropped: set[int] = set()
        for one, other in zip(order[later].tolist(), order[earlier].tolist(), strict=True):
            if one in dropped or other in dropped:
                continue
            if self._facts.same_text(pool.rows[one], pool.rows[other]):
                dropped.add(one)
                copies.setdefault(other, []).append(one)
        return copies

    def _close(self, pool: _Pool) -> tuple[Places, Places]:
        """Pairs of places whose texts may be the same, int64 [pairs] of each: very similar ones, and similar
        ones of as many lines in records called alike; without vectors all of the latter."""
        import numpy as np

        similarity = pool.similarity
        if similarity is None:  # any pair may be copies
            similarity = np.full((len(pool.rows),) * 2, steps.COPY_COSINE, dtype=np.float32)
        ones, others = np.divmod(np.flatnonzero(similarity >= steps.COPY_COSINE), len(similarity))
        once = ones < others
        ones, others = ones[once], others[once]
        if not len(ones):
            return ones, others
        close = similarity[ones, others] >= np.float64(steps.NEAR_COSINE)
        lines = self._facts.lines(pool.rows)
        left, right = pool.record_of[ones], pool.record_of[others]
        numbers: dict[frozenset[str], int] = {}
        named = np.array([numbers.setdefault(one.words, len(numbers)) for one in pool.facts])
        close |= (lines[ones] == lines[others]) & (left != right) & (named[left] == named[right])
        return ones[close], others[close]


def _evidence(pool: _Pool, scores: Scores) -> Scores:
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


def _beside(pool: _Pool) -> Iterator[tuple[int, int, float]]:
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
