"""The lexical searcher of texts that have no index yet: it reads them for the terms of each query.

Answers as a `LexicalIndex` over the same windows would, nearly: the words of a query are looked for as
strings in all texts (a tree of 2,000 files takes some hundredths of a second), and the windows that have
most of them are then split into words and scored by BM25. Frequencies of common words are estimated from
a sample, nothing is corrected, and names are not looked for by other words: each costs as much as one of the
query, and a sample does not tell which names are rare.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from heapq import nlargest
from typing import TYPE_CHECKING, NamedTuple

from kb_runtime.search.analysis import Analyzer, fold, name_parts
from kb_runtime.search.lexical import NO_HITS, LexicalHits, LexicalRequest, SearchFilters
from kb_runtime.search.lexical_engine import rarity
from kb_runtime.search.lexical_plan import Statistics, plan
from kb_runtime.search.lexical_schema import NAME_FIELDS, PROSE_FIELDS, WORDS
from kb_runtime.text.remembered import Remembered
from kb_runtime.text.windows import defined_names

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from kb_runtime.search.lexical_plan import Phrase, Plan

SAMPLE = 32
"""Windows of those that have a string which are split into words to estimate how many have the term."""
RANKED = 200
"""Windows that are scored: those that have most of the query's words."""
_FIELDS = frozenset({"title", "body", "path", "identifiers"})  # of a window
# BM25 as the lexical engine has it.
K1 = 1.2
B = 0.75
# Of a stem so long the last letter is not looked for: `possibl` is in `possibly`, and not in `possibility`.
_LONG_STEM = 6
_REMEMBERED_STRINGS = 64
_REMEMBERED_WINDOWS = 2_000
_REMEMBERED_WORDS = 20_000

_WORD = re.compile(r"\w+")
# Of ASCII text, whose words need no regular expression: what is in none becomes a space.
_SEPARATORS = {code: " " for code in range(128) if not _WORD.match(chr(code))}
_NOTHING: frozenset[str] = frozenset()
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


class ScannedTexts(NamedTuple):
    """What is searched: `paths` of files, and of each window its text, the place of its file in `paths`, its
    type and its language."""

    paths: Sequence[str]
    windows: Sequence[str]
    files: Sequence[int]
    types: Sequence[str]
    languages: Sequence[str]


class ScanIndex(Statistics):
    """Searches like a `LexicalIndex`. Safe to use from several threads."""

    is_sampled = True

    def __init__(self, texts: ScannedTexts) -> None:
        self.analyzer = Analyzer()
        self.documents = len(texts.windows)
        self._texts = texts
        self._folded_paths = folded_paths = [_folded(path) for path in texts.paths]
        # The path is a heading of every window, as in an index.
        self._folded = [
            f"{folded_paths[file]}\n{_folded(text)}"
            for file, text in zip(texts.files, texts.windows, strict=True)
        ]
        mean = sum(map(len, self._folded)) / max(len(self._folded), 1)
        self._norms = [K1 * (1 - B + B * len(text) / mean) for text in self._folded]
        self._windows_of = Counter(texts.files)
        self._scanned: Remembered[str, dict[int, int]] = Remembered(_REMEMBERED_STRINGS)
        self._words = lru_cache(_REMEMBERED_WINDOWS)(self._count_words)
        self._names = lru_cache(_REMEMBERED_WINDOWS)(self._count_names)
        self._path_words = lru_cache(_REMEMBERED_WINDOWS)(_counted)
        self._terms = lru_cache(_REMEMBERED_WORDS)(self._split)
        self._frequency = lru_cache(_REMEMBERED_STRINGS)(self._estimate)

    def search(self, request: LexicalRequest) -> LexicalHits:
        """The best windows for a request; see `LexicalIndex.search`."""
        if not self.documents or request.filters.exclude_all:
            return NO_HITS
        planned = plan(request.query, request.weights, self, self.analyzer)
        rows, scores = self.run(planned, request.limit, request.filters)
        return LexicalHits(rows, scores, planned.corrections)

    def run(
        self, plan: Plan, limit: int, filters: SearchFilters, statistics: Statistics | None = None
    ) -> tuple[list[int], list[float]]:
        """The rows and scores of `search` for a plan; see `LexicalIndex.run`."""
        counted = statistics or self
        worth = {
            (field, term): weight * rarity(counted.documents, counted.frequency(field, term))
            for (field, term), weight in plan.terms.items()
        }
        rows = self._promising(worth, filters)
        scores = self._scored(rows, plan, worth, counted)
        best = sorted((-score, row) for row, score in scores.items() if score > 0)
        best = best[: max(1, limit)]
        return [row for _, row in best], [-score for score, _ in best]

    def quoted(
        self, plan: Plan, filters: SearchFilters, statistics: Statistics | None = None
    ) -> list[int]:
        """None: what is quoted is found by its words alone until there is an index."""
        del plan, filters, statistics
        return []

    def frequency(self, field: str, term: str) -> int:
        """About how many windows have `term` in `field`: none in a field of the vocabulary, by which words
        are corrected."""
        return self._frequency(field, term)

    def words_with_prefix(
        self, prefix: str, limit: int, field: str = WORDS
    ) -> list[tuple[str, int]]:
        """None: there is no vocabulary to correct words by."""
        del prefix, limit, field
        return []

    def _promising(
        self, worth: Mapping[tuple[str, str], float], filters: SearchFilters
    ) -> list[int]:
        """The windows that pass the filters and have most of the terms, as far as strings tell."""
        needles: dict[str, float] = {}
        for (field, term), value in worth.items():
            needle = _needle(field, term)
            needles[needle] = max(needles.get(needle, 0.0), value)
        scores: dict[int, float] = {}
        norms = self._norms
        for needle, value in needles.items():
            for row, count in self._found(needle).items():
                scores[row] = scores.get(row, 0.0) + value * count / (count + norms[row])
        passing = _passing(self._texts, filters)
        rows = scores if passing is None else filter(passing.__contains__, scores)
        return nlargest(RANKED, rows, key=lambda row: (scores[row], -row))

    def _scored(
        self,
        rows: Sequence[int],
        plan: Plan,
        worth: Mapping[tuple[str, str], float],
        statistics: Statistics,
    ) -> dict[int, float]:
        scores = dict.fromkeys(rows, 0.0)
        for field in dict.fromkeys(field for field, _ in worth):
            terms = {term: value for (each, term), value in worth.items() if each == field}
            present = {
                term: value * rarity(statistics.documents, statistics.frequency(field, term))
                for (each, term), value in plan.present.items()
                if each == field
            }
            occurring = _TermCounter(self._terms, field, terms)
            counts = [self._words_of(field, row) for row in rows]
            lengths = [sum(each.values()) for each in counts]
            mean = sum(lengths) / max(len(lengths), 1) or 1.0
            for row, words, length in zip(rows, counts, lengths, strict=True):
                norm = K1 * (1 - B + B * length / mean)
                for term, count in occurring.among(words).items():
                    scores[row] += terms[term] * (K1 + 1) * count / (count + norm)
                    scores[row] += present.get(term, 0.0)
        for phrase in plan.phrases:
            if phrase.field == "body":
                self._add_phrase(phrase, scores, statistics)
        return scores

    def _add_phrase(self, phrase: Phrase, scores: dict[int, float], statistics: Statistics) -> None:
        (_, first), *others = phrase.words
        pattern, before = re.escape(_needle(phrase.field, first)), 0
        for at, word in others:
            between = rf"(?:\W+\w+){{{at - before - 1}}}" if at > before + 1 else ""
            pattern += rf"\w*{between}\W+{re.escape(_needle(phrase.field, word))}"
            before = at
        wanted = re.compile(pattern)
        value = phrase.weight * sum(
            rarity(statistics.documents, statistics.frequency(phrase.field, word))
            for _, word in phrase.words
        )
        for row in scores:
            if count := len(wanted.findall(self._folded[row])):
                scores[row] += value * (K1 + 1) * count / (count + K1)

    def _estimate(self, field: str, term: str) -> int:
        if field not in _FIELDS:
            return 0
        needle, occurring = _needle(field, term), _TermCounter(self._terms, field, (term,))
        if field in ("title", "path"):
            paths = self._texts.paths
            return sum(
                windows
                for file, windows in self._windows_of.items()
                if needle in self._folded_paths[file]
                and occurring.among(self._path_words(paths[file]))
            )
        rows = self._found(needle)
        if field == "identifiers":
            # A definition is in few of the windows that have its name, most likely where that is often.
            most = nlargest(SAMPLE, rows, key=lambda row: (rows[row], -row))
            return sum(bool(occurring.among(self._names(row))) for row in most)
        if not rows:
            return 0
        sample = list(rows)[:: -(-len(rows) // SAMPLE)]
        having = sum(bool(occurring.among(self._words(row))) for row in sample)
        return round(having * len(rows) / len(sample))

    def _found(self, needle: str) -> dict[int, int]:
        known = self._scanned.get(needle)
        return self._scan(needle) if known is None else known

    def _words_of(self, field: str, row: int) -> Counter[str]:
        """The words of a field of a window."""
        if field == "identifiers":
            return self._names(row)
        if field in ("title", "path"):
            return self._path_words(self._texts.paths[self._texts.files[row]])
        return self._words(row)

    def _scan(self, needle: str) -> dict[int, int]:
        """The windows that have a string, and how often: in their order."""
        folded = self._folded
        # `rotated` is looked for where `rotat` was found.
        rows: Iterable[int] = range(len(folded))
        for known, found in list(self._scanned.items()):
            if known in needle:
                rows = found
                break
        counts = {row: folded[row].count(needle) for row in rows if needle in folded[row]}
        return self._scanned.keep(needle, counts)

    def _count_words(self, row: int) -> Counter[str]:
        path = self._texts.paths[self._texts.files[row]]
        return _counted(f"{path}\n{self._texts.windows[row]}")

    def _count_names(self, row: int) -> Counter[str]:
        return Counter(defined_names(self._texts.windows[row]))

    def _split(self, word: str) -> tuple[frozenset[str], frozenset[str]]:
        """The prose terms and the name terms of a word."""
        parts, whole = name_parts(word)
        names = {*parts, whole} - {""}
        own = self.analyzer.language(word, "")
        prose = {own.stem(name) for name in names if not own.is_stop_word(name, word)}
        return frozenset(prose), frozenset(names)


class _TermCounter:
    """Counts some terms of a field among words; remembers which words have them."""

    def __init__(
        self,
        split: Callable[[str], tuple[frozenset[str], frozenset[str]]],
        field: str,
        terms: Collection[str],
    ) -> None:
        self._split = split
        self._at = 0 if field in PROSE_FIELDS else 1
        self._wanted = frozenset(terms)
        self._needles = [_needle(field, term) for term in terms]
        self._known: dict[str, frozenset[str]] = {}

    def among(self, words: Mapping[str, int]) -> Counter[str]:
        found: Counter[str] = Counter()
        for word, count in words.items():
            terms = self._known.get(word)
            if terms is None:
                terms = self._known[word] = self._terms(word)
            for term in terms:
                found[term] += count
        return found

    def _terms(self, word: str) -> frozenset[str]:
        folded = _folded(word)
        if "_" in folded:
            folded = folded.replace("_", "")
        for needle in self._needles:
            if needle in folded:
                return self._split(word)[self._at] & self._wanted
        return _NOTHING  # nearly all words


def words_in(text: str) -> list[str]:
    """The runs of letters and digits in `text`."""
    return text.translate(_SEPARATORS).split() if text.isascii() else _WORD.findall(text)


def _counted(text: str) -> Counter[str]:
    return Counter(words_in(text))


def _folded(text: str) -> str:
    lowered = text.lower()
    return lowered if text.isascii() else _NOT_ASCII.sub(lambda found: fold(found[0]), lowered)


def _needle(field: str, term: str) -> str:
    """What every word has that has this term. Stems change the end of a word: `retri` is from `retry`."""
    if field in NAME_FIELDS or not term.isascii():
        return term
    return term[:-1] if term.endswith("i") or len(term) >= _LONG_STEM else term


def _passing(texts: ScannedTexts, filters: SearchFilters) -> set[int] | None:
    """The windows that filters leave; None for all."""
    rows: set[int] | None = None

    def keep(some: Iterable[int]) -> None:
        nonlocal rows
        rows = set(some) if rows is None else rows.intersection(some)

    if filters.collections is not None and 0 not in filters.collections:
        keep(())
    for values, of_rows in ((filters.types, texts.types), (filters.languages, texts.languages)):
        if values:
            wanted = {value.casefold() for value in values}
            keep(row for row, value in enumerate(of_rows) if value.casefold() in wanted)
    if filters.ranges is not None:
        keep(row for one in filters.ranges for row in one)
    if filters.rows is not None:
        keep(filters.rows.mask.nonzero()[0].tolist())
    return rows
