"""Puts back what folding takes from endings, since a stemmer knows an ending by its accents.

`configuração` and `configurações` are `configuracao` and `configuracoes` to the index, so that they are found
without accents, too. The rules see no accents, hence treat both spellings alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_FRENCH = (
    (re.compile(r"ee(?=s?\Z)"), "ée"),
    (re.compile(r"ie(?=res?\Z)"), "iè"),
)
# Plurals as their singulars, since the stemmer keeps some of them apart (`expressões`, `expressão`).
_PORTUGUESE = (
    (re.compile(r"oes\Z"), "ao"),
    (re.compile(r"(?<=[ai])veis\Z"), "vel"),
    (re.compile(r"(?<=..)cao\Z"), "ção"),
    (re.compile(r"a(?=vel\Z)"), "á"),
    (re.compile(r"i(?=vel\Z)"), "í"),
    (re.compile(r"e(?=ncias?\Z)"), "ê"),
)
_FRONT, _BACK = str.maketrans("iou", "iöü"), str.maketrans("iou", "ıou")
_VOWEL = re.compile("[aeiou]")
# Between vowels behind the first syllable, and in `-mış`.
_SOFT_G = re.compile(r"(?<=..[aeıioöuü])g(?=[aeıiuü])")
_PAST_S = re.compile(r"(?<=.m[ıiuü])s(?=\Z|[tls])")


def _by(rules: tuple[tuple[re.Pattern[str], str], ...]) -> Callable[[str], str]:
    def restored(word: str) -> str:
        for pattern, accented in rules:
            word = pattern.sub(accented, word)
        return word

    return restored


def _turkish(word: str) -> str:
    """Vowel harmony: the vowels of a word are all front ones (e i ö ü) or back ones (a ı o u). `a`, `e`, and
    an `o` behind the first syllable, which only borrowed words have, tell which; the vowels behind them
    follow, and those in front of the first."""
    vowels = [match.start() for match in _VOWEL.finditer(word)]
    told = {
        at: word[at] == "e"
        for at in vowels
        if word[at] in "ae" or (word[at] == "o" and at > vowels[0])
    }
    if told:
        letters = list(word)
        is_front = next(iter(told.values()))
        for at in vowels:
            is_front = told.get(at, is_front)
            letters[at] = letters[at].translate(_FRONT if is_front else _BACK)
        word = "".join(letters)
    return _PAST_S.sub("ş", _SOFT_G.sub("ğ", word))


ACCENTS: Mapping[str, Callable[[str], str]] = {
    "fr": _by(_FRENCH),
    "pt": _by(_PORTUGUESE),
    "tr": _turkish,
}
"""By language: what a folded word is given to the stemmer as. The stem is folded again."""
