"""What is within the words of a language, by the words that a collection has itself.

Compounds that are written as one word: `Datenbanksitzung` is found by `Sitzung` where both parts are words of
the text by themselves, which needs no dictionary (Koehn and Knight, Empirical Methods for Compound Splitting,
2003). And verbs, of which some forms have a syllable inside: `ausgeführt` and `auszuführen` are found by
`ausführen`, a word of the text.
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
# The syllables of participles and infinitives, the ending of a participle's stem, and the least letters in
# front of the syllable, by language. A verb may end as its participle does (`gestartet`, `starten`).
_SYLLABLES: Mapping[str, tuple[tuple[str, str, int], ...]] = {
    "de": (("ge", "t", 0), ("zu", "", 2)),
    "nl": (("ge", "t", 0), ("ge", "d", 0)),
}
# Shorter ones are endings, prefixes and abbreviations as often as words.
_MIN_CHARS = 4
# Occurrences of a part by itself: a single one may be a typo, or what is left of a name.
_MIN_COUNT = 2


def split_compound(
    stem: str, language: str, stem_of: Callable[[str], str], count: Callable[[str], int]
) -> tuple[str, ...]:
    """The stems of the two parts of a stemmed word, or nothing. `count` says how often a stem occurs. Of all
    ways to split, that whose parts are most frequent in the geometric mean is taken. A compound that is more
    frequent than its parts is split as well: in a search it still counts more as a whole."""
    best: tuple[str, ...] = ()
    most = 0
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


def verb_within(stem: str, language: str, count: Callable[[str], int]) -> str:
    """The stem of the verb that a stemmed word is another form of (`ausgefuhrt`: `ausfuhr`), or nothing. Of
    several, the most frequent one is taken."""
    found: set[str] = set()
    for syllable, ending, least in _SYLLABLES.get(language, ()):
        if not stem.endswith(ending):
            continue
        for at in range(least, len(stem) - len(syllable)):
            if stem.startswith(syllable, at):
                rest = stem[:at] + stem[at + len(syllable) :]
                found |= {rest, rest.removesuffix(ending)}
    known = [verb for verb in found if len(verb) >= _MIN_CHARS and count(verb) >= _MIN_COUNT]
    return max(sorted(known), key=count, default="")
