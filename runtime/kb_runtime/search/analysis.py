"""Splits text into terms, with one definition for indexing and for queries.

A *word* is a maximal run of letters, digits and marks, with the joiners that identifiers and names
use inside (`_`, `.`, `-`, `::`). A word yields, at increasing positions, the terms it can be found by:

- `setToMap`, `set_to_map`, `set-to-map` -> `settomap` and `set`, `to`, `map`;
- `HTTPServer.parse_url` -> `httpserver.parseurl`, `httpserver`, `http`, `server`, `parseurl`, ...;
- `utf8` -> `utf8`, `utf`, `8`; `naïve` -> `naive`; `日本語` -> `日本`, `本語` (overlapping pairs, since
  such scripts write no spaces).

A compound is at the position of its first part, so phrases of parts match across spellings.
*Name terms* are these terms unchanged. *Prose terms* are the same without the stop words of a language,
stemmed by its stemmer in the lexical engine. *Operators* are runs of punctuation that are tokens of their
own (`=>`).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

from kb_runtime.text.languages import (
    ARABIC,
    CZECH,
    ENGLISH,
    FUNCTION_WORDS,
    POLISH,
    RUSSIAN,
    STEMMERS,
    UNKNOWN_IN_LATIN,
    is_accented,
    language_of_script,
)
from kb_runtime.text.remembered import Remembered
from kb_runtime.text.words.accents import ACCENTS
from kb_runtime.text.words.arabic import arabic_stem
from kb_runtime.text.words.compounds import LINKS, split_compound, verb_within
from kb_runtime.text.words.slavic import czech_stem, polish_stem
from kb_runtime.text.words.unspaced import (
    FUNCTION_PAIRS,
    UNSPACED,
    pairs,
    pairs_of_letters,
    pieces,
    unspaced_earlier,
)

if TYPE_CHECKING:
    import tantivy

# Changing anything that changes the terms of some text must change this name: an index written by
# another recipe is refused when it is opened, but for the earlier one, in whose terms it is searched.
RECIPE = "kbc-terms-3"
EARLIER = "kbc-terms-2"

# A longer whole (an encoded blob, a minified line) is no name that anybody types.
MAX_TERM_CHARS = 64
# An identifier with more case changes than this is encoded data; its parts mean nothing.
MAX_PARTS = 16
# Distinct words whose analysis is remembered. About 300 bytes each; beyond it the memory starts anew.
CACHED_WORDS = 50_000
# Words whose stems in all languages are remembered, 200 bytes each: those of a query's hits.
_REMEMBERED_STEMS = 5_000

# Letters and digits of any script, plus marks that `\w` leaves out: combining diacritics, Hebrew and
# Arabic points, the vowel signs of the Indic and South-East Asian blocks, soft hyphen and joiners.
_CHAR = (
    r"\w\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f"
    r"\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0900-\u0963\u0966-\u109f\u1780-\u17dd"
    r"\u200c\u200d\u3099\u309a"
)
WORD = re.compile(rf"[{_CHAR}]+(?:(?:[-.]|::)[{_CHAR}]+)*")
_JOINER = re.compile(r"::|[-.]")
_ASCII_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_OPERATOR = re.compile(r"[!#$%&*+\-./:<=>?@\\^|~'\u2190-\u22ff\u27f0-\u27ff]+")
_STANDS_ALONE = frozenset(' \t\r\n`"()[]{},;')
_MAX_OPERATOR_CHARS = 4

_DROPPED = str.maketrans("", "", "\u00ad\u0640\u200c\u200d")
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"}
)
# Letters of Ukrainian and Belarusian as the Russian stemmer knows them: most endings are the same then.
_CYRILLIC = str.maketrans("ёєіїґў", "ееиигу")
_CYRILLIC_EARLIER = str.maketrans("ё", "е")

# They carry no topic, and question-style queries are full of them: without them nDCG@10 on questions about
# code rose from 0.48 to 0.58 in a study of public collections. They are never removed from names: `and`,
# `in` and `not` are operators somewhere.
STOP_WORDS = frozenset(FUNCTION_WORDS[ENGLISH].split())


_LIGHT_STEMMERS: Mapping[str, Callable[[str], str]] = {
    ARABIC: arabic_stem,
    CZECH: czech_stem,
    POLISH: polish_stem,
}


class Terms(NamedTuple):
    """The terms of one word with their positions relative to the word; it spans `width` positions."""

    terms: tuple[tuple[str, int], ...]
    width: int


def fold(word: str) -> str:
    """`word` in lower case, with the accents of Latin, Greek, Hebrew and Arabic letters removed.

    Compatibility forms (full-width letters, ligatures) become ordinary ones. Marks of other scripts
    are letters there and stay.
    """
    if word.isascii():
        return word.lower()
    out: list[str] = []
    base = ""
    for char in unicodedata.normalize("NFKD", word.translate(_DROPPED).casefold()):
        if not unicodedata.combining(char):
            base = char
        elif (before := base or char) < "\u0400" or "\u0590" <= before < "\u0900":
            continue  # a pair of letters may begin with a mark (`้น`)
        out.append(char)
    return unicodedata.normalize("NFC", "".join(out)).translate(_LETTERS)


class Language:
    """The stop words and the stemmer of a language, with what it has seen; none of both for another code
    than those of `STEMMERS`."""

    def __init__(self, code: str, recipe: str = RECIPE) -> None:
        import tantivy

        name = STEMMERS.get(code)
        is_earlier = recipe == EARLIER
        self._stemmer = None if is_earlier else _LIGHT_STEMMERS.get(code)
        if name and self._stemmer is None:
            engine = _engine(tantivy.Filter.stemmer(name))
            accented = None if is_earlier else ACCENTS.get(code)
            if code == RUSSIAN:
                letters = _CYRILLIC_EARLIER if is_earlier else _CYRILLIC
                self._stemmer = lambda term: engine.analyze(term.translate(letters))[0]
            elif accented is not None:
                self._stemmer = lambda term: fold(engine.analyze(accented(term))[0])
            else:
                self._stemmer = lambda term: engine.analyze(term)[0]
        self._written = frozenset(FUNCTION_WORDS.get(code, "").split())
        pairs_of_any = frozenset[str]() if is_earlier else FUNCTION_PAIRS
        self._own = pairs_of_any.union(map(fold, self._written))
        self._listed: tantivy.TextAnalyzer | None = None
        if name and code != ENGLISH:
            try:
                self._listed = _engine(tantivy.Filter.stopword(name))
            except ValueError:  # the engine has no list of this language
                self._listed = None
        self._stems: Remembered[str, str] = Remembered(CACHED_WORDS)
        self.prose: Remembered[str, Terms] = Remembered(CACHED_WORDS)

    def stem(self, term: str) -> str:
        if self._stemmer is None:
            return term
        known = self._stems.get(term)
        return self._stems.keep(term, self._stemmer(term)) if known is None else known

    def is_stop_word(self, term: str, word: str) -> bool:
        """Whether a folded term says nothing; `word` is the word that it is from, as it is written."""
        if term in self._own:
            return True
        if self._listed is None:
            return False
        return not self._listed.analyze(term) or (
            term == fold(word) and not self._listed.analyze(word.lower())
        )

    def is_function_word(self, word: str) -> bool:
        """Whether a word in lower case is a stop word as it is written: other languages have its letters
        with other accents (`là` is no Italian word)."""
        if word.isascii():
            return self.is_stop_word(word, word)
        return word in self._written or bool(self._listed and not self._listed.analyze(word))


def _engine(step: tantivy.Filter) -> tantivy.TextAnalyzer:
    """One step of the engine's own analysis, for single words."""
    import tantivy

    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw()).filter(step).build()


class Analyzer:
    """Turns text into terms. Remembers the words it has seen; safe to share between threads.

    `languages` are the codes of those that pages with Latin letters are written in, the most frequent
    first. What is not said to be of another one is of the first. Terms are those of `recipe`.
    """

    def __init__(self, languages: Sequence[str] = (ENGLISH,), recipe: str = RECIPE) -> None:
        self.languages = tuple(languages) or (ENGLISH,)
        self.recipe = recipe
        self._languages = {code: Language(code, recipe) for code in self.languages}
        self._names: Remembered[str, Terms] = Remembered(CACHED_WORDS)
        self._stems: Remembered[str, tuple[str, ...]] = Remembered(_REMEMBERED_STEMS)

    def names(self, text: str) -> list[tuple[str, int]]:
        """(term, position) for every word of `text`, stop words kept, nothing stemmed."""
        return _placed(WORD.findall(text), self._names, self.name_terms)

    def prose(self, text: str, language: str = "") -> list[tuple[str, int]]:
        """(stemmed term, position) for the words of `text`; stop words leave a gap in the positions."""
        return self.prose_of(WORD.findall(text), language)

    def prose_of(self, words: Sequence[str], language: str = "") -> list[tuple[str, int]]:
        """`prose` of the words of a text, as `WORD` finds them."""
        # A word in the letters of another language is never among those of this one.
        known = self._language(language or self.languages[0]).prose
        return _placed(words, known, lambda word: self.prose_terms(word, language))

    def name_terms(self, word: str) -> Terms:
        """The name terms of one word, as `WORD` finds it."""
        known = self._names.get(word)
        if known is None:
            known = _split(word, self.recipe == EARLIER)
            if len(word) <= MAX_TERM_CHARS:
                self._names.keep(word, known)
        return known

    def words(self, word: str) -> list[str]:
        """The words of a query that a word, as `WORD` finds it, consists of: a run without spaces is a
        sentence, of which each pair is a word, and so is each name between such runs."""
        if not is_unspaced(word, self.recipe == EARLIER):
            return [word] * bool(self.name_terms(word).terms)
        if self.recipe == EARLIER:
            return [term for term, _ in self.name_terms(word).terms]
        found: list[str] = []
        for piece, unspaced in pieces(word):
            if unspaced:
                found += pairs(fold(piece))
            else:
                found += chain.from_iterable(map(self.words, WORD.findall(piece)))
        return found

    def prose_terms(self, word: str, language: str = "") -> Terms:
        """The prose terms of one word, as `WORD` finds it."""
        own = self.language(word, language)
        known = own.prose.get(word)
        if known is None:
            terms, width = self.name_terms(word)
            known = Terms(
                tuple(
                    (own.stem(term), at) for term, at in terms if not own.is_stop_word(term, word)
                ),
                width,
            )
            if len(word) <= MAX_TERM_CHARS:
                own.prose.keep(word, known)
        return known

    def stem(self, term: str, language: str = "") -> str:
        """The stem of a folded term."""
        return self.language(term, language).stem(term)

    def stems(self, term: str) -> tuple[str, ...]:
        """The stems of a folded term in all languages, those of the first one first."""
        known = self._stems.get(term)
        if known is None:
            found = dict.fromkeys(self.stem(term, code) for code in self.languages)
            known = self._stems.keep(term, tuple(found))
        return known

    def parts(self, stem: str, language: str, count: Callable[[str], int]) -> tuple[str, ...]:
        """The stems of the parts of a compound, or of the verb that a word is a form of, where `language` has
        such words; `count` says how often a stem occurs."""
        if language not in LINKS or len(stem) > MAX_TERM_CHARS:
            return ()
        if verb := verb_within(stem, language, count):
            return (verb,)
        own = self.language(stem, language)
        return split_compound(stem, language, own.stem, count)

    def language_of(self, words: Iterable[str]) -> str:
        """Of the languages the one whose function words a query has most of; the first of several. Where one
        without function words is among them, a word with an accent is as good as one for all but English."""
        if len(self.languages) == 1:
            return self.languages[0]
        counts: Counter[str] = Counter()
        with_accents = set(self.languages) - {ENGLISH}
        for word in words:
            if UNKNOWN_IN_LATIN in with_accents and is_accented(word):
                counts.update(with_accents)
                counts.update(self.with_function_word(word.lower()))
                continue
            term = fold(word)
            counts.update(
                code for code in self.languages if self._languages[code].is_stop_word(term, word)
            )
        return max(self.languages, key=counts.__getitem__)

    def with_function_word(self, word: str) -> list[str]:
        """The languages in which a word in lower case is a function word as it is written."""
        # Not `_languages`, to which other threads add those of other letters.
        return [code for code in self.languages if self._languages[code].is_function_word(word)]

    def language(self, word: str, language: str) -> Language:
        """The language of a word: what its letters say, else what is said of the text around it."""
        return self._language(language_of_script(word) or language or self.languages[0])

    def _language(self, code: str) -> Language:
        known = self._languages.get(code)
        if known is None:
            known = self._languages[code] = Language(code, self.recipe)
        return known


def _placed(
    words: Sequence[str], known: Mapping[str, Terms], analyse: Callable[[str], Terms]
) -> list[tuple[str, int]]:
    out: list[tuple[str, int]] = []
    position = 0
    for word in words:
        terms, width = known.get(word) or analyse(word)
        for term, offset in terms:
            out.append((term, position + offset))
        position += width
    return out


def is_unspaced(text: str, earlier: bool = False) -> bool:
    """Whether `text` has letters of a script that puts no spaces between words; `earlier`: by the earlier
    recipe."""
    runs = unspaced_earlier() if earlier else UNSPACED
    return not text.isascii() and runs.search(text) is not None


def operators(text: str) -> list[str]:
    """Runs of 1 to 4 punctuation characters that mean something by themselves, in order.

    A single character counts only where it stands alone (between spaces, quotes or brackets):
    elsewhere it is punctuation.
    """
    found: list[str] = []
    for match in _OPERATOR.finditer(text):
        run = match.group()
        if len(run) > _MAX_OPERATOR_CHARS:
            continue
        if len(run) == 1:
            before = text[match.start() - 1] if match.start() else " "
            after = text[match.end()] if match.end() < len(text) else " "
            if before not in _STANDS_ALONE or after not in _STANDS_ALONE:
                continue
        found.append(run)
    return found


def _split(word: str, earlier: bool = False) -> Terms:
    """The terms of `word`: the whole, each component between joiners, and each component's parts. `earlier`
    is for indexes of the earlier recipe."""
    if is_unspaced(word) and not earlier:
        return _mixed(word)
    components: list[list[str]] = []
    wholes: list[str] = []
    for component in _JOINER.split(word):
        parts, whole = name_parts(component, earlier)
        if parts:
            components.append(parts)
            wholes.append(whole)
    if not components:
        return Terms((), 0)
    # A hyphen or underscore only joins (`set-to-map` is `setToMap`), a dot or `::` qualifies.
    hyphenated = "-" in word and "." not in word and "::" not in word
    whole = "".join(wholes) if hyphenated else ".".join(wholes)
    terms: list[tuple[str, int]] = []
    position = 0
    if len(components) > 1 and all(wholes):
        terms.append((whole, 0))
    for parts, component_whole in zip(components, wholes, strict=True):
        if component_whole and len(parts) > 1:
            terms.append((component_whole, position))
        for part in parts:
            terms.append((part, position))
            position += 1
    return Terms(tuple(item for item in terms if len(item[0]) <= MAX_TERM_CHARS), position)


def _mixed(word: str) -> Terms:
    """The pairs of runs without spaces, and between them the terms of other words (`docker-composeで`)."""
    terms: list[tuple[str, int]] = []
    position = 0
    for piece, unspaced in pieces(word):
        if unspaced:
            found = pairs(fold(piece))
            terms += zip(found, range(position, position + len(found)), strict=True)
            position += len(found)
            continue
        for other in WORD.findall(piece):
            own, width = _split(other)
            terms += [(term, position + at) for term, at in own]
            position += width
    return Terms(tuple(terms), position)


def name_parts(word: str, earlier: bool = False) -> tuple[list[str], str]:
    """The folded parts of a word without joiners (`setToMap`), and its folded whole ("" where the parts
    alone say it all)."""
    if is_unspaced(word, earlier):
        terms = _split_earlier(word) if earlier else [term for term, _ in _mixed(word).terms]
        return terms, ""
    bare = [piece for piece in word.split("_") if piece]
    if not bare:
        return [], ""
    whole = fold("".join(bare))
    if not whole:
        return [], ""
    parts = [fold(part) for piece in bare for part in _cases(piece)]
    parts = [part for part in parts if part]
    # Parts of one character on average (`x1`, `a8f3`) are noise: only the whole is a name.
    if not parts or len(parts) * 2 > len(whole) or len(parts) > MAX_PARTS:
        return [whole], whole
    return parts, whole


def _split_earlier(word: str) -> list[str]:
    """The terms of a word with a run without spaces, as the earlier recipe has them."""
    return [
        term
        for piece, unspaced in pieces(word, unspaced_earlier())
        for term in (
            pairs_of_letters(fold(piece))
            if unspaced
            else (each for each, _ in _split(piece, earlier=True).terms)
        )
    ]


def _cases(word: str) -> list[str]:
    """`word` cut where the case or the kind of character changes: `HTTPServer2` -> HTTP, Server, 2."""
    if word.isascii():
        if word.islower() and word.isalpha():
            return [word]
        return _ASCII_PART.findall(word)
    cuts = [0]
    for at in range(1, len(word)):
        before, here = word[at - 1], word[at]
        if (before.islower() and here.isupper()) or before.isdigit() != here.isdigit():
            cuts.append(at)
    cuts.append(len(word))
    return [word[start:end] for start, end in pairwise(cuts)]
