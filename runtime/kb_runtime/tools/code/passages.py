"""Passages of source files: neighbouring hits merged into one text, with scores comparable across calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kb_runtime.text import tests

if TYPE_CHECKING:
    from kb_runtime.search.query import QueryTerm
    from kb_runtime.search.request import SearchHit
    from kb_runtime.tools.session import Session

MAX_PER_FILE = 3
"""Passages of one file in an answer: more crowd out the other files."""
MAX_CONTENT_CHARS = 4_000
"""Of one result: a definition that was widened, or a line without end, is cut there."""

# What a score is made of. With these shares 31 of 32 questions about three public repositories had the
# right file first (28 with reciprocal ranks alone); see `benchmarks.codebase`.
MEANING_SHARE = 0.7
WORDS_SHARE = 0.2
NAME_SHARE = 0.1
# A shorter name is as likely a word of the sentence (`get`, `run`).
_MIN_NAME_CHARS = 4

# A test describes what code does as well as the code; who does not ask for tests wants the code.
TEST_FACTOR = 0.9


@dataclass(slots=True)
class Passage:
    """Neighbouring chunks of a file, `rows`, found by `hits`, the best one first."""

    rows: range
    chars: int
    hits: list[SearchHit]

    @property
    def best(self) -> SearchHit:
        return self.hits[0]

    def joins(self, other: Passage) -> bool:
        """Whether one continues the other, and both together are not too long."""
        adjoin = self.rows.stop == other.rows.start or other.rows.stop == self.rows.start
        return adjoin and self.chars + other.chars <= MAX_CONTENT_CHARS

    def join(self, other: Passage) -> None:
        """Takes a passage that is no better into this one."""
        start, stop = self.rows.start, self.rows.stop
        self.rows = range(min(start, other.rows.start), max(stop, other.rows.stop))
        self.chars += other.chars
        self.hits += other.hits


def group_hits(
    session: Session, hits: Sequence[SearchHit], joined: int, widen: bool
) -> Iterator[Passage]:
    """The passages in the order of the search, at most so many of one file; hits side by side become
    one. Only the first hits join others: what only a larger answer looks at must not change the
    passages of a smaller one. So the later ones are looked at as they are asked for."""
    by_file: dict[tuple[str, int], list[Passage]] = {}
    order: dict[int, int] = {}
    for at, hit in enumerate(hits[:joined]):
        order[hit.row] = at
        others = by_file.setdefault((hit.collection, hit.record), [])
        if (around := _around(others, hit)) is not None:
            around.hits.append(hit)
        else:
            _add(others, _passage(session, hit, others, widen))
    first = [one for others in by_file.values() for one in others[:MAX_PER_FILE]]
    yield from sorted(first, key=lambda one: order[one.best.row])
    for hit in hits[joined:]:
        others = by_file.setdefault((hit.collection, hit.record), [])
        if len(others) >= MAX_PER_FILE or _around(others, hit) is not None:
            continue
        new = _passage(session, hit, others, widen)
        if not any(one.joins(new) for one in others):
            others.append(new)
            yield new


def _around(passages: Sequence[Passage], hit: SearchHit) -> Passage | None:
    return next((one for one in passages if hit.row in one.rows), None)


def _passage(session: Session, hit: SearchHit, others: Sequence[Passage], widen: bool) -> Passage:
    """A passage that has no row of the others of its file."""
    rows, chars = range(hit.row, hit.row + 1), len(hit.chunk.get("text", ""))
    if widen:
        start = max((one.rows.stop for one in others if one.rows.stop <= hit.row), default=0)
        stop = min((one.rows.start for one in others if one.rows.start > hit.row), default=None)
        rows, chars = _definition(session, hit, start, stop)
    return Passage(rows, chars, [hit])


def score_passages(
    session: Session, query: str, passages: Iterable[Passage]
) -> Iterator[tuple[Passage, float]]:
    """Each passage with its score: its relevance, or that of a less relevant one above it. The order
    rests on more than a single passage (how much of a file answers, what it defines)."""
    from kb_runtime.search.analysis import Analyzer
    from kb_runtime.search.query import analyse

    analysed = analyse(query, Analyzer())
    terms, wants_tests = analysed.terms, tests.are_wanted(analysed.written)
    least = 1.0
    for passage in passages:
        hit = passage.best
        path = session.artifact.catalog(hit.collection).id(hit.record)
        is_aside = not (wants_tests or hit.exact_name) and tests.is_test(path)
        least = min(least, relevance(hit, terms) * (TEST_FACTOR if is_aside else 1))
        yield passage, least


def _add(passages: list[Passage], new: Passage) -> None:
    """Adds a passage to those of its file, which are in the order of their scores, or joins it with
    the first one that it continues; what it closes the gap to is joined as well."""
    target = next((one for one in passages if one.joins(new)), None)
    if target is None:
        passages.append(new)
        return
    target.join(new)
    for other in passages[passages.index(target) + 1 :]:
        if target.joins(other):
            target.join(other)
            passages.remove(other)


def relevance(hit: SearchHit, terms: Sequence[QueryTerm]) -> float:
    """How well a chunk answers, 0 to 1, the same whatever else was found: scores of different calls
    compare.

    The cosine, the share of the query's words that the chunk has, and whether the query names one of
    its definitions; 1 for a file whose path is the query.
    """
    if hit.exact_name:
        return 1.0
    words = min(len(hit.matched) / len(terms), 1.0) if terms else 0.0
    typed = {term.typed.casefold() for term in terms}
    names = (hit.chunk.get("symbol", ""), *hit.chunk.get("identifiers", ()))
    named = not typed.isdisjoint(
        [name.casefold() for name in names if len(name) >= _MIN_NAME_CHARS]
    )
    meaning = min(max(hit.cosine or 0.0, 0.0), 1.0)
    return MEANING_SHARE * meaning + WORDS_SHARE * words + NAME_SHARE * named


def _definition(
    session: Session, hit: SearchHit, start: int, stop: int | None
) -> tuple[range, int]:
    """The rows of the definition that a hit is part of, from `start` to `stop` and as far as they fit into
    a result, and their code points."""
    chunks = session.artifact.chunks
    trail = hit.chunk.get("breadcrumb", [])
    chars = len(hit.chunk.get("text", ""))
    first, last = hit.row, hit.row
    if not hit.chunk.get("symbol"):
        return range(first, last + 1), chars
    own = chunks.rows_of(hit.record, session.artifact.collection(hit.collection).rows)
    rows = range(max(own.start, start), own.stop if stop is None else min(own.stop, stop))
    for step in (-1, 1):
        at = hit.row + step
        while at in rows:
            chunk = chunks[at]
            longer = chars + len(chunk.get("text", ""))
            if chunk.get("breadcrumb", [])[: len(trail)] != trail or longer > MAX_CONTENT_CHARS:
                break
            chars = longer
            first, last = min(first, at), max(last, at)
            at += step
    return range(first, last + 1), chars
