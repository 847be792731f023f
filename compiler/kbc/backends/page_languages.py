"""Tells the language of pages by the function words that they contain.

Only languages in Latin letters need to be told apart: of other words the letters say it (see
`kb_runtime.text.languages`).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kb_runtime.search.analysis import Analyzer
from kb_runtime.text.languages import (
    CZECH,
    ENGLISH,
    IN_LATIN,
    POLISH,
    UNKNOWN_IN_LATIN,
    is_accented,
)
from kbc.cache.phases import PhaseCache
from kbc.records import CompiledChunk

Page = tuple[str, str]
"""Collection and id of a record."""

_WORD = re.compile(r"[^\W\d_]+")
# Words of a page that are looked at.
_WORDS = 2_000
# A page is of another language than its collection, and a collection of another than English, if it has
# so many function words of it, which are this share of all its words (text has a quarter or more, tables and
# lists of names next to none), and so many times those of the language that is expected: languages share
# short words.
_ENOUGH = 20
_SHARE = 0.12
_CLEARLY = 1.5
# What has function words of both alike is in another Slavic language, with which they share the short ones:
# of Czech and Polish texts half of the words are their own and a fifth the other's, of Slovenian and Croatian
# ones a sixth are of either.
_ALIKE = {CZECH: POLISH, POLISH: CZECH}
# It is of none that kbc knows if it is not English by these words either, and so many of its words have
# letters that English has not: of a book in Slovenian 0.09, of English ones none.
_ACCENTED = 0.05


class _WordCounts(NamedTuple):
    """Of the first words of a page: how many there are, how many are function words of each language, and
    how many have letters that English has not."""

    words: int
    function_words: dict[str, int]
    accented: int


def page_languages(
    chunks: Iterable[CompiledChunk],
    given: Mapping[str, str],
    undetected: Iterable[str] = (),
    stated: Mapping[Page, str] | None = None,
    cache: PhaseCache | None = None,
) -> dict[Page, str]:
    """The language of every record.

    `given` are the languages that the author gave to collections, which count for all of their pages, but
    those that state their own; what a page of another collection states counts unless its words are clearly
    of another language, as those of a page that waits for its translation.
    Collections `undetected`, such as source code, are of no other language than that, or English. The words
    of pages are counted once, and from then on `cache` has the counts.
    """
    texts: dict[Page, list[str]] = {}
    undivided = {*undetected, *given}
    for chunk in chunks:
        own = texts.setdefault((chunk.collection, chunk.record_id), [])
        if chunk.collection not in undivided and chunk.type != "code":
            own.append(chunk.text)
    detected = [page for page, own in texts.items() if own]
    counted = (cache or PhaseCache(None)).map(
        "function-words",
        _LanguageDetector().counts,
        (texts[page] for page in detected),
        lambda own: own,
        _WordCounts,
        is_local=True,
    )
    none = _WordCounts(0, {}, 0)
    counts = {**dict.fromkeys(texts, none), **dict(zip(detected, counted, strict=True))}
    by_collection: dict[str, list[_WordCounts]] = defaultdict(list)
    for page, found in counts.items():
        by_collection[page[0]].append(found)
    usual = {
        name: given.get(name) or _language(_sum(found), ENGLISH)
        for name, found in by_collection.items()
    }
    stated = stated or {}
    return {
        page: _language(found, stated.get(page) or usual[page[0]]) for page, found in counts.items()
    }


def is_english(texts: Iterable[str]) -> bool:
    """Whether the function words of `texts` leave no doubt that they are in English."""
    found = _LanguageDetector().counts(texts)
    return found.function_words.get(ENGLISH, 0) > 0 and _language(found, "") == ENGLISH


def _language(found: _WordCounts, otherwise: str) -> str:
    """The language that most function words of a text are of, if they are enough to leave no doubt; none that
    is known, if its letters leave none."""
    counts, enough = found.function_words, max(_ENOUGH, _SHARE * found.words)
    best = max(sorted(counts), key=counts.__getitem__, default=otherwise)
    rivals = (otherwise, _ALIKE.get(best, otherwise))
    if counts.get(best, 0) >= max(enough, *(_CLEARLY * counts.get(each, 0) for each in rivals)):
        return best
    if otherwise != ENGLISH or counts.get(ENGLISH, 0) >= enough:
        return otherwise
    is_foreign = found.accented >= max(_ENOUGH, _ACCENTED * found.words)
    return UNKNOWN_IN_LATIN if is_foreign else ENGLISH


def _sum(pages: Iterable[_WordCounts]) -> _WordCounts:
    words = accented = 0
    counts: Counter[str] = Counter()
    for page in pages:
        words += page.words
        accented += page.accented
        counts.update(page.function_words)
    return _WordCounts(words, dict(counts), accented)


def by_frequency(counts: Mapping[str, int]) -> list[str]:
    """The languages with so many chunks each, the most frequent first; English where there is nothing."""
    return sorted(counts, key=lambda code: (-counts[code], code)) or [ENGLISH]


class _LanguageDetector:
    """Counts function words; remembers which languages have a word as one."""

    def __init__(self) -> None:
        self._analyzer = Analyzer(IN_LATIN)
        self._languages: dict[str, tuple[str, ...]] = {}

    def counts(self, texts: Iterable[str]) -> _WordCounts:
        """Of the first words of `texts`."""
        words: list[str] = []
        for text in texts:
            words += _WORD.findall(unicodedata.normalize("NFC", text))
            if len(words) >= _WORDS:
                break
        del words[_WORDS:]
        return _WordCounts(
            len(words), dict(self._function_words(words)), sum(map(is_accented, words))
        )

    def _function_words(self, words: Iterable[str]) -> Counter[str]:
        """How many words are function words of each language."""
        counts: Counter[str] = Counter()
        for word, times in Counter(word.lower() for word in words).items():
            known = self._languages.get(word)
            if known is None:
                known = self._languages[word] = tuple(self._analyzer.with_function_word(word))
            for code in known:
                counts[code] += times
        return counts
