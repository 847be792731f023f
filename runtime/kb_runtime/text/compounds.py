"""Splits compounds of languages that write them as one word, by the words that a collection has itself.

`Datenbanksitzung` is found by `Sitzung` where both parts are words of the text by themselves, which needs no
dictionary (Koehn and Knight, Empirical Methods for Compound Splitting, 2003).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

# What stands between parts, by language.
LINKS: Mapping[str, tuple[str, ...]] = {
    "da": ("", "s", "e"),
    "de": ("", "s", "n", "en", "es", "er", "e"),
    "nl": ("", "s", "e", "en"),
    "no": ("", "s", "e"),
    "sv": ("", "s"),
}
# What the stemmer takes off a long word and leaves at a short one: `datenbanksitz`, but `sitzung`.
_ENDINGS: Mapping[str, tuple[str, ...]] = {"de": ("ung", "ig", "isch", "lich", "heit", "keit")}
# Shorter ones are endings, prefixes and abbreviations as often as words.
_MIN_CHARS = 4
# Occurrences of a part by itself: a single one may be a typo, or what is left of a name.
_MIN_COUNT = 2


def split_compound(
    stem: str, language: str, stem_of: Callable[[str], str], count: Callable[[str], int]
) -> tuple[str, ...]:
    """The stems of the two parts of a stemmed word, or nothing. `count` says how often a stem occurs. Of all
    ways to split, and of not splitting, that whose parts are most frequent in the geometric mean is taken."""
    best: tuple[str, ...] = ()
    most = count(stem) ** 2
    for cut in range(_MIN_CHARS, len(stem) - _MIN_CHARS + 1):
        endings = ("", *_ENDINGS.get(language, ()))
        last, second = max((count(stem[cut:] + each), stem[cut:] + each) for each in endings)
        if last < _MIN_COUNT:
            continue
        for link in LINKS[language]:
            first = stem[:cut].removesuffix(link)
            if len(first) < _MIN_CHARS or (link and len(first) == cut):
                continue
            found = stem_of(first)
            times = count(found)
            if times >= _MIN_COUNT and times * last > most:
                best, most = (found, second), times * last
    return best
