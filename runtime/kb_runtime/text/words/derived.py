"""Other forms of the verb that a word is, or is made of, where a stemmer keeps them apart: `удалить`,
`удаляет` and `удаление`; `konfigurieren`, `konfiguriert` and `Konfiguration`.

The rules make all forms that a stem may have; a search takes those that its collection has, which needs no
dictionary. Nothing changes in the index.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from kb_runtime.text.words.arabic_patterns import arabic_forms

# Shorter ones begin too many other words.
_MIN_BASE = 4

# What is left of `prüfen`, `prüft`, `Prüfung`; `speichern` is `speich`, but `Speicherung` is `speicher`.
_GERMAN = (
    ("", "t", "ung", "er", "ert"),
    ("i", "ier", "iert", "ation"),
)
_RUSSIAN = (
    "", "а", "я", "к", "йк", "л", "ля", "ен", "лен", "ан", "ва", "ац", "ива", "иван", "ыва", "ыван", "ова",
    "ован", "ирова", "ирован",
)  # fmt: skip
_ITERATIVE = ("ива", "иван", "ыва", "ыван")
# Last consonants of a verb, what they become in some of its forms, and the endings that follow there:
# `загрузить`, `загружен`; `запустить`, `запущен`, `запуск`.
_CONSONANTS = (
    ("з", "ж"), ("д", "ж"), ("с", "ш"), ("ст", "щ"), ("ст", "ск"), ("ск", "щ"), ("т", "ч"),
)  # fmt: skip
_AFTER_SOFT = ("", "а", "ен", "ива", "иван")
_AFTER_HARD = ("", "а", "к", "ыва", "ыван")
_LAST_VOWEL = re.compile(r"[оа](?=[^аеиоуыэюя]*\Z)")
_OTHER_VOWEL = {"о": "а", "а": "о"}


def _bases(stem: str, endings: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What is left of a stem without each of the endings that it has, with that ending."""
    for ending in endings:
        base = stem.removesuffix(ending)
        if len(base) >= _MIN_BASE and stem.endswith(ending):
            yield base, ending


def _german(stem: str) -> Iterator[str]:
    for endings in _GERMAN:
        for base, _ in _bases(stem, endings):
            yield from (base + other for other in endings)


def _russian(stem: str) -> Iterator[str]:
    for base, ending in _bases(stem, _RUSSIAN):
        for other in _RUSSIAN:
            yield base + other
            if (other in _ITERATIVE) != (ending in _ITERATIVE):
                yield _LAST_VOWEL.sub(lambda vowel: _OTHER_VOWEL[vowel[0]], base) + other
        for hard, soft in _CONSONANTS:
            if base.endswith(hard):
                yield from (base.removesuffix(hard) + soft + other for other in _AFTER_SOFT)
            elif base.endswith(soft):
                yield from (base.removesuffix(soft) + hard + other for other in _AFTER_HARD)


_FORMS: Mapping[str, Callable[[str], Iterator[str]]] = {
    "ar": arabic_forms,
    "de": _german,
    "ru": _russian,
}


def derived_forms(stem: str, language: str, count: Callable[[str], int]) -> tuple[str, ...]:
    """The stems of other forms that a collection has; `count` says how often a stem occurs."""
    forms = _FORMS.get(language)
    if forms is None or not stem.isalpha():
        return ()
    return tuple(form for form in dict.fromkeys(forms(stem)) if form != stem and count(form))


def other_forms(
    stems: Iterable[str], language: str, count: Callable[[str], int]
) -> tuple[str, ...]:
    """The `derived_forms` of all stems, without these."""
    own = dict.fromkeys(stems)
    forms = dict.fromkeys(form for stem in own for form in derived_forms(stem, language, count))
    return tuple(form for form in forms if form not in own)


def possible_stems(stem: str, language: str) -> frozenset[str]:
    """A stem and those of all forms that it may have, most of which are no words."""
    return frozenset((stem, *derived_forms(stem, language, lambda _: 1)))
