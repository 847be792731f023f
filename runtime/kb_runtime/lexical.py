"""The lexical side: BM25 over the fields of a chunk, from terms only.

A query is never parsed by the engine, so no text of a user can be a syntax error or an operator.
The index is opened through a folder of links, because the engine insists on creating a lock file
next to its data, and an artifact is read-only.
"""

from __future__ import annotations

import json
import math
import os
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from kb_runtime.analysis import RECIPE, Analyzer
from kb_runtime.errors import ArtifactError
from kb_runtime.spelling import MIN_CHARS, Correction, corrections

if TYPE_CHECKING:
    import tantivy

    from kb_runtime.facets import Mask, RowFilter
    from kb_runtime.query import Query, Term

META = "meta.json"

# Fields that hold prose terms, and fields that hold name terms (see `analysis`).
PROSE_FIELDS = ("title", "breadcrumb", "body", "tags")
NAME_FIELDS = ("identifiers", "signature", "path")
# Fields with positions, where a quoted phrase is looked for.
PHRASE_FIELDS = ("title", "breadcrumb", "body")
OPERATORS = "operators"  # punctuation that stands for itself
WORDS = "words"  # the vocabulary: unstemmed words, once for each chunk, for typos and completions
FILTERS = "filters"  # `scope:<ordinal>`, `type:<type>`, `language:<language>`, and facets
ROW = "row"  # fast field: the row of the chunk in every section

# A heading or a name says what a chunk is about; a mention in the body says that it is touched.
DEFAULT_BOOSTS: Mapping[str, float] = {
    "title": 1.5,
    "breadcrumb": 0.6,
    "identifiers": 2.0,
    "signature": 0.5,
    "body": 1.0,
    "path": 0.4,
    "tags": 0.5,
    "operators": 1.0,
}
# Parts of a compound count less than a word typed alone: `setToMap` asks for itself first.
PART_WEIGHT = 0.7
# A quoted phrase that occurs as quoted, as a multiple of its field's boost.
PHRASE_BOOST = 2.0
# Terms that are scored; of more, the rarest are kept. 64 terms in all fields take about 1 ms.
MAX_TERMS = 64
# Unknown or rare terms for which corrections are looked for (about 1 ms each for a long one), and
# corrections of each that are searched. A query of many unknown words is no query with typos.
MAX_LOOKED_UP = 4
MAX_CORRECTIONS = 4
# What a correction counts by its number of edits (0: it completes what was typed).
CORRECTION_WEIGHTS = (0.7, 0.8, 0.4)
# A term in so few chunks may itself be a typo. It keeps its weight; corrections that are this many
# times more frequent are added, for less than those of an unknown word: it may be right after all.
RARE_DOCUMENTS = 1
RARE_FACTOR = 10
RARE_WEIGHT = 0.5
# Row ranges up to which the engine itself keeps to them (0.1 ms for one of 100,000 chunks, 30 ms for a
# hundred). With more ranges hits are filtered as they come, this many times more at each attempt.
MAX_ENGINE_RANGES = 4
MORE_HITS = 10


class LexicalError(Exception):
    """The engine failed on a query; the sentence says how."""


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
        weights = {**DEFAULT_BOOSTS, **(boosts or {})}
        try:
            clauses, corrected = self._clauses(query, weights)
            if not clauses:
                return NO_HITS
            groups = () if filter is None else filter.terms
            restricted = self._restricted(clauses, scopes, types, languages, ranges, groups)
            if filter is not None:
                rows, scores = self._best_of(restricted, max(1, limit), filter.mask)
            elif ranges is None or len(ranges) <= MAX_ENGINE_RANGES:
                rows, scores = self._best(restricted, max(1, limit))
            else:
                rows, scores = self._best_within(restricted, max(1, limit), ranges)
        except BaseException as error:
            raise _failure(error) from None
        return LexicalHits(rows, scores, corrected)

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

    def document_frequency(self, term: str) -> int:
        """Chunks that have the name term `term` as a word."""
        return self._searcher.doc_freq(WORDS, term)

    def names_something(self, term: str) -> bool:
        """Whether a chunk defines, or answers to, the name term `term`."""
        return self._searcher.doc_freq("identifiers", term) > 0

    def information(self, stem: str) -> float:
        """How much a prose term says: the logarithm of how rare it is among the chunks."""
        found = self._searcher.doc_freq("body", stem)
        return math.log((self.documents + 1) / (found + 0.5))

    def nearest_words(self, term: str, limit: int) -> list[Correction]:
        """Words of the index near a folded word; see `spelling.corrections`."""
        return corrections(term, self._with_prefix, limit)

    def _with_prefix(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        return self._searcher.terms_with_prefix(WORDS, prefix, limit=limit)

    def _clauses(
        self, query: Query, boosts: Mapping[str, float]
    ) -> tuple[list[tantivy.Query], dict[str, tuple[str, ...]]]:
        """The scored parts of a query, and the corrections among them."""
        weighted: dict[tuple[str, str], float] = {}  # (field, term) -> weight
        corrected: dict[str, tuple[str, ...]] = {}
        # A pasted log is full of unknown words, and none of them is a typo.
        looked_up = 0 if len(query.terms) <= MAX_TERMS else MAX_LOOKED_UP
        for term in self._affordable(query.terms):
            known = self._weigh(term, term.count, boosts, weighted)
            if known > RARE_DOCUMENTS or looked_up >= MAX_LOOKED_UP:
                continue
            if len(term.names[0]) < MIN_CHARS:
                continue
            looked_up += 1
            near = self._corrections(term, known)
            if near:
                corrected[term.typed] = tuple(correction.word for correction in near)
            for correction in near:
                weight = term.count * CORRECTION_WEIGHTS[correction.edits]
                weight *= RARE_WEIGHT if known else 1.0
                self._add_word(correction.word, weight, boosts, weighted)
        for operator in query.operators:
            self._add(OPERATORS, operator, boosts[OPERATORS], weighted)
            self._add("identifiers", operator, boosts["identifiers"], weighted)
        clauses = [self._term(field, term, weight) for (field, term), weight in weighted.items()]
        for phrase in query.phrases:
            clauses += self._phrase(phrase, boosts)
        return clauses, corrected

    def _affordable(self, terms: Sequence[Term]) -> Sequence[Term]:
        if len(terms) <= MAX_TERMS:
            return terms

        def worth(term: Term) -> float:
            found = self._searcher.doc_freq("body", (term.prose or term.names)[0])
            return -term.count * math.log((self.documents + 1) / (found + 0.5)) if found else 0.0

        return sorted(terms, key=worth)[:MAX_TERMS]

    def _weigh(
        self,
        term: Term,
        count: float,
        boosts: Mapping[str, float],
        weighted: dict[tuple[str, str], float],
    ) -> int:
        """Adds a term in all fields; gives the chunks that know it, whole, in the field that does."""
        known = 0
        for fields, forms in ((PROSE_FIELDS, term.prose), (NAME_FIELDS, term.names)):
            for at, form in enumerate(forms):
                weight = count if at == 0 else count * PART_WEIGHT
                for field in fields:
                    found = self._add(field, form, weight * boosts[field], weighted)
                    if at == 0:
                        known = max(known, found)
        return known

    def _add_word(
        self,
        word: str,
        weight: float,
        boosts: Mapping[str, float],
        weighted: dict[tuple[str, str], float],
    ) -> None:
        stem = self.analyzer.stem(word)
        for field in PROSE_FIELDS:
            self._add(field, stem, weight * boosts[field], weighted)
        for field in NAME_FIELDS:
            self._add(field, word, weight * boosts[field], weighted)

    def _add(
        self, field: str, term: str, weight: float, weighted: dict[tuple[str, str], float]
    ) -> int:
        found = self._searcher.doc_freq(field, term)
        if found and weight > 0:
            weighted[field, term] = weighted.get((field, term), 0.0) + weight
        return found

    def _corrections(self, term: Term, known: int) -> list[Correction]:
        near = self.nearest_words(term.names[0], MAX_CORRECTIONS)
        if known:
            near = [one for one in near if one.documents >= RARE_FACTOR * known]
        return near

    def _term(self, field: str, term: str, weight: float) -> tantivy.Query:
        query = self._tantivy.Query
        return query.boost_query(query.term_query(self._schema, field, term, "freq"), weight)

    def _phrase(self, phrase: str, boosts: Mapping[str, float]) -> list[tantivy.Query]:
        """A phrase in each field that knows positions; of a compound, its parts are the words."""
        parts = {at: term for term, at in self.analyzer.prose(phrase)}
        if len(parts) < 2:
            return []
        first = min(parts)
        words: list[str | tuple[int, str]] = [(at - first, parts[at]) for at in sorted(parts)]
        query = self._tantivy.Query
        return [
            query.boost_query(
                query.phrase_query(self._schema, field, words), boosts[field] * PHRASE_BOOST
            )
            for field in PHRASE_FIELDS
            if all(self._searcher.doc_freq(field, word) for word in parts.values())
        ]

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


def filter_term(kind: str, value: str | int) -> str:
    """The term of the filter field: kind is `scope` (an ordinal), `type` or `language` (folded)."""
    return f"{kind}:{str(value).casefold()}"


def _failure(error: BaseException) -> BaseException:
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
    try:
        for name in os.listdir(folder):
            os.symlink(os.path.join(os.path.abspath(folder), name), os.path.join(mirror, name))
        return tantivy.Index.open(mirror)
    except BaseException as error:
        failure = _failure(error)
        if failure is error:
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


def _temporary_folder(folder: str) -> str:
    import tempfile

    for parent in (None, "/dev/shm"):
        try:
            return tempfile.mkdtemp(prefix="kbc-lexical-", dir=parent)
        except OSError:
            continue
    raise ArtifactError(
        "unreadable",
        f"The lexical index in {folder} cannot be opened: no temporary folder can be written.",
        "Set TMPDIR to a folder that this user can write; a few links are put there for a moment.",
    )
