"""Plans the lexical part of a query: weighted terms and phrases, and corrections of typos.

A plan depends on how often terms occur in all that is searched, which may be several indexes, and not on
any one of them: a word that one knowledge base contains is no typo because another lacks it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice, pairwise, product
from typing import TYPE_CHECKING, NamedTuple

from kb_runtime.search.analysis import RECIPE, WORD, fold, is_unspaced
from kb_runtime.search.lexical_schema import (
    NAME_FIELDS,
    OPERATORS,
    PHRASE_FIELDS,
    PROSE_FIELDS,
    WORDS,
)
from kb_runtime.search.spelling import MIN_CHARS, Correction, corrections
from kb_runtime.text.languages import ARABIC, language_of_script
from kb_runtime.text.words.arabic import joined_forms
from kb_runtime.text.words.derived import other_forms
from kb_runtime.text.words.persian import persian_forms

if TYPE_CHECKING:
    from kb_runtime.search.analysis import Analyzer
    from kb_runtime.search.query import Query, QueryTerm

    _Word = tuple[int, str]
    _Placed = tuple[_Word, ...]

# Parts of a compound count less than a word typed alone: `setToMap` asks for itself first.
PART_WEIGHT = 0.7
# A name with another word for one that was asked (`exclude` for "remove"), as a multiple of what that one
# counts in names: no other field has the synonym for it. benchmarks/wide/decisions.md has the figures.
SYNONYM_WEIGHT = 1.25
# What more chunks are called says little: `get` is a part of many names in source code. 16 and 32 are equally
# good.
MOST_NAMED = 16
# Other forms of the verb that a word is or is made of. Chosen on ten sets in German, Russian and Arabic, for
# which benchmarks/wide/decisions.md compares 0.3, 0.4 and 0.5.
DERIVED_WEIGHT = 0.4
# Other words with the same meaning. benchmarks/wide/decisions.md compares weights from 0.3 to 0.7.
MEANT_WEIGHT = 0.5
# A verb in two parts, and its first part by itself: `richte ... ein` is `einrichten` or `richten`, `log in`
# also a `login`.
PARTED_WEIGHT = 0.5
# A quoted phrase that occurs as quoted, as a multiple of its field's boost.
PHRASE_BOOST = 2.0
# Neighbouring words of the query that stand side by side, as a multiple of their field's boost: 0.25 adds
# 0.005 to the mean nDCG@10 of three text collections and 0.001 on code, 1.0 takes as much away.
PROXIMITY = 0.25
# A word that a text has at all adds this much of its weight, however often the text has it and however long
# the text is (BM25+; Lv and Zhai, "Lower-bounding term frequency normalization", CIKM 2011, who take 1).
# Chosen on thirteen sets, each left out in turn: benchmarks/wide/decisions.md compares 0.35, 0.5 and 0.7.
PRESENCE = 0.7
# Fewer words of a query, without stop words, are in the same order and at the same distances by chance.
LEAST_IN_RUN = 3
# A quotation is a run that says more than this share of what its line of the query says, in one word more:
# three words of a question may also be the name of a test.
MOST_OF_LINE = 0.5
LEAST_IN_QUOTATION = 4
# Of a pasted log the last lines: the message of many a traceback is there.
MAX_QUOTED_LINES = 16
# Words of a query that may be one name, written apart.
MOST_IN_NAME = 4
# Of a longer query the neighbours are not looked for: each pair costs as much as several words.
MAX_PROXIMITY_TERMS = 16
# Neither neighbours nor presence count where the words of a query occur this often: the engine passes over
# chunks that cannot be among the best (block-max WAND) only where all clauses are scored single words. Twelve
# words that are each in an eighth of 300,000 chunks take 7 ms without phrases and 28 ms with them.
MAX_POSTINGS = 100_000
# Terms that are scored; of more, the rarest are kept. 64 terms in all fields take about 1 ms.
MAX_TERMS = 64
# Unknown or rare terms for which corrections are looked for (about 1 ms each for a long one), and
# corrections of each that are searched. A query of many unknown words is no query with typos.
MAX_LOOKED_UP = 4
MAX_CORRECTIONS = 4
# Pairs that begin with a word of one letter, the most frequent ones.
MAX_BEGUN = 16
# What a correction counts by its number of edits (0: it completes what was typed).
CORRECTION_WEIGHTS = (0.7, 0.8, 0.4)
# A term in so few chunks may itself be a typo. It keeps its weight; corrections that are this many
# times more frequent are added, for less than those of an unknown word: it may be right after all.
RARE_DOCUMENTS = 1
RARE_FACTOR = 10
RARE_WEIGHT = 0.5


class Statistics:
    """How often terms occur in what is searched: in `documents` chunks."""

    documents: int
    is_sampled = False
    """Whether frequencies are estimated from a sample, in which also a frequent name may be rare."""

    def frequency(self, field: str, term: str) -> int:
        """The chunks that have `term` in `field`."""
        raise NotImplementedError

    def words_with_prefix(
        self, prefix: str, limit: int, field: str = WORDS
    ) -> list[tuple[str, int]]:
        """The most frequent terms of a field with that prefix and the chunks of each, the alphabet
        deciding."""
        raise NotImplementedError

    def document_frequency(self, term: str) -> int:
        """Chunks that have the name term `term` as a word."""
        return self.frequency(WORDS, term)

    def is_defined_name(self, term: str) -> bool:
        """Whether a chunk defines, or answers to, the name term `term`."""
        return self.frequency("identifiers", term) > 0

    def information(self, stem: str) -> float:
        """How much a prose term says: the logarithm of how rare it is among the chunks."""
        return math.log((self.documents + 1) / (self.frequency("body", stem) + 0.5))


class Phrase(NamedTuple):
    """Words at their positions in a field, of which the first is at 0."""

    field: str
    words: _Placed
    weight: float


class Plan(NamedTuple):
    """`terms` gives weights by field and term, `present` what a term adds wherever it occurs (a multiple of
    its rarity), `corrections` the words that stand in for a typed one. `quotations` say most of what a line
    of the query says: what has one of them verbatim is surely meant."""

    terms: Mapping[tuple[str, str], float]
    phrases: Sequence[Phrase]
    present: Mapping[tuple[str, str], float]
    corrections: dict[str, tuple[str, ...]]
    quotations: Sequence[Phrase] = ()

    @property
    def of_quotations(self) -> Plan:
        """The plan for what has one of the quotations."""
        return Plan({}, self.quotations, {}, {})


def plan(
    query: Query, boosts: Mapping[str, float], statistics: Statistics, analyzer: Analyzer
) -> Plan:
    """The plan of a query in the terms of `analyzer`, which is that of the index; `boosts` has a weight for
    every field. Terms that occur nowhere are left out, and so are phrases with such a word."""
    if analyzer.recipe != RECIPE:
        from kb_runtime.search.query import analyse  # which most indexes need no second time

        query = analyse(query.text, analyzer)
    return _Planner(boosts, statistics, analyzer).plan(query)


def nearest_words(statistics: Statistics, term: str, limit: int) -> list[Correction]:
    """Words of the vocabulary near a folded word; see `spelling.corrections`."""
    return corrections(
        term, statistics.words_with_prefix, lambda word: statistics.frequency(WORDS, word), limit
    )


class _Planner:
    """One planning: collects the weights of terms."""

    def __init__(
        self, boosts: Mapping[str, float], statistics: Statistics, analyzer: Analyzer
    ) -> None:
        self._boosts = boosts
        self._statistics = statistics
        self._analyzer = analyzer
        self._weighted: dict[tuple[str, str], float] = {}  # (field, term) -> weight
        self._placings: dict[str, _Placed] = {}
        self._language = ""

    def plan(self, query: Query) -> Plan:
        self._language = query.language
        corrected: dict[str, tuple[str, ...]] = {}
        # A pasted log is full of unknown words, and none of them is a typo.
        looked_up = 0 if len(query.terms) <= MAX_TERMS else MAX_LOOKED_UP
        affordable = self._affordable(query.terms)
        for term in affordable:
            known = self._weigh(term, term.times)
            if known > RARE_DOCUMENTS or looked_up >= MAX_LOOKED_UP:
                continue
            if len(term.names[0]) < MIN_CHARS:
                continue
            looked_up += 1
            near = self._corrections(term, known)
            if near:
                corrected[term.typed] = tuple(correction.word for correction in near)
            for correction in near:
                weight = term.times * CORRECTION_WEIGHTS[correction.edits]
                self._add_word(correction.word, weight * (RARE_WEIGHT if known else 1.0))
            # Of a compound that nothing is near to (`error-handlng`), the parts that occur nowhere.
            parts = () if known or near else self._unknown_parts(term)
            for part in parts[: MAX_LOOKED_UP - looked_up]:
                looked_up += 1
                near = nearest_words(self._statistics, part, MAX_CORRECTIONS)
                if near:
                    corrected[part] = tuple(correction.word for correction in near)
                for correction in near:
                    weight = term.times * PART_WEIGHT * CORRECTION_WEIGHTS[correction.edits]
                    self._add_word(correction.word, weight)
        if 2 <= len(written := query.written) <= MOST_IN_NAME:
            self._weigh_name(fold("".join(written)))
        for operator in query.operators:
            self._add(OPERATORS, operator, self._boosts[OPERATORS])
            self._add("identifiers", operator, self._boosts["identifiers"])
        phrases = [one for phrase in query.phrases for one in self._phrases(phrase)]
        if self._are_everywhere(affordable):
            return Plan(self._weighted, phrases, {}, corrected)
        if len(affordable) == len(query.terms) <= MAX_PROXIMITY_TERMS:
            phrases += self._neighbours(query.terms)
        self._weigh_synonyms(affordable)
        runs = [one for run in query.runs for one in self._run(run)]
        present = self._present(affordable)
        return Plan(self._weighted, phrases + runs, present, corrected, self._quotations(query))

    def _present(self, terms: Sequence[QueryTerm]) -> Mapping[tuple[str, str], float]:
        """Nothing of a single word, which every match has."""
        if sum(bool(term.prose) for term in terms) < 2:
            return {}
        return {
            (field, term): PRESENCE * weight
            for (field, term), weight in self._weighted.items()
            if field == "body"
        }

    def _are_everywhere(self, terms: Sequence[QueryTerm]) -> bool:
        found = sum(self._in_body(term.prose[0]) for term in terms if term.prose)
        return found > MAX_POSTINGS

    def _affordable(self, terms: Sequence[QueryTerm]) -> Sequence[QueryTerm]:
        if len(terms) <= MAX_TERMS:
            return terms

        def worth(term: QueryTerm) -> float:
            found = self._statistics.frequency("body", (term.prose or term.names)[0])
            if not found:
                return 0.0
            return -term.times * math.log((self._statistics.documents + 1) / (found + 0.5))

        return sorted(terms, key=worth)[:MAX_TERMS]

    def _weigh(self, term: QueryTerm, count: float) -> int:
        """Adds a term in all fields; gives the chunks that know it, whole, in the field that does."""
        known = 0
        verbs = [verb for verb in term.verbs if self._in_body(verb)]
        for fields, forms in ((PROSE_FIELDS, term.prose), (NAME_FIELDS, term.names)):
            for at, form in enumerate(forms):
                share = PART_WEIGHT if at else PARTED_WEIGHT if verbs else 1.0
                for field in fields:
                    found = self._add(field, form, count * share * self._boosts[field])
                    if at == 0:
                        known = max(known, found)
        parts = (*self._parts(term), *self._joined(term), *self._begun(term))
        for share, stems in (
            (1.0, term.elsewhere),
            (PARTED_WEIGHT, verbs),
            (PART_WEIGHT, parts),
            (DERIVED_WEIGHT, self._derived(term)),
            (MEANT_WEIGHT, self._meant(term)),
        ):
            for stem in stems:
                for field in PROSE_FIELDS:
                    known = max(known, self._add(field, stem, count * share * self._boosts[field]))
        return known

    def _weigh_name(self, name: str) -> None:
        """Adds the name that the words of a short query are together, of which some may be stop words
        (`no loop`: `noLoop`)."""
        for field in NAME_FIELDS:
            self._add(field, name, self._boosts[field])

    def _weigh_synonyms(self, terms: Sequence[QueryTerm]) -> None:
        """Of words with the same meaning in one query (`delete or remove`) each stands for itself, and their
        synonyms count once."""
        if self._statistics.is_sampled:
            return
        asked = {name for term in terms for name in term.names}
        times: dict[str, int] = {}
        for term in terms:
            for word in term.synonyms:
                if word not in asked:
                    times[word] = max(term.times, times.get(word, 0))
        for field, word in product(NAME_FIELDS, times):
            if self._statistics.frequency(field, word) <= MOST_NAMED:
                self._add(field, word, times[word] * SYNONYM_WEIGHT * self._boosts[field])

    def _derived(self, term: QueryTerm) -> Sequence[str]:
        """Other forms of the verb that a word is or is made of, and of an Arabic noun its other number."""
        if len(term.prose) != 1:
            return ()
        own = (*term.prose, *term.elsewhere)
        return other_forms(own, self._language_of(term), self._in_body)

    def _meant(self, term: QueryTerm) -> Sequence[str]:
        """Other words for the same, with their forms, that the collection has more often: so it says."""
        known = self._in_body(term.prose[0]) if term.meant else 0
        others = other_forms(term.meant, self._language_of(term), self._in_body)
        return [one for one in (*term.meant, *others) if self._in_body(one) > known]

    def _joined(self, term: QueryTerm) -> Sequence[str]:
        """A word of Arabic or Persian as it is with what is written onto it, and without."""
        word = term.names[0]
        if not term.prose or language_of_script(word) != ARABIC:
            return ()
        persian = persian_forms(word, self._analyzer.stem, self._in_body)
        return tuple(dict.fromkeys((*joined_forms(term.prose[0], self._in_body), *persian)))

    def _begun(self, term: QueryTerm) -> Sequence[str]:
        """The pairs that begin with a word of one letter in a script without spaces (`锁`: `锁定`), where it
        never stands by itself."""
        letter = term.names[0]
        if len(letter) > 1 or not is_unspaced(letter) or self._in_body(letter):
            return ()
        found = self._statistics.words_with_prefix(letter, MAX_BEGUN, "body")
        return [pair for pair, _ in found]

    def _parts(self, term: QueryTerm) -> Sequence[str]:
        """The parts of a compound (`Datenbanksitzung`) or the verb that a word is a form of (`ausgeführt`),
        in the first language in which it is one."""
        if len(term.prose) != 1:
            return ()
        for language in self._analyzer.languages:
            stem = self._analyzer.stem(term.names[0], language)
            parts = self._analyzer.parts(stem, language, self._in_body)
            if parts:
                return parts
        return ()

    def _language_of(self, term: QueryTerm) -> str:
        return language_of_script(term.names[0]) or self._language

    def _in_body(self, stem: str) -> int:
        return self._statistics.frequency("body", stem)

    def _add_word(self, word: str, weight: float) -> None:
        for field in PROSE_FIELDS:
            for stem in self._analyzer.stems(word):
                self._add(field, stem, weight * self._boosts[field])
        for field in NAME_FIELDS:
            self._add(field, word, weight * self._boosts[field])

    def _add(self, field: str, term: str, weight: float) -> int:
        found = self._statistics.frequency(field, term)
        if found and weight > 0:
            self._weighted[field, term] = self._weighted.get((field, term), 0.0) + weight
        return found

    def _unknown_parts(self, term: QueryTerm) -> list[str]:
        return [
            part
            for part in term.names[1:]
            if len(part) >= MIN_CHARS
            and not self._statistics.frequency(WORDS, part)
            and not any(
                self._statistics.frequency("body", stem) for stem in self._analyzer.stems(part)
            )
        ]

    def _corrections(self, term: QueryTerm, known: int) -> list[Correction]:
        near = nearest_words(self._statistics, term.names[0], MAX_CORRECTIONS)
        return [one for one in near if one.documents >= RARE_FACTOR * known]

    def _neighbours(self, terms: Sequence[QueryTerm]) -> list[Phrase]:
        """Words that follow each other in the query, stop words aside, as phrases of two."""
        words = [term.prose[0] for term in terms if term.prose]
        return [
            Phrase(field, ((0, one), (1, other)), self._boosts[field] * PROXIMITY)
            for one, other in pairwise(words)
            if one != other
            for field in PHRASE_FIELDS
            if all(self._statistics.frequency(field, word) for word in (one, other))
        ]

    def _run(self, run: str) -> list[Phrase]:
        """Words that follow each other in the query, as in a message that is pasted, where a body has them
        verbatim: together they count as a word that a single chunk has, however usual each of them is."""
        if len(run.split()) < LEAST_IN_RUN:  # parts of a name
            return []
        words = self._placed(run)
        if not LEAST_IN_RUN <= len(words) <= MAX_PROXIMITY_TERMS:
            return []
        if not all(self._in_body(word) for _, word in words):
            return []
        unique = math.log((self._statistics.documents + 1) / 1.5)
        return [Phrase("body", words, self._boosts["body"] * unique / self._told(words))]

    def _quotations(self, query: Query) -> list[Phrase]:
        """Runs that say most of what their line of the query says, in the last lines of many. A line as a
        whole is a run, too: it may be code."""
        found: dict[_Placed, None] = {}
        for line in query.text.splitlines()[-MAX_QUOTED_LINES:]:
            told = self._told(word for word in self._placed(line) if self._in_body(word[1]))
            for text in dict.fromkeys((line, *(run for run in query.runs if run in line))):
                for run in self._known_runs(self._placed(text)):
                    if self._told(run) > MOST_OF_LINE * told and self._is_long(text):
                        found[run] = None
        return [Phrase("body", run, 1.0) for run in found]

    def _known_runs(self, words: _Placed) -> Iterator[_Placed]:
        """The runs between what a message is filled in with: unknown words, perhaps letters and numbers."""
        known = frozenset(word for _, word in words if self._in_body(word))
        said = frozenset(word for word in known if len(word) > 1 and not word.isdigit())
        for counted in dict.fromkeys((known, said)):
            marked = [(word in counted, (at, word)) for at, word in words]
            for is_known, each in groupby(marked, lambda one: one[0]):
                run = [placed for _, placed in islice(each, MAX_PROXIMITY_TERMS)]
                if is_known and len(run) >= LEAST_IN_QUOTATION:
                    yield tuple((at - run[0][0], word) for at, word in run)

    def _is_long(self, text: str) -> bool:
        """Whether a text has enough words for a quotation, without function words and those that occur
        nowhere; a compound is one."""
        words = (
            word
            for word in WORD.findall(text)
            if any(self._in_body(term) for term, _ in self._analyzer.prose_terms(word).terms)
        )
        return len([*islice(words, LEAST_IN_QUOTATION)]) == LEAST_IN_QUOTATION

    def _told(self, words: Iterable[_Word]) -> float:
        return sum(self._statistics.information(word) for _, word in words)

    def _placed(self, text: str) -> _Placed:
        """The words of a text, stop words aside, with their distances from the first of them."""
        known = self._placings.get(text)
        if known is None:
            parts = {at: term for term, at in self._analyzer.prose(text)}
            first = min(parts, default=0)
            known = self._placings[text] = tuple((at - first, parts[at]) for at in sorted(parts))
        return known

    def _phrases(self, phrase: str) -> list[Phrase]:
        """A phrase in each field that knows positions; of a compound, its parts are the words."""
        words = self._placed(phrase)
        if len(words) < 2:
            return []
        return [
            Phrase(field, words, self._boosts[field] * PHRASE_BOOST)
            for field in PHRASE_FIELDS
            if all(self._statistics.frequency(field, word) for _, word in words)
        ]
