"""A light stemmer for Arabic, after Light10 (Larkey, Ballesteros and Connell, Light Stemming for Arabic
Information Retrieval, 2007).

Conjunctions, prepositions, articles and pronouns are written onto the word that they belong to
(`والمتغيرات`). Snowball's stemmer leaves some of these and takes letters of other words (`الكائن` is `الكا`,
`كائن` is `كاين`), so that forms of one word do not find each other.
"""

from __future__ import annotations

from collections.abc import Callable

_ARTICLES = ("وال", "بال", "كال", "فال", "ال", "لل")
_AND = "و"
_JOINED = (_AND, "ف", "ب", "ك", "ل")
# Many words begin with this letter (`واجهة`, `وظيفة`): what is left of a conjunction is longer.
_MIN_AFTER_AND = 4
_PRONOUNS = ("ها", "ه")
_DUAL_OR_MASCULINE, _FEMININE_PLURAL, _ACCUSATIVE = ("ين", "ان", "ون"), "ات", "ا"
_FEMININE_OR_RELATION = ("ية", "ة", "ي")
# What ة is before another ending: `قيمة`, `قيمته`.
_TAA = "ت"


def arabic_stem(word: str) -> str:
    """The stem of a folded word, which has no diacritics and one form of alef."""
    word = word.replace("ى", "ي")
    for article in _ARTICLES:
        if word.startswith(article) and len(word) > len(article) + 1:
            return _without_endings(word.removeprefix(article))
    if word.startswith(_AND):
        rest = _without_endings(word.removeprefix(_AND))
        if len(rest) >= _MIN_AFTER_AND:
            return rest
    return _without_endings(word)


def _without_endings(word: str) -> str:
    for ending in _PRONOUNS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            word = _without_taa(word.removesuffix(ending))
            break
    if word.endswith(_DUAL_OR_MASCULINE) and len(word) >= 5:
        word = _without_taa(word[:-2])
    elif word.endswith(_FEMININE_PLURAL) and len(word) >= 4:
        word = word[:-2]
    elif word.endswith(_ACCUSATIVE) and len(word) >= 4:
        word = word[:-1]
    for ending in _FEMININE_OR_RELATION:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word.removesuffix(ending)
    return word


def _without_taa(word: str) -> str:
    return word[:-1] if word.endswith(_TAA) and len(word) >= 4 else word


def joined_forms(stem: str, count: Callable[[str], int]) -> tuple[str, ...]:
    """The stems that a collection has of a word with a conjunction or preposition of one letter in front:
    `بتاخير` of `تاخير`. Of a stem that begins with such a letter, the rest as well, if it is more frequent.
    Stems keep these letters, since other words begin with them."""
    if len(stem) < 3:
        return ()
    forms = [letter + stem for letter in _JOINED if count(letter + stem)]
    rest = stem[1:]
    if stem.startswith(_JOINED) and len(rest) >= 3 and count(rest) > count(stem):
        forms.append(rest)
    return tuple(forms)
