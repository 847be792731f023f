"""Ranks test cases by what they are about, by their steps, or by both.

Every row has a keyword and vector score in 0..1. The score of a test combines its best row of each sort,
so that further evidence never lowers it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from kb_runtime.tools import lookup

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb_runtime.knowledge.artifact import CollectionInfo
    from kb_runtime.knowledge.interface import Knowledge
    from kb_runtime.search.candidates import Candidates
    from kb_runtime.search.query import Query
    from kb_runtime.store.facets import RowFilter
    from kb_runtime.tools.session import Session

    Vector = NDArray[np.float32]

Scope = Literal["docs", "steps", "all"]
HEAD = "test"
STEP = "step"

# A test's score from its own, d, and its best step's, s: the largest of d, 0.7 d + 0.3 s and 0.8 s. A
# step alone is weaker evidence than the test's own text, and both together are stronger than that.
OWN_WEIGHT = 0.7
STEP_WEIGHT = 0.3
ONLY_STEP_WEIGHT = 0.8
# In a search meaning and words weigh the same; between two tests meaning weighs more, because tests of
# one product share most of their words.
SEARCH_ALPHA = 0.5
SIMILARITY_ALPHA = 0.7
MAX_TESTS = 100
"""The most tests that a call gets. Whatever it asks for, as many are looked for: a score is made of the
rows that were found, so that fewer of them would rank otherwise."""
# Rows asked of each side. A test with many steps takes many of them, so more are asked for while they
# belong to fewer tests than that.
DEPTH = 4 * MAX_TESTS
_MORE = 4
_MAX_DEPTH = 6400
# Steps of a test that others are compared with; of more, the first ones.
_MAX_STEPS = 24


class RankedTest(NamedTuple):
    """A test with its score in 0..1; `record` is its position in its collection."""

    info: CollectionInfo
    record: int
    uid: str
    score: float


class TestRanking(NamedTuple):
    """The best tests, and how many different ones the candidates belong to. `candidates` is the search behind
    it, where there was one."""

    tests: list[RankedTest]
    total: int
    candidates: Candidates | None
    warnings: tuple[str, ...]


@dataclass(slots=True)
class _Evidence:
    own: float = 0.0
    step: float = 0.0

    def score(self, scope: Scope) -> float:
        if scope == "docs":
            return self.own
        if scope == "steps":
            return self.step
        both = OWN_WEIGHT * self.own + STEP_WEIGHT * self.step
        return max(self.own, both, ONLY_STEP_WEIGHT * self.step)


_Evidences = dict[tuple[str, int], _Evidence]


def search(session: Session, query: str, limit: int, rows: RowFilter | None) -> TestRanking:
    """The tests that answer a query; those that it names come first, whatever the rest scores."""
    from kb_runtime.search.request import SearchRequest

    artifact = session.artifact
    infos = lookup.collections(session, "tests")
    request = SearchRequest(query, tuple(info.name for info in infos), filter=rows)
    depth = DEPTH
    while True:
        candidates = artifact.searcher.candidates(request, depth)
        found = _evidence(artifact, _scores(artifact, candidates, SEARCH_ALPHA))
        full = depth in (len(candidates.lexical.rows), len(candidates.semantic.rows))
        if len(found) >= MAX_TESTS or not full or depth >= _MAX_DEPTH:
            break
        depth *= _MORE
    named = _named(artifact, infos, candidates.query, rows)
    scores = {key: evidence.score("all") for key, evidence in found.items()}
    tests = _best(artifact, scores, limit, named)
    return TestRanking(tests, len({*scores, *named}), candidates, candidates.warnings)


def similar(
    session: Session, info: CollectionInfo, record: int, limit: int, scope: Scope
) -> TestRanking:
    """The tests most like one test, without any of its uid: other collections may hold it, too."""
    artifact = session.artifact
    heads, steps = rows_of(artifact, info, record)
    warnings: list[str] = []
    if artifact.manifest["encoder"] is None:
        warnings.append("the knowledge base has no vectors: tests are compared by keyword only")
    case, own_id = artifact.catalog(info.name)[record], _identity(artifact, (info.name, record))
    if scope == "steps" and not case.get("steps"):
        warnings.append(
            "this test has no steps: what it is about is compared with the steps of others"
        )
    words = " ".join((case["title"], case.get("summary", ""), *case.get("tags", ())))
    actions = " ".join(step["action"] for step in case.get("steps", ())) or words
    own = {} if scope == "steps" else _compared(session, HEAD, heads[:1], words)
    by_step = (
        {} if scope == "docs" else _compared(session, STEP, (steps or heads)[:_MAX_STEPS], actions)
    )
    scores = {
        key: score
        for key in {**own, **by_step}
        if _identity(artifact, key) != own_id
        and (score := _Evidence(own.get(key, 0.0), by_step.get(key, 0.0)).score(scope)) > 0
    }
    return TestRanking(_best(artifact, scores, limit, ()), len(scores), None, tuple(warnings))


def _identity(artifact: Knowledge, key: tuple[str, int]) -> tuple[str, str]:
    """What two tests have in common that are one: the knowledge base and the uid."""
    return artifact.origin(key[0]), artifact.catalog(key[0]).id(key[1])


def rows_of(artifact: Knowledge, info: CollectionInfo, record: int) -> tuple[range, range]:
    """The rows of a test: those of what it is about, and those of its steps."""
    rows = artifact.chunks.rows_of(record, info.rows)
    types, step = artifact.chunks.column("type"), _step_code(artifact)
    first_step = next((row for row in rows if types[row] == step), rows.stop)
    return range(rows.start, first_step), range(first_step, rows.stop)


def _step_code(artifact: Knowledge) -> int:
    """The number of steps in the column of chunk types; -1 when no chunk is one."""
    labels = artifact.chunks.labels("type")
    return labels.index(STEP) if STEP in labels else -1


def _scores(artifact: Knowledge, candidates: Candidates, alpha: float) -> dict[int, float]:
    """Row -> score in 0..1. Words count relative to the best row, meaning as it is.

    The first row of a test whose steps were found is scored too: what it is about is known.
    """
    top = candidates.lexical.scores[0] if candidates.lexical.scores else 1.0
    words = dict(
        zip(
            candidates.lexical.rows,
            (score / top for score in candidates.lexical.scores),
            strict=True,
        )
    )
    rows = {*words, *candidates.semantic.rows}
    records = artifact.chunks.column("record")
    rows |= {
        artifact.chunks.rows_of(records[row], artifact.collection_of(row).rows).start
        for row in rows
    }
    if candidates.vector is None:
        return {row: words.get(row, 0.0) for row in rows}
    weight = 1.0 if candidates.mode == "semantic" else alpha
    ordered = sorted(rows)
    cosines = artifact.vectors.cosines(candidates.vector, ordered).tolist()
    return {
        row: weight * min(max(cosine, 0.0), 1.0) + (1 - weight) * words.get(row, 0.0)
        for row, cosine in zip(ordered, cosines, strict=True)
    }


def _evidence(artifact: Knowledge, scores: Mapping[int, float]) -> _Evidences:
    """The best row of each sort for each test that has a row."""
    records, types = artifact.chunks.column("record"), artifact.chunks.column("type")
    step = _step_code(artifact)
    found: _Evidences = {}
    for row, score in scores.items():
        key = artifact.collection_of(row).name, records[row]
        evidence = found.setdefault(key, _Evidence())
        if types[row] == step:
            evidence.step = max(evidence.step, score)
        else:
            evidence.own = max(evidence.own, score)
    return found


def _named(
    artifact: Knowledge, infos: Iterable[CollectionInfo], query: Query, rows: RowFilter | None
) -> list[tuple[str, int]]:
    """The tests whose uid, Jira key or case id the whole query is, as far as the filters leave them; of
    uids that differ only in case the one that was typed comes first."""
    named = [
        (info.name, record)
        for info in infos
        if info.records
        for record in query.named(artifact.catalog(info.name).find_all)
        if rows is None or rows.mask[artifact.chunks.rows_of(record, info.rows).start]
    ]
    return sorted(named, key=lambda one: artifact.catalog(one[0]).id(one[1]) not in query.names)


def _best(
    artifact: Knowledge,
    scores: Mapping[tuple[str, int], float],
    limit: int,
    named: Sequence[tuple[str, int]],
) -> list[RankedTest]:
    """The `limit` best: those named, in their order, then by score, ties by uid."""
    others = sorted(
        ((score, key) for key, score in scores.items() if key not in named), key=lambda one: -one[0]
    )
    if len(others) > limit:  # only of those that may be among the best are uids needed
        least = others[limit - 1][0]
        others = [one for one in others if one[0] >= least]
    found = [_found(artifact, key, 1.0) for key in named]
    rest = [_found(artifact, key, min(score, 1.0)) for score, key in others]
    rest.sort(key=lambda test: (-test.score, test.uid))
    return [*found, *rest][:limit]


def _found(artifact: Knowledge, key: tuple[str, int], score: float) -> RankedTest:
    name, record = key
    return RankedTest(artifact.collection(name), record, artifact.catalog(name).id(record), score)


def _compared(
    session: Session, type: str, rows: Sequence[int], words: str
) -> dict[tuple[str, int], float]:
    """Test -> how well its best rows of a type match each of `rows` by meaning, and one of them `words`."""
    from kb_runtime.search.request import SearchRequest

    artifact = session.artifact
    names = tuple(info.name for info in lookup.collections(session, "tests"))
    request = SearchRequest(words, names, mode="lexical", types=(type,))
    lexical = artifact.searcher.candidates(request, DEPTH).lexical
    top = lexical.scores[0] if lexical.scores else 1.0
    by_words: dict[tuple[str, int], float] = {}
    for row, score in zip(lexical.rows, lexical.scores, strict=True):
        by_words.setdefault(_test_of(artifact, row), score / top)
    encoder = artifact.manifest["encoder"]
    if encoder is None:
        return by_words
    given = [artifact.vectors.vector(row, encoder["dimensions"]) for row in rows]
    candidates = set(lexical.rows)
    for vector in given:
        candidates.update(artifact.searcher.nearest(vector, names, (type,), DEPTH).rows)
    by_meaning = _by_meaning(artifact, given, sorted(candidates))
    return {
        key: SIMILARITY_ALPHA * by_meaning.get(key, 0.0)
        + (1 - SIMILARITY_ALPHA) * by_words.get(key, 0.0)
        for key in {*by_meaning, *by_words}
    }


def _by_meaning(
    artifact: Knowledge, given: Sequence[Vector], rows: Sequence[int]
) -> dict[tuple[str, int], float]:
    """Test -> the mean, over the given vectors, of the cosine of its row that is nearest to each; `rows`
    ascend."""
    import numpy as np

    if not rows:
        return {}
    cosines = np.stack([artifact.vectors.cosines(vector, rows) for vector in given])
    keys = [_test_of(artifact, row) for row in rows]
    starts = [at for at, key in enumerate(keys) if at == 0 or key != keys[at - 1]]
    means = np.maximum.reduceat(cosines, starts, axis=1).clip(0.0, 1.0).mean(axis=0)
    return {keys[start]: float(mean) for start, mean in zip(starts, means, strict=True)}


def _test_of(artifact: Knowledge, row: int) -> tuple[str, int]:
    return artifact.collection_of(row).name, artifact.chunks.column("record")[row]
