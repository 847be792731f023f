"""The lexical searcher: BM25 over the fields of a chunk, from terms only.

The engine never parses a query, so no text of a user can be a syntax error or an operator. The index is
opened through a folder of links, because the engine insists on creating a lock file next to its data,
and an artifact is read-only.
"""

from __future__ import annotations

import json
import math
import os
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from kb_runtime.errors import ArtifactError, SingleCodeError, exit_codes
from kb_runtime.search.analysis import RECIPE, Analyzer
from kb_runtime.search.lexical_fields import FILTERS, META, ROW, WORDS
from kb_runtime.search.lexical_plan import nearest_words, plan
from kb_runtime.store.temporary_folders import locked, remove_abandoned

if TYPE_CHECKING:
    import tantivy

    from kb_runtime.search.lexical_plan import Plan, Statistics
    from kb_runtime.search.query import Query
    from kb_runtime.search.spelling import Correction
    from kb_runtime.store.facets import Mask, RowFilter

# A heading or a name says what a chunk is about; a mention in the body says that it is touched.
DEFAULT_BOOSTS: Mapping[str, float] = {
    "title": 1.5,
    "breadcrumb": 0.6,
    "identifiers": 2.0,
    "signature": 0.5,
    "body": 2.0,
    "path": 0.4,
    "tags": 0.5,
    "operators": 1.0,
}
# Row ranges up to which the engine itself keeps to them (0.1 ms for one of 100,000 chunks, 30 ms for a
# hundred). With more ranges hits are filtered as they come, this many times more at each attempt.
MAX_ENGINE_RANGES = 4
MORE_HITS = 10

# The folder of links through which an index is opened, for some milliseconds.
_PREFIX = "kbc-lexical-"


class LexicalError(SingleCodeError):
    """The engine failed on a query."""

    code = "lexical-failed"
    exit_code = exit_codes.ARTIFACT


@dataclass(frozen=True, slots=True)
class LexicalHits:
    """Rows with BM25 scores, best first, ties by row; and the words that stood in for unknown ones."""

    rows: list[int]
    scores: list[float]
    corrections: dict[str, tuple[str, ...]]  # query word as typed -> words of the index


NO_HITS = LexicalHits([], [], {})


class LexicalIndex:
    """An open lexical section. Safe to use from several threads."""

    def __init__(self, folder: str) -> None:
        """`folder` is the build's `lexical` folder, verified. Raises `ArtifactError`."""
        import tantivy

        _check_recipe(folder)
        self._tantivy = tantivy
        self._index = _open(folder)
        self._schema = self._index.schema
        self._searcher = self._index.searcher()
        self.analyzer = Analyzer()
        self.documents: int = self._searcher.num_docs

    def search(
        self,
        query: Query,
        limit: int,
        scopes: Collection[int] | None = None,
        types: Collection[str] = (),
        languages: Collection[str] = (),
        boosts: Mapping[str, float] | None = None,
        ranges: Sequence[range] | None = None,
        filter: RowFilter | None = None,
    ) -> LexicalHits:
        """The best `limit` (at least 1) chunks for a query.

        `scopes` are ordinals of collections (None: all); `types` and `languages` restrict where not
        empty. `ranges`, in order and apart, are the only rows that count (None: all do), and so are
        those of `filter`; at most one of the two is given. `boosts` overrides `DEFAULT_BOOSTS` field by
        field. Raises `LexicalError`.
        """
        if not self.documents or (scopes is not None and not scopes):
            return NO_HITS
        if ranges is not None and not ranges:
            return NO_HITS
        try:
            planned = plan(query, {**DEFAULT_BOOSTS, **(boosts or {})}, self, self.analyzer)
        except BaseException as error:
            raise failure(error) from None
        rows, scores = self.run(planned, limit, scopes, types, languages, ranges, filter)
        return LexicalHits(rows, scores, planned.corrections)

    def run(
        self,
        plan: Plan,
        limit: int,
        scopes: Collection[int] | None = None,
        types: Collection[str] = (),
        languages: Collection[str] = (),
        ranges: Sequence[range] | None = None,
        filter: RowFilter | None = None,
        statistics: Statistics | None = None,
    ) -> tuple[list[int], list[float]]:
        """The rows and scores of `search` for a plan, which was made with `statistics` (those of this
        index where they are None). Raises `LexicalError`."""
        if not self.documents or (scopes is not None and not scopes):
            return [], []
        if ranges is not None and not ranges:
            return [], []
        try:
            clauses = self._clauses(plan, statistics or self)
            if not clauses:
                return [], []
            groups = () if filter is None else filter.terms
            restricted = self._restricted(clauses, scopes, types, languages, ranges, groups)
            if filter is not None:
                return self._best_of(restricted, max(1, limit), filter.mask)
            if ranges is None or len(ranges) <= MAX_ENGINE_RANGES:
                return self._best(restricted, max(1, limit))
            return self._best_within(restricted, max(1, limit), ranges)
        except BaseException as error:
            raise failure(error) from None

    def _best(self, query: tantivy.Query, limit: int) -> tuple[list[int], list[float]]:
        hits = self._searcher.search(query, limit, count=False).hits
        rows = self._searcher.fast_field_values(ROW, [address for _, address in hits])
        return cast("list[int]", rows), [score for score, _ in hits]

    def _best_within(
        self, query: tantivy.Query, limit: int, ranges: Sequence[range]
    ) -> tuple[list[int], list[float]]:
        """The best rows that lie in one of many ranges: more and more hits, until enough are left."""
        starts = [one.start for one in ranges]
        asked = limit
        while True:
            asked = min(asked * MORE_HITS, self.documents)
            rows, scores = self._best(query, asked)
            kept = [
                (row, score)
                for row, score in zip(rows, scores, strict=True)
                if (at := bisect_right(starts, row)) and row in ranges[at - 1]
            ][:limit]
            if len(kept) == limit or len(rows) < asked or asked == self.documents:
                return [row for row, _ in kept], [score for _, score in kept]

    def _best_of(
        self, query: tantivy.Query, limit: int, mask: Mask
    ) -> tuple[list[int], list[float]]:
        """The best rows that a mask leaves; the query itself may keep to it already."""
        asked = limit
        while True:
            rows, scores = self._best(query, asked)
            kept = [at for at, allowed in enumerate(mask[rows].tolist()) if allowed][:limit]
            if len(kept) == limit or len(rows) < asked or asked == self.documents:
                return [rows[at] for at in kept], [scores[at] for at in kept]
            asked = min(asked * MORE_HITS, self.documents)

    def frequency(self, field: str, term: str) -> int:
        """Chunks that have `term` in `field`."""
        return self._searcher.doc_freq(field, term)

    def words_with_prefix(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """The most frequent words of the vocabulary with that prefix, and the chunks of each."""
        return self._searcher.terms_with_prefix(WORDS, prefix, limit=limit)

    def document_frequency(self, term: str) -> int:
        """Chunks that have the name term `term` as a word."""
        return document_frequency(self, term)

    def names_something(self, term: str) -> bool:
        """Whether a chunk defines, or answers to, the name term `term`."""
        return names_something(self, term)

    def information(self, stem: str) -> float:
        """How much a prose term says: the logarithm of how rare it is among the chunks."""
        return information(self, stem)

    def nearest_words(self, term: str, limit: int) -> list[Correction]:
        """Words of the index near a folded word; see `spelling.corrections`."""
        return nearest_words(self, term, limit)

    def _clauses(self, plan: Plan, statistics: Statistics) -> list[tantivy.Query]:
        """The scored parts of a plan that can match here.

        The engine weighs a term by how rare it is in this index. Where several are ranked as one, the
        weight is corrected to how rare it is in all of them.
        """
        clauses = []
        shared = statistics is not self
        for (field, term), weight in plan.terms.items():
            if shared:
                found = self.frequency(field, term)
                if not found:
                    continue
                weight *= rarity(statistics.documents, statistics.frequency(field, term)) / rarity(
                    self.documents, found
                )
            clauses.append(self._term(field, term, weight))
        for field, words, weight in plan.phrases:
            if shared:
                found_each = [self.frequency(field, word) for _, word in words]
                if not all(found_each):
                    continue
                everywhere = sum(
                    rarity(statistics.documents, statistics.frequency(field, word))
                    for _, word in words
                )
                weight *= everywhere / sum(rarity(self.documents, found) for found in found_each)
            query = self._tantivy.Query
            phrase = query.phrase_query(self._schema, field, list(words))
            clauses.append(query.boost_query(phrase, weight))
        return clauses

    def _term(self, field: str, term: str, weight: float) -> tantivy.Query:
        query = self._tantivy.Query
        return query.boost_query(query.term_query(self._schema, field, term, "freq"), weight)

    def _restricted(
        self,
        clauses: Sequence[tantivy.Query],
        scopes: Collection[int] | None,
        types: Collection[str],
        languages: Collection[str],
        ranges: Sequence[range] | None,
        groups: Sequence[Sequence[str]],
    ) -> tantivy.Query:
        """A chunk must match one clause and every filter; filters do not change scores."""
        query, occur = self._tantivy.Query, self._tantivy.Occur
        scored = query.boolean_query([(occur.Should, clause) for clause in clauses])
        required = [(occur.Must, scored)]
        kinds = (("scope", scopes or ()), ("type", types), ("language", languages))
        own = [[filter_term(kind, value) for value in values] for kind, values in kinds]
        for terms in (*own, *groups):
            if terms:
                any_of = [
                    (occur.Should, query.term_query(self._schema, FILTERS, term, "basic"))
                    for term in sorted(terms)
                ]
                required.append(
                    (occur.Must, query.const_score_query(query.boolean_query(any_of), 0.0))
                )
        if ranges is not None and len(ranges) <= MAX_ENGINE_RANGES:
            unsigned = self._tantivy.FieldType.Unsigned
            any_range = [
                (
                    occur.Should,
                    query.range_query(
                        self._schema, ROW, unsigned, one.start, one.stop, True, False
                    ),
                )
                for one in ranges
            ]
            required.append(
                (occur.Must, query.const_score_query(query.boolean_query(any_range), 0.0))
            )
        return query.boolean_query(required) if len(required) > 1 else scored


def document_frequency(statistics: Statistics, term: str) -> int:
    """Chunks that have the name term `term` as a word."""
    return statistics.frequency(WORDS, term)


def names_something(statistics: Statistics, term: str) -> bool:
    """Whether a chunk defines, or answers to, the name term `term`."""
    return statistics.frequency("identifiers", term) > 0


def information(statistics: Statistics, stem: str) -> float:
    """How much a prose term says: the logarithm of how rare it is among the chunks."""
    return math.log((statistics.documents + 1) / (statistics.frequency("body", stem) + 0.5))


def rarity(documents: int, found: int) -> float:
    """The inverse document frequency that the engine gives a term of `found` of `documents` chunks:
    the one of BM25 plus one, so that it is positive."""
    return math.log1p((documents - found + 0.5) / (found + 0.5))


def filter_term(kind: str, value: str | int) -> str:
    """The term of the filter field: kind is `scope` (an ordinal), `type` or `language` (folded)."""
    return f"{kind}:{str(value).casefold()}"


def failure(error: BaseException) -> BaseException:
    """The engine panics with an exception outside `Exception`, which cannot be named in an import."""
    if isinstance(error, Exception) or type(error).__name__ == "PanicException":
        return LexicalError(f"the lexical index failed: {type(error).__name__}: {error}"[:300])
    return error


def _check_recipe(folder: str) -> None:
    path = os.path.join(folder, META)
    try:
        with open(path, "rb") as file:
            meta: dict[str, Any] = json.load(file)
        recipe = meta.get("payload")
    except FileNotFoundError:
        raise ArtifactError(
            "truncated", f"The artifact is incomplete: {path} is missing."
        ) from None
    except (OSError, ValueError, AttributeError) as error:
        raise ArtifactError("unreadable", f"{path} cannot be read: {error}.") from error
    if recipe != RECIPE:
        raise ArtifactError(
            "newer-format" if str(recipe) > RECIPE else "older-format",
            f"The lexical index in {folder} was made by the term recipe {recipe!r}; this version of"
            f" kbc reads {RECIPE!r}.",
            "Build the knowledge base again with this version, or install the version that built it.",
        )


def _open(folder: str) -> tantivy.Index:
    """Opens the index through links in a temporary folder, which is gone when this returns."""
    import shutil

    import tantivy

    mirror = _temporary_folder(folder)
    lock = locked(mirror)  # says that somebody needs the folder
    try:
        remove_abandoned(os.path.dirname(mirror), _PREFIX)
        for name in os.listdir(folder):
            os.symlink(os.path.join(os.path.abspath(folder), name), os.path.join(mirror, name))
        return tantivy.Index.open(mirror)
    except BaseException as error:
        known = failure(error)
        if known is error:
            raise
        raise ArtifactError(
            "altered",
            f"The lexical index in {folder} cannot be opened: {error}."[:400],
            "Build the knowledge base again, or install it again.",
        ) from error
    finally:
        # The engine has started a thread that watches the folder and locks it to reload: under
        # another name it cannot put a lock file where files are being removed.
        os.rename(mirror, mirror + ".done")
        shutil.rmtree(mirror + ".done", ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _temporary_folder(folder: str) -> str:
    import tempfile

    for parent in (None, "/dev/shm"):
        try:
            return tempfile.mkdtemp(prefix=_PREFIX, dir=parent)
        except OSError:
            continue
    raise ArtifactError(
        "unreadable",
        f"The lexical index in {folder} cannot be opened: no temporary folder can be written.",
        "Set TMPDIR to a folder that this user can write; a few links are put there for a moment.",
    )
