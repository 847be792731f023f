"""Finds the words of a query in a text, with the analysis that built the index."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from kb_runtime.search.analysis import WORD, Analyzer, fold, is_unspaced
from kb_runtime.search.query import Query
from kb_runtime.text.names import shared_prefix

# Characters for which folding does more than lowering the case: accented letters, compatibility forms.
# Typographic punctuation is not among them; lowering is 50 times faster than a table.
_FOLDS = re.compile("[\u00aa-\u0590\u1d00-\u1fff\u2070-\u218b\u2460-\u24ff\uf900-\uffff]")
# How far back the beginning of a word is looked for in text without white space.
_LONGEST_WORD_CHARS = 256
_LETTERS = re.compile(r"[^\W_]*")
_NEVER_IN_WORDS = frozenset(" \n\t\r()[]{}<>,;!?\"'`*/=|&+#$%@^~\\")

# A word of a text that matches a term of the query: its start, its end, the position of the term in
# `Matcher.terms`. A plain tuple, because a search makes hundreds.
Occurrence = tuple[int, int, int]


class Matcher:
    """Finds the words of a query in texts, by the same analysis that built the index.

    Made once for a query and used for all its hits.
    """

    def __init__(
        self, query: Query, analyzer: Analyzer, corrections: Mapping[str, Sequence[str]]
    ) -> None:
        """`corrections` are the words that stood in for unknown ones (see `lexical`)."""
        lone = query.lone_operators
        self.terms = tuple(term.typed for term in query.terms) + lone
        self._folded = [typed.casefold() for typed in self.terms]
        self._analyzer = analyzer
        self._words: dict[str, tuple[int, ...]] = {}
        self._owner: dict[str, int] = {}
        self._compounds = {at for at, term in enumerate(query.terms) if len(term.names) > 1}
        self._operators = [(len(query.terms) + at, operator) for at, operator in enumerate(lone)]
        wholes = [(at, term.names[:1]) for at, term in enumerate(query.terms)]
        parts = [(at, term.names[1:]) for at, term in enumerate(query.terms)]
        stand_ins = [
            (at, tuple(corrections.get(term.typed, ()))) for at, term in enumerate(query.terms)
        ]
        needles: dict[str, None] = {}
        for at, forms in [*wholes, *parts, *stand_ins]:  # a word typed by itself owns its form
            for form in forms:
                self._owner.setdefault(form, at)
                for stem in analyzer.stems(form):
                    self._owner.setdefault(stem, at)
                    needles[form[: shared_prefix(form, stem)] or form] = None
        # Other spellings, and verbs in two parts. Nearly all stems of these begin the words that they are of.
        for at, term in enumerate(query.terms):
            for stem in (*term.elsewhere, *term.verbs):
                if stem not in self._owner:
                    self._owner[stem] = at
                    needles[stem] = None
        self._needles = [(needle, is_unspaced(needle)) for needle in needles]

    def find(self, text: str, shown: int = 0) -> list[Occurrence]:
        """Every matching word of `text`, in order. Where a compound is in the first `shown` code points as it
        was typed (`max-age`), words that have only parts of it do not count there."""
        folded = _fold_in_place(text)
        found: set[Occurrence] = set()
        length, find = len(text), folded.find
        for needle, unspaced in self._needles:
            at, size = find(needle), len(needle)
            while at >= 0:
                end = at + size
                if unspaced:
                    found.add((at, end, self._owner[needle]))
                else:
                    start = at
                    # Most often the neighbours are blanks or brackets: nothing needs to be parsed.
                    if (at and text[at - 1] not in _NEVER_IN_WORDS) or (
                        end < length and text[end] not in _NEVER_IN_WORDS
                    ):
                        start, end = _word_around(text, at, end)
                    terms = self._words.get(word := text[start:end])
                    for term in self._terms_of(word) if terms is None else terms:
                        found.add((start, end, term))
                at = find(needle, end)
        for term, operator in self._operators:
            at = text.find(operator)
            if at >= 0:
                found.add((at, at + len(operator), term))
        if self._compounds and shown:
            inside = [each for each in found if each[0] < shown and each[2] in self._compounds]
            whole = {each for each in inside if self._folded[each[2]] in folded[each[0] : each[1]]}
            typed = {term for _, _, term in whole}
            found.difference_update(
                each for each in inside if each[2] in typed and each not in whole
            )
        return sorted(found)

    def matched(self, text: str, occurrences: Iterable[Occurrence]) -> tuple[str, ...]:
        """Query words that occur in a text, in the order of the query.

        As typed, if the text has that spelling in any case; otherwise the first spelling it has.
        """
        spelling: dict[int, str] = {}
        as_typed: set[int] = set()
        for start, end, term in occurrences:
            if term not in as_typed:
                if self._folded[term] in (word := text[start:end]).casefold():
                    spelling[term] = self.terms[term]
                    as_typed.add(term)
                else:
                    spelling.setdefault(term, word)
        return tuple(spelling[term] for term in sorted(spelling))

    def _terms_of(self, word: str) -> tuple[int, ...]:
        """The terms that `word` or its parts stand for."""
        names = [name for name, _ in self._analyzer.name_terms(word).terms]
        forms = {*names}.union(*map(self._analyzer.stems, names))
        terms = self._words[word] = tuple(
            {self._owner[form] for form in forms & self._owner.keys()}
        )
        return terms


def _word_around(text: str, at: int, end: int) -> tuple[int, int]:
    """The word of `text` that `at`..`end` lies in; `at`..`end` itself if in none."""
    end = _LETTERS.match(text, end).end()  # type: ignore[union-attr]  # it matches everywhere
    if (at == 0 or text[at - 1] in _NEVER_IN_WORDS) and (
        end == len(text) or text[end] in _NEVER_IN_WORDS
    ):
        return at, end
    floor = max(0, at - _LONGEST_WORD_CHARS)
    start = max(text.rfind(" ", floor, at), text.rfind("\n", floor, at), floor - 1) + 1
    for match in WORD.finditer(text, start):
        if match.end() > at:
            return match.span() if match.start() <= at else (at, end)
    return at, end


def _fold_in_place(text: str) -> str:
    """`text` folded character by character, so that positions stay what they are."""
    if text.isascii() or not _FOLDS.search(text):
        lower = text.lower()
        if len(lower) == len(text):
            return lower
    return text.translate(_FOLDED)


class _FoldTable(dict[int, str]):
    """For `str.translate`: the folded form of a character where that is one character too."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        folded = fold(char)
        self[code] = folded if len(folded) == 1 else char
        return self[code]


_FOLDED = _FoldTable()
