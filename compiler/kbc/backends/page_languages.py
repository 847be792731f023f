"""Tells the language of pages by the function words that they contain.

Only languages in Latin letters need to be told apart: of other words the letters say it (see
`kb_runtime.text.languages`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from kb_runtime.search.analysis import Analyzer
from kb_runtime.text.languages import ENGLISH, IN_LATIN
from kbc.records import Chunk

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


def page_languages(
    chunks: Iterable[Chunk], given: Mapping[str, str], undetected: Iterable[str] = ()
) -> dict[Page, str]:
    """The language of every record.

    `given` are the languages that the author gave to collections, which count for all of their pages.
    Collections `undetected`, such as source code, are of no other language than that, or English.
    """
    words: dict[Page, list[str]] = defaultdict(list)
    english = frozenset(undetected)
    for chunk in chunks:
        page = (chunk.collection, chunk.record_id)
        own = words[page]
        if chunk.collection in given or chunk.collection in english or chunk.type == "code":
            continue
        if len(own) < _WORDS:
            own += _WORD.findall(chunk.text)
    detector = _Detector()
    counts = {page: detector.function_words(own[:_WORDS]) for page, own in words.items()}
    all_words: Counter[str] = Counter()
    all_counts: dict[str, Counter[str]] = defaultdict(Counter)
    for page, own in words.items():
        all_words[page[0]] += min(len(own), _WORDS)
        all_counts[page[0]] += counts[page]
    usual = {
        name: given.get(name) or _language(found, all_words[name], ENGLISH)
        for name, found in all_counts.items()
    }
    return {
        page: usual[page[0]]
        if page[0] in given
        else _language(found, min(len(words[page]), _WORDS), usual[page[0]])
        for page, found in counts.items()
    }


def _language(counts: Mapping[str, int], words: int, otherwise: str) -> str:
    """The language that most function words of a text are of, if they are enough to leave no doubt."""
    best = max(sorted(counts), key=counts.__getitem__, default=otherwise)
    enough = max(_ENOUGH, _SHARE * words, _CLEARLY * counts.get(otherwise, 0))
    return best if counts.get(best, 0) >= enough else otherwise


def by_frequency(languages: Mapping[Page, str], chunks: Iterable[Chunk]) -> list[str]:
    """The languages of the chunks, the most frequent first; English where there is nothing."""
    counts = Counter(languages[chunk.collection, chunk.record_id] for chunk in chunks)
    return sorted(counts, key=lambda code: (-counts[code], code)) or [ENGLISH]


class _Detector:
    """Counts function words; remembers which languages have a word as one."""

    def __init__(self) -> None:
        self._analyzer = Analyzer(IN_LATIN)
        self._languages: dict[str, tuple[str, ...]] = {}

    def function_words(self, words: Iterable[str]) -> Counter[str]:
        """How many words are function words of each language."""
        counts: Counter[str] = Counter()
        for word, times in Counter(word.lower() for word in words).items():
            known = self._languages.get(word)
            if known is None:
                known = self._languages[word] = tuple(self._analyzer.with_function_word(word))
            for code in known:
                counts[code] += times
        return counts
